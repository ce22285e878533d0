"""Training on the machines of a cluster: each holds its words and their pairs, and passes contexts around a ring.

A machine holds the word blocks from lo to hi for the whole run. In stratum s it needs the context blocks from lo + s to
hi + s (modulo the number of blocks), so after each stratum one block leaves and one arrives. Every machine computes
this from the partition.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank.cluster.peer import Peer, RowNumbers
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

    losses: list[list[float]]  # of its cells, per stratum
    weight: float  # the sum of the weights r of its pairs
    is_finite: bool  # whether all its parameters are
    seconds: float  # of the epoch
    waited: float  # seconds spent waiting for other machines


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
        self.epoch = -1  # to which `contexts` belong
        self.outgoing: asyncio.Queue[Block] = asyncio.Queue()  # blocks of contexts, stratum after stratum
        self.waited = 0.0

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
        started, self.waited = perf_counter(), 0.0
        if self.epoch != epoch:
            self._begin_with(epoch, await self._collect(epoch))
            self.waited = perf_counter() - started
        blocks = self.ring.word_blocks(self.machine)
        rows = self._rows()
        offsets = np.cumsum([0, *map(len, rows)])
        words = [self.words.part(start, end) for start, end in itertools.pairwise(offsets)]
        work = await asyncio.to_thread(
            PartitionEpoch,
            self.config,
            self.partition(epoch),
            epoch,
            point,
            blocks,
            words,
            self.counts,
            rows,
            self.xi,
        )
        losses = [await self._run_stratum(work, stratum) for stratum in range(self.config.partition.n_blocks)]
        is_finite = await asyncio.to_thread(self._finish)
        return EpochReport(losses, work.weight(), is_finite, perf_counter() - started, self.waited)

    async def _run_stratum(self, work: PartitionEpoch, stratum: int) -> list[float]:
        """Run the cells of a stratum; meanwhile pass the first block on and fetch the next one."""
        loop, leaving = asyncio.get_running_loop(), self.ring.leaving(self.machine, stratum)
        last = stratum + 1 == self.config.partition.n_blocks

        def on_cell_done(block: int) -> None:
            if block == leaving and not last:
                loop.call_soon_threadsafe(self.outgoing.put_nowait, self.contexts.pop(block))

        coming = None if last else asyncio.ensure_future(self._fetch())
        try:
            started = perf_counter()
            losses = await asyncio.to_thread(
                work.run_stratum, stratum, self.contexts.__getitem__, self.threads, on_cell_done
            )
            if coming is not None:
                sender, worked = self.ring.next(self.machine), perf_counter() - started
                self.contexts[self.ring.leaving(sender, stratum)] = await self._wait(coming, sender, worked)
                self.waited += perf_counter() - started - worked
        finally:
            if coming is not None:
                coming.cancel()
        return losses

    def _finish(self) -> bool:
        """Concatenate the blocks of contexts; return True if all parameters are finite."""
        blocks = [self.contexts[b] for b in self.ring.last_blocks(self.machine)]
        self.contexts_after = Block(
            np.concatenate([block.vectors for block in blocks]), np.concatenate([block.accumulator for block in blocks])
        )
        self.contexts = {}
        return self.words.is_finite() and self.contexts_after.is_finite()

    async def get_state(self) -> tuple[RowNumbers, RowNumbers, State]:
        """Return the words of this machine, the contexts that it holds after an epoch, and the parameters of both."""
        size, epoch = self.config.vector_size, self.epoch
        words, word_accumulator = self.words.unpadded(size)
        contexts, context_accumulator = self.contexts_after.unpadded(size)
        state = State(
            words[:, :size], contexts[:, :size], contexts[:, size], word_accumulator, context_accumulator, epoch + 1,
        )  # fmt: skip
        if self.xi is not None:
            state.xi = kept_xi(self.config.method, self.xi, epoch + 1)
        return self.ring.words(self.machine), self.ring.last_contexts(self.machine, self.partition(epoch)), state

    # ---- contexts within an epoch

    async def _fetch(self) -> Block:
        """Fetch the block that leaves the next machine in this stratum."""
        sender = self.ring.next(self.machine)
        if sender == self.machine:
            return await self.outgoing.get()
        return Block.padded(*await self.peers[sender].send_block())

    async def send_block(self) -> Rows:
        """Return the next block that leaves this machine, as soon as its cell is done."""
        block: Block = await self._unless_stopped(self.outgoing.get())
        return block.unpadded(self.config.vector_size)

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
