"""Counting in bounded memory: the result does not depend on memory or threads, and is complete or missing."""

import errno
import functools
import itertools
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from gensim_wordrank import Cooccurrence
from gensim_wordrank.cooccurrence import counting, csr
from gensim_wordrank.cooccurrence.counting import DistanceWeights, _row_blocks
from gensim_wordrank.text import corpus

import oracle

LIMIT = 1 << 62


@pytest.fixture(scope="module")
def ids(lee):
    """Ids of all words of the Lee corpus."""
    return {word: i for i, word in enumerate(sorted({word for sentence in lee for word in sentence}))}


def count(token_ids, n_words, window, workers, max_bytes, symmetric=True):
    """Count with weights 1/distance, in memory if the result fits."""
    weights = counting.DistanceWeights(window, distance_weighting=True)
    open_writer = functools.partial(csr.CsrWriter, np.float32, weights.unit, None)
    return counting.count(token_ids, n_words, weights, symmetric, open_writer, workers, max_bytes)


@pytest.mark.slow
def test_memory_and_workers_do_not_change_the_result(lee, ids, tmp_path):
    """Counting in memory or on disk, in one or many runs, on any number of threads gives the same bytes."""
    results = []
    for text_room, room, workers in (
        (LIMIT, LIMIT, 1),
        (LIMIT, 1000, 2),
        (0, 200_000, 1),
        (0, 60_000, 3),
        (0, 10**6, 2),
    ):
        text = corpus.read(lee, vocabulary=ids, max_bytes=text_room).token_ids
        csr = count(text, len(ids), 15, workers, room)
        assert isinstance(csr.data, np.memmap) == (room < LIMIT)
        results.append(tuple(array.tobytes() for array in (csr.data, csr.indices, csr.indptr)))
    assert len(set(results)) == 1


def test_several_runs_equal_the_oracle(lee, caplog):
    """A text that is counted in several runs has the counts of the oracle."""
    ids = {word: i for i, word in enumerate(["the", "of", "in", "and", "to", "a"])}
    text = corpus.read(lee, vocabulary=ids, max_bytes=0).token_ids
    with caplog.at_level(logging.INFO, "gensim_wordrank.cooccurrence.counting"):
        csr = count(text, len(ids), 4, 2, max_bytes=20_000, symmetric=False)
    assert int(caplog.messages[0].split()[1]) > 3, "more than three segments"
    found = Cooccurrence(csr.data, csr.indices, csr.indptr).matrix.toarray()
    np.testing.assert_allclose(found, oracle.cooccurrence(lee, ids, 4, symmetric=False), rtol=1e-6)


def test_temporary_files_are_removed(lee, ids, tmp_path, monkeypatch):
    """A matrix on disk is deleted when it is no longer used."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    pairs = Cooccurrence.from_text(corpus.read(lee, vocabulary=ids, max_bytes=0), workers=2)
    csr = count(corpus.read(lee, vocabulary=ids, max_bytes=0).token_ids, len(ids), 15, 1, max_bytes=10**6)
    places = list(tmp_path.iterdir())
    assert [sorted(file.name for file in place.rglob("*.npy")) for place in places] == [["data.npy", "indices.npy"]]
    assert csr.data.tobytes() == pairs.data.tobytes()
    del csr
    assert list(tmp_path.iterdir()) == []


def test_distance_weights_are_integers():
    """1/d is exact if a common denominator fits into the integers, otherwise within 2^-33."""
    for window in (1, 5, 15, 20, 22, 40, 1000):
        weights = DistanceWeights(window, distance_weighting=True)
        error = np.abs(weights.by_distance[1:] / weights.unit - 1 / np.arange(1, window + 1))
        assert error.max() <= (2**-33 if window > 22 else 1e-16)
    assert DistanceWeights(15, True).unit == 360360
    assert DistanceWeights(7, False).by_distance.tolist() == [0, 1, 1, 1, 1, 1, 1, 1]


def test_blocks_cover_all_rows_once():
    """Blocks are contiguous, respect the memory limit and can exceed 2^31 bytes."""
    sizes = np.full(1000, 2**33)
    blocks = _row_blocks(sizes, workers=2, max_bytes=2**36)
    assert blocks[0][0] == 0
    assert blocks[-1][1] == 1000
    assert all(before[1] == after[0] for before, after in itertools.pairwise(blocks))
    assert max(end - start for start, end in blocks) * 2**33 * 2 <= 2**36 + 2**34
    assert _row_blocks(np.array([10]), 4, 1) == [(0, 1)]


def test_files_with_more_than_two_billion_entries(tmp_path, monkeypatch):
    """Values are written and read at the right position in a file with more than 2^31 entries."""
    monkeypatch.setattr(csr.system, "allocate", lambda file, size: file.truncate(size))  # a sparse file
    file = csr.NpyFile(tmp_path / "large.npy", np.dtype(np.float32), 2**31 + 100)
    file.write(2**31 + 50, np.array([1.5, 2.5], np.float32))
    mapped = file.map()
    assert mapped[2**31 + 49 : 2**31 + 53].tolist() == [0, 1.5, 2.5, 0]
    rows = csr.Csr(mapped, mapped, np.array([0, 2**31 + 50, 2**31 + 52, 2**31 + 100]))
    assert csr.read_rows(rows, 1, 2)[1].tolist() == [1.5, 2.5]


def run_python(code, tmp_path, **options):
    """Start Python with the given code in an empty directory."""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    return subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env=environment, **options)


COUNT = """
import sys
from gensim.test.utils import datapath
from gensim_wordrank import Cooccurrence
Cooccurrence.from_corpus(corpus_file=datapath("lee_background.cor"), min_count=1, window=60, path="pairs")
"""


def test_full_disk(tmp_path):
    """The error says how much space is needed and where; no file is left."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({1 << 20}, resource.RLIM_INFINITY))"
    process = run_python(limit + COUNT, tmp_path, stderr=subprocess.PIPE, text=True)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "GB are needed in" in stderr
    assert "Free some space there, choose another directory with 'path' or TMPDIR" in stderr
    assert list(tmp_path.iterdir()) == []


def test_other_disk_errors(tmp_path, monkeypatch):
    """A disk error other than missing space is raised unchanged."""

    def fail(*_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(csr.system, "allocate", fail)
    with pytest.raises(OSError, match="Input/output error"):
        csr.NpyFile(tmp_path / "x.npy", np.dtype(np.float32), 5)


@pytest.mark.slow
def test_killed_run(tmp_path):
    """After SIGKILL at any time, the result is complete or missing."""
    seen = set()
    for number, delay in enumerate((0.2, 0.9, 1.1, 1.3, 1.5, 20)):
        place = tmp_path / str(number)
        place.mkdir()
        process = run_python(COUNT, place)
        deadline = time.monotonic() + delay
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=20)
        seen.add((place / "pairs").exists())
        if (place / "pairs").exists():
            assert Cooccurrence.load(place / "pairs").nnz > 10**6
    assert seen == {True, False}


@pytest.mark.slow
def test_memory_stays_within_the_budget(tmp_path):
    """The peak memory of counting a text that is larger than the budget exceeds it by at most 10%."""
    random = np.random.default_rng(1)
    words = (40_000 * random.random(2_000_000) ** 3).astype(int)
    Path(tmp_path, "text").write_text("\n".join(" ".join(map(str, line)) for line in words.reshape(-1, 20)))
    code = """
import gensim_wordrank
pairs = gensim_wordrank.Cooccurrence.from_corpus(corpus_file="text", memory=BUDGET, min_count=1, workers=2)
# not getrusage: its peak begins with that of the process that started this one
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(pairs.nnz, type(pairs.data).__name__, int(peak) * 1024)
"""
    found = []
    for budget in (200_000_000, 2_000_000_000):
        process = run_python(code.replace("BUDGET", str(budget)), tmp_path, stdout=subprocess.PIPE, text=True)
        nnz, kind, peak = process.communicate(timeout=200)[0].split()
        assert int(peak) <= 1.1 * budget
        found.append((nnz, kind))
    assert found[0][0] == found[1][0]
    assert [kind for _, kind in found] == ["memmap", "ndarray"]
    assert int(found[0][0]) * 8 > 100_000_000, "the matrix alone would not have fitted"


def test_budget_below_current_memory():
    """A budget that the process already exceeds is an error that says how much is needed."""
    with pytest.raises(MemoryError, match=r"'memory' allows 1 MB, .* Give at least \d+ MB"):
        Cooccurrence.from_corpus([["a", "b"]], min_count=1, memory="1MB")
