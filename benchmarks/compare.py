"""Quality against seconds: WordRank beside gensim's Word2Vec and, where its programs are on the PATH, GloVe.

    python benchmarks/compare.py TEXT... --evaluation DIR --out DIR --runs wordrank:10 word2vec:5 glove:25

A run is trainer:epochs or trainer:epochs:seed. A TEXT has one sentence or paragraph a line; with several, quality is
drawn against their size too. DIR holds ws353.tsv, men3000.tsv, mturk287.tsv (word, word, score) and
google-questions.txt. Trainers run one after another, each in a process of its own; seconds are of the whole call, from
text on disk to vectors. Similarity is scored with u, analogies with u + v (word2vec: its own vectors), each as they are
and centred. Writes table.md, table.csv, quality.png and quality.html.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from gensim_wordrank import plots
from gensim_wordrank.evaluation import analogies, similarity
from gensim_wordrank.testsets import read_analogies, read_similarity
from gensim_wordrank.vectors import combine
from gensim_wordrank.versions import versions

SETS = {"WS-353": "ws353.tsv", "MEN": "men3000.tsv", "MTurk-287": "mturk287.tsv"}


def train(run: str, text: Path, out: Path, workers: int) -> dict[str, Any]:
    """Train one model in a process of its own; return its name, seconds and peak memory."""
    name, epochs, *seed = run.split(":")
    seed = seed[0] if seed else "1"
    vectors = out / f"{text.stem}-{name}-{epochs}-{seed}.npz"
    script = Path(__file__).with_name("train_one.py")
    command = [sys.executable, str(script), name, str(text), str(vectors), epochs, seed, str(workers)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    printed = process.stdout.read()  # type: ignore[union-attr]  # it is a pipe
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{run} failed")
    seconds = json.loads(printed)["seconds"]
    result = {"run": name, "tokens": tokens(text), "epochs": int(epochs), "seed": int(seed), "seconds": seconds}
    return {**result, "peak MB": usage.ru_maxrss / 1024, "vectors": vectors}


@cache
def tokens(text: Path) -> int:
    """Count the words of a text."""
    with text.open(encoding="utf-8") as lines:
        return sum(len(line.split()) for line in lines)


def score(result: dict[str, Any], evaluation: Path) -> dict[str, Any]:
    """Add the scores of a run's vectors, raw and centred."""
    saved = np.load(result.pop("vectors"))
    words, u = saved["words"].tolist(), saved["u"]
    total = u + saved["v"] if "v" in saved else u
    for style in ("raw", "centred"):
        keyed = keyed_vectors(words, combine(u, u, "word", style))
        for name, file in SETS.items():
            result[f"{name} {style}"] = 100 * similarity(keyed, read_similarity(evaluation / file)).value
        keyed = keyed_vectors(words, combine(total, total, "word", style))
        google = analogies(keyed, read_analogies(evaluation / "google-questions.txt"))
        parts = google.sections()
        result[f"Google {style}"] = 100 * google.value
        result |= {f"sem {style}": 100 * parts["semantic"], f"syn {style}": 100 * parts["syntactic"]}
    return result


def keyed_vectors(words: list[str], vectors: np.ndarray) -> KeyedVectors:
    """Put vectors under their words."""
    keyed = KeyedVectors(vectors.shape[1])
    keyed.add_vectors(words, vectors)
    return keyed


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
        file.write(f"{names}, {workers} threads, {platform.processor() or platform.machine()} {known['CPU level']}, ")
        file.write(f"gensim {known['gensim']}, numpy {known['numpy']}.\n\n")
        file.write(line(columns) + line("---" for _ in columns))
        file.writelines(line(shown(result[column]) for column in columns) for result in results)

    better = [
        result | {name: max(result[f"{name} raw"], result[f"{name} centred"]) for name in ("WS-353", "Google")}
        for result in results
    ]
    picture = plots.quality_curves(better, ["WS-353", "Google"])
    for name in ("quality.png", "quality.html"):
        plots.save(picture, out / name)


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
