"""Epochs on a cluster, whatever happens to its machines."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import fields
from time import monotonic, sleep
from typing import Any, TypeVar

from distributed import Client

from gensim_wordrank.cluster.crew import Crew, MachineError
from gensim_wordrank.cluster.worker import Done, NoAnswerError
from gensim_wordrank.cooccurrence import Cooccurrence
from gensim_wordrank.sampled import Recipe
from gensim_wordrank.state import State

logger = logging.getLogger(__name__)

# seconds in which a machine must answer a call that takes no time by itself
PATIENCE = 60.0
# seconds that Dask has to replace a worker, before training goes on with those that are left
REPLACEMENT_SECONDS = 10.0
# failures after which training is given up
MOST_FAILURES = 3
# epochs after which the vectors are brought to the driver, where training starts again after a failure
KEEP_EVERY = 5
ARRAYS = {each.name for each in fields(State)} - {"epoch"}

Result = TypeVar("Result")


class DistantState(State):
    """A state that is on the machines of a cluster until someone looks at its arrays."""

    def __init__(self, epoch: int, finite: bool, fetch: Callable[[], State]) -> None:
        self.epoch, self.finite, self.fetch = epoch, finite, fetch

    def __getattr__(self, name: str) -> Any:
        if name not in ARRAYS:
            raise AttributeError(name)
        state = self.fetch()
        if state.epoch != self.epoch:
            raise RuntimeError(f"The vectors of epoch {self.epoch} are gone: training is in epoch {state.epoch}.")
        vars(self).update(vars(state))
        return vars(self)[name]

    @property
    def is_here(self) -> bool:
        """Whether the arrays are in this process."""
        return "words" in vars(self)

    def is_finite(self) -> bool:
        """Say whether every parameter is a number."""
        return self.finite


class Driver:
    """Run epochs on the workers of a Dask cluster.

    It keeps a state from which training starts again after a failure, and the learning rates of the epochs since. As an
    epoch depends on nothing else, those that are run again give the same vectors.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster.
    recipe : Recipe
        What the epochs have in common.
    counts : Cooccurrence
        The pairs.
    state : State
        Where training starts.
    patience : float
        Seconds in which a machine must answer.
    """

    def __init__(
        self, client: Client, recipe: Recipe, counts: Cooccurrence, state: State, patience: float = PATIENCE
    ) -> None:
        self.client, self.recipe, self.counts, self.patience = client, recipe, counts, patience
        self.kept, self.steps = state, list[float]()
        self.reports: list[Done] = []  # of the machines, after the last epoch
        self.crew: Crew | None = None
        self.n_workers = 1  # to wait for
        self.given_up: set[str] = set()  # addresses of workers
        self.failures: list[str] = []

    def epoch(self, step: float) -> tuple[State, float]:
        """Run an epoch; return the new state, which is distant, and the estimate of J."""
        self.steps.append(step)
        loss, self.reports = self._despite_failures(self._advance)
        for machine, each in enumerate(self.reports):
            logger.debug("machine %i: %.2f s, of which %.2f s waiting", machine, each.seconds, each.waited)
        finite = all(each.finite for each in self.reports)
        if len(self.steps) >= KEEP_EVERY and finite:
            return self._fetch(), loss
        return DistantState(self.kept.epoch + len(self.steps), finite, self._fetch), loss

    def close(self) -> None:
        """Free the workers."""
        if self.crew is not None:
            self.crew.stop()
            self.crew = None

    def _advance(self) -> Any:
        """Run the epochs that are not done; return what the last one gave."""
        crew, result = self._ready_crew(), None
        while (epoch := crew.epoch - self.kept.epoch) < len(self.steps):
            result = crew.run(self.steps[epoch])
        return result

    def _fetch(self) -> State:
        """Bring the vectors here."""

        def gather() -> State:
            self._advance()
            return self._ready_crew().gather()

        if self.steps:
            self.kept, self.steps = self._despite_failures(gather), []
        return self.kept

    def _ready_crew(self) -> Crew:
        """Return actors that hold their pairs and vectors, made anew if there are none."""
        if self.crew is None or self.crew.epoch < 0:
            workers = self._workers()
            self.n_workers = len(workers)
            self.crew = Crew(self.client, workers, self.recipe, self.patience)
            self.crew.start()
            self.crew.give_pairs(self.counts)
            self.crew.load(self.kept)
            logger.info("training on %i workers: %s", len(workers), ", ".join(workers))
        return self.crew

    def _workers(self) -> dict[str, int]:
        """Return the addresses and threads of workers, no more than there are blocks of words."""
        deadline = monotonic() + REPLACEMENT_SECONDS
        while True:
            found = {address: n for address, n in self.client.nthreads().items() if address not in self.given_up}
            if len(found) >= self.n_workers or monotonic() > deadline:
                break
            sleep(0.1)
        if not found:
            raise RuntimeError(f"The cluster has no workers{self._history()}. Start some, and train again.")
        return dict(sorted(found.items())[: self.recipe.plan.n_blocks])

    # ---- failures

    def _despite_failures(self, action: Callable[[], Result]) -> Result:
        """Do something; after a failure, start again from the state that is kept."""
        while True:
            try:
                return action()
            except MachineError as error:
                self._clear_up(error)

    def _clear_up(self, error: MachineError) -> None:
        """Stop the actors, and find out whom to go on without."""
        crew, self.crew = self.crew, None
        assert crew is not None  # the error came from it
        answers = crew.stop()
        lost = [machine for machine, waited_for in enumerate(answers) if waited_for is None]
        if isinstance(error.cause, FloatingPointError):  # as on one machine
            raise error.cause
        if isinstance(error.cause, ImportError) or not (lost or isinstance(error.cause, OSError)):
            raise RuntimeError(f"Training failed on {crew.host(error.machine)}: {error.cause!r}") from error.cause
        # a slow machine is one that others wait for, and which does not wait itself
        awaited = {machine for waited_for in answers for machine in waited_for or []}
        slow = [m for m in awaited if answers[m] == []] if isinstance(error.cause, NoAnswerError) and not lost else []
        self.given_up |= {crew.workers[machine] for machine in lost + slow}
        self.n_workers -= len(slow)
        guilty = ", ".join(crew.host(machine) for machine in lost or slow or [error.machine])
        reason = str(error.cause) or type(error.cause).__name__
        self.failures.append(f"{guilty} {'was too slow' if slow else 'was lost' if lost else 'failed'} ({reason})")
        logger.warning("%s; going on from epoch %i", self.failures[-1], self.kept.epoch)
        if len(self.failures) >= MOST_FAILURES:
            raise RuntimeError(f"Training was given up{self._history()}.") from error.cause

    def _history(self) -> str:
        return f" after {len(self.failures)} failures: {'; '.join(self.failures)}" if self.failures else ""
