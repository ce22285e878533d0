"""Listeners of training that keep a gensim model up to date and call its callbacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gensim_wordrank import weights
from gensim_wordrank.training.backend import EpochResult
from gensim_wordrank.training.state import State
from gensim_wordrank.training.trainer import Listener


@dataclass
class ModelUpdater(Listener):
    """Gives a model the loss of every epoch, and its parameters where they are at hand.

    Ctrl-C may interrupt an update. :meth:`finish` completes it, so that no checkpoint mixes two epochs.
    """

    model: Any
    epochs_before: int  # epochs and passes when training began
    passes_before: int
    passes: int  # per epoch
    latest: tuple[EpochResult, State | None] | None = None

    def on_epoch_end(self, result: EpochResult, state: State | None) -> bool:
        """Update the model."""
        self.latest = result, state
        self._update(result, state)
        return False

    def take(self, state: State) -> None:
        """Give the model the newest parameters that a backend has when it cannot continue."""
        self.latest = None
        if state.epoch > self.model._passes_done:
            weights.set_state(self.model, state)
            done = self.model.epochs_done = self.epochs_before + (state.epoch - self.passes_before) // self.passes
            self.model.running_training_loss = self.model.training_losses[done - 1]

    def finish(self) -> None:
        """Complete the last update if it was interrupted."""
        if self.latest is not None:
            self._update(*self.latest)
        self.latest = None  # otherwise the vectors would stay in memory

    def _update(self, result: EpochResult, state: State | None) -> None:
        self.model.running_training_loss = result.loss
        epoch = self.epochs_before + (result.epoch - self.passes_before) // self.passes
        self.model.training_losses[epoch - 1 :] = [result.loss]
        if state is not None:
            weights.set_state(self.model, state)
            self.model.epochs_done = epoch


@dataclass
class GensimCallbacks(Listener):
    """Calls callbacks as gensim does; those that return True at the end of an epoch stop training."""

    model: Any
    callbacks: Sequence[Any]

    def needs_state(self, epoch: int) -> bool:
        """Return True if there are callbacks: they may look at the vectors."""
        return bool(self.callbacks)

    def on_epoch_begin(self) -> None:
        """Call `on_epoch_begin` of all callbacks."""
        for callback in self.callbacks:
            callback.on_epoch_begin(self.model)

    def on_epoch_end(self, result: EpochResult, state: State | None) -> bool:
        """Call `on_epoch_end` of all callbacks."""
        stop = False
        for callback in self.callbacks:
            returned = callback.on_epoch_end(self.model)
            stop |= isinstance(returned, (bool, np.bool_)) and bool(returned)
        return stop
