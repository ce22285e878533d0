"""Maps of words: t-SNE of cosine distances, with labels that do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from scipy.spatial import KDTree
from threadpoolctl import threadpool_limits

from gensim_wordrank.analysis.reasons import Explainer
from gensim_wordrank.analysis.stability import TRUSTED_SHARE, Stability
from gensim_wordrank.change import Change
from gensim_wordrank.keyedvectors import unit
from gensim_wordrank.plots.documents import Figure
from gensim_wordrank.plots.spec import LABEL_HEIGHT, LETTER_WIDTH, Panel, Series, import_optional
from gensim_wordrank.types import Floats, Vectors

# t-SNE needs at least this many words
MIN_MAP_WORDS = 3
# where the nearest word of a map around one word is, if the farthest is at 1
NEAREST = 0.3
# contexts under the mouse
MAP_REASONS = 3
# of a word whose neighbours are in no resample; one that can be trusted has 1
LEAST_OPACITY = 0.25


def word_map(
    wv: KeyedVectors,
    words: Sequence[str],
    topn: int = 0,
    seed: int = 1,
    stability: Stability | None = None,
    explainer: Explainer | None = None,
) -> Figure:
    """Return a map on which words with similar vectors are close, as in Figure 3.

    Positions come from t-SNE of cosine distances. A map of one word and its neighbours has the word in the middle;
    neighbours with a higher cosine are nearer to it.

    Parameters
    ----------
    wv : KeyedVectors
        Vectors of any model.
    words : sequence of str
        Words in the vocabulary of `wv`.
    topn : int
        Number of nearest neighbours to draw for each word, in its colour. The map needs at least three words in all.
    seed : int
        Seed of t-SNE.
    stability : Stability, optional
        What :meth:`WordRank.stability <gensim_wordrank.WordRank.stability>` returned for the model of `wv`. The fewer
        resamples share the neighbours of a word, the paler it is.
    explainer : Explainer, optional
        An explainer of the same model. An HTML page then shows which contexts a neighbour shares with its word when
        the mouse is over it.

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> from gensim_wordrank.plots import word_map
    >>> model = WordRank(common_texts, vector_size=10, min_count=1, epochs=5)
    >>> sorted(word_map(model.wv, ["graph", "trees", "system"]).panels[0].series[0].labels)
    ['graph', 'system', 'trees']
    """
    groups = _neighbourhoods(wv, words, topn) if topn else {"": list(dict.fromkeys(words))}
    # zero vectors have no cosine
    groups = {name: [word for word in group if wv.get_vector(word).any()] for name, group in groups.items()}
    drawn = [word for group in groups.values() for word in group]
    if len(drawn) < MIN_MAP_WORDS:
        raise ValueError(f"'words' must hold at least three words with nonzero vectors. Got {len(drawn)} instead.")
    vectors = np.stack([wv.get_vector(word, norm=True) for word in drawn])
    labels = [str(word) for word in drawn]
    x, y = label_positions(vectors, labels, seed, around_first=len(groups) == 1 and topn > 0).T
    hover_texts, opacity = _hover_texts(vectors, labels), np.empty(0)
    if stability is not None:
        agreement = np.array(stability.agreement(drawn))
        opacity = LEAST_OPACITY + (1 - LEAST_OPACITY) * np.minimum(agreement / TRUSTED_SHARE, 1)
        shares = (f"{each:.0%} of its neighbours in a resample" for each in agreement)
        hover_texts = list(map("\n".join, zip(hover_texts, shares, strict=True)))
    if explainer is not None and topn:
        reasons = [
            "" if near == word else f"\nnear {word} because of {explainer.explain(word, near, MAP_REASONS).summary()}"
            for word, group in groups.items()
            for near in group
        ]
        hover_texts = list(map("".join, zip(hover_texts, reasons, strict=True)))
    series, start = [], 0
    for name, group in groups.items():
        part = slice(start, start + len(group))
        points = Series(str(name), x[part], y[part], labels=labels[part], hover_texts=hover_texts[part])
        series.append(replace(points, opacity=opacity[part]))
        start = part.stop
    title = f"Neighbours of {', '.join(map(str, words))}" if topn else f"{len(drawn)} words"
    return Figure(title, [Panel(series)])


def change_map(change: Change, words: Sequence[Any], topn: int = 6, seed: int = 1) -> Figure:
    """Return a map with an arrow from the position of each word in one text to its position in the other.

    Parameters
    ----------
    change : Change
        What :meth:`Change.of <gensim_wordrank.Change.of>` returned.
    words : sequence of str
        Words that changed.
    topn : int
        Number of neighbours to draw of those that each word left, and of those that it joined.
    seed : int
        Seed of t-SNE.

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import Change
    >>> from gensim_wordrank.plots import change_map
    >>> texts = {"old": common_texts * 20, "new": common_texts * 20}
    >>> change = Change.of(texts, resamples=3, vector_size=10, epochs=5)
    >>> change_map(change, ["graph"], topn=2).panels[0].series[0].labels
    ['graph (old)', 'graph (new)']
    """
    old, new = map(unit, change.vectors)
    rows = {word: change.row(word) for word in words}
    near = [each for word in rows for side in change.neighbours(word, topn) for each, *_ in side]
    others = [word for word in dict.fromkeys(near) if word not in rows]
    places = [change.row(word) for word in others]
    moved = [side[i] for i in rows.values() for side in (old, new)]
    vectors = unit(np.stack([*moved, *(old[places] + new[places])]))
    labels = [*(f"{word} ({name})" for word in rows for name in change.names), *map(str, others)]
    if len(labels) < MIN_MAP_WORDS:
        raise ValueError("'topn' must leave three words or more to draw. Raise it, or give more 'words'.")
    x, y = label_positions(vectors, labels, seed).T
    hover_texts, series = _hover_texts(vectors, labels), []
    for number, word in enumerate(rows):
        part = slice(2 * number, 2 * number + 2)
        pair = Series(str(word), x[part], y[part], labels=labels[part], hover_texts=hover_texts[part], arrows=True)
        series.append(pair)
    part = slice(2 * len(rows), None)
    series.append(Series("neighbours", x[part], y[part], labels=labels[part], hover_texts=hover_texts[part]))
    return Figure(f"From {change.names[0]} to {change.names[1]}", [Panel(series)])


def _neighbourhoods(wv: KeyedVectors, words: Iterable[str], topn: int) -> dict[str, list[str]]:
    """Return each word with its neighbours; a neighbour of several words is listed with the first."""
    groups: dict[str, list[str]] = {word: [word] for word in words}
    taken = set(groups)
    for word, group in groups.items():
        group += [near for near, _ in wv.most_similar(word, topn=topn) if near not in taken]
        taken.update(group)
    return groups


def label_positions(vectors: Vectors, labels: Sequence[str], seed: int = 1, around_first: bool = False) -> Floats:
    """Return the position of each label in inches, with overlapping labels moved apart.

    Positions are those of t-SNE of cosine distances, or all around that of the first label.
    """
    perplexity = min(15.0, (len(labels) - 1) / 3)
    TSNE = import_optional("sklearn.manifold").TSNE
    tsne = TSNE(metric="cosine", init="random", perplexity=perplexity, random_state=seed)
    with threadpool_limits(limits=1):  # for a few hundred points, more threads are slower
        positions = tsne.fit_transform(vectors).astype(np.float64)
    positions = _around_first(positions, 1 - vectors @ vectors[0]) if around_first else _spread(positions)
    size = np.array([11.0, 7.0]) * max(0.7, np.sqrt(len(labels) / 150))
    positions = _separate_labels(positions * size, np.array([len(label) + 1 for label in labels]) * LETTER_WIDTH)
    return _centred(positions) if around_first else positions


def _spread(positions: Floats) -> Floats:
    """Scale positions to 0 ... 1, and reduce the empty space between groups: each is averaged with its rank."""
    scaled = (positions - positions.min(axis=0)) / np.ptp(positions, axis=0)
    ranks = positions.argsort(axis=0).argsort(axis=0) / (len(positions) - 1)
    return np.asarray((scaled + ranks) / 2)


def _around_first(positions: Floats, distances: Floats) -> Floats:
    """Return places around the first position, in the order of their directions from it, at the given distances."""
    offsets = positions[1:] - positions[0]
    order = np.arctan2(offsets[:, 1], offsets[:, 0]).argsort().argsort()
    angles = 2 * np.pi * order / len(offsets)
    others = distances[1:]
    radii = NEAREST + (1 - NEAREST) * (others - others.min()) / max(np.ptp(others), 1e-9)
    around = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.vstack([np.zeros(2), around]) / 2


def _centred(positions: Floats) -> Floats:
    """Stretch both axes on one side of the first position so that this is in the middle."""
    offsets = positions - positions[0]
    low, high = -offsets.min(axis=0), offsets.max(axis=0)
    widest = np.maximum(low, high)
    scales = np.where(offsets < 0, widest / np.maximum(low, 1e-9), widest / np.maximum(high, 1e-9))
    return np.asarray(offsets * scales)


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


def _hover_texts(vectors: Vectors, labels: Sequence[str]) -> list[str]:
    """Return each label with its nearest labels and their cosines. The vectors have length 1."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    nearest = np.argsort(-cosines, axis=1)[:, : min(5, len(labels) - 1)]
    return [
        f"{label}: near " + ", ".join(f"{labels[i]} {row[i]:.2f}" for i in near)
        for label, row, near in zip(labels, cosines, nearest, strict=True)
    ]
