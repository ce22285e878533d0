"""The figures: rank losses, training losses, scores, and quality against cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gensim_wordrank.evaluation.scores import Score
from gensim_wordrank.objective.losses import RankLoss
from gensim_wordrank.plots.documents import Figure
from gensim_wordrank.plots.spec import Panel, Series
from gensim_wordrank.types import Floats

FORMULAS = {
    RankLoss.IDENTITY: "ρ₀(x) = x",
    RankLoss.LOG: "ρ₁(x) = log₂(1 + x)",
    RankLoss.DCG: "ρ₂(x) = 1 - 1 / log₂(2 + x)",
    RankLoss.LOG_T: "ρ₃(x) = (x^(1-t) - 1) / (1 - t), t = 1.5",
}
# the paper's alpha and beta
SCALES = ((1, 0), (10, 9), (100, 99))
# x-axis of quality curves: its label, and the column that is constant along a curve
COSTS = {"seconds": ("seconds, text to vectors", "tokens"), "tokens": ("tokens of the corpus", "epochs")}
# titles of the panels of score bars, and units
KINDS = {"similarity": ("Similarity", "100 x Spearman's correlation"), "analogy": ("Analogies", "% correct")}
# of the space between two test sets
BARS_SHARE = 0.8


def loss_functions() -> Figure:
    """Return Figure 1 of the paper: the four rank losses, and the logarithmic loss for several alpha and beta.

    Examples
    --------
    >>> from gensim_wordrank.plots import loss_functions
    >>> [len(panel.series) for panel in loss_functions().panels]
    [4, 4]
    """
    x = np.linspace(0, 10, 501)[1:]  # rho_3(0) is minus infinity
    losses = [Series(formula, x, loss.value_at(x)) for loss, formula in FORMULAS.items()]
    ranks = np.linspace(0, 100, 501)
    scaled = [Series("ρ₀, α = 1, β = 0", ranks, RankLoss.IDENTITY.value_at(ranks))]
    for alpha, beta in SCALES:
        values = RankLoss.LOG.value_at((ranks + beta) / alpha)
        scaled.append(Series(f"ρ₁ with α = {alpha}, β = {beta}", ranks, values))
    left = Panel(losses, "(a) ρ(x)", "x", "loss", y_range=(-2, 10))
    right = Panel(scaled, "(b) ρ((x + β) / α)", "rank x", "loss", y_range=(0, 8))
    return Figure("Rank losses", [left, right])


def loss_curves(losses: Mapping[str, Sequence[float]], objectives: Mapping[str, object] | None = None) -> Figure:
    """Return the loss after each epoch for one or more models.

    Parameters
    ----------
    losses : mapping of str to sequence of float
        `training_losses` of each model, by name. Models without losses are left out.
    objectives : mapping of str to object, optional
        What the loss of each model depends on. Models with different values have separate panels, because their losses
        cannot be compared. By default, all losses share one panel.

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> from gensim_wordrank.plots import loss_curves
    >>> model = WordRank(common_texts, vector_size=10, min_count=1, epochs=5)
    >>> loss_curves({"toy": model.training_losses}).panels[0].series[0].x.tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0]
    """
    found: list[tuple[object, list[Series]]] = []
    for name, values in losses.items():
        if not len(values):
            continue
        curve = Series(name, np.arange(1.0, len(values) + 1), np.array(values), markers=True)
        objective = objectives[name] if objectives else None
        same = next((curves for other, curves in found if other == objective), None)
        if same is None:
            found.append((objective, [curve]))
        else:
            same.append(curve)
    if not found:
        raise ValueError("'losses' must hold the losses of a model. Pass the training_losses of a WordRank.")
    names = [[curve.name for curve in curves] for _, curves in found]
    title = f"Training loss of {names[0][0]}" if names == [names[0][:1]] else "Training loss"
    titles = [each[0] if len(found) > 1 and len(each) == 1 else "" for each in names]
    panels = [
        Panel(curves, panel_title, x_label="epoch", y_label="objective J, estimated")
        for panel_title, (_, curves) in zip(titles, found, strict=True)
    ]
    return Figure(title, panels)


def score_bars(names: Sequence[str], scores: Sequence[Sequence[Score]]) -> Figure:
    """Return the scores of one or more models as bars with their 95% intervals.

    Parameters
    ----------
    names : sequence of str
        The names of the models.
    scores : sequence of sequence of Score
        The scores of each model on the same test sets. Similarity and analogies have separate panels.

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> from gensim_wordrank.evaluation import bundled_sets, evaluate
    >>> from gensim_wordrank.plots import score_bars
    >>> model = WordRank(common_texts, vector_size=10, min_count=1, epochs=5)
    >>> [panel.y_names for panel in score_bars(["toy"], [evaluate(model.wv, bundled_sets())]).panels]
    [['wordsim353', 'simlex999'], ['questions-words']]
    """
    panels = []
    for kind, (title, unit) in KINDS.items():
        of_kind = [[score for score in each if score.kind == kind] for each in scores]
        if of_kind and of_kind[0]:
            sets = [score.name for score in of_kind[0]]
            panels.append(Panel(_bars(names, of_kind), title, x_label=unit, y_names=sets))
    if not panels:
        raise ValueError("'scores' must hold the scores of at least one test set.")
    return Figure("Scores with 95% intervals", panels)


def _bars(names: Sequence[str], scores: Sequence[Sequence[Score]]) -> list[Series]:
    """Return a series of bars per model, which are side by side for each test set."""
    height, series = BARS_SHARE / len(names), []
    for number, (name, found) in enumerate(zip(names, scores, strict=True)):
        values = np.array([(score.value, *score.interval()) for score in found], np.float64)
        value, low, high = (100 * values).T
        y = np.arange(float(len(found))) + height * (number - (len(names) - 1) / 2)
        series.append(Series(name, value, y, low, high, bar_height=height))
    return series


def quality_curves(results: Iterable[Mapping[str, Any]], scores: Sequence[str]) -> Figure:
    """Return scores against training time and, if the corpora differ in size, against their number of tokens.

    Parameters
    ----------
    results : iterable of mapping
        One per training run, with the keys "run" (the name of its curve), "seconds", its scores and, if they vary,
        "epochs" and "tokens". Runs that differ only in their seed become one point at their mean, with an error
        bar from the lowest to the highest score.
    scores : sequence of str
        The scores to draw, one per panel.

    Examples
    --------
    >>> from gensim_wordrank.plots import quality_curves
    >>> results = [{"run": "WordRank", "epochs": n, "seconds": 3 * n, "WS-353": 60 + n / 2} for n in (5, 10)]
    >>> quality_curves(results, ["WS-353"]).panels[0].series[0].y.tolist()
    [62.5, 65.0]
    """
    rows = list(results)
    if not rows:
        raise ValueError("'results' must hold at least one training run.")
    costs = [cost for cost in COSTS if cost == "seconds" or _varies(rows, cost)]
    panels = [
        Panel(_curves(rows, score, cost), x_label=COSTS[cost][0], y_label=score, log_x=True)
        for cost in costs
        for score in scores
    ]
    return Figure("Quality", panels)


def _curves(rows: Sequence[Mapping[str, Any]], score: str, cost: str) -> list[Series]:
    """Return one curve per run name and value of the column that is constant along a curve."""
    constant = COSTS[cost][1]
    is_named = _varies(rows, constant)
    curves = []
    for run, value in dict.fromkeys((row["run"], row.get(constant)) for row in rows):
        points = _means([row for row in rows if (row["run"], row.get(constant)) == (run, value)], score, cost)
        suffix = f", {value:,} {constant}" if is_named and value is not None else ""
        curves.append(Series(f"{run}{suffix}", *points, markers=True))
    return curves


def _means(rows: Sequence[Mapping[str, Any]], score: str, cost: str) -> tuple[Floats, Floats, Floats, Floats]:
    """Return cost and the mean, lowest and highest score of runs that differ only in their seed, sorted by cost."""
    repeats: dict[Any, list[tuple[float, float]]] = {}
    for row in rows:
        repeats.setdefault((row.get("epochs"), row.get("tokens")), []).append((row[cost], row[score]))
    groups = [np.array(group, np.float64) for group in repeats.values()]
    points = sorted((*group.mean(axis=0), group[:, 1].min(), group[:, 1].max()) for group in groups)
    x, y, low, high = np.array(points).T
    return x, y, low, high


def _varies(rows: Iterable[Mapping[str, Any]], column: str) -> bool:
    return len({row.get(column) for row in rows}) > 1
