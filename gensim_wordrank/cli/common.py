"""What all commands share: options, logging, progress and one-line errors."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from gensim_wordrank._utils import atomic_files

# caused by the input, the files or the machine rather than by a bug
EXPECTED_ERRORS = (
    OSError, ValueError, TypeError, KeyError, AttributeError, MemoryError, RuntimeError, ArithmeticError, ImportError,
)  # fmt: skip

trust_option = click.option(
    "--trust", is_flag=True,
    help="Load models in gensim's format. They are pickles: whoever made one can run any code here.",
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
        try:
            function(**options)
        except KeyboardInterrupt:
            names = ", ".join(f"'{name}'" for name in atomic_files.published())
            raise Interrupted(f"Interrupted. {f'Written: {names}' if names else 'Nothing was written'}.") from None
        except EXPECTED_ERRORS as error:
            text = str(error.args[0]) if isinstance(error, KeyError) else str(error)
            raise click.ClickException(" ".join(text.split()) or type(error).__name__) from error

    result = click.command()(run)
    result.params += [
        click.Option(["-v", "--verbose"], is_flag=True, help="Print the full log."),
        click.Option(["-q", "--quiet"], is_flag=True, help="Print only results and errors."),
    ]
    return result


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
    """Print what was written, unless --quiet; to stderr if `output` is stdout or a pipe."""
    if not is_quiet():
        click.echo(text, err=atomic_files.is_special_file(output))
