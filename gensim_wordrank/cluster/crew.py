"""The actors on the machines of a cluster that count and train together, as the driver sees them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import numpy as np
from distributed import Client
from distributed.comm import get_address_host
from numpy.typing import NDArray

from gensim_wordrank.cluster import handshake, pairs
from gensim_wordrank.cluster.counter import AT_ONCE, Found, Held
from gensim_wordrank.cluster.ring import Ring
from gensim_wordrank.cluster.texts import Piece
from gensim_wordrank.cluster.worker import Bare, Done, RingWorker
from gensim_wordrank.cooccurrence import counting, csr
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.training.sampled import TrainingConfig, estimate
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State
from gensim_wordrank.types import Vectors

# seconds in which a worker must load this package
START_SECONDS = 60.0
# seconds in which a machine must say that it will stop
STOP_SECONDS = 5.0

Result = TypeVar("Result")


class MachineError(Exception):
    """A call of one machine failed."""

    def __init__(self, machine: int, cause: BaseException) -> None:
        super().__init__(machine, cause)
        self.machine, self.cause = machine, cause


class Crew:
    """An actor on each of some Dask workers.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster.
    workers : mapping of str to int
        Addresses of workers, and how many threads each has.
    patience : float
        Seconds in which a machine must answer.
    """

    recipe: TrainingConfig
    ring: Ring

    def __init__(self, client: Client, workers: Mapping[str, int], patience: float) -> None:
        self.client, self.workers, self.patience = client, list(workers), patience
        self.threads = list(workers.values())
        self.texts: object = None  # that the machines have read
        self.pairs: object = None  # whose rows they hold
        self.edges: list[int] = []  # machine i holds the rows from edges[i] to edges[i + 1]
        self.epoch = -1  # epochs done
        self.futures: list[Any] = []
        self.actors: list[Any] = []

    def start(self) -> None:
        """Make the actors, and see that they can work together."""
        self.futures = [
            self.client.submit(RingWorker, actor=True, workers=[address], allow_other_workers=False, pure=False)
            for address in self.workers
        ]
        for machine in range(len(self.workers)):
            self.actors.append(self._made(machine))
        facts = self._all("facts", [() for _ in self.actors])
        handshake.check({self.host(machine): each for machine, each in enumerate(facts)})
        self._all("join", [(machine, self.actors, n, self.patience) for machine, n in enumerate(self.threads)])

    def _made(self, machine: int) -> Any:
        """Wait for an actor to be made, as long as its worker is there."""
        deadline = monotonic() + START_SECONDS
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

    # ---- texts, and rows of pairs

    def read(self, shares: Sequence[Sequence[Piece]]) -> list[Found]:
        """Let every machine read its share of the texts; what it does not see is sent."""
        sent = []
        for machine, pieces in enumerate(shares):
            sent.append(np.logical_not(self._one(machine, "sees", pieces)).tolist())
            for number, piece in enumerate(pieces):
                for block in piece.blocks() if sent[-1][number] else ():
                    self._one(machine, "take_text", number, Path(piece.source).suffix, block)
        return self._all("read", list(zip(shares, sent, strict=True)))

    def count(self, words: Sequence[str], window: int, symmetric: bool, distance_weighting: bool) -> list[Held]:
        """Count the pairs of the texts that were read; every machine then holds some rows."""
        lengths = self._all("count", [(words, window, symmetric, distance_weighting) for _ in self.actors])
        self._share_out(np.sum(lengths, axis=0))
        held = self._all("merge", [(self.edges,) for _ in self.actors])
        self._all("forget_runs", [() for _ in self.actors])
        self.texts = None
        return held

    def read_pairs(self, place: str, checksums: Mapping[str, int], indptr: NDArray[np.int64]) -> list[Held | None]:
        """Let every machine read some rows from co-occurrences in files; None for those that do not see them."""
        self._share_out(np.diff(indptr))
        return self._all("read_pairs", [(place, checksums, self.edges) for _ in self.actors])

    def take_pairs(self, counts: Cooccurrence) -> None:
        """Let every machine hold some rows of a matrix: read from a disk that it shares, or sent."""
        place, found = pairs.place_of(counts), list[Any]([None] * len(self.actors))
        self._share_out(np.diff(counts.indptr))
        if place is not None:
            found = self.read_pairs(place, pairs.checksums(place) or {}, counts.indptr)
        for machine, (first, last) in enumerate(pairwise(self.edges)):
            if found[machine] is None:
                part = slice(int(counts.indptr[first]), int(counts.indptr[last]))
                indptr = counts.indptr[first : last + 1] - part.start
                self._one(machine, "take_pairs", first, counts.data[part], counts.indices[part], indptr)

    def _share_out(self, lengths: NDArray[np.int64]) -> None:
        """Choose which rows every machine holds: neighbours, with about equally many pairs."""
        n_machines, ends = len(self.actors), np.cumsum(lengths)
        inner = np.searchsorted(ends, ends[-1] * np.arange(1, n_machines) / n_machines)
        self.edges = [0, *inner.tolist(), len(lengths)]

    def sums(self, n_contexts: int, quantum: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the sums of the rows that the machines hold, and of the columns."""
        rows, columns = zip(*self._all("sums", [(n_contexts, quantum)] * len(self.actors)), strict=True)
        return np.concatenate(rows), np.sum(columns, axis=0)

    def sample(self, step: int, indptr: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return every so many counts of all rows, as if they were in one place."""
        starts = -indptr[self.edges[:-1]] % step
        return np.concatenate(self._all("sample", [(start, step) for start in starts.tolist()]))

    def bring(self, indptr: NDArray[np.int64], store: csr.CsrWriter) -> csr.Csr:
        """Bring all rows here."""
        for machine, (first, last) in enumerate(pairwise(self.edges)):
            for start, end in pairwise(counting.split_rows(indptr[first : last + 1], AT_ONCE)):
                rows = np.arange(first + start, first + end)
                store.copy(int(indptr[first + start]), *self._one(machine, "give_rows", "held", rows))
        return store.finish(indptr)

    # ---- training

    def take_places(self, recipe: TrainingConfig) -> None:
        """Let the machines form a ring, as many as there are blocks, and bring the pairs of their words to them."""
        self.recipe, self.ring = recipe, Ring(recipe.plan, min(len(self.actors), recipe.plan.n_blocks))
        self._all("take_place", [(recipe, self.ring.n_machines, self.edges)] * self.ring.n_machines)
        self._all("forget_rows", [() for _ in self.actors])
        self.pairs = None

    def load(self, state: State) -> None:
        """Let every machine have its part of a state."""
        deal, ones = self.recipe.plan.deal(state.epoch), np.ones(len(state.words), np.float32)
        for machine in range(self.ring.n_machines):
            words, contexts = self.ring.words(machine), self.ring.first_contexts(machine, deal)
            self._one(
                machine, "load", state.epoch,
                _bare(state.words, ones, state.word_accumulator, words),
                _bare(state.contexts, state.bias, state.context_accumulator, contexts),
            )  # fmt: skip
        self.epoch = state.epoch

    def run(self, pace: SchedulePoint) -> tuple[float, list[Done]]:
        """Run the next epoch; return the estimate of J, and what the machines report."""
        done: list[Done] = self._all("run", [(self.epoch, pace)] * self.ring.n_machines)
        self.epoch += 1
        by_stratum = zip(*(each.losses for each in done), strict=True)
        return estimate([list(chain.from_iterable(losses)) for losses in by_stratum]), done

    def gather(self) -> State:
        """Return the state after the last epoch."""
        plan, size = self.recipe.plan, self.recipe.size
        n_words = sum(map(len, plan.word_blocks))
        words, contexts = np.empty((n_words, size + 1), np.float32), np.empty((plan.n_contexts, size + 1), np.float32)
        word_accumulator, context_accumulator = np.empty(n_words, np.float32), np.empty(plan.n_contexts, np.float32)
        deal = plan.deal(self.epoch - 1)
        for machine in range(self.ring.n_machines):
            mine, held = self.ring.words(machine), self.ring.last_contexts(machine, deal)
            (words[mine], word_accumulator[mine]), (contexts[held], context_accumulator[held]) = self._one(
                machine, "report"
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
        """Call a method, however long it takes, as long as the machine answers."""
        waiting = None
        try:
            actor = self.actors[machine]
            waiting = asyncio.ensure_future(getattr(actor, method)(*arguments))
            while not (await asyncio.wait({waiting}, timeout=self.patience))[0]:
                await asyncio.wait_for(actor.alive(), self.patience)
            return waiting.result()
        except Exception as error:
            raise MachineError(machine, error) from error
        finally:
            if waiting is not None:
                waiting.cancel()

    def stop(self) -> list[list[int] | None]:
        """Stop all actors; return for which machines each one waited, or None for those that do not answer."""

        async def stop(actor: Any) -> list[int] | None:
            try:
                return list(await asyncio.wait_for(actor.stop(), STOP_SECONDS))
            except Exception:  # whatever it is, the machine is lost
                return None

        async def stop_all() -> list[list[int] | None]:
            return await asyncio.gather(*map(stop, self.actors))

        answers: list[list[int] | None] = self._sync(stop_all)
        answers += [None] * (len(self.workers) - len(answers))  # those that were never made
        for future in self.futures:
            future.release()
        return answers


def _bare(vectors: Vectors, bias: Vectors, past: Vectors, rows: Any) -> Bare:
    return np.column_stack([vectors[rows], bias[rows]]), past[rows]
