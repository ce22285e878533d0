"""Training a model: its state, epoch by epoch, with callbacks, events, a progress bar and checkpoints."""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from gensim_wordrank import keyedvectors
from gensim_wordrank._utils import memory
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.model_state import StatefulModel
from gensim_wordrank.objective.objective import Objective
from gensim_wordrank.training import memory_estimate
from gensim_wordrank.training.checkpoints import Checkpoints, Run
from gensim_wordrank.training.state import initial_bias
from gensim_wordrank.training.trainer import run_epochs

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)

# parameters that act only before training, or belong to one call
NOT_KEPT = {
    "sentences", "corpus_file", "trim_rule", "warm_start", "callbacks", "progress", "checkpoint", "cluster",
    "without_meaning",
}  # fmt: skip
# what a model knows beside its parameters, vectors and co-occurrences
KEPT = (
    "corpus_count", "corpus_total_words", "effective_min_count", "train_count", "total_train_time", "training_losses",
    "_counted",
)  # fmt: skip


def _parameters_of(kind: type) -> set[str]:
    """Return the names that a class and those it is made from give their parameters; those without a name have none."""
    made_from = [each for each in kind.__mro__ if issubclass(each, FittedModel)]
    found = [inspect.signature(each.__init__).parameters.values() for each in made_from if "__init__" in vars(each)]
    without_name = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {parameter.name for each in found for parameter in each if parameter.kind not in without_name} - {"self"}


class FittedModel(StatefulModel):
    """A model with a vocabulary, start vectors and co-occurrences, which trains on them."""

    alpha: float
    min_alpha: float
    epochs: int
    objective: Objective
    progress: bool

    @classmethod
    def resume(
        cls,
        directory: str | os.PathLike[str],
        *,
        workers: int | None = None,
        cluster: Any = None,
        progress: bool = False,
        callbacks: Iterable[Any] = (),
    ) -> Self:
        """Go on with a run from its last checkpoint, to the bytes that it would have had without the break.

        Parameters
        ----------
        directory : str or path
            What the run was given as `checkpoint`. It goes on being written to.
        workers : int, optional
            Number of threads; by default that of the run.
        cluster, progress, callbacks
            As in the constructor; they are not kept in checkpoints.

        Examples
        --------
        >>> import tempfile
        >>> from gensim.test.utils import common_texts
        >>> from gensim_wordrank import WordRank
        >>> place = tempfile.mkdtemp()
        >>> class Stop:
        ...     def __getattr__(self, name):
        ...         return lambda model: name == "on_epoch_end" and model.epochs_done == 3
        >>> model = WordRank(common_texts, vector_size=4, min_count=1, callbacks=[Stop()], checkpoint=place)
        >>> model.epochs_done, WordRank.resume(place).epochs_done
        (3, 10)
        """
        with Run.open(directory) as run:
            parameters = run.facts["facts"]["parameters"] | {"progress": progress, "cluster": cluster}
            model = cls(**parameters | ({} if workers is None else {"workers": workers}))
            model._restore(run)
            model._check_memory()
            model._train(callbacks, run)
        return model

    def _fit(self, callbacks: Iterable[Any], checkpoints: Checkpoints | None) -> int:
        """Train on the co-occurrences for up to `self.epochs`; return how many were run."""
        memory.trim_heap()  # what was needed to count
        assert self.cooccurrence is not None  # _count has seen to it
        self._check_memory()
        known = len(self.context_bias)
        if known < len(self.wv):  # contexts that are new since the last training
            self.context_bias = np.append(self.context_bias, initial_bias(self.cooccurrence)[known:])
        if checkpoints is None:
            return self._train(callbacks, None)
        with Run.begin(checkpoints, self.cooccurrence, self._state(), self._facts()) as run:
            return self._train(callbacks, run)

    def _check_memory(self) -> None:
        """Refuse a run that cannot fit, before it starts."""
        # on a cluster other machines hold the pairs
        n_pairs = self.cooccurrence.nnz if self.cooccurrence is not None and self.cluster is None else 0
        self._require_memory(
            memory_estimate.epoch_memory(len(self.wv), n_pairs, self.vector_size, self.solver, self.workers)
        )

    def _train(self, callbacks: Iterable[Any], run: Run | None) -> int:
        """Run what is left of `self.epochs`, with callbacks and events; return how many that were."""
        started, callbacks, counts = perf_counter(), tuple(callbacks), self.cooccurrence
        assert counts is not None
        self.add_lifecycle_event(
            "train",
            msg=f"training with {self.workers} workers on {len(self.wv)} words, {counts.nnz} pairs and "
            f"{self.vector_size} features, using {self.objective}",
        )
        for callback in callbacks:
            callback.on_train_begin(self)
        first = self.epochs_done
        try:
            self._run_epochs(counts, callbacks, run)
        finally:  # also if it was interrupted
            self.total_train_time += perf_counter() - started
            del self.training_losses[self.epochs_done :]  # of epochs whose vectors a cluster has not given back
            if run is not None:
                run.note(self._state(), self._progress())
            if self.alpha != self.min_alpha:  # a run whose epochs are all alike has no end of its own
                self._change_basis()
        self.train_count += 1
        self.min_alpha_yet_reached = self.min_alpha
        done = self.epochs_done - first
        self.add_lifecycle_event("train", msg=f"{done} epochs took {perf_counter() - started:.1f} s")
        for callback in callbacks:
            callback.on_train_end(self)
        return done

    def _run_epochs(self, counts: Cooccurrence, callbacks: Sequence[Any], run: Run | None) -> None:
        """Run what is left of `self.epochs`, with callbacks, log and progress bar."""
        if self.cluster is not None and not keyedvectors.are_free(self.wv):
            raise ValueError("'wv.vectors_lockf' holds vectors only without a 'cluster'. Train on one machine.")
        before = self.epochs_done - run.start.epoch if run is not None else 0
        epochs = run_epochs(
            self._state(), counts, self.objective, self.solver,
            self.epochs, self.alpha, self.min_alpha, self.seed, self.workers, before, self._team or self.cluster,
        )  # fmt: skip
        bar = tqdm(total=self.epochs, initial=before, desc="WordRank", unit="epoch", disable=not self.progress)
        with closing(epochs), bar:
            for done in range(before + 1, self.epochs + 1):
                for callback in callbacks:
                    callback.on_epoch_begin(self)
                state, self.running_training_loss = next(epochs)
                self.training_losses.append(self.running_training_loss)
                due = run is not None and run.is_due(state.epoch)
                if state.is_here or callbacks or due or done == self.epochs:  # from a cluster it has to be brought
                    keyedvectors.hold_locked(self.wv, state.words)
                    self._take(state)
                if run is not None and due:
                    run.note(self._state(), self._progress())
                logger.info("EPOCH %i of %i: loss %.6g", done, self.epochs, self.running_training_loss)
                if done == 1 and self.running_training_loss == 0:
                    logger.warning("no pair has any weight, so nothing is learnt; 'weighted=False' gives all the same")
                bar.set_postfix(loss=f"{self.running_training_loss:.6g}", refresh=False)
                bar.update()
                wishes = [callback.on_epoch_end(self) for callback in callbacks]
                if any(isinstance(wish, (bool, np.bool_)) and wish for wish in wishes):
                    logger.info("stopped by a callback after epoch %i", done)
                    break

    # ---- checkpoints

    def _facts(self) -> dict[str, Any]:
        """Return what a model is beside its state and co-occurrences, for the start of a run."""
        objective = asdict(self.objective)
        names = _parameters_of(type(self)) - objective.keys() - NOT_KEPT
        parameters = {**objective, **{name: getattr(self, name) for name in sorted(names)}}
        of_words = keyedvectors.plain_attributes(self.wv)
        facts = {"parameters": parameters, "attributes": list(of_words), **{name: getattr(self, name) for name in KEPT}}
        numbered = {f"wv.{number}": values for number, values in enumerate(of_words.values())}
        return {"facts": facts, "lock": self.wv.vectors_lockf, **numbered}

    def _progress(self) -> dict[str, Any]:
        """Return what changes from epoch to epoch beside the state."""
        names = ("running_training_loss", "training_losses", "total_train_time")
        return {name: getattr(self, name) for name in names}

    def _restore(self, run: Run) -> None:
        """Become what a run had made of its model at its last checkpoint."""
        self.cooccurrence = run.counts()
        self.wv.index_to_key = list(self.cooccurrence.words)
        self.wv.key_to_index = {word: i for i, word in enumerate(self.wv.index_to_key)}
        known = {name: run.facts[f"wv.{i}"] for i, name in enumerate(run.facts["facts"]["attributes"])}
        self.wv.expandos = {
            name: np.array(values, object) if isinstance(values, list) else values for name, values in known.items()
        }
        self.wv.vectors_lockf = run.facts["lock"]
        state, progress = run.newest()
        self._take(state)
        for name, value in {**run.facts["facts"], **progress}.items():
            if name not in ("parameters", "attributes"):
                setattr(self, name, value)
