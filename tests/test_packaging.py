"""What users get: versions, types, an sdist and a wheel."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import gensim_wordrank
import pytest
from gensim_wordrank._utils import versions

ROOT = Path(__file__).parent.parent


def test_show_versions_says_what_is_in_use(capsys):
    """CPU level, OpenMP and BLAS are named, beside the versions of the packages."""
    gensim_wordrank.show_versions()
    printed = capsys.readouterr().out
    for name in ("gensim-wordrank", "gensim", "numpy", "CPU level", "OpenMP", "BLAS"):
        assert name in printed
    assert versions.versions()["gensim-wordrank"] == gensim_wordrank.__version__


def test_kernels_know_their_package():
    """Compiled modules carry their full name, and a stub each."""
    package = Path(gensim_wordrank.__file__).parent
    assert (package / "py.typed").exists()
    kernels = [file.name.split(".")[0] for file in package.glob("_*.so")]
    assert len(kernels) >= 5
    for name in kernels:
        module = __import__(f"gensim_wordrank.{name}", fromlist=["x"])
        assert module.__name__ == f"gensim_wordrank.{name}"
        assert (package / f"{name}.pyi").exists()


def test_a_checkout_without_installation_says_what_to_do(tmp_path):
    """Where nothing was compiled, the error is the pip line."""
    shutil.copytree(ROOT / "gensim_wordrank", tmp_path / "gensim_wordrank")
    run = subprocess.run(
        [sys.executable, "-S", "-c", "import gensim_wordrank"], cwd=tmp_path, capture_output=True, text=True
    )
    assert "run: pip install -e ." in run.stderr


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="an sdist is made from a git checkout")
def test_sdist_and_wheel_build(tmp_path):
    """The sdist holds sources and no generated C; the wheel made from it holds the kernels, stubs and py.typed."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check", "--outdir", str(tmp_path)]
    quickly = "-Csetup-args=-Doptimization=0"  # what is compiled is not run
    subprocess.run([*command, quickly, str(ROOT)], check=True, capture_output=True, text=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as sdist:
        names = [name.split("/", 1)[-1] for name in sdist.getnames()]
    assert "cython_src/_ranks.pyx" in names
    assert not [name for name in names if name.endswith(".c")]
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = wheel.namelist()
    assert "gensim_wordrank/py.typed" in names
    assert "gensim_wordrank/_ranks.pyi" in names
    assert [name for name in names if name.startswith("gensim_wordrank/_ranks.") and name.endswith(".so")]
