"""Scores as the paper gives them: Spearman on word pairs, 3CosAdd on analogies, unknown words scored 0."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

BLOCK = 512  # questions answered by one matrix product


def unit(vectors: np.ndarray) -> np.ndarray:
    """Scale rows to length 1."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def similarity(vectors: np.ndarray, ids: dict[str, int], path: Path) -> float:
    """Return 100 times Spearman's correlation of cosines with the ratings in a file of word, word, score."""
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    left, right = (np.array([ids.get(row[i].lower(), -1) for row in rows]) for i in (0, 1))
    vectors = unit(vectors)
    cosines = np.einsum("ij,ij->i", vectors[left], vectors[right])
    cosines[(left < 0) | (right < 0)] = 0
    return 100 * float(spearmanr(cosines, [float(row[2]) for row in rows]).statistic)


def analogies(vectors: np.ndarray, ids: dict[str, int], path: Path) -> tuple[float, float, float]:
    """Return the percentages of all, semantic and syntactic questions that 3CosAdd answers right."""
    questions, semantic, section = [], [], ""
    for line in path.read_text().lower().splitlines():
        if line.startswith(":"):
            section = line[1:].strip()
        else:
            questions.append([ids.get(word, -1) for word in line.split()])
            semantic.append(not section.startswith("gram"))
    asked, is_semantic = np.array(questions), np.array(semantic)
    right = np.zeros(len(asked), bool)
    known = np.flatnonzero((asked >= 0).all(axis=1))
    vectors = unit(vectors).astype(np.float32)
    for start in range(0, len(known), BLOCK):
        block = known[start : start + BLOCK]
        a, b, c, d = asked[block].T
        scores = (vectors[b] - vectors[a] + vectors[c]) @ vectors.T
        scores[np.arange(len(block))[:, None], asked[block][:, :3]] = -np.inf
        right[block] = scores.argmax(axis=1) == d
    parts = (right, right[is_semantic], right[~is_semantic])
    overall, of_semantic, of_syntactic = (100 * float(part.mean()) for part in parts)
    return overall, of_semantic, of_syntactic
