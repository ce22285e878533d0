"""Recommendations: WordRank.from_baskets beside Word2Vec.

    python benchmarks/baskets.py u.data [--runs baskets sentences "word2vec sample=0 epochs=10" ...] [--seeds 3]

u.data holds the ratings of MovieLens 100k. Everything that a user rated, in the order of time, is a basket, without the
last ten films. Prints the share of these ten among the ten films that `wv.most_similar` recommends for the others
(recall@10), and the processor seconds of training. A run is a trainer with options of its own.
"""

from __future__ import annotations

import argparse
from ast import literal_eval
from collections import Counter
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from gensim.models import Word2Vec
from gensim_wordrank import WordRank

HELD_OUT = 10
# of baskets as sentences
SENTENCES = {"window": 100, "min_count": 1}
RUNS = "baskets", "baskets popularity=0", "sentences", "sentences shrink_windows=False", "word2vec sg=1"


def read(path: Path) -> tuple[list[list[str]], list[set[str]]]:
    """Return the baskets, and the films to recommend."""
    ratings = np.loadtxt(path, dtype=np.int64)
    users: dict[int, list[str]] = {}
    for user, film, _, _ in ratings[ratings[:, 3].argsort(kind="stable")].tolist():
        users.setdefault(user, []).append(str(film))
    return [films[:-HELD_OUT] for films in users.values()], [set(films[-HELD_OUT:]) for films in users.values()]


def train(run: str, baskets: list[list[str]], seed: int) -> Any:
    """Return the vectors of a run."""
    trainer, *options = run.split()
    given: dict[str, Any] = {name: literal_eval(value) for name, value in (each.split("=") for each in options)}
    if trainer == "baskets":
        return WordRank.from_baskets(baskets, seed=seed, workers=1, **given).wv
    return {"sentences": WordRank, "word2vec": Word2Vec}[trainer](baskets, seed=seed, workers=1, **SENTENCES | given).wv


def recall(keyed: Any, baskets: list[list[str]], wanted: list[set[str]]) -> float:
    """Return the share of the wanted films that are recommended, in percent."""
    found = [{film for film, _ in keyed.most_similar(basket, topn=HELD_OUT)} for basket in baskets]
    return 100 * float(np.mean([len(one & other) / HELD_OUT for one, other in zip(found, wanted, strict=True)]))


def popularity(baskets: list[list[str]], wanted: list[set[str]]) -> float:
    """Return the recall of the films that most people have rated."""
    order = [film for film, _ in Counter(film for basket in baskets for film in basket).most_common()]
    hits = []
    for basket, films in zip(baskets, wanted, strict=True):
        seen = set(basket)
        hits.append(len(films & set([film for film in order if film not in seen][:HELD_OUT])) / HELD_OUT)
    return 100 * float(np.mean(hits))


def main() -> None:
    """Run everything; print each row when it is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ratings", type=Path, metavar="u.data")
    parser.add_argument("--runs", nargs="+", default=RUNS)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    baskets, wanted = read(options.ratings)
    print(f"most popular  recall@10 {popularity(baskets, wanted):.2f}")
    for run in options.runs:
        found, seconds = [], 0.0
        for seed in range(1, options.seeds + 1):
            started = process_time()
            keyed = train(run, baskets, seed)
            seconds += process_time() - started
            found.append(recall(keyed, baskets, wanted))
        each = ", ".join(f"{value:.2f}" for value in found)
        print(f"{run}  recall@10 {np.mean(found):.2f} ({each})  {seconds / options.seeds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
