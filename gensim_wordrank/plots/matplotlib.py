"""Draw figures with matplotlib, as PNG, SVG and PDF."""

from __future__ import annotations

import io
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from gensim_wordrank.plots.spec import COLOURS, Panel, Series, import_optional

if TYPE_CHECKING:
    from gensim_wordrank.plots.documents import Figure

# of a panel beside at most one other, and beside two others
PANEL_INCHES, NARROW_INCHES = (6.0, 5.0), (4.2, 3.8)
DPI = 120


def draw(figure: Figure) -> Any:
    """Return a figure as a matplotlib Figure."""
    columns = min(3, len(figure.panels))
    rows = -(-len(figure.panels) // columns)
    width, height = _inches(figure.panels[0], columns)
    drawn = import_optional("matplotlib.figure").Figure(figsize=(columns * width, rows * height), layout="constrained")
    drawn.suptitle(figure.title, parse_math=False)
    cells = drawn.subplots(rows, columns, squeeze=False).ravel()
    names = [[series.name for series in panel.series] for panel in figure.panels]
    is_shared = len(names) > 1 and len(names[0]) > 1 and all(each == names[0] for each in names)
    for axes, panel in zip(cells, figure.panels, strict=False):
        handles = _draw_panel(axes, panel)
        if len(handles) > 1 and not is_shared:
            y, n_columns = (0.0, 6) if panel.is_map else (-0.12, 2)
            place = {"loc": "upper center", "bbox_to_anchor": (0.5, y), "ncols": n_columns}
            _draw_legend(axes, panel, handles, place)
    if is_shared:
        _draw_legend(drawn, figure.panels[0], handles, {"loc": "outside lower center", "ncols": columns})
    for axes in cells[len(figure.panels) :]:
        axes.set_axis_off()
    return drawn


def write(figure: Figure, name: str) -> None:
    """Write a figure to a file; the extension selects the format."""
    draw(figure).savefig(name, dpi=DPI)


def to_png(figure: Figure) -> bytes:
    """Return a figure as the bytes of a PNG file."""
    file = io.BytesIO()
    draw(figure).savefig(file, format="png", dpi=DPI)
    return file.getvalue()


def _inches(panel: Panel, columns: int) -> tuple[float, float]:
    """Return the width and height of a panel. A map sets its own."""
    if not panel.is_map:
        return PANEL_INCHES if columns < 3 else NARROW_INCHES
    (left, right), (bottom, top) = panel.map_limits()
    return right - left, top - bottom + 1  # 1 inch for title and legend


def _draw_panel(axes: Any, panel: Panel) -> list[Any]:
    """Draw a panel and return what a legend shows of each series."""
    colours = [COLOURS[number % len(COLOURS)] for number in range(len(panel.series))]
    handles = [_draw_series(axes, series, colour) for series, colour in zip(panel.series, colours, strict=True)]
    axes.set_title(panel.title, fontsize=11)
    if panel.is_map:
        axes.set_axis_off()
        x_range, y_range = panel.map_limits()
        axes.set(xlim=x_range, ylim=y_range)
    else:
        axes.set(xlabel=panel.x_label, ylabel=panel.y_label)
        if panel.log_x:
            _set_log_x(axes)
        axes.grid(alpha=0.3, axis="x" if panel.y_names else "both")
        if panel.y_names:
            axes.set_yticks(range(len(panel.y_names)), panel.y_names, parse_math=False)
            axes.invert_yaxis()
        axes.spines[["top", "right"]].set_visible(False)
    if panel.y_range:
        axes.set_ylim(*panel.y_range)
    return handles


def _set_log_x(axes: Any) -> None:
    """Make x logarithmic with few, short tick labels; matplotlib's own (3 x 10^7) overlap."""
    ticker = import_optional("matplotlib.ticker")
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(lambda x, _: f"{x / 1e6:g}M" if x >= 1e6 else f"{x:g}")
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())


def _draw_series(axes: Any, series: Series, colour: str) -> Any:
    """Draw a series and return what its legend shows."""
    if series.labels:
        opacity = series.opacity if len(series.opacity) else np.ones(len(series.x))
        sizes = [24 if label == series.name else 8 for label in series.labels]
        points = axes.scatter(series.x, series.y, s=sizes, color=colour, alpha=opacity)
        for label, x, y, alpha in zip(series.labels, series.x, series.y, opacity, strict=True):
            is_asked = label == series.name
            axes.annotate(
                label, (x, y), xytext=(0, 4 if is_asked else 3), textcoords="offset points", ha="center", fontsize=9,
                parse_math=False, weight="bold" if is_asked else "normal", alpha=alpha,
            )  # fmt: skip
        places = list(zip(series.x, series.y, strict=True)) if series.arrows else []
        for start, end in itertools.pairwise(places):
            style = {"arrowstyle": "->", "color": colour, "linewidth": 1.2, "shrinkA": 4, "shrinkB": 4}
            axes.annotate("", end, start, arrowprops=style)
        return points
    middle = series.x if series.bar_height else series.y
    ends = np.stack([middle - series.low, series.high - middle]) if len(series.low) else None
    if series.bar_height:
        return axes.barh(series.y, series.x, series.bar_height, xerr=ends, capsize=3, color=colour, alpha=0.8)
    marker = "o" if series.markers else ""
    return axes.errorbar(series.x, series.y, ends, capsize=3, color=colour, marker=marker, markersize=4)


def _draw_legend(target: Any, panel: Panel, handles: list[Any], place: dict[str, Any]) -> None:
    """Draw the legend of axes or of a whole figure."""
    # matplotlib leaves out names that begin with _
    names = [f" {series.name}" if series.name.startswith("_") else series.name for series in panel.series]
    for text in target.legend(handles, names, frameon=False, **place).get_texts():
        text.set_parse_math(False)
