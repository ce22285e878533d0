"""Score word vectors on similarity and analogy test sets. Works with any gensim KeyedVectors."""

from gensim_wordrank.evaluation.load import LoadedModel, load_model
from gensim_wordrank.evaluation.scores import (
    Comparison,
    Score,
    Scores,
    analogies,
    compare,
    evaluate,
    similarity,
    words_of,
)
from gensim_wordrank.evaluation.testsets import (
    AnalogySet,
    SimilaritySet,
    bundled_sets,
    read_analogies,
    read_directory,
    read_similarity,
)

__all__ = [
    "AnalogySet", "Comparison", "LoadedModel", "Score", "Scores", "SimilaritySet", "analogies", "bundled_sets",
    "compare", "evaluate", "load_model", "read_analogies", "read_directory", "read_similarity", "similarity",
    "words_of",
]  # fmt: skip
