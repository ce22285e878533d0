"""Co-occurrence counts of the nodes of a graph: those of random walks, calculated instead of sampled."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from gensim_wordrank._utils import validation
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.cooccurrence.sparse import to_csr

# A walk of 80 nodes from every node, ten times, visits a node 800 times on average. DeepWalk and node2vec have these
# numbers.
VISITS = 800
# rows of the walk matrix that are multiplied at a time, to bound the memory of dense graphs
ROWS_PER_BLOCK = 256


def read_graph(graph: Any) -> tuple[sparse.csr_matrix, list[Any]]:
    """Return the adjacency matrix of a graph, and its nodes.

    Parameters
    ----------
    graph : NetworkX graph, SciPy sparse matrix, array, or iterable of edges
        Nodes of matrices are numbers. An edge is (node, node) or (node, node, weight), and counts in both directions.
        The edges of a NetworkX graph have the weights that they call "weight", or 1, and may be directed.

    Examples
    --------
    >>> from gensim_wordrank.cooccurrence.graphs import read_graph
    >>> adjacency, nodes = read_graph([("a", "b"), ("b", "c", 2)])
    >>> adjacency.toarray().tolist(), nodes
    ([[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]], ['a', 'b', 'c'])
    """
    if sparse.issparse(graph) or isinstance(graph, np.ndarray):
        matrix = to_csr(graph, "graph", np.float64)
        if matrix.shape[0] != matrix.shape[1]:
            raise validation.parameter_error("graph", "a square adjacency matrix", matrix.shape)
        return matrix, list(range(matrix.shape[0]))
    is_networkx = hasattr(graph, "is_directed")
    is_directed = is_networkx and graph.is_directed()
    edges = list(graph.edges(data="weight", default=1)) if is_networkx else [tuple(edge) for edge in graph]
    if not all(len(edge) in (2, 3) for edge in edges):
        raise ValueError("Each edge of 'graph' must be (node, node) or (node, node, weight).")
    nodes = list(graph.nodes if is_networkx else dict.fromkeys(node for edge in edges for node in edge[:2]))
    number = {node: i for i, node in enumerate(nodes)}
    rows, columns = ([number[edge[end]] for edge in edges] for end in (0, 1))
    weights = np.array([edge[2] if len(edge) == 3 else 1 for edge in edges], np.float64)
    matrix = sparse.csr_matrix((weights, (rows, columns)), (len(nodes), len(nodes)))
    if not is_directed:
        loops = sparse.diags(matrix.diagonal())
        matrix = matrix + matrix.T - loops
    return sparse.csr_matrix(matrix), nodes


def walk_counts(graph: Any, walk_length: int = 3, max_pairs: int = 10_000_000) -> Cooccurrence:
    """Return how often nodes are expected to be up to `walk_length` steps apart in random walks.

    The sum over k of ``D P^k / k``, where D holds the degrees and P = D^-1 A is the matrix of a random step, plus its
    transpose: what Word2Vec would see in infinitely many walks, scaled to 800 visits per node.

    Parameters
    ----------
    graph
        See :func:`read_graph`.
    walk_length : int
        The largest distance.
    max_pairs : int
        About how many pairs may be stored: the largest counts of each node are kept.

    Examples
    --------
    >>> from gensim_wordrank.cooccurrence.graphs import walk_counts
    >>> counts = walk_counts([("a", "b"), ("b", "c")], walk_length=2)
    >>> counts.matrix.toarray().round().tolist()
    [[0.0, 1200.0, 300.0], [1200.0, 0.0, 1200.0], [300.0, 1200.0, 0.0]]
    """
    validation.positive_integer("walk_length", walk_length)
    adjacency, nodes = read_graph(graph)
    if not (np.isfinite(adjacency.data).all() and (adjacency.data >= 0).all()):
        raise ValueError("'graph' must have finite weights, 0 or above. Remove all others.")
    n, degrees = len(nodes), np.asarray(adjacency.sum(axis=1)).ravel()
    step = sparse.csr_matrix(sparse.diags(1 / np.where(degrees > 0, degrees, 1)) @ adjacency, dtype=np.float32)
    visits = degrees * (VISITS * n / (degrees.sum() or 1.0))
    most = max(1, validation.positive_integer("max_pairs", max_pairs) // (2 * max(1, n)))
    blocks = []
    for start in range(0, n, ROWS_PER_BLOCK):
        rows = slice(start, start + ROWS_PER_BLOCK)
        power = sparse.csr_matrix(sparse.diags(visits[rows]) @ step[rows], dtype=np.float32)
        total = power
        for distance in range(2, walk_length + 1):
            power = keep_largest(power @ step, most)
            total = total + power / np.float32(distance)
        blocks.append(keep_largest(total, most))
    counts = sparse.csr_matrix(sparse.vstack(blocks) if blocks else (n, n))
    counts.setdiag(0)
    return Cooccurrence.from_matrix(counts + counts.T, nodes)


def keep_largest(matrix: sparse.csr_matrix, most: int) -> sparse.csr_matrix:
    """Return a matrix without the entries of a row that are smaller than its `most` largest; ties at the limit stay."""
    matrix = sparse.csr_matrix(matrix)
    ends = matrix.indptr
    for i in np.flatnonzero(np.diff(ends) > most):
        row = matrix.data[ends[i] : ends[i + 1]]
        row[row < np.partition(row, len(row) - most)[len(row) - most]] = 0
    matrix.eliminate_zeros()
    return matrix
