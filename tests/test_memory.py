"""How much memory there is."""

import pytest
from gensim_wordrank._utils import memory


@pytest.mark.parametrize(
    ("size", "number"),
    [("4GB", 4 * 10**9), ("1.5 gib", 1610612736), ("512M", 512 * 10**6), ("10", 10), (7, 7), (2.5e9, 2500000000)],
)
def test_sizes(size, number):
    """Sizes are read with units of 1000 and of 1024, in either case."""
    assert memory.parse_size("memory", size) == number


@pytest.mark.parametrize("size", ["", "GB", "-1GB", "4 apples", 0, -5, True, None, float("nan")])
def test_bad_sizes_are_refused(size):
    """What is not a size is an error that shows how to write one."""
    with pytest.raises(ValueError, match=r"'memory' must be a number of bytes, or a text like \"4GB\".* Got"):
        memory.parse_size("memory", size)


def make_group(place, limit, stat, limit_file="memory.max"):
    """Make the files of a control group."""
    place.mkdir(parents=True, exist_ok=True)
    (place / limit_file).write_text(f"{limit}\n")
    (place / "memory.stat").write_text(stat)


@pytest.mark.parametrize("version", [1, 2])
def test_control_groups_limit_what_is_available(tmp_path, monkeypatch, version):
    """The smallest allowance of the group and those above it counts, less what is in use."""
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


def test_without_control_groups_the_machine_counts(tmp_path, monkeypatch):
    """Where there are no control groups, what the machine has free is available."""
    monkeypatch.setattr(memory, "OWN_CGROUP", tmp_path / "missing")
    assert memory.available_bytes() > 1 << 20
    assert abs(memory.headroom(3 * 10**9 + memory.resident_bytes()) - 3 * 10**9) < 1 << 22


def test_lazy_arrays_take_memory_as_they_are_written():
    """A large array costs nothing until it is written, and nothing any more when it is gone."""
    before = memory.resident_bytes()
    array = memory.anonymous_array(1 << 28, "uint8")
    assert memory.resident_bytes() - before < 1 << 24
    array[: 1 << 27] = 1
    assert memory.resident_bytes() - before > 1 << 26
    del array
    assert memory.resident_bytes() - before < 1 << 24


def test_a_part_of_an_array_is_forgotten_and_the_rest_is_not():
    """Whole pages go back to the system, and what shares a page with the rest stays."""
    array = memory.anonymous_array(1 << 26, "uint8")
    array[:] = 1
    before = memory.resident_bytes()
    start, end = 1_000_001, 60_000_001
    memory.discard_pages(array[start:end])
    assert before - memory.resident_bytes() > 1 << 25
    assert array[:start].all()
    assert array[end:].all()
    memory.discard_pages(array[5:100])
    assert array[:start].all()


def test_an_array_that_cannot_be_had_is_a_memory_error():
    """What the system refuses is no error of files."""
    with pytest.raises(MemoryError, match="70368744 MB of memory cannot be allocated"):
        memory.anonymous_array(1 << 46, "uint8")


def test_limits_of_the_process_count(monkeypatch):
    """What `ulimit -v` leaves is available, if it is less than what the machine has."""
    used = memory.psutil.Process().memory_info()
    monkeypatch.setattr(
        memory.resource, "getrlimit", lambda which: (used.vms + 5000 if which == memory.resource.RLIMIT_AS else -1, -1)
    )
    assert memory.available_bytes() <= 5000


def test_freed_memory_can_be_given_back():
    """After many small things are freed, the process shrinks when it is told to."""
    things = [bytes(1000) for _ in range(200_000)]
    keep = [bytes(1000) for _ in range(100)]
    before = memory.resident_bytes()
    del things
    memory.trim_heap()
    assert memory.resident_bytes() < before - (1 << 26)
    assert len(keep) == 100
