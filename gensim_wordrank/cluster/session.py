"""The workers of a Dask cluster: one actor per worker, and retries on the healthy workers if a machine fails."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any, TypeVar

from distributed import Client
from distributed.comm import get_address_host

from gensim_wordrank._utils.versions import versions
from gensim_wordrank.cluster.peer import NoAnswerError
from gensim_wordrank.cluster.training import TrainingPeer

logger = logging.getLogger(__name__)

# what must agree on all machines for the vectors to be the same bytes: versions, and what a fixed computation gives
REPRODUCIBLE_WITH = ("gensim-wordrank", "Python", "numpy", "CPU level", "checksum")
# failures without progress after which the work is given up
MAX_FAILURES = 3
# a worker with such an error has no room on its disk, and is left out
DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT)
# errors that would occur again on any machine
NON_RETRYABLE = (ImportError, FileNotFoundError, PermissionError, IsADirectoryError)

Result = TypeVar("Result")


@dataclass(frozen=True)
class Timeouts:
    """How long to wait for machines, in seconds."""

    answer: float = 60.0  # for an answer that needs no computation
    start: float = 60.0  # until a worker has loaded this package
    stop: float = 5.0  # for the answer to a request to stop
    replacement: float = 10.0  # until Dask has replaced a lost worker; then it is restarted over SSH, or left out


class GivenUpError(RuntimeError):
    """Machines failed again and again."""


class MachineError(Exception):
    """A call to one machine failed."""

    def __init__(self, machine: int, cause: BaseException) -> None:
        super().__init__(machine, cause)
        self.machine, self.cause = machine, cause


@dataclass
class WorkerGroup:
    """One actor on each of some Dask workers."""

    client: Client
    workers: list[str]  # addresses
    timeouts: Timeouts
    futures: list[Any] = field(default_factory=list)
    actors: list[Any] = field(default_factory=list)
    holds: object = None  # which texts, counts or training run the machines have in memory
    edges: list[int] = field(default_factory=list)  # of counts: machine i holds the rows from edges[i] to edges[i + 1]
    ring_size: int = 0  # of training: how many machines take part
    epoch: int = 0  # epochs done

    def start(self) -> None:
        """Create the actors, and check that they can work together."""
        for machine, address in enumerate(self.workers):
            future = self.client.submit(
                TrainingPeer, machine, self.timeouts.answer, actor=True, workers=[address], pure=False
            )
            self.futures.append(future)
        for machine in range(len(self.workers)):
            self.actors.append(self._created(machine))
        found = self.call_all("join", self.actors)
        check_environments([(self.host(machine), each) for machine, each in enumerate(found)])

    def _created(self, machine: int) -> Any:
        """Wait for an actor to be created, as long as its worker exists."""
        deadline = monotonic() + self.timeouts.start
        while True:
            try:
                with self.client.as_current():  # not a default client of another cluster
                    return self.futures[machine].result(timeout=1)
            except asyncio.TimeoutError as error:
                if monotonic() > deadline or self.workers[machine] not in self.client.nthreads():
                    raise MachineError(machine, OSError("the worker did not start to train")) from error
            except (Exception, asyncio.CancelledError) as error:
                raise MachineError(machine, error) from error

    def host(self, machine: int) -> str:
        """Return the host of a machine."""
        return str(get_address_host(self.workers[machine]))

    def call(self, machine: int, method: str, *arguments: Any) -> Any:
        """Call a method of one actor."""
        return self.gather(self.ask(machine, method, *arguments))[0]

    def call_all(self, method: str, *arguments: Any, n_machines: int | None = None) -> list[Any]:
        """Call a method of all actors, or of the first `n_machines`."""
        found: list[Any] = self.gather(self.ask_all(method, *arguments, n_machines=n_machines))[0]
        return found

    def gather(self, *calls: Awaitable[Any]) -> list[Any]:
        """Wait for several calls; an error does not wait for the others."""

        async def gather() -> list[Any]:
            return await asyncio.gather(*calls)

        return self._sync(gather)

    async def ask_all(self, method: str, *arguments: Any, n_machines: int | None = None) -> list[Any]:
        """Call a method of all actors, or of the first `n_machines`."""
        machines = range(len(self.actors))[:n_machines]
        return await asyncio.gather(*(self.ask(machine, method, *arguments) for machine in machines))

    async def ask(self, machine: int, method: str, *arguments: Any) -> Any:
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

    def _sync(self, function: Callable[..., Awaitable[Result]], *arguments: Any) -> Result:
        """Run a coroutine in the client's event loop, where actors look for a current client."""
        with self.client.as_current():
            result: Result = self.client.sync(function, *arguments)
        return result

    def stop(self) -> list[list[int] | None]:
        """Stop all actors; return the machines that each one waited for, or None for those that do not answer."""

        async def stop(actor: Any) -> list[int] | None:
            try:
                return list(await asyncio.wait_for(actor.stop(), self.timeouts.stop))
            except Exception:  # whatever it was, the machine is lost
                return None

        async def stop_all() -> list[list[int] | None]:
            return await asyncio.gather(*map(stop, self.actors))

        answers = self._sync(stop_all)
        answers += [None] * (len(self.workers) - len(answers))  # those that were never created
        for future in self.futures:
            future.release()
        return answers


def check_environments(of_workers: Sequence[tuple[str, Mapping[str, str]]]) -> None:
    """Raise RuntimeError if versions differ from those of this machine, or if what workers compute differs.

    Workers are given by their hosts. This machine computes nothing, so its own CPU level does not matter.
    """
    wrong = []
    wanted = versions() | {name: of_workers[0][1][name] for name in ("CPU level", "checksum")}
    for host, found in of_workers:
        for name in REPRODUCIBLE_WITH:
            theirs, ours = found[name], wanted[name]
            if name == "Python":  # bug-fix releases may differ
                theirs, ours = theirs.rpartition(".")[0], ours.rpartition(".")[0]
            if theirs != ours:
                wrong.append(f"{name} is {theirs} on {host} and not {ours}")
    if wrong:
        remedy = "Install the same versions, built with the same compiler, or leave them out."
        if any(found["CPU level"] != wanted["CPU level"] for _, found in of_workers):
            remedy = "Set WORDRANK_CPU_LEVEL to the lowest level, 3 or 0, where workers are started; or leave them out."
        raise RuntimeError(f"The machines do not match: {'; '.join(wrong)}. {remedy}")


@dataclass
class Session:
    """Runs work on the healthy workers of a Dask cluster: if a machine fails, the others do the work again."""

    client: Client
    # given the addresses of lost workers, restarts the workers of all hosts that have no other
    restart: Callable[[set[str]], None] | None = None
    timeouts: Timeouts = Timeouts()
    group: WorkerGroup | None = field(default=None, init=False)
    n_workers: int = field(default=1, init=False)  # to wait for
    lost: set[str] = field(default_factory=set, init=False)  # addresses of workers
    left_out: set[str] = field(default_factory=set, init=False)  # those that are too slow, or have a full disk
    failures: list[str] = field(default_factory=list, init=False)
    forgiven: int = field(default=0, init=False)  # failures before the last work that was finished

    def run(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Call `work` with a group of workers; after a failure, call it again with a new group."""
        while True:
            try:
                if self.group is None:
                    workers = self._wait_for_workers()
                    self.group = WorkerGroup(self.client, workers, self.timeouts)
                    self.group.start()
                    logger.info("working on %i workers: %s", len(workers), ", ".join(workers))
                result = work(self.group, *arguments)
                self.forgiven = len(self.failures)
                return result
            except MachineError as error:
                self._handle_failure(error)
            except BaseException:  # such as Ctrl-C, while the machines are still working
                self.close()
                raise

    def close(self) -> None:
        """Free the workers."""
        if self.group is not None:
            self.group.stop()
            self.group = None

    def _wait_for_workers(self) -> list[str]:
        """Return the addresses of the healthy workers, after lost ones have had time to be replaced."""
        deadline = monotonic() + self.timeouts.replacement
        while len(found := self._healthy_workers()) < self.n_workers and monotonic() <= deadline:
            sleep(0.1)
        if len(found) < self.n_workers and self.restart is not None:
            self.restart(self.lost)
            found = self._healthy_workers()
        if not found:
            raise RuntimeError(f"The cluster has no workers{self._history()}. Start some, and train again.")
        self.n_workers = len(found)
        return found

    def _healthy_workers(self) -> list[str]:
        return sorted(self.client.nthreads().keys() - self.lost - self.left_out)

    def _handle_failure(self, error: MachineError) -> None:
        """Stop the actors, and find out which workers to leave out; raise errors that would occur again."""
        group, self.group = self.group, None
        assert group is not None  # the error came from it
        answers = group.stop()
        lost = [machine for machine, waited_for in enumerate(answers) if waited_for is None]
        if isinstance(error.cause, FloatingPointError):  # as on one machine
            raise error.cause
        if isinstance(error.cause, NON_RETRYABLE) or not (lost or isinstance(error.cause, OSError)):
            what = f"{type(error.cause).__name__}: {error.cause}"
            raise RuntimeError(f"The work failed on {group.host(error.machine)}: {what}") from error.cause
        slow = _stragglers(answers) if isinstance(error.cause, NoAnswerError) and not lost else []
        full = [error.machine] if getattr(error.cause, "errno", None) in DISK_IS_FULL and not lost else []
        self.lost |= {group.workers[machine] for machine in lost}
        self.left_out |= {group.workers[machine] for machine in slow + full}
        self.n_workers -= len(slow + full)
        failed = ", ".join(group.host(machine) for machine in lost or slow or [error.machine])
        what = "was too slow" if slow else "was lost" if lost else "has a full disk" if full else "failed"
        self.failures.append(f"{failed} {what} ({str(error.cause) or type(error.cause).__name__})")
        if len(self.failures) - self.forgiven >= MAX_FAILURES or self.left_out.issuperset(group.workers):
            raise GivenUpError(f"Training was given up{self._history()}.") from error.cause
        logger.warning("%s; continuing", self.failures[-1])

    def _history(self) -> str:
        recent = self.failures[self.forgiven :]
        n = f"{len(recent)} failure{'s' * (len(recent) > 1)}"
        return f" after {n}: {'; '.join(recent)}" if recent else ""


def _stragglers(answers: Sequence[list[int] | None]) -> list[int]:
    """Return the machines that others waited for and that did not wait themselves."""
    awaited = {machine for waited_for in answers for machine in waited_for or []}
    return [machine for machine in awaited if answers[machine] == []]
