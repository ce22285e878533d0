"""Compare compilers: build the package with each, and print seconds per epoch and whether the vectors are the same.

    python benchmarks/compilers.py TEXT [COMPILER ...]

A compiler is a command such as gcc, clang or "zig cc"; the first is the one that the others are compared with. Each
build runs with the kernels of every CPU level that this machine has. The kernel tests run once per build and level.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from hashlib import blake2b
from pathlib import Path
from statistics import median
from time import process_time
from typing import NamedTuple

import gensim_wordrank
from gensim_wordrank import Cooccurrence, WordRank, _cpu

ROOT = Path(__file__).parent.parent
LEVELS = [level for level in (4, 3, 0) if level <= _cpu.cpu_level()]
DEFAULTS = ["gcc", "clang"]
# PYTHONPATH comes before an installed wheel, but not before an editable install
RUN = """
import runpy, sys
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
sys.argv = sys.argv[1:]
"""
TRAIN = RUN + "runpy.run_path(sys.argv[0], run_name='__main__')"
TEST = RUN + "import pytest; sys.exit(pytest.main(sys.argv))"


def build(compiler: str, place: Path, source: Path = ROOT) -> Path:
    """Build the package with a compiler; return the folder to import it from."""
    place.mkdir()
    environment = os.environ | {"CC": compiler}
    configure = ["meson", "setup", place / "build", source, "--buildtype=release", f"--prefix={place}"]
    for command in (configure, ["meson", "install", "-C", place / "build"]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{compiler}: {done.stdout}{done.stderr}")
    return next(place.glob("**/gensim_wordrank/__init__.py")).parent.parent


def start(package: Path, level: int, program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program with a build and the kernels of a CPU level."""
    environment = {"PYTHONPATH": str(package), "WORDRANK_CPU_LEVEL": str(level), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, env=os.environ | environment, stdout=subprocess.PIPE, text=True, cwd=package)


def train(counts: str, epochs: int) -> None:
    """Train on counts and print processor seconds per epoch, the hash of the vectors and the build."""
    matrix, before = Cooccurrence.load(counts), process_time()
    model = WordRank.from_cooccurrence(matrix, epochs=epochs, workers=1, seed=1)
    seconds = (process_time() - before) / epochs
    digest = blake2b(model.wv.vectors.tobytes(), digest_size=8).hexdigest()
    print(json.dumps([seconds, digest, gensim_wordrank.__file__, _cpu.cpu_level()]))


class Result(NamedTuple):
    """Processor seconds per epoch, and the hash of the vectors."""

    seconds: float
    digest: str


def run(package: Path, level: int, counts: Path, epochs: int) -> Result:
    """Train with a build and a level."""
    done = start(package, level, TRAIN, Path(__file__).absolute(), counts, "--epochs", str(epochs), "--train")
    seconds, digest, file, used = json.loads(done.stdout)
    assert Path(file).is_relative_to(package), f"{file} was imported"
    assert used == level, f"the kernels of level {used} ran"
    return Result(seconds, digest)


def test(package: Path, level: int) -> str:
    """Run the kernel tests; return pytest's summary."""
    options = ["-q", "-c", ROOT / "pyproject.toml", "--rootdir", ROOT, "-p", "no:cacheprovider", "-m", ""]
    return start(package, level, TEST, *options, ROOT / "tests" / "kernels").stdout.strip().rpartition("\n")[2]


def main() -> None:
    """Build, test, train in alternation, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text")
    parser.add_argument("compilers", nargs="*", default=DEFAULTS)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--train", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.train:
        return train(arguments.text, arguments.epochs)
    with tempfile.TemporaryDirectory() as scratch:
        counts = Path(scratch, "counts")
        Cooccurrence.from_corpus(corpus_file=arguments.text, min_count=5).save(counts)
        packages = [build(compiler, Path(scratch, f"build-{i}")) for i, compiler in enumerate(arguments.compilers)]
        print("| compiler | CPU level | kernel tests | seconds per epoch | beside the first | same bytes |")
        print("|---|---|---|---|---|---|")
        for level in LEVELS:
            rounds = [
                [run(each, level, counts, arguments.epochs) for each in packages] for _ in range(arguments.rounds)
            ]
            runs = list(zip(*rounds, strict=True))  # of each compiler
            for compiler, package, own in zip(arguments.compilers, packages, runs, strict=True):
                seconds = median(each.seconds for each in own)
                ratio = median(each.seconds / first.seconds for each, first in zip(own, runs[0], strict=True))
                same = "yes" if {each.digest for each in own} == {runs[0][0].digest} else "no"
                cells = (compiler, level or "base", test(package, level), f"{seconds:.2f}", f"{ratio:.2f}", same)
                print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return None


if __name__ == "__main__":
    main()
