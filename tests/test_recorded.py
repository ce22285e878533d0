"""Results are those that were recorded, byte for byte."""

import json

import pytest

import recorded

KNOWN = json.loads(recorded.PLACE.read_text()).get(recorded.machine())


@pytest.mark.skipif(KNOWN is None, reason=f"nothing was recorded on a machine like this one: {recorded.machine()}")
@pytest.mark.parametrize("name", recorded.SETTINGS)
def test_results_are_the_recorded_ones(name):
    """A change of code moves no bit of vectors, contexts, biases or losses."""
    assert recorded.hashes(recorded.SETTINGS[name]()) == KNOWN[name]
