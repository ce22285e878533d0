"""The commands that use the text or the counts of a model: `stability` and `explain`."""

from __future__ import annotations

from dataclasses import asdict

import click

from gensim_wordrank._utils import atomic_files, threads
from gensim_wordrank.cli.common import command, json_option, print_summary, trust_option
from gensim_wordrank.cli.train import open_sources, texts_argument, workers_option
from gensim_wordrank.cli.use import STABILITY, load_whole, model_argument, to_json, to_keys


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


@command
@model_argument
@click.argument("one")
@click.argument("other")
@click.argument("texts", nargs=-1, type=click.Path(allow_dash=True))
@click.option("-n", "--topn", default=10, show_default=True, help="Number of contexts.")
@json_option
@trust_option
def explain(model: str, one: str, other: str, texts: tuple[str, ...], topn: int, as_json: bool, trust: bool) -> None:
    """Show why the words ONE and OTHER are near.

    Prints the contexts that both words share, by how much each adds to their cosine, and example lines from TEXTS.
    MODEL must have been trained with --with-counts.
    """
    loaded = load_whole(model, trust)
    sources = open_sources(texts) if texts else None
    one, other = to_keys(loaded.wv, [one, other])
    found = loaded.explain(one, other, topn, corpus_file=sources)
    click.echo(to_json(asdict(found)) if as_json else str(found))
