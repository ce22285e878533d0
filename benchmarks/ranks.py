"""Seconds for the exact xi of all pairs, beside the bare product U V^T and the plain loop.

    wordrank cooccur TEXT -o PAIRS
    python benchmarks/ranks.py PAIRS [--epochs 3] [--workers 2] [--sample 20]

Trains vectors on the pairs, as the spread of the scores matters. The product is SGEMM in the tiles and on the threads
of the exact ranks; it is timed before and after them. The plain loop goes over the pairs of a sample of words: the loss
against every other context is added up pair by pair, in NumPy, from scores that are calculated once a word, or for
every pair as the paper prints it. Its time for all pairs is that of the sample times pairs over pairs of the sample,
spread over the threads. CPU seconds, of all threads together, bear a machine that is shared with others.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from gensim_wordrank import Cooccurrence, Objective, WordRank
from gensim_wordrank._utils import threads
from gensim_wordrank._utils.versions import versions
from gensim_wordrank.objective.losses import PairLoss
from gensim_wordrank.objective.ranks import TILE_BYTES
from gensim_wordrank.types import Vectors
from threadpoolctl import threadpool_limits


class Seconds(NamedTuple):
    """What something took."""

    wall: float
    cpu: float

    def times(self, factor: float) -> Seconds:
        """Return so many times as much."""
        return Seconds(self.wall * factor, self.cpu * factor)


def timed(call: Callable[[], object]) -> Seconds:
    """Call something; return what it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return Seconds(time.perf_counter() - wall, time.process_time() - cpu)


def product(words: Vectors, contexts: Vectors, workers: int) -> None:
    """Calculate all scores, tile by tile, and forget them."""
    rows = max(1, TILE_BYTES // (4 * len(contexts)))

    def one_tile(first: int) -> None:
        words[first : first + rows] @ contexts.T

    with threadpool_limits(limits=1, user_api="blas"):
        for _ in threads.parallel_map(one_tile, [(first,) for first in range(0, len(words), rows)], workers):
            pass


def plain_loop(
    sample: list[int], words: Vectors, contexts: Vectors, counts: Cooccurrence, loss: PairLoss, keep_scores: bool
) -> None:
    """Calculate the ranks of the pairs of some words by the definition."""
    with threadpool_limits(limits=1, user_api="blas"):
        for w in sample:
            scores = contexts @ words[w]
            for c in counts.indices[counts.indptr[w] : counts.indptr[w + 1]]:
                if not keep_scores:
                    scores = contexts @ words[w]
                margins = scores[c] - scores
                losses = np.maximum(0, 1 - margins) if loss is PairLoss.HINGE else np.log2(1 + np.exp2(-margins))
                losses.sum(dtype=np.float64)


def trained(counts: Cooccurrence, epochs: int, workers: int) -> tuple[Vectors, Vectors]:
    """Return vectors of words and contexts, with their bias."""
    model = WordRank.from_cooccurrence(counts, vector_size=100, epochs=epochs, workers=workers)
    counted = model.cooccurrence
    assert counted is not None
    assert np.array_equal(counted.indptr, counts.indptr), "the words of PAIRS are not in order of frequency"
    ones = np.ones((len(counts.words), 1), np.float32)
    return np.hstack([model.wv.vectors, ones]), np.hstack([model.context_vectors, model.context_bias[:, None]])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", help="a directory that 'wordrank cooccur' wrote")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sample", type=int, default=20, help="words of the plain loop")
    options = parser.parse_args()
    counts, workers = Cooccurrence.load(options.pairs), options.workers
    words, contexts = trained(counts, options.epochs, workers)
    print(f"{counts.nnz} pairs of {len(words)} words, {workers} threads, {versions()}\n")
    exact = {
        loss: (lambda loss=loss: Objective(pair_loss=loss).exact_xi(words, contexts, counts, workers))
        for loss in PairLoss
    }
    before = timed(lambda: product(words, contexts, workers))
    ours = {loss: timed(call) for loss, call in exact.items()}
    after = timed(lambda: product(words, contexts, workers))
    bare = Seconds((before.wall + after.wall) / 2, (before.cpu + after.cpu) / 2)
    print(f"{'':42} {'seconds':>9} {'CPU s':>9}")
    for name, seconds in (("SGEMM, before", before), ("SGEMM, after", after)):
        print(f"{name:42} {seconds.wall:9.1f} {seconds.cpu:9.1f}")
    for loss, mine in ours.items():
        print(f"exact xi, {loss.value:32} {mine.wall:9.1f} {mine.cpu:9.1f}   ", end="")
        print(f"{mine.wall / bare.wall:.2f} times SGEMM (CPU: {mine.cpu / bare.cpu:.2f})")
        compare_with_loop(options.sample, words, contexts, counts, loss, mine, workers)


def compare_with_loop(
    n: int, words: Vectors, contexts: Vectors, counts: Cooccurrence, loss: PairLoss, mine: Seconds, workers: int
) -> None:
    """Print what the plain loop would take for all pairs, by a sample of words that have some."""
    with_pairs = np.flatnonzero(np.diff(counts.indptr))
    sample = np.random.default_rng(1).choice(with_pairs, min(n, len(with_pairs)), replace=False).tolist()
    sampled = sum(int(counts.indptr[w + 1] - counts.indptr[w]) for w in sample)
    for keep_scores, name in ((True, "scores once a word"), (False, "scores for every pair")):
        took = timed(lambda keep=keep_scores: plain_loop(sample, words, contexts, counts, loss, keep))
        whole = took.times(counts.nnz / sampled)
        print(f"  plain loop, {name:30} {whole.wall / workers:9.0f} {whole.cpu:9.0f}   ", end="")
        print(f"{whole.wall / workers / mine.wall:.0f} times ours (CPU: {whole.cpu / mine.cpu:.0f})")


if __name__ == "__main__":
    main()
