"""Read and write co-occurrence files of GloVe, and read those of the paper's program."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix

from gensim_wordrank._utils import atomic_files, checksummed, file_sets
from gensim_wordrank.cooccurrence.matrix import Cooccurrence

# a record of GloVe's cooccur and shuffle; word numbers start at 1 and follow the vocabulary file
RECORD = np.dtype([("word", "<i4"), ("context", "<i4"), ("value", "<f8")])
# records that are written at a time
CHUNK_SIZE = 1 << 20

PathLike = str | os.PathLike[str]


def read_glove(cooccurrence: PathLike, vocabulary: PathLike) -> Cooccurrence:
    """Read the files of GloVe's `cooccur` (or `shuffle`) and `vocab_count`.

    Examples
    --------
    >>> import tempfile
    >>> from gensim_wordrank import Cooccurrence
    >>> from gensim_wordrank.cooccurrence.formats import read_glove, write_glove
    >>> counts = Cooccurrence.from_corpus([["a", "b"], ["b", "c"]], min_count=1)
    >>> directory = tempfile.mkdtemp()
    >>> write_glove(counts, directory + "/cooccurrence.bin", directory + "/vocab.txt")
    >>> read_glove(directory + "/cooccurrence.bin", directory + "/vocab.txt").words
    ['b', 'c', 'a']
    """
    for path in (cooccurrence, vocabulary):
        checksummed.require_regular_file(path)
    return file_sets.read_files([cooccurrence, vocabulary], _read_glove)


def _read_glove(cooccurrence: Path, vocabulary: Path) -> Cooccurrence:
    words, counts = _read_vocabulary(vocabulary)
    size = Path(cooccurrence).stat().st_size
    if size % RECORD.itemsize:
        raise ValueError(f"'{cooccurrence}' is truncated or not GloVe's: its size is no multiple of {RECORD.itemsize}.")
    records = np.fromfile(cooccurrence, RECORD, size // RECORD.itemsize)
    return _from_entries(cooccurrence, records["word"], records["context"], records["value"], words, counts)


def validate_words(words: Iterable[Any], where: str) -> None:
    """Raise ValueError if a word cannot be stored in a file whose fields are separated by whitespace."""
    for word in words:
        if not isinstance(word, str) or not word or any(letter.isspace() for letter in word):
            raise ValueError(f"{where} cannot hold the word {word!r}: it must be a string without whitespace.")


def write_glove(counts: Cooccurrence, cooccurrence: PathLike, vocabulary: PathLike) -> None:
    """Write files for GloVe's `shuffle` and `glove`. If the window was one-sided, rows are the later words.

    Older files are replaced together: :func:`read_glove` never reads one of these with one of those. (GloVe's own
    programs could, while they are replaced, or after the process that replaces them was killed.)
    """
    validate_words(counts.words, "GloVe's files")

    def write_records(name: str) -> None:
        with Path(name).open("wb") as file:
            for start in range(0, counts.nnz, CHUNK_SIZE):
                entries = np.arange(start, min(start + CHUNK_SIZE, counts.nnz))
                records = np.empty(len(entries), RECORD)
                records["word"] = np.searchsorted(counts.indptr, entries, side="right")
                records["context"] = counts.indices[start : start + CHUNK_SIZE] + 1
                records["value"] = counts.data[start : start + CHUNK_SIZE]
                file.write(records.tobytes())

    def write_vocabulary(name: str) -> None:
        lines = (f"{word} {count}\n" for word, count in zip(counts.words, counts.counts.tolist(), strict=True))
        Path(name).write_text("".join(lines), encoding="utf-8")

    file_sets.write_files_atomically([cooccurrence, vocabulary], [write_records, write_vocabulary])


def read_wordrank(directory: PathLike) -> Cooccurrence:
    """Read the input of the paper's program: `meta`, a file of "word context value" lines, and a vocabulary.

    These files do not contain word frequencies; the row sums are used instead.
    """
    meta = Path(directory, "meta")
    checksummed.require_regular_file(meta)
    lines = [line.split() for line in _read_text(meta).splitlines() if line.strip()]
    try:
        (n_words, n_contexts), (n_lines, name) = map(int, lines[0]), lines[1]
        vocabulary = _named_in(meta, lines[2][1]) if lines[2:] else None
        n_entries = int(n_lines)
        source = _named_in(meta, name)
    except (IndexError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"'{meta}' must hold 'rows columns', 'lines file' and 'words file': {error}") from error
    try:
        with atomic_files.describe_read_errors(source):
            entries = _load_text(source, n_entries)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"'{source}' must hold lines of two numbers and a count: {error}") from error
    if n_words != n_contexts or n_words < 0:
        raise ValueError(f"'{meta}' must have as many columns as rows. Got {n_words}, {n_contexts}.")
    if len(entries) != n_entries:
        raise ValueError(
            f"'{meta.with_name(name)}' holds {len(entries)} lines, or more, not {n_lines} as 'meta' says. Is it "
            "truncated?"
        )
    if vocabulary is not None:
        words: list[Any] = _read_text(vocabulary).splitlines()[:n_words]
        if len(words) != n_words:
            raise ValueError(f"'{vocabulary}' holds {len(words)} words, not {n_words}. Is it truncated?")
    elif n_words > len(entries):  # a few bytes could otherwise ask for any amount of memory
        raise ValueError(f"'{meta}' names {n_words} words, more than there are lines in '{name}', and no vocabulary.")
    else:
        words = list(range(n_words))
    return _from_entries(meta.with_name(name), entries["word"], entries["context"], entries["value"], words, None)


def _load_text(path: Path, n_lines: int) -> NDArray[Any]:
    """Return the entries of a file of `n_lines` lines, or one more if it has more."""
    most = path.stat().st_size // len("1 1 1") + 1  # NumPy allocates this many
    with path.open("rb") as file:  # without empty lines, of which NumPy would warn
        return np.loadtxt(filter(bytes.strip, file), RECORD, ndmin=1, max_rows=min(n_lines + 1, most))


def _named_in(meta: Path, name: str) -> Path:
    """Return the path of a file that `meta` names: one beside it, and no other."""
    path = meta.with_name(Path(name).name)
    if Path(name).name != name or path.is_symlink() or not path.is_file():
        raise ValueError(f"{name!r} is no file in the same directory")
    return path


def _read_text(path: Path) -> str:
    with atomic_files.describe_read_errors(path):
        return path.read_text(encoding="utf-8")


def _read_vocabulary(path: Path) -> tuple[list[str], NDArray[np.int64]]:
    lines = _read_text(path).split("\n")
    entries = [line.rsplit(" ", 1) for line in lines if line]
    try:
        words, counts = [word for word, _ in entries], np.array([int(count) for _, count in entries], np.int64)
        if (counts < 0).any():
            raise ValueError("a count is negative")
        return words, counts
    except (ValueError, OverflowError) as error:
        raise ValueError(f"'{path}' must hold lines of a word, a space and its count.") from error


def _from_entries(
    path: PathLike, rows: Any, columns: Any, values: Any, words: list[Any], counts: NDArray[np.int64] | None
) -> Cooccurrence:
    """Return the matrix of entries whose rows and columns are numbered from 1."""
    n = len(words)
    if len(rows) and not (min(rows.min(), columns.min()) >= 1 and max(rows.max(), columns.max()) <= n):
        raise ValueError(f"'{path}' has word numbers outside the vocabulary of {n}. Are both files from the same run?")
    if len(values) and not (values.min() >= 0 and values.max() <= np.finfo(np.float32).max):
        raise ValueError(f"'{path}' must hold finite numbers, 0 or above. Is it damaged?")
    matrix = coo_matrix((values.astype(np.float32), (rows - 1, columns - 1)), (n, n))
    try:
        return Cooccurrence.from_matrix(matrix, words, counts)
    except ValueError as error:  # of words or their counts
        raise ValueError(f"'{path}' and its vocabulary do not make a matrix: {error}") from error
