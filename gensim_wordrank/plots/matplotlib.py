"""Draw figures with matplotlib, as PNG, SVG and PDF."""

from __future__ import annotations

from typing import Any

import numpy as np

from gensim_wordrank.plots.spec import COLOURS, Figure, Panel, Series, import_optional

PANEL_INCHES = (6.0, 5.0)


def draw(figure: Figure) -> Any:
    """Return a figure as a matplotlib Figure."""
    columns = min(2, len(figure.panels))
    rows = -(-len(figure.panels) // columns)
    width, height = _inches(figure.panels[0])
    drawn = import_optional("matplotlib.figure").Figure(figsize=(columns * width, rows * height), layout="constrained")
    drawn.suptitle(figure.title, parse_math=False)
    cells = drawn.subplots(rows, columns, squeeze=False).ravel()
    for axes, panel in zip(cells, figure.panels, strict=False):
        _draw_panel(axes, panel)
    for axes in cells[len(figure.panels) :]:
        axes.set_axis_off()
    return drawn


def write(figure: Figure, name: str) -> None:
    """Write a figure to a file; the extension selects the format."""
    draw(figure).savefig(name, dpi=120)


def _inches(panel: Panel) -> tuple[float, float]:
    """Return the width and height of a panel. A map sets its own."""
    if not panel.is_map:
        return PANEL_INCHES
    (left, right), (bottom, top) = panel.map_limits()
    return right - left, top - bottom + 1  # 1 inch for title and legend


def _draw_panel(axes: Any, panel: Panel) -> None:
    for number, series in enumerate(panel.series):
        _draw_series(axes, series, COLOURS[number % len(COLOURS)])
    axes.set_title(panel.title, fontsize=11)
    if panel.is_map:
        axes.set_axis_off()
        x_range, y_range = panel.map_limits()
        axes.set(xlim=x_range, ylim=y_range)
    else:
        axes.set(xlabel=panel.x_label, ylabel=panel.y_label)
        if panel.log_x:
            _set_log_x(axes)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    if panel.y_range:
        axes.set_ylim(*panel.y_range)
    if len(panel.series) > 1:
        _draw_legend(axes, panel)


def _set_log_x(axes: Any) -> None:
    """Make x logarithmic with few, short tick labels; matplotlib's own (3 x 10^7) overlap."""
    ticker = import_optional("matplotlib.ticker")
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(lambda x, _: f"{x / 1e6:g}M" if x >= 1e6 else f"{x:g}")
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())


def _draw_series(axes: Any, series: Series, colour: str) -> None:
    if series.labels:
        opacity = series.opacity if len(series.opacity) else np.ones(len(series.x))
        axes.scatter(series.x, series.y, s=8, color=colour, alpha=opacity)
        for label, x, y, alpha in zip(series.labels, series.x, series.y, opacity, strict=True):
            axes.annotate(
                label, (x, y), xytext=(0, 3), textcoords="offset points", ha="center", fontsize=9, parse_math=False,
                weight="bold" if label == series.name else "normal", alpha=alpha,
            )  # fmt: skip
        return
    bars = np.stack([series.y - series.low, series.high - series.y]) if len(series.low) else None
    axes.errorbar(series.x, series.y, bars, capsize=3, color=colour, marker="o" if series.markers else "", markersize=4)


def _draw_legend(axes: Any, panel: Panel) -> None:
    # matplotlib leaves out names that begin with _
    names = [f" {series.name}" if series.name.startswith("_") else series.name for series in panel.series]
    handles = axes.collections if panel.is_map else axes.containers
    y, columns = (0.0, 6) if panel.is_map else (-0.12, 2)
    legend = axes.legend(handles, names, loc="upper center", bbox_to_anchor=(0.5, y), ncols=columns, frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)
