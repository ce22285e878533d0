"""How rare the neighbours of frequent words are, with and without rare words in the vocabulary.

    python benchmarks/rare_neighbours.py TEXT... [--evaluation DIR] [--min-count 1 5] [--seeds 1] [--word2vec]

Prints one line per text, trainer, min_count and seed. "rare" is the share of words that occur once or twice among the
ten nearest neighbours of the words ranked 100 to 400. DIR holds ws353.tsv, men3000.tsv, mturk287.tsv, simlex999.tsv and
google-questions.txt; similarity is scored by u, analogies by u + v. Pairs with unknown words score 0, and questions
with unknown words count as wrong.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

import measure
import numpy as np
from gensim.models import KeyedVectors, Word2Vec
from gensim_wordrank import WordRank
from gensim_wordrank.evaluation import analogies, read_analogies, read_similarity, similarity
from gensim_wordrank.keyedvectors import unit

NAMES = ("WS-353", "MEN", "MTurk-287", "SimLex-999")
QUERIES, N_NEIGHBOURS, RARE = slice(100, 400), 10, 2


def rare_share(keyed: KeyedVectors) -> float:
    """Return the share of rare words, in percent, among the nearest neighbours of frequent words."""
    vectors, counts = unit(keyed.vectors), keyed.expandos["count"]
    cosines = vectors[QUERIES] @ vectors.T
    rows = np.arange(len(cosines))
    cosines[rows, rows + QUERIES.start] = -np.inf
    nearest = np.argpartition(-cosines, N_NEIGHBOURS, axis=1)[:, :N_NEIGHBOURS]
    return 100 * float((counts[nearest] <= RARE).mean())


def scores(words: KeyedVectors, sums: KeyedVectors, evaluation: Path) -> dict[str, float]:
    """Return 100 times each score."""
    result = {name: similarity(words, read_similarity(evaluation / measure.SETS[name])).value for name in NAMES}
    result["Google"] = analogies(sums, read_analogies(evaluation / measure.ANALOGIES)).value
    return {name: 100 * value for name, value in result.items()}


def run(trainer: str, text: Path, min_count: int, seed: int, evaluation: Path | None) -> dict[str, Any]:
    """Train one model and score it."""
    started, options = process_time(), {"corpus_file": str(text), "min_count": min_count, "seed": seed, "workers": 1}
    if trainer == "wordrank":
        model = WordRank(**options)
        sums = model.vectors("sum")
    else:
        model = Word2Vec(**options, sg=1, window=15)
        sums = model.wv
    row = {"words": len(model.wv), "seconds": process_time() - started, "rare": rare_share(model.wv)}
    return row if evaluation is None else row | scores(model.wv, sums, evaluation)


def main() -> None:
    """Run everything; print each row when it is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path, nargs="+", metavar="TEXT")
    parser.add_argument("--evaluation", type=Path)
    parser.add_argument("--min-count", type=int, nargs="+", default=[1, 5])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--word2vec", action="store_true")
    options = parser.parse_args()
    trainers = ["wordrank", "word2vec"] if options.word2vec else ["wordrank"]
    for text, trainer, min_count, seed in product(options.texts, trainers, options.min_count, options.seeds):
        row = run(trainer, text, min_count, seed, options.evaluation)
        values = "  ".join(f"{name} {value:.1f}" for name, value in row.items())
        print(f"{text.name}  {trainer}  min_count {min_count}  seed {seed}  {values}", flush=True)


if __name__ == "__main__":
    main()
