"""How the pages are built: `make docs`."""

import logging
from importlib import metadata

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

project = "gensim-wordrank"
release = metadata.version(project)
html_theme = "furo"
html_title = "gensim-wordrank"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
# the sources are the whole checkout, so that links between all its Markdown files hold here as on a code host
root_doc = "docs/index"
include_patterns = [
    "docs/**", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "benchmarks/EXPERIMENTS.md", "cython_src/README.md",
]  # fmt: skip
exclude_patterns = [".*", "build"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]

# pages stay Markdown that a code host shows too: its tables, its $formulas$ and its ```math blocks
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 3
highlight_language = "none"  # a block without a name is not a program
html_math_renderer = "mathml"

logging.getLogger("gensim").setLevel(logging.WARNING)  # the theme's colours switch on the log of all packages
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # types stand in the docstrings
napoleon_use_param = False  # ... where they are prose, not names to be looked up
napoleon_use_rtype = False
napoleon_use_ivar = True
# names of other packages have no page here
nitpick_ignore_regex = [("py:.*", r"(?!gensim_wordrank).*")]


def write_mathml(translator: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    """Write a formula as MathML, which browsers draw themselves: no script and no network."""
    is_block = isinstance(node, nodes.math_block)
    formula = tex2mathml(node.astext(), as_block=is_block)
    translator.body.append(f'<div class="math">{formula}</div>\n' if is_block else formula)
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Make `write_mathml` known."""
    app.add_html_math_renderer("mathml", (write_mathml, None), (write_mathml, None))
