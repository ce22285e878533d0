"""Write figures, and documents of text, tables and figures, to files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from gensim_wordrank._utils import atomic_files
from gensim_wordrank._utils.temporary import new_token
from gensim_wordrank.plots import matplotlib, plotly
from gensim_wordrank.plots.spec import Figure


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
    """A picture in a file of its own, which is not written with the document."""

    text: str
    name: str  # of the file, from the directory of the document


Block = Heading | Paragraph | Table | Figure | Image
Writers = Mapping[str, Callable[[Any, str], None]]


@dataclass(frozen=True)
class Document:
    """Blocks under a title. All texts are plain text: markup in them is escaped."""

    title: str
    blocks: Sequence[Block]


def save(content: Figure | Document, path: str | os.PathLike[str]) -> None:
    """Write a figure or a document to a file. The extension selects the format.

    Parameters
    ----------
    content : Figure or Document
        The result of :func:`word_map`, :func:`model_report` or another function of this package.
    path : str or path
        For a figure, a name ending in .png, .svg, .pdf or .html: an interactive page that needs no network. For a
        document, .html or .md, which has its figures in files beside it.
    """
    writers: Writers = FIGURE_WRITERS if isinstance(content, Figure) else DOCUMENT_WRITERS
    write = atomic_files.select_writer(path, writers)
    atomic_files.write_atomically(path, lambda name: write(content, name))


def _write_html(document: Document, name: str) -> None:
    blocks = [f"<h1>{escape(document.title)}</h1>\n"]
    blocks += [_html(block, f"figure{number}") for number, block in enumerate(document.blocks)]
    Path(name).write_text(plotly.page(document.title, "".join(blocks)), encoding="utf-8")


def _html(block: Block, element_id: str) -> str:
    if isinstance(block, Figure):
        return plotly.to_html(block, element_id, wheel_zooms=False)
    if isinstance(block, Image):
        return f'<img src="{escape(block.name)}" alt="{escape(block.text)}">\n'
    if isinstance(block, Table):
        return f"<table>\n{_html_row('th', block.head)}{''.join(_html_row('td', row) for row in block.rows)}</table>\n"
    tag = "h2" if isinstance(block, Heading) else "p"
    return f"<{tag}>{escape(block.text)}</{tag}>\n"


def _html_row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>\n"


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


FIGURE_WRITERS = {".html": plotly.write, ".png": matplotlib.write, ".svg": matplotlib.write, ".pdf": matplotlib.write}
DOCUMENT_WRITERS = {".html": _write_html, ".md": _write_markdown}
