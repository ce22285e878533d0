"""Training while the network link of a machine is cut; machines are network namespaces, which need root."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from clusters import SIZE, find_program

pytestmark = pytest.mark.cluster
BENCHMARK = Path(__file__).parent.parent / "benchmarks" / "cluster.py"


@pytest.fixture
def namespaces(monkeypatch):
    """Skip the test if network namespaces cannot be created."""
    if os.geteuid() != 0:
        pytest.skip("only root can create network namespaces")
    folders = {Path(find_program(name)).parent for name in ("ip", "sshd")}
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, [os.environ["PATH"], *folders])))
    name = f"try{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], check=False, capture_output=True).returncode:
        pytest.skip("network namespaces are not allowed here")
    subprocess.run(["ip", "netns", "del", name], check=True)


def test_training_survives_a_cut_link(namespaces, lee_pairs, tmp_path):
    """The worker is restarted when its machine can be reached again; the vectors are those of an undisturbed run."""
    lee_pairs.save(tmp_path / "pairs")
    command = [sys.executable, BENCHMARK, tmp_path / "pairs", "--cut", "20", "--vector-size", str(SIZE)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr[-5000:]
    result = json.loads(done.stdout)
    assert result["same vectors"]
    assert len(result["failures"]) == 1
    assert result["failures"][0].startswith("10.77.0.3 was lost")
    assert result["hosts in the end"] == 2
    assert "10.77.0.3" in done.stderr  # the log names the host
