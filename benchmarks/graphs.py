"""Node classification: WordRank.from_graph beside Word2Vec and WordRank on random walks, PecanPy and Cleora.

    python benchmarks/graphs.py DIR [--runs graph word2vec:5 wordrank:10 pecanpy cleora ...] [--repeats 3]

DIR holds one NAME.npz per graph: the arrays `data`, `indices` and `indptr` of a symmetric adjacency matrix (CSR), and
`labels`, a matrix of zeros and ones with a row per node. "word2vec:5" and "wordrank:10" train for so many epochs on 10
walks of 80 nodes from every node, window 10. "pecanpy" is node2vec with p = q = 1, the same walks and one epoch of
Word2Vec, its default; "cleora" is `pycleora.embed`. Both must be installed. All vectors have 128 dimensions. Prints
micro-F1, in percent, of logistic regression on the vectors, with half of the nodes for training, and the processor
seconds from the graph to the vectors, walks included. For several labels per node, as many are predicted as it has.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import process_time

import numpy as np
from gensim.models import Word2Vec
from gensim_wordrank import WordRank
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

SIZE, WALKS, LENGTH, WINDOW = 128, 10, 80, 10


def read(path: Path) -> tuple[csr_matrix, np.ndarray]:
    """Return an adjacency matrix and labels."""
    saved = np.load(path)
    n = len(saved["indptr"]) - 1
    return csr_matrix((saved["data"], saved["indices"], saved["indptr"]), (n, n)), saved["labels"]


def random_walks(adjacency: csr_matrix, seed: int = 0) -> list[list[str]]:
    """Return unweighted random walks from all nodes that have neighbours."""
    random, degrees = np.random.default_rng(seed), np.diff(adjacency.indptr)
    walks = []
    for _ in range(WALKS):
        steps = [random.permutation(np.flatnonzero(degrees))]
        for _ in range(LENGTH - 1):
            here = steps[-1]
            steps.append(
                adjacency.indices[adjacency.indptr[here] + (random.random(len(here)) * degrees[here]).astype(int)]
            )
        walks.extend(np.stack(steps, axis=1).astype(str).tolist())
    return walks


def embed(run: str, adjacency: csr_matrix) -> np.ndarray:
    """Return the vectors of the nodes; zeros for nodes that walks do not reach."""
    trainer, _, epochs = run.partition(":")
    if trainer == "pecanpy":
        return embed_with_pecanpy(adjacency)
    if trainer == "cleora":
        return embed_with_cleora(adjacency)
    if trainer == "graph":
        keyed = WordRank.from_graph(adjacency, vector_size=SIZE, workers=1).wv
    else:
        options = {"vector_size": SIZE, "window": WINDOW, "min_count": 1, "epochs": int(epochs), "workers": 1}
        walks = random_walks(adjacency)
        keyed = Word2Vec(walks, sg=1, **options).wv if trainer == "word2vec" else WordRank(walks, **options).wv
    vectors = np.zeros((adjacency.shape[0], SIZE), np.float32)
    vectors[np.array(keyed.index_to_key).astype(int)] = keyed.vectors
    return vectors


def embed_with_pecanpy(adjacency: csr_matrix) -> np.ndarray:
    """Return the vectors of node2vec's default walks and one epoch of Word2Vec."""
    from pecanpy.pecanpy import SparseOTF

    n = adjacency.shape[0]
    walker = SparseOTF(p=1, q=1, workers=1, random_state=0)
    walker.set_node_ids([str(node) for node in range(n)])
    walker.indptr, walker.indices = adjacency.indptr.astype(np.uint32), adjacency.indices.astype(np.uint32)
    walker.data = adjacency.data.astype(np.float32)
    return walker.embed(dim=SIZE, num_walks=WALKS, walk_length=LENGTH, window_size=WINDOW)


def embed_with_cleora(adjacency: csr_matrix) -> np.ndarray:
    """Return Cleora's vectors with its defaults; zeros for nodes without edges."""
    from pycleora import SparseMatrix, embed

    edges = adjacency.tocoo()
    lines = [f"{a} {b}" for a, b in zip(edges.row.tolist(), edges.col.tolist(), strict=True) if a < b]
    graph = SparseMatrix.from_iterator(iter(lines), "complex::reflexive::product")
    vectors = np.zeros((adjacency.shape[0], SIZE), np.float32)
    vectors[np.array(graph.entity_ids).astype(int)] = embed(graph, feature_dim=SIZE)
    return vectors


def micro_f1(vectors: np.ndarray, labels: np.ndarray, seed: int) -> float:
    """Return the micro-F1 of a random split; with the number of labels known, it is the precision."""
    is_labelled = labels.any(axis=1)
    vectors, labels = vectors[is_labelled], labels[is_labelled]
    order = np.random.default_rng(seed).permutation(len(labels))
    train, test = np.split(order, [len(order) // 2])
    labels = labels[:, labels[train].any(axis=0)]
    classifier = OneVsRestClassifier(LogisticRegression(solver="liblinear")).fit(vectors[train], labels[train])
    scores = classifier.predict_proba(vectors[test])
    ranks = (-scores).argsort(axis=1).argsort(axis=1)
    predicted = ranks < labels[test].sum(axis=1, keepdims=True)
    return 100 * float((predicted * labels[test]).sum() / predicted.sum())


def main() -> None:
    """Run everything; print each row when it is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--runs", nargs="+", default=["graph", "wordrank:10", "word2vec:5"])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    for path in sorted(options.directory.glob("*.npz")):
        adjacency, labels = read(path)
        for run in options.runs:
            started = process_time()
            vectors = embed(run, adjacency)
            seconds = process_time() - started
            found = np.mean([micro_f1(vectors, labels, seed) for seed in range(options.repeats)])
            print(f"{path.stem}  {run}  micro-F1 {found:.1f}  {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
