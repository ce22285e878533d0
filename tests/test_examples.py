"""Every example in a docstring or in the README runs and prints what it says."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import gensim_wordrank
import pytest

ROOT = Path(__file__).parent.parent
MODULES = [info.name for info in pkgutil.iter_modules(gensim_wordrank.__path__) if not info.name.startswith("_")]


@pytest.mark.parametrize("name", ["", *MODULES])
def test_docstrings(name):
    """Doctests of one module."""
    module = importlib.import_module(f"gensim_wordrank.{name}".rstrip("."))
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


@pytest.mark.parametrize("page", ["README.md", "docs/cooccurrence.md"])
def test_pages(page, tmp_path, monkeypatch):
    """The Python of a page runs from top to bottom in an empty directory."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks), page, "exec"), {})


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
