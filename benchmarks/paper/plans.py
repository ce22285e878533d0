"""Which runs the tables and figures of the paper are made of."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import measure
from gensim_wordrank import WordRank

from paper.runs import Run

TRAINERS = ("wordrank", "word2vec", "glove")
# the paper's Table 1; 17M is text8, all of whose words count that occur five times
TABLE1: dict[float, dict[str, Any]] = {
    17e6: {"vector_size": 100, "window": 15, "min_count": 5, "max_final_vocab": None},
    32e6: {"vector_size": 100, "window": 15, "min_count": 1, "max_final_vocab": 100_000},
    64e6: {"vector_size": 100, "window": 15, "min_count": 1, "max_final_vocab": 100_000},
    128e6: {"vector_size": 200, "window": 10, "min_count": 1, "max_final_vocab": 200_000},
    256e6: {"vector_size": 200, "window": 10, "min_count": 1, "max_final_vocab": 200_000},
    512e6: {"vector_size": 300, "window": 10, "min_count": 1, "max_final_vocab": 300_000},
    1.0e9: {"vector_size": 300, "window": 10, "min_count": 1, "max_final_vocab": 300_000},
    1.6e9: {"vector_size": 300, "window": 10, "min_count": 1, "max_final_vocab": 400_000},
    7.2e9: {"vector_size": 300, "window": 10, "min_count": 1, "max_final_vocab": 620_000},
}
DEFAULTS = {name: parameter.default for name, parameter in inspect.signature(WordRank).parameters.items()}
WORDRANK_EPOCHS: int = DEFAULTS["epochs"]
# Word2Vec's default, and GloVe's for vectors of less than 300 numbers
EPOCHS = {"word2vec": 5, "glove": 25}
# Yun et al. 2014: rho_1 of the rank itself, with the logistic bound, and all pairs alike
ROBIRANK = {"pair_loss": "logistic", "rank_scale": 1, "rank_offset": 0, "weighted": False, "l2": 0}
RHO = {"ρ₀": "identity", "ρ₁": "log", "ρ₂": "dcg", "ρ₃": "log_t"}
USUAL = "ρ₁ on"


def variants() -> dict[str, dict[str, Any]]:
    """Return the columns of Table 2 as WordRank's parameters; what all have in common is left out."""
    columns: dict[str, dict[str, Any]] = {"RobiRank": ROBIRANK}
    for (name, loss), weights in product(RHO.items(), ("off", "on")):
        columns[f"{name} {weights}"] = ({} if loss == "log" else {"rank_loss": loss}) | (
            {} if weights == "on" else {"weighted": False}
        )
    return columns


def settings(tokens: int) -> dict[str, Any]:
    """Return the parameters that the paper takes for the size nearest to this one."""
    return TABLE1[min(TABLE1, key=lambda size: abs(math.log(size / tokens)))]


@dataclass(frozen=True)
class Planner:
    """Makes runs of the trainers, each with all seeds.

    Attributes
    ----------
    seeds : sequence of int
        A run each.
    epochs : int
        Of WordRank.
    """

    seeds: Sequence[int]
    epochs: int = WORDRANK_EPOCHS

    def runs(self, source: Path, tokens: int, noise: float = 0.0, trainers: Iterable[str] = TRAINERS) -> Iterator[Run]:
        """Yield the runs of all trainers on one text."""
        for seed, trainer in product(self.seeds, trainers):
            yield self.run(trainer, source, tokens, noise, seed, {})

    def run(self, trainer: str, source: Path, tokens: int, noise: float, seed: int, changes: Mapping[str, Any]) -> Run:
        """Return one run."""
        ours = {"epochs": self.epochs, **measure.ONE_OBJECTIVE}
        usual = ours if trainer == "wordrank" else {"epochs": EPOCHS[trainer]}
        return Run(trainer, source, tokens, noise, {**settings(tokens), **usual, "seed": seed, **changes})

    def table2(self, sources: Sequence[Path], tokens: int | None) -> list[Run]:
        """Return the runs of Table 2: rank losses and weights."""
        source, size = holding(sources, tokens)
        return [
            self.run("wordrank", source, size, 0.0, seed, changes)
            for seed in self.seeds
            for changes in variants().values()
        ]

    def table3(self, sources: Sequence[Path], tokens: int | None) -> list[Run]:
        """Return the runs of Table 3: all sets, on one text."""
        return list(self.runs(*holding(sources, tokens)))

    def scale(self, sources: Sequence[Path], sizes: Iterable[int]) -> list[Run]:
        """Return the runs of Figure 2: growing texts."""
        return [run for size in sizes for run in self.runs(*holding(sources, size))]

    def robustness(
        self, sources: Sequence[Path], sizes: Iterable[int], noisy_tokens: int, shares: Iterable[float]
    ) -> list[Run]:
        """Return the runs on small texts, and on one whose tokens are replaced in part."""
        noisy = holding(sources, noisy_tokens)
        wanted = self.scale(sources, sizes) + [run for share in (0.0, *shares) for run in self.runs(*noisy, share)]
        return [run for i, run in enumerate(wanted) if run not in wanted[:i]]  # without noise it may be a small one


def holding(sources: Sequence[Path], tokens: int | None) -> tuple[Path, int]:
    """Return the first text that holds so many tokens, and how many to take: by default all of the first."""
    if tokens is None:
        return sources[0], measure.count_tokens(sources[0])
    lengths = [measure.count_tokens(source) for source in sources]
    for source, length in zip(sources, lengths, strict=True):
        if length >= tokens:
            return source, tokens
    raise ValueError(f"'tokens' must be at most {max(lengths)}, which is what the longest text holds. Got {tokens}.")
