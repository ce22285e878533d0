"""What a picture shows, as numbers and words. :mod:`images` and :mod:`webpages` draw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from gensim_wordrank.types import Floats

# told apart also by the colour-blind (Okabe and Ito)
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


@dataclass(frozen=True)
class Series:
    """Points of one kind: joined by a line or, if they have labels, each for itself.

    Attributes
    ----------
    name : str
        What the legend says.
    x, y : array of float64
        Where the points are.
    low, high : array of float64
        Where bars around them begin and end; empty if there are none.
    labels : sequence of str
        What is written beside the points.
    notes : sequence of str
        What a page tells of a point under the mouse; by default its place.
    marked : bool
        Whether a line shows its points.
    """

    name: str
    x: Floats
    y: Floats
    low: Floats = field(default_factory=lambda: np.empty(0))
    high: Floats = field(default_factory=lambda: np.empty(0))
    labels: Sequence[str] = ()
    notes: Sequence[str] = ()
    marked: bool = False


@dataclass(frozen=True)
class Panel:
    """Series in one pair of axes. Where points have labels it is a map, in inches, without axes."""

    series: Sequence[Series]
    title: str = ""
    x_name: str = ""
    y_name: str = ""
    log_x: bool = False
    y_range: tuple[float, float] | None = None

    @property
    def is_map(self) -> bool:
        """Whether points have labels."""
        return any(series.labels for series in self.series)

    def frame(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return from where to where the points of a map reach, with room for the labels at its border."""
        x, y = (np.concatenate([getattr(series, axis) for series in self.series]) for axis in "xy")
        return (x.min() - 0.6, x.max() + 0.6), (y.min() - 0.2, y.max() + 0.4)


@dataclass(frozen=True)
class Picture:
    """One panel or more under a title."""

    title: str
    panels: Sequence[Panel]

    @property
    def grid(self) -> tuple[int, int]:
        """How many rows and columns the panels stand in."""
        columns = min(2, len(self.panels))
        return -(-len(self.panels) // columns), columns


def library(name: str) -> Any:
    """Return a module of a library that only pictures need.

    Examples
    --------
    >>> from gensim_wordrank.plots.spec import library
    >>> library("matplotlib.figure").__name__
    'matplotlib.figure'
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"Pictures need {error.name}, which is not installed. Run: pip install 'gensim-wordrank[plot]'"
        ) from error
