"""Checkpoints: a directory from which a run that ended at any moment goes on, to the same bytes.

    DIR/cooccurrence/    the counts and the vocabulary            written once, before the first epoch
    DIR/run/             parameters, and the state at the start   written once, last: with it there is a run
    DIR/epoch-000007/    the state after 7 epochs                 the last few are kept

Random numbers follow from the seed and the number of the epoch, so there is no other state. Every directory is written
under another name and then renamed, and carries the checksums of its files.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any

from gensim_wordrank._utils import atomic_files, checksummed, validation
from gensim_wordrank._utils.versions import versions
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.training.state import State

logger = logging.getLogger(__name__)

RUN = checksummed.Format("training run", 3, "Start the run again.")
EPOCH = checksummed.Format("checkpoint", 2, "The one before is used.")
# where these are the same, so are the numbers
SAME = ("gensim-wordrank", "numpy", "machine", "CPU level")
SECONDS = {"s": 1, "min": 60, "h": 3600}
# what tells that a process holds the directory, and that the pairs there are of a run that is about to begin
LOCK, BEGUN = ".lock", ".begun"
# seconds to wait for one that only looks
PATIENCE = 2.0
# names of their directories
CHECKPOINT = r"epoch-\d{6,}"


@dataclass(frozen=True)
class Checkpoints:
    """Where checkpoints go, how often they are written, and how many are kept.

    Parameters
    ----------
    directory : str or path
        Is made if it is not there; must not hold a run.
    every : int or str
        Number of epochs, or a time as "90s", "10min" or "2h". The end of training has one in any case.
    keep : int
        How many of the last ones stay. If the last is damaged, the one before is used.

    Examples
    --------
    >>> import tempfile
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import Checkpoints, WordRank
    >>> place = tempfile.mkdtemp()
    >>> model = WordRank(common_texts, vector_size=4, min_count=1, epochs=6, checkpoint=Checkpoints(place, every=2))
    >>> same = WordRank.resume(place)  # as after a power cut, but that nothing is left to do
    >>> bool((same.wv.vectors == model.wv.vectors).all())
    True
    """

    directory: str | os.PathLike[str]
    every: int | str = 1
    keep: int = 2

    def __post_init__(self) -> None:
        validation.positive_integer("keep", self.keep)
        if not isinstance(self.every, str):
            validation.positive_integer("every", self.every, 'For a time, give "10min" or the like.')
        elif not _seconds(self.every):
            raise validation.parameter_error(
                "every", 'a number of epochs, or a time like "90s", "10min" or "2h"', self.every
            )

    def is_due(self, epochs: int, seconds: float) -> bool:
        """Say whether a checkpoint is written when so much was done since the last one."""
        return seconds >= _seconds(self.every) if isinstance(self.every, str) else epochs >= self.every


def _seconds(time: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(s|min|h)", time)
    return float(found[1]) * SECONDS[found[2]] if found else 0.0


def asked_for(checkpoint: str | os.PathLike[str] | Checkpoints | None) -> Checkpoints | None:
    """Return what the parameter `checkpoint` asks for; make the directory, and refuse one that cannot be used.

    All that before a text is read and counted, and again by :meth:`Run.begin`.
    """
    if checkpoint is None:
        return None
    options = checkpoint if isinstance(checkpoint, Checkpoints) else Checkpoints(checkpoint)
    directory = Path(options.directory).absolute()
    atomic_files.require_no_file(directory)
    directory.mkdir(parents=True, exist_ok=True)
    _check_free(directory)
    atomic_files.require_writable_directory(directory / "checked", ())
    if (directory / LOCK).exists():
        with (directory / LOCK).open() as lock:
            _lock(lock, fcntl.LOCK_SH)
    return replace(options, directory=directory)


def _check_free(directory: Path) -> None:
    """Refuse a directory with a run, or with things of others that have the names of a run's."""
    if (directory / "run").exists():
        raise FileExistsError(
            f"'{directory}' holds a training run. Go on with it by WordRank.resume or `wordrank resume`, or give "
            "'checkpoint' another directory."
        )
    others = [place for place in _directories(directory, CHECKPOINT) if not _is_checkpoint(place)]
    if not (directory / BEGUN).exists():  # else a run was broken off as it began
        others += _directories(directory, "cooccurrence")
    if others:
        raise FileExistsError(
            f"'{others[0]}' is not of a training run, and would be replaced. Give 'checkpoint' another directory."
        )


class Run:
    """A training run on disk, which one process at a time holds.

    Parameters
    ----------
    options : Checkpoints
        Where and how often.
    start : State
        From which it began.
    facts : dict
        What the model was then, as plain values and arrays.
    """

    def __init__(self, options: Checkpoints, start: State, facts: Mapping[str, Any]) -> None:
        self.options, self.start, self.facts = options, start, facts
        self.directory = Path(options.directory)
        self._id = checksummed.file_checksum(self.directory / "run" / checksummed.MANIFEST)
        self._last, self._written = start.epoch, monotonic()  # epoch and time of the last checkpoint

    @classmethod
    @contextmanager
    def begin(cls, options: Checkpoints, counts: Cooccurrence, start: State, facts: Mapping[str, Any]) -> Iterator[Run]:
        """Write what a run begins with, and hold it."""
        directory = Path(options.directory)
        directory.mkdir(parents=True, exist_ok=True)
        with _held(directory):
            _check_free(directory)  # again, as another process may have begun and ended a run since
            (directory / BEGUN).touch()
            counts.save(directory / "cooccurrence")
            of_run = {
                "every": options.every,
                "keep": options.keep,
                "made by": _versions(),
                "cooccurrence": checksummed.file_checksum(directory / "cooccurrence" / checksummed.MANIFEST),
            }
            contents = {**vars(start), **facts, "run": of_run}
            atomic_files.write_directory_atomically(
                directory / "run", lambda place: checksummed.write(place, RUN, contents)
            )
            (directory / BEGUN).unlink(missing_ok=True)
            yield cls(options, start, facts)

    @classmethod
    @contextmanager
    def open(cls, directory: str | os.PathLike[str]) -> Iterator[Run]:
        """Hold the run in a directory."""
        place = Path(directory)
        if not (place / "run").is_dir():
            raise FileNotFoundError(
                f"'{place}' holds no training run: none was begun there, or it ended while it counted co-occurrences. "
                "Start it again."
            )
        with _held(place):
            (place / BEGUN).unlink(missing_ok=True)
            facts = checksummed.read(place / "run", RUN)
            of_run, start = facts.pop("run"), _take_state(facts)
            about = place / "cooccurrence" / checksummed.MANIFEST
            if not about.is_file() or checksummed.file_checksum(about) != of_run["cooccurrence"]:
                raise ValueError(f"'{about.parent}' belongs to another run, or is damaged. {RUN.remedy}")
            if of_run["made by"] != _versions():
                logger.warning(
                    "the run was begun with %s and goes on with %s: the vectors may differ in their last bits",
                    of_run["made by"], _versions(),
                )  # fmt: skip
            yield cls(Checkpoints(directory, of_run["every"], of_run["keep"]), start, facts)

    def counts(self) -> Cooccurrence:
        """Return the co-occurrences, mapped from their files."""
        return Cooccurrence.load(self.directory / "cooccurrence", mmap="r")

    def is_due(self, epoch: int) -> bool:
        """Say whether a checkpoint is to be written after an epoch."""
        return self.options.is_due(epoch - self._last, monotonic() - self._written)

    def note(self, state: State, facts: Mapping[str, Any]) -> None:
        """Write a checkpoint if there is none of the state.

        A checkpoint that cannot be written is no reason to lose the run: the log tells, and the last ones stay.
        """
        if state.epoch != self._last:
            try:
                self._write(state, facts)
            except OSError as error:
                logger.error("no checkpoint after epoch %i: %s. Training goes on.", state.epoch, error)

    def _write(self, state: State, facts: Mapping[str, Any]) -> None:
        place = self.directory / f"epoch-{state.epoch - self.start.epoch:06}"
        shutil.rmtree(place, ignore_errors=True)  # there is one only if it is damaged, or of a run before this one
        contents = {**vars(state), "facts": {**facts, "run": self._id}}
        atomic_files.write_directory_atomically(place, lambda directory: checksummed.write(directory, EPOCH, contents))
        self._last, self._written = state.epoch, monotonic()
        earlier = [checkpoint for checkpoint in self._checkpoints() if checkpoint < place]
        for old in earlier[: len(earlier) - self.options.keep + 1]:
            shutil.rmtree(old)

    def newest(self) -> tuple[State, dict[str, Any]]:
        """Return the last state that can be read, and the facts noted with it; without any, the start."""
        for place in reversed(self._checkpoints()):
            try:
                found = checksummed.read(place, EPOCH)
                state, facts = _take_state(found), found["facts"]
                if facts.pop("run") != self._id:
                    raise ValueError(f"'{place}' belongs to another run. {EPOCH.remedy}")
            except (ValueError, OSError) as error:
                logger.warning("%s", error)
            else:
                self._last = state.epoch
                return state, facts
        return self.start, {}

    def _checkpoints(self) -> list[Path]:
        return sorted(_directories(self.directory, CHECKPOINT))


@contextmanager
def _held(directory: Path) -> Iterator[None]:
    """Keep other processes out of a directory, and remove what was being written when a run ended."""
    with (directory / LOCK).open("w") as lock:
        _lock(lock, fcntl.LOCK_EX)
        for left in _directories(directory, rf"\.(run|cooccurrence|{CHECKPOINT})\.{atomic_files.TEMPORARY_SUFFIX}"):
            shutil.rmtree(left, ignore_errors=True)
        yield


def _lock(file: IO[str], how: int) -> None:
    """Lock a file, or say that another process holds it."""
    end = monotonic() + PATIENCE
    while True:
        try:
            return fcntl.flock(file, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() > end:
                place = Path(file.name).parent
                raise RuntimeError(f"Another process trains in '{place}'. Wait for it, or stop it.") from None
        sleep(0.05)


def _is_checkpoint(place: Path) -> bool:
    """Say whether a directory was written as a checkpoint, of whatever run."""
    try:
        return bool(checksummed.read_checksums(place, EPOCH))
    except (OSError, ValueError):
        return False


def _directories(place: Path, names: str) -> list[Path]:
    """Return the directories in a place with such names; whatever else lies there is not a run's."""
    return [entry for entry in place.iterdir() if re.fullmatch(names, entry.name) and entry.is_dir()]


def _take_state(found: dict[str, Any]) -> State:
    """Take the state out of what was read."""
    return State(**{field.name: found.pop(field.name) for field in fields(State)})


def _versions() -> dict[str, str]:
    return {name: version for name, version in versions().items() if name in SAME}
