"""The machines of a cluster, whatever happens to them: work that fails is done again by those that are left."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic, sleep
from typing import TypeVar

from distributed import Client

from gensim_wordrank.cluster.crew import Crew, MachineError
from gensim_wordrank.cluster.member import NoAnswerError

logger = logging.getLogger(__name__)

# seconds in which a machine must answer a call that takes no time by itself
PATIENCE = 60.0
# seconds that Dask has to replace a worker, before it is started again by SSH, or the others go on without it
REPLACEMENT_SECONDS = 10.0
# failures after which the work is given up
MOST_FAILURES = 3
# errors that say something about the work, and nothing about the machine
CERTAIN = (ImportError, FileNotFoundError, PermissionError, IsADirectoryError)

Result = TypeVar("Result")


class Team:
    """Those workers of a Dask cluster that can be relied upon.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster.
    restart : callable, optional
        Starts workers on the hosts that have none any more, given the addresses of those that are lost.
    patience : float
        Seconds in which a machine must answer.
    """

    def __init__(
        self, client: Client, restart: Callable[[set[str]], None] = lambda lost: None, patience: float = PATIENCE
    ) -> None:
        self.client, self.restart, self.patience = client, restart, patience
        self.crew: Crew | None = None
        self.n_workers = 1  # to wait for
        self.lost: set[str] = set()  # addresses of workers
        self.slow: set[str] = set()
        self.failures: list[str] = []

    def do(self, work: Callable[[Crew], Result]) -> Result:
        """Let machines do something; after a failure others do it again, and find nothing of what was done before."""
        while True:
            try:
                return work(self._ready_crew())
            except MachineError as error:
                self._clear_up(error)

    def close(self) -> None:
        """Free the workers."""
        if self.crew is not None:
            self.crew.stop()
            self.crew = None

    def _ready_crew(self) -> Crew:
        """Return actors, made anew if there are none."""
        if self.crew is None:
            found = self._found()
            if len(found) < self.n_workers:
                self.restart(self.lost)
                found = self._found(seconds=0)
            if not found:
                raise RuntimeError(f"The cluster has no workers{self._history()}. Start some, and train again.")
            self.n_workers = len(found)
            self.crew = Crew(self.client, found, self.patience)
            self.crew.start()
            logger.info("working on %i workers: %s", len(found), ", ".join(found))
        return self.crew

    def _found(self, seconds: float | None = None) -> dict[str, int]:
        """Return addresses and threads of the workers, when all are there or the time is over."""
        deadline = monotonic() + (REPLACEMENT_SECONDS if seconds is None else seconds)
        while True:
            workers = self.client.nthreads().items()
            found = {address: n for address, n in sorted(workers) if address not in self.lost | self.slow}
            if len(found) >= self.n_workers or monotonic() > deadline:
                return found
            sleep(0.1)

    def _clear_up(self, error: MachineError) -> None:
        """Stop the actors, and find out whom to go on without."""
        crew, self.crew = self.crew, None
        assert crew is not None  # the error came from it
        answers = crew.stop()
        lost = [machine for machine, waited_for in enumerate(answers) if waited_for is None]
        if isinstance(error.cause, FloatingPointError):  # as on one machine
            raise error.cause
        if isinstance(error.cause, CERTAIN) or not (lost or isinstance(error.cause, OSError)):
            what = f"{type(error.cause).__name__}: {error.cause}"
            raise RuntimeError(f"The work failed on {crew.host(error.machine)}: {what}") from error.cause
        # a slow machine is one that others wait for, and which does not wait itself
        awaited = {machine for waited_for in answers for machine in waited_for or []}
        slow = [m for m in awaited if answers[m] == []] if isinstance(error.cause, NoAnswerError) and not lost else []
        self.lost |= {crew.workers[machine] for machine in lost}
        self.slow |= {crew.workers[machine] for machine in slow}
        self.n_workers -= len(slow)
        guilty = ", ".join(crew.host(machine) for machine in lost or slow or [error.machine])
        reason = str(error.cause) or type(error.cause).__name__
        self.failures.append(f"{guilty} {'was too slow' if slow else 'was lost' if lost else 'failed'} ({reason})")
        if len(self.failures) >= MOST_FAILURES:
            raise RuntimeError(f"Training was given up{self._history()}.") from error.cause
        logger.warning("%s; going on", self.failures[-1])

    def _history(self) -> str:
        return f" after {len(self.failures)} failures: {'; '.join(self.failures)}" if self.failures else ""
