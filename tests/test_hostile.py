"""Input that was made to hurt is refused or harmless, and never crashes the process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import hostile

pytestmark = pytest.mark.slow


def run(seed, rounds):
    """Return the outcomes of each class, from a process of its own."""
    command = [sys.executable, "-X", "faulthandler", str(Path(hostile.__file__)), str(seed), str(rounds)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240)
    reports = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0, f"crashed with seed {seed} at {reports[-1:]}: {ended.stderr[-3000:]}"
    return {report["name"]: report["outcomes"] for report in reports if "outcomes" in report}


def test_hostile_input(request):
    """Each trial ends with a result that can be used or an error that names the input; no file is written elsewhere."""
    outcomes = run(request.config.getoption("--seed"), request.config.getoption("--rounds"))
    assert outcomes.keys() == hostile.CLASSES.keys()
    for name, found in outcomes.items():
        assert set(found) <= {"refused", "right"}, (name, found)
        assert found["refused"]
