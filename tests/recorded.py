"""Training runs whose results are recorded byte for byte.

``python tests/recorded.py`` trains every setting and writes the hashes of vectors, contexts, biases and losses to
data/recorded.json, under the CPU level and BLAS of this machine; test_recorded.py compares with them. Record again only
in a commit that says why results change.
"""

import json
import tempfile
from hashlib import blake2b
from pathlib import Path

import numpy as np
from gensim.models.callbacks import CallbackAny2Vec
from gensim.test.utils import common_texts, datapath
from gensim_wordrank import Checkpoints, Cooccurrence, WordRank, show_versions  # noqa: F401
from gensim_wordrank._utils.versions import versions
from scipy.sparse import random as random_sparse
from threadpoolctl import threadpool_info

from problems import lee_corpus

PLACE = Path(__file__).parent / "data" / "recorded.json"
SMALL = {"vector_size": 20, "window": 5, "epochs": 5}
# the vectors as trained, without the change of basis at the end
CONSTANT = {"alpha": 0.015, "min_alpha": 0.015}


def train(**parameters):
    """Train on the Lee corpus."""
    return WordRank(lee_corpus(), **SMALL | parameters)


def from_file(**parameters):
    """Train on a text file."""
    return WordRank(corpus_file=datapath("lee_background.cor"), **SMALL | parameters)


def locked():
    """Train with some vectors locked and others half locked."""
    model = WordRank(**SMALL)
    model.build_vocab(lee_corpus())
    model.wv.vectors_lockf = np.ones(len(model.wv), np.float32)
    model.wv.vectors_lockf[:50], model.wv.vectors_lockf[50:60] = 0, 0.5
    model.train(lee_corpus(), total_examples=model.corpus_count, epochs=4)
    return model


def online():
    """Train, add words, train on the new text."""
    sentences = lee_corpus()
    model = WordRank(sentences[:200], **SMALL)
    model.build_vocab(sentences[200:], update=True)
    model.train(sentences[200:], total_examples=model.corpus_count, epochs=5)
    return model


def warm():
    """Start from the vectors of another model."""
    return WordRank(lee_corpus(), warm_start=train(epochs=2).wv, **SMALL)


def matrix():
    """Train on a random matrix of 3,000 words, which make eight blocks."""
    counts = random_sparse(3000, 3000, 0.01, "csr", np.float32, random_state=1)
    counts.data[:] = np.random.default_rng(1).exponential(20, counts.nnz)
    return WordRank.from_cooccurrence(counts, vector_size=33, epochs=5, seed=7)


def added():
    """Train on the sum of two matrices with different vocabularies."""
    sentences = lee_corpus()
    parts = [Cooccurrence.from_corpus(part, window=4, min_count=2) for part in (sentences[:150], sentences[150:])]
    return WordRank.from_cooccurrence(parts[0] + parts[1], vector_size=20, epochs=4)


class StopAfter(CallbackAny2Vec):
    """Stop training after a number of epochs."""

    def __init__(self, epochs):
        self.epochs = epochs

    def on_epoch_end(self, model):
        """Return True to stop training."""
        return model.epochs_done == self.epochs


def resumed():
    """Stop after three epochs and resume from the checkpoint."""
    with tempfile.TemporaryDirectory() as place:
        train(epochs=7, checkpoint=Checkpoints(place, every=2), callbacks=[StopAfter(3)])
        return WordRank.resume(place, workers=2)


def on_cluster(function):
    """Train on a Dask cluster of two processes."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        return function(client)


def cluster_file(client):
    """Workers read, count and train."""
    return from_file(epochs=7, cluster=client)


def cluster_matrix(client):
    """Workers train on counts that are sent to them."""
    return train(cluster=client)


SETTINGS = {
    "default": lambda: train(epochs=10, workers=1),
    "default, two workers": lambda: train(epochs=10, workers=2),
    "default, three workers": lambda: train(epochs=10, workers=3),
    "hinge": lambda: train(pair_loss="hinge"),
    "identity": lambda: train(rank_loss="identity"),
    "dcg": lambda: train(rank_loss="dcg"),
    "log_t": lambda: train(rank_loss="log_t", pair_loss="hinge"),
    "constant rate": lambda: train(**CONSTANT),
    "constant rate, hinge": lambda: train(pair_loss="hinge", alpha=0.0125, min_alpha=0.0125, seed=3),
    "no weights, no discount, no L2": lambda: train(weighted=False, discount=0, l2=0, **CONSTANT),
    "one-sided, flat": lambda: train(symmetric=False, distance_weighting=False, min_count=3),
    "triplet": lambda: train(solver="triplet", epochs=3),
    "triplet, hinge, dcg": lambda: train(solver="triplet", pair_loss="hinge", rank_loss="dcg", epochs=3),
    "triplet, identity": lambda: train(solver="triplet", rank_loss="identity", epochs=2),
    "triplet, log_t": lambda: train(solver="triplet", rank_loss="log_t", epochs=2),
    "tiny": lambda: WordRank(common_texts, vector_size=10, min_count=1),
    "file": from_file,
    "locked": locked,
    "online": online,
    "warm start": warm,
    "matrix": matrix,
    "sum of matrices": added,
    "resumed": resumed,
    "cluster, file": lambda: on_cluster(cluster_file),
    "cluster, sentences": lambda: on_cluster(cluster_matrix),
}


def hashes(model):
    """Return a short hash of each array, and one of the losses."""
    arrays = {
        "vectors": model.wv.vectors, "contexts": model.context_vectors, "bias": model.context_bias,
        "losses": np.array(model.training_losses), "sum": model.vectors("sum").vectors,
    }  # fmt: skip
    return {
        name: blake2b(np.ascontiguousarray(array).data, digest_size=8).hexdigest() for name, array in arrays.items()
    }


def machine():
    """Return what results depend on besides the code: the CPU level of the kernels and NumPy's BLAS."""
    blas = [pool for pool in threadpool_info() if pool["user_api"] == "blas" and "numpy" in pool["filepath"]]
    name = ", ".join(f"{pool['internal_api']} {pool['version']} {pool.get('architecture')}" for pool in blas)
    return f"{versions()['CPU level']}, NumPy {np.__version__.rpartition('.')[0]}, {name}"


if __name__ == "__main__":
    known = json.loads(PLACE.read_text()) if PLACE.exists() else {}
    known[machine()] = {name: hashes(setting()) for name, setting in SETTINGS.items()}
    PLACE.write_text(json.dumps(known, indent=1) + "\n")
