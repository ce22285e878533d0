"""Texts and random training problems."""

from pathlib import Path

import numpy as np
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess
from gensim_wordrank import WordRank
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from scipy.sparse import random as random_sparse


def lee_corpus():
    """Return the 300 news stories of the Lee corpus, which comes with gensim, as token lists."""
    with Path(datapath("lee_background.cor")).open(encoding="utf-8") as lines:
        return [simple_preprocess(line) for line in lines]


def make_problem(n_words, n_contexts, size, seed, density=0.3, scale=1.0):
    """Return random U, V and counts; the first word has no pairs."""
    random = np.random.default_rng(seed)
    words = (random.standard_normal((n_words, size)) * scale).astype(np.float32)
    contexts = (random.standard_normal((n_contexts, size)) * scale).astype(np.float32)
    counts = random_sparse(n_words, n_contexts, density, "csr", np.float32, random_state=seed)
    counts.data[:] = random.exponential(30, counts.nnz) + 0.01
    if n_words > 1:
        counts = counts.multiply(np.arange(n_words)[:, None] > 0)
    return words, contexts, Cooccurrence.from_matrix(counts)


def write_wordrank(pairs, place):
    """Write counts in the format of the paper's authors: meta file, pairs as text, and vocabulary."""
    rows, columns = pairs.matrix.nonzero()
    lines = [f"{r + 1} {c + 1} {v:f}\n" for r, c, v in zip(rows, columns, pairs.data, strict=True)]
    (place / "wiki.toy").write_text("".join(lines))
    (place / "vocab.txt").write_text("".join(f"{word}\n" for word in pairs.words))
    n = len(pairs.words)
    (place / "meta").write_text(f"{n} {n}\n{len(lines)} wiki.toy\n{n} vocab.txt\n")


SETTINGS = {"vector_size": 16, "min_count": 1, "epochs": 4, "workers": 2}


def train_vectors(sentences, seed=1):
    """Train a small model and return the bytes of its vectors."""
    return WordRank(sentences, seed=seed, **SETTINGS).wv.vectors.tobytes()
