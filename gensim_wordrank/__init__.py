"""WordRank word embeddings for gensim.

>>> from gensim.test.utils import common_texts
>>> from gensim_wordrank import WordRank
>>> model = WordRank(common_texts, vector_size=20, min_count=1)
>>> len(model.wv.most_similar("computer", topn=3))
3
"""

import sys as _sys
from importlib.machinery import EXTENSION_SUFFIXES as _SUFFIXES
from importlib.metadata import version as _version
from pathlib import Path as _Path


def _compiled(folder: _Path) -> bool:
    return any((folder / f"_losses{suffix}").exists() for suffix in _SUFFIXES)


# In a checkout this folder has no compiled kernels, yet Python started there finds it first: go to the installed one.
if not _compiled(_Path(__file__).parent):
    _places = [_Path(place, "gensim_wordrank").resolve() for place in _sys.path]
    __path__[:] = [str(place) for place in _places if _compiled(place)][:1]
    if not __path__:
        raise ImportError("gensim_wordrank is not installed here. Run: pip install .")

from gensim_wordrank._utils.versions import show_versions
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.model import WordRank
from gensim_wordrank.objective.objective import Objective
from gensim_wordrank.training.checkpoints import Checkpoints

__all__ = ["Checkpoints", "Cooccurrence", "Objective", "WordRank", "show_versions"]
__version__ = _version("gensim-wordrank")
