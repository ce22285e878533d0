"""Calls to the operating system, and their fallbacks."""

import errno
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from gensim_wordrank._utils import system

TESTS = Path(__file__).parent
# modules whose tests do not use what is hidden
PORTABLE = [
    "test_atomic_files.py", "test_blocks.py", "test_cooccurrence.py", "test_corpus.py", "test_counting.py",
    "test_checkpoints.py", "test_evaluation.py", "test_keyedvectors.py", "test_model.py", "test_system.py",
    "test_threads.py", "test_training.py",
]  # fmt: skip


@pytest.mark.slow
def test_package_works_without_posix():
    """Tests of most modules pass without the modules and functions that Windows and macOS lack."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "without_posix", "-p", "no:cacheprovider", "-n", "0"]
    skipped = "not frees_blocks and not without_posix"  # freeing memory early needs madvise; this test
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    done = subprocess.run(
        [*command, "-k", skipped, *(str(TESTS / name) for name in PORTABLE)],
        env=environment, cwd=TESTS.parent, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


def test_only_one_module_calls_posix():
    """No other module of the package imports POSIX modules or ctypes."""
    posix = {"ctypes", "fcntl", "mmap", "pwd", "resource", "signal", "termios"}
    package = Path(system.__file__).parent.parent
    for file in package.rglob("*.py"):
        words = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
        imported = {line[1].partition(".")[0] for line in words if line[:1] in (["import"], ["from"]) and len(line) > 1}
        assert file == Path(system.__file__) or not imported & posix, file


@pytest.mark.parametrize("size", [0, 1000])
def test_files_without_fallocate(monkeypatch, tmp_path, size):
    """A file gets its size also where the system cannot reserve the space, if the disk has room."""
    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    with (tmp_path / "file").open("wb") as file:
        system.allocate(file, size)
    assert (tmp_path / "file").stat().st_size == size


def test_full_disk_without_fallocate(monkeypatch, tmp_path):
    """A disk without room is found before anything is written."""
    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=999))
    with (tmp_path / "file").open("wb") as file, pytest.raises(OSError, match="space") as error:
        system.allocate(file, 1000)
    assert error.value.errno == errno.ENOSPC


@pytest.mark.parametrize("positional", [True, False])
def test_threads_read_and_write_one_file(monkeypatch, tmp_path, positional):
    """Several threads write and read parts of one file, also where the system has no positional reads and writes."""
    if not positional:
        monkeypatch.delattr(os, "pread", raising=False)
        monkeypatch.delattr(os, "pwrite", raising=False)
    errors = []
    with (tmp_path / "file").open("wb+") as file:

        def use(i):
            for place in range(i, 400, 4):
                data = bytes([place % 256]) * 100
                if system.write_at(file, memoryview(data), 100 * place) != 100:
                    errors.append(place)
                if system.read_at(file, 100, 100 * place) != data:
                    errors.append(place)

        threads = [threading.Thread(target=use, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert errors == []
    assert (tmp_path / "file").read_bytes() == b"".join(bytes([i % 256]) * 100 for i in range(400))


def test_limits_without_the_resource_module(monkeypatch):
    """A system without limits on processes has none."""
    monkeypatch.setitem(sys.modules, "resource", None)
    assert list(system.process_limits()) == []


def test_files_are_flushed_on_windows(monkeypatch, tmp_path):
    """Windows flushes only files that are open for writing, and no directories."""
    flushed = []
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(os, "fsync", lambda number: flushed.append(os.write(number, b"")))
    (tmp_path / "file").write_text("text")
    system.fsync(tmp_path / "file")
    system.fsync(tmp_path)
    assert flushed == [0]
    assert (tmp_path / "file").read_text() == "text"
