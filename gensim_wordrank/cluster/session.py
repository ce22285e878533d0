"""Retries: work that fails on a machine of a cluster is done again by the healthy ones."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic, sleep
from typing import TypeVar

from distributed import Client

from gensim_wordrank.cluster.group import MachineError, Timeouts, WorkerGroup
from gensim_wordrank.cluster.peer import NoAnswerError

logger = logging.getLogger(__name__)

DEFAULT_TIMEOUTS = Timeouts()
# failures after which the work is given up
MAX_FAILURES = 3
# errors that would come again on any machine
NON_RETRYABLE = (ImportError, FileNotFoundError, PermissionError, IsADirectoryError)

Result = TypeVar("Result")


class Session:
    """Work on the healthy workers of a Dask cluster: if a machine fails, the others do the work again.

    Parameters
    ----------
    client : distributed.Client
        Client of the cluster.
    restart : callable, optional
        Restarts the workers of hosts that have none any more, given the addresses of lost workers.
    timeouts : Timeouts
        How long to wait for machines.
    """

    def __init__(
        self,
        client: Client,
        restart: Callable[[set[str]], None] = lambda lost: None,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
    ) -> None:
        self.client, self.restart, self.timeouts = client, restart, timeouts
        self.group: WorkerGroup | None = None
        self.n_workers = 1  # to wait for
        self.lost: set[str] = set()  # addresses of workers
        self.slow: set[str] = set()
        self.failures: list[str] = []

    def run(self, work: Callable[[WorkerGroup], Result]) -> Result:
        """Let a group of workers do something; after a failure a new group starts it from the beginning."""
        while True:
            try:
                return work(self._ready_group())
            except MachineError as error:
                self._handle_failure(error)

    def close(self) -> None:
        """Free the workers."""
        if self.group is not None:
            self.group.stop()
            self.group = None

    def _ready_group(self) -> WorkerGroup:
        """Return the group, created anew if there is none."""
        if self.group is None:
            found = self._healthy_workers(self.timeouts.replacement)
            if len(found) < self.n_workers:
                self.restart(self.lost)
                found = self._healthy_workers(0)
            if not found:
                raise RuntimeError(f"The cluster has no workers{self._history()}. Start some, and train again.")
            self.n_workers = len(found)
            self.group = WorkerGroup(self.client, found, self.timeouts)
            self.group.start()
            logger.info("working on %i workers: %s", len(found), ", ".join(found))
        return self.group

    def _healthy_workers(self, seconds: float) -> dict[str, int]:
        """Return the addresses and threads of healthy workers, when all are there or the time is over."""
        deadline = monotonic() + seconds
        while True:
            workers = self.client.nthreads().items()
            found = {address: n for address, n in sorted(workers) if address not in self.lost | self.slow}
            if len(found) >= self.n_workers or monotonic() > deadline:
                return found
            sleep(0.1)

    def _handle_failure(self, error: MachineError) -> None:
        """Stop the actors, and find out which workers to leave out; raise errors that would come again."""
        group, self.group = self.group, None
        assert group is not None  # the error came from it
        answers = group.stop()
        lost = [machine for machine, waited_for in enumerate(answers) if waited_for is None]
        if isinstance(error.cause, FloatingPointError):  # as on one machine
            raise error.cause
        if isinstance(error.cause, NON_RETRYABLE) or not (lost or isinstance(error.cause, OSError)):
            what = f"{type(error.cause).__name__}: {error.cause}"
            raise RuntimeError(f"The work failed on {group.host(error.machine)}: {what}") from error.cause
        # a slow machine is one that others wait for, and that does not wait itself
        awaited = {machine for waited_for in answers for machine in waited_for or []}
        slow = [m for m in awaited if answers[m] == []] if isinstance(error.cause, NoAnswerError) and not lost else []
        self.lost |= {group.workers[machine] for machine in lost}
        self.slow |= {group.workers[machine] for machine in slow}
        self.n_workers -= len(slow)
        failed = ", ".join(group.host(machine) for machine in lost or slow or [error.machine])
        reason = str(error.cause) or type(error.cause).__name__
        self.failures.append(f"{failed} {'was too slow' if slow else 'was lost' if lost else 'failed'} ({reason})")
        if len(self.failures) >= MAX_FAILURES:
            raise RuntimeError(f"Training was given up{self._history()}.") from error.cause
        logger.warning("%s; continuing", self.failures[-1])

    def _history(self) -> str:
        return f" after {len(self.failures)} failures: {'; '.join(self.failures)}" if self.failures else ""
