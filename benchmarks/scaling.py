"""Simulate an epoch on many threads and machines, from the processor time of each of its cells, measured here.

    python benchmarks/scaling.py COUNTS [--blocks 64] [--vector-size 100] [--mbyte 240] [--check]
    python benchmarks/scaling.py COUNTS --blocks 64 --words 620000 --pairs 4.2e9 --many-blocks 512

COUNTS is a directory that `wordrank cooccur` wrote. One thread runs an epoch, and the processor time of each cell is
noted: that of its kernels, and that of Python, which only one thread of a process can run at a time. Threads and
machines then take the cells in the order of `parallel_rounds` and of `CellQueue`. With --check, epochs on one and two
threads are measured and simulated, with the times that their own cells took, so that other work on the computer counts
in both. With --words, the cells are those of a larger text: as many as --many-blocks says, and as long as its pairs
are, with the differences between the measured ones.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from time import perf_counter, thread_time
from typing import Any
from unittest.mock import patch

import click
import numpy as np
from gensim_wordrank import Cooccurrence, Objective, _sampled
from gensim_wordrank._utils import threads
from gensim_wordrank.settings import SETTINGS
from gensim_wordrank.training import sampled
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State, initial_accumulator, initial_bias, initial_vectors
from numpy.typing import NDArray

LATENCY = 0.002  # seconds for a call to another machine
KERNELS = ("run_cell", "sample_pairs", "sort_by_slot")


@dataclass
class Cells:
    """Seconds of each cell, strata in rows and word blocks in columns, and of the rounds that follow them."""

    kernels: NDArray[np.float64]
    python: NDArray[np.float64]
    after: NDArray[np.float64]  # two rounds, with a barrier before each
    serial: float = 0.0  # the rest of the epoch

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return self.kernels.shape[1]

    @property
    def total(self) -> float:
        """Seconds of all."""
        return float(self.kernels.sum() + self.python.sum() + self.after.sum()) + self.serial


class Watch:
    """Notes the time of each call of an epoch, and of the kernels in it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock, self.calls, self.started = clock, dict[tuple[int, int], tuple[float, float]](), 0.0
        self.in_kernels: dict[tuple[int, int], float] = {}
        self.current: Any = threading.local()

    def kernel(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a kernel."""

        def timed(*arguments: Any) -> Any:
            began = self.clock()
            result = function(*arguments)
            key = self.current.key
            self.in_kernels[key] = self.in_kernels.get(key, 0.0) + self.clock() - began
            return result

        return timed

    def rounds(self, function: Callable[[int, int], Any], *arguments: Any, **options: Any) -> Any:
        """Run the calls of an epoch as `parallel_rounds` does, and note their times."""

        def timed(round_: int, i: int) -> Any:
            self.current.key, began = (round_, i), self.clock()
            result = function(round_, i)
            self.calls[round_, i] = began, self.clock()
            return result

        began = perf_counter()
        result = PARALLEL_ROUNDS(timed, *arguments, **options)
        self.seconds = perf_counter() - began
        return result

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the epochs that run."""
        with (
            patch.object(threads, "parallel_rounds", self.rounds),
            patch.multiple(sampled._sampled, **{name: self.kernel(getattr(_sampled, name)) for name in KERNELS}),
        ):
            yield

    def cells(self, n_blocks: int, serial: float = 0.0) -> Cells:
        """Return what was noted."""
        spent, kernels = (np.zeros((n_blocks + 2, n_blocks)) for _ in range(2))
        for key, (began, ended) in self.calls.items():
            spent[key], kernels[key] = ended - began, self.in_kernels.get(key, 0.0)
        python = spent - kernels
        return Cells(kernels[:n_blocks], python[:n_blocks], spent[n_blocks:], serial)


PARALLEL_ROUNDS = threads.parallel_rounds


def on_threads(cells: Cells, n_threads: int) -> float:
    """Return the seconds of an epoch on the threads of one machine."""
    n, done = cells.n_blocks, np.zeros(cells.n_blocks)
    free, gil = [0.0] * n_threads, 0.0
    for round_ in range(n):
        before = done.copy()
        for i in range(n):
            began = max(heappop(free), before[i], before[(i + 1) % n])
            gil = max(gil, began) + cells.python[round_, i]
            done[i] = gil + cells.kernels[round_, i]
            heappush(free, done[i])
    for costs in cells.after:
        barrier, free = float(max(free)), [float(max(free))] * n_threads
        for cost in costs:
            heappush(free, max(heappop(free), barrier) + cost)
    return max(free) + cells.serial


def on_machines(cells: Cells, n_machines: int, n_threads: int, block_bytes: float, speed: float) -> float:
    """Return the seconds of an epoch on machines in a ring; a link carries `speed` bytes per second each way."""
    if n_machines == 1:
        return on_threads(cells, n_threads)
    n = cells.n_blocks
    used = min(n_machines, n)
    firsts = [m * n // used for m in range(used + 1)]
    machine_of = np.repeat(np.arange(used), np.diff(firsts))
    missing = np.full((n, n), 2)
    ready: list[list[tuple[int, int]]] = [[] for _ in range(used)]
    idle, gil, link = [n_threads] * used, [0.0] * used, [0.0] * used
    events: list[tuple[float, int, int, int]] = []  # (time, kind, stratum, block): 0 a cell has ended, 1 it may start
    end = 0.0

    def release(now: float, stratum: int, block: int) -> None:
        missing[stratum, block] -= 1
        if not missing[stratum, block]:
            heappush(ready[machine_of[block]], (stratum, block))
            start(now, int(machine_of[block]))

    def start(now: float, m: int) -> None:
        while idle[m] and ready[m]:
            stratum, block = heappop(ready[m])
            idle[m] -= 1
            gil[m] = max(gil[m], now) + cells.python[stratum, block]
            heappush(events, (gil[m] + cells.kernels[stratum, block], 0, stratum, block))

    missing[0] = 1
    for block in range(n):
        release(0.0, 0, block)
    while events:
        now, kind, stratum, block = heappop(events)
        if kind:
            release(now, stratum, block)
            continue
        m, end = int(machine_of[block]), max(end, now)
        idle[m] += 1
        if stratum + 1 < n:
            release(now, stratum + 1, block)
            before = (block - 1) % n
            if machine_of[before] == m:
                release(now, stratum + 1, before)
            else:  # its contexts go to the machine before
                link[m] = max(link[m], now) + block_bytes / speed
                heappush(events, (link[m] + LATENCY, 1, stratum + 1, before))
        start(now, m)
    between = n * block_bytes / used * (used - 1) / used / speed + used * LATENCY
    return end + between + cells.serial


def run(counts: Cooccurrence, size: int, n_blocks: int, n_threads: int, watch: Watch | None) -> tuple[float, float]:
    """Run an epoch; return its processor seconds, and seconds."""
    settings = replace(SETTINGS, usual_blocks=n_blocks, min_block=1, max_block=1 << 62)
    config = sampled.TrainingConfig.of(counts.summarize(), Objective(), size, seed=1, settings=settings)
    n = counts.shape[0]
    bias, accumulator = initial_bias(counts.summarize().context_sums), initial_accumulator(counts.counts)
    state = State(initial_vectors(n, size, 1, 0), initial_vectors(n, size, 1, 1), bias, accumulator, accumulator)
    spent, began = thread_time(), perf_counter()
    if watch is None:
        sampled.sampled_epoch(config, counts, state, SchedulePoint(0.15, 5.0), n_threads)
    else:
        with watch.watching():
            sampled.sampled_epoch(config, counts, state, SchedulePoint(0.15, 5.0), n_threads)
    return thread_time() - spent, perf_counter() - began


def measure(counts: Cooccurrence, size: int, n_blocks: int) -> Cells:
    """Return the processor time of the cells of an epoch on one thread."""
    watch = Watch(thread_time)
    spent, _ = run(counts, size, n_blocks, 1, watch)
    cells = watch.cells(n_blocks)
    return replace(cells, serial=spent - cells.total)


def check(counts: Cooccurrence, size: int, n_blocks: int, n_threads: int) -> tuple[float, float]:
    """Return the seconds of an epoch's cells on some threads, and what the simulation makes of their times."""
    watch = Watch(perf_counter)
    run(counts, size, n_blocks, n_threads, watch)
    return watch.seconds, on_threads(watch.cells(n_blocks), n_threads)


def enlarged(
    cells: Cells, n_words: int, n_pairs: float, n_drawn: float, size: int, n_blocks: int, per_pair: float
) -> Cells:
    """Return the cells of a larger text: the mean from its pairs, the differences those that were measured."""
    random = np.random.default_rng(1)
    of_blocks = cells.kernels.mean(axis=0) / cells.kernels.mean()
    others = (cells.kernels / cells.kernels.mean(axis=0)).ravel()
    shape = (n_blocks, n_blocks)
    variation = random.choice(of_blocks, n_blocks) * random.choice(others, shape)
    seconds = (n_drawn * per_pair + n_pairs * 9.7e-9) / n_blocks**2
    moved = np.full((2, n_blocks), 4 * n_words * size * 3 / 2e9 / n_blocks)  # copies of both matrices at 2 GB/s
    return Cells(seconds * variation, np.full(shape, float(np.median(cells.python))), moved, 0.0)


@click.command()
@click.argument("place", type=click.Path(exists=True))
@click.option("--blocks", "n_blocks", default=8, show_default=True)
@click.option("--vector-size", "size", default=100, show_default=True)
@click.option("--mbyte", default=240.0, show_default=True, help="Megabytes per second and direction of a link.")
@click.option("--check", "checks", is_flag=True, help="Compare with epochs on one and two threads.")
@click.option("--words", "n_words", type=int, help="Of a larger text.")
@click.option("--pairs", "n_pairs", default=4.2e9, show_default=True, help="Of the larger text.")
@click.option("--drawn", default=1.7e9, show_default=True, help="Pairs that an epoch of the larger text samples.")
@click.option("--per-pair", default=0.44e-6, show_default=True, help="Seconds per sampled pair of the larger text.")
@click.option("--many-blocks", default=512, show_default=True, help="Of the larger text.")
def main(
    place: str, n_blocks: int, size: int, mbyte: float, checks: bool, n_words: int | None, n_pairs: float, drawn: float,
    per_pair: float, many_blocks: int,
) -> None:  # fmt: skip
    """Print a line of JSON per simulated or measured epoch."""
    counts = Cooccurrence.load(place, mmap="r")
    if checks:
        for n_threads in (1, 2):
            measured, simulated = check(counts, size, n_blocks, n_threads)
            print(json.dumps({"threads": n_threads, "measured": round(measured, 3), "simulated": round(simulated, 3)}))
        return
    cells = measure(counts, size, n_blocks)
    python = {"of Python": round(cells.python.sum(), 3), "microseconds per cell": round(1e6 * np.median(cells.python))}
    print(json.dumps({"blocks": n_blocks, "processor seconds": round(cells.total, 2)} | python))
    n_per_machine = (1,)
    n_rows, machines = counts.shape[1], (2, 3, 4)
    if n_words is not None:
        cells = enlarged(cells, n_words, n_pairs, drawn, 300, many_blocks, per_pair)
        n_rows, size, n_per_machine, machines = n_words, 300, (16,), (1, 4, 16, 64)
    else:
        whole = on_threads(cells, 1)
        for n_threads in (1, 2, 4, 8, 16, 32, 64):
            seconds = on_threads(cells, n_threads)
            efficiency = round(whole / seconds / n_threads, 3)
            print(json.dumps({"threads": n_threads, "seconds": round(seconds, 3), "efficiency": efficiency}))
    block_bytes = 4 * (size + 2) * n_rows / cells.n_blocks
    for n_machines, n_threads in itertools.product(machines, n_per_machine):
        seconds = on_machines(cells, n_machines, n_threads, block_bytes, mbyte * 1e6)
        print(json.dumps({"machines": n_machines, "threads of each": n_threads, "seconds": round(seconds, 3)}))


if __name__ == "__main__":
    main()
