"""A corpus as word ids: in memory, or in a temporary file where memory does not suffice."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator
from typing import IO

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank._utils.memory import anonymous_array
from gensim_wordrank.types import Ids

# the id in front of and behind every sentence; and that of words outside the vocabulary, which never stays
SENTENCE_BOUNDARY, UNKNOWN = -1, -2
# ids that are handled at a time, and for which memory is asked at a time
PIECE, SLAB = 1 << 18, 1 << 24


class Text:
    """Word ids, every sentence between two borders; add to the end, read as often as you like.

    Parameters
    ----------
    room : int
        Bytes of memory that the ids may take; past that they go into a temporary file.
    directory : str, optional
        Where that file is made.
    expected : int, optional
        Number of ids that will come at most, if it is known: they are then in one array.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.text.ids import Text
    >>> text = Text(room=1 << 20)
    >>> text.add(np.array([0, 1, -1, 1, -1], np.int32))
    >>> len(text), [piece.tolist() for piece in text.pieces()]
    (6, [[-1, 0, 1, -1, 1, -1]])
    """

    def __init__(self, room: int, directory: str | None = None, expected: int = SLAB) -> None:
        self.room, self.directory = room, directory
        self._expected = expected
        self._slabs: list[Ids] = []
        self._free = 0  # in the last slab
        self._file: IO[bytes] | None = None
        self._length = 0
        self.add(np.array([SENTENCE_BOUNDARY], np.int32))

    def __len__(self) -> int:
        return self._length

    def add(self, ids: Ids) -> None:
        """Append ids; those of a sentence end with a border."""
        if self._file is None and (self._length + len(ids)) * ids.itemsize > self.room:
            file = tempfile.TemporaryFile(prefix="wordrank-text-", dir=self.directory)  # noqa: SIM115  # stays open
            for piece in self.pieces():
                file.write(piece.data)
            weakref.finalize(self, file.close)
            self._file, self._slabs = file, []
        self._length += len(ids)
        if self._file is not None:
            self._file.seek(0, os.SEEK_END)
            self._file.write(np.ascontiguousarray(ids).data)
            return
        while len(ids):
            if not self._free:
                self._free = max(self._expected if not self._slabs else SLAB, 1)
                self._slabs.append(anonymous_array(self._free, np.int32))
            part, ids = ids[: self._free], ids[self._free :]
            start = len(self._slabs[-1]) - self._free
            self._slabs[-1][start : start + len(part)] = part
            self._free -= len(part)

    def _arrays(self) -> Iterator[Ids]:
        """Yield what is in memory."""
        for slab in self._slabs:
            yield slab[: len(slab) - self._free] if slab is self._slabs[-1] else slab

    def pieces(self) -> Iterator[Ids]:
        """Yield the ids in order, a piece at a time."""
        if self._file is None:
            for array in self._arrays():
                yield from (array[start : start + PIECE] for start in range(0, len(array), PIECE))
            return
        self._file.flush()
        place = 0
        while piece := os.pread(self._file.fileno(), PIECE * 4, place):  # others may read it at the same time
            place += len(piece)
            yield np.frombuffer(piece, np.int32)

    def over(self, new_id: NDArray[np.int32]) -> Text:
        """Return the text with other ids, `new_id[old]`; words whose new id is UNKNOWN are left out.

        Their neighbours move together, as in GloVe and in Word2Vec.
        """
        table = np.append(new_id, np.int32(SENTENCE_BOUNDARY))  # the border, -1, finds itself at the end
        result = Text(self.room, self.directory, len(self))
        for number, piece in enumerate(self.pieces()):
            mapped = table[piece]
            result.add(mapped[mapped != UNKNOWN][not number :])  # `result` has its first border
        return result

    def array(self) -> Ids | None:
        """Return the text as one array, or None if it is in a file."""
        if len(self._slabs) > 1:
            self._slabs, self._free = [np.concatenate(list(self._arrays()))], 0
        return next(self._arrays(), None)

    def segments(self, most: int) -> Iterator[Ids]:
        """Yield the text in arrays of about `most` ids, each from a border to a border."""
        parts: list[Ids] = []
        size = 0
        for piece in self.pieces():
            while size + len(piece) > most:
                cut = _last_border(piece, max(most - size, 1))
                if not cut:  # no sentence ends here: the segment has to be longer
                    break
                parts.append(piece[:cut])
                yield np.concatenate(parts)
                parts, size, piece = [np.array([SENTENCE_BOUNDARY], np.int32)], 1, piece[cut:]
            parts.append(piece)
            size += len(piece)
        if size > 1 or self._length == 1:
            yield np.concatenate(parts)


def _last_border(ids: Ids, most: int) -> int:
    """Return how many ids to take, at best at most `most`, so that the last of them is a border; 0 if there is none."""
    borders = np.flatnonzero(ids == SENTENCE_BOUNDARY) + 1
    if not len(borders):
        return 0
    last = int(np.searchsorted(borders, most, side="right")) - 1
    return int(borders[max(last, 0)])
