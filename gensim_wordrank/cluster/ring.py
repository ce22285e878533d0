"""Which machine holds which blocks, and when: arithmetic on the plan that every machine does for itself.

Machine m of p holds the word blocks from lo to hi for good. In stratum s it needs the context blocks from lo + s to
hi + s (all modulo the number of blocks): from one stratum to the next, one block leaves it and one comes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank.training.partition import ContextPartition, Partition


@dataclass(frozen=True)
class Ring:
    """Machines in a circle, each with neighbouring blocks of words.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank import Cooccurrence
    >>> from gensim_wordrank.cluster.ring import Ring
    >>> from gensim_wordrank.training.partition import Partition
    >>> Ring(Partition.of(Cooccurrence.from_matrix(np.eye(3000)), seed=1), n_machines=3).word_blocks(1)
    range(2, 5)
    """

    plan: Partition
    n_machines: int

    def word_blocks(self, machine: int) -> range:
        """Return the blocks of words that a machine holds."""
        n_blocks = self.plan.n_blocks
        return range(machine * n_blocks // self.n_machines, (machine + 1) * n_blocks // self.n_machines)

    def after(self, machine: int) -> int:
        """Return the machine from which a machine gets blocks of contexts."""
        return (machine + 1) % self.n_machines

    def leaving(self, machine: int, stratum: int) -> int:
        """Return the block of contexts that a machine gives away when it has met it in a stratum."""
        return self.plan.context_block(self.word_blocks(machine).start, stratum)

    def last_blocks(self, machine: int) -> list[int]:
        """Return the blocks of contexts that a machine holds after an epoch."""
        return [self.plan.context_block(q, self.plan.n_blocks - 1) for q in self.word_blocks(machine)]

    def words(self, machine: int) -> NDArray[np.int32]:
        """Return the words that a machine holds, block after block."""
        return np.concatenate([self.plan.word_blocks[q] for q in self.word_blocks(machine)])

    def first_contexts(self, machine: int, deal: ContextPartition) -> NDArray[np.int64]:
        """Return the contexts that a machine begins an epoch with, block after block."""
        blocks = self.word_blocks(machine)
        return deal.order[deal.edges[blocks.start] : deal.edges[blocks.stop]]

    def last_contexts(self, machine: int, deal: ContextPartition) -> NDArray[np.int64]:
        """Return the contexts that a machine holds after an epoch, block after block."""
        edges = deal.edges
        return np.concatenate([deal.order[edges[b] : edges[b + 1]] for b in self.last_blocks(machine)])

    def holders(self, deal: ContextPartition) -> NDArray[np.int64]:
        """Return the machine that holds each context after an epoch."""
        holder_of_block = np.empty(self.plan.n_blocks, np.int64)
        for machine in range(self.n_machines):
            holder_of_block[self.last_blocks(machine)] = machine
        return holder_of_block[deal.block_of]
