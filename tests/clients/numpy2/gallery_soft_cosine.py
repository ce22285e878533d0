"""gensim's tutorial on soft cosine similarity: `WordEmbeddingSimilarityIndex` and `SparseTermSimilarityMatrix`."""

import tasks
from gensim.corpora import Dictionary
from gensim.models import TfidfModel, Word2Vec
from gensim.similarities import SoftCosineSimilarity, SparseTermSimilarityMatrix, WordEmbeddingSimilarityIndex


def run():
    """Find a passage of the same article."""
    model = Word2Vec(tasks.sentences(), vector_size=50, window=5, min_count=5, sg=1, workers=2)
    texts, labels = tasks.passages()
    texts, labels = texts[::4], labels[::4]
    dictionary = Dictionary(texts)
    tfidf = TfidfModel(dictionary=dictionary)
    matrix = SparseTermSimilarityMatrix(WordEmbeddingSimilarityIndex(model.wv), dictionary, tfidf, nonzero_limit=20)
    bags = [tfidf[dictionary.doc2bow(text)] for text in texts]
    index = SoftCosineSimilarity(bags[1::2], matrix, num_best=1)
    found = [labels[1::2][index[bag][0][0]] if index[bag] else -1 for bag in bags[::2]]
    return "same article", 100 * sum(map(int.__eq__, found, labels[::2])) / len(found)
