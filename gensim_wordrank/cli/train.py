"""The commands that make models: `wordrank prepare`, `cooccur`, `train` and `resume`."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from shlex import quote
from typing import Any

import click
from joblib import cpu_count

from gensim_wordrank._utils import atomic_files, checksummed, memory
from gensim_wordrank.cli.common import Interrupted, command, json_option, shows_progress, tell, with_options
from gensim_wordrank.cluster import Hosts, connect
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.model import WordRank
from gensim_wordrank.objective.losses import PairLoss, RankLoss
from gensim_wordrank.text import corpus
from gensim_wordrank.text import prepare as preparation
from gensim_wordrank.training.checkpoints import Checkpoints, prepare_directory

# what WordRank does unless told otherwise
USUAL = {name: parameter.default for name, parameter in inspect.signature(WordRank).parameters.items()}

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
hosts_options = (
    click.option(
        "--hosts", type=click.Path(), help="File of machines to train on, reached by SSH; see docs/distributed.md."
    ),
    click.option("--ssh-config", type=click.Path(exists=True), help="Of SSH for --hosts, instead of the user's own."),
)
texts_argument = click.argument("texts", nargs=-1, required=True, type=click.Path(allow_dash=True))
workers_option = click.option("--workers", type=int, help="Threads; by default one a core.")


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
        tell(output, f"{done.tokens} words in {done.lines} lines in {output}, {done.skipped} sentences left out")


@command
@texts_argument
@click.option(
    "-o", "--output", type=click.Path(), required=True, help="Directory to write; an older result is replaced."
)
@with_options(*counting_options, workers_option, *hosts_options)
def cooccur(texts: tuple[str, ...], output: str, quiet: bool, **options: Any) -> None:
    """Count the co-occurrences of TEXTS, files with one sentence a line, compressed or not; - is the standard input."""
    sources = [sys.stdin.buffer if text == "-" else text for text in texts]
    hosts = take_cluster(options)
    with connect(hosts) if hosts else nullcontext() as backend:
        pairs = Cooccurrence.from_corpus(
            corpus_file=sources, path=output, progress=shows_progress(quiet), backend=backend, **options
        )
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
    if not checksummed.is_url(output):
        atomic_files.require_writable_file(output)


def take_cluster(options: dict[str, Any]) -> Hosts | None:
    """Return the machines that the options name, and take these options away."""
    hosts, ssh_config = options.pop("hosts"), options.pop("ssh_config")
    return Hosts.read(hosts, ssh_config) if hosts else None


def trained(texts: tuple[str, ...], options: dict[str, Any]) -> WordRank:
    """Train on texts or on co-occurrences."""
    if len(texts) == 1 and (Path(texts[0]).is_dir() or (checksummed.is_url(texts[0]) and texts[0].endswith("/"))):
        counted = ("min_count", "max_final_vocab")
        training = {name: value for name, value in options.items() if name not in counted}
        return WordRank.from_cooccurrence(texts[0], **training)
    if "-" not in texts:
        return WordRank(corpus_file=list(texts), **options)
    prepare_directory(options.get("checkpoint"))  # before the text is read
    room = corpus.token_ids_budget(memory.budget(options["memory"]))
    sources = [sys.stdin.buffer if text == "-" else text for text in texts]
    return WordRank(corpus.read(corpus_file=sources, workers=options["workers"], max_bytes=room), **options)


def finish(model: WordRank, output: str, quiet: bool, as_json: bool) -> None:
    """Save a model and say what it is."""
    model.save(output)
    loss = float(model.get_latest_training_loss())
    if as_json:
        tell(output, json.dumps({"model": output, "words": len(model.wv), "epochs": model.epochs_done, "loss": loss}))
    elif not quiet:
        tell(output, f"{len(model.wv)} vectors in {output}, loss {loss:.6g} after {model.epochs_done} epochs")


@contextmanager
def telling_how_to_go_on(directory: str | None, output: str) -> Iterator[None]:
    """If a run with checkpoints is interrupted, say how to go on with it."""
    try:
        yield
    except KeyboardInterrupt:
        if directory is None or not Path(directory, "run").is_dir():
            raise
        raise Interrupted(f"Stopped. Go on with: wordrank resume {quote(directory)} -o {quote(output)}") from None
