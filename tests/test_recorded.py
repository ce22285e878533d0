"""Training gives the recorded vectors, byte for byte."""

import json

import pytest

import recorded

KNOWN = json.loads(recorded.PLACE.read_text()).get(recorded.machine())
SETTINGS = [
    pytest.param(name, marks=pytest.mark.cluster if name.startswith("cluster") else ()) for name in recorded.SETTINGS
]


@pytest.mark.skipif(KNOWN is None, reason=f"no results are recorded for this kind of machine: {recorded.machine()}")
@pytest.mark.parametrize("name", SETTINGS)
def test_results_equal_the_recorded_ones(name):
    """Vectors, contexts, biases and losses have the recorded hashes."""
    assert recorded.hashes(recorded.SETTINGS[name]()) == KNOWN[name]
