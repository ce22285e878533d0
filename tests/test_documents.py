"""Documents are written as HTML and Markdown."""

from html.parser import HTMLParser

import pytest
from gensim_wordrank.plots import Document, Heading, Image, Paragraph, Table, loss_functions, save

WORDS = [
    "<script>alert(1)</script>",
    "a|b",
    "*stars*",
    "under_scores_here",
    "`code`",
    "[link](x)",
    "$x$",
    "\\",
    "A & B",
]
DOCUMENT = Document(
    "About <words>", [Heading("A *heading*"), Paragraph("Some text"), Table(["word", "n"], [[w, "1"] for w in WORDS])]
)


class Cells(HTMLParser):
    """Collect the texts of cells, and the names of all tags."""

    def __init__(self):
        super().__init__()
        self.cells, self.tags = [], []

    def handle_starttag(self, tag, attrs):
        """Begin a cell."""
        self.tags.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data):
        """Add text to the current cell."""
        if self.tags[-1:] == ["td"]:
            self.cells[-1] += data


def test_html_escapes_texts(tmp_path):
    """An HTML parser recovers every word, and no word becomes a tag."""
    save(DOCUMENT, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    parser = Cells()
    parser.feed(page)
    assert parser.cells[::2] == WORDS
    assert parser.tags.count("script") == 2  # plotly.js and page.js
    assert "<title>About &lt;words&gt;</title>" in page


def test_markdown_escapes_texts(tmp_path):
    """Markup characters are escaped; a table has one line per row."""
    save(DOCUMENT, tmp_path / "page.md")
    lines = (tmp_path / "page.md").read_text(encoding="utf-8").splitlines()
    assert lines[:6] == ["# About &lt;words&gt;", "", "## A \\*heading\\*", "", "Some text", ""]
    assert lines[6:8] == ["| word | n |", "|---|---|"]
    assert lines[8:10] == ["| &lt;script&gt;alert(1)&lt;/script&gt; | 1 |", "| a\\|b | 1 |"]
    assert lines[11:14] == ["| under\\_scores\\_here | 1 |", "| \\`code\\` | 1 |", "| \\[link\\](x) | 1 |"]
    assert lines[14:16] == ["| \\$x\\$ | 1 |", "| \\\\ | 1 |"]


def test_figures_are_in_the_page_or_beside_it(tmp_path):
    """HTML is one file with one copy of plotly; Markdown links to image files."""
    document = Document("Twice", [loss_functions(), loss_functions()])
    save(document, tmp_path / "page.html")
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("* plotly.js v") == 1
    assert page.count("Plotly.newPlot(") == 4  # two panels each
    save(document, tmp_path / "my page.md")
    text = (tmp_path / "my page.md").read_text(encoding="utf-8")
    images = sorted(tmp_path.glob("my page.md.*.png"), key=lambda image: image.name[-5])
    assert [image.name[-6:] for image in images] == [".0.png", ".1.png"]
    for image in images:
        assert f"![Rank losses](<{image.name}>)" in text
        assert image.read_bytes().startswith(b"\x89PNG")


def test_images_keep_their_files(tmp_path):
    """An image is linked to under its own name, and no file is written for it."""
    for name in ("page.html", "page.md"):
        save(Document("Title", [Image("A <picture>", "some file.png")]), tmp_path / name)
    assert '<img src="some file.png" alt="A &lt;picture&gt;">' in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "![A &lt;picture&gt;](<some file.png>)" in (tmp_path / "page.md").read_text(encoding="utf-8")
    assert len(list(tmp_path.iterdir())) == 2


def test_save_document_with_wrong_extension(tmp_path):
    """The error lists the allowed extensions."""
    with pytest.raises(ValueError, match=r"'path' must be a name ending in .html, .md. Got .*x.txt"):
        save(DOCUMENT, tmp_path / "x.txt")
