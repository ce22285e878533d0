"""Figures, and documents of text, tables and figures: written to files, and shown in notebooks and browsers."""

from __future__ import annotations

import base64
import logging
import os
import re
import sys
import tempfile
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from gensim_wordrank._utils import atomic_files, display
from gensim_wordrank._utils.temporary import new_token
from gensim_wordrank.plots import matplotlib, plotly
from gensim_wordrank.plots.spec import Panel

logger = logging.getLogger(__name__)

# height of a page within a notebook
FRAME_PIXELS = 640


@dataclass(frozen=True, repr=False)
class Figure:
    """One or more panels under a title. A notebook shows it as a picture."""

    title: str
    panels: Sequence[Panel]

    def show(self) -> None:
        """Show the figure as an interactive page, in a notebook or in the browser."""
        _show(self)

    def __repr__(self) -> str:
        return f"<Figure '{self.title}' with {len(self.panels)} panel{'s' if len(self.panels) > 1 else ''}>"

    def _repr_png_(self) -> bytes:
        return matplotlib.to_png(self)


@dataclass(frozen=True)
class Heading:
    """The heading of a section."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of text."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table with column names."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Image:
    """A picture in a separate file, which is not written with the document."""

    text: str
    name: str  # of the file, from the directory of the document


Block = Heading | Paragraph | Table | Figure | Image
Writers = Mapping[str, Callable[[Any, str], None]]


@dataclass(frozen=True, repr=False)
class Document:
    """A title and blocks. All texts are plain text; markup in them is escaped. A notebook shows the whole document."""

    title: str
    blocks: Sequence[Block]

    def show(self) -> None:
        """Show the document as an interactive page, in a notebook or in the browser."""
        _show(self)

    def __repr__(self) -> str:
        return f"<Document '{self.title}' with {len(self.blocks)} blocks>"

    def _repr_html_(self) -> str:
        return f"<h1>{escape(self.title)}</h1>\n" + "".join(map(_static_html, self.blocks))


def save(content: Figure | Document, path: str | os.PathLike[str]) -> None:
    """Write a figure or a document to a file. The extension selects the format.

    Parameters
    ----------
    content : Figure or Document
        The result of :func:`word_map`, :func:`model_report` or another function of this package.
    path : str or path
        A figure is saved as .png, .svg, .pdf or .html, an interactive page that needs no network. A document is saved
        as .html or .md; the figures of .md are in files beside it.
    """
    writers: Writers = FIGURE_WRITERS if isinstance(content, Figure) else DOCUMENT_WRITERS
    write = atomic_files.select_writer(path, writers)
    atomic_files.write_atomically(path, lambda name: write(content, name))


def _write_html(content: Figure | Document, name: str) -> None:
    Path(name).write_text(_page(content), encoding="utf-8")


def _page(content: Figure | Document) -> str:
    """Return an interactive page."""
    if isinstance(content, Figure):
        return plotly.page(content.title, plotly.to_html(content, "figure", wheel_zooms=True), "single")
    blocks = [f"<h1>{escape(content.title)}</h1>\n"]
    blocks += [_html(block, f"figure{number}") for number, block in enumerate(content.blocks)]
    return plotly.page(content.title, "".join(blocks))


def _show(content: Figure | Document) -> None:
    """Show an interactive page in the notebook that runs this code or, without one, in the browser."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and hasattr(ipython.get_ipython(), "kernel"):
        style = f"width: 100%; height: {FRAME_PIXELS}px; border: 0"
        frame = f'<iframe srcdoc="{escape(_page(content))}" style="{style}"></iframe>'
        ipython.display.display(ipython.display.HTML(frame))
        return
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="wordrank-", suffix=".html", delete=False) as file:
        file.write(_page(content))
    if not webbrowser.open(Path(file.name).as_uri()):
        logger.warning("there is no browser: open '%s'", file.name)


def _static_html(block: Block) -> str:
    """Return the HTML of a block without scripts: figures are pictures."""
    if not isinstance(block, Figure):
        return _html(block, "")
    picture = base64.b64encode(matplotlib.to_png(block)).decode("ascii")
    return f'<img src="data:image/png;base64,{picture}" alt="{escape(block.title)}">\n'


def _html(block: Block, element_id: str) -> str:
    if isinstance(block, Figure):
        return plotly.to_html(block, element_id, wheel_zooms=False)
    if isinstance(block, Image):
        return f'<img src="{escape(block.name)}" alt="{escape(block.text)}">\n'
    if isinstance(block, Table):
        return display.html_table(block.head, block.rows)
    tag = "h2" if isinstance(block, Heading) else "p"
    return f"<{tag}>{escape(block.text)}</{tag}>\n"


def _write_markdown(document: Document, name: str) -> None:
    """Write a Markdown file, and each figure as a numbered PNG file beside it."""
    blocks = [f"# {_escape_markdown(document.title)}\n"]
    prefix = atomic_files.companion_prefix(name, new_token())
    for number, block in enumerate(document.blocks):
        if isinstance(block, Figure):
            image = Path(f"{prefix}{number}.png")
            matplotlib.write(block, str(image))
            block = Image(block.title, image.name)
        blocks.append(_markdown(block))
    Path(name).write_text("\n".join(blocks), encoding="utf-8")


def _markdown(block: Heading | Paragraph | Table | Image) -> str:
    if isinstance(block, Image):
        return f"![{_escape_markdown(block.text)}](<{block.name}>)\n"
    if isinstance(block, Table):
        return "".join([_markdown_row(block.head), "|---" * len(block.head), "|\n", *map(_markdown_row, block.rows)])
    return ("## " if isinstance(block, Heading) else "") + f"{_escape_markdown(block.text)}\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escape_markdown, cells))} |\n"


def _escape_markdown(text: str) -> str:
    return re.sub(r"([\\`*_\[\]|~$])", r"\\\1", escape(text, quote=False))


FIGURE_WRITERS = {".html": _write_html, ".png": matplotlib.write, ".svg": matplotlib.write, ".pdf": matplotlib.write}
DOCUMENT_WRITERS = {".html": _write_html, ".md": _write_markdown}
