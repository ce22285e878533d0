"""What users and contributors install: sdist, wheel and editable install."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import gensim_wordrank
import pytest
from gensim_wordrank import _cpu
from gensim_wordrank._utils import versions

from venvs import create_venv, pip_install

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "gensim_wordrank"
KERNELS = sorted(stub.stem for stub in PACKAGE.glob("_*.pyi"))
EDITS = {
    "gensim_wordrank/__init__.py": '__version__ = "edited"\n',
    "cython_src/wr_dispatch.h": "#define wr_cpu_level 77\n",
}
BUILD_FASTER = "-Csetup-args=-Doptimization=0"
TRAIN = """
from gensim.test.utils import common_texts
from gensim_wordrank import WordRank
print(len(WordRank(common_texts, vector_size=10, min_count=1, epochs=2).wv))
"""


def run_python(python, code, cwd):
    """Run code in a process; return what it printed."""
    return subprocess.run([python, "-c", code], cwd=cwd, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def files_in_git(*folders):
    """Return the names of the committed files, which are those of an sdist."""
    command = ["git", "ls-tree", "-r", "--name-only", "HEAD", *folders]
    return set(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines())


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """A folder with an sdist of the checkout and a wheel that is built from the sdist."""
    if not (ROOT / ".git").exists():
        pytest.skip("an sdist is made from a git checkout")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check", "--outdir", folder]
    subprocess.run([*command, BUILD_FASTER, ROOT], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(distributions, tmp_path_factory):
    """A folder with the unpacked wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(next(distributions.glob("*.whl"))) as archive:
        archive.extractall(folder)
    return folder


def test_show_versions(capsys):
    """`show_versions` prints CPU level, OpenMP, BLAS and the versions of the packages."""
    gensim_wordrank.show_versions()
    printed = capsys.readouterr().out
    for name in ("gensim-wordrank", "gensim", "numpy", "CPU level", "OpenMP", "BLAS"):
        assert name in printed
    assert versions.versions()["gensim-wordrank"] == gensim_wordrank.__version__


def test_kernels_have_full_names_and_stubs():
    """Each compiled module is named after its package and has a stub, and each stub belongs to a compiled module."""
    assert sorted(file.name.split(".")[0] for file in Path(_cpu.__file__).parent.glob("_*.so")) == KERNELS
    for name in KERNELS:
        module = __import__(f"gensim_wordrank.{name}", fromlist=["x"])
        assert module.__name__ == f"gensim_wordrank.{name}"


def test_checkout_without_installation(tmp_path):
    """If the kernels are not compiled, the import error contains the pip command."""
    shutil.copytree(PACKAGE, tmp_path / "gensim_wordrank")
    run = subprocess.run(
        [sys.executable, "-S", "-c", "import gensim_wordrank"], cwd=tmp_path, capture_output=True, text=True
    )
    assert "run: pip install -e ." in run.stderr


@pytest.mark.slow
def test_sdist(distributions):
    """The sdist contains the files under version control and its metadata, so nothing that Cython generates."""
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as sdist:
        names = {member.name.split("/", 1)[-1] for member in sdist if member.isfile()}
    assert names - files_in_git() == {"PKG-INFO"}
    assert files_in_git() - names == set()


@pytest.mark.slow
def test_wheel(wheel):
    """The wheel contains all modules, stubs and data files under version control, and the compiled kernels."""
    in_git = {name for name in files_in_git(PACKAGE.name) if not name.endswith("meson.build")}
    in_wheel = {str(path.relative_to(wheel)) for path in wheel.glob("gensim_wordrank/**/*") if path.is_file()}
    assert in_wheel - in_git == {f"gensim_wordrank/{path.name}" for path in wheel.glob("gensim_wordrank/_*.so")}
    assert in_git - in_wheel == set()
    assert sorted(path.name.split(".")[0] for path in wheel.glob("gensim_wordrank/_*.so")) == KERNELS


@pytest.mark.slow
def test_training_from_the_wheel(distributions, tmp_path):
    """The wheel, installed in another environment, trains a model."""
    python = create_venv(tmp_path / "venv")
    pip_install(python, *distributions.glob("*.whl"))
    place = run_python(python, "import gensim_wordrank; print(gensim_wordrank.__file__)", tmp_path)
    assert Path(place).is_relative_to(tmp_path)
    assert run_python(python, TRAIN, tmp_path) == "12"


@pytest.mark.slow
def test_editable_install_follows_the_sources(tmp_path):
    """The next import sees a changed Python file and rebuilds the kernels after a change of a header."""
    checkout, python = tmp_path / "checkout", create_venv(tmp_path / "venv")
    for folder in ("gensim_wordrank", "cython_src"):
        shutil.copytree(ROOT / folder, checkout / folder)
    for name in ("meson.build", "meson.options", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout)
    pip_install(python, BUILD_FASTER, "--editable", checkout)
    look = "import gensim_wordrank as g; from gensim_wordrank import _cpu; print(g.__version__, _cpu.cpu_level())"
    assert run_python(python, look, tmp_path) == f"{gensim_wordrank.__version__} {_cpu.cpu_level()}"
    for file, line in EDITS.items():
        (checkout / file).write_text((checkout / file).read_text() + line)
    assert run_python(python, look, tmp_path) == "edited 77"
