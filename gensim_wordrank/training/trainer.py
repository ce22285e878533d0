"""Minimizing the objective, one epoch at a time."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from gensim_wordrank.cooccurrence.csr import CountSummary
from gensim_wordrank.objective.losses import PairLoss
from gensim_wordrank.objective.objective import Objective
from gensim_wordrank.settings import SETTINGS
from gensim_wordrank.training.backend import Backend, EpochResult
from gensim_wordrank.training.method import Method
from gensim_wordrank.training.sampled import TrainingConfig
from gensim_wordrank.training.schedule import Schedule, learning_rate_scale
from gensim_wordrank.training.state import State

logger = logging.getLogger(__name__)

# seconds between two lines of the log about the same epoch
LOG_SECONDS = 10.0


class Listener:
    """Is told of every epoch. Subclasses override what they need."""

    def needs_state(self, epoch: int) -> bool:
        """Return True if :meth:`on_epoch_end` needs the parameters after an epoch, even from other machines."""
        return False

    def on_epoch_begin(self) -> None:
        """React to the start of an epoch."""

    def on_cells_done(self, passes: float) -> None:
        """React to cells that were trained, on any thread: `passes` over the pairs are done, counted with fractions."""

    def on_epoch_end(self, result: EpochResult, state: State | None) -> bool:
        """React to the end of an epoch, with the parameters if they are at hand; return True to stop training."""
        return False


@dataclass
class Trainer:
    """Runs epochs on a backend.

    Parameters
    ----------
    objective : Objective
        What is minimized.
    schedule : Schedule
        Epochs and learning rates, in the units of Word2Vec.
    backend : Backend
        Where epochs run.
    seed : int
        Seed of all random numbers.
    method : Method
        How epochs run.
    """

    objective: Objective
    schedule: Schedule
    backend: Backend
    seed: int
    method: Method = field(default_factory=Method)

    def run(
        self, state: State, counts: Any, summary: CountSummary, listeners: Sequence[Listener] = (), done: int = 0
    ) -> Generator[EpochResult, None, None]:
        """Run the epochs that are not done; yield the result of each after all listeners have been told.

        An epoch may have several passes over the pairs (:class:`Schedule`); `done`, the state and results count passes.

        The parameters are gathered from other machines after the last epoch, and after those for which a listener needs
        them. An epoch that diverges raises FloatingPointError, also if the loss stays finite; the parameters of the
        last result are the last good ones.
        """
        passes, n_passes = self.schedule.passes, self.schedule.n_passes
        config = TrainingConfig.of(summary, self.objective, state.words.shape[1], self.seed, self.method)
        scale = learning_rate_scale(self.method, PairLoss(self.objective.pair_loss), config.n_pairs)
        points = [self.schedule.at(number, scale) for number in range(done, n_passes)]
        number = done

        def report(share: float) -> None:
            for listener in listeners:
                listener.on_cells_done(number + share)

        results = self.backend.run_epochs(config, counts, state, points, report)
        del state  # otherwise the initial vectors would stay in memory
        is_local, stop = True, False
        with closing(results):
            for number in range(done, n_passes):
                if number % passes == 0:
                    for listener in listeners:
                        listener.on_epoch_begin()
                try:
                    result = next(results)
                    if not (math.isfinite(result.loss) and result.is_finite):
                        raise FloatingPointError("the loss or a vector is not finite")
                    if self._exceeds(result, SETTINGS.diverged_rank, summary):
                        raise FloatingPointError(f"the loss is {result.loss:.3g}, far above that of vectors of zeros")
                except FloatingPointError as error:
                    raise self._diverged(
                        number // passes, points[number - done].learning_rate, is_local, error
                    ) from error
                report(1.0)
                is_local = result.is_local or number + 1 == n_passes
                if (number + 1) % passes:
                    continue
                for listener in listeners:
                    is_local |= listener.needs_state(result.epoch)  # called for all: checkpoints decide there
                new = result.state() if is_local else None
                for listener in listeners:
                    stop |= listener.on_epoch_end(result, new)
                yield result
                if stop:
                    logger.info("stopped after epoch %i", (number + 1) // passes)
                    return
        if n_passes > done and self._exceeds(result, SETTINGS.suspicious_rank, summary):
            logger.warning(
                "the loss is %.6g, above that of vectors of zeros: nothing was learnt. Lower 'alpha' (now %g)",
                result.loss, self.schedule.alpha,
            )  # fmt: skip

    def _exceeds(self, result: EpochResult, factor: float, summary: CountSummary) -> bool:
        """Return True if a loss is above that of pairs at `factor` times the rank that vectors of zeros give them.

        As rho is concave, the mean rank is then above it, too.
        """
        return result.loss > self.objective.pair_value(factor * (len(summary.context_sums) - 1)) * result.weight

    def _diverged(self, epoch: int, rate: float, is_local: bool, error: FloatingPointError) -> FloatingPointError:
        objective, before = self.objective, "the" if is_local else "an"
        return FloatingPointError(
            f"Training diverged in epoch {epoch + 1} of {self.schedule.epochs}; the vectors are those of {before} "
            f"epoch before. Lower 'alpha' (now {self.schedule.alpha:g}), or choose a less extreme 'rank_scale' (now "
            f"{objective.rank_scale:g}), 'rank_offset' (now {objective.rank_offset:g}) or 'l2' (now "
            f"{objective.l2:g}): at a learning rate of {rate:g} in the solver's units, {error}."
        )


@dataclass
class Convergence(Listener):
    """Stops training when the loss hardly falls."""

    tolerance: float  # share of the loss by which it must fall
    period: int  # in so many epochs
    losses: list[float]  # of the epochs of this run

    def is_reached(self) -> bool:
        """Return True if the loss of the last epoch is not clearly below that of `period` epochs before."""
        before, last = self.losses[-1 - self.period : -self.period], self.losses[-1:]
        return bool(before) and before[0] - last[0] < self.tolerance * abs(before[0])

    def on_epoch_end(self, result: EpochResult, state: State | None) -> bool:
        """Return True to stop training."""
        self.losses.append(result.loss)
        if self.is_reached():
            logger.info("converged: the loss fell by less than %g in %i epochs", self.tolerance, self.period)
        return self.is_reached()


class Progress(Listener):
    """Logs the loss of every epoch, and moves a progress bar, whose unit is a pair, with each cell.

    Parameters
    ----------
    epochs, passes : int
        How many epochs there will be, and passes over the pairs per epoch.
    done : int
        How many passes were done before.
    n_pairs : int
        Number of pairs.
    bar : tqdm
        Its unit is a pair.
    """

    def __init__(self, epochs: int, passes: int, done: int, n_pairs: int, bar: Any) -> None:
        self.epochs, self.passes, self.n_pairs, self.bar = epochs, passes, n_pairs, bar
        self.epoch, self.first, self.lock = done // passes, done, threading.Lock()
        self.started = self.logged = perf_counter()

    def on_epoch_begin(self) -> None:
        """Show which epoch runs."""
        self.bar.set_description(f"epoch {self.epoch + 1}/{self.epochs}", refresh=False)

    def on_cells_done(self, passes: float) -> None:
        """Advance the bar; in a long epoch, log the progress from time to time."""
        now = perf_counter()
        with self.lock:
            self.bar.update(max(0, int(passes * self.n_pairs) - self.bar.n))
            if now - self.logged < LOG_SECONDS:
                return
            self.logged = now
        speed = (passes - self.first) / (now - self.started)
        logger.info(
            "EPOCH %i of %i: %.0f%% done, %.3g million pairs per second, %.0f s left in all",
            self.epoch + 1, self.epochs, 100 * (passes / self.passes - self.epoch), speed * self.n_pairs / 1e6,
            (self.epochs * self.passes - passes) / speed,
        )  # fmt: skip

    def on_epoch_end(self, result: EpochResult, state: State | None) -> bool:
        """Log the loss, and show it beside the bar."""
        self.epoch += 1
        logger.info("EPOCH %i of %i: loss %.6g", self.epoch, self.epochs, result.loss)
        if self.epoch == 1 and result.loss == 0:
            logger.warning("all pairs have weight 0, so nothing is learnt; 'weighted=False' gives all of them weight 1")
        self.bar.set_postfix(loss=f"{result.loss:.4g}")
        return False
