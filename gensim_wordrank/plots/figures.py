"""The pictures there are: rank losses, the loss of every epoch, quality against its cost, and words in the plane."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gensim.models import KeyedVectors

from gensim_wordrank._utils import atomic_files
from gensim_wordrank.objective.losses import RankLoss
from gensim_wordrank.plots import matplotlib, plotly
from gensim_wordrank.plots.layout import places_of
from gensim_wordrank.plots.spec import Panel, Picture, Series
from gensim_wordrank.types import Floats, Vectors

WRITERS = {".html": plotly.write, ".png": matplotlib.write, ".svg": matplotlib.write, ".pdf": matplotlib.write}
FORMULAS = {
    RankLoss.IDENTITY: "ρ₀(x) = x",
    RankLoss.LOG: "ρ₁(x) = log₂(1 + x)",
    RankLoss.DCG: "ρ₂(x) = 1 - 1 / log₂(2 + x)",
    RankLoss.LOG_T: "ρ₃(x) = (x^(1-t) - 1) / (1 - t), t = 1.5",
}
# the paper's alpha and beta
SCALES = ((1, 0), (10, 9), (100, 99))
# words on a map
FEWEST = 3
# what quality is drawn against: its name, and what does not change along a curve
COSTS = {"seconds": ("seconds, text to vectors", "tokens"), "tokens": ("tokens of the corpus", "epochs")}


def save(picture: Picture, path: str | os.PathLike[str]) -> None:
    """Write a picture to a file.

    Parameters
    ----------
    picture : Picture
        What the other functions of this module return.
    path : str or path
        A name ending in .png, .svg, .pdf, or .html: a page with zoom, and search for words, that needs no network.

    Examples
    --------
    >>> import os, tempfile
    >>> from gensim_wordrank.plots.figures import loss_functions, save
    >>> place = tempfile.mkdtemp()
    >>> save(loss_functions(), os.path.join(place, "losses.html"))
    >>> os.listdir(place)
    ['losses.html']
    """
    write = atomic_files.select_writer(path, WRITERS)
    atomic_files.write_atomically(path, lambda name: write(picture, name))


def loss_functions() -> Picture:
    """Return Figure 1 of the paper: the four rank losses, and the logarithmic one with other alpha and beta.

    Examples
    --------
    >>> from gensim_wordrank.plots.figures import loss_functions
    >>> [len(panel.series) for panel in loss_functions().panels]
    [4, 4]
    """
    x = np.linspace(0, 10, 501)[1:]  # rho_3(0) is minus infinity
    losses = [Series(formula, x, loss.value_at(x)) for loss, formula in FORMULAS.items()]
    ranks = np.linspace(0, 100, 501)
    scaled = [
        Series(f"ρ₁ with α = {alpha}, β = {beta}", ranks, RankLoss.LOG.value_at((ranks + beta) / alpha))
        for alpha, beta in SCALES
    ]
    identity = Series("ρ₀, α = 1, β = 0", ranks, RankLoss.IDENTITY.value_at(ranks))
    return Picture(
        "Rank losses",
        [
            Panel(losses, "(a) ρ(x)", "x", "loss", y_range=(-2, 10)),
            Panel([identity, *scaled], "(b) ρ((x + β) / α)", "rank x", "loss", y_range=(0, 8)),
        ],
    )


def loss_curves(losses: Mapping[str, Sequence[float]]) -> Picture:
    """Return the loss of every epoch of one model or more.

    Parameters
    ----------
    losses : mapping of str to sequence of float
        The `training_losses` of models, by their names; models without are left out.

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> from gensim_wordrank.plots.figures import loss_curves
    >>> model = WordRank(common_texts, vector_size=10, min_count=1, epochs=5)
    >>> loss_curves({"toy": model.training_losses}).panels[0].series[0].x.tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0]
    """
    curves = [
        Series(name, np.arange(1.0, len(values) + 1), np.array(values), marked=True)
        for name, values in losses.items()
        if len(values)
    ]
    if not curves:
        raise ValueError("'losses' holds no loss of an epoch. Train a WordRank model, and give its training_losses.")
    title = "Training loss" if len(curves) > 1 else f"Training loss of {curves[0].name}"
    return Picture(title, [Panel(curves, x_name="epoch", y_name="objective J, estimated")])


def quality_curves(results: Iterable[Mapping[str, Any]], scores: Sequence[str]) -> Picture:
    """Return scores against seconds and, where texts of several sizes were learnt, against their tokens.

    Parameters
    ----------
    results : iterable of mapping
        One for each training: "run", the name of its curve, "seconds", its scores and, if they differ, "epochs" and
        "tokens". Those that differ in nothing else (but a seed) become a point at their mean, with bars from the lowest
        to the highest.
    scores : sequence of str
        Which scores to draw, a panel each.

    Examples
    --------
    >>> from gensim_wordrank.plots.figures import quality_curves
    >>> results = [{"run": "WordRank", "epochs": n, "seconds": 3 * n, "WS-353": 60 + n / 2} for n in (5, 10)]
    >>> quality_curves(results, ["WS-353"]).panels[0].series[0].y.tolist()
    [62.5, 65.0]
    """
    rows = list(results)
    if not rows:
        raise ValueError("'results' is empty: there is nothing to draw.")
    costs = [cost for cost in COSTS if cost == "seconds" or len(_values(rows, cost)) > 1]
    panels = [
        Panel(_curves(rows, score, cost), x_name=COSTS[cost][0], y_name=score, log_x=True)
        for cost in costs
        for score in scores
    ]
    return Picture("Quality", panels)


def _curves(rows: Sequence[Mapping[str, Any]], score: str, cost: str) -> list[Series]:
    """Return a curve for each run, and each value of what does not change along it."""
    held = COSTS[cost][1]
    several = len(_values(rows, held)) > 1
    curves = []
    for run, value in dict.fromkeys((row["run"], row.get(held)) for row in rows):
        points = _means([row for row in rows if (row["run"], row.get(held)) == (run, value)], score, cost)
        shown = "" if value is None or not several else f", {value:,} {held}"
        curves.append(Series(f"{run}{shown}", *points, marked=True))
    return curves


def _means(rows: Sequence[Mapping[str, Any]], score: str, cost: str) -> tuple[Floats, Floats, Floats, Floats]:
    """Return cost, mean, lowest and highest score of runs that differ in their seed only, by rising cost."""
    repeats: dict[Any, list[tuple[float, float]]] = {}
    for row in rows:
        repeats.setdefault((row.get("epochs"), row.get("tokens")), []).append((row[cost], row[score]))
    groups = [np.array(group, np.float64) for group in repeats.values()]
    points = sorted((*group.mean(axis=0), group[:, 1].min(), group[:, 1].max()) for group in groups)
    x, y, low, high = np.array(points).T
    return x, y, low, high


def _values(rows: Iterable[Mapping[str, Any]], column: str) -> set[Any]:
    return {row.get(column) for row in rows}


def word_map(keyed: KeyedVectors, words: Sequence[str], topn: int = 0, seed: int = 1) -> Picture:
    """Return words in the plane, near where their vectors are near (t-SNE of cosine distance), as in Figure 3.

    Parameters
    ----------
    keyed : KeyedVectors
        Vectors of any model.
    words : sequence of str
        Words that `keyed` knows.
    topn : int
        How many neighbours of each to draw with it, in its colour. There must be three words or more in all.
    seed : int
        Of t-SNE.

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> from gensim_wordrank.plots.figures import word_map
    >>> model = WordRank(common_texts, vector_size=10, min_count=1, epochs=5)
    >>> sorted(word_map(model.wv, ["graph", "trees", "system"]).panels[0].series[0].labels)
    ['graph', 'system', 'trees']
    """
    groups = _neighbourhoods(keyed, words, topn) if topn else {"": list(dict.fromkeys(words))}
    # a vector of zeros has no direction
    groups = {name: [word for word in group if keyed.get_vector(word).any()] for name, group in groups.items()}
    drawn = [word for group in groups.values() for word in group]
    if len(drawn) < FEWEST:
        raise ValueError(f"'words' must hold at least three words with a direction. Got {len(drawn)} instead.")
    vectors = np.stack([keyed.get_vector(word, norm=True) for word in drawn])
    labels = [str(word) for word in drawn]
    x, y = places_of(vectors, labels, seed).T
    notes = _notes(vectors, labels)
    ends = np.cumsum([len(group) for group in groups.values()])
    parts = [slice(end - len(group), end) for end, group in zip(ends, groups.values(), strict=True)]
    series = [
        Series(str(name), x[part], y[part], labels=labels[part], notes=notes[part])
        for name, part in zip(groups, parts, strict=True)
    ]
    title = f"Neighbours of {', '.join(map(str, words))}" if topn else f"{len(drawn)} words"
    return Picture(title, [Panel(series)])


def _neighbourhoods(keyed: KeyedVectors, words: Iterable[str], topn: int) -> dict[str, list[str]]:
    """Return each word with its neighbours; one that is near several stands with the first."""
    groups: dict[str, list[str]] = {word: [word] for word in words}
    taken = set(groups)
    for word, group in groups.items():
        group += [near for near, _ in keyed.most_similar(word, topn=topn) if near not in taken]
        taken.update(group)
    return groups


def _notes(vectors: Vectors, labels: Sequence[str]) -> list[str]:
    """Return for each label those with the greatest cosines, of vectors of length 1."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    nearest = np.argsort(-cosines, axis=1)[:, : min(5, len(labels) - 1)]
    return [
        f"{label}: near " + ", ".join(f"{labels[i]} {row[i]:.2f}" for i in near)
        for label, row, near in zip(labels, cosines, nearest, strict=True)
    ]
