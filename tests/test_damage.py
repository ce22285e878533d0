"""Reading damaged files gives a valid result or an error, never a crash."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
PROGRAM = Path(__file__).parent / "damage.py"


@pytest.fixture(scope="module")
def outcomes(request):
    """The outcomes of reading damaged files, by format."""
    seed, rounds = request.config.getoption("--seed"), request.config.getoption("--rounds")
    command = [sys.executable, "-X", "faulthandler", str(PROGRAM), str(seed), str(rounds)]
    ended = subprocess.run(command, capture_output=True, text=True)
    reports = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0, f"crashed with seed {seed} at {reports[-1:]}: {ended.stderr[-3000:]}"
    return {report["format"]: report["outcomes"] for report in reports if "outcomes" in report}


@pytest.mark.parametrize(
    "name",
    [
        "stability", "model, safetensors", "model, gensim", "model, gensim, several files", "model, gensim, gz",
        "model, gensim, bz2", "model, mapped", "word2vec text.gz", "word2vec binary.bz2", "co-occurrences",
        "mapped co-occurrences", "checkpoints", "hosts", "GloVe", "the authors' files", "test sets", "similarity",
        "quantized, float16", "quantized, int8", "quantized, pq",
        "analogies", "word2vec text", "word2vec binary", "GloVe vectors", "text", "text.gz", "text.bz2", "text.xz",
    ],
)  # fmt: skip
def test_damaged_files(outcomes, name):
    """Each round ends with an error that names the file, or with a valid result."""
    assert set(outcomes[name]) <= {"refused", "right"}, outcomes[name]
    assert outcomes[name]["refused"]


def test_number_of_formats(outcomes):
    """The parameters of the test above name all formats."""
    assert len(outcomes) == 28
