"""How a machine of a cluster gets pairs: it counts those of its texts, and brings rows here from the other machines.

Weights are whole numbers of a unit (see counting.py), so what the machines counted adds up to the same bits as if one
had counted all.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank._utils import memory
from gensim_wordrank._utils.atomic_files import ScratchDirectory
from gensim_wordrank.cluster import pairs
from gensim_wordrank.cluster.member import Member
from gensim_wordrank.cluster.texts import Piece
from gensim_wordrank.cooccurrence import counting, csr
from gensim_wordrank.text import corpus

# pairs that are sent at a time
AT_ONCE = 1 << 18

Rows = NDArray[np.integer]


class Found(NamedTuple):
    """What a machine read."""

    words: list[str]  # in the order in which they first appear
    counts: NDArray[np.int64]
    n_sentences: int
    n_tokens: int


class Held(NamedTuple):
    """What the driver must know of the rows that a machine holds."""

    lengths: NDArray[np.int64]
    largest: float


class Counter(Member):
    """A machine that counts the pairs of its texts, or reads some, and then holds rows, one after the other."""

    def _forget(self) -> None:
        super()._forget()
        self.scratch: ScratchDirectory | None = None  # for texts that are sent
        self.text: corpus.Corpus | None = None
        # by name: the number of the first row, and rows. "run" is what this machine counted, "held" what is whole
        self.rows: dict[str, tuple[int, csr.Csr]] = {}

    # ---- texts

    async def sees(self, pieces: Sequence[Piece]) -> list[bool]:
        """Say which pieces this machine can read by itself."""
        return await asyncio.to_thread(lambda: [piece.is_here() for piece in pieces])

    async def take_text(self, number: int, suffix: str, block: bytes) -> None:
        """Take the next bytes of a piece."""
        with self._sent(number, suffix).open("ab") as file:
            file.write(block)

    def _sent(self, number: int, suffix: str) -> Path:
        if self.scratch is None:
            self.scratch = ScratchDirectory()
        return self.scratch.path / f"{number}{suffix}"

    async def read(self, pieces: Sequence[Piece], sent: Sequence[bool]) -> Found:
        """Read this machine's pieces, of which some were sent."""
        sources = [
            self._sent(i, Path(piece.source).suffix) if was_sent else piece.opened()
            for i, (piece, was_sent) in enumerate(zip(pieces, sent, strict=True))
        ]
        room = corpus.token_ids_budget(memory.budget(None))
        found = await asyncio.to_thread(corpus.read, corpus_file=sources, workers=self.threads, max_bytes=room)
        self.text, self.scratch = found, None
        return Found(found.words, found.counts, found.n_sentences, found.n_tokens)

    # ---- counting

    async def count(
        self, words: Sequence[str], window: int, symmetric: bool, distance_weighting: bool
    ) -> NDArray[np.int64]:
        """Count the pairs of these words in this machine's texts; return how many every row has."""
        self.unit = counting.DistanceWeights(window, distance_weighting).unit

        def count() -> csr.Csr:
            assert self.text is not None  # it was read before
            self.text = self.text.reindex({word: i for i, word in enumerate(words)})
            weights, store = counting.DistanceWeights(window, distance_weighting), csr.CsrWriter(None, np.uint64)
            return counting.count(self.text.token_ids, len(words), weights, symmetric, store, self.threads, _room())

        run = await asyncio.to_thread(count)
        self.rows["run"] = 0, run
        return np.diff(run.indptr)

    async def merge(self, edges: Sequence[int]) -> Held:
        """Bring this machine's range of rows here from all machines, and add them up."""
        mine = np.arange(edges[self.machine], edges[self.machine + 1])
        n_words, store = edges[-1], csr.CsrWriter(None, np.float32, self.unit)
        machines = range(len(self.peers))
        runs = await asyncio.gather(*(self._brought("run", [(machine, mine)], np.uint64) for machine in machines))
        whole = await asyncio.to_thread(counting.merge, runs, n_words, store, self.threads, _room())
        return self._hold(edges[self.machine], whole)

    # ---- rows that were counted before

    async def take_pairs(self, first: int, data: Any, indices: Any, indptr: Any) -> Held:
        """Take rows from the driver."""
        return self._hold(first, csr.Csr(data, indices, indptr))

    async def read_pairs(self, place: str, checksums: dict[str, int], edges: Sequence[int]) -> Held | None:
        """Read this machine's range of rows from co-occurrences in files; None if they are not there."""
        if await asyncio.to_thread(pairs.checksums, place) != checksums:
            return None
        first, last = edges[self.machine], edges[self.machine + 1]
        return self._hold(first, await asyncio.to_thread(pairs.read, place, first, last, edges[-1], checksums))

    # ---- rows

    def _hold(self, first: int, rows: csr.Csr) -> Held:
        self.rows["held"] = first, rows
        return Held(np.diff(rows.indptr), float(rows.data.max(initial=0)))

    async def sums(self, n_contexts: int, quantum: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the sums of the rows that this machine holds, and of the columns over them."""
        rows = self.rows["held"][1]
        return await asyncio.to_thread(csr.marginals, rows.data, rows.indices, rows.indptr, n_contexts, quantum)

    async def sample(self, start: int, step: int) -> NDArray[np.float32]:
        """Return every so many counts, from one of the first on."""
        return self.rows["held"][1].data[start::step].copy()

    async def forget_runs(self) -> None:
        """Free what this machine counted, when all machines have what they need of it."""
        self.rows.pop("run", None)
        self.text = None

    async def give_lengths(self, name: str, rows: Rows) -> NDArray[np.int64]:
        """Return how many pairs some rows have."""
        first, held = self.rows[name]
        return np.diff(held.indptr)[rows - first]

    async def give_rows(self, name: str, rows: Rows) -> tuple[Any, Any]:
        """Return values and columns of some rows."""
        first, held = self.rows[name]
        found = await asyncio.to_thread(csr.take_rows, held, rows - first)
        return found.data, found.indices

    async def _brought(self, name: str, wanted: Sequence[tuple[int, Rows]], dtype: Any) -> csr.Csr:
        """Bring rows here from the machines that hold them, those of all machines one after the other."""
        lengths = await asyncio.gather(*(self._ask(machine, "give_lengths", name, rows) for machine, rows in wanted))
        indptr = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
        store = csr.CsrWriter(None, dtype)
        store.allocate(int(indptr[-1]), _room())
        begins = np.cumsum([0, *map(len, lengths)])

        async def bring(machine: int, rows: Rows, begin: int) -> None:
            places = indptr[begin : begin + len(rows) + 1]
            for start, end in itertools.pairwise(counting.split_rows(places, AT_ONCE)):
                values, columns = await self._ask(machine, "give_rows", name, rows[start:end])
                await asyncio.to_thread(store.copy, int(places[start]), values, columns)

        await asyncio.gather(*(bring(*each, begin) for each, begin in zip(wanted, begins.tolist(), strict=False)))
        return store.finish(indptr)


def _room() -> int:
    """Return the memory that may be taken now."""
    return memory.headroom(memory.budget(None))
