"""The commands that use models: `similar`, `analogy`, `evaluate`, `export`, `info`, `plot` and `demo`."""

from __future__ import annotations

import difflib
import itertools
import json
import logging
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any

import click
import numpy as np
from click.core import ParameterSource
from gensim.models import KeyedVectors

from gensim_wordrank import evaluation, plots, quantized, tensor_files
from gensim_wordrank._utils import atomic_files
from gensim_wordrank._utils.display import text_table
from gensim_wordrank.analysis.stability import Stability, format_stability
from gensim_wordrank.cli.common import command, json_option, output_option, print_summary, trust_option
from gensim_wordrank.cooccurrence import formats
from gensim_wordrank.demo import main as run_demo
from gensim_wordrank.evaluation import load_model
from gensim_wordrank.evaluation.load import LoadedModel, UntrustedError, describe, is_saved_model
from gensim_wordrank.evaluation.scores import Method, Unknown
from gensim_wordrank.evaluation.tables import NOTES, score_table
from gensim_wordrank.model import WordRank
from gensim_wordrank.plots.documents import DOCUMENT_WRITERS, FIGURE_WRITERS
from gensim_wordrank.plots.report import default_words, score_rows
from gensim_wordrank.quantized import Quantization
from gensim_wordrank.subwords.formats import write_fasttext_bin, write_floret
from gensim_wordrank.tensor_files import is_tensor_file

# ending of the file beside a model that `wordrank stability` writes
STABILITY = ".stability"
# the most frequent words, among which similar spellings are looked for
SUGGESTED_FROM = 100_000
PROJECTOR_CONFIG = "projector_config.pbtxt"  # TensorBoard reads it
SUBWORD_WRITERS = {"fasttext": write_fasttext_bin, "floret": write_floret}

model_argument = click.argument("model", type=click.Path())
method_option = click.option(
    "--method", type=click.Choice([method.value for method in Method]), default="add", show_default=True,
    help="How to answer analogies: 3CosAdd or 3CosMul.",
)  # fmt: skip

confidence_option = click.option(
    "--confidence", is_flag=True, help="Show which neighbours to trust. Run `wordrank stability` first."
)


@command
@model_argument
@click.argument("words", nargs=-1)
@click.option("-n", "--topn", type=click.IntRange(1), default=10, show_default=True, help="Number of neighbours.")
@confidence_option
@click.option("--why", is_flag=True, help="Show why each neighbour is near. Needs a model trained with --with-counts.")
@json_option
@trust_option
def similar(
    model: str, words: tuple[str, ...], topn: int, confidence: bool, why: bool, as_json: bool, trust: bool
) -> None:  # fmt: skip
    """Show the nearest neighbours of WORDS.

    Words outside the vocabulary need a model trained with --subwords.

    Without WORDS, asks for words until you enter an empty line.
    """
    if as_json and not words:
        raise click.UsageError("Give WORDS with --json.")
    if not words and sys.stdin is None:
        raise click.UsageError("Give WORDS: the standard input is closed.")
    if confidence and why:
        raise click.UsageError("Give --confidence or --why, not both.")
    if (confidence or why) and not words:
        raise click.UsageError("Give WORDS with --confidence and --why.")
    loaded = open_model(model, trust)
    if confidence:
        click.echo(confident_neighbours(read_stability(model, loaded.wv), to_keys(loaded.wv, words), topn, as_json))
        return
    if why:
        click.echo(explained_neighbours(model, loaded, words, topn, as_json))
        return
    if words:
        neighbours = {word: find_neighbours(loaded, word, topn) for word in words}
        tables = (format_neighbours(word, near) for word, near in neighbours.items())
        click.echo(to_json(neighbours) if as_json else "\n\n".join(tables))
        return
    with suppress(click.Abort):  # raised at the end of the input
        while word := click.prompt("word", default="", show_default=False, err=True):
            try:
                click.echo(format_neighbours(word, find_neighbours(loaded, word, topn)))
            except KeyError as error:
                click.echo(error.args[0])


@command
@model_argument
@click.argument("a")
@click.argument("b")
@click.argument("c")
@click.option("-n", "--topn", type=click.IntRange(1), default=5, show_default=True, help="Number of answers.")
@method_option
@json_option
@trust_option
def analogy(model: str, a: str, b: str, c: str, topn: int, method: str, as_json: bool, trust: bool) -> None:
    """Answer "A is to B as C is to ...?".

    Uses the sum of word and context vectors, u + v.
    """
    wv = open_model(model, trust).analogy_vectors
    answer = wv.most_similar if method == "add" else wv.most_similar_cosmul
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # gensim's 3CosMul calls a deprecated function of its own
        answers = answer(positive=to_keys(wv, [b, c]), negative=to_keys(wv, [a]), topn=topn)
    click.echo(to_json(answers) if as_json else format_neighbours(f"{a} : {b} = {c} :", answers))


@command
@click.argument("models", nargs=-1, required=True, type=click.Path())
@click.option("--sets", type=click.Path(exists=True), help="Directory of test sets to use besides gensim's.")
@method_option
@click.option(
    "--unknown", type=click.Choice([*(rule.value for rule in Unknown), "predict"]), default="zero", show_default=True,
    help="Items with unknown words score 0 (paper), are skipped (gensim), or use n-grams (similarity only).",
)  # fmt: skip
@click.option("--restrict-vocab", type=click.IntRange(min=1), help="Use only this many of the most frequent words.")
@click.option("--sections", is_flag=True, help="Print the score of each section of an analogy set.")
@json_option
@click.option("--report", type=click.Path(), help="Write a report with figures to this .html or .md file.")
@click.option("--word", "words", multiple=True, help="Show the neighbours of this word in the report; repeatable.")
@trust_option
def evaluate(
    models: tuple[str, ...], sets: str | None, sections: bool, as_json: bool, report: str | None,
    words: tuple[str, ...], unknown: str, trust: bool, **options: Any,
) -> None:  # fmt: skip
    """Score MODELS on similarity and analogy test sets.

    Similarity uses word vectors u; analogies use the sum of word and context vectors, u + v. Each further model is
    compared with the first. The table has two scores per set. In one, items with unknown words score 0, as in the
    paper. In the other, they are skipped, as in gensim.
    """
    if report:
        atomic_files.require_other_file(report, [*models, *([sets] if sets else [])])
        atomic_files.select_writer(report, DOCUMENT_WRITERS)
    tests = evaluation.bundled_sets() + (evaluation.read_directory(sets) if sets else [])
    loaded = [open_model(model, trust) for model in models]
    chosen = to_keys(next((each.wv for each in loaded if set(words) & set(each.wv.index_to_key)), loaded[0].wv), words)
    options["unknown"] = "zero" if unknown == "predict" else unknown
    scores = []
    for name, model in zip(models, loaded, strict=True):
        wv = model.wv
        if unknown == "predict":
            if model.subword_model is None:
                raise click.UsageError(f"'{name}' knows no unknown words. Train it with --subwords.")
            wv = model.subword_model.with_words(evaluation.words_of(tests, wv))
        scores.append(evaluation.evaluate(wv, tests, model.analogy_vectors, **options))
    rows = score_rows(models, scores)
    click.echo(to_json(rows) if as_json else format_scores(models, rows, sections))
    if report:
        chosen = chosen or default_words(loaded, tests)
        plots.save(plots.model_report(loaded, scores, chosen), report)


@command
@model_argument
@output_option("Output file; for projector, a directory.")
@click.option(
    "--format", "layout", default="word2vec", show_default=True,
    type=click.Choice(["word2vec", "word2vec-binary", "glove", "projector", *SUBWORD_WRITERS]),
    help="File format; projector is for TensorBoard, floret for spaCy. fasttext and floret include n-grams.",
)  # fmt: skip
@click.option(
    "--quantize", type=click.Choice([how.value for how in Quantization]),
    help="Write a safetensors file of a half, a quarter or about a sixth of the size, and report the loss.",
)  # fmt: skip
@click.option("--sum", "use_sum", is_flag=True, help="Write u + v (better for analogies) instead of u.")
@trust_option
def export(
    model: str, output: str, layout: str, quantize: str | None, use_sum: bool, trust: bool
) -> None:  # fmt: skip
    """Write the vectors of MODEL for other programs."""
    atomic_files.require_other_file(output, [model])
    given = click.get_current_context().get_parameter_source("layout")
    if quantize and given is not ParameterSource.DEFAULT:
        raise click.UsageError("--quantize writes a format of its own. Omit --format.")
    if layout != "projector":
        atomic_files.require_writable_file(output)
    loaded = open_model(model, trust)
    if use_sum and loaded.vectors is None:
        raise click.UsageError(f"'{model}' has no context vectors. Omit --sum.")
    wv = loaded.analogy_vectors if use_sum else loaded.wv
    if quantize:
        loss = quantized.save(wv, output, quantize)
        print_summary(
            output,
            f"Wrote {len(wv)} vectors to {output}: cosine {loss.cosine:.4f} with the originals, "
            f"{loss.neighbours:.1%} of the ten nearest words are the same",
        )
        return
    if layout in SUBWORD_WRITERS:
        table = loaded.subword_model.subword_table if loaded.subword_model is not None else None
        if table is None or use_sum:
            raise click.UsageError(f"The format {layout} needs a model trained with --subwords, without --sum.")
        SUBWORD_WRITERS[layout](wv, table, output)
    elif layout == "projector":
        atomic_files.write_directory_atomically(
            output, lambda directory: write_projector(wv, directory), PROJECTOR_CONFIG
        )
    else:
        formats.validate_words(map(str, wv.index_to_key), f"The format {layout}")
        options = {"binary": layout == "word2vec-binary", "write_header": layout != "glove"}
        atomic_files.write_atomically(output, lambda name: wv.save_word2vec_format(name, **options))
    print_summary(output, f"Wrote {len(wv)} vectors to {output}")


@command
@model_argument
@json_option
@trust_option
def info(model: str, as_json: bool, trust: bool) -> None:
    """Show the size and training parameters of MODEL."""
    if not is_saved_model(model):
        raise click.UsageError(f"'{model}' holds only vectors; `info` needs a saved model.")
    values = describe(load_whole(model, trust)) | {"file_mb": round(atomic_files.total_size(model) / 1e6, 1)}
    shown = {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in values.items()}
    lines = [f"{name:18} {value}" for name, value in shown.items() if value is not None]
    click.echo(json.dumps(values) if as_json else "\n".join(lines))


@command
@click.argument("arguments", metavar="[MODEL [WORD]...]", nargs=-1)
@output_option("Output file: .html, .png, .svg or .pdf.")
@click.option(
    "--of", "what", type=click.Choice(["words", "training", "rank-losses"]), default="words", show_default=True,
    help="A map of words, the training loss, or the rank losses (Figure 1 of the paper).",
)  # fmt: skip
@click.option(
    "-n", "--topn", default=30, show_default=True, help="Neighbours per WORD; without WORDs, number of words."
)
@confidence_option
@trust_option
def plot(arguments: tuple[str, ...], output: str, what: str, topn: int, confidence: bool, trust: bool) -> None:
    """Draw a map of words, or other figures.

    The map shows each WORD and its nearest neighbours (t-SNE). Without WORDs, it shows the most frequent words.

    With --of training, all arguments are MODELs, and their losses are drawn in one figure.
    """
    if what != "rank-losses" and not arguments:
        raise click.UsageError("Give a MODEL.")
    atomic_files.require_other_file(output, arguments if what == "training" else arguments[:1])
    atomic_files.select_writer(output, FIGURE_WRITERS)
    if what == "words":
        loaded = open_model(arguments[0], trust)
        wv, words = loaded.wv, to_keys(loaded.wv, arguments[1:])
        stability = read_stability(arguments[0], wv) if confidence else None
        shown, near = (words, topn) if words else (wv.index_to_key[: max(topn, 3)], 0)
        figure = plots.word_map(wv, shown, near, stability=stability, explainer=loaded.explainer)
    elif what == "training":
        loaded_models = {model: open_model(model, trust) for model in arguments}
        losses = {model: loaded.losses for model, loaded in loaded_models.items()}
        figure = plots.loss_curves(losses, {model: loaded.objective for model, loaded in loaded_models.items()})
    else:
        figure = plots.loss_functions()
    plots.save(figure, output)
    print_summary(output, f"Wrote '{figure.title}' to {output}")


@command
@click.argument("directory", type=click.Path(file_okay=False), default="demo")
def demo(directory: str) -> None:
    """Train on Wikipedia articles and show the results.

    Writes the model, pictures and a report to DIRECTORY (default: demo). This takes about 20 seconds. The 106 articles
    come with gensim.
    """
    if not click.get_current_context().params["verbose"]:
        logging.getLogger("gensim_wordrank").setLevel(logging.WARNING)
    run_demo(Path(directory))


def open_model(path: str, trust: bool) -> LoadedModel:
    """Load a model or vectors; a pickle only with --trust, or if the user says so in a terminal."""
    is_pickle = is_saved_model(path) and not is_tensor_file(path)
    return load_model(path, trust or (is_pickle and asked_to_trust(path)))


def load_whole(path: str, trust: bool) -> WordRank:
    """Load a model that `wordrank train` or :meth:`WordRank.save` wrote, with all that it knows."""
    if is_tensor_file(path):
        found = tensor_files.load(WordRank, path, None)  # WordRank.load would also read a pickle
    else:
        require_trust(path, trust)
        found = WordRank.load(path)
    if not isinstance(found, WordRank):
        raise click.UsageError(f"'{path}' is no model of WordRank.")
    return found


def read_stability(model: str, wv: KeyedVectors) -> Stability:
    """Read what `wordrank stability` wrote for a model."""
    path = f"{model}{STABILITY}"
    if not Path(path).is_file():
        raise click.UsageError(f"There is no file '{path}'. Run: wordrank stability {quote(model)} TEXT")
    return Stability.load(path, wv)


def confident_neighbours(stability: Stability, words: Sequence[Any], topn: int, as_json: bool) -> str:
    """Return the neighbours of words with their intervals, as tables or as JSON."""
    found = {word: (stability.most_similar(word, topn), stability.agreement([word])[0]) for word in words}
    if as_json:
        rows = {
            str(word): {"agreement": agreement, "neighbours": [near._asdict() for near in neighbours]}
            for word, (neighbours, agreement) in found.items()
        }
        return to_json(rows)
    return "\n\n".join(format_stability(word, *each) for word, each in found.items())


def explained_neighbours(path: str, model: LoadedModel, words: Sequence[str], topn: int, as_json: bool) -> str:
    """Return the neighbours of words with the contexts that they share, as tables or as JSON."""
    if model.explainer is None:
        raise click.UsageError(f"'{path}' does not hold its counts. Train it with --with-counts.")
    found = {
        word: [model.explainer.explain(word, near) for near, _ in model.wv.most_similar(word, topn=topn)]
        for word in to_keys(model.wv, words)
    }
    if as_json:
        return to_json({str(word): list(map(asdict, each)) for word, each in found.items()})
    return "\n\n".join(
        "\n".join([str(word), *(f"  {each.cosine:.3f}  {each.words[1]}: {each.summary(5)}" for each in explained)])
        for word, explained in found.items()
    )


def require_trust(path: str, trust: bool) -> None:
    """Raise an error if a pickle may not be loaded."""
    if not (trust or asked_to_trust(path)):
        raise UntrustedError(path)


def asked_to_trust(path: str) -> bool:
    """Ask whether a pickle may be loaded; without a terminal, the answer is no."""
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    question = f"'{path}' is a pickle: whoever made it can run any code here. Do you trust where it comes from?"
    return click.confirm(question, err=True)


def find_neighbours(model: LoadedModel, word: str, topn: int) -> list[tuple[str, float]]:
    """Return the nearest neighbours of a word, which may be unknown if the model has vectors of n-grams."""
    neighbours: list[tuple[str, float]]
    if model.subword_model is not None:
        neighbours = model.subword_model.most_similar([word], topn=topn)
    else:
        neighbours = model.wv.most_similar(to_keys(model.wv, [word]), topn=topn)
    return neighbours


def to_keys(wv: KeyedVectors, words: Sequence[str]) -> list[Any]:
    """Return the keys of words given on the command line, which may be numbers; raise KeyError for unknown words."""
    names = wv.key_to_index
    if len(wv) and not isinstance(wv.index_to_key[0], str):
        names = {str(key): i for i, key in enumerate(wv.index_to_key)}
    for word in words:
        if word not in names:
            raise KeyError(f"'{word}' is not in the vocabulary.{suggest_words(names, word)}")
    return [wv.index_to_key[names[word]] for word in words]


def suggest_words(known: Iterable[str], word: str) -> str:
    """Return a sentence with words like an unknown one: in another case, or with a similar spelling."""
    words = list(itertools.islice(known, SUGGESTED_FROM))
    same = [each for each in (word.lower(), word.title(), word.upper()) if each in words]
    similar = same + [each for each in difflib.get_close_matches(word.lower(), words, cutoff=0.7) if each not in same]
    return f" Did you mean {' or '.join(map(repr, similar))}?" if similar else ""


def to_json(value: Any) -> str:
    """Return a value as JSON, with null for NaN."""
    return json.dumps(json.loads(json.dumps(value, default=int), parse_constant=lambda _: None))


def format_neighbours(title: str, neighbours: list[tuple[str, float]]) -> str:
    """Return words and their scores under a title."""
    return "\n".join([title, *(f"  {score:.3f}  {word}" for word, score in neighbours)])


def format_scores(models: Sequence[str], rows: Sequence[Mapping[str, Any]], all_sections: bool) -> str:
    """Return a table per model."""
    n_sets = len(rows) // len(models)
    tables = []
    for model, first in zip(models, range(0, len(rows), n_sets), strict=True):
        head, cells = score_table(rows[first : first + n_sets], all_sections)
        tables.append(f"{model}\n{text_table(head, cells)}")
    return "\n\n".join(["\n".join(NOTES), *tables])


def write_projector(wv: KeyedVectors, directory: Path) -> None:
    """Write vectors.tsv and metadata.tsv, and the file that names them, for TensorBoard's embedding projector."""
    np.savetxt(directory / "vectors.tsv", wv.vectors, fmt="%.6g", delimiter="\t")
    lines = [" ".join(str(word).split()) + "\n" for word in wv.index_to_key]
    (directory / "metadata.tsv").write_text("".join(lines), encoding="utf-8")
    config = 'embeddings {\n  tensor_path: "vectors.tsv"\n  metadata_path: "metadata.tsv"\n}\n'
    (directory / PROJECTOR_CONFIG).write_text(config, encoding="utf-8")
