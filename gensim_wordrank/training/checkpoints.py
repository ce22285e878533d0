"""Checkpoints: a directory from which a run that ended at any moment can be resumed, to the same bytes.

    DIR/cooccurrence/    the counts and the vocabulary         written once, before the first epoch
    DIR/run/             parameters and the initial state      written once, last: without it nothing can be resumed
    DIR/epoch-000007/    the state after 7 epochs              the last few are kept

Random numbers depend on the seed and the number of the epoch, so there is no other state. Every directory is written
under a temporary name and then renamed, and holds the checksums of its files.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from gensim_wordrank._utils import atomic_files, checksummed, schema, validation
from gensim_wordrank._utils.versions import versions
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.training import run_directory
from gensim_wordrank.training.backend import Counts, EpochResult
from gensim_wordrank.training.run_directory import EPOCH, RUN
from gensim_wordrank.training.state import State
from gensim_wordrank.training.trainer import Listener

logger = logging.getLogger(__name__)

# where these agree, results are the same bytes
REPRODUCIBLE_WITH = ("gensim-wordrank", "numpy", "machine", "CPU level")
SECONDS = {"s": 1, "min": 60, "h": 3600}
OF_RUN = {
    "every": schema.either(schema.integer(1), schema.text(r"[\d.]{1,20} ?(s|min|h)")),
    "keep": schema.integer(1),
    "versions": schema.mapping_of(schema.text(r".{0,100}")),
    "cooccurrence": schema.integer(0, 2**32 - 1),
}
OF_CHECKPOINT = {
    "run": schema.integer(0, 2**32 - 1),
    "running_training_loss": schema.number(),
    "training_losses": schema.list_of(schema.number()),
    "total_train_time": schema.number(),
    "epochs_done": schema.integer(0),
}


@dataclass(frozen=True)
class Checkpoints:
    """Where checkpoints are written, how often, and how many are kept.

    Parameters
    ----------
    directory : str or path
        Where to write. Created if missing; must not contain a run.
    every : int or str
        Number of epochs, or a time such as "90s", "10min" or "2h". A checkpoint always follows the last epoch.
    keep : int
        Number of checkpoints to keep. If the latest is damaged, the one before is used.

    Examples
    --------
    >>> import tempfile
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import Checkpoints, WordRank
    >>> place = tempfile.mkdtemp()
    >>> model = WordRank(common_texts, vector_size=4, min_count=1, epochs=6, checkpoint=Checkpoints(place, every=2))
    >>> same = WordRank.resume(place)  # nothing is left to do here
    >>> bool((same.wv.vectors == model.wv.vectors).all())
    True
    """

    directory: str | os.PathLike[str]
    every: int | str = 1
    keep: int = 2

    def __post_init__(self) -> None:
        if not os.fspath(self.directory):
            raise validation.parameter_error("checkpoint", "the name of a directory", self.directory)
        validation.positive_integer("keep", self.keep)
        if not isinstance(self.every, str):
            validation.positive_integer("every", self.every, 'For a time, give a string such as "10min".')
        elif not _seconds(self.every):
            raise validation.parameter_error(
                "every", 'a number of epochs, or a time such as "90s", "10min" or "2h"', self.every
            )

    def is_due(self, epochs: int, seconds: float) -> bool:
        """Return True if a checkpoint is due so many epochs and seconds after the last one."""
        return seconds >= _seconds(self.every) if isinstance(self.every, str) else epochs >= self.every


def _seconds(time: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(s|min|h)", time)
    return float(found[1]) * SECONDS[found[2]] if found else 0.0


def prepare_directory(checkpoint: str | os.PathLike[str] | Checkpoints) -> Checkpoints:
    """Return the parameter `checkpoint` as Checkpoints; create the directory, and refuse one that cannot be used.

    This happens before a text is read; :meth:`Run.begin` checks again.
    """
    options = checkpoint if isinstance(checkpoint, Checkpoints) else Checkpoints(checkpoint)
    directory = Path(options.directory).absolute()
    atomic_files.require_no_file(directory)
    if not directory.is_dir():
        directory.mkdir(parents=True, exist_ok=True)
        atomic_files.note_published(directory, directory)
    run_directory.require_free(directory)
    atomic_files.require_writable_directory(directory / "checked", ())
    if (directory / run_directory.LOCK).exists():
        with run_directory.open_lock(directory) as file:
            run_directory.lock(file)
    return replace(options, directory=directory)


class Run:
    """A training run on disk, which one process at a time uses.

    Parameters
    ----------
    options : Checkpoints
        Where and how often.
    start : State
        The initial state.
    model : dict
        What the model was then, as plain values and arrays.
    """

    def __init__(self, options: Checkpoints, start: State, model: Mapping[str, Any]) -> None:
        self.options, self.start, self.model = options, start, model
        self.directory = Path(options.directory)
        self._id = checksummed.file_checksum(self.directory / "run" / checksummed.MANIFEST)
        self._last, self._written = start.epoch, monotonic()  # epoch and time of the last checkpoint

    @classmethod
    @contextmanager
    def begin(cls, options: Checkpoints, counts: Counts, start: State, model: Mapping[str, Any]) -> Iterator[Run]:
        """Write the start of a run, and lock it."""
        directory = Path(options.directory)
        directory.mkdir(parents=True, exist_ok=True)
        with run_directory.locked(directory):
            run_directory.require_free(directory)  # again: another process may have finished a run since
            run_directory.mark(directory)
            counts.save(directory / "cooccurrence")
            of_run = {
                "every": options.every,
                "keep": options.keep,
                "versions": _versions(),
                "cooccurrence": checksummed.file_checksum(directory / "cooccurrence" / checksummed.MANIFEST),
            }
            contents = {**vars(start), **model, "run": of_run}
            checksummed.save(directory / "run", RUN, lambda _: contents)
            run_directory.unmark(directory)
            yield cls(options, start, model)

    @classmethod
    @contextmanager
    def open(cls, directory: str | os.PathLike[str]) -> Iterator[Run]:
        """Lock and read the run in a directory."""
        place = Path(directory)
        if not (place / "run").is_dir():
            raise FileNotFoundError(
                f"'{place}' holds no training run: none was started there, or it ended before the first epoch. Start "
                "over."
            )
        with run_directory.locked(place):
            run_directory.refuse_links(place)
            run_directory.unmark(place)
            model = checksummed.read(place / "run", RUN)
            start = _pop_state(place / "run", model)
            of_run = model.pop("run", None)
            schema.check(str(place / "run" / "run.json"), of_run, OF_RUN)
            about = place / "cooccurrence" / checksummed.MANIFEST
            if not about.is_file() or checksummed.file_checksum(about) != of_run["cooccurrence"]:
                raise ValueError(f"'{about.parent}' belongs to another run, or is damaged. {RUN.remedy}")
            if of_run["versions"] != _versions():
                logger.warning(
                    "the run was started with %s and is resumed with %s: the vectors may differ in their last bits",
                    of_run["versions"], _versions(),
                )  # fmt: skip
            try:
                options = Checkpoints(directory, of_run["every"], of_run["keep"])
            except ValueError as error:
                raise ValueError(f"'{place / 'run' / 'run.json'}' is damaged: {error}") from error
            yield cls(options, start, model)

    def counts(self) -> Cooccurrence:
        """Return the co-occurrence counts, memory-mapped."""
        return Cooccurrence.load(self.directory / "cooccurrence", mmap="r")

    def is_due(self, epoch: int) -> bool:
        """Return True if a checkpoint is due after an epoch."""
        return self.options.is_due(epoch - self._last, monotonic() - self._written)

    def save_checkpoint(self, state: State, progress: Mapping[str, Any]) -> None:
        """Write a checkpoint if this state has none.

        If that fails, training continues: the error is logged and the earlier checkpoints stay.
        """
        if state.epoch != self._last:
            try:
                self._write(state, progress)
            except OSError as error:
                logger.error("no checkpoint after epoch %i: %s. Training continues.", state.epoch, error)

    def _write(self, state: State, progress: Mapping[str, Any]) -> None:
        place = self.directory / f"epoch-{state.epoch - self.start.epoch:06}"
        run_directory.remove_checkpoint(place)  # one that exists is damaged, or of an earlier run
        contents = {**vars(state), "progress": {**progress, "run": self._id}}
        checksummed.save(place, EPOCH, lambda _: contents)
        self._last, self._written = state.epoch, monotonic()
        self._remove_before(place)

    def newest(self) -> tuple[State, dict[str, Any]]:
        """Return the latest state that can be read and the progress saved with it, or the initial state."""
        for place in reversed(run_directory.checkpoints(self.directory)):
            try:
                found = checksummed.read(place, EPOCH)
                state = _pop_state(place, found, self.start, int(place.name.removeprefix("epoch-")))
                progress = found.pop("progress", None)
                schema.check(str(place / "progress.json"), progress, OF_CHECKPOINT)
                if found:
                    raise ValueError(f"'{place}' holds unknown files: {', '.join(found)}. {EPOCH.remedy}")
                if progress.pop("run") != self._id:
                    raise ValueError(f"'{place}' belongs to another run. {EPOCH.remedy}")
            except (ValueError, OSError) as error:
                logger.warning("%s", error)
            else:
                self._last = state.epoch
                self._remove_before(place)  # a process that was killed may have begun
                return state, progress
        return self.start, {}

    def _remove_before(self, newest: Path) -> None:
        """Remove the checkpoints that are no longer to be kept."""
        earlier = [place for place in run_directory.checkpoints(self.directory) if place < newest]
        for old in earlier[: max(0, len(earlier) - self.options.keep + 1)]:
            run_directory.remove_checkpoint(old)


class CheckpointWriter(Listener):
    """Writes checkpoints when they are due.

    Parameters
    ----------
    run : Run
        Where to write them.
    snapshot : callable
        Returns the model's state and progress; called after the model has taken over the epoch's state.
    """

    def __init__(self, run: Run, snapshot: Callable[[], tuple[State, Mapping[str, Any]]]) -> None:
        self.run, self.snapshot = run, snapshot
        self._due = False

    def needs_state(self, epoch: int) -> bool:
        """Return True if a checkpoint is due."""
        self._due = self.run.is_due(epoch)
        return self._due

    def on_epoch_end(self, result: EpochResult, state: State | None) -> bool:
        """Write a checkpoint if it is due."""
        if self._due:
            self.run.save_checkpoint(*self.snapshot())
        return False


def _pop_state(place: Path, found: dict[str, Any], like: State | None = None, epochs: int | None = None) -> State:
    """Remove the state from what was read, check it, and return it.

    A checkpoint has the shapes of the initial state `like`, and comes `epochs` epochs after it.
    """
    words = like.words if like is not None else found.get("words")
    n, size = words.shape if isinstance(words, np.ndarray) and words.ndim == 2 else (0, 0)
    epoch = schema.integer()
    if like is not None and epochs is not None:
        epoch = schema.integer(like.epoch + epochs, like.epoch + epochs)
    kinds = {
        "words": schema.array(np.float32, n, size), "contexts": schema.array(np.float32, n, size),
        "bias": schema.array(np.float32, n), "word_accumulator": schema.array(np.float32, n, low=0),
        "context_accumulator": schema.array(np.float32, n, low=0), "epoch": epoch,
        "xi": schema.array(np.float32, np.size(found.get("xi", ())), low=0),  # of any number of pairs, see `restore`
    }  # fmt: skip
    schema.check(str(place), found, kinds, others=found.keys() - kinds.keys())
    return State(**{name: found.pop(name) for name in kinds})


def _versions() -> dict[str, str]:
    return {name: version for name, version in versions().items() if name in REPRODUCIBLE_WITH}
