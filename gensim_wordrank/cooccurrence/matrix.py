"""How often words stand near each other: counted, taken from others, added up, kept in files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gensim.utils import SaveLoad
from joblib import cpu_count
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from gensim_wordrank._utils import atomic_files, checksummed, validation
from gensim_wordrank._utils import memory as memory_
from gensim_wordrank.cooccurrence import counting, csr, storage
from gensim_wordrank.cooccurrence.summary import SAMPLE_SIZE, CountSummary
from gensim_wordrank.text import corpus

FILES = checksummed.Kind("co-occurrences", 1, "Count the co-occurrences again.")
DTYPES = csr.DTYPES | {"counts": np.int64}
# of the files in a directory
NAMES = [*(f"{name}.npy" for name in DTYPES), "words.json", checksummed.ABOUT]
# of a word: whole numbers up to here are exact in float64, and the sum of many fits int64
MOST_COUNT = 2**53


class Place(NamedTuple):
    """A directory, its checksums, and the arrays that were mapped from it."""

    directory: str
    checksums: dict[str, int]
    arrays: tuple[NDArray[Any], ...]


class Cooccurrence(SaveLoad):  # type: ignore[misc]  # gensim has no type information
    """The counts X, with the words that its rows and columns stand for.

    They are the arrays of a CSR matrix, under SciPy's names. Columns are int32 beside int64 offsets: a large text has
    more than 2^31 pairs, but never as many words. A SciPy matrix cannot hold the two, and takes half as much memory
    again; :attr:`matrix` makes one.

    Parameters
    ----------
    data : array of float32
        The counts, row after row, columns rising.
    indices : array of int32
        Their columns.
    indptr : array of int64
        Where each row begins.
    words : sequence, optional
        What rows and columns stand for: texts or numbers, each once. By default 0, 1, 2, ...
    counts : array of int64, optional
        How often each word occurs. By default its row's sum, at least 1.
    n_contexts : int, optional
        Number of columns. By default they stand for the same words as the rows.

    Examples
    --------
    >>> from gensim_wordrank import Cooccurrence
    >>> pairs = Cooccurrence.from_corpus([["a", "b", "c"], ["b", "c"]], window=2, min_count=1)
    >>> pairs.words, pairs.counts.tolist()
    (['c', 'b', 'a'], [2, 2, 1])
    >>> pairs.matrix.toarray()
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
        csr.check_rows(data, indices, indptr)
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
        if len(self.counts) != n:
            raise ValueError(f"'counts' must have an entry a word, {n}. Got {len(self.counts)} instead.")

    def _row_sums(self) -> NDArray[np.int64]:
        # a row without entries would get the next one's first; the last may begin behind all entries
        sums = np.add.reduceat(np.append(self.data, np.float32(0)), self.indptr[:-1], dtype=np.float64)
        sums[np.diff(self.indptr) == 0] = 0
        return np.clip(np.round(sums), 1, MOST_COUNT).astype(np.int64)

    # ---- from texts and matrices

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
        """Count the co-occurrences of a text, which is read once.

        Parameters
        ----------
        sentences : iterable of list of str, optional
            Token lists; may be a generator.
        corpus_file : path, address, binary file, or list of these, optional
            Instead of `sentences`: one sentence a line, words separated by white space, UTF-8; anything that smart_open
            reads, compressed or not. Much faster than `sentences`.
        window : int
            Greatest distance at which two words co-occur; words outside the vocabulary do not count in it.
        symmetric : bool
            Whether words after a word are contexts of it, or only those before.
        distance_weighting : bool
            Whether a pair at distance d counts 1/d, or 1.
        min_count : int
            Words that occur less often are left out.
        max_final_vocab : int, optional
            Keep at most so many words, the most frequent ones.
        workers : int, optional
            Number of threads, by default one a core. The matrix does not depend on it.
        memory : int or str, optional
            What the process may take in all, as "4GB" or in bytes; by default what it has and half of what is free.
            Past it, temporary files are used (TMPDIR says where). The matrix does not depend on it.
        path : path, optional
            A directory to write the matrix to, as :meth:`save` does; it is mapped from there and takes no memory.
        progress : bool
            Show progress bars.
        backend : gensim_wordrank.cluster.backend.DaskBackend, optional
            Count on the machines of a cluster instead of this one: what :func:`gensim_wordrank.cluster.connect` yields.
            They need `corpus_file`: paths or addresses. The matrix does not depend on them.

        Returns
        -------
        Cooccurrence
            Words in order of frequency, as in gensim.
        """
        if (sentences is None) == (corpus_file is None):
            raise TypeError("Give either 'sentences' or 'corpus_file'.")
        corpus.refuse_no_files(corpus_file)
        if corpus_file is None and backend is not None:
            raise TypeError("Sentences are counted on this machine. Give 'corpus_file' with a 'backend'.")
        window, min_count = (
            validation.positive_integer("window", window),
            validation.positive_integer("min_count", min_count),
        )
        workers = cpu_count() if workers is None else validation.positive_integer("workers", workers)
        if max_final_vocab is not None:
            validation.positive_integer("max_final_vocab", max_final_vocab)
        if path is not None:
            atomic_files.check_directory(path, NAMES)
        budget = memory_.budget(memory)
        room = corpus.room_for_text(budget)
        if backend is not None:
            read = backend.read(None, corpus_file)
            counts: Cooccurrence = backend.count(
                read.over(read.frequent(min_count, max_final_vocab)), window, symmetric, distance_weighting
            ).gather()
            if path is None:
                return counts
            counts.save(path)
            return cls.load(path, mmap="r")
        found = corpus.read(sentences, corpus_file, workers=workers, room=room, progress=progress)
        found = found.over(found.frequent(min_count, max_final_vocab))
        return cls.from_text(found, window, symmetric, distance_weighting, workers, budget, path, progress)

    @classmethod
    def from_text(
        cls,
        text: corpus.Corpus,
        window: int = 15,
        symmetric: bool = True,
        distance_weighting: bool = True,
        workers: int = 1,
        budget: int | None = None,
        path: str | os.PathLike[str] | None = None,
        progress: bool = False,
    ) -> Cooccurrence:
        """Count the co-occurrences of a text that was read, in at most `budget` bytes of memory for the process."""
        memory_.trim_heap()  # what was needed to read the text
        room = memory_.room(memory_.budget(None) if budget is None else budget)
        window = min(window, max(text.n_tokens, 1))  # no two words are further apart
        weights = counting.Weights(window, distance_weighting)

        def counted(directory: Path | None) -> Cooccurrence:
            store = storage.Store(directory, np.float32, weights.unit)
            csr = counting.count(text.text, len(text.words), weights, symmetric, store, workers, room, progress)
            result = cls(csr.data, csr.indices, csr.indptr, text.words, text.counts)
            result._scratch = csr.scratch
            return result

        if path is None:
            return counted(None)
        atomic_files.write_directory_atomically(path, lambda directory: counted(directory)._write(directory))
        return cls.load(path, mmap="r")

    @classmethod
    def from_matrix(
        cls, matrix: Any, words: Sequence[Any] | None = None, counts: NDArray[np.int64] | None = None
    ) -> Cooccurrence:
        """Take over a matrix: a SciPy sparse one of any kind, or an array; repeated entries are added up.

        Rows need not be words: they may be nodes of a graph, or goods that are bought together.

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
        matrix = csr_matrix(matrix, dtype=np.float32)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        if not (np.isfinite(matrix.data).all() and (matrix.data >= 0).all()):
            raise ValueError("'matrix' must hold finite numbers, 0 or above. Remove the others from it.")
        if not matrix.data.all():
            matrix = matrix.copy()
            matrix.eliminate_zeros()
        columns, starts = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64)
        return cls(matrix.data, columns, starts, words, counts, matrix.shape[1])

    @classmethod
    def empty(cls, words: Sequence[Any]) -> Cooccurrence:
        """Return the counts of no text."""
        zeros = np.zeros(len(words) + 1, np.int64)
        return cls(np.empty(0, np.float32), np.empty(0, np.int32), zeros, words, zeros[1:])

    # ---- as numbers

    @property
    def nnz(self) -> int:
        """Number of pairs that occur."""
        return len(self.data)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of words and contexts."""
        return len(self.indptr) - 1, self.n_contexts

    @property
    def matrix(self) -> Any:
        """A scipy.sparse.csr_matrix of the counts, with int64 indices; its values are shared."""
        matrix = csr_matrix(self.shape, dtype=np.float32)
        # SciPy's constructor would narrow the offsets of a small matrix
        matrix.data, matrix.indices, matrix.indptr = self.data, self.indices.astype(np.int64), self.indptr
        return matrix

    def check(self) -> None:
        """Raise ValueError if a column lies outside, or a value is no count: what a kernel takes for granted.

        Training does so once a run. What is made by hand or changed since may be wrong.

        Examples
        --------
        >>> import numpy as np
        >>> from gensim_wordrank import Cooccurrence
        >>> pairs = Cooccurrence.from_matrix([[0, 1], [1, 0]])
        >>> pairs.check()
        >>> pairs.data[0] = np.nan
        >>> pairs.check()
        Traceback (most recent call last):
        ...
        ValueError: 'data' must be finite numbers, 0 or above. Got nan instead.
        """
        csr.check_entries(self.data, self.indices, self.n_contexts)

    def context_sums(self) -> NDArray[np.float64]:
        """Return the sum of each column, after a :meth:`check`."""
        return self.sums()[1]

    def sums(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the sum of each row and of each column, after a :meth:`check`."""
        self.check()
        quantum = csr.quantum(float(self.data.max(initial=0)), max(self.shape))
        return csr.sums(self.data, self.indices, self.indptr, self.n_contexts, quantum)

    def summarize(self) -> CountSummary:
        """Return what training must know before the first epoch, after a :meth:`check`."""
        return CountSummary(np.diff(self.indptr), *self.sums(), self.data[:: max(1, self.nnz // SAMPLE_SIZE)])

    def over(self, words: Sequence[Any]) -> Cooccurrence:
        """Return the counts for other words: in the order of `words`, without those it leaves out, empty for new ones.

        Examples
        --------
        >>> from gensim_wordrank import Cooccurrence
        >>> pairs = Cooccurrence.from_matrix([[0, 2, 3], [2, 0, 0], [3, 0, 0]], words=["a", "b", "c"])
        >>> pairs.over(["c", "a", "new"]).matrix.toarray()
        array([[0., 3., 0.],
               [3., 0., 0.],
               [0., 0., 0.]], dtype=float32)
        """
        self._check_square()
        new, counts = corpus.renumber(self.words, self.counts, {word: i for i, word in enumerate(words)})
        if list(words) == self.words:
            return self
        if np.array_equal(new, np.arange(len(new))):  # the same with new words behind
            indptr = np.append(self.indptr, np.full(len(words) - len(new), self.nnz, np.int64))
            return self._with_scratch(Cooccurrence(self.data, self.indices, indptr, words, counts))
        self.check()
        rows, columns = np.repeat(new, np.diff(self.indptr)), new[self.indices]
        kept = (rows >= 0) & (columns >= 0)
        entries = self.data[kept], (rows[kept], columns[kept])
        return Cooccurrence.from_matrix(csr_matrix(entries, (len(words), len(words))), words, counts)

    def __add__(self, other: Cooccurrence) -> Cooccurrence:
        """Return the counts of both; the vocabularies need not be the same.

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
            counts = self.over(union).counts + other.over(union).counts
            words = [union[i] for i in corpus.by_frequency(counts).tolist()]
        mine, theirs = self.over(words), other.over(words)
        return Cooccurrence.from_matrix(mine.matrix + theirs.matrix, words, mine.counts + theirs.counts)

    # ---- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a directory of plain files, which replaces an older one only when it is whole.

        Examples
        --------
        >>> import tempfile
        >>> from gensim_wordrank import Cooccurrence
        >>> path = tempfile.mkdtemp() + "/pairs"
        >>> Cooccurrence.from_corpus([["a", "b"]], min_count=1).save(path)
        >>> Cooccurrence.load(path).words
        ['b', 'a']
        """
        self._check_square()
        atomic_files.write_directory_atomically(path, self._write)

    @classmethod
    def load(cls, path: str | os.PathLike[str], mmap: str | None = None) -> Cooccurrence:
        """Load what :meth:`save` wrote, into memory or, with ``mmap="r"``, mapped; a damaged file is refused.

        The directory may also be under an address that smart_open reads; then it goes into memory.
        """
        found = checksummed.read(path, FILES, mmap)
        try:
            result = cls(*(found[name] for name in ("data", "indices", "indptr", "words", "counts")))
            result.check()
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"The files in '{path}' do not make a matrix. {FILES.remedy} ({error})") from error
        if mmap == "r" and not checksummed.is_address(path):  # they cannot be changed here
            checksums = checksummed.checksums(path, FILES)
            result.place = Place(str(Path(path).absolute()), checksums, (result.data, result.indices, result.indptr))
        return result

    def _write(self, directory: Path) -> None:
        """Write the words, and the arrays that are not yet in the directory."""
        words = [word if isinstance(word, str) else _whole(word) for word in self.words]
        found = {name: getattr(self, name).astype(dtype, copy=False) for name, dtype in DTYPES.items()}
        checksummed.write(directory, FILES, {**found, "words": words})

    def _check_square(self) -> None:
        if self.shape[0] != self.n_contexts:
            raise ValueError(
                f"'matrix' must have as many columns as rows, for the same words. Got {self.shape} instead. From "
                "occurrences B of things in groups, make B.T @ B."
            )

    place: Place | None = None  # where the arrays are mapped from
    _scratch: Any = None  # a temporary directory that holds the arrays

    def _with_scratch(self, other: Cooccurrence) -> Cooccurrence:
        """Let counts that share these arrays keep their directory alive."""
        other._scratch = self._scratch
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_scratch", "place")}


def _whole(word: Any) -> int:
    """Return a word that is a whole number; JSON has no others."""
    try:
        whole = int(word)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"Words must be texts or whole numbers to be saved: {error}") from error
    if whole != word:
        raise TypeError(f"Words must be texts or whole numbers to be saved. Got {word!r}.")
    return whole
