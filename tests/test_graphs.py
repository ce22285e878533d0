"""Co-occurrence counts of the nodes of a graph."""

import itertools

import numpy as np
import pytest
from gensim_wordrank import WordRank
from gensim_wordrank.cooccurrence.graphs import VISITS, read_graph, walk_counts
from scipy.sparse import csr_matrix


class Graph:
    """What NetworkX's graphs offer of what is needed."""

    def __init__(self, nodes, edges, directed=False):
        self.nodes, self._edges, self._directed = nodes, edges, directed

    def is_directed(self):
        """Return True if edges have a direction."""
        return self._directed

    def edges(self, data, default):
        """Yield edges with an attribute."""
        assert data == "weight"
        yield from ((*edge[:2], edge[2] if len(edge) > 2 else default) for edge in self._edges)


def random_adjacency(n=30, seed=0):
    """Return a symmetric matrix with weights, and one node without edges."""
    random = np.random.default_rng(seed)
    half = np.triu(random.random((n, n)) * (random.random((n, n)) < 0.2), 1)
    half[:, 3] = half[3] = 0
    return half + half.T


def expected_counts(adjacency, walk_length):
    """Return the sum over distances by its definition."""
    degrees = adjacency.sum(axis=1)
    step = adjacency / np.where(degrees > 0, degrees, 1)[:, None]
    visits = np.diag(degrees / degrees.sum() * VISITS * len(adjacency))
    total = sum(visits @ np.linalg.matrix_power(step, k) / k for k in range(1, walk_length + 1))
    np.fill_diagonal(total, 0)
    return total + total.T


@pytest.mark.parametrize("walk_length", [1, 2, 5])
def test_expected_counts_of_walks(walk_length):
    """Counts are the sum of powers of the walk matrix, for edges with and without direction."""
    adjacency = random_adjacency()
    for matrix in (adjacency, np.triu(adjacency)):
        found = walk_counts(csr_matrix(matrix), walk_length).matrix.toarray()
        np.testing.assert_allclose(found, expected_counts(matrix, walk_length), rtol=1e-4, atol=1e-5)


def test_kinds_of_graphs():
    """Matrices, edges and NetworkX graphs with the same edges have the same counts; isolated nodes are kept."""
    adjacency = random_adjacency()
    edges = [(i, j, adjacency[i, j]) for i, j in itertools.combinations(range(30), 2) if adjacency[i, j]]
    expected = walk_counts(adjacency)
    graph = walk_counts(Graph(list(range(30)), edges))
    assert graph.words == expected.words == list(range(30))
    np.testing.assert_allclose(graph.matrix.toarray(), expected.matrix.toarray(), rtol=1e-5)
    listed = walk_counts(edges).reindex(list(range(30)))
    np.testing.assert_allclose(listed.matrix.toarray() * 30 / 29, expected.matrix.toarray(), rtol=1e-5)
    directed, _ = read_graph(Graph("ab", [("a", "b")], directed=True))
    assert directed.toarray().tolist() == [[0, 1], [0, 0]]
    loop, _ = read_graph([("a", "a"), ("a", "b")])
    assert loop.toarray().tolist() == [[1, 1], [1, 0]]


def test_bounded_number_of_pairs():
    """With `max_pairs`, the largest counts of each node are kept."""
    adjacency = random_adjacency(200)
    few, all_ = walk_counts(adjacency, max_pairs=2000), walk_counts(adjacency)
    assert few.nnz < 4000 < all_.nnz
    assert few.data.mean() > all_.data.mean()


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (np.ones((2, 3)), "'graph' must be a square adjacency matrix"),
        (np.array([[0, -1], [-1, 0]]), "'graph' must have finite weights, 0 or above"),
        ([("a",)], r"must be \(node, node\)"),
    ],
)
def test_bad_graphs(graph, message):
    """Errors say what is wrong."""
    with pytest.raises(ValueError, match=message):
        walk_counts(graph)


def test_communities_are_found():
    """Neighbours by `from_graph` are of the same community."""
    random = np.random.default_rng(0)
    groups = np.repeat([0, 1, 2], 20)
    within = groups[:, None] == groups
    half = np.triu(random.random((60, 60)) < np.where(within, 0.4, 0.03), 1)
    model = WordRank.from_graph((half + half.T).astype(float), vector_size=16)
    near = [groups[other] == groups[node] for node in range(60) for other, _ in model.wv.most_similar(node, topn=5)]
    assert np.mean(near) > 0.9
