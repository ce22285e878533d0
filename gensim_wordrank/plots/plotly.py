"""Draw figures with plotly, as HTML pages that load nothing from the network."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from gensim_wordrank.plots.spec import COLOURS, Panel, Series, import_optional

if TYPE_CHECKING:
    from gensim_wordrank.plots.documents import Figure

# height of a panel with lines, and of one with bars: in all, and per bar
PANEL_PIXELS, BARS_PIXELS, BAR_PIXELS = 400, 80, 26
# no button that uploads the figure, and none that selects points
BUTTONS = {"displaylogo": False, "showSendToCloud": False, "modeBarButtonsToRemove": ["select2d", "lasso2d"]}
# colours of the word that the search found, and of the others
FOUND, NOT_FOUND = "#D00000", "#BBBBBB"
# diameters of the points of a map: of a word that was asked for, and of others
ASKED_PIXELS, POINT_PIXELS = 14, 6
CLEAR, GRID = "rgba(0,0,0,0)", "rgba(128,128,128,0.25)"


def draw(panel: Panel) -> Any:
    """Return a panel as a plotly Figure, without title and legend: the page has them."""
    drawn = import_optional("plotly.graph_objects").Figure()
    for number, series in enumerate(panel.series):
        _draw_series(drawn, series, COLOURS[number % len(COLOURS)])
    x_axis, y_axis = _axes(panel)
    grid = {"gridcolor": GRID, "zerolinecolor": GRID}
    drawn.update_layout(
        xaxis=x_axis | grid,
        yaxis=y_axis | grid,
        margin={"l": 0, "r": 0, "t": 30, "b": 0} if panel.is_map else {"l": 50, "r": 10, "t": 30, "b": 45},
        template="plotly_white",
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        modebar={"bgcolor": CLEAR, "color": "#999", "activecolor": "#333"},
        showlegend=False,
        dragmode="pan" if panel.is_map else "zoom",
        barmode="overlay",  # bars have their places
    )
    return drawn


def to_html(figure: Figure, element_id: str, wheel_zooms: bool) -> str:
    """Return the HTML of a figure as a part of a page. The mouse wheel either zooms or scrolls the page."""
    ids = [element_id if not number else f"{element_id}_{number}" for number in range(len(figure.panels))]
    panels = [_panel_html(panel, name, wheel_zooms) for panel, name in zip(figure.panels, ids, strict=True)]
    caption = f"<figcaption>{escape(figure.title)}</figcaption>"
    return f'<figure>{caption}\n<div class="panels">\n{"".join(panels)}</div></figure>\n'


def page(title: str, body: str, body_class: str = "") -> str:
    """Return a whole HTML page with the given body, which may contain figures."""
    folder = Path(__file__).parent
    template, script = ((folder / name).read_text(encoding="utf-8") for name in ("page.html", "page.js"))
    plotly = import_optional("plotly.offline").get_plotlyjs()
    values = {"title": escape(title), "body": body, "body_class": body_class, "plotly": plotly, "script": script}
    return Template(template).substitute(values)


def _panel_html(panel: Panel, element_id: str, wheel_zooms: bool) -> str:
    """Return the title, search box, legend and drawing of a panel."""
    config = {"scrollZoom": wheel_zooms, "responsive": True, **BUTTONS}
    drawing = draw(panel).to_html(
        full_html=False, include_plotlyjs=False, div_id=element_id, config=config, default_height="100%"
    )
    title = f"<h3>{escape(panel.title)}</h3>\n" if panel.title else ""
    search = _search_box(panel, element_id) if panel.is_map else ""
    legend = _legend(panel, element_id) if len(panel.series) > 1 else ""
    kind, style = ("map", "") if panel.is_map else ("curves", f' style="height: {_height(panel)}px"')
    return f'<div class="panel">\n{title}{search}{legend}<div class="{kind}"{style}>{drawing}</div>\n</div>\n'


def _height(panel: Panel) -> int:
    """Return the height of a panel that is not a map, in pixels."""
    n_bars = sum(len(series.x) for series in panel.series) + len(panel.y_names)  # and a space between groups
    return BARS_PIXELS + BAR_PIXELS * n_bars if panel.y_names else PANEL_PIXELS


def _draw_series(drawn: Any, series: Series, colour: str) -> None:
    """Add a series to a plotly figure."""
    trace: dict[str, Any] = {"name": _escape(series.name), "x": series.x.tolist(), "y": series.y.tolist()}
    trace["marker"] = {"color": colour}
    if series.hover_texts:
        texts = [_escape(text).replace("\n", "<br>") for text in series.hover_texts]
        trace |= {"hoverinfo": "text", "hovertext": texts}
    if len(series.low):
        middle = series.x if series.bar_height else series.y
        ends = {"array": (series.high - middle).tolist(), "arrayminus": (middle - series.low).tolist()}
        trace["error_x" if series.bar_height else "error_y"] = {"type": "data", **ends}
    if series.bar_height:
        drawn.add_bar(**trace, orientation="h", width=series.bar_height, opacity=0.8)
    elif series.labels:
        drawn.add_scatter(**trace | _label_options(series, colour))
    else:
        mode = "lines+markers" if series.markers else "lines"
        drawn.add_scatter(**trace, mode=mode, line={"color": colour, "simplify": False})


def _label_options(series: Series, colour: str) -> dict[str, Any]:
    """Return plotly's options of points with labels. page.js moves the labels, as it knows the size of the window."""
    asked = [word == series.name for word in series.labels]
    texts = [_escape(word) for word in series.labels]
    opacity = series.opacity.tolist() if len(series.opacity) else [1.0] * len(series.labels)
    sizes = [ASKED_PIXELS if each else POINT_PIXELS for each in asked]
    marker: dict[str, Any] = {"color": colour, "size": sizes, "opacity": opacity}
    if series.arrows:
        marker |= {"symbol": ["circle", *["arrow"] * (len(asked) - 1)], "size": ASKED_PIXELS, "angleref": "previous"}
    return {
        "mode": "markers+text+lines" if series.arrows else "markers+text",
        "line": {"color": colour, "width": 1.5},
        "text": [f"<b>{text}</b>" if each else text for text, each in zip(texts, asked, strict=True)],
        "textfont": {"color": [f"rgba(42,63,95,{each:.2f})" for each in opacity]},
        "marker": marker,
        "cliponaxis": False,
        "customdata": list(series.labels),  # where page.js looks for words
        "selected": {"marker": {"color": FOUND, "size": 14}, "textfont": {"color": FOUND}},
        "unselected": {"marker": {"opacity": 0.4}, "textfont": {"color": NOT_FOUND}},
    }


def _axes(panel: Panel) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return plotly's options of the x and y axes."""
    if panel.is_map:
        x_range, y_range = panel.map_limits()
        return {"visible": False, "range": x_range}, {"visible": False, "range": y_range}
    x_axis: dict[str, Any] = {"title": {"text": _escape(panel.x_label)}, "type": "linear", "automargin": True}
    if panel.log_x:
        x_axis |= {"type": "log", "minorloglabels": "complete"}
    y_axis: dict[str, Any] = {"title": {"text": _escape(panel.y_label)}, "range": panel.y_range, "automargin": True}
    if panel.y_names:
        names = [_escape(name) for name in panel.y_names]
        y_axis |= {"tickvals": list(range(len(names))), "ticktext": names, "range": (len(names) - 0.5, -0.5)}
    return x_axis, y_axis


def _escape(text: str) -> str:
    """Escape text for plotly, which interprets HTML tags and formulas between dollar signs."""
    return escape(text, quote=False).replace("$", "&#36;")


def _legend(panel: Panel, element_id: str) -> str:
    """Return a button per series; page.js makes them hide and show it."""
    buttons = (
        f'<button type="button" aria-pressed="true" data-figure="{element_id}" data-series="{number}">'
        f'<span style="background: {COLOURS[number % len(COLOURS)]}"></span>{escape(series.name)}</button>\n'
        for number, series in enumerate(panel.series)
    )
    return f'<p class="legend">{"".join(buttons)}</p>\n'


def _search_box(panel: Panel, element_id: str) -> str:
    """Return a search box for the words of a map; page.js makes it work."""
    labels = sorted(label for series in panel.series for label in series.labels)
    options = "".join(f'<option value="{escape(label)}">' for label in labels)
    return (
        f'<p class="search"><label>Find a word: <input type="search" data-figure="{element_id}" '
        f'list="{element_id}-words"></label> <output></output><span></span></p>\n'
        f'<datalist id="{element_id}-words">{options}</datalist>\n'
    )
