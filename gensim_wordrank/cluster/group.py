"""The actors on the machines of a cluster that count and train together, as the driver sees them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import numpy as np
from distributed import Client
from distributed.comm import get_address_host
from numpy.typing import NDArray

from gensim_wordrank.cluster.counting import PAIRS_PER_MESSAGE, ShardInfo
from gensim_wordrank.cluster.peer import check_environments
from gensim_wordrank.cluster.shards import TextShard, checksums, shared_directory
from gensim_wordrank.cluster.training import EpochReport, Ring, Rows, TrainingPeer
from gensim_wordrank.cooccurrence import counting, csr
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.text.corpus import VocabCounts
from gensim_wordrank.training.sampled import TrainingConfig, estimate_loss
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State
from gensim_wordrank.types import Vectors

Result = TypeVar("Result")


@dataclass(frozen=True)
class Timeouts:
    """How long to wait for machines, in seconds."""

    answer: float = 60.0  # for an answer that takes no time by itself
    start: float = 60.0  # until a worker has loaded this package
    stop: float = 5.0  # for the answer to a request to stop
    replacement: float = 10.0  # until Dask has replaced a lost worker; then it is restarted over SSH, or left out


class MachineError(Exception):
    """A call to one machine failed."""

    def __init__(self, machine: int, cause: BaseException) -> None:
        super().__init__(machine, cause)
        self.machine, self.cause = machine, cause


class WorkerGroup:
    """One actor on each of some Dask workers.

    Parameters
    ----------
    client : distributed.Client
        Client of the cluster.
    workers : mapping of str to int
        Addresses of workers, and the number of threads of each.
    timeouts : Timeouts
        How long to wait for machines.
    """

    config: TrainingConfig
    ring: Ring

    def __init__(self, client: Client, workers: Mapping[str, int], timeouts: Timeouts) -> None:
        self.client, self.workers, self.timeouts = client, list(workers), timeouts
        self.threads = list(workers.values())
        self.texts: object = None  # what the machines have read
        self.counts: object = None  # whose rows they hold
        self.edges: list[int] = []  # machine i holds the rows from edges[i] to edges[i + 1]
        self.epoch = -1  # epochs done
        self.futures: list[Any] = []
        self.actors: list[Any] = []

    def start(self) -> None:
        """Create the actors, and check that they can work together."""
        self.futures = [
            self.client.submit(TrainingPeer, actor=True, workers=[address], allow_other_workers=False, pure=False)
            for address in self.workers
        ]
        for machine in range(len(self.workers)):
            self.actors.append(self._created(machine))
        found = self._all("environment", [() for _ in self.actors])
        check_environments({self.host(machine): each for machine, each in enumerate(found)})
        self._all("join", [(machine, self.actors, n, self.timeouts.answer) for machine, n in enumerate(self.threads)])

    def _created(self, machine: int) -> Any:
        """Wait for an actor to be created, as long as its worker exists."""
        deadline = monotonic() + self.timeouts.start
        while True:
            try:
                return self.futures[machine].result(timeout=1)
            except asyncio.TimeoutError as error:
                if monotonic() > deadline or self.workers[machine] not in self.client.nthreads():
                    raise MachineError(machine, OSError("the worker did not start to train")) from error
            except (Exception, asyncio.CancelledError) as error:
                raise MachineError(machine, error) from error

    def host(self, machine: int) -> str:
        """Return the host of a machine."""
        return str(get_address_host(self.workers[machine]))

    # ---- texts and rows of counts

    def read(self, texts: Sequence[Sequence[TextShard]]) -> list[VocabCounts]:
        """Let every machine read its shards; those that it cannot read are sent."""
        sent = []
        for machine, shards in enumerate(texts):
            sent.append(np.logical_not(self._one(machine, "can_read", shards)).tolist())
            for number, shard in enumerate(shards):
                for block in shard.blocks() if sent[-1][number] else ():
                    self._one(machine, "receive_text", number, Path(shard.source).suffix, block)
        return self._all("read", list(zip(texts, sent, strict=True)))

    def count(self, words: Sequence[str], window: int, symmetric: bool, distance_weighting: bool) -> list[ShardInfo]:
        """Count the texts that were read; every machine then holds a range of rows."""
        lengths = self._all("count", [(words, window, symmetric, distance_weighting) for _ in self.actors])
        self._assign_rows(np.sum(lengths, axis=0))
        held = self._all("merge", [(self.edges,) for _ in self.actors])
        self._all("free_partial", [() for _ in self.actors])
        self.texts = None
        return held

    def read_counts(
        self, place: str, checksums: Mapping[str, int], indptr: NDArray[np.int64]
    ) -> list[ShardInfo | None]:
        """Let every machine read a range of rows from saved counts; None for those that cannot see them."""
        self._assign_rows(np.diff(indptr))
        return self._all("read_counts", [(place, checksums, self.edges) for _ in self.actors])

    def send_counts(self, counts: Cooccurrence) -> None:
        """Give every machine a range of rows: read from a shared disk if it can, or sent."""
        place, found = shared_directory(counts), list[Any]([None] * len(self.actors))
        self._assign_rows(np.diff(counts.indptr))
        if place is not None:
            found = self.read_counts(place, checksums(place) or {}, counts.indptr)
        for machine, (first, last) in enumerate(pairwise(self.edges)):
            if found[machine] is None:
                part = slice(int(counts.indptr[first]), int(counts.indptr[last]))
                indptr = counts.indptr[first : last + 1] - part.start
                self._one(machine, "receive_rows", first, counts.data[part], counts.indices[part], indptr)

    def _assign_rows(self, lengths: NDArray[np.int64]) -> None:
        """Choose the range of rows of every machine, with about equally many pairs."""
        n_machines, ends = len(self.actors), np.cumsum(lengths)
        inner = np.searchsorted(ends, ends[-1] * np.arange(1, n_machines) / n_machines)
        self.edges = [0, *inner.tolist(), len(lengths)]

    def sums(self, n_contexts: int, quantum: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the sums of the rows that the machines hold, and of the columns."""
        rows, columns = zip(*self._all("sums", [(n_contexts, quantum)] * len(self.actors)), strict=True)
        return np.concatenate(rows), np.sum(columns, axis=0)

    def sample(self, step: int, indptr: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return every `step`-th count of all rows."""
        starts = -indptr[self.edges[:-1]] % step
        return np.concatenate(self._all("sample", [(start, step) for start in starts.tolist()]))

    def gather_counts(self, indptr: NDArray[np.int64], store: csr.CsrWriter) -> csr.Csr:
        """Fetch all rows."""
        for machine, (first, last) in enumerate(pairwise(self.edges)):
            for start, end in pairwise(counting.split_rows(indptr[first : last + 1], PAIRS_PER_MESSAGE)):
                rows = np.arange(first + start, first + end)
                store.write(int(indptr[first + start]), *self._one(machine, "get_rows", "complete", rows))
        return store.finish(indptr)

    # ---- training

    def form_ring(self, config: TrainingConfig) -> None:
        """Let the machines, at most one per block, form a ring and fetch the pairs of their words."""
        n_machines = min(len(self.actors), config.partition.n_blocks)
        self.config, self.ring = config, Ring(config.partition, n_machines)
        self._all("join_ring", [(config, n_machines, self.edges)] * n_machines)
        self._all("free_rows", [() for _ in self.actors])
        self.counts = None

    def load(self, state: State) -> None:
        """Send every machine its part of a state."""
        partition, ones = self.config.partition.at(state.epoch), np.ones(len(state.words), np.float32)
        for machine in range(self.ring.n_machines):
            words, contexts = self.ring.words(machine), self.ring.first_contexts(machine, partition)
            self._one(
                machine, "load", state.epoch,
                _select(state.words, ones, state.word_accumulator, words),
                _select(state.contexts, state.bias, state.context_accumulator, contexts),
            )  # fmt: skip
        self.epoch = state.epoch

    def run_epoch(self, point: SchedulePoint) -> tuple[float, list[EpochReport]]:
        """Run the next epoch; return the estimate of J, and the reports of the machines."""
        reports: list[EpochReport] = self._all("run", [(self.epoch, point)] * self.ring.n_machines)
        self.epoch += 1
        by_stratum = zip(*(report.losses for report in reports), strict=True)
        losses = [list(chain.from_iterable(stratum)) for stratum in by_stratum]
        return estimate_loss(losses, self.config.partition.settings), reports

    def gather_state(self) -> State:
        """Return the state after the last epoch."""
        plan, size = self.config.partition, self.config.vector_size
        n_words = len(plan.word_sums)
        words, contexts = np.empty((n_words, size + 1), np.float32), np.empty((plan.n_contexts, size + 1), np.float32)
        word_accumulator, context_accumulator = np.empty(n_words, np.float32), np.empty(plan.n_contexts, np.float32)
        partition = plan.at(self.epoch - 1)
        for machine in range(self.ring.n_machines):
            mine, held = self.ring.words(machine), self.ring.last_contexts(machine, partition)
            (words[mine], word_accumulator[mine]), (contexts[held], context_accumulator[held]) = self._one(
                machine, "get_state"
            )
        bias = contexts[:, size].copy()
        words, contexts = words[:, :size].copy(), contexts[:, :size].copy()
        return State(words, contexts, bias, word_accumulator, context_accumulator, self.epoch)

    # ---- calls

    def _sync(self, function: Callable[..., Awaitable[Result]], *arguments: Any) -> Result:
        """Run a coroutine in the client's event loop, where actors look for a current client."""
        with self.client.as_current():
            result: Result = self.client.sync(function, *arguments)
        return result

    def _one(self, machine: int, method: str, *arguments: Any) -> Any:
        return self._sync(self._call, machine, method, *arguments)

    def _all(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a method of the first actors, with these arguments; an error does not wait for the other calls."""

        async def call() -> list[Any]:
            return await asyncio.gather(*(self._call(i, method, *each) for i, each in enumerate(arguments)))

        results: list[Any] = self._sync(call)
        return results

    async def _call(self, machine: int, method: str, *arguments: Any) -> Any:
        """Call a method; it may take any time, as long as the machine shows signs of life."""
        waiting = None
        try:
            actor = self.actors[machine]
            waiting = asyncio.ensure_future(getattr(actor, method)(*arguments))
            while not (await asyncio.wait({waiting}, timeout=self.timeouts.answer))[0]:
                await asyncio.wait_for(actor.alive(), self.timeouts.answer)
            return waiting.result()
        except Exception as error:
            raise MachineError(machine, error) from error
        finally:
            if waiting is not None:
                waiting.cancel()

    def stop(self) -> list[list[int] | None]:
        """Stop all actors; return the machines that each one waited for, or None for those that do not answer."""

        async def stop(actor: Any) -> list[int] | None:
            try:
                return list(await asyncio.wait_for(actor.stop(), self.timeouts.stop))
            except Exception:  # whatever it was, the machine is lost
                return None

        async def stop_all() -> list[list[int] | None]:
            return await asyncio.gather(*map(stop, self.actors))

        answers: list[list[int] | None] = self._sync(stop_all)
        answers += [None] * (len(self.workers) - len(answers))  # those that were never created
        for future in self.futures:
            future.release()
        return answers


def _select(vectors: Vectors, bias: Vectors, accumulator: Vectors, rows: Any) -> Rows:
    return np.column_stack([vectors[rows], bias[rows]]), accumulator[rows]
