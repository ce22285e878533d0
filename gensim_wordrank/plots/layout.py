"""Place words on a map so that similar words are close and labels do not overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial import KDTree
from threadpoolctl import threadpool_limits

from gensim_wordrank.plots.spec import import_optional
from gensim_wordrank.types import Floats, Vectors

# inches per letter, and per label with its point
LETTER_WIDTH, LABEL_HEIGHT = 0.085, 0.24


def label_positions(vectors: Vectors, labels: Sequence[str], seed: int = 1) -> Floats:
    """Return the position of each label in inches: t-SNE of cosine distances, with overlapping labels moved apart."""
    perplexity = min(15.0, (len(labels) - 1) / 3)
    TSNE = import_optional("sklearn.manifold").TSNE
    tsne = TSNE(metric="cosine", init="random", perplexity=perplexity, random_state=seed)
    with threadpool_limits(limits=1):  # for a few hundred points, more threads are slower
        positions = tsne.fit_transform(vectors).astype(np.float64)
    size = np.array([11.0, 7.0]) * max(1.0, np.sqrt(len(labels) / 150))
    positions = (positions - positions.min(axis=0)) / np.ptp(positions, axis=0) * size
    return _separate_labels(positions, np.array([len(label) + 1 for label in labels]) * LETTER_WIDTH)


def _separate_labels(positions: Floats, widths: Floats) -> Floats:
    """Push overlapping labels apart until none overlap."""
    positions = positions.copy()
    largest = np.array([widths.max(), LABEL_HEIGHT])
    for _ in range(1000):
        i, j = KDTree(positions / largest).query_pairs(1, p=np.inf, output_type="ndarray").T
        offset = positions[i] - positions[j]
        needed = np.column_stack([(widths[i] + widths[j]) / 2, np.full(len(i), LABEL_HEIGHT)])
        overlap = needed - np.abs(offset)
        overlaps = (overlap > 0).all(axis=1, keepdims=True)
        if not overlaps.any():
            break
        # move both labels by half of the smaller overlap, and a little more so that the loop ends
        axis = overlaps & np.equal(overlap, overlap.min(axis=1, keepdims=True))
        shift = np.where(axis, (overlap / 2 + 0.02) * np.sign(offset), 0)
        np.add.at(positions, i, shift)
        np.add.at(positions, j, -shift)
    return positions
