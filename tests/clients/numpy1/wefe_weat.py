"""wefe: the WEAT metric on vectors that were trained with `workers=-1`."""

import tasks
from gensim.models import Word2Vec
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel


def run():
    """Measure a known association: scientists with science, and artists with art."""
    model = Word2Vec(tasks.sentences(), vector_size=100, window=5, min_count=5, workers=-1, seed=tasks.SEED)
    query = Query(
        [["physics", "chemistry", "mathematics", "theory"], ["music", "film", "poetry", "literature"]],
        [["scientist", "einstein", "newton", "university"], ["artist", "actor", "writer", "novel"]],
    )
    result = WEAT().run_query(query, WordEmbeddingModel(model.wv, "articles"), lost_vocabulary_threshold=0.5)
    return "effect size x 100", 100 * WEAT().run_query(
        query, WordEmbeddingModel(model.wv, "articles"), lost_vocabulary_threshold=0.5, return_effect_size=True
    )["effect_size"] if result else 0
