"""Draw figures with plotly, as HTML pages that load nothing from the network."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template
from typing import Any

from gensim_wordrank.plots.spec import COLOURS, Figure, Panel, Series, import_optional

PANEL_PIXELS, PIXELS_PER_INCH = 400, 90
# pixels above, below and between panels
TOP, BOTTOM, BETWEEN = 80, 50, 90
# no button that uploads the figure, and none that selects points
BUTTONS = {"displaylogo": False, "showSendToCloud": False, "modeBarButtonsToRemove": ["select2d", "lasso2d"]}
# colours of the word that the search found, and of the others
FOUND, NOT_FOUND = "#D00000", "#BBBBBB"


def draw(figure: Figure) -> Any:
    """Return a figure as a plotly Figure."""
    panels, heights = figure.panels, [_height(panel) for panel in figure.panels]
    titles, spacing = [_escape(panel.title) for panel in panels], BETWEEN / sum(heights)
    drawn = import_optional("plotly.subplots").make_subplots(
        len(panels), 1, row_heights=heights, vertical_spacing=spacing, subplot_titles=titles
    )
    for row, panel in enumerate(panels, 1):
        _draw_panel(drawn, panel, row)
    drawn.update_layout(
        title={"text": _escape(figure.title), "x": 0.5},
        height=sum(heights) + TOP + BOTTOM,
        margin={"l": 60, "r": 20, "t": TOP, "b": BOTTOM},
        template="plotly_white",
        dragmode="pan" if panels[0].is_map else "zoom",
    )
    return drawn


def write(figure: Figure, name: str) -> None:
    """Write an HTML page with one figure."""
    Path(name).write_text(page(figure.title, to_html(figure, "figure", wheel_zooms=True)), encoding="utf-8")


def to_html(figure: Figure, element_id: str, wheel_zooms: bool) -> str:
    """Return the HTML of a figure as a part of a page. The mouse wheel either zooms or scrolls the page."""
    html = draw(figure).to_html(
        full_html=False, include_plotlyjs=False, div_id=element_id, config={"scrollZoom": wheel_zooms, **BUTTONS}
    )
    labels = [label for panel in figure.panels for series in panel.series for label in series.labels]
    return (_search_box(labels, element_id) if labels else "") + f"{html}\n"


def page(title: str, body: str) -> str:
    """Return a whole HTML page with the given body, which may contain figures."""
    template = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    search = Path(__file__).with_name("search.js").read_text(encoding="utf-8")
    plotly = import_optional("plotly.offline").get_plotlyjs()
    return Template(template).substitute(title=escape(title), body=body, plotly=plotly, search=search)


def _draw_panel(drawn: Any, panel: Panel, row: int) -> None:
    legend = f"legend{row}"
    for number, series in enumerate(panel.series):
        trace = _trace(series, COLOURS[number % len(COLOURS)])
        drawn.add_scatter(**trace, row=row, col=1, legend=legend, showlegend=len(panel.series) > 1)
    x_axis, y_axis = _axes(panel)
    drawn.update_xaxes(**x_axis, row=row, col=1)
    drawn.update_yaxes(**y_axis, row=row, col=1)
    _, top = next(drawn.select_yaxes(row=row, col=1)).domain
    drawn.update_layout({legend: {"y": top, "yanchor": "top"}})


def _trace(series: Series, colour: str) -> dict[str, Any]:
    """Return the arguments of plotly's scatter for a series."""
    trace: dict[str, Any] = {"name": _escape(series.name), "x": series.x.tolist(), "y": series.y.tolist()}
    trace["marker"] = {"color": colour}
    if series.hover_texts:
        texts = [_escape(text).replace("\n", "<br>") for text in series.hover_texts]
        trace |= {"hoverinfo": "text", "hovertext": texts}
    if len(series.low):
        up, down = series.high - series.y, series.y - series.low
        trace["error_y"] = {"type": "data", "array": up.tolist(), "arrayminus": down.tolist(), "color": colour}
    if not series.labels:
        mode = "lines+markers" if series.markers else "lines"
        return trace | {"mode": mode, "line": {"color": colour, "simplify": False}}
    if len(series.opacity):
        trace["marker"]["opacity"] = series.opacity.tolist()
        trace["textfont"] = {"color": [f"rgba(42,63,95,{opacity:.2f})" for opacity in series.opacity]}
    return trace | {
        "mode": "markers+text",
        "textposition": "top center",
        "text": [f"<b>{_escape(word)}</b>" if word == series.name else _escape(word) for word in series.labels],
        "customdata": list(series.labels),  # where search.js looks for words
        "selected": {"marker": {"color": FOUND, "size": 14}, "textfont": {"color": FOUND}},
        "unselected": {"marker": {"opacity": 0.4}, "textfont": {"color": NOT_FOUND}},
    }


def _axes(panel: Panel) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return plotly's options of the x and y axes."""
    if panel.is_map:
        x_range, y_range = panel.map_limits()
        return {"visible": False, "range": x_range}, {"visible": False, "range": y_range}
    x_axis: dict[str, Any] = {"title": {"text": _escape(panel.x_label)}, "type": "linear"}
    if panel.log_x:
        x_axis |= {"type": "log", "minorloglabels": "complete"}
    return x_axis, {"title": {"text": _escape(panel.y_label)}, "range": panel.y_range}


def _height(panel: Panel) -> float:
    """Return the height of a panel in pixels. A map keeps its size in inches, up to the height of a screen."""
    if not panel.is_map:
        return PANEL_PIXELS
    bottom, top = panel.map_limits()[1]
    return min(1000.0, (top - bottom) * PIXELS_PER_INCH)


def _escape(text: str) -> str:
    """Escape text for plotly, which interprets HTML tags and formulas between dollar signs."""
    return escape(text, quote=False).replace("$", "&#36;")


def _search_box(labels: list[str], element_id: str) -> str:
    """Return a search box for the words of a figure; search.js makes it work."""
    options = "".join(f'<option value="{escape(label)}">' for label in sorted(labels))
    return (
        f'<p class="search"><label>Find a word: <input type="search" data-figure="{element_id}" '
        f'list="{element_id}-words"></label><output></output></p>\n'
        f'<datalist id="{element_id}-words">{options}</datalist>\n'
    )
