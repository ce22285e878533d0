"""Count co-occurrences, combine them, save them, and exchange them with other programs."""

from gensim_wordrank.cooccurrence.formats import read_glove, read_wordrank, write_glove
from gensim_wordrank.cooccurrence.matrix import Cooccurrence

__all__ = ["Cooccurrence", "read_glove", "read_wordrank", "write_glove"]
