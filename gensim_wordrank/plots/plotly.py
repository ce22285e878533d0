"""Pictures as pages for a browser, by plotly: one file each, which loads nothing from elsewhere."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template
from typing import Any

from gensim_wordrank.plots.spec import COLOURS, Panel, Picture, Series, library

PANEL_PIXELS, PIXELS_AN_INCH = 400, 90
# above, below and between panels
TOP, BOTTOM, BETWEEN = 80, 50, 90
# plotly's buttons: none that sends a picture to its makers, nor those that select
BUTTONS = {"displaylogo": False, "showSendToCloud": False, "modeBarButtonsToRemove": ["select2d", "lasso2d"]}
# of the word that was searched for, and of the others
FOUND, OTHERS = "#D00000", "#BBBBBB"


def draw(picture: Picture) -> Any:
    """Return a picture as a plotly Figure.

    Examples
    --------
    >>> from gensim_wordrank.plots.figures import loss_functions
    >>> from gensim_wordrank.plots.plotly import draw
    >>> len(draw(loss_functions()).data)
    8
    """
    panels, heights = picture.panels, [_height(panel) for panel in picture.panels]
    figure = library("plotly.subplots").make_subplots(
        rows=len(panels),
        cols=1,
        row_heights=heights,
        vertical_spacing=BETWEEN / sum(heights),
        subplot_titles=[_text(panel.title) for panel in panels],
    )
    for number, panel in enumerate(panels, 1):
        _draw_panel(figure, panel, number)
    figure.update_layout(
        title={"text": _text(picture.title), "x": 0.5},
        height=sum(heights) + TOP + BOTTOM,
        margin={"l": 60, "r": 20, "t": TOP, "b": BOTTOM},
        template="plotly_white",
        dragmode="pan" if picture.panels[0].is_map else "zoom",
    )
    return figure


def write(picture: Picture, name: str) -> None:
    """Write a page with one picture."""
    Path(name).write_text(page(picture.title, part(picture, "picture", wheel=True)), encoding="utf-8")


def part(picture: Picture, name: str, wheel: bool) -> str:
    """Return the HTML of a picture within a page, where `name` is its own and the wheel may zoom instead of scroll."""
    figure = draw(picture).to_html(
        full_html=False, include_plotlyjs=False, div_id=name, config={"scrollZoom": wheel, **BUTTONS}
    )
    labels = [label for panel in picture.panels for series in panel.series for label in series.labels]
    return (_search_box(labels, name) if labels else "") + f'<div class="picture">{figure}</div>\n'


def page(title: str, body: str) -> str:
    """Return a whole page around HTML that may hold pictures."""
    return Template(_beside("page.html")).substitute(
        title=escape(title),
        body=body,
        plotly=library("plotly.offline").get_plotlyjs(),
        search=_beside("search.js"),
    )


def _draw_panel(figure: Any, panel: Panel, row: int) -> None:
    legend = f"legend{row}"
    for number, series in enumerate(panel.series):
        trace = _trace(series, COLOURS[number % len(COLOURS)])
        figure.add_scatter(**trace, row=row, col=1, legend=legend, showlegend=len(panel.series) > 1)
    x_axis, y_axis = _axes(panel)
    figure.update_xaxes(**x_axis, row=row, col=1)
    figure.update_yaxes(**y_axis, row=row, col=1)
    _, top = next(figure.select_yaxes(row=row, col=1)).domain
    figure.update_layout({legend: {"y": top, "yanchor": "top"}})


def _trace(series: Series, colour: str) -> dict[str, Any]:
    """Return what plotly's scatter calls a series. Its texts are HTML."""
    trace: dict[str, Any] = {
        "name": _text(series.name),
        "x": series.x.tolist(),
        "y": series.y.tolist(),
        "marker": {"color": colour},
    }
    if series.notes:
        trace |= {"hoverinfo": "text", "hovertext": [_text(note) for note in series.notes]}
    if len(series.low):
        up, down = series.high - series.y, series.y - series.low
        trace["error_y"] = {"type": "data", "array": up.tolist(), "arrayminus": down.tolist(), "color": colour}
    if series.labels:
        return trace | _labelled(series)
    return trace | {"mode": "lines+markers" if series.marked else "lines", "line": {"color": colour, "simplify": False}}


def _labelled(series: Series) -> dict[str, Any]:
    """Return what makes points words, which search.js finds by their customdata and selects."""
    return {
        "mode": "markers+text",
        "textposition": "top center",
        "text": [f"<b>{_text(word)}</b>" if word == series.name else _text(word) for word in series.labels],
        "customdata": list(series.labels),
        "selected": {"marker": {"color": FOUND, "size": 14}, "textfont": {"color": FOUND}},
        "unselected": {"marker": {"opacity": 0.4}, "textfont": {"color": OTHERS}},
    }


def _axes(panel: Panel) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return plotly's axes x and y."""
    if panel.is_map:
        x_range, y_range = panel.frame()
        return {"visible": False, "range": x_range}, {"visible": False, "range": y_range}
    x_axis: dict[str, Any] = {"title": {"text": _text(panel.x_name)}, "type": "linear"}
    if panel.log_x:
        x_axis |= {"type": "log", "minorloglabels": "complete"}
    return x_axis, {"title": {"text": _text(panel.y_name)}, "range": panel.y_range}


def _height(panel: Panel) -> float:
    """Return the pixels of a panel: of a map, for labels as large as in print, up to what a screen holds."""
    if not panel.is_map:
        return PANEL_PIXELS
    bottom, top = panel.frame()[1]
    return min(1000.0, (top - bottom) * PIXELS_AN_INCH)


def _text(text: str) -> str:
    """Return a text for plotly, to which tags are HTML and dollars are mathematics."""
    return escape(text, quote=False).replace("$", "&#36;")


def _search_box(labels: list[str], name: str) -> str:
    """Return a box for words; what it finds, search.js shows in the picture of that name."""
    options = "".join(f'<option value="{escape(label)}">' for label in sorted(labels))
    return (
        f'<p class="search"><label>Find a word: <input type="search" data-picture="{name}" list="{name}-words"></label>'
        f'<output></output></p>\n<datalist id="{name}-words">{options}</datalist>\n'
    )


def _beside(name: str) -> str:
    """Return the text of a file in this package."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
