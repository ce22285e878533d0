"""A short form of `make faults`."""

import random

import pytest

import faults

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("fault", faults.FAULTS, ids=lambda fault: fault.__name__)
def test_faults(fault):
    """A trial at random moments ends with the vectors of an undisturbed run; the seed is in the message."""
    lost, trials = faults.survive(fault, random.SystemRandom().randrange(10**6), rounds=1)
    assert not lost
    assert trials.slowest_stop < 5  # with other tests around; alone it is below 1
