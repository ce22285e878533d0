"""How a machine of a cluster gets counts: it counts its texts, and fetches rows from the other machines.

Weights are multiples of a unit (see cooccurrence/counting.py), so the counts of all machines add up to the same bits as
if one machine had counted all texts.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank._utils import memory
from gensim_wordrank._utils.atomic_files import ScratchDirectory
from gensim_wordrank.cluster import shards
from gensim_wordrank.cluster.peer import Peer
from gensim_wordrank.cluster.shards import TextShard
from gensim_wordrank.cooccurrence import counting, csr
from gensim_wordrank.text import corpus

# pairs that are sent at a time
PAIRS_PER_MESSAGE = 1 << 18

Rows = NDArray[np.integer]


class ShardInfo(NamedTuple):
    """What the driver must know of the rows that a machine holds."""

    row_lengths: NDArray[np.int64]
    largest: float  # count


class CountingPeer(Peer):
    """A machine that counts the pairs of its texts, or reads counts, and then holds a range of rows."""

    def _reset(self) -> None:
        super()._reset()
        self.scratch: ScratchDirectory | None = None  # for texts that are sent
        self.text: corpus.Corpus | None = None
        # by name: the number of the first row, and rows. "partial" are the counts of this machine's texts for all
        # words, "complete" the counts of all texts for its range of words
        self.rows: dict[str, tuple[int, csr.Csr]] = {}

    # ---- texts

    async def can_read(self, texts: Sequence[TextShard]) -> list[bool]:
        """Return which shards this machine can read."""
        return await asyncio.to_thread(lambda: [shard.is_readable() for shard in texts])

    async def receive_text(self, number: int, suffix: str, block: bytes) -> None:
        """Store the next bytes of a shard."""
        with self._sent(number, suffix).open("ab") as file:
            file.write(block)

    def _sent(self, number: int, suffix: str) -> Path:
        if self.scratch is None:
            self.scratch = ScratchDirectory()
        return self.scratch.path / f"{number}{suffix}"

    async def read(self, texts: Sequence[TextShard], sent: Sequence[bool]) -> corpus.VocabCounts:
        """Read the shards of this machine, some of which were sent."""
        sources = [
            self._sent(i, Path(shard.source).suffix) if was_sent else shard.open()
            for i, (shard, was_sent) in enumerate(zip(texts, sent, strict=True))
        ]
        room = memory.headroom(None)
        found = await asyncio.to_thread(corpus.read, corpus_file=sources, workers=self.threads, max_bytes=room)
        self.text, self.scratch = found, None
        return corpus.VocabCounts(found.words, found.counts, found.n_sentences, found.n_tokens)

    # ---- counting

    async def count(
        self, words: Sequence[str], window: int, symmetric: bool, distance_weighting: bool
    ) -> NDArray[np.int64]:
        """Count the pairs of these words in the texts of this machine; return the length of every row."""
        self.unit = counting.DistanceWeights(window, distance_weighting).unit

        def count() -> csr.Csr:
            assert self.text is not None  # it was read before
            self.text = self.text.reindex({word: i for i, word in enumerate(words)})
            weights = counting.DistanceWeights(window, distance_weighting)
            open_writer = partial(csr.CsrWriter, np.uint64, None, None)
            return counting.count(
                self.text.token_ids, len(words), weights, symmetric, open_writer, self.threads, memory.headroom(None)
            )

        counts = await asyncio.to_thread(count)
        self.rows["partial"] = 0, counts
        return np.diff(counts.indptr)

    async def merge(self, edges: Sequence[int]) -> ShardInfo:
        """Fetch the range of rows of this machine from all machines, and add them up."""
        mine = np.arange(edges[self.machine], edges[self.machine + 1])
        n_words, open_writer = edges[-1], partial(csr.CsrWriter, np.float32, self.unit, None)
        machines = range(len(self.peers))
        runs = await asyncio.gather(
            *(self._fetch_rows("partial", [(machine, mine)], np.uint64) for machine in machines)
        )
        room = memory.headroom(None)
        whole = await asyncio.to_thread(counting.merge, runs, n_words, open_writer, self.threads, room)
        return self._hold(edges[self.machine], whole)

    # ---- existing counts

    async def receive_rows(self, first: int, data: Any, indices: Any, indptr: Any) -> ShardInfo:
        """Store rows that the driver sends."""
        return self._hold(first, csr.Csr(data, indices, indptr))

    async def read_counts(self, place: str, checksums: dict[str, int], edges: Sequence[int]) -> ShardInfo | None:
        """Read the range of rows of this machine from saved counts; return None if they are not there."""
        if await asyncio.to_thread(shards.checksums, place) != checksums:
            return None
        first, last = edges[self.machine], edges[self.machine + 1]
        return self._hold(first, await asyncio.to_thread(shards.read_rows, place, first, last, edges[-1], checksums))

    # ---- rows

    def _hold(self, first: int, rows: csr.Csr) -> ShardInfo:
        self.rows["complete"] = first, rows
        return ShardInfo(np.diff(rows.indptr), float(rows.data.max(initial=0)))

    async def sums(self, n_contexts: int, quantum: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the sums of the rows that this machine holds, and of their columns."""
        rows = self.rows["complete"][1]
        return await asyncio.to_thread(csr.marginals, rows.data, rows.indices, rows.indptr, n_contexts, quantum)

    async def sample(self, start: int, step: int) -> NDArray[np.float32]:
        """Return every `step`-th count."""
        return self.rows["complete"][1].data[start::step].copy()

    async def free_partial(self) -> None:
        """Free the partial counts, when all machines have fetched what they need."""
        self.rows.pop("partial", None)
        self.text = None

    async def row_lengths(self, name: str, rows: Rows) -> NDArray[np.int64]:
        """Return the lengths of some rows."""
        first, held = self.rows[name]
        return np.diff(held.indptr)[rows - first]

    async def get_rows(self, name: str, rows: Rows) -> tuple[Any, Any]:
        """Return columns and values of some rows."""
        first, held = self.rows[name]
        found = await asyncio.to_thread(csr.take_rows, held, rows - first)
        return found.indices, found.data

    async def _fetch_rows(self, name: str, wanted: Sequence[tuple[int, Rows]], dtype: Any) -> csr.Csr:
        """Fetch rows from the machines that hold them, those of one machine after those of another."""
        lengths = await asyncio.gather(*(self._ask(machine, "row_lengths", name, rows) for machine, rows in wanted))
        indptr = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
        store = csr.CsrWriter(dtype, None, None, int(indptr[-1]), memory.headroom(None))
        begins = np.cumsum([0, *map(len, lengths)])

        async def fetch(machine: int, rows: Rows, begin: int) -> None:
            places = indptr[begin : begin + len(rows) + 1]
            for start, end in itertools.pairwise(counting.split_rows(places, PAIRS_PER_MESSAGE)):
                found = await self._ask(machine, "get_rows", name, rows[start:end])
                await asyncio.to_thread(store.write, int(places[start]), *found)

        await asyncio.gather(*(fetch(*each, begin) for each, begin in zip(wanted, begins.tolist(), strict=False)))
        return store.finish(indptr)
