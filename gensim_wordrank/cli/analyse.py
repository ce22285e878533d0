"""The commands that use the text or the counts of a model, `stability` and `explain`, or two texts: `change`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from gensim_wordrank import plots
from gensim_wordrank._utils import atomic_files, threads
from gensim_wordrank.change import Change, ChangedWord
from gensim_wordrank.cli.common import command, json_option, print_summary, trust_option
from gensim_wordrank.cli.train import (
    counting_options,
    open_sources,
    parameter,
    texts_argument,
    with_options,
    workers_option,
)
from gensim_wordrank.cli.use import STABILITY, load_whole, model_argument, to_json, to_keys
from gensim_wordrank.plots.documents import FIGURE_WRITERS

# words on a map, and neighbours of each that it left or joined
DRAWN_WORDS, DRAWN_NEIGHBOURS, SHOWN_NEIGHBOURS = 4, 6, 3


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
    """Find out which neighbours in MODEL to trust.

    TEXTS are those that MODEL was trained on. This trains models on resampled texts, each in about half the time that
    MODEL took. Afterwards, run `wordrank similar` or `wordrank plot` with --confidence.
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

    Prints the contexts that both words share, how much each adds to their cosine, and example lines from TEXTS. MODEL
    must have been trained with --with-counts.
    """
    loaded = load_whole(model, trust)
    sources = open_sources(texts) if texts else None
    one, other = to_keys(loaded.wv, [one, other])
    found = loaded.explain(one, other, topn, corpus_file=sources)
    click.echo(to_json(asdict(found)) if as_json else str(found))


@command
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path())
@click.option("-n", "--topn", default=10, show_default=True, help="Number of words.")
@click.option("--word", "words", multiple=True, help="Show this word instead of those that changed most; repeatable.")
@click.option("-o", "--output", type=click.Path(), help="Draw a map of the words: .html, .png, .svg or .pdf.")
@click.option("--resamples", default=20, show_default=True, help="Number of random splits of both texts.")
@parameter("vector_size", "Dimension of the vectors.")
@parameter("epochs", "Passes over the co-occurrence counts.")
@parameter("seed", "Random seed. The result does not depend on --workers.")
@with_options(*counting_options, workers_option)
@json_option
def change(
    first: str, second: str, topn: int, words: tuple[str, ...], output: str | None, resamples: int,
    workers: int | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Show which words changed from FIRST to SECOND.

    Both texts have one sentence per line and may be compressed. Prints each word with the cosine of its vectors in the
    two texts, the cosine expected without a change, the false discovery rate (q), and its lost and new neighbours. With
    20 resamples, this takes as long as training 21 models on both texts.
    """
    if Path(first).absolute() == Path(second).absolute():
        raise click.UsageError("Give two different texts.")
    if output:
        atomic_files.require_other_file(output, [first, second])
        atomic_files.select_writer(output, FIGURE_WRITERS)
    options["workers"] = threads.worker_count(-1 if workers is None else workers)
    compared = Change.of({first: first, second: second}, resamples, **options)
    found = [compared.changed(word) for word in words] or compared.most_changed(topn)
    if as_json:
        click.echo(to_json([describe_change(compared, each) for each in found]))
    else:
        click.echo("\n".join(format_change(describe_change(compared, each)) for each in found))
    if output:
        figure = plots.change_map(compared, [each.word for each in found[:DRAWN_WORDS]], DRAWN_NEIGHBOURS)
        plots.save(figure, output)
        print_summary(output, f"Wrote '{figure.title}' to {output}")


def describe_change(compared: Change, found: ChangedWord) -> dict[str, Any]:
    """Return how far a word moved, and which neighbours it left and joined."""
    left, joined = compared.neighbours(found.word, SHOWN_NEIGHBOURS)
    return found._asdict() | {"left": [word for word, *_ in left], "joined": [word for word, *_ in joined]}


def format_change(row: dict[str, Any]) -> str:
    """Return a change as a line of text.

    Examples
    --------
    >>> from gensim_wordrank.cli.analyse import format_change
    >>> row = {"word": "mouse", "cosine": 0.21, "expected": 0.7, "q_value": 0.004, "left": ["rat"], "joined": ["click"]}
    >>> format_change(row)
    'mouse  0.21 (expected 0.70, q 0.004): from rat to click'
    """
    places = f"from {', '.join(map(str, row['left']))} to {', '.join(map(str, row['joined']))}"
    return f"{row['word']}  {row['cosine']:.2f} (expected {row['expected']:.2f}, q {row['q_value']:.2g}): {places}"
