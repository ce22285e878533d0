"""Text, tables and pictures as one HTML page, or as Markdown with the pictures beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from gensim_wordrank._utils import atomic_files
from gensim_wordrank.plots import matplotlib, plotly
from gensim_wordrank.plots.spec import Picture


@dataclass(frozen=True)
class Heading:
    """Begins a section."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """A piece of text."""

    text: str


@dataclass(frozen=True)
class Table:
    """Rows of cells below their names."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


Block = Heading | Paragraph | Table | Picture


@dataclass(frozen=True)
class Document:
    """Blocks under a title. No text in it is markup."""

    title: str
    blocks: Sequence[Block]


def save(document: Document, path: str | os.PathLike[str]) -> None:
    r"""Write a document to a file whose name ends in .html or .md.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gensim_wordrank.plots.documents import Document, Table, save
    >>> path = Path(tempfile.mkdtemp(), "page.md")
    >>> save(Document("Words", [Table(["word", "count"], [["a|b", "2"]])]), path)
    >>> print(path.read_text())
    # Words
    <BLANKLINE>
    | word | count |
    |---|---|
    | a\|b | 2 |
    <BLANKLINE>
    """
    write = atomic_files.select_writer(path, WRITERS)
    atomic_files.write_atomically(path, lambda name: write(document, Path(name)))


def _write_html(document: Document, path: Path) -> None:
    blocks = [f"<h1>{escape(document.title)}</h1>\n"]
    blocks += [_html(block, f"picture{number}") for number, block in enumerate(document.blocks)]
    path.write_text(plotly.page(document.title, "".join(blocks)), encoding="utf-8")


def _html(block: Block, name: str) -> str:
    if isinstance(block, Picture):
        return plotly.part(block, name, wheel=False)
    if isinstance(block, Table):
        return f"<table>\n{_html_row('th', block.head)}{''.join(_html_row('td', row) for row in block.rows)}</table>\n"
    tag = "h2" if isinstance(block, Heading) else "p"
    return f"<{tag}>{escape(block.text)}</{tag}>\n"


def _html_row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>\n"


def _write_markdown(document: Document, path: Path) -> None:
    """Write the text, and pictures under its name with a number."""
    blocks = [f"# {_plain(document.title)}\n"]
    for number, block in enumerate(document.blocks):
        picture = path.with_name(f"{path.stem}-{number}.png")
        if isinstance(block, Picture):
            matplotlib.write(block, str(picture))
        blocks.append(_markdown(block, picture.name))
    path.write_text("\n".join(blocks), encoding="utf-8")


def _markdown(block: Block, picture: str) -> str:
    if isinstance(block, Picture):
        return f"![{_plain(block.title)}](<{picture}>)\n"
    if isinstance(block, Table):
        return "".join(map(_markdown_row, [block.head, *block.rows])).replace(
            "\n", f"\n{'|---' * len(block.head)}|\n", 1
        )
    return ("## " if isinstance(block, Heading) else "") + f"{_plain(block.text)}\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_plain, cells))} |\n"


def _plain(text: str) -> str:
    """Return a text for Markdown that shows as it is."""
    return re.sub(r"([\\`*_\[\]|~$])", r"\\\1", escape(text, quote=False))


WRITERS = {".html": _write_html, ".md": _write_markdown}
