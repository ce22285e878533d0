"""Kill, interrupt and damage training runs, writers and files, and check what is left.

    python tests/faults.py --rounds 20 --seed 1 --text TEXT

Runs meet faults at random moments; each must end with the vectors of an undisturbed run, or with an error message of
one line and unchanged files. Writers meet faults at each of their calls (`commits.py`); the old result or the new one
must be there. Files of every format are damaged at random (`damage.py`); each must be read right, or be refused with an
error that names the file. Prints three tables: how often each was tried, survived, lost, and refused without a name.
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
from collections.abc import Callable
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


def interrupt_writers() -> list[str]:
    """Interrupt all writers at each of their calls, print a table, and return what was lost."""
    print(f"\n{'writer':26} {'fault at each of its calls':30} {'tried':>6} {'survived':>9} {'lost':>5}", flush=True)
    lost = []
    for report in commits.run_preloaded([]):
        tried, bad = report["tried"], report["lost"]
        print(f"{report['writer']:26} {report['fault']:30} {tried:6} {tried - len(bad):9} {len(bad):5}", flush=True)
        lost += [f"{report['writer']}, {report['fault']}: {one}" for one in bad]
    return lost


def damage_files(seed: int, rounds: int) -> list[str]:
    """Damage files of all formats, print a table, and return what was lost or not named."""
    print(f"\n{'damaged file':30} {'tried':>6} {'right':>6} {'refused':>8} {'lost':>5} {'unnamed':>8}", flush=True)
    command = [sys.executable, str(Path(__file__).with_name("damage.py")), str(seed), str(rounds)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    reports = [json.loads(line) for line in ended.stdout.splitlines()]
    lost = [f"the process crashed at {reports[-1:]}"] if ended.returncode else []
    for report in (report for report in reports if "outcomes" in report):
        outcomes = dict(report["outcomes"])
        right, refused = outcomes.pop("right", 0), outcomes.pop("refused", 0)
        unnamed = sum(number for outcome, number in outcomes.items() if outcome.startswith("unnamed"))
        bad = sum(outcomes.values()) - unnamed
        print(f"{report['format']:30} {rounds:6} {right:6} {refused:8} {bad:5} {unnamed:8}", flush=True)
        lost += [f"{report['format']}: {outcome}" for outcome in outcomes]
    return lost


def try_hostile_input(seed: int, rounds: int) -> list[str]:
    """Print a row per class of tests/hostile.py: a lost trial crashed or raised another error; return these."""
    command = [sys.executable, str(Path(__file__).with_name("hostile.py")), str(seed), str(rounds)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    lost = [] if ended.returncode == 0 else [f"hostile.py, seed {seed}: crashed after {ended.stdout[-200:]}"]
    for report in filter(lambda report: "outcomes" in report, map(json.loads, ended.stdout.splitlines())):
        outcomes = report["outcomes"]
        survived = outcomes.pop("refused", 0) + outcomes.pop("right", 0)
        unnamed = sum(times for error, times in outcomes.items() if error.startswith("unnamed"))
        wrong = rounds - survived
        print(f"{report['class']:15} {rounds:6} {survived:9} {wrong:5}   of these, unnamed {unnamed}", flush=True)
        lost += [f"{report['class']}, seed {seed}: {error} ({times} times)" for error, times in outcomes.items()]
    return lost


def main() -> int:
    """Try all faults, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="of each fault of a run")
    parser.add_argument("--damages", type=int, default=500, help="of each format")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--text", default=LEE)
    options = parser.parse_args()
    # background jobs of a shell ignore Ctrl-C, and so would the runs
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(f"seed {options.seed}\n{'fault':15} {'tried':>6} {'survived':>9} {'lost':>5}")
    all_lost = []
    for fault in FAULTS:
        lost, trials = survive(fault, options.seed, options.rounds, options.text)
        note = f"   slowest stop {trials.slowest_stop:.2f} s" if fault is Trials.interrupt else ""
        print(f"{fault.__name__:15} {options.rounds:6} {options.rounds - len(lost):9} {len(lost):5}{note}", flush=True)
        all_lost += lost
    all_lost += interrupt_writers()
    all_lost += damage_files(options.seed, options.damages)
    all_lost += try_hostile_input(options.seed, 10 * options.rounds)
    print(*all_lost, sep="\n")
    return len(all_lost)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
