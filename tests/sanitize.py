"""Run the tests of the kernels under sanitizers: `make sanitize`.

    python tests/sanitize.py [DIRECTORY]

Builds the package twice into DIRECTORY, by default build/sanitize: with AddressSanitizer, UndefinedBehaviorSanitizer
(including float-cast-overflow) and Cython's bounds checks, and with ThreadSanitizer. Checks that each build reports a
planted fault, runs the tests of kernels, counting and training, and prints one line per build. It needs gcc with
libasan, libubsan and libtsan, and takes a quarter of an hour on two cores.

There are no suppressions. Python and its libraries are not instrumented, therefore:

- leaks are not detected, as Python keeps memory until it exits;
- ThreadSanitizer ignores reads and writes by the libraries, of which it would see only half
  (ignore_noninstrumented_modules), but it follows their locks, including the GIL;
- BLAS runs on one thread, and tests of memory use are skipped, as they would count shadow memory.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
TESTS = ["kernels", "test_training.py", "test_counting.py"]

# an array that is shorter than its shape
READ_OUTSIDE = """
import numpy as np
from gensim_wordrank import _losses
_losses.pair_loss(1, False, np.lib.stride_tricks.as_strided(np.ones(1), (500,), (8,)), np.empty(500))
"""
# two threads write to one array
RACE = """
import numpy as np, threading
from gensim_wordrank import _losses
x, out, together = np.ones(500), np.empty(500), threading.Barrier(2)
def write():
    for _ in range(50):
        together.wait()
        _losses.pair_loss(1, False, x, out)
threads = [threading.Thread(target=write) for _ in range(2)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
"""


@dataclass(frozen=True)
class Build:
    """A build with sanitizers, and how to run it and read its reports."""

    name: str
    options: list[str]  # for meson
    libraries: list[str]  # to preload
    environment: dict[str, str]
    report: str  # pattern of a report
    fault: str  # program that must be reported

    def install(self, place: Path) -> None:
        """Build the package and install it into its own directory."""
        options = [
            f"-Csetup-args=-D{option}" for option in ["buildtype=debugoptimized", "b_lundef=false", *self.options]
        ]
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--upgrade"]
        places = [f"--target={place / 'installed'}", f"-Cbuild-dir={place}", str(ROOT)]
        subprocess.run([*command, *options, *places], check=True)

    def run(self, place: Path, scratch: Path, *arguments: str) -> int:
        """Run Python with the build in an empty directory; return its exit code."""
        environment = {name: value.format(log=scratch / "report") for name, value in self.environment.items()}
        environment["LD_PRELOAD"] = " ".join(map(library, self.libraries))
        environment |= {"PYTHONPATH": str(place / "installed"), "OPENBLAS_NUM_THREADS": "1"}
        return subprocess.run([sys.executable, *arguments], env=os.environ | environment, cwd=scratch).returncode

    def reports(self, scratch: Path) -> str:
        """Return all reports."""
        return "".join(file.read_text(errors="replace") for file in sorted(scratch.glob("report.*")))

    def finds_faults(self, place: Path) -> bool:
        """Return True if the planted fault is reported."""
        with tempfile.TemporaryDirectory() as name:
            self.run(place, Path(name), "-c", self.fault)
            return bool(re.search(self.report, self.reports(Path(name))))

    def test(self, place: Path) -> bool:
        """Run the tests and print a summary; return True if they passed without reports."""
        with tempfile.TemporaryDirectory() as name:
            summary = Path(name, "tests.xml")
            tests = [str(ROOT / "tests" / test) for test in TESTS]
            options = ["-q", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "-p", "no:cacheprovider"]
            options += ["-o", "timeout=0", "-k", "not budget", f"--junitxml={summary}"]
            code = self.run(place, Path(name), "-m", "pytest", *options, *tests)
            reported = self.reports(Path(name))
            n_tests = ElementTree.parse(summary).getroot()[0].get("tests") if summary.exists() else "unfinished"
        n_reports = len(re.findall(self.report, reported))
        print(reported, file=sys.stderr)
        print(f"{self.name}: {n_tests} tests, {'passed' if code == 0 else 'FAILED'}, {n_reports} reports", flush=True)
        return code == 0 and n_reports == 0


BUILDS = [
    Build(
        "address, undefined, bounds",
        # undefined in the C standard, but not part of 'undefined'
        ["b_sanitize=address,undefined", "c_args=-fsanitize=float-cast-overflow", "bounds_checks=true"],
        ["libasan.so", "libubsan.so", "libstdc++.so"],
        {
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:log_path={log}",
            "UBSAN_OPTIONS": "print_stacktrace=1:log_path={log}",
            # allocate each object separately, with guards around it
            "PYTHONMALLOC": "malloc",
        },
        "ERROR: AddressSanitizer|: runtime error:",
        READ_OUTSIDE,
    ),
    Build(
        "thread",
        ["b_sanitize=thread"],
        ["libtsan.so", "libstdc++.so"],
        {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1:exitcode=0:log_path={log}"},
        "WARNING: ThreadSanitizer",
        RACE,
    ),
]


def library(name: str) -> str:
    """Return the path of one of the compiler's libraries."""
    command = [os.environ.get("CC", "gcc"), f"-print-file-name={name}"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def main(directory: Path) -> int:
    """Run all builds; return how many failed."""
    failed = 0
    for build in BUILDS:
        place = directory / build.name.split(",")[0]
        build.install(place)
        if not build.finds_faults(place):
            print(f"{build.name}: the planted fault was NOT reported", flush=True)
            failed += 1
        else:
            failed += not build.test(place)
    return failed


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "sanitize"))
