"""Quality against seconds: WordRank beside gensim's Word2Vec and, where its programs are on the PATH, GloVe.

    python benchmarks/compare.py TEXT... --evaluation DIR --out DIR --runs wordrank:10 word2vec:5 glove:25

A run is trainer:epochs or trainer:epochs:seed. A TEXT has one sentence or paragraph a line; with several, quality is
drawn against their size too. DIR holds ws353.tsv, men3000.tsv, mturk287.tsv (word, word, score) and
google-questions.txt. Trainers run one after another, each in a process of its own; seconds are of the whole call, from
text on disk to vectors. Similarity is scored with u, analogies with u + v (word2vec: its own vectors), each raw and
centred, and in the basis that WordRank chooses, in which its own are anyhow: to see what the others would gain by it.
Writes table.md, table.csv, quality.png and quality.html, which shows the better of raw and centred vectors.
"""

from __future__ import annotations

import argparse
import csv
import shutil
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import measure
from gensim_wordrank._utils.versions import versions
from gensim_wordrank.plots import quality_curves, save

NAMES = ("WS-353", "MEN", "MTurk-287", "SimLex-999", "Rare Words")
STYLES = ("raw", "centred", "in basis")


def train(run: str, text: Path, out: Path, workers: int) -> dict[str, Any]:
    """Train one model; return its name, seconds, peak memory and the file of its vectors."""
    name, epochs, *seed = run.split(":")
    seed = int(seed[0]) if seed else 1
    vectors = out / f"{text.stem}-{name}-{epochs}-{seed}.npz"
    parameters = {"vector_size": 100, "window": 15, "min_count": 5, "epochs": int(epochs), "seed": seed}
    cost = measure.train(name, text, vectors, parameters, workers)
    return {
        "run": name,
        "tokens": measure.count_tokens(text),
        "epochs": int(epochs),
        "seed": seed,
        **cost,
        "vectors": vectors,
    }


def score(result: dict[str, Any], evaluation: Path) -> dict[str, Any]:
    """Add the scores of a run's vectors in all styles."""
    sets = {name: measure.SETS[name] for name in NAMES}
    return result | measure.scores(result.pop("vectors"), evaluation, sets, STYLES)


def better(result: dict[str, Any], name: str) -> float:
    """Return the score of the raw vectors, or that of the centred ones if it is better."""
    return max(result[f"{name} {style}"] for style in ("raw", "centred"))


def write(results: list[dict[str, Any]], texts: list[Path], out: Path, workers: int) -> None:
    """Write the table as Markdown and CSV, and the pictures."""
    columns = list(results[0])
    with (out / "table.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(results)

    def line(cells: Iterable[object]) -> str:
        return f"| {' | '.join(map(str, cells))} |\n"

    def shown(value: object) -> str:
        return f"{value:.1f}" if isinstance(value, float) else str(value)

    with (out / "table.md").open("w") as file:
        known = versions()
        names = ", ".join(text.name for text in texts)
        file.write(f"{names}, {workers} threads, {measure.machine()}, {known['CPU level']}, ")
        file.write(f"gensim {known['gensim']}, numpy {known['numpy']}.\n\n")
        file.write(line(columns) + line("---" for _ in columns))
        file.writelines(line(shown(result[column]) for column in columns) for result in results)

    given = [result | {name: better(result, name) for name in ("WS-353", "Google")} for result in results]
    picture = quality_curves(given, ["WS-353", "Google"])
    for name in ("quality.png", "quality.html"):
        save(picture, out / name)


def main() -> None:
    """Run everything; results so far are written after every run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path, nargs="+", metavar="TEXT")
    parser.add_argument("--evaluation", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", nargs="+", default=["wordrank:5", "wordrank:20", "word2vec:5", "glove:25"])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    results = []
    for text, run in product(options.texts, options.runs):
        if run.startswith("glove") and not shutil.which("glove"):
            print(f"{run}: not run, GloVe's programs are not on the PATH")
            continue
        results.append(score(train(run, text, options.out, options.workers), options.evaluation))
        print({key: value if isinstance(value, (str, int)) else round(value, 1) for key, value in results[-1].items()})
        write(results, options.texts, options.out, options.workers)


if __name__ == "__main__":
    main()
