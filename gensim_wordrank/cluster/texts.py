"""Texts for several machines: in pieces between lines, each to be read by one machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from gensim_wordrank.text.tokens import is_uncompressed_file

# bytes that are sent or looked through at a time
BLOCK = 1 << 22


@dataclass(frozen=True)
class Piece:
    """A text, or the lines of it from the byte `start` to the byte `end`.

    `stamp` tells one file from others of its name; a text without one, an address or a file that the driver does not
    see, is taken to be the same everywhere.
    """

    source: str
    start: int = 0
    end: int | None = None
    stamp: tuple[int, int] | None = None

    def is_here(self) -> bool:
        """Say whether this machine can read it by itself."""
        return self.stamp is None or stamp_of(self.source) == self.stamp

    def opened(self) -> Any:
        """Return what :func:`gensim_wordrank.text.corpus.read` reads."""
        return self.source if self.end is None else Lines(self)

    def blocks(self) -> Iterator[bytes]:
        """Yield its bytes, as they are in the file."""
        with Path(self.source).open("rb") as file:
            file.seek(self.start)
            left = Path(self.source).stat().st_size if self.end is None else self.end - self.start
            while block := file.read(min(BLOCK, left)):
                left -= len(block)
                yield block


class Lines:
    """A piece as a binary file."""

    def __init__(self, piece: Piece) -> None:
        self.source, self.left = piece.source, (piece.end or 0) - piece.start
        self.at = piece.start

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        with Path(self.source).open("rb") as file:
            file.seek(self.at)
            block = file.read(min(size, self.left))
        self.at, self.left = self.at + len(block), self.left - len(block)
        return block

    def __repr__(self) -> str:
        return f"'{self.source}'"


def stamp_of(source: str) -> tuple[int, int] | None:
    """Return size and time of change of a file, or None if there is none."""
    try:
        found = Path(source).stat()
    except OSError:
        return None
    return found.st_size, int(found.st_mtime)


def cut(sources: Sequence[str], n_machines: int) -> list[list[Piece]]:
    """Give every machine about the same amount of text, the first machine the first lines, and so on.

    Plain files that are seen here are cut between lines; others are whole, and of those whose size is not known each
    counts as much as the known ones on average.

    Examples
    --------
    >>> from gensim.test.utils import datapath
    >>> from gensim_wordrank.cluster.texts import cut
    >>> [[(piece.start, piece.end) for piece in share] for share in cut([datapath("lee_background.cor")], 2)]
    [[(0, 181383)], [(181383, 360082)]]
    """
    stamps = [stamp_of(source) for source in sources]
    known = [stamp[0] for stamp in stamps if stamp is not None]
    usual = float(np.mean(known)) if known else 1.0
    ends = np.cumsum([0.0, *(usual if stamp is None else stamp[0] for stamp in stamps)])
    targets = ends[-1] * np.arange(1, n_machines) / n_machines
    shares: list[list[Piece]] = [[] for _ in range(n_machines)]
    for source, stamp, first, last in zip(sources, stamps, ends[:-1], ends[1:], strict=True):
        if stamp is None or not is_uncompressed_file(source):
            machine = int(np.searchsorted(targets, (first + last) / 2, side="right"))
            shares[machine].append(Piece(source, stamp=stamp))
            continue
        edges = [0, *_line_starts(source, np.clip(targets - first, 0, stamp[0]).astype(int).tolist()), stamp[0]]
        for share, start, end in zip(shares, edges[:-1], edges[1:], strict=True):
            if start < end:
                share.append(Piece(source, start, end, stamp))
    return shares


def _line_starts(path: str, places: Sequence[int]) -> list[int]:
    """Return for each place where the next line begins, or the end of the file."""
    with Path(path).open("rb") as file:
        return [_line_start(file, place) for place in places]


def _line_start(file: IO[bytes], place: int) -> int:
    if not place:
        return 0
    at = file.seek(place - 1)  # a line may begin at the place itself
    while block := file.read(BLOCK):
        found = block.find(b"\n")
        if found >= 0:
            return at + found + 1
        at += len(block)
    return at
