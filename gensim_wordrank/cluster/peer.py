"""What each machine of a cluster does before training: count its texts, or read counts, and hold a range of rows.

Weights are multiples of a unit (see cooccurrence/counting.py), so the counts of all machines add up to the same bits as
if one machine had counted all texts.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Awaitable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from gensim_wordrank._utils import memory
from gensim_wordrank._utils.temporary import TemporaryDirectory
from gensim_wordrank._utils.versions import versions
from gensim_wordrank.cluster import shards
from gensim_wordrank.cluster.shards import TextShard
from gensim_wordrank.cooccurrence import counting, csr
from gensim_wordrank.text import corpus
from gensim_wordrank.training.fingerprint import fingerprint

# pairs that are sent at a time
PAIRS_PER_MESSAGE = 1 << 18
# what the merge of as many pairs from all machines may take; more than it needs
MERGE_BYTES = 1 << 30
# a machine that takes this many times as long for the same work as one that waits for it is given up
STRAGGLER_FACTOR = 10

RowNumbers = NDArray[np.integer]


class ShardInfo(NamedTuple):
    """What the driver must know of the rows that a machine holds."""

    row_lengths: NDArray[np.int64]
    largest: float  # count


class NoAnswerError(TimeoutError):
    """Another machine did not answer in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)

    def __str__(self) -> str:
        return f"another machine did not answer within {self.args[0]:.0f} s"


class Peer:
    """A Dask actor, one per machine; it waits for other machines for at most `timeout` seconds.

    All methods are asynchronous: they run in the event loop of the Dask worker, and long work runs on a thread, so that
    other machines get answers meanwhile.
    """

    def __init__(self, machine: int, timeout: float) -> None:
        self.machine, self.timeout, self.threads = machine, timeout, get_worker().state.nthreads
        self.stopped = asyncio.Event()
        self._reset()

    def _reset(self) -> None:
        self.peers: Sequence[Any] = ()
        self.waiting: Counter[int] = Counter()  # for which machines
        self.shards: Sequence[TextShard] = ()
        self.scratch: TemporaryDirectory | None = None
        self.received: dict[int, Path] = {}  # files in `scratch`, by the number of the shard
        self.text: corpus.Corpus | None = None
        # by name: the number of the first row, and rows. "partial" are the counts of this machine's texts for all
        # words, "complete" the counts of all texts for its range of words
        self.rows: dict[str, tuple[int, csr.Csr]] = {}

    async def join(self, peers: Sequence[Any]) -> dict[str, str]:
        """Store the actors of all machines; return the versions here, and the checksum of a fixed computation."""
        self.peers = peers
        return versions() | {"checksum": await asyncio.to_thread(fingerprint)}

    async def alive(self) -> bool:
        """Answer, as a sign of life."""
        return True

    async def stop(self) -> list[int]:
        """End all waiting with an error and free all memory; return the machines that this one waited for."""
        waited_for = list(+self.waiting)
        self.stopped.set()
        self._reset()
        return waited_for

    # ---- calls to other machines

    async def _ask(self, machine: int, method: str, *arguments: Any) -> Any:
        """Call a method of an actor, which may be this one."""
        if machine == self.machine:
            return await getattr(self, method)(*arguments)
        return await self._wait(getattr(self.peers[machine], method)(*arguments), machine)

    async def _wait(self, call: Awaitable[Any], machine: int) -> Any:
        """Wait for another machine for a limited time."""
        self.waiting[machine] += 1
        try:
            result = await asyncio.wait_for(self._unless_stopped(call), self.timeout)
        except asyncio.TimeoutError:
            raise NoAnswerError(self.timeout) from None
        self.waiting[machine] -= 1
        return result

    async def _unless_stopped(self, call: Awaitable[Any]) -> Any:
        """Wait for a call; raise InterruptedError if :meth:`stop` is called first."""
        waiting, stop = asyncio.ensure_future(call), asyncio.ensure_future(self.stopped.wait())
        try:
            await asyncio.wait({waiting, stop}, return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                raise InterruptedError("training was stopped")
            return waiting.result()
        finally:
            waiting.cancel()
            stop.cancel()

    # ---- texts

    async def assign_texts(self, of_machines: Sequence[Sequence[TextShard]]) -> list[int]:
        """Store which shards this machine reads; return the numbers of those that it cannot open."""
        self.shards, self.received = of_machines[self.machine], {}
        readable = await asyncio.to_thread(lambda: [shard.is_readable() for shard in self.shards])
        return [number for number, is_readable in enumerate(readable) if not is_readable]

    async def receive_text(self, number: int, block: bytes) -> None:
        """Store the next bytes of a shard."""
        if self.scratch is None:
            self.scratch = TemporaryDirectory()
        suffix = Path(self.shards[number].source).suffix
        path = self.received.setdefault(number, self.scratch.path / f"{number}{suffix}")
        with path.open("ab") as file:
            file.write(block)

    async def read(self) -> corpus.VocabCounts:
        """Read the shards of this machine."""
        received = self.received
        sources = [received[i] if i in received else shard.open() for i, shard in enumerate(self.shards)]
        room = memory.headroom(None)
        found = await asyncio.to_thread(corpus.read, corpus_file=sources, workers=self.threads, max_bytes=room)
        self.text, self.scratch = found, None
        return corpus.VocabCounts(found.words, found.counts, found.n_sentences, found.n_tokens)

    # ---- counting

    async def count(
        self, words: Sequence[str], window: int, symmetric: bool, distance_weighting: bool
    ) -> NDArray[np.int64]:
        """Count the pairs of these words in the texts of this machine; return the length of every row."""
        weights = counting.DistanceWeights(window, distance_weighting)
        self.unit = weights.unit

        def count() -> csr.Csr:
            assert self.text is not None  # it was read before
            self.text = self.text.reindex({word: i for i, word in enumerate(words)})
            open_writer, room = partial(csr.CsrWriter, np.uint64, None, None), memory.headroom(None)
            return counting.count(self.text.token_ids, len(words), weights, symmetric, open_writer, self.threads, room)

        counts = await asyncio.to_thread(count)
        self.rows["partial"] = 0, counts
        return np.diff(counts.indptr)

    async def merge(self, edges: Sequence[int]) -> ShardInfo:
        """Add up the rows of this machine's range from all machines, some rows at a time."""
        mine, machines = np.arange(edges[self.machine], edges[self.machine + 1]), range(len(self.peers))
        lengths = await asyncio.gather(*(self._ask(machine, "row_lengths", "partial", mine) for machine in machines))
        ends = np.concatenate([[0], np.cumsum(np.sum(lengths, axis=0))])
        # room for rows without a common column; memory that is not written is not taken
        store = csr.CsrWriter(np.float32, self.unit, None, int(ends[-1]), memory.headroom(None))
        indptr = np.zeros(len(mine) + 1, np.int64)
        for start, end in itertools.pairwise(counting.split_rows(ends, PAIRS_PER_MESSAGE)):
            some = mine[start:end]
            parts = await asyncio.gather(*(self._ask(machine, "get_rows", "partial", some) for machine in machines))
            runs = [
                csr.Csr(sums, columns, np.concatenate([[0], np.cumsum(of_machine[start:end])]))
                for (columns, sums), of_machine in zip(parts, lengths, strict=True)
            ]
            whole = await asyncio.to_thread(self._add_up, runs, edges[-1])
            await asyncio.to_thread(store.write, int(indptr[start]), whole.indices, whole.data)
            indptr[start + 1 : end + 1] = indptr[start] + whole.indptr[1:]
        rows = store.finish(indptr)
        n = int(indptr[-1])
        return self._hold(edges[self.machine], csr.Csr(rows.data[:n], rows.indices[:n], indptr, rows.scratch))

    def _add_up(self, runs: list[csr.Csr], n_words: int) -> csr.Csr:
        """Add up a few rows in memory."""
        open_writer = partial(csr.CsrWriter, np.uint64, None, None)
        return counting.merge(runs, n_words, open_writer, self.threads, MERGE_BYTES)

    # ---- existing counts

    async def receive_rows(self, first: int, data: Any, indices: Any, indptr: Any) -> ShardInfo:
        """Store rows that the driver sends."""
        return self._hold(first, csr.Csr(data, indices, indptr))

    async def read_counts(self, place: str, checksums: dict[str, int], edges: Sequence[int]) -> ShardInfo | None:
        """Read the range of rows of this machine from saved counts; return None if it cannot find them."""
        if await asyncio.to_thread(shards.checksums, place) != checksums:
            return None
        first, last = edges[self.machine], edges[self.machine + 1]
        return self._hold(first, await asyncio.to_thread(shards.read_rows, place, first, last, edges[-1], checksums))

    # ---- rows

    def _hold(self, first: int, rows: csr.Csr) -> ShardInfo:
        self.rows["complete"] = first, rows
        return ShardInfo(np.diff(rows.indptr), float(rows.data.max(initial=0)))

    async def summarize(
        self, n_contexts: int, largest: float, step: int, first_pairs: Sequence[int]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float32]]:
        """Return the sums of the rows that this machine holds, those of their columns, and every `step`-th count.

        `largest` is the largest count of all machines, and `first_pairs` are the numbers of their first pairs.
        """
        rows, quantum = self.rows["complete"][1], csr.quantum(largest, n_contexts)
        sums = await asyncio.to_thread(csr.marginals, rows.data, rows.indices, rows.indptr, n_contexts, quantum)
        return *sums, rows.data[-first_pairs[self.machine] % step :: step].copy()

    async def free_rows(self, name: str) -> None:
        """Free rows, when all machines have fetched what they need."""
        self.rows.pop(name, None)
        self.text = None

    async def row_lengths(self, name: str, rows: RowNumbers) -> NDArray[np.int64]:
        """Return the lengths of some rows."""
        first, held = self.rows[name]
        return np.diff(held.indptr)[rows - first]

    async def get_rows(self, name: str, rows: RowNumbers) -> tuple[Any, Any]:
        """Return columns and values of some rows."""
        first, held = self.rows[name]
        found = await asyncio.to_thread(csr.take_rows, held, rows - first)
        return found.indices, found.data

    async def _fetch_rows(self, name: str, wanted: Sequence[tuple[int, RowNumbers]], dtype: Any) -> csr.Csr:
        """Fetch rows from the machines that hold them; `wanted` lists machines and row numbers."""
        lengths = await asyncio.gather(*(self._ask(machine, "row_lengths", name, rows) for machine, rows in wanted))
        indptr = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
        store = csr.CsrWriter(dtype, None, None, int(indptr[-1]), memory.headroom(None))
        begins = np.cumsum([0, *map(len, lengths)])

        async def fetch(machine: int, rows: RowNumbers, begin: int) -> None:
            places = indptr[begin : begin + len(rows) + 1]
            for start, end in itertools.pairwise(counting.split_rows(places, PAIRS_PER_MESSAGE)):
                found = await self._ask(machine, "get_rows", name, rows[start:end])
                await asyncio.to_thread(store.write, int(places[start]), *found)

        await asyncio.gather(*(fetch(*each, begin) for each, begin in zip(wanted, begins.tolist(), strict=False)))
        return store.finish(indptr)
