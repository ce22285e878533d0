"""Pictures as PNG, SVG and PDF, by matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from gensim_wordrank.plots.spec import COLOURS, Panel, Picture, Series, library

PANEL_INCHES = (6.0, 5.0)


def draw(picture: Picture) -> Any:
    """Return a picture as a matplotlib Figure.

    Examples
    --------
    >>> from gensim_wordrank.plots.matplotlib import draw
    >>> from gensim_wordrank.plots.figures import loss_functions
    >>> [axes.get_xlabel() for axes in draw(loss_functions()).axes]
    ['x', 'rank x']
    """
    rows, columns = picture.grid
    width, height = _inches(picture.panels[0])
    figure = library("matplotlib.figure").Figure(figsize=(columns * width, rows * height), layout="constrained")
    figure.suptitle(picture.title, parse_math=False)
    cells = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, panel in zip(cells, picture.panels, strict=False):
        _draw_panel(axes, panel)
    for axes in cells[len(picture.panels) :]:
        axes.set_axis_off()
    return figure


def write(picture: Picture, name: str) -> None:
    """Write a picture to a file of the kind that its name ends in."""
    draw(picture).savefig(name, dpi=120)


def _inches(panel: Panel) -> tuple[float, float]:
    """Return width and height: of a map, those it has."""
    if not panel.is_map:
        return PANEL_INCHES
    (left, right), (bottom, top) = panel.frame()
    return right - left, top - bottom + 1  # title and legend


def _draw_panel(axes: Any, panel: Panel) -> None:
    for number, series in enumerate(panel.series):
        _draw_series(axes, series, COLOURS[number % len(COLOURS)])
    axes.set_title(panel.title, fontsize=11)
    if panel.is_map:
        axes.set_axis_off()
        axes.set(**dict(zip(("xlim", "ylim"), panel.frame(), strict=True)))
    else:
        axes.set(xlabel=panel.x_name, ylabel=panel.y_name)
        if panel.log_x:
            _draw_logarithmic(axes)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    if panel.y_range:
        axes.set_ylim(*panel.y_range)
    if len(panel.series) > 1:
        _draw_legend(axes, panel)


def _draw_logarithmic(axes: Any) -> None:
    """Scale x, with few short numbers: by itself matplotlib has more than fit, as 3 x 10^7."""
    ticker = library("matplotlib.ticker")
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(lambda x, _: f"{x / 1e6:g}M" if x >= 1e6 else f"{x:g}")
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())


def _draw_series(axes: Any, series: Series, colour: str) -> None:
    if series.labels:
        axes.scatter(series.x, series.y, s=8, color=colour)
        for label, x, y in zip(series.labels, series.x, series.y, strict=True):
            axes.annotate(
                label, (x, y), xytext=(0, 3), textcoords="offset points", ha="center", fontsize=9, parse_math=False,
                weight="bold" if label == series.name else "normal",
            )  # fmt: skip
        return
    bars = np.stack([series.y - series.low, series.high - series.y]) if len(series.low) else None
    axes.errorbar(series.x, series.y, bars, capsize=3, color=colour, marker="o" if series.marked else "", markersize=4)


def _draw_legend(axes: Any, panel: Panel) -> None:
    # a name with _ in front would be left out
    names = [f" {series.name}" if series.name.startswith("_") else series.name for series in panel.series]
    handles = axes.collections if panel.is_map else axes.containers
    below, columns = (0.0, 6) if panel.is_map else (-0.12, 2)
    legend = axes.legend(
        handles, names, loc="upper center", bbox_to_anchor=(0.5, below), ncols=columns, frameon=False
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)
