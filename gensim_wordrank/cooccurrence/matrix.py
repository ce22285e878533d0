"""Co-occurrence counts of words: from a text or a matrix, added up, saved and loaded."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gensim.utils import SaveLoad
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from gensim_wordrank._utils import atomic_files, checksummed, display, schema, system, threads, validation
from gensim_wordrank._utils import memory as memory_
from gensim_wordrank.cooccurrence import counting, csr
from gensim_wordrank.cooccurrence.sparse import to_csr
from gensim_wordrank.text import corpus

FORMAT = checksummed.Format("co-occurrences", 2, "Count the co-occurrences again.")
DTYPES = csr.DTYPES | {"counts": np.int64}
FILE_NAMES = [*(f"{name}.npy" for name in DTYPES), "words.json", checksummed.MANIFEST]
# JSON has other words, too, but these alone can be saved; Python's hash of larger integers lets all of them collide
WORDS = schema.list_of(schema.either(schema.text(r".*"), schema.integer(-(2**63), 2**63 - 1)))
# words in the table of a notebook
SHOWN_WORDS = 10
# largest count of a word: integers up to here are exact in float64, and the sum of many fits into int64
MAX_COUNT = 2**53


class MappedFiles(NamedTuple):
    """A directory, its checksums, and the arrays that are mapped from it."""

    directory: str
    checksums: dict[str, int]
    arrays: tuple[NDArray[Any], ...]


class Cooccurrence(SaveLoad):  # type: ignore[misc]  # gensim has no type information
    """The co-occurrence counts X, and the words of its rows and columns.

    The attributes are the arrays of a CSR matrix, named as in SciPy. Columns are int32 and offsets int64: a large text
    has more than 2^31 pairs, but never as many words. A SciPy matrix cannot mix the two types and takes 1.5 times the
    memory; :attr:`matrix` creates one.

    Parameters
    ----------
    data : array of float32
        The counts, row by row, with columns in ascending order.
    indices : array of int32
        The column of each count.
    indptr : array of int64
        The offset of each row.
    words : sequence, optional
        The words of rows and columns: unique strings or numbers. By default 0, 1, 2, ...
    counts : array of int64, optional
        How often each word occurs. By default the row sum, at least 1.
    n_contexts : int, optional
        Number of columns. By default the columns are the same words as the rows.

    Examples
    --------
    >>> from gensim_wordrank import Cooccurrence
    >>> counts = Cooccurrence.from_corpus([["a", "b", "c"], ["b", "c"]], window=2, min_count=1)
    >>> counts.words, counts.counts.tolist()
    (['c', 'b', 'a'], [2, 2, 1])
    >>> counts.matrix.toarray()
    array([[0. , 2. , 0.5],
           [2. , 0. , 1. ],
           [0.5, 1. , 0. ]], dtype=float32)
    """

    def __init__(
        self,
        data: NDArray[np.float32],
        indices: NDArray[np.int32],
        indptr: NDArray[np.int64],
        words: Sequence[Any] | None = None,
        counts: NDArray[np.int64] | None = None,
        n_contexts: int | None = None,
    ) -> None:
        csr.validate_layout(data, indices, indptr)
        n = len(indptr) - 1
        self.n_contexts = n if n_contexts is None else n_contexts
        self.data, self.indices, self.indptr = data, indices, indptr
        self.words = list(range(n)) if words is None else list(words)
        if len(self.words) != n:
            raise ValueError(f"'words' must name each of the {n} rows once. Got {len(self.words)} names instead.")
        if len(set(self.words)) != n:
            word = next(word for word, times in Counter(self.words).items() if times > 1)
            raise ValueError(f"'words' must name each row once. Got {word!r} for several.")
        self.counts = self._row_sums() if counts is None else np.asarray(counts, np.int64)
        if self.counts.shape != (n,):
            raise ValueError(f"'counts' must have one entry per word, {n}. Got {len(self.counts)} instead.")
        if n and not 0 <= self.counts.min() <= self.counts.max() <= MAX_COUNT:
            raise validation.parameter_error("counts", "from 0 to 2^53", int(self.counts.min()))

    def _row_sums(self) -> NDArray[np.int64]:
        # reduceat needs an entry at every offset, and returns the next row's first entry for an empty row
        sums = np.add.reduceat(np.append(self.data, np.float32(0)), self.indptr[:-1], dtype=np.float64)
        sums[np.diff(self.indptr) == 0] = 0
        return np.clip(np.round(sums), 1, MAX_COUNT).astype(np.int64)

    # ---- creation

    @classmethod
    def from_corpus(
        cls,
        sentences: Iterable[Sequence[str]] | None = None,
        corpus_file: Any = None,
        *,
        window: int = 15,
        symmetric: bool = True,
        distance_weighting: bool = True,
        min_count: int = 5,
        max_final_vocab: int | None = None,
        workers: int | None = None,
        memory: int | str | None = None,
        path: str | os.PathLike[str] | None = None,
        progress: bool = False,
        backend: Any = None,
    ) -> Cooccurrence:
        """Count the co-occurrences of a text, reading it once.

        Parameters
        ----------
        sentences : iterable of list of str, optional
            Token lists; may be a generator.
        corpus_file : path, URL, binary file, or list of these, optional
            UTF-8 text with one sentence per line and words separated by whitespace, compressed or not; anything that
            smart_open reads. Much faster than `sentences`.
        window : int
            Largest distance at which two words co-occur, not counting words outside the vocabulary.
        symmetric : bool
            If True, words on both sides are contexts; otherwise only preceding words.
        distance_weighting : bool
            If True, a pair at distance d counts 1/d; otherwise 1.
        min_count : int
            Words that occur less often are removed.
        max_final_vocab : int, optional
            Maximum vocabulary size; only the most frequent words are kept.
        workers : int, optional
            Number of threads, by default one per core. The matrix does not depend on it.
        memory : int or str, optional
            Memory limit of the process, such as "4GB", or in bytes; by default what it uses plus half of the free
            memory. Counts that need more are kept in temporary files in TMPDIR. The matrix does not depend on it.
        path : path, optional
            Directory to write the matrix to, as :meth:`save` does. The result is memory-mapped from there.
        progress : bool
            Show progress bars.
        backend : gensim_wordrank.cluster.backend.DaskBackend, optional
            Count on a cluster instead of this machine. :func:`gensim_wordrank.cluster.connect` yields a backend. Needs
            `corpus_file` with paths or URLs. The matrix does not depend on it.

        Returns
        -------
        Cooccurrence
            Its words are sorted by frequency, as in gensim.
        """
        if (sentences is None) == (corpus_file is None):
            raise TypeError("Give either 'sentences' or 'corpus_file'.")
        corpus.validate_source(sentences, corpus_file)
        if corpus_file is None and backend is not None:
            raise TypeError("'sentences' can be counted only on this machine. Use 'corpus_file' with 'backend'.")
        window = validation.positive_integer("window", window)
        min_count = validation.positive_integer("min_count", min_count)
        workers = threads.worker_count(-1 if workers is None else workers)
        if max_final_vocab is not None:
            validation.positive_integer("max_final_vocab", max_final_vocab)
        if path is not None:
            atomic_files.require_writable_directory(path, FILE_NAMES)
        max_bytes = memory_.headroom(memory, required=True)
        if backend is not None:
            text = backend.read(None, corpus_file)
            text = text.reindex(text.select_vocabulary(min_count, max_final_vocab))
            counts: Cooccurrence = backend.count(text, window, symmetric, distance_weighting).gather()
            if path is None:
                return counts
            counts.save(path)
            return cls.load(path, mmap="r")
        found = corpus.read(sentences, corpus_file, workers=workers, max_bytes=max_bytes, progress=progress)
        if not found.n_tokens and corpus_file is not None:
            raise ValueError(f"{corpus_file!r} holds no words.")
        found = found.reindex(found.select_vocabulary(min_count, max_final_vocab))
        count = partial(cls.from_text, found, window, symmetric, distance_weighting, workers, memory, progress=progress)
        if path is None:
            return count()
        checksummed.save(path, FORMAT, lambda directory: count(directory=directory)._contents())
        return cls.load(path, mmap="r")

    @classmethod
    def from_text(
        cls,
        text: corpus.Corpus,
        window: int = 15,
        symmetric: bool = True,
        distance_weighting: bool = True,
        workers: int = 1,
        memory: int | str | None = None,
        reserve: int = 0,
        directory: Path | None = None,
        progress: bool = False,
    ) -> Cooccurrence:
        """Count the co-occurrences of a corpus, as :meth:`from_corpus` does; leave `reserve` bytes of memory free."""
        system.trim_heap()  # lowers the peak by 14 of 710 MB for a text of 17M tokens
        # NumPy and the C library end a process that has next to no memory
        memory_.require_available(memory_.MIN_HEADROOM, None, "Allow more memory.")
        max_bytes = memory_.headroom(memory, reserve)
        window = min(window, max(text.n_tokens, 1))  # no two words are farther apart
        weights = counting.DistanceWeights(window, distance_weighting)
        open_writer = partial(csr.CsrWriter, np.float32, weights.unit, directory)
        found = counting.count(
            text.token_ids, len(text.words), weights, symmetric, open_writer, workers, max_bytes, progress
        )
        result = cls(found.data, found.indices, found.indptr, text.words, text.counts)
        result._scratch = found.scratch
        return result

    @classmethod
    def from_matrix(
        cls, matrix: Any, words: Sequence[Any] | None = None, counts: NDArray[np.int64] | None = None
    ) -> Cooccurrence:
        """Convert a SciPy sparse matrix of any format, or an array; duplicate entries are summed.

        Rows need not be words: they may be nodes of a graph, or products that are bought together.

        Examples
        --------
        >>> import numpy as np
        >>> from gensim_wordrank import Cooccurrence
        >>> baskets = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]])  # who bought what
        >>> together = baskets.T @ baskets
        >>> np.fill_diagonal(together, 0)
        >>> Cooccurrence.from_matrix(together, words=["bread", "butter", "jam"]).nnz
        6
        """
        if matrix is None:
            raise TypeError("'matrix' must be a matrix or an array. Got None instead.")
        matrix = to_csr(matrix)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        if not (np.isfinite(matrix.data).all() and (matrix.data >= 0).all()):
            raise ValueError("'matrix' must hold finite numbers, 0 or above. Remove all others.")
        if not matrix.data.all():
            matrix = matrix.copy()
            matrix.eliminate_zeros()
        columns, starts = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64)
        return cls(matrix.data, columns, starts, words, counts, matrix.shape[1])

    @classmethod
    def empty(cls, words: Sequence[Any]) -> Cooccurrence:
        """Return counts without any pairs."""
        zeros = np.zeros(len(words) + 1, np.int64)
        return cls(np.empty(0, np.float32), np.empty(0, np.int32), zeros, words, zeros[1:])

    # ---- counts

    @property
    def nnz(self) -> int:
        """Number of pairs with a count."""
        return len(self.data)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of words and number of contexts."""
        return len(self.indptr) - 1, self.n_contexts

    @property
    def matrix(self) -> Any:
        """The validated counts as a scipy.sparse.csr_matrix with int64 indices, which shares their values."""
        self.validate()  # SciPy would trust the arrays
        matrix = csr_matrix(self.shape, dtype=np.float32)
        # SciPy's constructor would convert the offsets of a small matrix to int32
        matrix.data, matrix.indices, matrix.indptr = self.data, self.indices.astype(np.int64), self.indptr
        return matrix

    def validate(self) -> None:
        """Raise ValueError if offsets, columns or values are invalid.

        Training calls it once per run, since arrays may have been created or changed by the user.

        Examples
        --------
        >>> import numpy as np
        >>> from gensim_wordrank import Cooccurrence
        >>> counts = Cooccurrence.from_matrix([[0, 1], [1, 0]])
        >>> counts.validate()
        >>> counts.data[0] = np.nan
        >>> counts.validate()
        Traceback (most recent call last):
        ...
        ValueError: 'data' must be finite numbers, 0 or above. Got nan instead.
        """
        csr.require_whole_files(self.data, self.indices, self.indptr)
        csr.validate_layout(self.data, self.indices, self.indptr)
        if len(self.indptr) != len(self.words) + 1:
            raise ValueError(f"'indptr' must have {len(self.words) + 1} entries. Got {len(self.indptr)} instead.")
        csr.validate_entries(self.data, self.indices, self.n_contexts)

    def marginals(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Validate the counts; return the sum of each row and of each column."""
        self.validate()
        quantum = csr.quantum(float(self.data.max(initial=0)), max(len(self.words), self.n_contexts))
        return csr.marginals(self.data, self.indices, self.indptr, self.n_contexts, quantum)

    def summarize(self) -> csr.CountSummary:
        """Validate the counts; return what training must know before the first epoch."""
        step = max(1, self.nnz // csr.SAMPLE_SIZE)
        return csr.CountSummary(np.diff(self.indptr), *self.marginals(), self.data[::step])

    def reindex(self, words: Sequence[Any]) -> Cooccurrence:
        """Return the counts for the given words, in their order; new words have empty rows and columns.

        Examples
        --------
        >>> from gensim_wordrank import Cooccurrence
        >>> counts = Cooccurrence.from_matrix([[0, 2, 3], [2, 0, 0], [3, 0, 0]], words=["a", "b", "c"])
        >>> counts.reindex(["c", "a", "new"]).matrix.toarray()
        array([[0., 3., 0.],
               [3., 0., 0.],
               [0., 0., 0.]], dtype=float32)
        """
        self._check_square()
        new, counts = corpus.map_ids(self.words, self.counts, {word: i for i, word in enumerate(words)})
        if list(words) == self.words:
            return self
        if np.array_equal(new, np.arange(len(new))):  # the same words, followed by new ones
            indptr = np.append(self.indptr, np.full(len(words) - len(new), self.nnz, np.int64))
            return self._keep_scratch(Cooccurrence(self.data, self.indices, indptr, words, counts))
        self.validate()
        rows, columns = np.repeat(new, np.diff(self.indptr)), new[self.indices]
        kept = (rows >= 0) & (columns >= 0)
        entries = self.data[kept], (rows[kept], columns[kept])
        return Cooccurrence.from_matrix(csr_matrix(entries, (len(words), len(words))), words, counts)

    def __add__(self, other: Cooccurrence) -> Cooccurrence:
        """Return the sum of two counts; the vocabularies may differ.

        Examples
        --------
        >>> from gensim_wordrank import Cooccurrence
        >>> one = Cooccurrence.from_corpus([["a", "b"]], min_count=1)
        >>> two = Cooccurrence.from_corpus([["b", "c"]], min_count=1)
        >>> (one + two).words, (one + two).counts.tolist()
        (['b', 'c', 'a'], [2, 1, 1])
        """
        words = self.words
        if other.words != words:
            union = list(dict.fromkeys([*self.words, *other.words]))
            counts = self.reindex(union).counts + other.reindex(union).counts
            words = [union[i] for i in corpus.frequency_order(counts).tolist()]
        left, right = self.reindex(words), other.reindex(words)
        return Cooccurrence.from_matrix(left.matrix + right.matrix, words, left.counts + right.counts)

    # ---- display

    def __repr__(self) -> str:
        return f"<Cooccurrence: {len(self.words):,} words, {self.nnz:,} pairs, {self._megabytes():.1f} MB>"

    def _repr_html_(self) -> str:
        """Return the sizes, and the counts of the first words with each other."""
        n = min(SHOWN_WORDS, *self.shape)
        end = int(self.indptr[n])
        part = csr_matrix((self.data[:end], self.indices[:end], self.indptr[: n + 1]), (n, self.n_contexts))
        counts = part[:, :n].toarray()
        largest, words = float(counts.max(initial=0)) or 1.0, [str(word) for word in self.words[:n]]
        head = ["", *(words if self.n_contexts == len(self.words) else map(str, range(n)))]
        rows = [
            [
                word,
                *(
                    display.shaded(f"{count:,.4g}" if count < 1000 else f"{count:,.0f}", count / largest)
                    for count in row
                ),
            ]
            for word, row in zip(words, counts.tolist(), strict=True)
        ]
        return display.html_table(head, rows, repr(self)[1:-1])

    def _megabytes(self) -> float:
        return (self.data.nbytes + self.indices.nbytes + self.indptr.nbytes) / 1e6

    # ---- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a directory atomically; it replaces a directory of older counts.

        A reader finds the old counts or the new ones, even if this process is killed while it writes.

        Examples
        --------
        >>> import tempfile
        >>> from gensim_wordrank import Cooccurrence
        >>> path = tempfile.mkdtemp() + "/counts"
        >>> Cooccurrence.from_corpus([["a", "b"]], min_count=1).save(path)
        >>> Cooccurrence.load(path).words
        ['b', 'a']
        """
        self._check_square()
        checksummed.save(path, FORMAT, lambda _: self._contents())

    @classmethod
    def load(cls, path: str | os.PathLike[str], mmap: str | None = None) -> Cooccurrence:
        """Load saved counts into memory or, with ``mmap="r"``, memory-mapped, and verify their checksums.

        The directory may also be a URL that smart_open reads; the counts are then loaded into memory.
        """
        found, checksums = checksummed.read_with_checksums(path, FORMAT, mmap)
        schema.check(os.fspath(path), found, {"words": WORDS}, others=DTYPES.keys())
        try:
            result = cls(*(found[name] for name in ("data", "indices", "indptr", "words", "counts")))
            result.validate()
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"The files in '{path}' do not make a matrix. {FORMAT.remedy} ({error})") from error
        if mmap == "r" and not checksummed.is_url(path):
            arrays = result.data, result.indices, result.indptr
            result.mapped_files = MappedFiles(str(Path(path).absolute()), checksums, arrays)
        return result

    def _contents(self) -> dict[str, Any]:
        """Return what is written to files."""
        words = [word if isinstance(word, str) else to_integer(word) for word in self.words]
        found = {name: getattr(self, name).astype(dtype, copy=False) for name, dtype in DTYPES.items()}
        return {**found, "words": words}

    def _check_square(self) -> None:
        if self.shape[0] != self.n_contexts:
            raise ValueError(
                f"'matrix' must have as many columns as rows, for the same words. Got {self.shape} instead. From "
                "an incidence matrix B of groups and their members, compute B.T @ B."
            )

    mapped_files: MappedFiles | None = None  # set by load(mmap="r")
    _scratch: Any = None  # the temporary directory of the arrays

    def _keep_scratch(self, other: Cooccurrence) -> Cooccurrence:
        """Keep the temporary directory while `other`, which shares the arrays, exists."""
        other._scratch = self._scratch
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_scratch", "mapped_files")}


def to_integer(word: Any) -> int:
    """Return a word as an int; JSON has no other types of words."""
    try:
        integer = int(word)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"Words must be strings or integers to be saved: {error}") from error
    if integer != word or not -(2**63) <= integer < 2**63:
        raise TypeError(f"Words must be strings or integers to be saved. Got {word!r}.")
    return integer
