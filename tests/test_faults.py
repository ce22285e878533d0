"""One round of `make faults`."""

import random

import pytest

import faults

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("fault", faults.FAULTS, ids=lambda fault: fault.__name__)
def test_run_survives_fault(fault):
    """A run that is disturbed at a random moment ends with the vectors of an undisturbed run."""
    lost, trials = faults.survive(fault, random.SystemRandom().randrange(10**6), rounds=1)
    assert not lost
    assert trials.slowest_stop < 5  # below 1 without other processes
