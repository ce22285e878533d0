"""Damaged files: the right result or an error, never a crash, never numbers that cannot be."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
PROGRAM = Path(__file__).parent / "damage.py"


@pytest.fixture(scope="module")
def outcomes(request):
    """What came of reading damaged files, by format."""
    seed, rounds = request.config.getoption("--seed"), request.config.getoption("--rounds")
    command = [sys.executable, "-X", "faulthandler", str(PROGRAM), str(seed), str(rounds)]
    ended = subprocess.run(command, capture_output=True, text=True)
    reports = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0, f"crashed with seed {seed} at {reports[-1:]}: {ended.stderr[-3000:]}"
    return {report["format"]: report["outcomes"] for report in reports if "outcomes" in report}


@pytest.mark.parametrize(
    "name",
    [
        "co-occurrences", "mapped co-occurrences", "checkpoints", "hosts", "GloVe", "the authors' files", "test sets",
        "similarity", "analogies", "word2vec text", "word2vec binary", "GloVe vectors", "text", "text.gz", "text.bz2",
        "text.xz",
    ],
)  # fmt: skip
def test_damage_is_refused_or_harmless(outcomes, name):
    """Every round ends in a ValueError or OSError with a message, or in a result that is right where one can tell."""
    assert set(outcomes[name]) <= {"refused", "right"}, outcomes[name]
    assert outcomes[name]["refused"]


def test_all_formats_are_tried(outcomes):
    """No format is left out here."""
    assert len(outcomes) == 16
