"""Epochs on a cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from gensim_wordrank.cluster.crew import Crew
from gensim_wordrank.cluster.distant import hold
from gensim_wordrank.cluster.team import Team
from gensim_wordrank.cluster.worker import Done
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.training.sampled import TrainingConfig
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State

logger = logging.getLogger(__name__)

# epochs after which the vectors are brought to the driver, where training starts again after a failure
KEEP_EVERY = 5
ARRAYS = {each.name for each in fields(State)} - {"epoch"}


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
    """Run epochs on the machines of a team.

    It keeps a state from which training starts again after a failure, and how the epochs since were run. As an
    epoch depends on nothing else, those that are run again give the same vectors.

    Parameters
    ----------
    team : Team
        The machines.
    recipe : TrainingConfig
        What the epochs have in common.
    counts : Cooccurrence
        The pairs, here or on the machines.
    state : State
        Where training starts.
    """

    def __init__(self, team: Team, recipe: TrainingConfig, counts: Cooccurrence, state: State) -> None:
        self.team, self.recipe, self.counts = team, recipe, counts
        self.kept, self.paces = state, list[SchedulePoint]()
        self.reports: list[Done] = []  # of the machines, after the last epoch

    def epoch(self, pace: SchedulePoint) -> tuple[State, float]:
        """Run an epoch; return the new state, which is distant, and the estimate of J."""
        self.paces.append(pace)
        loss, self.reports = self.team.do(self._advance)
        for machine, each in enumerate(self.reports):
            logger.debug("machine %i: %.2f s, of which %.2f s waiting", machine, each.seconds, each.waited)
        finite = all(each.finite for each in self.reports)
        if len(self.paces) >= KEEP_EVERY and finite:
            return self._fetch(), loss
        return DistantState(self.kept.epoch + len(self.paces), finite, self._fetch), loss

    def _advance(self, crew: Crew) -> Any:
        """Run the epochs that are not done; return what the last one gave."""
        result = None
        if crew.epoch < 0:  # it has just been made
            hold(self.counts, crew)
            crew.take_places(self.recipe)
            crew.load(self.kept)
            logger.info("training from epoch %i on %i machines", self.kept.epoch, crew.ring.n_machines)
        while (epoch := crew.epoch - self.kept.epoch) < len(self.paces):
            result = crew.run(self.paces[epoch])
        return result

    def _fetch(self) -> State:
        """Bring the vectors here."""

        def gather(crew: Crew) -> State:
            self._advance(crew)
            return crew.gather()

        if self.paces:
            self.kept, self.paces = self.team.do(gather), []
        return self.kept
