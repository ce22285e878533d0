"""Tables as text and HTML, and small pictures in HTML: what objects show of themselves in terminals and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

# pixels of a bar and of a curve
BAR_WIDTH, CURVE_WIDTH, CURVE_HEIGHT = 160, 240, 48


class Html(str):
    """A cell of a table that is HTML and not text."""


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as lines of text: the first column is left-aligned, the others right-aligned.

    Examples
    --------
    >>> from gensim_wordrank._utils.display import text_table
    >>> print(text_table(["word", "count"], [["a", "10"], ["longer", "1"]]))
    word    count
    a          10
    longer      1
    """
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = []
    for row in (head, *rows):
        first, *others = zip(row, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """Return a table as HTML; the cells are text unless they are :class:`Html`."""
    title = f"<caption>{escape(caption)}</caption>\n" if caption else ""
    body = "".join([_html_row("th", head) if head else "", *(_html_row("td", row) for row in rows)])
    return f"<table>\n{title}{body}</table>\n"


def _html_row(tag: str, cells: Sequence[str]) -> str:
    content = (cell if isinstance(cell, Html) else escape(cell) for cell in cells)
    return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in content)}</tr>\n"


def interval_bar(low: float, value: float, high: float, start: float = 0.0, end: float = 1.0) -> Html:
    """Return a bar from 0 to a value, and a line over its interval, on an axis from `start` to `end`."""

    def x(position: float) -> float:
        return round(BAR_WIDTH * (min(max(position, start), end) - start) / (end - start), 1)

    if not np.isfinite([low, value, high]).all():
        return Html("")
    left, right = sorted((x(0.0), x(value)))
    bar = f'<rect x="{left}" y="2" width="{right - left:.1f}" height="10" fill="#0072B2"/>'
    line = f'<path d="M{x(low)} 7H{x(high)}M{x(low)} 3v8M{x(high)} 3v8" stroke="currentColor"/>'
    return Html(f'<svg width="{BAR_WIDTH}" height="14" role="img">{bar}{line}</svg>')


def curve(values: Sequence[float]) -> Html:
    """Return a curve through values, without axes; nothing for fewer than two of them."""
    y = np.asarray(values, np.float64)
    if len(y) < 2 or not np.isfinite(y).all():
        return Html("")
    heights = 2 + (CURVE_HEIGHT - 4) * (1 - (y - y.min()) / (np.ptp(y) or 1.0))
    places = zip(np.linspace(2, CURVE_WIDTH - 2, len(y)), heights, strict=True)
    points = " ".join(f"{left:.1f},{top:.1f}" for left, top in places)
    return Html(
        f'<svg width="{CURVE_WIDTH}" height="{CURVE_HEIGHT}" role="img"><polyline points="{points}" fill="none" '
        'stroke="#0072B2" stroke-width="2"/></svg>'
    )


def shaded(text: str, share: float) -> Html:
    """Return a number on a background that is the darker, the larger its share of the largest number is."""
    style = f"background: rgba(0, 114, 178, {0.75 * share:.2f}); padding: 2px 4px"
    return Html(f'<div style="{style}">{escape(text)}</div>')
