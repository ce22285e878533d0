"""Training on the machines of a cluster: each holds its words and their pairs, and passes contexts around a ring.

A machine holds the word blocks from lo to hi for the whole run. In stratum s it needs the context blocks from lo + s to
hi + s (modulo the number of blocks), so after each stratum one block leaves and one arrives. Every machine computes
this from the partition. No machine waits for the end of a stratum: a cell runs as soon as its two blocks are free, and
blocks travel while other cells run.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank._utils import threads
from gensim_wordrank.cluster.peer import STRAGGLER_FACTOR, NoAnswerError, Peer, RowNumbers
from gensim_wordrank.cooccurrence.csr import Csr
from gensim_wordrank.training.blocks import Block
from gensim_wordrank.training.partition import EpochPartition, Partition
from gensim_wordrank.training.sampled import PartitionEpoch, TrainingConfig
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State
from gensim_wordrank.training.stored import kept_xi, updated_xi
from gensim_wordrank.types import Vectors

# what machines send each other: vectors with their biases, and AdaGrad accumulators
Rows = tuple[Vectors, Vectors]
# blocks of contexts are sent together until they have this many bytes
BYTES_PER_MESSAGE = 1 << 23


@dataclass(frozen=True)
class Ring:
    """Machines in a ring, each with adjacent blocks of words.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank import Cooccurrence
    >>> from gensim_wordrank.cluster.training import Ring
    >>> from gensim_wordrank.training.partition import Partition
    >>> partition = Partition.of(Cooccurrence.from_matrix(np.eye(3000)).summarize(), seed=1)
    >>> Ring(partition, n_machines=3).word_blocks(1)
    range(2, 5)
    """

    partition: Partition
    n_machines: int

    def word_blocks(self, machine: int) -> range:
        """Return the blocks of words that a machine holds."""
        n_blocks = self.partition.n_blocks
        return range(machine * n_blocks // self.n_machines, (machine + 1) * n_blocks // self.n_machines)

    def next(self, machine: int) -> int:
        """Return the machine that sends blocks of contexts to a machine."""
        return (machine + 1) % self.n_machines

    def leaving(self, machine: int, stratum: int) -> int:
        """Return the block of contexts that leaves a machine in a stratum."""
        return self.partition.context_block(self.word_blocks(machine).start, stratum)

    def last_blocks(self, machine: int) -> list[int]:
        """Return the blocks of contexts that a machine holds after an epoch."""
        return [self.partition.context_block(q, self.partition.n_blocks - 1) for q in self.word_blocks(machine)]

    def words(self, machine: int) -> NDArray[np.int32]:
        """Return the words that a machine holds, block after block."""
        return np.concatenate([self.partition.word_blocks[q] for q in self.word_blocks(machine)])

    def first_contexts(self, machine: int, contexts: EpochPartition) -> NDArray[np.int64]:
        """Return the contexts that a machine holds before an epoch, block after block."""
        blocks = self.word_blocks(machine)
        return contexts.order[contexts.offsets[blocks.start] : contexts.offsets[blocks.stop]]

    def last_contexts(self, machine: int, contexts: EpochPartition) -> NDArray[np.int64]:
        """Return the contexts that a machine holds after an epoch, block after block."""
        return np.concatenate([contexts.block(b) for b in self.last_blocks(machine)])

    def holders(self, contexts: EpochPartition) -> NDArray[np.int64]:
        """Return the machine that holds each context after an epoch."""
        holder_of_block = np.empty(self.partition.n_blocks, np.int64)
        for machine in range(self.n_machines):
            holder_of_block[self.last_blocks(machine)] = machine
        return holder_of_block[contexts.block_of]


class EpochReport(NamedTuple):
    """What a machine reports after an epoch."""

    losses: NDArray[np.float64]  # of its cells: a row per stratum
    weight: float  # the sum of the weights r of its pairs
    is_finite: bool  # whether all its parameters are
    seconds: float  # of the epoch
    waited: float  # seconds in which no thread had a cell, because blocks of other machines were missing


class CellQueue:
    """The cells of a machine in an epoch; each is ready as soon as its two blocks are free.

    The cell of word block i in stratum s follows the cells of i and of i + 1 in stratum s - 1. In place of the latter,
    the last word block waits for a block of contexts from another machine. Of the cells that are ready, that of the
    earliest stratum and the first word block runs first, because other machines need its contexts soonest.

    Examples
    --------
    >>> from gensim_wordrank.cluster.training import CellQueue
    >>> cells, order = CellQueue(n_blocks=2, n_strata=2), []
    >>> cells.arrive(stratum=1)
    >>> cells.run(lambda stratum, i: order.append((stratum, i)), workers=1)
    >>> order
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    def __init__(self, n_blocks: int, n_strata: int) -> None:
        self.n_blocks, self.n_strata = n_blocks, n_strata
        self.ready = [(0, i) for i in range(n_blocks)]  # a heap
        self.missing = [bytearray(b"\2" * n_blocks) for _ in range(n_strata)]  # blocks that each cell waits for
        self.running = self.done = 0
        self.changed, self.stopped = threading.Condition(), False
        self.started, self.waited = perf_counter(), 0.0
        self.idle_since: float | None = None  # without a ready or running cell

    def run(self, run_cell: Callable[[int, int], None], workers: int) -> None:
        """Call ``run_cell(stratum, i)`` for all cells on `workers` threads."""
        try:
            for _ in threads.parallel_map(self._work, [(run_cell,)] * min(workers, self.n_blocks), workers):
                pass
        finally:  # after an error, the other threads stop after their current cell
            self.stop()

    def arrive(self, stratum: int) -> None:
        """Let the last word block run in a stratum: its contexts have arrived."""
        with self.changed:
            self._release(stratum, self.n_blocks - 1)

    def stop(self) -> None:
        """Run no further cells."""
        with self.changed:
            self.stopped = True
            self.changed.notify_all()

    def idle_seconds(self) -> float:
        """Return for how long no cell could run."""
        with self.changed:
            return 0.0 if self.idle_since is None else perf_counter() - self.idle_since

    def seconds_per_stratum(self) -> float:
        """Return the mean time that this machine has worked on a stratum."""
        with self.changed:
            end = perf_counter() if self.idle_since is None else self.idle_since
            return (end - self.started - self.waited) * self.n_blocks / max(self.done, self.n_blocks)

    def _work(self, run_cell: Callable[[int, int], None]) -> None:
        while True:
            with self.changed:
                while not self.ready and not self.stopped:
                    self.changed.wait()
                if self.stopped:
                    return
                stratum, i = heappop(self.ready)
                self.running += 1
            run_cell(stratum, i)
            with self.changed:
                self.running -= 1
                self.done += 1
                if stratum + 1 < self.n_strata:
                    self._release(stratum + 1, i)
                    if i:
                        self._release(stratum + 1, i - 1)
                if self.done == self.n_blocks * self.n_strata:
                    self.stopped = True
                    self.changed.notify_all()
                elif not self.running and not self.ready:
                    self.idle_since = perf_counter()

    def _release(self, stratum: int, i: int) -> None:
        """Note that one of the blocks of a cell is free."""
        self.missing[stratum][i] -= 1
        if not self.missing[stratum][i]:
            heappush(self.ready, (stratum, i))
            if self.idle_since is not None:
                self.waited += perf_counter() - self.idle_since
                self.idle_since = None
            self.changed.notify()


class TrainingPeer(Peer):
    """An actor that trains the words of its machine with all contexts."""

    config: TrainingConfig
    ring: Ring
    partition: Callable[[int], EpochPartition]

    def _reset(self) -> None:
        super()._reset()
        nothing = np.empty(0, np.float32)
        self.counts = Csr(nothing, np.empty(0, np.int32), np.zeros(1, np.int64))
        self.words = self.contexts_after = Block(nothing.reshape(0, 0), nothing)
        self.xi: Vectors | None = None  # stored, of the pairs of these words
        self.contexts: dict[int, Block] = {}
        self.arrived: dict[int, Rows] = {}  # contexts that no cell has used yet
        self.epoch = -1  # to which `contexts` belong
        self.outgoing: asyncio.Queue[Rows] = asyncio.Queue()  # blocks of contexts, stratum after stratum
        self.cells = CellQueue(0, 0)
        self.kept: tuple[RowNumbers, RowNumbers, State] | None = None

    # ---- before training

    async def join_ring(
        self, config: TrainingConfig, n_machines: int, edges: Sequence[int], epoch: int
    ) -> tuple[RowNumbers, RowNumbers]:
        """Join the ring and fetch the pairs of this machine's words; `edges` are the row ranges of all machines.

        Returns the words and the contexts whose parameters :meth:`load` expects.
        """
        self.config, self.ring = config, Ring(config.partition, n_machines)
        self.partition = lru_cache(maxsize=2)(config.partition.at)
        words = self.ring.words(self.machine)
        self.mine = np.sort(words)
        parts = np.split(self.mine, np.searchsorted(self.mine, edges[1:-1]))
        self.counts = await self._fetch_rows("complete", list(enumerate(parts)), np.float32)
        return words, self.ring.first_contexts(self.machine, self.partition(epoch))

    async def load(self, state: State) -> None:
        """Store the parameters of this machine's words and contexts."""
        words, contexts = state.with_bias()
        words[:, -1] *= self.config.method.has_bias
        self.words = Block.padded(words, state.word_accumulator)
        self.xi = state.xi if self.config.method.stores_xi else None
        self._begin_with(state.epoch, (contexts, state.context_accumulator))

    # ---- an epoch

    async def update_xi(self, contexts: Vectors) -> None:
        """Compute xi of the pairs of this machine's words from all contexts: step 2 of Algorithm 2."""
        words = np.empty((len(self.mine), self.config.vector_size + 1), np.float32)
        words[np.searchsorted(self.mine, self.ring.words(self.machine))] = self.words.vectors[:, : words.shape[1]]
        objective, rows = self.config.objective, self._rows()
        self.xi = await asyncio.to_thread(updated_xi, objective, self.counts, words, contexts, rows, self.threads)

    def _rows(self) -> list[NDArray[np.int32]]:
        """Return the rows of `counts` that belong to each block of words."""
        members = [self.config.partition.word_blocks[q] for q in self.ring.word_blocks(self.machine)]
        return [np.searchsorted(self.mine, words).astype(np.int32) for words in members]

    async def run(self, epoch: int, point: SchedulePoint) -> EpochReport:
        """Train the words of this machine with all contexts, which arrive and leave in blocks."""
        started, self.cells = perf_counter(), CellQueue(0, 0)
        if self.epoch != epoch:
            self._begin_with(epoch, await self._collect(epoch))
        waited = perf_counter() - started
        blocks, rows = self.ring.word_blocks(self.machine), self._rows()
        offsets = np.cumsum([0, *map(len, rows)])
        words = [self.words.part(start, end) for start, end in itertools.pairwise(offsets)]
        work = await asyncio.to_thread(
            PartitionEpoch, self.config, self.partition(epoch), epoch, point, blocks, words, self.counts, rows, self.xi
        )
        losses = await self._run_cells(work)
        is_finite = await asyncio.to_thread(self._finish)
        return EpochReport(losses, work.weight(), is_finite, perf_counter() - started, waited + self.cells.waited)

    async def _run_cells(self, work: PartitionEpoch) -> NDArray[np.float64]:
        """Run all cells; meanwhile fetch blocks from the next machine, and let others fetch them here."""
        loop, partition, n_blocks = asyncio.get_running_loop(), self.config.partition, len(work.numbers)
        losses, is_alone = np.empty((partition.n_blocks, n_blocks)), self.ring.next(self.machine) == self.machine
        cells = self.cells = CellQueue(n_blocks, partition.n_blocks)

        def run_cell(stratum: int, i: int) -> None:
            b = partition.context_block(work.numbers[i], stratum)
            if b in self.arrived:
                self.contexts[b] = Block.padded(*self.arrived.pop(b))
            losses[stratum, i] = work.run_cell(stratum, i, self.contexts[b])
            if i or stratum + 1 == partition.n_blocks:
                return
            if is_alone:
                cells.arrive(stratum + 1)
            else:
                rows = self.contexts.pop(b).unpadded(self.config.vector_size)
                loop.call_soon_threadsafe(self.outgoing.put_nowait, rows)

        fetching, pool = asyncio.ensure_future(self._fetch_blocks(cells)), ThreadPoolExecutor(1)
        try:  # not on the threads of `to_thread`, of which several workers of one process could take all
            await asyncio.gather(loop.run_in_executor(pool, cells.run, run_cell, self.threads), fetching)
        finally:  # after an error, the threads stop after their current cells
            cells.stop()
            fetching.cancel()
            pool.shutdown(wait=False)
        return losses

    def _finish(self) -> bool:
        """Concatenate the blocks of contexts; return True if all parameters are finite."""
        blocks = [self.contexts[b] for b in self.ring.last_blocks(self.machine)]
        self.contexts_after = Block(
            np.concatenate([block.vectors for block in blocks]), np.concatenate([block.accumulator for block in blocks])
        )
        self.contexts = {}
        return self.words.is_finite() and self.contexts_after.is_finite()

    async def cells_done(self, epoch: int) -> int:
        """Return how many cells of an epoch are done."""
        return self.cells.done if self.epoch == epoch else 0

    async def keep_state(self) -> None:
        """Keep a copy of the state for :meth:`get_state`: the next epoch changes it."""
        self.kept = self._state()

    async def get_state(self) -> tuple[RowNumbers, RowNumbers, State]:
        """Return the words of this machine, the contexts that it holds after an epoch, and the parameters of both."""
        kept, self.kept = self.kept, None
        return kept or self._state()

    def _state(self) -> tuple[RowNumbers, RowNumbers, State]:
        size, epoch, words, contexts = self.config.vector_size, self.epoch, self.words, self.contexts_after
        state = State(
            words.vectors[:, :size].copy(), contexts.vectors[:, :size].copy(), contexts.vectors[:, size].copy(),
            words.accumulator.copy(), contexts.accumulator.copy(), epoch + 1,
        )  # fmt: skip
        if self.xi is not None:
            state.xi = kept_xi(self.config.method, self.xi, epoch + 1)
        return self.ring.words(self.machine), self.ring.last_contexts(self.machine, self.partition(epoch)), state

    # ---- contexts within an epoch

    async def _fetch_blocks(self, cells: CellQueue) -> None:
        """Fetch the blocks that leave the next machine; give up when no cell could run for too long."""
        sender, stratum = self.ring.next(self.machine), 1
        while sender != self.machine and stratum < self.config.partition.n_blocks:
            coming = asyncio.ensure_future(self._unless_stopped(self.peers[sender].send_blocks()))
            try:
                while not (await asyncio.wait({coming}, timeout=self.timeout / 10))[0]:
                    limit = max(self.timeout, STRAGGLER_FACTOR * cells.seconds_per_stratum())
                    if cells.idle_seconds() > limit:
                        raise NoAnswerError(limit)
            finally:
                coming.cancel()
            for rows in coming.result():
                self.arrived[self.ring.leaving(sender, stratum - 1)] = rows
                cells.arrive(stratum)
                stratum += 1

    async def send_blocks(self) -> list[Rows]:
        """Return the blocks that have left this machine, as soon as there is one."""
        blocks = [await self._unless_stopped(self.outgoing.get())]
        n_bytes = sum(array.nbytes for array in blocks[0])
        while not self.outgoing.empty() and (len(blocks) + 1) * n_bytes <= BYTES_PER_MESSAGE:
            blocks.append(self.outgoing.get_nowait())
        return blocks

    async def stop(self) -> list[int]:
        """End all waiting and training; return the machines that this one waited for."""
        is_idle = self.cells.idle_seconds() > 0
        self.cells.stop()
        awaited = [self.ring.next(self.machine)] if is_idle else []
        return await super().stop() + awaited

    # ---- contexts between epochs, which partition them differently

    def _begin_with(self, epoch: int, contexts: Rows) -> None:
        blocks, edges = self.ring.word_blocks(self.machine), self.partition(epoch).offsets
        whole = Block.padded(*contexts)
        first = edges[blocks.start]
        self.contexts = {b: whole.part(edges[b] - first, edges[b + 1] - first) for b in blocks}
        self.epoch = epoch

    async def _collect(self, epoch: int) -> Rows:
        """Fetch the contexts with which this machine begins an epoch from the machines that hold them."""
        wanted = self.ring.first_contexts(self.machine, self.partition(epoch))
        holders = self.ring.holders(self.partition(epoch - 1))[wanted]
        values = np.empty((len(wanted), self.config.vector_size + 1), np.float32)
        accumulator = np.empty(len(wanted), np.float32)

        async def collect(machine: int) -> None:
            received = await self._ask(machine, "send_contexts", epoch, self.machine)
            values[holders == machine], accumulator[holders == machine] = received

        await asyncio.gather(*(collect(machine) for machine in range(self.ring.n_machines)))
        return values, accumulator

    async def send_contexts(self, epoch: int, machine: int) -> Rows:
        """Return the contexts on this machine with which another begins an epoch, in the order of that machine."""
        wanted = self.ring.first_contexts(machine, self.partition(epoch))
        held = self.ring.last_contexts(self.machine, self.partition(epoch - 1))
        place = np.full(self.config.partition.n_contexts, -1)
        place[held] = np.arange(len(held))
        rows = place[wanted]
        rows = rows[rows >= 0]
        after = self.contexts_after
        return after.vectors[rows, : self.config.vector_size + 1], after.accumulator[rows]
