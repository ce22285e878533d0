"""Results of runs that differ in their seed only, as mean, lowest and highest; and all of them as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import measure
import numpy as np
from gensim_wordrank._utils.atomic_files import write_atomically

from paper.plans import variants
from paper.runs import Result

NAMES = {"wordrank": "WordRank", "word2vec": "Word2Vec", "glove": "GloVe"}


@dataclass(frozen=True)
class Spread:
    """Mean, lowest and highest of some runs."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return them in points."""
        if self.low == self.high:
            return f"{self.mean:.1f}"
        return f"{self.mean:.1f} ({self.low:.1f} to {self.high:.1f})"


@dataclass
class Group:
    """Runs that differ in their seed only, and the results that there are.

    Attributes
    ----------
    run : dict
        The identity of one of them.
    results : list of dict
        What was found.
    """

    run: Result
    results: list[Result] = field(default_factory=list)

    @property
    def variant(self) -> str:
        """Which column of Table 2 it is; an empty string if it is none."""
        names = {name for changes in variants().values() for name in changes}
        usual = measure.ONE_OBJECTIVE.items()
        changed = {name: value for name, value in self.run["parameters"].items() - usual if name in names}
        return next((name for name, changes in variants().items() if changes == changed), "")

    def spread(self, name: str) -> Spread | None:
        """Return a score, or another number, of the runs that have it; None if there are none."""
        values = [value for result in self.results if (value := number(result, name)) is not None]
        return Spread(float(np.mean(values)), min(values), max(values)) if values else None

    def cell(self, name: str) -> str:
        """Return what a table shows: a mean and how far runs differ, or how many seeds were run."""
        if name == "seeds":
            return str(len(self.results))
        return str(self.spread(name) or ("not measured" if self.results else "not run"))


def number(result: Result, name: str) -> float | None:
    """Return a number of a run, if it has it; of scores, the better of raw and centred vectors."""
    scores: dict[str, float] = result["scores"]
    if f"{name} raw" in scores:
        return max(scores[f"{name} raw"], scores[f"{name} centred"])
    taken: float | None = result.get(name)
    return taken


def grouped(runs: Iterable[tuple[Result, Result | None]]) -> list[Group]:
    """Put identities, with what was found, into groups, in the order in which these appear."""
    groups: dict[str, Group] = {}
    for run, result in runs:
        parameters = {name: value for name, value in run["parameters"].items() if name != "seed"}
        key = str([run[name] for name in ("trainer", "source", "tokens", "noise")] + sorted(parameters.items()))
        group = groups.setdefault(key, Group(run))
        if result is not None and result not in group.results:
            group.results.append(result)
    return list(groups.values())


def circumstances(results: Sequence[Result]) -> str:
    """Return machines, versions, threads and seeds of some runs."""

    def all_of(values: Iterable[Any]) -> str:
        return " or ".join(dict.fromkeys(map(str, values)))

    shown = ("gensim-wordrank", "gensim", "numpy", "scipy", "Python", "CPU level")
    known = [f"{name} {all_of(result['versions'][name] for result in results)}" for name in shown]
    seeds = sorted({result["parameters"]["seed"] for result in results})
    machine = f"{all_of(result['machine'] for result in results)}; threads: {all_of(r['workers'] for r in results)}; "
    return f"{machine}{', '.join(known)}; seeds {', '.join(map(str, seeds))}."


def write_csv(results: Iterable[Result], path: Path) -> None:
    """Write a row a run."""
    rows = [flat(result) for result in results]
    columns = list(dict.fromkeys(name for row in rows for name in row))

    def fill(name: str) -> None:
        with Path(name).open("w", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(rows)

    write_atomically(path, fill)


def flat(result: Result) -> Result:
    """Return a result without parts."""
    parts = {**result["parameters"], **{name: round(value, 3) for name, value in result["scores"].items()}}
    plain = {name: value for name, value in result.items() if not isinstance(value, dict)}
    return plain | parts | {"versions": " ".join(f"{name}={value}" for name, value in result["versions"].items())}
