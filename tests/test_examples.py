"""All examples run: those in docstrings, in README and documentation, and the scripts in examples/."""

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import gensim_wordrank
import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
PAGES = [page for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")] if "```python\n" in page.read_text()]
TESTED_SEPARATELY = {"docs/getting-started.md", "docs/migration.md"}
COMMANDS = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
# a pattern of what each script prints
SCRIPTS = {
    "classify_texts.py": r"TF-IDF +6\d\.\d%\nWordRank +8\d\.\d%\n",
    "compare_with_word2vec.py": r"wordsim353 .* against .*% unknown: (may be|more than) noise",
    "document_search.py": r"^0\.\d\d  Australian cricket",
    "early_stopping.py": r"stopped after epoch [5-9]\n",
    "graph.py": r"a0:( a\d+){5}",
    "neighbours_to_trust.py": r"Minister: trusted\n(  0.*\n){5}tree: not trusted\n",
    "phrases.py": r"174 of 1818 words are phrases\n",
    "smaller_vectors.py": r"int8: 20\d{4} bytes, 9\d% of the ten nearest words stay\npq: .*, 9\d%",
    "train_your_text.py": r"1750 vectors and words.html are in vectors",
    "why_words_are_near.py": r"^India and Pakistan: 0.5.*\n.*\n  0.0.*Pakistan\n",
    "words_that_changed.py": r"\ncup: -0\.\d\d instead of 0\.\d\d, q 0\.0.*\n  from .* to .*(champion|tennis)",
    "wikipedia_dump.py": r"106 articles in wikipedia/enwiki-.*ed.txt\n.* vectors in wikipedia/enwiki-.*ed.model",
}
FOUND = pkgutil.walk_packages(gensim_wordrank.__path__, "gensim_wordrank.")
MODULES = ["gensim_wordrank", *(info.name for info in FOUND if "._" not in info.name)]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    """The doctests of a module pass."""
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


def run_page(name, *languages):
    """Run the code blocks of a page in order, by default only Python; return the names that it defined."""
    blocks = re.findall(rf"```({'|'.join(languages or ['python'])})\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
    assert blocks
    result = {}
    for language, block in blocks:
        if language == "python":
            exec(compile(block, name, "exec"), result)
        elif block.startswith("wordrank"):
            subprocess.run(["bash", "-euc", block], check=True, env=os.environ | {"PATH": COMMANDS})
    return result


@pytest.mark.parametrize("page", sorted({str(page.relative_to(ROOT)) for page in PAGES} - TESTED_SEPARATELY))
def test_pages(page, tmp_path, monkeypatch):
    """The Python code of a page runs in an empty directory."""
    monkeypatch.chdir(tmp_path)
    run_page(page)


def test_getting_started(tmp_path, monkeypatch, capfd):
    """The commands and Python code of the page give neighbours, a plot and vectors, with the printed results."""
    monkeypatch.chdir(tmp_path)
    page = run_page("docs/getting-started.md", "python", "sh")
    shown = re.search("```text\n(.*?)```", (ROOT / "docs/getting-started.md").read_text(), re.DOTALL)[1]
    printed = re.search(r"^Wrote 1750 vectors to(.*\n){7}", capfd.readouterr().out, re.MULTILINE)[0]
    shown, printed = (re.sub(r" \(1\.5 MB, \d+\.\d s\)", "", text) for text in (shown, printed))
    (loss, *cosines), (real_loss, *real_cosines) = (re.findall(r"\d+\.\d+", text) for text in (shown, printed))
    assert float(loss) == pytest.approx(float(real_loss), rel=0.01)
    # rounding depends on the processor, so words with almost equal cosines may swap
    assert [float(each) for each in cosines] == pytest.approx([float(each) for each in real_cosines], abs=0.02)
    assert shown.split()[-9:-4:2] == printed.split()[-9:-4:2]
    assert Path("words.png").read_bytes().startswith(b"\x89PNG")
    assert Path("vectors.txt").read_text().startswith("1750 100\n")
    assert len(page["model"].wv) == 1750


@pytest.mark.filterwarnings("ignore:unclosed file")  # gensim leaves a file without a header open
def test_migration(tmp_path, monkeypatch, lee):
    """The Python code of docs/migration.md runs on the files that it expects and loads their content."""
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


@pytest.mark.parametrize("script", sorted(path.name for path in ROOT.glob("examples/*.py")))
def test_scripts(script, tmp_path):
    """A script runs in a new process without arguments or warnings."""
    command = [sys.executable, "-W", "error", str(ROOT / "examples" / script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(SCRIPTS[script], done.stdout)


def test_notebook(tmp_path):
    """The notebook runs without errors and warnings, and shows tables, a picture and a progress bar."""
    notebook = nbformat.read(ROOT / "examples" / "wikipedia.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # they would become outdated
    NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert not [output.text for output in outputs if output.output_type == "stream"]
    shown = [output.data for output in outputs]
    tables = [data["text/html"] for data in shown if "text/html" in data]
    assert [re.search("(WordRank|Cooccurrence|wordsim353|difference)", table)[1] for table in tables] == [
        "WordRank", "Cooccurrence", "wordsim353", "difference",
    ]  # fmt: skip
    assert sum("image/png" in data for data in shown) == 1
    assert any("application/vnd.jupyter.widget-view+json" in data for data in shown)  # of tqdm
    neighbours = next(data["text/plain"] for data in shown if "quantum" in data["text/plain"])
    assert "theoretical" in neighbours


def test_demo(tmp_path):
    """The demo prints neighbours, correct analogies and scores, without a log, and writes what it says it writes."""
    command = [sys.executable, "-W", "error", "-m", "gensim_wordrank.demo", "demo"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    near = re.search(r"^  physics +(.*)$", done.stdout, re.MULTILINE)[1].split(", ")
    assert {"theoretical", "quantum"} <= set(near)
    answers = re.findall(r"^  \w+ is to \w+ as \w+ is to (\w+)$", done.stdout, re.MULTILINE)
    assert answers == ["italian", "german", "third"]
    found = re.search(r"wordsim353 +(\S+)  .*  (\d+) of 353 items, (\d+)% unknown", done.stdout)
    score, known, unknown = found.groups()
    assert float(score) > 50
    assert int(unknown) == round(100 - int(known) / 3.53)
    written = re.search("^Wrote (.*)$", done.stdout, re.MULTILINE)[1].split(", ")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert {tmp_path / name for name in written} == set((tmp_path / "demo").iterdir())
    assert (tmp_path / "demo" / "words.png").read_bytes().startswith(b"\x89PNG")
    for page in ("words.html", "report.html"):
        assert (tmp_path / "demo" / page).read_bytes().startswith(b"<!DOCTYPE html>")


def test_demo_without_plotting_libraries(tmp_path):
    """Without the extra `plot`, the demo trains and says what to install for pictures."""
    script = (
        "import sys; from gensim_wordrank import demo; sys.modules['sklearn.manifold'] = None; demo.main(demo.Path())"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "pip install 'gensim-wordrank[plot]'" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["wikipedia.model"]
