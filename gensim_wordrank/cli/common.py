"""What all commands share: options, logging, progress and one-line errors."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from time import perf_counter
from typing import Any

import click
from tqdm.auto import tqdm

from gensim_wordrank._utils import atomic_files

# caused by the input, the files or the machine rather than by a bug
EXPECTED_ERRORS = (
    OSError, ValueError, TypeError, KeyError, AttributeError, MemoryError, RuntimeError, ArithmeticError, ImportError,
)  # fmt: skip
# parameters of Python that are arguments here
ARGUMENTS = {"sentences": "TEXTS", "corpus_file": "TEXTS", "words": "WORDS", "path": "The output file"}

trust_option = click.option(
    "--trust", is_flag=True,
    help="Load models in gensim's format. These are pickles, which can run any code when loaded.",
)  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def output_option(help: str) -> Callable[..., Any]:
    """Return the option -o."""
    return click.option("-o", "--output", type=click.Path(), required=True, help=help)


def command(function: Callable[..., None]) -> click.Command:
    """Make a command with --verbose and --quiet that reports expected errors in one line, without a traceback."""

    @wraps(function)
    def run(quiet: bool, verbose: bool, **options: Any) -> None:
        # a progress bar replaces the log
        level = logging.WARNING if (quiet or shows_progress()) and not verbose else logging.INFO
        logging.basicConfig(format="%(message)s", level=level)
        for library in ("gensim", "distributed", "asyncssh"):
            logging.getLogger(library).setLevel(logging.INFO if verbose else logging.WARNING)
        # Dask sets the level of its log when it is imported, which is later
        os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "info" if verbose else "error" if quiet else "warning")
        tqdm.monitor_interval = 0  # no monitor thread: tqdm warns if it cannot be started
        context = click.get_current_context()
        context.meta["started"] = perf_counter()
        try:
            function(**options)
        except KeyboardInterrupt:
            names = ", ".join(f"'{name}'" for name in atomic_files.published())
            raise Interrupted(f"Interrupted. {f'Written: {names}' if names else 'Nothing was written'}.") from None
        except EXPECTED_ERRORS as error:
            raise click.ClickException(explain_error(error, context)) from error

    result = click.command()(run)
    result.params += [
        click.Option(["-v", "--verbose"], is_flag=True, help="Print the full log."),
        click.Option(["-q", "--quiet"], is_flag=True, help="Print only results and errors."),
    ]
    return result


def explain_error(error: BaseException, context: click.Context) -> str:
    """Return the message of an error in one line, with options and files instead of the names of Python."""
    if isinstance(error, OSError) and error.filename is not None:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror
        return f"'{error.filename}': {reason}."
    text = str(error.args[0]) if isinstance(error, KeyError) else str(error)
    text = re.sub(r"^\[Errno \d+\] | \(in Python, [^)]*\)", "", " ".join(text.split()))
    options = [each for each in context.command.params if isinstance(each, click.Option)]
    names = ARGUMENTS | {str(each.name): max(each.opts, key=len) for each in options}
    for value in context.params.values():  # a file may be called like a parameter
        for given in value if isinstance(value, tuple) else [value]:
            names.pop(str(given), None)
    text = re.sub(r"'(\w+)'", lambda match: names.get(match[1], match[0]), text)
    return text or type(error).__name__


class Interrupted(click.ClickException):
    """The user pressed Ctrl-C."""

    exit_code = 130  # 128 + SIGINT, as in shells


def occupy_closed_streams() -> None:
    """Give closed standard streams their numbers back, so that no output file has one of them.

    Messages for a closed stderr are lost. Nothing can be read from a closed stdin, or written to a closed stdout.
    """
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            null = os.open(os.devnull, (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)[number])
            if null != number:  # the number is in use
                os.close(null)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  # stays open


def is_quiet() -> bool:
    """Return True if the command was given --quiet."""
    return bool(click.get_current_context().params["quiet"])


def shows_progress() -> bool:
    """Return True if a progress bar can be seen."""
    return not is_quiet() and sys.stderr is not None and sys.stderr.isatty()


def print_summary(output: str, text: str) -> None:
    """Print what was written, its size and the time, unless --quiet; to stderr if `output` is stdout or a pipe."""
    if is_quiet():
        return
    seconds = f"{perf_counter() - click.get_current_context().meta['started']:.1f} s"
    is_special = atomic_files.is_special_file(output)
    size = "" if is_special else f"{atomic_files.total_size(output) / 1e6:.1f} MB, "
    click.echo(f"{text} ({size}{seconds})", err=is_special)
