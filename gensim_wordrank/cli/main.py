"""The command `wordrank`, the same functions for the shell: here those that use models.

Those that make models are in train.py; commands.py is what all have in common.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from gensim.models import KeyedVectors

from gensim_wordrank import evaluation
from gensim_wordrank._utils import atomic_files
from gensim_wordrank.cli import train
from gensim_wordrank.cli.common import command, json_option, main, tell
from gensim_wordrank.cooccurrence import formats
from gensim_wordrank.evaluation import scores as scoring
from gensim_wordrank.evaluation import testsets, vector_files
from gensim_wordrank.evaluation.load import facts, is_pickle, load
from gensim_wordrank.model import WordRank
from gensim_wordrank.plots import documents, figures, report

__all__ = ["main", "train"]

FORMATS = ("word2vec", "word2vec-binary", "glove", "projector")
PICTURES = ("words", "training", "rank-losses")


@command
@click.argument("model", type=click.Path())
@click.argument("words", nargs=-1)
@click.option("-n", "--topn", default=10, show_default=True, help="How many neighbours.")
@json_option
def similar(model: str, words: tuple[str, ...], topn: int, as_json: bool, quiet: bool) -> None:
    """Show the neighbours of WORDS in MODEL; without words, ask for them until an empty line."""
    if as_json and not words:
        raise click.UsageError("Give WORDS with --json.")
    keyed = load(model).words
    if words:
        found = {word: keyed.most_similar(keys_of(keyed, [word]), topn=topn) for word in words}
        click.echo(as_text(found) if as_json else "\n\n".join(table(word, near) for word, near in found.items()))
    with suppress(click.Abort):  # at the end of the input
        while not words and (word := click.prompt("word", default="", show_default=False, err=True)):
            (key,) = keys_of(keyed, [word])
            click.echo(table(word, keyed.most_similar(key, topn=topn)) if key in keyed else f"{word} is not known")


@command
@click.argument("model", type=click.Path())
@click.argument("a")
@click.argument("b")
@click.argument("c")
@click.option("-n", "--topn", default=5, show_default=True, help="How many answers.")
@click.option("--method", type=click.Choice([method.value for method in scoring.Method]), default="add")
@json_option
def analogy(model: str, a: str, b: str, c: str, topn: int, method: str, as_json: bool, quiet: bool) -> None:
    """Answer "A is to B as C is to ...?", by u + v."""
    keyed = load(model).sums
    answer = keyed.most_similar if method == "add" else keyed.most_similar_cosmul
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # gensim's 3CosMul calls an old function of its own
        found = answer(positive=keys_of(keyed, [b, c]), negative=keys_of(keyed, [a]), topn=topn)
    click.echo(as_text(found) if as_json else table(f"{a} : {b} = {c} :", found))


@command
@click.argument("models", nargs=-1, required=True, type=click.Path())
@click.option("--sets", type=click.Path(exists=True), help="Directory of test sets, beside those that gensim has.")
@click.option("--method", type=click.Choice([method.value for method in scoring.Method]), default="add")
@click.option("--unknown", type=click.Choice([rule.value for rule in scoring.Unknown]), default="zero")
@click.option("--restrict-vocab", type=click.IntRange(min=1), help="Know only so many of the most frequent words.")
@click.option("--sections", is_flag=True, help="Show every section of analogies.")
@json_option
@click.option("--report", "page", type=click.Path(), help="Write a page about the models: FILE.html, or .md.")
@click.option("--word", "words", multiple=True, help="Show its neighbours on the page; can be given again.")
def evaluate(
    models: tuple[str, ...],
    sets: str | None,
    sections: bool,
    as_json: bool,
    page: str | None,
    words: tuple[str, ...],
    quiet: bool,
    **options: Any,
) -> None:
    """Score MODELS on similarity (by u) and analogies (by u + v); more than one are compared with the first."""
    if page:
        atomic_files.select_writer(page, documents.WRITERS)
    tests = testsets.shipped() + (testsets.in_directory(sets) if sets else [])
    subjects = [load(model) for model in models]
    scores = [evaluation.evaluate(subject.words, tests, subject.sums, **options) for subject in subjects]
    rows = report.score_rows(models, scores)
    if as_json:
        click.echo(as_text(rows))
    else:
        click.echo("\n".join(line for row in rows for line in shown(row, sections)))
    if page:
        chosen = keys_of(subjects[0].words, words) or report.usual_words(subjects, tests)
        documents.save(report.report(subjects, scores, chosen), page)


def shown(row: dict[str, Any], sections: bool) -> list[str]:
    """Return the lines that tell one score."""
    text = f"{row['model']}  {row['set']:20} {100 * row['score']:5.1f}  "
    text += f"({100 * row['low']:.1f} to {100 * row['high']:.1f}), {100 * row['unknown']:.1f}% unknown"
    text += f"; {report.verdict(row)}" if "p" in row else ""
    parts = row.get("sections", {})
    names = parts if sections else [name for name in ("semantic", "syntactic") if name in parts]
    return [text, *(f"{'':{len(row['model'])}}    {name:30} {100 * parts[name]:5.1f}" for name in names)]


def as_text(value: Any) -> str:
    """Return a value as JSON, which has no NaN."""
    return json.dumps(json.loads(json.dumps(value, default=int), parse_constant=lambda _: None))


def keys_of(keyed: KeyedVectors, words: Sequence[str]) -> list[Any]:
    """Return what words on the command line stand for, where keys are numbers."""
    if not len(keyed) or isinstance(keyed.index_to_key[0], str):
        return list(words)
    names = {str(key): key for key in keyed.index_to_key}
    return [names.get(word, word) for word in words]


def table(title: str, near: list[tuple[str, float]]) -> str:
    """Return words and their scores below a title."""
    return "\n".join([title, *(f"  {score:.3f}  {word}" for word, score in near)])


@command
@click.argument("model", type=click.Path())
@click.option("-o", "--output", type=click.Path(), required=True, help="File to write; for projector, a directory.")
@click.option("--format", "layout", type=click.Choice(FORMATS), default="word2vec", show_default=True)
@click.option("--sum", "use_sum", is_flag=True, help="Write u + v, best for analogies, instead of u.")
def export(model: str, output: str, layout: str, use_sum: bool, quiet: bool) -> None:
    """Write the vectors of MODEL for other programs."""
    if layout != "projector":
        atomic_files.require_writable_file(output)
    subject = load(model)
    if use_sum and subject.vectors is None:
        raise click.UsageError(f"'{model}' has no context vectors. Leave out --sum.")
    keyed = subject.sums if use_sum else subject.words
    if layout == "projector":
        vector_files.write_projector(keyed, output)
    else:
        formats.validate_words(map(str, keyed.index_to_key), "Files of vectors, but those for the projector,")
        options = {"binary": layout == "word2vec-binary", "write_header": layout != "glove"}
        atomic_files.write_atomically(output, lambda name: keyed.save_word2vec_format(name, **options))
    if not quiet:
        tell(output, f"{len(keyed)} vectors in {output}")


@command
@click.argument("model", type=click.Path())
@json_option
def info(model: str, as_json: bool, quiet: bool) -> None:
    """Tell what MODEL is and how it was trained."""
    if not is_pickle(model):
        raise click.UsageError(f"'{model}' is no model. Of vectors alone, nothing is known but themselves.")
    known = facts(WordRank.load(model))
    click.echo(json.dumps(known) if as_json else "\n".join(f"{name:18} {value}" for name, value in known.items()))


@command
@click.argument("arguments", metavar="[MODEL [WORD]...]", nargs=-1)
@click.option("-o", "--output", type=click.Path(), required=True, help="FILE.html, .png, .svg or .pdf.")
@click.option(
    "--of", "what", type=click.Choice(PICTURES), default="words", show_default=True,
    help="Words and their neighbours; the loss of every epoch of MODEL...; or the rank losses, Figure 1 of the paper.",
)  # fmt: skip
@click.option(
    "-n", "--topn", default=30, show_default=True, help="Neighbours of each word; without words, the most frequent."
)
def plot(arguments: tuple[str, ...], output: str, what: str, topn: int, quiet: bool) -> None:
    """Draw WORDS of MODEL and their neighbours in the plane (t-SNE); without words, the most frequent ones.

    With --of training, draw the loss of every epoch of all the MODELS that are given.
    """
    if what != "rank-losses" and not arguments:
        raise click.UsageError("Give a MODEL.")
    atomic_files.select_writer(output, figures.WRITERS)
    if what == "words":
        model, *given = arguments
        keyed = load(model).words
        words = keys_of(keyed, given)
        picture = figures.word_map(keyed, words or keyed.index_to_key[: max(topn, 3)], topn if words else 0)
    elif what == "training":
        picture = figures.loss_curves({model: load(model).losses for model in arguments})
    else:
        picture = figures.loss_functions()
    figures.save(picture, output)
    if not quiet:
        tell(output, f"{picture.title} in {output}")


@command
@click.argument("directory", type=click.Path(file_okay=False), default="demo")
def demo(directory: str, quiet: bool) -> None:
    """Train on a small text that comes with gensim, and write the result to DIRECTORY."""
    from gensim_wordrank import demo as demonstration  # its libraries are an extra

    demonstration.main(Path(directory))
