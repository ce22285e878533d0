"""Train vectors of the nodes of a graph.

    python graph.py [EDGES]

EDGES has two nodes per line. Without it, a graph of three groups of nodes is made, with most edges inside a group.
"""

import argparse
from pathlib import Path

import numpy as np
from gensim_wordrank import WordRank


def three_groups(size: int = 30) -> list[tuple[str, str]]:
    """Return the edges of a random graph whose nodes are called by their group and number, as b17."""
    random = np.random.default_rng(0)
    nodes = [f"{group}{number}" for group in "abc" for number in range(size)]
    pairs = [(one, other) for one in nodes for other in nodes if one < other]
    return [(one, other) for one, other in pairs if random.random() < (0.25 if one[0] == other[0] else 0.02)]


def main() -> None:
    """Train and print the neighbours of some nodes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("edges", nargs="?", type=Path)
    path = parser.parse_args().edges
    lines = path.read_text().splitlines() if path else map(" ".join, three_groups())
    edges = [tuple(line.split()[:2]) for line in lines if line.strip()]
    model = WordRank.from_graph(edges, vector_size=16)
    nodes = sorted(model.wv.key_to_index)
    for node in nodes[:: max(1, len(nodes) // 6)]:
        print(f"{node}: {' '.join(near for near, _ in model.wv.most_similar(node, topn=8))}")


if __name__ == "__main__":
    main()
