"""services: each process of a pool loads the model with `mmap="r"` and answers `most_similar`."""

import multiprocessing
import tempfile

import tasks
from gensim.models import Word2Vec

state = {}


def start(path):
    """Load the model in a new process."""
    state["model"] = Word2Vec.load(path, mmap="r")


def similar(word):
    """Return the nearest words, by both kinds of cosines."""
    wv = state["model"].wv
    return [found for found, _ in wv.most_similar(word, topn=10) + wv.most_similar_cosmul(word, topn=10)]


def run():
    """Count the neighbours that occur in the same articles more often than by chance."""
    model = Word2Vec(tasks.sentences(), vector_size=100, window=5, min_count=10, sg=1, workers=2, sample=1e-4)
    articles = [{word for sentence in article for word in sentence} for article in tasks.articles()]
    words = model.wv.index_to_key[500:600]
    with tempfile.TemporaryDirectory() as directory:
        model.save(f"{directory}/model")
        with multiprocessing.get_context("fork").Pool(2, start, [f"{directory}/model"]) as pool:
            answers = pool.map(similar, words)
    hits = asked = 0
    for word, answer in zip(words, answers, strict=True):
        here = [article for article in articles if word in article]
        for other in answer:
            asked += 1
            together = sum(other in article for article in here) / len(here)
            hits += together > 1.5 * sum(other in article for article in articles) / len(articles)
    return "related", 100 * hits / asked
