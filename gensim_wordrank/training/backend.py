"""Where work is done: a backend reads texts, counts co-occurrences and runs epochs.

:class:`LocalBackend` does so on this machine; :class:`gensim_wordrank.cluster.backend.DaskBackend` on the machines of a
cluster. The trainer and the model cannot tell them apart.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gensim_wordrank._utils import memory
from gensim_wordrank.cooccurrence.csr import CountSummary
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.text import corpus
from gensim_wordrank.text.corpus import Corpus, VocabCounts
from gensim_wordrank.training.sampled import Report, TrainingConfig, no_report, sampled_epoch
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State
from gensim_wordrank.training.triplet import triplet_epoch
from gensim_wordrank.types import Solver


@dataclass(frozen=True)
class EpochResult:
    """What one epoch produced."""

    epoch: int  # epochs done since the vectors were initialized
    loss: float  # the estimate of J, without the L2 term
    weight: float  # the same sum over pairs with r instead of r rho: the loss of pairs at rho = 1
    is_finite: bool  # whether all parameters are
    is_local: bool  # whether the parameters are in this process
    state: Callable[[], State]  # returns the parameters, gathered from other machines if need be


class StoppedError(RuntimeError):
    """A backend cannot continue. `state` is the newest it has; `model`, if it is known, has its vectors."""

    def __init__(self, message: str, state: State, model: Any = None) -> None:
        super().__init__(message)
        self.state, self.model = state, model


class Counts(Protocol):
    """Co-occurrence counts, in this process or on the machines of a cluster."""

    words: list[Any]

    @property
    def nnz(self) -> int:
        """Number of pairs that occur."""

    def summarize(self) -> CountSummary:
        """Return what training must know before the first epoch."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a directory."""


class Backend(Protocol):
    """Reads texts, counts co-occurrences and runs epochs."""

    def read(self, sentences: Any, corpus_file: Any, vocabulary: Mapping[Any, int] | None = None) -> VocabCounts:
        """Read a text; with a vocabulary, drop all other words."""

    def count(self, text: Any, window: int, symmetric: bool, distance_weighting: bool, reserve: int = 0) -> Counts:
        """Count the co-occurrences of what :meth:`read` returned; leave `reserve` bytes of memory for training."""

    def run_epochs(
        self, config: TrainingConfig, counts: Any, state: State, points: Iterable[SchedulePoint],
        report: Report = no_report,
    ) -> Generator[EpochResult, None, None]:  # fmt: skip
        """Run one epoch per schedule point, from a state on; yield the result of each."""


@dataclass(frozen=True)
class LocalBackend:
    """The threads of this machine.

    Parameters
    ----------
    workers : int
        Number of threads; results do not depend on it.
    memory : int or str, optional
        What the process may take in all, as "4GB" or in bytes; by default what it has and half of what is free.
    progress : bool
        Show progress bars for reading and counting.
    """

    workers: int = 1
    memory: int | str | None = None
    progress: bool = False

    def read(
        self,
        sentences: Corpus | Iterable[Sequence[Any]] | None,
        corpus_file: Any = None,
        vocabulary: Mapping[Any, int] | None = None,
    ) -> Corpus:
        """Read a text into word ids: those of `vocabulary`, or new ones for all words."""
        if isinstance(sentences, Corpus):  # it was read before
            return sentences if vocabulary is None else sentences.reindex(vocabulary)
        room = memory.headroom(self.memory, required=True)
        return corpus.read(
            sentences, corpus_file, vocabulary=vocabulary, workers=self.workers, max_bytes=room, progress=self.progress
        )  # fmt: skip

    def count(
        self, text: Corpus, window: int, symmetric: bool, distance_weighting: bool, reserve: int = 0
    ) -> Cooccurrence:
        """Count the co-occurrences of a text."""
        return Cooccurrence.from_text(
            text, window, symmetric, distance_weighting, self.workers, self.memory, reserve, progress=self.progress
        )

    def run_epochs(
        self, config: TrainingConfig, counts: Cooccurrence, state: State, points: Iterable[SchedulePoint],
        report: Report = no_report,
    ) -> Generator[EpochResult, None, None]:  # fmt: skip
        """Run one epoch per schedule point on the threads of this machine."""
        for point in points:
            if config.method.solver is Solver.TRIPLET:  # it has no cells
                state, loss, weight = triplet_epoch(config, counts, state, point, self.workers)
            else:
                state, loss, weight = sampled_epoch(config, counts, state, point, self.workers, report)
            yield EpochResult(state.epoch, loss, weight, state.is_finite(), True, lambda state=state: state)  # type: ignore[misc]
