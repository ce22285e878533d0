"""WordRank word embeddings for gensim.

>>> from gensim.test.utils import common_texts
>>> from gensim_wordrank import WordRank
>>> model = WordRank(common_texts, vector_size=20, min_count=1)
>>> len(model.wv.most_similar("computer", topn=3))
3
"""

from importlib.metadata import version as _version

try:
    from gensim_wordrank import _losses as _losses
except ImportError as error:
    raise ImportError(
        "The compiled kernels of gensim_wordrank are missing. In a checkout, run: pip install -e . "
        "(CONTRIBUTING.md has the details); elsewhere, run: pip install gensim-wordrank"
    ) from error

from gensim_wordrank._utils.versions import show_versions
from gensim_wordrank.change import Change
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.model import WordRank
from gensim_wordrank.objective.objective import Objective
from gensim_wordrank.training.checkpoints import Checkpoints

__all__ = ["Change", "Checkpoints", "Cooccurrence", "Objective", "WordRank", "show_versions"]
__version__ = _version("gensim-wordrank")
