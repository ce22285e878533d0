"""How far one trainer is ahead of another on each set, with an interval that covers both seeds and items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from gensim_wordrank.evaluation import read_similarity
from scipy.stats import rankdata

from bench.runs import Record
from bench.scoring import SIMILARITY

RESAMPLES = 500
Outcomes = Mapping[str, np.ndarray]


def compare(ours: Sequence[Record], theirs: Sequence[Record], directories: Sequence[Path], evaluation: Path) -> Record:
    """Return our lead on each set in points, with its 95% interval. Runs on either side differ in their seeds alone.

    Items and seeds are drawn with replacement, the same items for both sides.
    """
    sides = [[load(run["id"], directories) for run in runs] for runs in (ours, theirs)]
    ratings = {name: rankdata(read_similarity(evaluation / file).ratings) for name, file in SIMILARITY.items()}
    names = [name for name in sides[0][0] if name in sides[1][0]]
    if ids(ours) == ids(theirs):  # the vectors of one model: "WS-353" against "WS-353, u + v"
        others = {name: name.split(",")[0] for name in names if name.endswith((", u", ", u + v"))}
        sides = [[{name: run[plain] for name, plain in others.items()} for run in sides[0]], sides[1]]
        names = list(others)
    leads = {
        name: lead(*([run[name] for run in runs] for runs in sides), ratings.get(name.split(",")[0])) for name in names
    }
    return {"id": name_of(ours, theirs), "ours": ids(ours), "theirs": ids(theirs), "leads": leads}


def ids(runs: Iterable[Record]) -> list[str]:
    """Return the names of runs."""
    return [run["id"] for run in runs]


def name_of(ours: Iterable[Record], theirs: Iterable[Record]) -> str:
    """Return the name of a comparison."""
    return " ".join([*ids(ours), "-", *ids(theirs)])


def load(name: str, directories: Sequence[Path]) -> Outcomes:
    """Return the outcome of every item of a run, from the first directory that has it."""
    path = next(path for directory in directories if (path := directory / f"{name}.outcomes.npz").exists())
    with np.load(path) as saved:
        return dict(saved)


def lead(
    ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray], ratings: np.ndarray | None
) -> tuple[float, float, float]:
    """Return the difference of two mean scores in points, and the ends of its 95% interval.

    The arrays hold one outcome per item; with ratings, scores are rank correlations with them.
    """

    def mean(runs: Sequence[np.ndarray], items: np.ndarray) -> float:
        if ratings is None:
            return 100 * float(np.mean([run[items].mean() for run in runs]))
        ranks = rankdata(ratings[items])
        return 100 * float(np.mean([np.corrcoef(rankdata(run[items]), ranks)[0, 1] for run in runs]))

    def draw(runs: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [runs[i] for i in random.integers(len(runs), size=len(runs))]

    n, random = len(theirs[0]), np.random.default_rng(0)
    drawn = []
    for _ in range(RESAMPLES):
        items = random.integers(n, size=n)
        drawn.append(mean(draw(ours), items) - mean(draw(theirs), items))
    low, high = np.quantile(drawn, (0.025, 0.975))
    everything = np.arange(n)
    return round(mean(ours, everything) - mean(theirs, everything), 2), round(float(low), 2), round(float(high), 2)
