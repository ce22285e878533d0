"""Training runs that need too much memory end with an error, if possible before they start."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gensim.test.utils import datapath
from gensim_wordrank import WordRank, fitting
from gensim_wordrank._utils import memory

pytestmark = pytest.mark.slow

# runs the command in a control group, if given, with a limit on additional address space in bytes (0: no limit)
PROGRAM = """
import os, resource, sys
room, group, *sys.argv[1:] = sys.argv[1:]
if group:
    with open(os.path.join(group, "cgroup.procs"), "w") as members:
        members.write(str(os.getpid()))
import psutil
from gensim_wordrank.cli.main import main
if int(room):
    most = psutil.Process().memory_info().vms + int(room)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
main(prog_name="wordrank")
"""
ENOUGH = 2 * 10**9


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """A file with a large vocabulary: word vectors of size 400 take 32 MB, and so do context vectors."""
    path = tmp_path_factory.mktemp("limits") / "text.txt"
    random = np.random.default_rng(0)
    path.write_text("\n".join(" ".join(f"w{i}" for i in line) for line in random.integers(0, 20_000, (2_500, 20))))
    return path


def train(text, output, room=0, group=""):
    """Train in a new process; return the finished process."""
    command = [sys.executable, "-c", PROGRAM, str(room), str(group), "train", str(text), "-q", "-o", str(output)]
    command += ["--vector-size", "400", "--min-count", "1", "--window", "2", "--epochs", "1", "--workers", "2"]
    return subprocess.run(command, capture_output=True, text=True, timeout=250)


def has_memory_error(process):
    """Return True if a process ended with a one-line error about memory, without a crash or traceback."""
    return process.returncode == 1 and re.fullmatch(r"Error: .*(memory|allocate).*\n", process.stderr) is not None


@pytest.mark.parametrize("megabytes", [20, 60, 120, 200])
def test_too_little_address_space(text, tmp_path, megabytes):
    """If `ulimit -v` is too small, the command ends with a one-line error and writes nothing."""
    process = train(text, tmp_path / "model", megabytes * 10**6)
    assert has_memory_error(process), (process.returncode, process.stderr)
    assert not (tmp_path / "model").exists()


def test_enough_address_space(text, tmp_path):
    """With a higher limit the same run succeeds."""
    process = train(text, tmp_path / "model", ENOUGH)
    assert process.returncode == 0, process.stderr
    assert (tmp_path / "model").exists()


# runs the command as a user, since root may start any number, with a limit on the number of processes and threads
FEW_PROCESSES = """
import ctypes, os, resource, sys
from gensim_wordrank.cli.main import main
if os.getuid() == 0:
    os.setresuid(65534, 65534, 0)
    ctypes.CDLL(None).setfsuid(0)  # files are still those of root
most, *sys.argv[1:] = sys.argv[1:]
if int(most):
    resource.setrlimit(resource.RLIMIT_NPROC, (int(most), int(most)))
main(prog_name="wordrank")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts threads as processes")
@pytest.mark.parametrize("most", [1, 3])
def test_few_processes(tmp_path, most):
    """Under `ulimit -u`, training continues with fewer threads, or none besides the caller's, to the same bytes."""
    outputs = [tmp_path / "limited", tmp_path / "free"]
    for output, number in zip(outputs, (most, 0), strict=True):
        command = [sys.executable, "-c", FEW_PROCESSES, str(number), "train", datapath("lee_background.cor")]
        command += ["-o", str(output), "--vector-size", "8", "--epochs", "1", "--workers", "3"]
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # it would start threads of its own
        done = subprocess.run(command, capture_output=True, text=True, timeout=250, env=environment)
        assert done.returncode == 0, done.stderr
        found = re.findall(r"the system allows (\d) of 3 threads: continuing", done.stderr)
        assert bool(found) == (output.name == "limited"), done.stderr
        assert most > 1 or found in ([], ["0"])
    limited, free = map(WordRank.load, outputs)
    assert limited.wv.vectors.tobytes() == free.wv.vectors.tobytes()


@pytest.fixture
def control_group():
    """A new control group with a memory limit; the file of the limit."""
    for line in Path("/proc/self/cgroup").read_text().splitlines() if Path("/proc/self/cgroup").exists() else []:
        _, controllers, own = line.split(":", 2)
        version_1 = "memory" in controllers.split(",")
        root = memory.CGROUPS / "memory" if version_1 else memory.CGROUPS
        group = root / own.lstrip("/") / f"wordrank-test-{os.getpid()}"
        limit = group / ("memory.limit_in_bytes" if version_1 else "memory.max")
        if controllers and not version_1:
            continue
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if limit.exists() and os.access(group / "cgroup.procs", os.W_OK):
                yield limit
                return
        finally:
            group.rmdir()
    pytest.skip("no control group with a memory limit can be made here")


def test_small_control_group(text, tmp_path, control_group):
    """If a control group is too small, the command ends with a one-line error before training."""
    control_group.write_text(str(205 * 10**6))
    process = train(text, tmp_path / "model", group=control_group.parent)
    assert has_memory_error(process), (process.returncode, process.stderr)
    assert re.search(r"needs 1\d\d MB more memory, and \d+ MB are left. Lower --vector-size", process.stderr)
    control_group.write_text(str(ENOUGH))
    assert train(text, tmp_path / "model", group=control_group.parent).returncode == 0


def test_memory_is_checked_before_training(monkeypatch):
    """The error has the numbers and the remedy, and no vectors or counts are allocated."""
    sentences = [[f"w{i}", f"w{i + 1}"] for i in range(2000)]
    model = WordRank(vector_size=5000, min_count=1)
    monkeypatch.setattr(memory, "available_bytes", lambda: 80 * 10**6)
    with pytest.raises(MemoryError, match=r"needs 190 MB more memory, and 80 MB are left. Lower 'vector_size', keep"):
        model.build_vocab(sentences)
    assert not len(model.wv.vectors)
    assert model.cooccurrence is None


def test_memory_parameter_limits_training():
    """`memory` limits a run even if the machine has more memory."""
    allowed = memory.resident_bytes() + (64 << 20)
    with pytest.raises(MemoryError, match=f"left of the {allowed} that it may take. Lower 'vector_size'"):
        WordRank([[f"w{i}" for i in range(3000)]], min_count=1, vector_size=5000, memory=allowed)


def test_memory_of_the_triplet_solver(monkeypatch, two_worlds):
    """The arrays per pair of Algorithm 1 are part of the check before the first epoch."""
    model = WordRank(two_worlds, vector_size=2, epochs=1, solver="triplet")
    before = model.wv.vectors.copy()
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(MemoryError, match="needs .* more memory"):
        fitting.fit(model, fitting.local_backend(model), model.cooccurrence, (), None)
    np.testing.assert_array_equal(model.wv.vectors, before)
