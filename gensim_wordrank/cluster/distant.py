"""Texts and co-occurrences that are on the machines of a cluster, with the face of those that are here."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank._utils import checksummed, memory
from gensim_wordrank.cluster import texts
from gensim_wordrank.cluster.counter import Found, Held
from gensim_wordrank.cluster.crew import Crew
from gensim_wordrank.cluster.team import Team
from gensim_wordrank.cooccurrence import csr
from gensim_wordrank.cooccurrence.matrix import FORMAT, Cooccurrence
from gensim_wordrank.text import corpus
from gensim_wordrank.text.tokens import TokenIds

logger = logging.getLogger(__name__)


class DistantCorpus(corpus.Corpus):
    """Texts whose words the machines of a team have read, each machine some of them.

    Words are in the order in which they first appear, as if one machine had read all.

    Parameters
    ----------
    team : Team
        The machines.
    sources : sequence of str
        Paths and addresses.
    """

    def __init__(self, team: Team, sources: Sequence[str]) -> None:
        self.team, self.sources = team, sources
        found = team.do(self._read)
        table: dict[str, int] = {}
        for each in found:
            for word, count in zip(each.words, each.counts.tolist(), strict=True):
                table[word] = table.get(word, 0) + count
        counts = np.fromiter(table.values(), np.int64, len(table))
        n_sentences, n_tokens = (sum(getattr(each, name) for each in found) for name in ("n_sentences", "n_tokens"))
        super().__init__(TokenIds(max_bytes=1 << 10), list(table), counts, n_sentences, n_tokens)
        logger.info("%i machines read %i sentences of %i words", len(found), n_sentences, n_tokens)

    def digest(self) -> str:
        """Return nothing that would tell this text from others: it is not here."""
        return ""

    def reindex(self, known: Mapping[Any, int]) -> DistantCorpus:
        """Return the same text with other ids."""
        result = object.__new__(DistantCorpus)
        _, counts = corpus.map_ids(self.words, self.counts, known)
        vars(result).update(vars(self) | {"words": list(known), "counts": counts})
        return result

    def counted_there(self, window: int, symmetric: bool, distance_weighting: bool) -> DistantCooccurrence:
        """Count the pairs where the texts are."""

        def count(crew: Crew) -> list[Held]:
            if crew.texts is not self.sources:  # other machines than those that read them
                self._read(crew)
            return crew.count(self.words, window, symmetric, distance_weighting)

        return DistantCooccurrence(self.team, self.words, self.counts, count)

    def _read(self, crew: Crew) -> list[Found]:
        found = crew.read(texts.cut(self.sources, len(crew.workers)))
        crew.texts = self.sources
        return found


class DistantCooccurrence(Cooccurrence):
    """Co-occurrences that are on the machines of a team until someone looks at their values.

    Parameters
    ----------
    team : Team
        The machines.
    words, counts
        As in :class:`Cooccurrence`.
    hold : callable
        Lets the machines of a crew hold some rows each, as often as it is called.
    """

    def __init__(
        self, team: Team, words: Sequence[Any], counts: NDArray[np.int64], hold: Callable[[Crew], list[Held]]
    ) -> None:
        self.team, self._hold, self.words, self.counts = team, hold, list(words), counts
        held = team.do(self.hold)
        self.n_contexts = len(self.words)
        self.indptr = np.concatenate([[0], np.cumsum(np.concatenate([each.lengths for each in held]))])
        self.largest = max(each.largest for each in held)
        logger.info("%i machines hold %i pairs of %i words", len(held), self.nnz, len(self.words))

    def hold(self, crew: Crew) -> list[Held]:
        """Let the machines of a crew hold the pairs, if they do not yet."""
        held = [] if crew.pairs is self else self._hold(crew)
        crew.pairs = self
        return held

    @property
    def is_here(self) -> bool:
        """Whether the pairs stay in this process."""
        return False

    def reindex(self, words: Sequence[Any]) -> Cooccurrence:
        """Return the counts for other words; only the same ones can stay where they are."""
        return self if list(words) == self.words else super().reindex(words)

    def __getattr__(self, name: str) -> Any:
        if name not in ("data", "indices"):
            raise AttributeError(name)
        found = self._with_rows(lambda crew: crew.bring(self.indptr, self._store()))
        self.data, self.indices, self._scratch = found.data, found.indices, found.scratch
        return vars(self)[name]

    def _store(self) -> csr.CsrWriter:
        store = csr.CsrWriter(None, np.float32)
        store.allocate(self.nnz, memory.headroom(memory.budget(None)))
        return store

    def _with_rows(self, work: Callable[[Crew], Any]) -> Any:
        """Do something where the rows are."""
        return self.team.do(lambda crew: (self.hold(crew), work(crew))[1])

    @property
    def nnz(self) -> int:
        """Number of pairs that occur."""
        return int(self.indptr[-1])

    def marginals(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the sum of each row, and of each column."""
        quantum = csr.quantum(self.largest, len(self.words))
        found: tuple[NDArray[np.float64], NDArray[np.float64]]
        found = self._with_rows(lambda crew: crew.sums(self.n_contexts, quantum))
        return found

    def sample(self, n: int) -> NDArray[np.float32]:
        """Return about `n` counts, evenly spread, or all if they are fewer."""
        step = max(1, self.nnz // n)
        found: NDArray[np.float32] = self._with_rows(lambda crew: crew.sample(step, self.indptr))
        return found


def read(team: Team, place: str) -> DistantCooccurrence:
    """Let the machines of a team read co-occurrences under an address; what comes here is small."""
    known = checksummed.read(place, FORMAT, skip=("data", "indices"))
    checksums = checksummed.read_checksums(place, FORMAT)

    def read(crew: Crew) -> list[Held]:
        held = crew.read_pairs(place, checksums, known["indptr"])
        missing = [crew.host(machine) for machine, each in enumerate(held) if each is None]
        if missing:
            raise FileNotFoundError(f"'{place}' cannot be read from {', '.join(missing)}. Let all machines reach it.")
        return [each for each in held if each is not None]

    return DistantCooccurrence(team, known["words"], known["counts"], read)


def hold(counts: Cooccurrence, crew: Crew) -> None:
    """Let the machines of a crew hold some rows each."""
    if isinstance(counts, DistantCooccurrence):
        counts.hold(crew)
    else:
        crew.take_pairs(counts)
