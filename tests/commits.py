"""Interrupt every writer at every call that changes a file, and read what is there.

    python tests/commits.py [--writer NAME] [--seconds SECONDS]

A writer replaces an old result by a new one, or writes the first. A fault occurs at its first call that creates,
writes, renames or removes a file, then at its second, and so on until it ends undisturbed. Each time, the old result or
the new one must be there, whole; the next write must succeed and leave no other files. Then readers read while a writer
replaces the result again and again. `file_calls.c`, which is compiled for this, meets the calls. Prints JSON lines.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("file_calls.c")


class Fault(IntEnum):
    """What happens at a call, as in `file_calls.c`."""

    KILL = 0
    TORN = 1
    CTRL_C = 2
    FULL = 3


FAULTS = {
    "kill before the call": Fault.KILL, "kill in the middle of a write": Fault.TORN, "Ctrl-C": Fault.CTRL_C,
    "full disk": Fault.FULL,
}  # fmt: skip


@dataclass(frozen=True)
class Writer:
    """How to write a version to a directory, "old" or "new", and how to tell which one is there."""

    write: Callable[[Path, str], Any]
    read: Callable[[Path], str]  # "old", "new" or an error; "mixed" if it is neither
    prepare: Callable[[Path], Any] = lambda place: None  # makes what must be there before
    is_result: bool = True  # and not the beginning of one


@cache
def model(version: str) -> Any:
    """Return a small model; no array and no word is the same in the other version."""
    from gensim_wordrank import WordRank

    sentences = [[version + word for word in sentence] for sentence in (["a", "b", "c"], ["b", "c", "d"])] * 3
    seed = {"old": 1, "new": 2}[version]
    return WordRank(sentences, vector_size=4, min_count=1, epochs=2, workers=1, seed=seed, window=seed)


@cache
def pairs(version: str) -> Any:
    """Return the counts of a small text."""
    return model(version).cooccurrence


def which(found: Callable[[str], bool]) -> str:
    """Return the version that a condition holds for."""
    return next((version for version in ("old", "new") if found(version)), "mixed")


def model_version(found: Any) -> str:
    """Return the version of a model; all arrays must be of the same one."""

    def is_model(version: str) -> bool:
        good = model(version)
        arrays = ((each.wv.vectors, each.context_vectors, each.cooccurrence.data) for each in (found, good))
        same = all(map(lambda a, b: a.tobytes() == b.tobytes(), *arrays))
        return same and found.wv.index_to_key == good.wv.index_to_key

    return which(is_model)


def pairs_version(found: Any) -> str:
    """Return the version of counts."""
    return which(
        lambda version: found.words == pairs(version).words and (found.matrix != pairs(version).matrix).nnz == 0
    )


def words_version(words: list[str]) -> str:
    """Return the version of words."""
    return which(lambda version: words == model(version).wv.index_to_key)


def load_with_gensim(place: Path) -> Any:
    """Load a model through gensim's own class."""
    from gensim.utils import SaveLoad

    return SaveLoad.load(str(place / "model"))


def write_projector(place: Path, version: str) -> None:
    """Write the files of TensorBoard's projector."""
    from gensim_wordrank._utils.atomic_files import write_directory_atomically
    from gensim_wordrank.cli import use

    write_directory_atomically(
        place / "projector", lambda directory: use.write_projector(model(version).wv, directory), use.PROJECTOR_CONFIG
    )


def read_projector(place: Path) -> str:
    """Read the files that the projector's configuration names, as TensorBoard does."""
    for _ in range(100):
        config = (place / "projector" / "projector_config.pbtxt").read_text()
        names = [line.split('"')[1] for line in config.splitlines() if '"' in line]
        try:
            vectors, words = ((place / "projector" / name).read_text() for name in names)
        except FileNotFoundError:  # replaced meanwhile
            continue
        return projector_version(vectors, words)
    raise OSError("the projector's files are missing")


def projector_version(vectors: str, words: str) -> str:
    """Return the version of both files."""

    def is_projector(version: str) -> bool:
        wv = model(version).wv
        first = "\t".join(f"{value:.6g}" for value in wv.vectors[0].tolist())
        return words.split() == wv.index_to_key and vectors.splitlines()[0] == first

    return which(is_projector)


@cache
def run(version: str) -> bytes:
    """Return the vectors of a training run with checkpoints."""
    with tempfile.TemporaryDirectory() as place:
        return train(Path(place), version).wv.vectors.tobytes()


def train(place: Path, version: str) -> Any:
    """Train with checkpoints, or resume."""
    from gensim_wordrank import Checkpoints, WordRank

    if (place / "run" / "run").is_dir():
        return WordRank.resume(place / "run")
    return WordRank(
        [["a", "b", "c"], ["b", "c", "d"]] * 3, vector_size=4, min_count=1, epochs=2, workers=1,
        checkpoint=Checkpoints(place / "run", keep=1),
    )  # fmt: skip


def read_run(place: Path) -> str:
    """Resume a copy of a run; its vectors must be those of an undisturbed one."""
    if not (place / "run" / "run").is_dir():
        raise FileNotFoundError("no run was started")
    with tempfile.TemporaryDirectory() as copy:
        resumed = train(Path(shutil.copytree(place, Path(copy, "place"))), "new")
    return "new" if resumed.wv.vectors.tobytes() == run("new") else "mixed"


def writers() -> dict[str, Writer]:
    """Return all writers."""
    from gensim_wordrank import Cooccurrence, WordRank
    from gensim_wordrank.cooccurrence.formats import read_glove, write_glove
    from gensim_wordrank.evaluation import load_model

    def read_model(place: Path) -> str:
        return model_version(WordRank.load(place / "model"))

    def save_model(place: Path, version: str, **options: Any) -> None:
        model(version).save(place / "model", cooccurrence=True, **options)

    def save_tensors(place: Path, version: str) -> None:
        save_model(place, version, format="safetensors")

    def make_link(place: Path) -> None:
        (place / "elsewhere").mkdir()
        (place / "model").symlink_to("elsewhere/model")

    def write_text_vectors(place: Path, version: str) -> None:
        from gensim_wordrank._utils.atomic_files import write_atomically

        write_atomically(place / "vectors.txt", lambda name: model(version).wv.save_word2vec_format(name))

    return {
        "model": Writer(save_model, read_model),
        "model, safetensors": Writer(save_tensors, read_model),
        "model in several files": Writer(lambda place, version: save_model(place, version, sep_limit=0), read_model),
        "the same through a link": Writer(
            lambda place, version: save_model(place, version, sep_limit=0), read_model, make_link
        ),
        "the same, read by gensim": Writer(
            lambda place, version: save_model(place, version, sep_limit=0),
            lambda place: model_version(load_with_gensim(place)),
        ),
        "co-occurrences": Writer(
            lambda place, version: pairs(version).save(place / "pairs"),
            lambda place: pairs_version(Cooccurrence.load(place / "pairs")),
        ),
        "mapped co-occurrences": Writer(
            lambda place, version: pairs(version).save(place / "pairs"),
            lambda place: pairs_version(Cooccurrence.load(place / "pairs", mmap="r")),
        ),
        "GloVe's pair of files": Writer(
            lambda place, version: write_glove(pairs(version), place / "pairs.bin", place / "vocab.txt"),
            lambda place: pairs_version(read_glove(place / "pairs.bin", place / "vocab.txt")),
        ),
        "projector": Writer(write_projector, read_projector),
        "vectors as text": Writer(
            write_text_vectors,
            lambda place: words_version(load_model(str(place / "vectors.txt")).wv.index_to_key),
        ),
        "checkpoints": Writer(train, read_run, is_result=False),
    }


def files(place: Path) -> list[str]:
    """Return the names of all files, without the random parts."""
    from gensim_wordrank._utils.atomic_files import plain_name
    from gensim_wordrank._utils.temporary import TOKEN

    return sorted(re.sub(rf"\.{TOKEN}\.", ".", plain_name(str(path.relative_to(place)))) for path in place.rglob("*"))


def memory() -> str | None:
    """Return a directory in memory, if there is one: it need not wait for a disk."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def calls() -> ctypes.CDLL:
    """Return the preloaded library."""
    return ctypes.CDLL(os.environ["LD_PRELOAD"])


def in_child(function: Callable[[], None], place: Path) -> int:
    """Call a function in a fork; return its exit status, which is negative after a signal."""
    from gensim_wordrank._utils import atomic_files

    process = os.fork()
    if not process:
        atomic_files._published.clear()
        status = 1
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            function()
            status = 0
        except KeyboardInterrupt:
            status = 131 if atomic_files.published() else 130
        except OSError as error:
            status = 28 if error.errno == errno.ENOSPC and str(place) in str(error) else 1
            print(f"{type(error).__name__}: {error}" if status == 1 else "", end="", file=sys.stderr)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def check(writer: Writer, place: Path, status: int, has_old: bool, expected: list[str], clean: list[str]) -> None:
    """Check that what a fault left is whole, and that the next write succeeds and leaves nothing else."""
    found = None
    try:
        found = writer.read(place)
        assert found == "new" or (has_old and found == "old"), f"{found} after status {status}"
    except FileNotFoundError:
        assert not has_old, "nothing is there"
    if status == 28 and writer.is_result:  # the error was raised, and everything removed
        assert files(place) == clean, f"left by the error: {sorted(set(files(place)) - set(clean))}"
    if status in (130, 131) and writer.is_result:  # "Nothing was written" must be true
        is_new = (has_old and found == "new") or (not has_old and found is not None)
        assert is_new == (status == 131), f"said to be {'new' if status == 131 else 'old'}, but is {found}"
    writer.write(place, "new")
    assert writer.read(place) == "new", "the next write has no effect"
    assert files(place) == expected, f"left over: {sorted(set(files(place)) - set(expected))}"


def tries(writer: Writer, fault: Fault, has_old: bool, place: Path, step: int) -> Iterator[str]:
    """Yield, for each call, an empty string or what was lost."""
    library = calls()
    old, work = place / "old", place / "work"
    old.mkdir()
    writer.prepare(old)
    if has_old:
        writer.write(old, "old")
    shutil.copytree(old, work, symlinks=True)
    assert in_child(lambda: writer.write(work, "new"), work) == 0
    expected, clean, status, number = files(work), files(old), 1, 1 - step
    while status:
        number += step
        shutil.rmtree(work)
        shutil.copytree(old, work, symlinks=True)

        def disturbed(number: int = number) -> None:
            library.file_calls_arm(os.fsencode(work), ctypes.c_long(number), ctypes.c_int(fault))
            writer.write(work, "new")

        status = in_child(disturbed, work)
        if status:
            try:
                check(writer, work, status, has_old, expected, clean)
            except Exception as error:
                yield f"call {number}, {'old' if has_old else 'no'} result before: {type(error).__name__}: {error}"
            else:
                yield ""
        assert number < 5000


def read_beside(writer: Writer, place: Path, seconds: float) -> Iterator[str]:
    """Yield, for each read while another process writes, an empty string or what was lost."""
    writer.prepare(place)
    writer.write(place, "old")
    process = os.fork()
    if not process:
        while True:
            for version in ("new", "old"):
                writer.write(place, version)
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        number += 1
        try:
            found = writer.read(place)
            yield "" if found in ("old", "new") else f"read {number}: {found}"
        except Exception as error:
            yield f"read {number}: {type(error).__name__}: {error}"
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def measure(options: argparse.Namespace) -> None:
    """Try all faults and print the outcomes."""
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", DeprecationWarning)  # of fork in a process with threads
    warnings.simplefilter("ignore", ResourceWarning)  # gensim and NumPy leave files open when they are interrupted
    for name, writer in writers().items():
        if options.writer and name not in options.writer:
            continue
        for label, fault in FAULTS.items():
            if options.fault and label not in options.fault:
                continue
            lost = []
            for has_old in (True, False):
                if name == "checkpoints" and has_old:
                    continue
                with tempfile.TemporaryDirectory(dir=memory()) as place:
                    lost += tries(writer, fault, has_old, Path(place), options.step)
            report(name, label, lost)
        if writer.is_result:  # one process at a time uses a run
            with tempfile.TemporaryDirectory(dir=memory()) as place:
                report(name, "reads beside a writer", list(read_beside(writer, Path(place), options.seconds)))


def report(name: str, fault: str, outcomes: list[str]) -> None:
    """Print the outcomes of one fault."""
    lost = [outcome for outcome in outcomes if outcome]
    print(json.dumps({"writer": name, "fault": fault, "tried": len(outcomes), "lost": lost}), flush=True)


def run_preloaded(arguments: list[str]) -> Iterator[dict[str, Any]]:
    """Run this program with the library; yield what it reports."""
    with tempfile.TemporaryDirectory() as place, Path(place, "errors").open("w+") as errors:
        library = Path(place, "file_calls.so")
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
        environment = os.environ | {"LD_PRELOAD": str(library), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, __file__, "--preloaded", *arguments]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
            assert process.stdout is not None
            yield from map(json.loads, process.stdout)
        errors.seek(0)
        assert process.returncode == 0, errors.read()[-3000:]


def main() -> None:
    """Run all trials."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writer", action="append", default=[])
    parser.add_argument("--fault", action="append", default=[], choices=FAULTS)
    parser.add_argument("--step", type=int, default=1, help="1 for every call, 2 for every other, ...")
    parser.add_argument("--seconds", type=float, default=2.0, help="of reading beside each writer")
    parser.add_argument("--preloaded", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.preloaded:
        measure(options)
    else:
        for line in run_preloaded(sys.argv[1:]):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
