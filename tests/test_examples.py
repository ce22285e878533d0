"""Every example in a docstring or in the README runs and prints what it says."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import gensim_wordrank
import pytest

ROOT = Path(__file__).parent.parent
FOUND = pkgutil.walk_packages(gensim_wordrank.__path__, "gensim_wordrank.")
MODULES = ["gensim_wordrank", *(info.name for info in FOUND if "._" not in info.name)]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    """Doctests of one module."""
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


def run_page(name):
    """Run the Python of a page from top to bottom; return what it defined."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
    assert blocks
    result = {}
    exec(compile("\n".join(blocks), name, "exec"), result)
    return result


PAGES = ("README.md", "docs/cooccurrence.md", "docs/evaluation.md", "docs/reliability.md", "docs/distributed.md")


@pytest.mark.parametrize("page", PAGES)
def test_pages(page, tmp_path, monkeypatch):
    """The Python of a page runs in an empty directory."""
    monkeypatch.chdir(tmp_path)
    run_page(page)


@pytest.mark.filterwarnings("ignore:unclosed file")  # gensim leaves a file without a header open
def test_migration(tmp_path, monkeypatch, lee):
    """The Python of docs/migration.md runs beside the files it reads, and takes over what they hold."""
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("\n".join(map(" ".join, lee)))
    Path("vocab.txt").write_text("the 900\nof 400\nnever-seen 9\n")
    vectors = {"never-seen": [1.0] * 50, "of": [0.25] * 50, "the": [0.5] * 50}
    for dump in ("model_word_90.txt", "model_context_90.txt", "vectors.txt"):
        Path(dump).write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in vectors.items()))
    page = run_page("docs/migration.md")
    assert page["words"].index_to_key == ["the", "of", "never-seen"]
    assert page["words"].get_vecattr("of", "count") == 400
    assert page["ensemble"].index_to_key == page["words"].index_to_key
    assert len(page["model"].wv) == 1750
    assert len(Path("glove.txt").read_text().splitlines()) == 1750


def test_demo(tmp_path, capsys):
    """The demo prints losses, neighbours and a score, and writes vectors and a picture."""
    from gensim_wordrank import demo

    demo.main(tmp_path / "demo")
    printed = capsys.readouterr().out
    assert "epoch   1   loss" in printed
    assert "WordSim-353: Spearman" in printed
    assert "% of the pairs have an unknown word" in printed
    assert (tmp_path / "demo" / "words.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "demo" / "lee-vectors.txt").read_text().startswith("1750 100\n")
