"""gensim's tutorials on document similarity: `n_similarity`, and the human judgements of the Lee corpus."""

from pathlib import Path

import numpy as np
import tasks
from gensim.models import Word2Vec
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess
from scipy.stats import spearmanr


def run():
    """Compare similarities of the 50 Lee documents with those of human readers."""
    model = Word2Vec(tasks.lee(), vector_size=100, window=10, min_count=2, epochs=20, workers=2, seed=tasks.SEED)
    lines = Path(datapath("lee.cor")).read_text(encoding="iso-8859-1").splitlines()
    documents = [[word for word in simple_preprocess(line) if word in model.wv] for line in lines]
    judged = np.loadtxt(datapath("similarities0-1.txt"))
    pairs = [(i, j) for i in range(len(documents)) for j in range(i)]
    found = [model.wv.n_similarity(documents[i], documents[j]) for i, j in pairs]
    return "correlation x 100", 100 * spearmanr(found, [judged[j, i] for i, j in pairs]).statistic
