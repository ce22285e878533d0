"""The kernels of the CPU levels below that of this machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gensim_wordrank import _cpu

LOWER = [level for level in (3, 0) if level < _cpu.cpu_level()]
TRAIN = """
import sys
import numpy as np
from gensim_wordrank import WordRank, _cpu
from problems import lee_corpus
options = {"vector_size": 20, "window": 5, "epochs": 2, "alpha": 0.005, "min_alpha": 0.005}
runs = {"default": {}, "hinge": {"pair_loss": "hinge"}, "triplet": {"solver": "triplet"}, "threads": {"workers": 3}}
models = {name: WordRank(lee_corpus(), **options | changed).wv.vectors for name, changed in runs.items()}
np.savez(sys.argv[1], level=_cpu.cpu_level(), **models)
"""


def train(level, place):
    """Train in a process with the kernels of a CPU level; return its vectors."""
    environment = os.environ | {"WORDRANK_CPU_LEVEL": str(level), "PYTHONPATH": str(Path(__file__).parent)}
    subprocess.run([sys.executable, "-c", TRAIN, place], env=environment, check=True)
    return np.load(place)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Vectors that the kernels of this machine's level train."""
    return train(_cpu.cpu_level(), tmp_path_factory.mktemp("own") / "vectors.npz")


@pytest.mark.slow
@pytest.mark.parametrize("level", LOWER)
def test_levels_agree_to_rounding(own, tmp_path, level):
    """Each level trains the same vectors but for rounding, and the same bytes with any number of threads."""
    found = train(level, tmp_path / "vectors.npz")
    assert found["level"] == level
    for name in ("default", "hinge", "triplet"):
        np.testing.assert_allclose(found[name], own[name], rtol=0, atol=2e-3 * np.abs(own[name]).max())
        assert (found[name] != own[name]).any()  # another kernel ran
    assert (found["threads"] == found["default"]).all()


@pytest.mark.slow
def test_level_above_that_of_the_machine(own, tmp_path):
    """A level that the processor lacks is not used."""
    assert train(9, tmp_path / "vectors.npz")["level"] == own["level"] == _cpu.cpu_level()


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_program_for_other_platforms_compiles():
    """The C program that runs a cell where there is no Python agrees with the headers of the kernels."""
    root = Path(__file__).parent.parent
    command = ["cc", "-fsyntax-only", "-std=gnu11", "-Werror", "-Icython_src", "benchmarks/kernels/train_cell.c"]
    subprocess.run(command, cwd=root, check=True)
