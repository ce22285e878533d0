"""What the paper reports, with WordRank's alpha 100 and beta 99: Tables 2 and 3, and that of the supplement."""

from __future__ import annotations

# Table 2, text8: WS-353 and Google
TABLE2 = {
    "RobiRank": (41.2, 22.7),
    "ρ₀ off": (69.0, 24.9),
    "ρ₀ on": (71.0, 31.9),
    "ρ₁ off": (66.7, 34.3),
    "ρ₁ on": (70.4, 44.5),
    "ρ₂ off": (66.8, 32.3),
    "ρ₂ on": (70.8, 40.4),
    "ρ₃ off": (68.1, 33.6),
    "ρ₃ on": (68.0, 42.9),
}
# the supplement's table, by tokens: WS-353 and Google of each trainer
SCALE = {
    17e6: {"word2vec": (66.8, 39.2), "glove": (47.8, 30.4), "wordrank": (70.4, 44.5)},
    32e6: {"word2vec": (64.1, 42.3), "glove": (47.8, 30.9), "wordrank": (68.4, 52.1)},
    64e6: {"word2vec": (67.5, 53.5), "glove": (55.0, 42.0), "wordrank": (70.8, 59.9)},
    128e6: {"word2vec": (70.7, 59.8), "glove": (54.5, 50.4), "wordrank": (72.8, 65.1)},
    256e6: {"word2vec": (72.0, 67.6), "glove": (59.5, 60.3), "wordrank": (72.4, 68.6)},
    512e6: {"word2vec": (72.3, 70.6), "glove": (64.5, 66.4), "wordrank": (74.1, 70.6)},
    1.0e9: {"word2vec": (73.3, 70.4), "glove": (68.3, 68.7), "wordrank": (74.0, 70.8)},
    1.6e9: {"word2vec": (71.8, 72.1), "glove": (69.5, 70.4), "wordrank": (74.1, 71.7)},
    7.2e9: {"word2vec": (73.4, 75.1), "glove": (70.9, 75.6), "wordrank": (75.2, 76.0)},
}
# Table 3, 7.2 billion tokens
SETS = (
    "WS-353 similarity", "WS-353 relatedness", "MEN", "MTurk-287", "Rare Words", "SimLex-999", "Google semantic",
    "Google syntactic",
)  # fmt: skip
TABLE3 = {
    "wordrank": (79.4, 70.5, 78.1, 73.5, 47.4, 43.5, 78.4, 74.7),
    "word2vec": (73.9, 60.9, 75.4, 66.4, 45.5, 36.6, 78.8, 72.0),
    "glove": (75.7, 67.5, 78.8, 69.7, 43.6, 41.6, 80.9, 71.1),
}
# how far a size may be from one of the paper's to be compared with it
NEAR = 0.1


def scale(tokens: float) -> dict[str, tuple[float, float]]:
    """Return what the paper has for about this size; nothing if it has none."""
    return next((scores for size, scores in SCALE.items() if abs(tokens / size - 1) < NEAR), {})
