"""Data and scores that several clients share: all of it comes with gensim and scikit-learn, or is generated."""

import os
import re
from functools import cache
from pathlib import Path

import numpy as np
from gensim.corpora.wikicorpus import extract_pages, filter_wiki
from gensim.models.word2vec import LineSentence
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, cross_val_score, train_test_split
from sklearn.neighbors import kneighbors_graph
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from smart_open import open as smart_open

SEED = int(os.environ.get("CLIENTS_SEED", "1"))
DIRECTORY = Path(__file__).parents[2] / "build" / "clients"
DUMP = datapath("enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2")
PASSAGE, SHORTEST_ARTICLE, PASSAGES_PER_ARTICLE = 20, 3000, 60


# ---- text


@cache
def articles():
    """Return the sentences of each of the 106 Wikipedia articles that come with gensim, as lists of words."""
    cached = DIRECTORY / "articles.txt"
    if not cached.exists():
        with smart_open(DUMP) as dump:
            texts = [
                filter_wiki(text) for _, text, _ in extract_pages(dump, ("0",)) if not text.startswith("#REDIRECT")
            ]
        lines = [[simple_preprocess(each, max_len=30) for each in re.split(r"[.!?\n]+", text)] for text in texts]
        DIRECTORY.mkdir(parents=True, exist_ok=True)
        cached.write_text("\n\n".join("\n".join(" ".join(words) for words in each if len(words) > 2) for each in lines))
    return [[line.split() for line in text.split("\n")] for text in cached.read_text().split("\n\n") if text]


def sentences():
    """Return the sentences of all articles: 430,000 words."""
    return [sentence for article in articles() for sentence in article]


def text_file():
    """Return the path of the sentences, one per line."""
    path = DIRECTORY / "sentences.txt"
    if not path.exists():
        path.write_text("\n".join(map(" ".join, sentences())))
    return str(path)


def lee():
    """Return the words of the 300 news stories of the Lee corpus."""
    return [simple_preprocess(" ".join(words)) for words in LineSentence(datapath("lee_background.cor"))]


def passages():
    """Return passages of 20 words of the longer articles, and the article of each."""
    texts, labels = [], []
    for label, article in enumerate(articles()):
        words = [word for sentence in article for word in sentence]
        if len(words) >= SHORTEST_ARTICLE:
            starts = range(0, len(words) - PASSAGE, PASSAGE)
            chosen = np.random.RandomState(SEED).choice(starts, PASSAGES_PER_ARTICLE, replace=False)
            texts += [words[start : start + PASSAGE] for start in chosen]
            labels += [label] * PASSAGES_PER_ARTICLE
    return texts, labels


def mean_vectors(texts, wv):
    """Return the mean vector of the known words of each text, as in most tutorials."""
    zeros = np.zeros(wv.vector_size)
    return np.array([np.mean([wv[word] for word in text if word in wv] or [zeros], axis=0) for text in texts])


def passage_accuracy(wv):
    """Return the accuracy with which mean vectors tell the article of a passage."""
    texts, labels = passages()
    return accuracy(mean_vectors(texts, wv), labels)


def word_pairs(wv):
    """Return the Spearman correlation with WordSim-353 of the pairs that are known."""
    return 100 * wv.evaluate_word_pairs(datapath("wordsim353.tsv"))[1].statistic


# ---- graphs


@cache
def digits():
    """Return a graph of 500 images of digits, each linked to its 4 nearest, and the digits; some links are random."""
    import networkx

    images, labels = load_digits(n_class=10, return_X_y=True)
    graph = networkx.from_scipy_sparse_array(kneighbors_graph(images[:500], 4))
    random = np.random.RandomState(0)
    graph.add_edges_from(random.randint(500, size=(500, 2)).tolist())
    return networkx.Graph(graph.edges), labels[:500]


def walks(graph, n_walks=10, length=40):
    """Return random walks from each node, as lists of strings."""
    random = np.random.RandomState(SEED)
    neighbours = {node: list(graph[node]) for node in graph}
    result = []
    for _ in range(n_walks):
        for node in graph:
            walk = [node]
            while len(walk) < length:
                around = neighbours[walk[-1]]
                walk.append(around[random.randint(len(around))])
            result.append([str(each) for each in walk])
    random.shuffle(result)
    return result


def node_accuracy(vectors):
    """Return the accuracy with which the vectors of the nodes tell the digits."""
    return accuracy(np.asarray(vectors), digits()[1])


# ---- sequences


@cache
def kmers():
    """Return the overlapping 5-mers of 900 generated sequences, and which of six families' motifs each holds."""
    random = np.random.RandomState(0)
    motifs = [["".join(random.choice(list("ACGT"), 12)) for _ in range(6)] for _ in range(6)]
    sequences = []
    for i in range(900):
        parts = ["".join(random.choice(list("ACGT"), 20)) for _ in range(6)]
        for _ in range(3):
            parts.insert(random.randint(len(parts)), motifs[i % 6][random.randint(6)])
        bases = "".join(parts)
        sequences.append(tuple(bases[j : j + 5] for j in range(len(bases) - 4)))
    return sequences, [i % 6 for i in range(900)]


# ---- baskets


@cache
def baskets():
    """Return 4,000 baskets of 3 to 8 of 300 items; the items of a basket belong to one or two of 25 groups."""
    random = np.random.RandomState(0)
    popularity = 1 / np.arange(1, 13)
    result = []
    for _ in range(4000):
        groups = random.choice(25, random.randint(1, 3), replace=False)
        size = random.randint(3, 9)
        items = {
            int(12 * random.choice(groups) + random.choice(12, p=popularity / popularity.sum())) for _ in range(size)
        }
        result.append(sorted(items, key=lambda _: random.rand()))
    return [basket for basket in result if len(basket) > 1]


def recall(wv, key=str):
    """Return how often the last item of a basket is among the ten nearest to the mean of the others."""
    hits = 0
    tested = baskets()[3000:]
    for *known, last in tested:
        known = [key(item) for item in known]
        found = wv.most_similar([item for item in known if item in wv], topn=10)
        hits += key(last) in [item for item, _ in found]
    return 100 * hits / len(tested)


# ---- scores


def accuracy(features, labels, groups=None):
    """Return the accuracy of a logistic regression by three-fold cross-validation, in percent; no group is split."""
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=100))
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    folds = kind(3, shuffle=True, random_state=SEED)
    return 100 * cross_val_score(model, np.asarray(features), labels, groups=groups, cv=folds).mean()


def auc(features, labels):
    """Return the test area under the ROC curve of a logistic regression, in percent."""
    train, test, train_labels, test_labels = train_test_split(
        features, labels, test_size=0.5, random_state=SEED, stratify=labels
    )
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=200)).fit(train, train_labels)
    return 100 * roc_auc_score(test_labels, model.predict_proba(test)[:, 1])
