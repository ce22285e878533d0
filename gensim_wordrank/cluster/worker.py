"""What runs on a machine of a cluster: it holds words and their pairs for good, and passes contexts around the ring."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import lru_cache
from time import perf_counter
from typing import NamedTuple

import numpy as np

from gensim_wordrank.cluster.counter import Counter
from gensim_wordrank.cluster.ring import Ring
from gensim_wordrank.cooccurrence.csr import Csr
from gensim_wordrank.training.blocks import Block
from gensim_wordrank.training.partition import ContextPartition
from gensim_wordrank.training.sampled import PartitionEpoch, TrainingConfig
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.types import Vectors

# vectors with their bias, and their sums of squared gradients: what travels
Bare = tuple[Vectors, Vectors]


class Done(NamedTuple):
    """What a machine reports after an epoch."""

    losses: list[list[float]]  # of its cells, stratum by stratum
    finite: bool  # whether all its numbers are
    seconds: float  # that the epoch took
    waited: float  # of these, for other machines


class RingWorker(Counter):
    """A machine that trains its words with all contexts."""

    recipe: TrainingConfig
    ring: Ring
    deal: Callable[[int], ContextPartition]

    def _forget(self) -> None:
        super()._forget()
        nothing = np.empty(0, np.float32)
        self.counts = Csr(nothing, np.empty(0, np.int32), np.zeros(1, np.int64))
        self.words = self.contexts_after = Block(nothing.reshape(0, 0), nothing)
        self.contexts: dict[int, Block] = {}
        self.next_epoch = -1  # for which `contexts` were dealt
        self.offers: dict[tuple[int, int], asyncio.Future[Block]] = {}
        self.waited = 0.0

    # ---- before training

    async def take_place(self, recipe: TrainingConfig, n_machines: int, edges: Sequence[int]) -> None:
        """Take a place in a ring, and bring the pairs of its words here; `edges` tell which rows a machine holds."""
        self.recipe, self.ring = recipe, Ring(recipe.plan, n_machines)
        self.deal = lru_cache(maxsize=2)(recipe.plan.deal)
        self.mine = np.sort(self.ring.words(self.machine))
        parts = np.split(self.mine, np.searchsorted(self.mine, edges[1:-1]))
        self.counts = await self._brought("held", list(enumerate(parts)), np.float32)

    async def forget_rows(self) -> None:
        """Free the rows that this machine held for others, when all have their own."""
        self.rows = {}

    async def load(self, epoch: int, words: Bare, contexts: Bare) -> None:
        """Take the vectors of this machine's words, and of the contexts with which it begins an epoch."""
        self.words = Block.padded(*words)
        self._begin_with(epoch, contexts)

    # ---- an epoch

    async def run(self, epoch: int, pace: SchedulePoint) -> Done:
        """Train this machine's words with all contexts, which come and go."""
        started, self.waited = perf_counter(), 0.0
        if self.next_epoch != epoch:
            self._begin_with(epoch, await self._collect(epoch))
            self.waited = perf_counter() - started
        blocks = self.ring.word_blocks(self.machine)
        edges = self.recipe.plan.word_edges()[blocks.start : blocks.stop + 1]
        parts = list(zip(edges[:-1] - edges[0], edges[1:] - edges[0], strict=True))
        rows = [np.searchsorted(self.mine, self.recipe.plan.word_blocks[q]).astype(np.int32) for q in blocks]
        words = [self.words.part(start, end) for start, end in parts]
        share = await asyncio.to_thread(
            PartitionEpoch, self.recipe, self.deal(epoch), epoch, pace, blocks, words, self.counts, rows
        )
        losses = [await self._stratum(share, stratum) for stratum in range(self.recipe.plan.n_blocks)]
        finite = await asyncio.to_thread(self._finish)
        return Done(losses, finite, perf_counter() - started, self.waited)

    async def _stratum(self, share: PartitionEpoch, stratum: int) -> list[float]:
        """Run the cells of a stratum; meanwhile give the first block away and get the one that comes next."""
        loop, leaving = asyncio.get_running_loop(), self.ring.leaving(self.machine, stratum)
        last = stratum + 1 == self.recipe.plan.n_blocks

        def tell(block: int) -> None:
            if block == leaving and not last:
                loop.call_soon_threadsafe(self._offer, share.epoch, stratum, block)

        coming = None if last else asyncio.ensure_future(self._pull(share.epoch, stratum))
        try:
            started = perf_counter()
            losses = await asyncio.to_thread(share.run, stratum, self.contexts.__getitem__, self.threads, tell)
            if coming is not None:
                after, worked = self.ring.after(self.machine), perf_counter() - started
                self.contexts[self.ring.leaving(after, stratum)] = await self._wait(coming, after, worked)
                self.waited += perf_counter() - started - worked
        finally:
            if coming is not None:
                coming.cancel()
        return losses

    def _finish(self) -> bool:
        """Keep the contexts of the epoch in one piece; say whether all vectors are numbers."""
        blocks = [self.contexts[b] for b in self.ring.last_blocks(self.machine)]
        self.contexts_after = Block(
            np.concatenate([block.vectors for block in blocks]), np.concatenate([block.past for block in blocks])
        )
        self.contexts = {}
        return self.words.is_finite() and self.contexts_after.is_finite()

    async def report(self) -> tuple[Bare, Bare]:
        """Return the vectors of this machine's words, and of the contexts it holds after an epoch."""
        size = self.recipe.size
        return self.words.bare(size), self.contexts_after.bare(size)

    # ---- contexts within an epoch

    async def _pull(self, epoch: int, stratum: int) -> Block:
        """Get the block that the next machine gives away in a stratum."""
        after = self.ring.after(self.machine)
        if after == self.machine:
            return await self._given(epoch, stratum)
        return Block.padded(*await self.peers[after].give(epoch, stratum))

    async def give(self, epoch: int, stratum: int) -> Bare:
        """Give the block away that leaves this machine in a stratum, as soon as its cell is done."""
        return (await self._given(epoch, stratum)).bare(self.recipe.size)

    async def _given(self, epoch: int, stratum: int) -> Block:
        block: Block = await self._or_stop(self._offered(epoch, stratum))
        del self.offers[epoch, stratum]
        return block

    def _offer(self, epoch: int, stratum: int, block: int) -> None:
        self._offered(epoch, stratum).set_result(self.contexts.pop(block))

    def _offered(self, epoch: int, stratum: int) -> asyncio.Future[Block]:
        return self.offers.setdefault((epoch, stratum), asyncio.get_running_loop().create_future())

    # ---- contexts between epochs, which are dealt anew

    def _begin_with(self, epoch: int, contexts: Bare) -> None:
        blocks, edges = self.ring.word_blocks(self.machine), self.deal(epoch).edges
        whole = Block.padded(*contexts)
        first = edges[blocks.start]
        self.contexts = {b: whole.part(edges[b] - first, edges[b + 1] - first) for b in blocks}
        self.next_epoch = epoch

    async def _collect(self, epoch: int) -> Bare:
        """Collect the contexts with which this machine begins an epoch from the machines that hold them."""
        wanted = self.ring.first_contexts(self.machine, self.deal(epoch))
        holders = self.ring.holders(self.deal(epoch - 1))[wanted]
        values, past = np.empty((len(wanted), self.recipe.size + 1), np.float32), np.empty(len(wanted), np.float32)

        async def collect(machine: int) -> None:
            if machine == self.machine:
                given = await self.give_dealt(epoch, machine)
            else:
                given = await self._wait(self.peers[machine].give_dealt(epoch, self.machine), machine, 0.0)
            values[holders == machine], past[holders == machine] = given

        await asyncio.gather(*(collect(machine) for machine in range(self.ring.n_machines)))
        return values, past

    async def give_dealt(self, epoch: int, machine: int) -> Bare:
        """Return those contexts of this machine with which another begins an epoch, in the order it has them."""
        return await asyncio.to_thread(self._dealt, self.deal(epoch), self.deal(epoch - 1), machine)

    def _dealt(self, new: ContextPartition, old: ContextPartition, machine: int) -> Bare:
        wanted = self.ring.first_contexts(machine, new)
        held = self.ring.last_contexts(self.machine, old)
        place = np.full(self.recipe.plan.n_contexts, -1)
        place[held] = np.arange(len(held))
        rows = place[wanted]
        rows = rows[rows >= 0]
        return self.contexts_after.vectors[rows, : self.recipe.size + 1], self.contexts_after.past[rows]
