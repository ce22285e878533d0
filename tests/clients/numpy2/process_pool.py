"""scripts with processes: joblib dumps, deep copies, pickles, and a process pool that is given the model."""

import copy
import pickle
import tempfile
from concurrent.futures import ProcessPoolExecutor

import joblib
import numpy as np
import tasks
from gensim.models import Word2Vec


def vectorize(model, texts):
    """Return mean vectors, in another process."""
    return tasks.mean_vectors(texts, model.wv)


def run():
    """Classify passages."""
    model = Word2Vec(tasks.sentences(), vector_size=100, min_count=5, sg=1, workers=2)
    with tempfile.TemporaryDirectory() as directory:
        joblib.dump(model, f"{directory}/model.joblib")
        copies = [joblib.load(f"{directory}/model.joblib"), copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    assert all((each.wv.vectors == model.wv.vectors).all() for each in copies)
    copies[1].train(tasks.sentences()[:100], total_examples=100, epochs=1)
    texts, labels = tasks.passages()
    with ProcessPoolExecutor(2) as pool:
        parts = list(pool.map(vectorize, copies[::2], [texts[:600], texts[600:]]))
    return "accuracy", tasks.accuracy(np.vstack(parts), labels)
