"""Search documents by meaning: a vector a document, the mean of its words', and an Annoy index over them.

    python document_search.py [TEXT] [--query WORD ...]

TEXT has a document a line; without it, a small news corpus that comes with gensim is taken. Needs `pip install annoy`.
"""

import argparse

import numpy as np
from gensim.models import KeyedVectors
from gensim.similarities.annoy import AnnoyIndexer
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess
from gensim_wordrank import WordRank
from smart_open import open as open_text


def document_vectors(documents: list[list[str]], words: KeyedVectors) -> KeyedVectors:
    """Return the mean vector of every document under its number; words without a vector are passed over."""
    keyed = KeyedVectors(words.vector_size)
    means = np.stack([words.get_mean_vector(document) for document in documents])
    keyed.add_vectors([str(number) for number in range(len(documents))], means)
    return keyed


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
    vectors = document_vectors(documents, words)
    index = AnnoyIndexer(vectors, num_trees=50)
    query = words.get_mean_vector(options.query)
    for number, similarity in vectors.most_similar([query], topn=3, indexer=index):
        print(f"{similarity:.2f}  {lines[int(number)][:100]}")


if __name__ == "__main__":
    main()
