"""One round of `make faults`."""

import random

import pytest

import faults

pytestmark = pytest.mark.slow


def test_table(capsys):
    """The sums of a class are those of its rows, and what was lost or not named follows."""
    table = faults.Table()
    table.begin("files")
    table.add("one", 5, ["gone"])
    table.add_outcomes("two", {"right": 3, "refused": 2, "unnamed: x": 2, "crashed": 1})
    table.end()
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "one 5 4 1 0" in lines
    assert "two 8 5 1 2" in lines
    assert lines[-4:] == ["files 13 9 2 2", "files, one: gone", "files, two: crashed", "files, two: unnamed: x"]


@pytest.mark.parametrize("fault", faults.FAULTS, ids=lambda fault: fault.__name__)
def test_run_survives_fault(fault):
    """A run that is disturbed at a random moment ends with the vectors of an undisturbed run."""
    lost, trials = faults.survive(fault, random.SystemRandom().randrange(10**6), rounds=1)
    assert not lost
    assert trials.slowest_stop < 5  # below 1 without other processes
