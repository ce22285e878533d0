"""The commands that make models: `prepare`, `cooccur`, `train` and `resume`."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from enum import Enum
from pathlib import Path
from shlex import quote
from typing import Any

import click
from click.core import ParameterSource

from gensim_wordrank import presets
from gensim_wordrank._utils import atomic_files, checksummed, memory, threads
from gensim_wordrank.cli.common import Interrupted, command, json_option, output_option, print_summary, shows_progress
from gensim_wordrank.cluster import Hosts, connect
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.model import Format, WordRank
from gensim_wordrank.objective.losses import PairLoss, RankLoss
from gensim_wordrank.presets import Preset
from gensim_wordrank.text import corpus
from gensim_wordrank.text import prepare as preparation
from gensim_wordrank.text.prepare import MAX_LENGTH, MIN_LENGTH
from gensim_wordrank.training import run_directory
from gensim_wordrank.training.backend import StoppedError
from gensim_wordrank.training.checkpoints import Checkpoints, prepare_directory
from gensim_wordrank.training.method import Optimizer
from gensim_wordrank.training.state import Init
from gensim_wordrank.types import Solver

DEFAULTS = {name: argument.default for name, argument in inspect.signature(WordRank).parameters.items()}


def parameter(name: str, help: str, **settings: Any) -> Callable[..., Any]:
    """Return an option for a parameter of WordRank, with its default."""
    option = f"--{name.replace('_', '-')}"
    return click.option(option, default=DEFAULTS[name], show_default=True, help=help, **settings)


def choice(name: str, kind: type[Enum], help: str) -> Callable[..., Any]:
    """Return an option for a parameter of WordRank that has one of the values of an enum."""
    return parameter(name, help, type=click.Choice([each.value for each in kind]))


def switch(names: str, help: str, default: bool | None = True) -> Callable[..., Any]:
    """Return an option --on/--off."""
    return click.option(names, default=default, show_default=True, help=help)


def with_options(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Add options to a command, in the given order."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return add


counting_options = (
    parameter("window", "Largest distance between a word and its context."),
    switch("--symmetric/--one-sided", "Take contexts from both sides of a word, or only from before it."),
    switch("--distance-weighting/--flat", "Count each pair as 1/distance, or as 1."),
    parameter("min_count", "Ignore words that occur less often than this."),
    parameter("max_final_vocab", "Keep at most this many of the most frequent words.", type=int),
    parameter("memory", 'Memory limit, such as "4GB" (default: half of the free memory).', type=str),
)
training_options = (
    click.option(
        "--preset",
        type=click.Choice([preset.value for preset in Preset]),
        help="Use the settings of the paper or of its authors' program; other options override them.",
    ),
    parameter("vector_size", "Dimension of the vectors."),
    parameter("epochs", "Passes over the co-occurrence counts."),
    parameter("tolerance", "Stop when the loss falls by less than this fraction; needs a constant rate.", type=float),
    parameter("seed", "Random seed. The vectors do not depend on --workers.", type=click.IntRange(0, 2**32 - 1)),
    parameter("alpha", "Initial learning rate, in the units of Word2Vec (default: 0.025).", type=float),
    parameter("min_alpha", "Final learning rate (default: 0.0001 with --solver sampled, else --alpha).", type=float),
    choice("rank_loss", RankLoss, "Function of the rank to minimize: rho_0, rho_1, rho_2 or rho_3 of the paper."),
    choice("pair_loss", PairLoss, "Pairwise loss that bounds the rank."),
    parameter("rank_scale", "The paper's alpha."),
    parameter("rank_offset", "The paper's beta."),
    parameter("t", "Parameter of the rank loss log_t."),
    switch("--weighted/--unweighted", "Weight pairs by their counts, or all equally."),
    parameter("x_max", "A pair has weight 1 if its count exceeds the expected count by this much."),
    parameter("epsilon", "Exponent in the weights of pairs below --x-max."),
    parameter("discount", "Fraction of the expected count to subtract from each count; 0 in the paper."),
    parameter("l2", "Strength of the L2 regularization."),
    choice("solver", Solver, "Estimate ranks, store the exact xi of each pair, or process one triplet at a time."),
    choice("optimizer", Optimizer, "Optimizer; sgd in the paper."),
    switch("--bias/--no-bias", "Give each context a bias; the paper has none."),
    switch("--uniform-negatives/--frequent-negatives", "Sample negatives uniformly, or by frequency.", False),
    parameter("xi_period", "Epochs between two updates of xi, with --solver stored."),
    parameter("sharpness", "Multiply ranks by this until the last fifth of the epochs; 1 in the paper."),
    switch(
        "--whiten/--no-whiten",
        "Whiten the vectors after training (default: unless the learning rate is constant).",
        None,
    ),
    choice("init", Init, "Initial vectors."),
    click.option("--subwords", is_flag=True, help="Use n-grams: unknown words get vectors, rare words better ones."),
)
saving_options = (
    click.option(
        "--format", "layout", type=click.Choice([layout.value for layout in Format]), default="safetensors",
        show_default=True, help="safetensors: one file, without pickle. gensim: a pickle, for gensim's own loader.",
    ),
    click.option("--with-counts", is_flag=True, help="Also store the counts, which `wordrank explain` needs."),
)  # fmt: skip
hosts_options = (
    click.option("--hosts", type=click.Path(), help="File with a list of machines for SSH; see docs/distributed.md."),
    click.option(
        "--ssh-config", type=click.Path(exists=True), help="SSH config file for --hosts (default: ~/.ssh/config)."
    ),
    click.option(
        "--scheduler-port", type=click.IntRange(0, 65535), default=0,
        help="Port of this machine to which the hosts connect (default: any free port).",
    ),
)  # fmt: skip
texts_argument = click.argument("texts", nargs=-1, required=True, type=click.Path(allow_dash=True))
workers_option = click.option("--workers", type=int, help="Number of threads (default: one per core).")


@command
@texts_argument
@output_option("Output file; compressed if its name ends in .gz, for example.")
@click.option("--ascii", is_flag=True, help="Remove words with letters other than a to z, as in the paper.")
@click.option("--text8", is_flag=True, help="Format like text8: a to z, digits spelled out, one paragraph per line.")
def prepare(texts: tuple[str, ...], output: str, ascii: bool, text8: bool) -> None:
    """Turn raw text into text to train on.

    TEXTS have one paragraph per line; - reads from standard input. As in the paper, the output has one sentence of 3 to
    500 words per line, in lower case and without punctuation. It keeps the letters of all scripts. Languages
    without spaces between words, such as Chinese, must be segmented first.
    """
    done = preparation.prepare(open_sources(texts), output, ascii=ascii, text8=text8)
    dropped = f"{done.skipped_tokens} in sentences of fewer than {MIN_LENGTH} or more than {MAX_LENGTH} words"
    dropped += f", {done.not_ascii} with letters other than a to z" if ascii else ""
    summary = f"Dropped {done.skipped_tokens + done.not_ascii} words: {dropped}\n" if not text8 else ""
    print_summary(output, f"{summary}Wrote {done.tokens} words in {done.lines} lines to {output}")


@command
@texts_argument
@output_option("Output directory; replaced if it holds an older result.")
@with_options(*counting_options, workers_option, *hosts_options)
def cooccur(texts: tuple[str, ...], output: str, **options: Any) -> None:
    """Count co-occurrences for `wordrank train`.

    TEXTS have one sentence per line and may be compressed; - reads from standard input.
    """
    sources, progress = open_sources(texts), shows_progress()
    atomic_files.require_other_file(output, [*sources, *hosts_files(options)])
    hosts = take_cluster(options)
    with connect(hosts) if hosts else nullcontext() as backend:
        options |= {"path": output, "progress": progress, "backend": backend}
        counts = Cooccurrence.from_corpus(corpus_file=sources, **options)
    print_summary(output, f"Wrote {counts.nnz} pairs of {len(counts.words)} words to {output}")


@command
@texts_argument
@output_option("Output file for the model.")
@with_options(*saving_options, *training_options, *counting_options, workers_option, *hosts_options)
@click.option("--checkpoint", type=click.Path(), help="Directory for checkpoints; see `wordrank resume`.")
@click.option("--checkpoint-every", help='Epochs between checkpoints, or a time such as "10min" (default: 1).')
@json_option
def train(
    texts: tuple[str, ...], output: str, as_json: bool, workers: int | None, checkpoint: str | None,
    checkpoint_every: str | None, layout: str, with_counts: bool, **options: Any,
) -> None:  # fmt: skip
    """Train word vectors.

    TEXTS have one sentence per line and may be compressed; - reads from standard input.

    Instead of texts, you can pass the directory that `wordrank cooccur` wrote, or its URL with a slash at the end.
    Then --min-count and --max-final-vocab have no effect, and --window, --one-sided and --flat apply only to text that
    you train the model on later.
    """
    check_output(output, [*open_sources(texts), *hosts_files(options)], checkpoint)
    for name in set(presets.parameters(options["preset"])) & set(options):  # options that were not given
        if click.get_current_context().get_parameter_source(name) is ParameterSource.DEFAULT:
            del options[name]
    options |= {"workers": threads.worker_count(-1 if workers is None else workers), "progress": shows_progress()}
    options["cluster"] = take_cluster(options)
    if checkpoint is None and checkpoint_every is not None:
        raise click.UsageError("--checkpoint-every needs --checkpoint.")
    if checkpoint is not None:
        every = checkpoint_every or "1"
        options["checkpoint"] = Checkpoints(checkpoint, int(every) if every.isdecimal() else every)
    with suggest_resume(checkpoint, output), keep_last_vectors(output, layout):
        model = train_model(texts, options)
    save_model(model, output, as_json, layout, with_counts)


@command
@click.argument("directory", type=click.Path())
@output_option("Output file for the model.")
@click.option("--workers", type=int, help="Number of threads (default: that of the interrupted run).")
@with_options(*saving_options, *hosts_options)
@json_option
def resume(
    directory: str, output: str, as_json: bool, layout: str, with_counts: bool, **options: Any
) -> None:  # fmt: skip
    """Continue an interrupted training run.

    DIRECTORY was given to `wordrank train --checkpoint`. The vectors are the same as without the interruption.
    """
    check_output(output, hosts_files(options), directory)
    options["cluster"] = take_cluster(options)
    with suggest_resume(directory, output), keep_last_vectors(output, layout):
        model = WordRank.resume(directory, progress=shows_progress(), **options)
    save_model(model, output, as_json, layout, with_counts)


def open_sources(texts: tuple[str, ...]) -> list[Any]:
    """Replace - by the standard input."""
    if "-" in texts and sys.stdin is None:
        raise OSError("The standard input, -, is closed. Give a file.")
    return [sys.stdin.buffer if text == "-" else text for text in texts]


def check_output(output: str, sources: list[Any], run: str | None) -> None:
    """Raise an error before training if the model cannot be saved there, or would replace a source or part of a run."""
    if not checksummed.is_url(output):
        atomic_files.require_other_file(output, sources)
        if run is not None:
            run_directory.refuse_output(Path(run), Path(output))
        atomic_files.require_writable_file(output)


def hosts_files(options: dict[str, Any]) -> list[str]:
    """Return the files that the options about hosts name."""
    return [options[name] for name in ("hosts", "ssh_config") if options[name]]


def take_cluster(options: dict[str, Any]) -> Hosts | None:
    """Remove the options about hosts, and return the machines that they name."""
    hosts, *rest = (options.pop(name) for name in ("hosts", "ssh_config", "scheduler_port"))
    return Hosts.read(hosts, *rest) if hosts else None


def train_model(texts: tuple[str, ...], options: dict[str, Any]) -> WordRank:
    """Train on texts or on co-occurrence counts."""
    if len(texts) == 1 and (Path(texts[0]).is_dir() or (checksummed.is_url(texts[0]) and texts[0].endswith("/"))):
        del options["min_count"], options["max_final_vocab"]
        return WordRank.from_cooccurrence(texts[0], **options)
    if "-" not in texts:
        return WordRank(corpus_file=list(texts), **options)
    if options.get("checkpoint") is not None:
        prepare_directory(options["checkpoint"])  # check the directory before the text is read
    room = memory.headroom(options["memory"], required=True)
    text = corpus.read(corpus_file=open_sources(texts), workers=options["workers"], max_bytes=room)
    return WordRank(text, **options)


def save_model(model: WordRank, output: str, as_json: bool, layout: str, with_counts: bool) -> None:
    """Save a model and print a summary."""
    model.save(output, format=layout, cooccurrence=with_counts)
    loss = float(model.get_latest_training_loss())
    if as_json:
        summary = {"model": output, "words": len(model.wv), "epochs": model.epochs_done, "loss": loss}
        click.echo(json.dumps(summary), err=atomic_files.is_special_file(output))
    else:
        trained = f"loss {loss:.6g} after {model.epochs_done} epochs"
        print_summary(output, f"Wrote {len(model.wv)} vectors to {output}; {trained}")


@contextmanager
def keep_last_vectors(output: str, layout: str) -> Iterator[None]:
    """If a cluster gives up, save the vectors of the last epoch that was fetched."""
    try:
        yield
    except StoppedError as error:
        if error.model is None or not error.model.epochs_done:
            raise
        error.model.save(output, format=layout)
        done = f"{error.model.epochs_done} of {error.model.epochs} epochs"
        raise RuntimeError(f"{error} Wrote the vectors after {done} to {output}.") from error


@contextmanager
def suggest_resume(directory: str | None, output: str) -> Iterator[None]:
    """If a run with checkpoints is interrupted, print the command that continues it."""
    try:
        yield
    except KeyboardInterrupt:
        if directory is None or not Path(directory, "run").is_dir():
            raise
        raise Interrupted(f"Interrupted. To continue: wordrank resume {quote(directory)} -o {quote(output)}") from None
