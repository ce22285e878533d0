"""Reading damaged files gives a valid result or an error, never a crash."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import damage

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def outcomes(request):
    """The outcomes of reading damaged files, by format."""
    seed, rounds = request.config.getoption("--seed"), request.config.getoption("--rounds")
    command = [sys.executable, "-X", "faulthandler", str(Path(damage.__file__)), str(seed), str(rounds)]
    ended = subprocess.run(command, capture_output=True, text=True)
    reports = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0, f"crashed with seed {seed} at {reports[-1:]}: {ended.stderr[-3000:]}"
    return {report["name"]: report["outcomes"] for report in reports if "outcomes" in report}


@pytest.mark.parametrize("name", damage.FORMATS)
def test_damaged_files(outcomes, name):
    """Each round ends with an error that names the file, or with a valid result."""
    assert set(outcomes[name]) <= {"refused", "right"}, outcomes[name]
    assert outcomes[name]["refused"]
