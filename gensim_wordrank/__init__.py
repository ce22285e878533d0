"""WordRank word embeddings for gensim.

>>> from gensim.test.utils import common_texts
>>> from gensim_wordrank import WordRank
>>> model = WordRank(common_texts, vector_size=20, min_count=1)
>>> len(model.wv.most_similar("computer", topn=3))
3
"""

from importlib.metadata import version as _version

from gensim_wordrank.model import WordRank
from gensim_wordrank.objective import Objective
from gensim_wordrank.versions import show_versions

__all__ = ["Objective", "WordRank", "show_versions"]
__version__ = _version("gensim-wordrank")
