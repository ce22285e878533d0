"""Sizes, limits and use of memory."""

import resource

import psutil
import pytest
from gensim_wordrank import Cooccurrence, WordRank
from gensim_wordrank._utils import memory, system
from gensim_wordrank.text import corpus


@pytest.mark.parametrize(
    ("size", "number"),
    [("4GB", 4 * 10**9), ("1.5 gib", 1610612736), ("512M", 512 * 10**6), ("10", 10), (7, 7), (2.5e9, 2500000000)],
)
def test_parse_size(size, number):
    """Sizes have units of powers of 1000 or 1024, in upper or lower case."""
    assert memory.parse_size("memory", size) == number


@pytest.mark.parametrize("size", ["", "GB", "-1GB", "4 apples", 0, -5, True, None, float("nan")])
def test_parse_invalid_size(size):
    """The error shows how to write a size."""
    with pytest.raises(ValueError, match=r"'memory' must be a number of bytes, or a text like \"4GB\".* Got"):
        memory.parse_size("memory", size)


def make_group(place, limit, stat, limit_file="memory.max"):
    """Write the files of a control group."""
    place.mkdir(parents=True, exist_ok=True)
    (place / limit_file).write_text(f"{limit}\n")
    (place / "memory.stat").write_text(stat)


@pytest.mark.parametrize("version", [1, 2])
def test_control_groups_limit_available_memory(tmp_path, monkeypatch, version):
    """The smallest limit of a control group and its parents applies, minus the memory in use."""
    root = tmp_path if version == 2 else tmp_path / "memory"
    field, file = ("anon", "memory.max") if version == 2 else ("total_rss", "memory.limit_in_bytes")
    make_group(root / "a", 9000, f"{field} 5000\nfile 77", file)
    make_group(root / "a" / "b", "max" if version == 2 else 2**60, f"{field} 10", file)
    own = tmp_path / "cgroup"
    own.write_text("0::/a/b\n" if version == 2 else "3:cpu,cpuacct:/x\n7:memory:/a/b\n")
    monkeypatch.setattr(memory, "CGROUPS", tmp_path)
    monkeypatch.setattr(memory, "OWN_CGROUP", own)
    assert memory.available_bytes() == 4000
    assert memory.headroom(None) == memory.MIN_HEADROOM


def test_available_memory_without_control_groups(tmp_path, monkeypatch):
    """Without control groups, the free memory of the machine is available."""
    monkeypatch.setattr(memory, "OWN_CGROUP", tmp_path / "missing")
    assert memory.available_bytes() > 1 << 20
    assert abs(memory.headroom(3 * 10**9 + memory.resident_bytes()) - 3 * 10**9) < 1 << 22


def test_too_little_memory_to_begin(monkeypatch):
    """A text is neither read nor counted if the process may allocate less than 32 MiB."""
    text = corpus.read([["a", "b"]])
    monkeypatch.setattr(memory, "available_bytes", lambda: 10_000_000)
    for begin in (
        lambda: Cooccurrence.from_corpus([["a", "b"]], min_count=1),
        lambda: Cooccurrence.from_corpus([["a", "b"]], min_count=1, memory="100GB"),
        lambda: Cooccurrence.from_text(text),
        lambda: WordRank([["a", "b"]], min_count=1),
    ):
        with pytest.raises(MemoryError, match="needs 34 MB more memory, and 10 MB are left. Allow more memory"):
            begin()


def test_anonymous_array():
    """An array takes memory only where it was written, and frees it when it is deleted."""
    before = memory.resident_bytes()
    array = memory.anonymous_array(1 << 28, "uint8")
    assert memory.resident_bytes() - before < 1 << 24
    array[: 1 << 27] = 1
    assert memory.resident_bytes() - before > 1 << 26
    del array
    assert memory.resident_bytes() - before < 1 << 24


def test_discard_pages():
    """Whole pages of a part of an array are freed; the rest of the array is unchanged."""
    array = memory.anonymous_array(1 << 26, "uint8")
    array[:] = 1
    before = memory.resident_bytes()
    start, end = 1_000_001, 60_000_001
    system.discard_pages(array[start:end])
    assert before - memory.resident_bytes() > 1 << 25
    assert array[:start].all()
    assert array[end:].all()
    system.discard_pages(array[5:100])
    assert array[:start].all()


def test_anonymous_array_that_is_too_large():
    """An array that cannot be allocated is a MemoryError."""
    with pytest.raises(MemoryError, match="70368744 MB of memory cannot be allocated"):
        memory.anonymous_array(1 << 46, "uint8")


def test_address_space_limit(monkeypatch):
    """`ulimit -v` limits the available memory."""
    used = psutil.Process().memory_info()
    limits = {resource.RLIMIT_AS: (used.vms + 5000, -1)}
    monkeypatch.setattr(resource, "getrlimit", lambda which: limits.get(which, (-1, -1)))
    assert memory.available_bytes() <= 5000


def test_trim_heap():
    """After many small objects are freed, trim_heap returns their memory to the system."""
    objects = [bytes(1000) for _ in range(200_000)]
    keep = [bytes(1000) for _ in range(100)]
    before = memory.resident_bytes()
    del objects
    system.trim_heap()
    assert memory.resident_bytes() < before - (1 << 26)
    assert len(keep) == 100
