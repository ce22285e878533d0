"""What figures consist of, as data: panels, series and labels. matplotlib.py and plotly.py draw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from gensim_wordrank.types import Floats

# inches per letter, and per label with its point
LETTER_WIDTH, LABEL_HEIGHT = 0.085, 0.24
# safe for colour-blind readers (Okabe and Ito; the last three are Tol's)
COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255", "#999933", "#777777",
)  # fmt: skip


@dataclass(frozen=True)
class Series:
    """A line, bars or, if the points have labels, a scatter plot. `name` is shown in the legend."""

    name: str
    x: Floats
    y: Floats
    low: Floats = field(default_factory=lambda: np.empty(0))  # ends of the error bars: of y, or of x if it has bars
    high: Floats = field(default_factory=lambda: np.empty(0))
    labels: Sequence[str] = ()
    hover_texts: Sequence[str] = ()  # of the point under the mouse, in HTML; may have several lines
    opacity: Floats = field(default_factory=lambda: np.empty(0))  # of points with labels; default: 1
    markers: bool = False  # whether to mark the points of a line
    arrows: bool = False  # whether an arrow leads from each point with a label to the next
    bar_height: float = 0.0  # of horizontal bars that end at x; 0 for a line


@dataclass(frozen=True)
class Panel:
    """Series in one pair of axes. If points have labels, the panel is a map: its unit is inches and it has no axes."""

    series: Sequence[Series]
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    log_x: bool = False
    y_range: tuple[float, float] | None = None
    y_names: Sequence[str] = ()  # of y = 0, 1, ..., from the top; then series are bars

    @property
    def is_map(self) -> bool:
        """True if points have labels."""
        return any(series.labels for series in self.series)

    def map_limits(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the ranges of x and y of a map, with a margin for the labels."""
        x, y = (np.concatenate([getattr(series, axis) for series in self.series]) for axis in "xy")
        margin = LETTER_WIDTH * (1 + max(len(label) for series in self.series for label in series.labels)) / 2
        return (x.min() - margin, x.max() + margin), (y.min() - 0.3, y.max() + 0.3)


def import_optional(name: str) -> Any:
    """Import a module that only plots need; if it is missing, the error says how to install it."""
    try:
        return import_module(name)
    except ImportError as error:
        remedy = "Run: pip install 'gensim-wordrank[plot]'"
        raise ImportError(f"Plots need {error.name}, which is not installed. {remedy}") from error
