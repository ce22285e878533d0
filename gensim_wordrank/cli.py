"""The command `wordrank`: the same functions for the shell."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from gensim_wordrank.cooccurrence import Cooccurrence


@click.group()
@click.version_option(package_name="gensim-wordrank")
def main() -> None:
    """Word vectors by robust ranking."""


def one_line_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Let errors of input and files end a command with one line instead of a traceback."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except (OSError, ValueError, TypeError, MemoryError, RuntimeError) as error:
            raise click.ClickException(str(error) or type(error).__name__) from error

    return run


@main.command()
@click.argument("text", type=click.Path(allow_dash=True))
@click.option(
    "-o", "--output", required=True, type=click.Path(), help="Directory to write; an older result is replaced."
)
@click.option("--window", default=15, show_default=True, help="Greatest distance of two words.")
@click.option(
    "--symmetric/--one-sided", default=True, show_default=True, help="Contexts on both sides, or before a word."
)
@click.option("--distance-weighting/--flat", default=True, show_default=True, help="Count 1/distance, or 1.")
@click.option("--min-count", default=5, show_default=True, help="Leave out words that occur less often.")
@click.option("--max-final-vocab", type=int, help="Keep at most so many words.")
@click.option("--workers", type=int, help="Threads; by default one a core.")
@click.option("--memory", help='What to take at most, as "4GB"; by default half of what is free.')
@click.option("-q", "--quiet", is_flag=True, help="Show nothing but errors.")
@one_line_errors
def cooccur(text: str, output: str, quiet: bool, **options: Any) -> None:
    """Count the co-occurrences of TEXT, a file with one sentence a line, compressed or not; - is the standard input."""
    if not quiet:
        logging.basicConfig(format="%(message)s", level=logging.INFO)
    source = sys.stdin.buffer if text == "-" else text
    pairs = Cooccurrence.from_corpus(
        corpus_file=source, path=output, progress=not quiet and sys.stderr.isatty(), **options
    )  # fmt: skip
    if not quiet:
        click.echo(f"{pairs.nnz} pairs of {len(pairs.words)} words in {output}")
