"""What each parameter does: change one at a time, train, score, and draw.

    python benchmarks/parameters.py TEXT --evaluation DIR --out DIR --seeds 2

All others keep their defaults. DIR holds test sets as `wordrank evaluate --sets` reads them, among them ws353.tsv,
men3000.tsv and google-questions.txt. Similarity is scored with u, analogies with u + v, unknown words 0.
Writes parameters.csv after every run, with the processor seconds of the whole call; runs that it holds are not run
again. Then draws one picture per parameter: means over seeds, with bars from the lowest to the highest score.
"""

from __future__ import annotations

import argparse
import csv
import inspect
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from gensim_wordrank import WordRank
from gensim_wordrank.evaluation import evaluate, read_directory
from matplotlib.figure import Figure

VALUES: dict[str, tuple[Any, ...]] = {
    "epochs": (5, 10, 20),
    "window": (2, 5, 15, 25),
    "rank_scale": (100.0, 500.0, 2500.0, 12500.0),
    "rank_loss": ("identity", "log", "dcg", "log_t"),
    "vector_size": (25, 100, 200),
    "l2": (0.0, 0.003, 0.01, 0.03),
    "pair_loss": ("hinge", "logistic"),
    "discount": (0.0, 0.5, 1.0, 3.0),
    "x_max": (10.0, 20.0, 100.0),
    "min_count": (5, 20),
}
USUAL = {name: inspect.signature(WordRank).parameters[name].default for name in VALUES}
PANELS = {"similarity, 100 x Spearman": ("ws353", "men3000"), "analogies, % correct": ("google-questions",)}
Row = dict[str, str]


def changes(name: str, value: Any) -> dict[str, Any]:
    """Return the arguments for one value: with rho_1 only the sum of scale and offset matters, so they go together."""
    return {name: value} | ({"rank_offset": value} if name == "rank_scale" else {})


def measure(text: Path, evaluation: Path, name: str, value: Any, seed: int, workers: int) -> Row:
    """Train with one changed parameter and return its scores."""
    started = process_time()
    model = WordRank(corpus_file=text, seed=seed, workers=workers, **changes(name, value))
    seconds = process_time() - started
    scores = evaluate(model.wv, read_directory(evaluation), model.vectors("sum"))
    row = {"parameter": name, "value": str(value), "seed": str(seed), "cpu_seconds": f"{seconds:.1f}"}
    return row | {score.name: f"{100 * score.value:.2f}" for score in scores}


def read(path: Path) -> list[Row]:
    """Return the runs so far."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write(rows: list[Row], path: Path) -> None:
    """Write all runs."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def draw(rows: list[Row], name: str, path: Path) -> None:
    """Draw the scores against the values of one parameter; the default stands in bold type."""
    figure = Figure(figsize=(8, 2.8), layout="constrained")
    places = range(len(VALUES[name]))
    for axes, (title, sets) in zip(figure.subplots(1, 2), PANELS.items(), strict=True):
        for test in sets:
            low, mean, high = np.transpose([spread(scores_of(rows, name, value, test)) for value in VALUES[name]])
            axes.errorbar(places, mean, (mean - low, high - mean), marker="o", capsize=3, label=test)
        axes.set(title=title, xlabel=name, ylim=limits(rows, sets))
        axes.set_xticks(places, [f"{value:g}" if isinstance(value, float) else value for value in VALUES[name]])
        axes.get_xticklabels()[VALUES[name].index(USUAL[name])].set_fontweight("bold")
        axes.grid(axis="y", alpha=0.3)
        axes.legend()
    figure.savefig(path, dpi=100)


def limits(rows: list[Row], sets: tuple[str, ...]) -> tuple[float, float]:
    """Return the range of the scores of all parameters, so that small effects look small."""
    low, _, high = spread([float(row[test]) for row in rows for test in sets])
    return low - 1, high + 1


def spread(scores: list[float]) -> tuple[float, float, float]:
    """Return the lowest, the mean and the highest."""
    return min(scores), float(np.mean(scores)), max(scores)


def scores_of(rows: list[Row], name: str, value: Any, test: str) -> list[float]:
    """Return the scores of one value, one per seed; a run with all defaults serves every parameter."""
    wanted = {(name, str(value))}
    if value == USUAL[name]:
        wanted |= {(other, str(usual)) for other, usual in USUAL.items()}
    return [float(row[test]) for row in rows if (row["parameter"], row["value"]) in wanted]


def main() -> None:
    """Run what has not been run, then draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--evaluation", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    table = options.out / "parameters.csv"
    rows = read(table)
    for seed in range(1, options.seeds + 1):
        for name, values in VALUES.items():
            for value in values:
                if scores_of([row for row in rows if row["seed"] == str(seed)], name, value, "ws353"):
                    continue
                rows.append(measure(options.text, options.evaluation, name, value, seed, options.workers))
                print(rows[-1], flush=True)
                write(rows, table)
    for name in VALUES:
        draw(rows, name, options.out / f"{name}.png")


if __name__ == "__main__":
    main()
