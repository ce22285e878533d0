"""The commands that compare models of resampled texts: `stability`."""

from __future__ import annotations

import click

from gensim_wordrank._utils import atomic_files, threads
from gensim_wordrank.cli.common import command, print_summary, trust_option
from gensim_wordrank.cli.train import open_sources, texts_argument, workers_option
from gensim_wordrank.cli.use import STABILITY, load_whole, model_argument


@command
@model_argument
@texts_argument
@click.option("-o", "--output", type=click.Path(), help=f"Output file (default: MODEL{STABILITY}).")
@click.option("--resamples", default=10, show_default=True, help="Number of models to train on resampled texts.")
@workers_option
@trust_option
def stability(
    model: str, texts: tuple[str, ...], output: str | None, resamples: int, workers: int | None, trust: bool
) -> None:
    """Find out which neighbours in MODEL hold.

    TEXTS are those that MODEL was trained on. Models are trained on resamples of them, which takes half as long as
    training that many models. Then `wordrank similar` and `wordrank plot` show with --confidence what can be trusted.
    """
    output = output or f"{model}{STABILITY}"
    atomic_files.require_other_file(output, [model, *texts])
    atomic_files.require_writable_file(output)
    loaded = load_whole(model, trust)
    loaded.workers = threads.worker_count(-1 if workers is None else workers)
    found = loaded.stability(corpus_file=open_sources(texts), resamples=resamples)
    found.save(output)
    print_summary(output, f"Wrote {resamples} resamples of {len(loaded.wv)} words to {output}")
