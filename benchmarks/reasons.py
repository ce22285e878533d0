"""Measure whether the contexts that `explain` names are what makes words near.

    python benchmarks/reasons.py TEXT [--tokens N]

For pairs of a random word and its nearest neighbour, the counts of both with the five contexts that add most are
removed, and a model is trained on what remains. The fall of the cosines is compared with that for five other shared
contexts of each pair, drawn at random, and with that of another seed.
"""

from __future__ import annotations

import argparse

import numpy as np
from gensim_wordrank import Cooccurrence, WordRank
from gensim_wordrank.analysis.reasons import Explainer
from smart_open import open

N_PAIRS, N_CONTEXTS = 100, 5


def read(path: str, n_tokens: int) -> list[list[str]]:
    """Return the sentences at the beginning of a text."""
    sentences: list[list[str]] = []
    size = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            sentences.append(line.split())
            size += len(sentences[-1])
            if size >= n_tokens:
                break
    return sentences


def without(counts: Cooccurrence, pairs: list[tuple[str, str]]) -> Cooccurrence:
    """Return the counts without some pairs of words, in both directions."""
    number = {word: i for i, word in enumerate(counts.words)}
    matrix = counts.matrix.tolil()
    for one, other in pairs:
        matrix[number[one], number[other]] = matrix[number[other], number[one]] = 0
    return Cooccurrence.from_matrix(matrix.tocsr(), counts.words, counts.counts)


def main() -> None:
    """Print the mean cosines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text")
    parser.add_argument("--tokens", type=float, default=1e6)
    options = parser.parse_args()
    model = WordRank(read(options.text, int(options.tokens)), workers=2)
    counts, explainer = model.cooccurrence, Explainer(model)
    random = np.random.default_rng(0)
    chosen = random.permutation(model.wv.index_to_key[:3000])[:N_PAIRS].tolist()
    pairs = [(word, model.wv.most_similar(word, topn=1)[0][0]) for word in chosen]
    best, others = [], []
    for one, other in pairs:
        contexts = [each.context for each in explainer.explain(one, other, topn=10**6).contexts]
        picked = random.permutation(contexts[N_CONTEXTS:])[:N_CONTEXTS].tolist()
        for removed, names in ((best, contexts[:N_CONTEXTS]), (others, picked)):
            removed += [(word, name) for word in (one, other) for name in names]
    for title, left, seed in (
        ("the model", counts, 1), ("another seed", counts, 2), ("without the five contexts that add most",
        without(counts, best), 1), ("without five others", without(counts, others), 1),
    ):  # fmt: skip
        wv = WordRank.from_cooccurrence(left, workers=2, seed=seed).wv
        print(f"{title}: {np.mean([wv.similarity(*pair) for pair in pairs]):.3f}", flush=True)


if __name__ == "__main__":
    main()
