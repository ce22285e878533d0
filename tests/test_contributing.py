"""What CONTRIBUTING.md says about the code and the Makefile is true."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text()


def read_map():
    """Return the paths of the modules in the map; a name belongs to the last folder that begins a line."""
    paths, package, folder = set(), "", ""
    for line in re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)[1].splitlines():
        if line[0] != " ":
            package = folder = line.split()[0]
        elif line[2] != " ":
            first = line.split()[0]
            folder = package + first if first.endswith("/") else package
        paths |= {folder + name for name in re.findall(r"\w+\.pyx?\b", line)}
    return {path for path in paths if path.startswith(("gensim_wordrank/", "cython_src/"))}


def test_map_lists_all_modules():
    """The map lists all modules and kernels, and no others."""
    modules = [*ROOT.glob("gensim_wordrank/**/*.py"), *ROOT.glob("cython_src/*.pyx")]
    assert read_map() == {str(path.relative_to(ROOT)) for path in modules if path.name != "__init__.py"}


def test_map_fits_on_a_screen():
    """The map has at most 40 lines of at most 120 characters."""
    lines = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)[1].splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 120


def test_make_targets_are_described():
    """The table and the Makefile's header describe all targets of the Makefile."""
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.search(r"\.PHONY: (.*)", makefile)[1].split()) - {"help"}
    assert set(re.findall(r"^\| `make ([\w-]+)`", PAGE, re.MULTILINE)) == targets
    assert set(re.findall(r"^# make ([\w-]+)", makefile, re.MULTILINE)) == targets
