"""How much memory training will need."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gensim_wordrank._sampled import ROW_FLOATS
from gensim_wordrank.objective.ranks import TILE_BYTES
from gensim_wordrank.training.partition import COUNT_BYTES, SAMPLED_SHARE, number_of_blocks
from gensim_wordrank.types import Solver

# A text has about this share of the pairs that independent words would have, because it repeats itself:
# 0.79 to 0.88 on 58 thousand to 17 million words of news and Wikipedia, windows of 5 and 15.
SHARE_OF_INDEPENDENT_PAIRS = 0.82
# a string, its entries in a dict and a list, its count
BYTES_PER_WORD = 250
FLOAT, ID, COLUMN, OFFSET = 4, 4, 4, 8
# what each thread reads and splits at a time, and its malloc arena keeps
READ_AHEAD = 2 << 20
# late imports, stacks of threads, the log: what even the smallest text takes
FIXED_BYTES = 5 << 19
# malloc may keep freed memory up to this size
KEPT_BY_MALLOC = 4 << 20


def expected_pairs(counts: ArrayLike, sentence_length: float, window: int, symmetric: bool = True) -> int:
    """Estimate the number of different pairs of a text from the counts of its words.

    Examples
    --------
    >>> from gensim_wordrank.training.memory_estimate import expected_pairs
    >>> expected_pairs([10] * 1000, sentence_length=20.0, window=5)
    66819
    """
    counts = np.sort(np.asarray(counts, np.float64))[::-1]
    if not len(counts):
        return 0
    distances = np.arange(1, 1 + min(window, np.ceil(min(max(sentence_length, 1.0), counts.sum()))))
    neighbours = (2 if symmetric else 1) * np.clip(1 - distances / max(sentence_length, 1.0), 0, None).sum()
    # words of similar frequency are grouped: 200 x 200 pairs of groups instead of |W||C| pairs of words
    edges = np.unique(np.geomspace(1, len(counts) + 1, 200).astype(np.int64)) - 1
    sizes = np.diff(edges)
    counts = np.add.reduceat(counts, edges[:-1]) / sizes
    # the probability that a pair occurs, if words are independent
    probabilities = -np.expm1(-neighbours * np.outer(counts, counts) / max((sizes * counts).sum(), 1.0))
    # not a matrix product: BLAS aborts the process when there is no memory for its buffers
    return int(SHARE_OF_INDEPENDENT_PAIRS * (np.outer(sizes, sizes) * probabilities).sum())


def epoch_memory(n_words: int, n_pairs: int, size: int, solver: Solver, workers: int) -> int:
    """Return the bytes that an epoch needs in addition to the vectors and the counts."""
    if solver is not Solver.TRIPLET:
        # both matrices in blocks, a few numbers per word, and the sampled pairs; the latter are gone when each thread
        # copies a block to sort it, and later moves as many rows into the new matrices
        padded, n_blocks = -(-(size + 1) // ROW_FLOATS) * ROW_FLOATS, number_of_blocks(n_words)
        sampled = int(SAMPLED_SHARE * COUNT_BYTES * n_pairs)
        moved = min(workers, n_blocks) * FLOAT * n_words * padded // n_blocks
        # stored xi, those of the sampled pairs, and per thread a tile of scores for the exact ranks
        stored = FLOAT * n_pairs + sampled + workers * min(TILE_BYTES, FLOAT * n_words**2)
        return n_words * (FLOAT * 2 * padded + 40) + max(sampled, moved) + stored * (solver is Solver.STORED)
    # copies of both matrices, weights and xi of the pairs, and per thread a tile of scores for the exact ranks
    return 2 * FLOAT * (n_words * size + n_pairs) + workers * min(TILE_BYTES, FLOAT * n_words**2)


def training_memory(
    n_words: int, n_pairs: int, n_tokens: int, size: int, solver: Solver, workers: int
) -> dict[str, int]:
    """Return the bytes of each part of the memory when training needs most of it.

    "workspace" is the larger of what counting needs beside the counts and what an epoch needs beside the vectors,
    together with what the process keeps of the memory that reading the text took.

    Examples
    --------
    >>> from gensim_wordrank.training.memory_estimate import training_memory
    >>> from gensim_wordrank.types import Solver
    >>> parts = training_memory(68_354, 60_400_000, 17_005_207, 100, Solver.SAMPLED, workers=2)
    >>> {name: f"{n / 1e6:.0f} MB" for name, n in parts.items()}["cooccurrence"]
    '484 MB'
    """
    epoch = epoch_memory(n_words, n_pairs, size, solver, workers)
    text = 2 * ID * n_tokens  # once with the ids of all words, once with those of the vocabulary
    reading = min(workers * READ_AHEAD, text)
    return {
        "vocab": BYTES_PER_WORD * n_words,
        "vectors": FLOAT * n_words * size,
        "context_vectors": FLOAT * n_words * size,
        "cooccurrence": (FLOAT + COLUMN) * n_pairs + OFFSET * n_words,
        "workspace": max(text, epoch + min(text, KEPT_BY_MALLOC)) + reading + FIXED_BYTES,
    }


def zipf_counts(n_words: int, min_count: int) -> NDArray[np.float64]:
    """Return the word counts of a usual text by Zipf's law, in which the rarest word is as rare as allowed."""
    return max(min_count, 1) * n_words / np.arange(1, n_words + 1)
