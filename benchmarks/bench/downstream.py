"""Two tasks beyond word pairs, each solved by a linear classifier on frozen vectors: parts of speech and topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

# words beside a word whose vectors the tagger sees, on each side
NEIGHBOURS = 1
# (words in lower case, their labels): one label per word, or one for all
Item = tuple[list[str], list[str]]


def read(path: Path) -> Iterator[Item]:
    """Yield the sentences of a CoNLL-U file with their parts of speech, or lines of a label, a tab and a document."""
    with path.open(encoding="utf-8") as lines:
        if path.suffix != ".conllu":
            for line in lines:
                label, _, document = line.partition("\t")
                yield document.lower().split(), [label]
            return
        words: list[str] = []
        labels: list[str] = []
        for line in lines:
            fields = line.split("\t")
            if fields[0].isdigit():  # not a comment, nor a word that stands for several
                words.append(fields[1].lower())
                labels.append(fields[3])
            elif words and not line.strip():
                yield words, labels
                words, labels = [], []


def tag(wv: KeyedVectors, train: Path, test: Path) -> np.ndarray:
    """Return whether each word of `test` gets its part of speech, from its vector and those of the words beside it."""
    model = LinearDiscriminantAnalysis()
    model.fit(*_windows(wv, train))
    features, labels = _windows(wv, test)
    correct: np.ndarray = model.predict(features) == labels
    return correct


def classify(wv: KeyedVectors, train: Path, test: Path) -> np.ndarray:
    """Return whether each document of `test` gets its topic, from the mean of the vectors of its words."""
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(*_means(wv, train))
    features, labels = _means(wv, test)
    correct: np.ndarray = model.predict(features) == labels
    return correct


TASKS: dict[str, Callable[[KeyedVectors, Path, Path], np.ndarray]] = {"Parts of speech": tag, "Topics": classify}


def _rows(wv: KeyedVectors, words: list[str]) -> np.ndarray:
    """Return the vectors of words, with length 1; zeros for unknown words."""
    zero = np.zeros(wv.vector_size, np.float32)
    rows = np.array([wv[word] if word in wv.key_to_index else zero for word in words])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def _windows(wv: KeyedVectors, path: Path) -> tuple[np.ndarray, np.ndarray]:
    features, labels = [], []
    for words, tags in read(path):
        rows = np.pad(_rows(wv, words), ((NEIGHBOURS, NEIGHBOURS), (0, 0)))
        features.append(np.hstack([rows[i : i + len(words)] for i in range(2 * NEIGHBOURS + 1)]))
        labels += tags
    return np.vstack(features), np.array(labels)


def _means(wv: KeyedVectors, path: Path) -> tuple[np.ndarray, np.ndarray]:
    items = list(read(path))
    return np.array([_rows(wv, words).mean(axis=0) for words, _ in items]), np.array([labels[0] for _, labels in items])
