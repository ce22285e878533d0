"""Where training starts: vectors from the largest singular values of the strongest pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, svd
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from gensim_wordrank.cooccurrence import Cooccurrence
from gensim_wordrank.ranks import Vectors
from gensim_wordrank.state import start_vectors

# share of the pairs that are looked at, the strongest: they hold most of what the singular vectors tell
STRONG_SHARE = 0.08
# pairs that tell which counts are strong
SAMPLE = 100_000
# pairs that are read at a time
PAIRS_AT_ONCE = 1 << 20
# frequent contexts are less surprising than their frequency says (Levy, Goldberg and Dagan, 2015)
SMOOTHING = 0.75
# |start vector|, about two thirds of what it is after training: one that can still turn
SPECTRAL_LENGTH = 2.0
# with fewer words, most of the singular vectors are noise, which is harder to unlearn than a random start
FEWEST_WORDS = 10_000


def spectral_start(counts: Cooccurrence, size: int, seed: int) -> tuple[Vectors, Vectors]:
    """Return U and V to start from: directions from singular vectors of the strongest pairs, beside short random ones.

    U V^T has the largest singular values of their positive pointwise mutual information, by one round of randomised
    subspace iteration (Halko, Martinsson and Tropp, 2011), shared evenly by U and V; then each row gets the same
    length. A row without a strong pair is short and random, and so are all in a small vocabulary.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.cooccurrence import Cooccurrence
    >>> from gensim_wordrank.spectral import spectral_start
    >>> words, contexts = spectral_start(Cooccurrence.from_matrix(np.ones((3, 3))), size=4, seed=1)
    >>> words.shape, contexts.shape
    ((3, 4), (3, 4))
    """
    directions = [np.empty((n, 0), np.float32) for n in counts.shape]
    if counts.nnz and min(counts.shape) >= FEWEST_WORDS:
        # BLAS on one thread: the same bytes, however many threads it has on this machine
        with threadpool_limits(limits=1, user_api="blas"):
            directions = _factors(strong_pmi(counts), size, seed)
    words, contexts = (_beside_random(found, size, seed, part) for part, found in enumerate(directions))
    return words, contexts


def strong_pmi(counts: Cooccurrence) -> csr_matrix:
    """Return max(0, log(X_wc / (X p_w p_c))) of the strongest pairs; X is the sum, p are shares, p_c smoothed."""
    least = np.quantile(counts.data[:: max(1, counts.nnz // SAMPLE)], 1 - STRONG_SHARE)
    parts = range(0, counts.nnz, PAIRS_AT_ONCE)
    strong = np.concatenate([at + np.flatnonzero(counts.data[at : at + PAIRS_AT_ONCE] >= least) for at in parts])
    columns, indptr = counts.indices[strong], np.searchsorted(strong, counts.indptr)
    sums = counts.context_sums()
    pmi = counts.data[strong] / np.float32(sums.sum())
    pmi /= _shares(sums**SMOOTHING)[columns]
    pmi /= np.repeat(_shares(counts.counts), np.diff(indptr))
    np.maximum(np.log(pmi, out=pmi), 0, out=pmi)
    return csr_matrix((pmi, columns, indptr), shape=counts.shape)


def _shares(masses: NDArray[np.number]) -> Vectors:
    """Return what each is of their sum; nothing is 0, as it will divide."""
    return np.asarray(np.maximum(masses / masses.sum(), np.finfo(np.float32).tiny), dtype=np.float32)


def _factors(matrix: csr_matrix, size: int, seed: int) -> list[Vectors]:
    """Return A and B with up to `size` columns, A B^T near the matrix, singular values shared evenly."""
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(4,)))
    basis = _orthonormal(matrix @ random.standard_normal((matrix.shape[1], min(size, *matrix.shape)), np.float32))
    basis = _orthonormal(matrix @ _orthonormal(matrix.T @ basis))
    right, values, turn = svd(matrix.T @ basis, full_matrices=False, overwrite_a=True)
    right *= np.sqrt(values)
    return [basis @ (turn.T * np.sqrt(values)), right]


def _orthonormal(vectors: Vectors) -> Vectors:
    basis: Vectors = qr(vectors, mode="economic", overwrite_a=True)[0]
    return basis


def _beside_random(directions: Vectors, size: int, seed: int, part: int) -> Vectors:
    """Return short random vectors, to which the directions are added, each scaled to the same length unless it is 0."""
    start = start_vectors(len(directions), size, seed, part)
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    directions *= np.divide(SPECTRAL_LENGTH, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    start[:, : directions.shape[1]] += directions
    return start
