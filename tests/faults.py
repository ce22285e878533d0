"""Kill, interrupt and damage training runs, writers and files, and check what is left.

    python tests/faults.py --rounds 20 --seed 1 --text TEXT

Runs meet faults at random moments; each must end with the vectors of an undisturbed run, or with an error message of
one line and unchanged files. Writers meet faults at each of their calls (`commits.py`); the old result or the new one
must be there. Files of every format are damaged at random (`damage.py`), and input is made to hurt (`hostile.py`); each
must be read right, or be refused with an error that names it. Prints a table: how often each was tried, survived, lost,
and refused without a name; and the sums of each class.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gensim.test.utils import datapath
from gensim_wordrank import WordRank
from gensim_wordrank.cli.main import main as command
from gensim_wordrank.training.run_directory import LOCK

import commits

LEE = datapath("lee_background.cor")
OPTIONS = ["--vector-size", "40", "--epochs", "40", "--workers", "2"]
# imports happen once, in a process that has no threads
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["gensim_wordrank.cli.main"])


def run_command(arguments: list[str], log: str, limits: dict[int, int]) -> None:
    """Run the command `wordrank` in this process, with resource limits; its output goes to a file."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(descriptor, stream)
    if resource.RLIMIT_AS in limits:  # is relative to what the process uses
        held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        limits[resource.RLIMIT_AS] += held
    for limit, value in limits.items():
        resource.setrlimit(limit, (value, value))
    sys.argv[0] = "wordrank"
    command.main(arguments)


class Trials:
    """A directory for trials, and the vectors that each must end with."""

    def __init__(self, text: str, place: Path, generator: random.Random) -> None:
        self.text, self.place, self.random = text, place, generator
        self.run, self.model, self.log = place / "run", place / "model", place / "log"
        self.slowest_stop = 0.0
        started = time.monotonic()
        assert self.finish(self.train()) == 0, self.output()
        self.seconds = time.monotonic() - started
        self.expected = self.vectors()

    def train(self, **limits: int) -> Any:
        """Start a run with checkpoints, or resume the one in the directory."""
        is_started = (self.run / "run").is_dir()
        command = (
            ["resume", str(self.run)] if is_started else ["train", self.text, *OPTIONS, "--checkpoint", str(self.run)]
        )
        numbers = {getattr(resource, name): value for name, value in limits.items()}
        arguments = ([*command, "-o", str(self.model)], str(self.log), numbers)
        process = processes.Process(target=run_command, args=arguments)
        process.start()
        return process

    @staticmethod
    def finish(process: Any) -> int:
        """Wait for a process; return its exit code, which is negative after a signal."""
        process.join(600)
        assert process.exitcode is not None, "the process hangs"
        return int(process.exitcode)

    def output(self) -> str:
        """Return what the last command printed."""
        return self.log.read_text() if self.log.exists() else ""

    def vectors(self) -> bytes:
        """Return the bytes of the saved model's vectors."""
        model = WordRank.load(self.model)
        return model.wv.vectors.tobytes() + model.context_vectors.tobytes() + model.context_bias.tobytes()

    def clean(self) -> None:
        """Delete the files of the last trial."""
        for path in self.place.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def sleep_until_random_moment(self) -> None:
        """Sleep for a random part of the duration of a run."""
        time.sleep(self.random.uniform(0, self.seconds))

    def check_refusal(self, code: int) -> None:
        """Check that a command failed with an error message of one line, without a traceback."""
        last = self.output().strip().splitlines()[-1:]
        assert code == 1, f"exit code {code}: {self.output()[-2000:]}"
        assert last, "the command printed nothing"
        assert last[0].startswith("Error: "), last
        assert "Traceback" not in self.output(), self.output()

    def check_result(self) -> None:
        """Finish the run without faults; check that its vectors are the expected bytes."""
        assert self.finish(self.train()) == 0, self.output()
        assert self.vectors() == self.expected, "the vectors differ"
        left = [path.name for path in self.run.glob(".*.*") if path.name != LOCK]
        assert not left, left

    # ---- the faults

    def kill(self) -> None:
        """Kill the process at a random moment, up to three times."""
        for _ in range(self.random.randint(1, 3)):
            process = self.train()
            self.sleep_until_random_moment()
            process.kill()
            self.finish(process)

    def interrupt(self) -> None:
        """Press Ctrl-C at a random moment; the process must end soon, and print how to resume."""
        process = self.train()
        while "collected" not in self.output() and process.is_alive():  # Python is still starting
            time.sleep(0.005)
        self.sleep_until_random_moment()
        pressed = time.monotonic()
        if process.is_alive():
            os.kill(process.pid, signal.SIGINT)
        code = self.finish(process)
        self.slowest_stop = max(self.slowest_stop, time.monotonic() - pressed)
        last = self.output().splitlines()[-1]
        assert (code == 130 and "Interrupted. " in last) or (code == 0 and "vectors" in last), (
            f"{code}: {self.output()}"
        )

    def damage(self) -> None:
        """Damage a file of a run that was killed."""
        self.kill()
        files = [path for path in self.run.rglob("*.*") if path.is_file() and path.name != LOCK]
        if not files:
            return
        path = self.random.choice(files)
        content = bytearray(path.read_bytes())
        at = self.random.randrange(len(content))
        content[at] ^= 1 << self.random.randrange(8)
        path.write_bytes(content[:at] if self.random.random() < 0.5 else content)
        code = self.finish(self.train())
        if code:  # the damaged file has no copy
            self.check_refusal(code)
            shutil.rmtree(self.run)

    def full_disk(self) -> None:
        """Limit the size of files, as a full disk would; an older model must stay until the new one is complete."""
        self.model.write_bytes(b"older")
        code = self.finish(self.train(RLIMIT_FSIZE=int(10 ** self.random.uniform(3, 7))))
        if code:
            self.check_refusal(code)
            assert self.model.read_bytes() == b"older", "the older model is gone"

    def little_memory(self) -> None:
        """Limit the address space."""
        code = self.finish(self.train(RLIMIT_AS=int(10 ** self.random.uniform(6, 8.7))))
        if code:
            self.check_refusal(code)


FAULTS = (Trials.kill, Trials.interrupt, Trials.damage, Trials.full_disk, Trials.little_memory)


def survive(fault: Callable[[Trials], None], seed: int, rounds: int, text: str = LEE) -> tuple[list[str], Trials]:
    """Try one fault several times; return the errors of the trials that were lost."""
    lost = []
    with tempfile.TemporaryDirectory() as place:
        trials = Trials(text, Path(place), random.Random(seed))
        for trial in range(rounds):
            trials.clean()
            try:
                fault(trials)
                trials.check_result()
            except AssertionError as error:
                lost.append(f"{fault.__name__}, seed {seed}, trial {trial}: {error}")
    return lost, trials


class Table:
    """Prints a row per fault and class of input, and at the end the sums of each class."""

    COLUMNS = "tried", "survived", "lost", "unnamed"

    def __init__(self) -> None:
        self.totals: dict[str, list[int]] = {}
        self.problems: list[str] = []

    def begin(self, group: str) -> None:
        """Print the titles of a class."""
        self.totals[group] = [0] * len(self.COLUMNS)
        self._print(f"\n{group}", self.COLUMNS)

    def add(self, name: str, tried: int, lost: list[str], unnamed: Mapping[str, int] | None = None) -> None:
        """Print a row of the latest class; `lost` and `unnamed` are messages, the latter with their numbers."""
        unnamed = unnamed or {}
        n_unnamed = sum(unnamed.values())
        row = [tried, tried - len(lost) - n_unnamed, len(lost), n_unnamed]
        group = list(self.totals)[-1]
        self.totals[group] = [total + n for total, n in zip(self.totals[group], row, strict=True)]
        self.problems += [f"{group}, {name}: {problem}" for problem in [*lost, *unnamed]]
        self._print(name, row)

    def add_outcomes(self, name: str, outcomes: Mapping[str, int]) -> None:
        """Print a row of outcomes with their numbers: right, refused, unnamed or an error."""
        bad = {outcome: n for outcome, n in outcomes.items() if outcome not in ("right", "refused")}
        unnamed = {outcome: n for outcome, n in bad.items() if outcome.startswith("unnamed")}
        lost = [outcome for outcome, n in bad.items() if outcome not in unnamed for _ in range(n)]
        self.add(name, sum(outcomes.values()), lost, unnamed)

    def end(self) -> None:
        """Print the sums, and what was lost or not named."""
        self._print("\nall", self.COLUMNS)
        for group, row in self.totals.items():
            self._print(group, row)
        print(*self.problems, sep="\n")

    @staticmethod
    def _print(name: str, row: Sequence[Any]) -> None:
        print(f"{name:55}" + "".join(f"{each:>9}" for each in row), flush=True)


def disturb_runs(table: Table, seed: int, rounds: int, text: str) -> None:
    """Disturb runs at random moments."""
    table.begin("runs")
    for fault in FAULTS:
        lost, trials = survive(fault, seed, rounds, text)
        note = f", slowest stop {trials.slowest_stop:.2f} s" if fault is Trials.interrupt else ""
        table.add(fault.__name__ + note, rounds, lost)


def interrupt_writers(table: Table) -> None:
    """Interrupt all writers at each of their calls."""
    table.begin("writers")
    for report in commits.run_preloaded([]):
        table.add(f"{report['writer']}: {report['fault']}", report["tried"], report["lost"])


def read_bad_input(table: Table, group: str, program: str, seed: int, rounds: int) -> None:
    """Run a program that reads bad input and reports outcomes, in a process of its own because it may crash."""
    table.begin(group)
    command = [sys.executable, str(Path(__file__).with_name(program)), str(seed), str(rounds)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    reports = [json.loads(line) for line in ended.stdout.splitlines()]
    for report in reports:
        if "outcomes" in report:
            table.add_outcomes(report["name"], report["outcomes"])
    if ended.returncode:
        table.add(reports[-1]["name"], 1, [f"crashed with seed {seed}"])


def main() -> int:
    """Try all faults, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="of each fault of a run")
    parser.add_argument("--damages", type=int, default=500, help="of each format")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--text", default=LEE)
    options = parser.parse_args()
    # background jobs of a shell ignore Ctrl-C, and so would the runs
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(f"seed {options.seed}")
    table = Table()
    disturb_runs(table, options.seed, options.rounds, options.text)
    interrupt_writers(table)
    read_bad_input(table, "damaged files", "damage.py", options.seed, options.damages)
    read_bad_input(table, "hostile input", "hostile.py", options.seed, 10 * options.rounds)
    table.end()
    return len(table.problems)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
