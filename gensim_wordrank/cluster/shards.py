"""What each machine of a cluster reads: some lines of the texts, or some rows of saved co-occurrence counts."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import smart_open
from numpy.typing import NDArray

from gensim_wordrank._utils import checksummed
from gensim_wordrank._utils.checksummed import load_array
from gensim_wordrank.cooccurrence import csr
from gensim_wordrank.cooccurrence.matrix import DTYPES, FORMAT, Cooccurrence
from gensim_wordrank.text.tokens import is_uncompressed_file

# bytes that are read or sent at a time
BLOCK = 1 << 22


@dataclass(frozen=True)
class TextShard:
    """A text, or its lines from byte `start` to byte `end`.

    `stamp` distinguishes a file from others of the same name. A text without a stamp, which is a URL or a file that the
    driver does not see, is assumed to be the same on all machines.
    """

    source: str
    start: int = 0
    end: int | None = None
    stamp: tuple[int, int] | None = None

    def is_readable(self) -> bool:
        """Return True if this machine can read it."""
        return self.stamp is None or stamp_of(self.source) == self.stamp

    def open(self) -> Any:
        """Return something that :func:`gensim_wordrank.text.corpus.read` reads."""
        return self.source if self.end is None else ShardFile(self)

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes of the shard."""
        file = ShardFile(self)
        while block := file.read(BLOCK):
            yield block


class ShardFile:
    """A shard as a binary file."""

    def __init__(self, shard: TextShard) -> None:
        self.source, self.at = shard.source, shard.start
        self.end = Path(shard.source).stat().st_size if shard.end is None else shard.end

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        with Path(self.source).open("rb") as file:
            file.seek(self.at)
            block = file.read(min(size, self.end - self.at))
        self.at += len(block)
        return block

    def __repr__(self) -> str:
        return f"'{self.source}'"


def stamp_of(source: str) -> tuple[int, int] | None:
    """Return the size and modification time of a file, or None if there is none."""
    try:
        found = Path(source).stat()
    except OSError:
        return None
    return found.st_size, int(found.st_mtime)


def split_texts(sources: Sequence[str], n_machines: int) -> list[list[TextShard]]:
    """Split texts into about equal shares, one per machine: the first lines for the first machine, and so on.

    Uncompressed files are split between lines; other files are not split. A file of unknown size is assumed to have the
    mean size of the others.

    Examples
    --------
    >>> from gensim.test.utils import datapath
    >>> from gensim_wordrank.cluster.shards import split_texts
    >>> shards = split_texts([datapath("lee_background.cor")], n_machines=2)
    >>> [[(shard.start, shard.end) for shard in of_machine] for of_machine in shards]
    [[(0, 181383)], [(181383, 360082)]]
    """
    stamps = list(map(stamp_of, sources))
    sizes = np.array([np.nan if stamp is None else stamp[0] for stamp in stamps])
    sizes[np.isnan(sizes)] = 1.0 if np.isnan(sizes).all() else np.nanmean(sizes)
    targets = sizes.sum() * np.arange(1, n_machines) / n_machines
    shards: list[list[TextShard]] = [[] for _ in range(n_machines)]
    first = 0.0
    for source, stamp, size in zip(sources, stamps, sizes.tolist(), strict=True):
        if stamp is None or not is_uncompressed_file(source):
            machine = int(np.searchsorted(targets, first + size / 2, side="right"))
            shards[machine].append(TextShard(source, stamp=stamp))
        else:
            start = 0
            for of_machine, target in zip(shards, [*targets, np.inf], strict=True):
                end = _next_line(source, int(np.clip(target - first, 0, size)))
                if start < end:
                    of_machine.append(TextShard(source, start, end, stamp))
                start = end
        first += size
    return shards


def _next_line(path: str, place: int) -> int:
    """Return the position of the first line that begins at `place` or later, or the end of the file."""
    if not place:
        return 0
    with Path(path).open("rb") as file:
        at = file.seek(place - 1)  # a line may begin at the position itself
        while block := file.read(BLOCK):
            found = block.find(b"\n")
            if found >= 0:
                return at + found + 1
            at += len(block)
    return at


def shared_directory(counts: Cooccurrence) -> tuple[str, dict[str, int]] | None:
    """Return the directory that counts are memory-mapped from and its checksums, if it still holds them unchanged."""
    if counts.mapped_files is None:
        return None
    directory, known, mapped = counts.mapped_files
    held = counts.data, counts.indices, counts.indptr
    same = all(one is other for one, other in zip(held, mapped, strict=True))  # and not changed copies
    return (directory, known) if same and checksums(directory) == known else None


def checksums(place: str) -> dict[str, int] | None:
    """Return the checksums of saved counts, which identify them; None if there are none."""
    try:
        return checksummed.read_checksums(place, FORMAT)
    except (OSError, ValueError):
        return None


def read_rows(place: str, first: int, last: int, n_contexts: int, checksums: Mapping[str, int]) -> csr.Csr:
    """Return the rows from `first` to `last` of saved counts; refuse damaged files."""
    indptr = _part(place, "indptr", first, last + 1, checksums)
    start, end = int(indptr[0]), int(indptr[-1])
    data, indices = (_part(place, name, start, end, checksums) for name in ("data", "indices"))
    try:
        csr.validate_layout(data, indices, indptr - start)
        csr.validate_entries(data, indices, n_contexts)
    except ValueError as error:
        raise ValueError(f"The files in '{place}' are damaged. {FORMAT.remedy} ({error})") from error
    return csr.Csr(data, indices, indptr - start)


class _ChecksummedFile:
    """A file that is read from its beginning, with the checksum of what was read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.checksum = file, 0

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        block = self.file.read(size)
        self.checksum = zlib.crc32(block, self.checksum)
        return block


def _part(place: str, name: str, start: int, end: int, checksums: Mapping[str, int]) -> NDArray[Any]:
    """Return the values from `start` to `end` of an array: memory-mapped from a directory, or read from a URL.

    The driver verified a directory when it loaded it. At a URL, the machine with the last rows reads the whole file and
    verifies it.
    """
    file_name = next(each for each in checksums if checksummed.key(each) == name)
    path = checksummed.join_path(place, file_name)
    if not checksummed.is_url(place):
        array = load_array(Path(path), "r")[start:end]
        if array.dtype != DTYPES[name] or array.shape != (end - start,):
            raise ValueError(f"The files in '{place}' are damaged. {FORMAT.remedy} ('{name}.npy' has another size.)")
        return array
    with smart_open.open(path, "rb") as opened:
        file: Any = _ChecksummedFile(opened)
        dtype, shape = checksummed.read_header(file, path)
        if dtype != DTYPES[name] or len(shape) != 1 or not 0 <= start <= end <= shape[0]:
            raise ValueError(f"'{path}' is damaged. {FORMAT.remedy}")
        first, left, values = start * dtype.itemsize, end * dtype.itemsize, bytearray()
        while left > 0 and (block := file.read(min(BLOCK, left))):  # from the start: not every server supports ranges
            values += block[first:]
            first, left = max(0, first - len(block)), left - len(block)
        if not file.read(1) and file.checksum != checksums[file_name]:
            raise ValueError(f"'{path}' is damaged. {FORMAT.remedy}")
    return np.frombuffer(values, dtype, len(values) // dtype.itemsize)
