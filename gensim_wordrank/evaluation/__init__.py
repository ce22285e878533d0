"""Scores of word vectors on test sets. Any KeyedVectors will do: ours, Word2Vec's, GloVe's."""

from gensim_wordrank.evaluation.scores import Comparison, Score, analogies, compare, evaluate, similarity
from gensim_wordrank.evaluation.testsets import (
    AnalogySet,
    SimilaritySet,
    in_directory,
    read_analogies,
    read_similarity,
    shipped,
)

__all__ = [
    "AnalogySet",
    "Comparison",
    "Score",
    "SimilaritySet",
    "analogies",
    "compare",
    "evaluate",
    "in_directory",
    "read_analogies",
    "read_similarity",
    "shipped",
    "similarity",
]
