"""Where words stand on a map of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial import KDTree
from threadpoolctl import threadpool_limits

from gensim_wordrank.plots.spec import library
from gensim_wordrank.types import Floats, Vectors

# of a label, in inches: of a letter, and of a line with its point
LETTER_WIDTH, LABEL_HEIGHT = 0.085, 0.24


def places_of(vectors: Vectors, labels: Sequence[str], seed: int = 1) -> Floats:
    """Return where labels stand, in inches, on a plane that has room for all of them.

    Those whose vectors are near stand near each other: t-SNE of cosine distance, then moved as far as labels need.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.plots.layout import places_of
    >>> places_of(np.eye(4, dtype=np.float32), ["north", "east", "south", "west"]).shape
    (4, 2)
    """
    perplexity = min(15.0, (len(labels) - 1) / 3)
    TSNE = library("sklearn.manifold").TSNE
    tsne = TSNE(metric="cosine", init="random", perplexity=perplexity, random_state=seed)
    with threadpool_limits(limits=1):  # a few hundred points: threads would only wait for each other
        places = tsne.fit_transform(vectors).astype(np.float64)
    size = np.array([11.0, 7.0]) * max(1.0, np.sqrt(len(labels) / 150))
    places = (places - places.min(axis=0)) / np.ptp(places, axis=0) * size
    return _apart(places, np.array([len(label) + 1 for label in labels]) * LETTER_WIDTH)


def _apart(places: Floats, widths: Floats) -> Floats:
    """Push labels that lie over each other apart, until none does."""
    places = places.copy()
    room = np.array([widths.max(), LABEL_HEIGHT])
    for _ in range(1000):
        one, other = KDTree(places / room).query_pairs(1, p=np.inf, output_type="ndarray").T
        apart = places[one] - places[other]
        least = np.column_stack([(widths[one] + widths[other]) / 2, np.full(len(one), LABEL_HEIGHT)])
        overlap = least - np.abs(apart)
        meet = (overlap > 0).all(axis=1, keepdims=True)
        if not meet.any():
            break
        # along the axis on which less is missing, each by half and a little more, so that it comes to an end
        along = meet & np.equal(overlap, overlap.min(axis=1, keepdims=True))
        push = np.where(along, (overlap / 2 + 0.02) * np.sign(apart), 0)
        np.add.at(places, one, push)
        np.add.at(places, other, -push)
    return places
