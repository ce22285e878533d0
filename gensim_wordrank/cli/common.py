"""What the commands of `wordrank` share: how they report errors, what they say, and when they show progress."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import click
from tqdm import tqdm

from gensim_wordrank._utils import atomic_files

# what is wrong with input, files or the machine, and not with the program
ERRORS = (
    OSError, ValueError, TypeError, KeyError, AttributeError, MemoryError, RuntimeError, ArithmeticError, ImportError,
)  # fmt: skip


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


def tell(output: str, text: str) -> None:
    """Say what was written; where the result itself may go to the standard output, elsewhere."""
    click.echo(text, err=atomic_files.is_special_file(output))


def shows_progress(quiet: bool) -> bool:
    """Whether there is someone to look at a progress bar."""
    return not quiet and sys.stderr.isatty()


json_option = click.option("--json", "as_json", is_flag=True, help="For programs.")


def with_options(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Put options on a command, in their order."""

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return wrap
