"""The command `wordrank`: the same functions for the shell."""

from __future__ import annotations

import inspect
import json
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from shlex import quote
from typing import Any

import click
from gensim.models import KeyedVectors
from joblib import cpu_count
from tqdm import tqdm

from gensim_wordrank import (
    corpus,
    documents,
    evaluation,
    exchange,
    files,
    memory,
    plots,
    preparation,
    report,
    storage,
    testsets,
)
from gensim_wordrank.checkpoints import Checkpoints, asked_for
from gensim_wordrank.cluster import Hosts
from gensim_wordrank.cooccurrence import Cooccurrence
from gensim_wordrank.loading import facts, is_pickle, load
from gensim_wordrank.losses import PairLoss, RankLoss
from gensim_wordrank.model import WordRank

# what WordRank does unless told otherwise
USUAL = {name: parameter.default for name, parameter in inspect.signature(WordRank).parameters.items()}
# what is wrong with input, files or the machine, and not with the program
ERRORS = (
    OSError, ValueError, TypeError, KeyError, AttributeError, MemoryError, RuntimeError, ArithmeticError, ImportError,
)  # fmt: skip
FORMATS = ("word2vec", "word2vec-binary", "glove", "projector")
PICTURES = ("words", "training", "rank-losses")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gensim-wordrank")
def main() -> None:
    """Word vectors by robust ranking."""


def command(function: Callable[..., None]) -> click.Command:
    """Make a command whose errors of input and files are one line, without a traceback, and which can be quiet."""

    @wraps(function)
    def run(quiet: bool, verbose: bool, **options: Any) -> None:
        # a progress bar tells what the log would
        level = logging.WARNING if (quiet or shows_progress(quiet)) and not verbose else logging.INFO
        logging.basicConfig(format="%(message)s", level=level)
        for library in ("gensim", "distributed", "asyncssh"):
            logging.getLogger(library).setLevel(logging.INFO if verbose else logging.WARNING)
        tqdm.monitor_interval = 0  # a thread less, whose start may fail with a warning
        try:
            function(quiet=quiet, **options)
        except KeyboardInterrupt:
            raise Interrupted("Stopped. Nothing was written.") from None
        except ERRORS as error:
            text = str(error.args[0]) if isinstance(error, KeyError) else str(error)
            raise click.ClickException(" ".join(text.split()) or type(error).__name__) from error

    for option in (
        click.option("-v", "--verbose", is_flag=True, help="Show the whole log."),
        click.option("-q", "--quiet", is_flag=True, help="Show nothing but results and errors."),
    ):
        run = option(run)
    return main.command()(run)


class Interrupted(click.ClickException):
    """The user pressed Ctrl-C; the exit code is what shells give for it."""

    exit_code = 130


@contextmanager
def telling_how_to_go_on(directory: str | None, output: str) -> Iterator[None]:
    """If a run with checkpoints is interrupted, say how to go on with it."""
    try:
        yield
    except KeyboardInterrupt:
        if directory is None or not Path(directory, "run").is_dir():
            raise
        raise Interrupted(f"Stopped. Go on with: wordrank resume {quote(directory)} -o {quote(output)}") from None


def tell(output: str, text: str) -> None:
    """Say what was written; where the result itself may go to the standard output, elsewhere."""
    click.echo(text, err=files.is_special(output))


def shows_progress(quiet: bool) -> bool:
    """Whether there is someone to look at a progress bar."""
    return not quiet and sys.stderr.isatty()


counting_options = (
    click.option("--window", default=USUAL["window"], show_default=True, help="Greatest distance of two words."),
    click.option("--symmetric/--one-sided", default=True, show_default=True, help="Contexts on both sides, or before."),
    click.option("--distance-weighting/--flat", default=True, show_default=True, help="Count 1/distance, or 1."),
    click.option(
        "--min-count", default=USUAL["min_count"], show_default=True, help="Leave out words that occur less often."
    ),
    click.option("--max-final-vocab", type=int, help="Keep at most so many words."),
    click.option("--memory", help='What to take at most, as "4GB"; by default half of what is free.'),
)
training_options = (
    click.option("--vector-size", default=USUAL["vector_size"], show_default=True, help="Length of the vectors."),
    click.option("--epochs", default=USUAL["epochs"], show_default=True, help="Passes over the co-occurrences."),
    click.option(
        "--seed", default=USUAL["seed"], show_default=True, help="The vectors depend on it, and not on the workers."
    ),
    click.option("--alpha", type=float, help="Learning rate; by default what suits the solver."),
    click.option(
        "--rank-loss",
        type=click.Choice([loss.value for loss in RankLoss]),
        default=USUAL["rank_loss"],
        show_default=True,
    ),
    click.option(
        "--pair-loss",
        type=click.Choice([loss.value for loss in PairLoss]),
        default=USUAL["pair_loss"],
        show_default=True,
    ),
    click.option("--rank-scale", default=USUAL["rank_scale"], show_default=True, help="The paper's alpha."),
    click.option("--rank-offset", default=USUAL["rank_offset"], show_default=True, help="The paper's beta."),
    click.option("--l2", default=USUAL["l2"], show_default=True, help="Strength of the L2 term."),
    click.option(
        "--weighted/--unweighted", default=True, show_default=True, help="Weigh pairs by their counts, or not."
    ),
)
json_option = click.option("--json", "as_json", is_flag=True, help="For programs.")
hosts_options = (
    click.option(
        "--hosts", type=click.Path(), help="File of machines to train on, reached by SSH; see docs/distributed.md."
    ),
    click.option("--ssh-config", type=click.Path(exists=True), help="Of SSH for --hosts, instead of the user's own."),
)
texts_argument = click.argument("texts", nargs=-1, required=True, type=click.Path(allow_dash=True))
workers_option = click.option("--workers", type=int, help="Threads; by default one a core.")


def with_options(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Put options on a command, in their order."""

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return wrap


@command
@texts_argument
@click.option("-o", "--output", type=click.Path(), required=True, help="File to write; compressed if its name says so.")
@click.option("--text8", is_flag=True, help="As the text8 corpus: a to z, digits spelled out, a paragraph a line.")
def prepare(texts: tuple[str, ...], output: str, text8: bool, quiet: bool) -> None:
    """Make raw TEXTs, a paragraph a line, into one to train on; - is the standard input.

    As in the paper: a sentence a line, in lower case, without punctuation and words that are not ASCII; sentences of 3
    to 500 words.
    """
    sources = (sys.stdin.buffer if text == "-" else text for text in texts)
    done = preparation.prepare(sources, output, text8=text8)
    if not quiet:
        tell(output, f"{done.tokens} words in {done.lines} lines in {output}, {done.left_out} sentences left out")


@command
@texts_argument
@click.option(
    "-o", "--output", type=click.Path(), required=True, help="Directory to write; an older result is replaced."
)
@with_options(*counting_options, workers_option, *hosts_options)
def cooccur(texts: tuple[str, ...], output: str, quiet: bool, **options: Any) -> None:
    """Count the co-occurrences of TEXTS, files with one sentence a line, compressed or not; - is the standard input."""
    sources = [sys.stdin.buffer if text == "-" else text for text in texts]
    options["cluster"] = take_cluster(options)
    pairs = Cooccurrence.from_corpus(corpus_file=sources, path=output, progress=shows_progress(quiet), **options)
    if not quiet:
        click.echo(f"{pairs.nnz} pairs of {len(pairs.words)} words in {output}")


@command
@texts_argument
@click.option("-o", "--output", type=click.Path(), required=True, help="File to write the model to.")
@with_options(*training_options, *counting_options, workers_option, *hosts_options)
@click.option("--checkpoint", type=click.Path(), help="Directory from which `wordrank resume` can go on.")
@click.option("--checkpoint-every", help='Epochs, or a time as "10min"; by default 1.')
@json_option
def train(
    texts: tuple[str, ...],
    output: str,
    quiet: bool,
    as_json: bool,
    workers: int | None,
    checkpoint: str | None,
    checkpoint_every: str | None,
    **options: Any,
) -> None:
    """Train on TEXTS, files with one sentence a line, compressed or not; - is the standard input.

    Instead of texts there may be a directory that `wordrank cooccur` wrote, or the address of one, which ends with a
    slash. Its pairs are as they were counted: --window, --one-sided and --flat then tell only how more text would be
    counted, and --min-count and --max-final-vocab nothing.
    """
    check_output(output)
    options |= {"workers": cpu_count() if workers is None else workers, "progress": shows_progress(quiet)}
    options["cluster"] = take_cluster(options)
    if checkpoint is None and checkpoint_every is not None:
        raise click.UsageError("--checkpoint-every needs --checkpoint.")
    if checkpoint is not None:
        every = checkpoint_every or "1"
        options["checkpoint"] = Checkpoints(checkpoint, int(every) if every.isdecimal() else every)
    with telling_how_to_go_on(checkpoint, output):
        model = trained(texts, options)
    finish(model, output, quiet, as_json)


@command
@click.argument("directory", type=click.Path())
@click.option("-o", "--output", type=click.Path(), required=True, help="File to write the model to.")
@click.option("--workers", type=int, help="Threads; by default as many as the run had.")
@with_options(*hosts_options)
@json_option
def resume(directory: str, output: str, quiet: bool, as_json: bool, **options: Any) -> None:
    """Go on with the run that was given `--checkpoint DIRECTORY`, from where it ended, to the same vectors."""
    check_output(output)
    options["cluster"] = take_cluster(options)
    with telling_how_to_go_on(directory, output):
        model = WordRank.resume(directory, progress=shows_progress(quiet), **options)
    finish(model, output, quiet, as_json)


def check_output(output: str) -> None:
    """Refuse a name that the model cannot be saved under, before it is trained."""
    if not storage.is_address(output):
        files.check_target(output)


def take_cluster(options: dict[str, Any]) -> Hosts | None:
    """Return the machines that the options name, and take these options away."""
    hosts, ssh_config = options.pop("hosts"), options.pop("ssh_config")
    return Hosts.read(hosts, ssh_config) if hosts else None


def trained(texts: tuple[str, ...], options: dict[str, Any]) -> WordRank:
    """Train on texts or on co-occurrences."""
    if len(texts) == 1 and (Path(texts[0]).is_dir() or (storage.is_address(texts[0]) and texts[0].endswith("/"))):
        counted = ("min_count", "max_final_vocab")
        training = {name: value for name, value in options.items() if name not in counted}
        return WordRank.from_cooccurrence(texts[0], **training)
    if "-" not in texts:
        return WordRank(corpus_file=list(texts), **options)
    asked_for(options.get("checkpoint"))  # before the text is read
    room = corpus.room_for_text(memory.budget(options["memory"]))
    sources = [sys.stdin.buffer if text == "-" else text for text in texts]
    return WordRank(corpus.read(corpus_file=sources, workers=options["workers"], room=room), **options)


def finish(model: WordRank, output: str, quiet: bool, as_json: bool) -> None:
    """Save a model and say what it is."""
    model.save(output)
    loss = float(model.get_latest_training_loss())
    if as_json:
        tell(output, json.dumps({"model": output, "words": len(model.wv), "epochs": model.epochs_done, "loss": loss}))
    elif not quiet:
        tell(output, f"{len(model.wv)} vectors in {output}, loss {loss:.6g} after {model.epochs_done} epochs")


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
@click.option("--method", type=click.Choice([method.value for method in evaluation.Method]), default="add")
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
@click.option("--method", type=click.Choice([method.value for method in evaluation.Method]), default="add")
@click.option("--unknown", type=click.Choice([rule.value for rule in evaluation.Unknown]), default="zero")
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
        files.writer_for(page, documents.WRITERS)
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
@click.option("--sum", "use_sum", is_flag=True, help="Write u + v instead of u.")
def export(model: str, output: str, layout: str, use_sum: bool, quiet: bool) -> None:
    """Write the vectors of MODEL for other programs."""
    if layout != "projector":
        files.check_target(output)
    subject = load(model)
    if use_sum and subject.sums is subject.words:
        raise click.UsageError(f"'{model}' has no context vectors. Leave out --sum.")
    keyed = subject.sums if use_sum else subject.words
    if layout == "projector":
        exchange.write_projector(keyed, output)
    else:
        exchange.check_words(map(str, keyed.index_to_key), "Files of vectors, but those for the projector,")
        options = {"binary": layout == "word2vec-binary", "write_header": layout != "glove"}
        files.replace_whole(output, lambda name: keyed.save_word2vec_format(name, **options))
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
    files.writer_for(output, plots.WRITERS)
    if what == "words":
        model, *given = arguments
        keyed = load(model).words
        words = keys_of(keyed, given)
        picture = plots.word_map(keyed, words or keyed.index_to_key[: max(topn, 3)], topn if words else 0)
    elif what == "training":
        picture = plots.loss_curves({model: load(model).losses for model in arguments})
    else:
        picture = plots.loss_functions()
    plots.save(picture, output)
    if not quiet:
        tell(output, f"{picture.title} in {output}")


@command
@click.argument("directory", type=click.Path(file_okay=False), default="demo")
def demo(directory: str, quiet: bool) -> None:
    """Train on a small text that comes with gensim, and write the result to DIRECTORY."""
    from gensim_wordrank import demo as demonstration  # its libraries are an extra

    demonstration.main(Path(directory))
