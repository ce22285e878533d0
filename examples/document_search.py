"""Search documents by meaning: the vector of a document is the mean of the vectors of its words.

    python document_search.py [TEXT] [--query WORD ...]

TEXT has one document per line; without it, a small news corpus of gensim is used. Needs `pip install usearch`.
"""

import argparse

import numpy as np
from gensim.models import KeyedVectors
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess
from gensim_wordrank import WordRank
from smart_open import open as open_text
from usearch.index import Index


def index_documents(documents: list[list[str]], words: KeyedVectors) -> Index:
    """Return an index of the mean vector of each document; unknown words are skipped."""
    means = np.stack([words.get_mean_vector(document) for document in documents])
    index = Index(ndim=words.vector_size, metric="cos", dtype="f32")
    index.add(np.arange(len(documents)), means)
    return index


def main() -> None:
    """Train on the documents, index them, and print those nearest to the query."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="?", default=datapath("lee_background.cor"))
    parser.add_argument("--query", nargs="+", default=["cricket", "test", "innings"])
    options = parser.parse_args()
    with open_text(options.text, encoding="utf-8") as file:
        lines = file.read().splitlines()
    documents = [simple_preprocess(line) for line in lines]

    # without their common direction, means of many words still differ
    words = WordRank(documents).vectors("word", "centred")
    index = index_documents(documents, words)
    for match in index.search(words.get_mean_vector(options.query), 3):
        print(f"{1 - match.distance:.2f}  {lines[match.key][:100]}")


if __name__ == "__main__":
    main()
