"""A valid call of every kernel, which tests of array layouts and of invalid input modify."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from gensim_wordrank import _cooccurrence, _losses, _ranks, _sampled, _tokens, _triplets

from problems import make_problem


@dataclass(frozen=True)
class Call:
    """A function with its arguments by name; `written` names the arrays that it modifies."""

    function: Callable[..., Any]
    arguments: dict[str, Any]
    written: tuple[str, ...] = ()

    def arrays(self) -> list[str]:
        """Return the names of all arrays."""
        return [name for name, value in self.arguments.items() if isinstance(value, np.ndarray)]

    def read(self) -> list[str]:
        """Return the names of the arrays that are only read."""
        return [name for name in self.arrays() if name not in self.written]

    def changed(self, **changes: Any) -> "Call":
        """Return the call with some arguments replaced and all other arrays copied."""
        copies = {name: self.arguments[name].copy() for name in self.arrays() if name not in changes}
        return replace(self, arguments=self.arguments | copies | changes)

    def run(self) -> list[bytes]:
        """Call the function; return the bytes of everything it returns and writes."""
        returned = self.function(**self.arguments)
        parts = returned if isinstance(returned, tuple) else (returned,)
        return [np.asarray(part).tobytes() for part in (*parts, *(self.arguments[name] for name in self.written))]


def count_windows(ids, n_words, first, last, weight, symmetric, n_columns):
    """Count the rows of some words of a text."""
    return _count(
        _cooccurrence.Windows(_cooccurrence.CheckedText(ids, n_words), first, last, weight, symmetric), n_columns
    )


def count_runs(starts, columns, sums, n_words, n_columns):
    """Count rows that are sums of runs."""
    return _count(_cooccurrence.Runs(starts, columns, sums, n_words), n_columns)


def _count(rows, n_columns):
    counter, indptr = _cooccurrence.Counter(n_columns), np.zeros(rows.n_rows + 1, np.int64)
    counter.lengths(rows, indptr[1:])
    indptr = np.cumsum(indptr)
    columns, sums = np.zeros(indptr[-1], np.int32), np.zeros(indptr[-1], np.uint64)
    counter.sums(rows, 0, indptr, columns, sums)
    return indptr, columns, sums


def write_rows(first, indptr, columns, sums, n_columns):
    """Write rows of a text with five words to given arrays."""
    text = _cooccurrence.CheckedText(np.array([-1, 0, 1, 2, 3, 1, 4, -1, 0, -1], np.int32), 5)
    rows = _cooccurrence.Windows(text, 0, 5, np.array([0, 2, 1], np.uint64), True)
    _cooccurrence.Counter(n_columns).sums(rows, first, indptr, columns, sums)


OPTIONS = {
    "draws_per_weight": 20.0, "x_max": 100.0, "epsilon": 0.75, "rank_loss": 1, "pair_loss": 1, "t": 1.5,
    "rank_scale": 10.0, "rank_offset": 1.0, "sharpness": 2.0, "gradient_scale": 0.2, "l2": 0.01, "learning_rate": 0.1,
    "bias": 1.0, "adagrad": True, "vector_size": 5, "n_contexts": 60, "n_negatives": 13,
}  # fmt: skip


def sample_pairs(
    pairs, offsets, word_rows, indptr, columns, counts, word_factors, context_factors, slot_of, row_of, n_slots,
    xi=None, pair_xi=None, **options,
):  # fmt: skip
    """Call the kernel with each array and each option as an argument of its own."""
    return _sampled.sample_pairs(
        pairs, offsets, word_rows, (indptr, columns, counts), (word_factors, context_factors),
        (slot_of, row_of, n_slots), _sampled.EpochOptions(**OPTIONS | options), xi, pair_xi,
    )  # fmt: skip


def run_cell(
    words,
    word_accumulator,
    contexts,
    context_accumulator,
    negative_weights,
    pairs,
    sizes,
    seed,
    pair_xi=None,
    **options,
):
    """Call the kernel with each array and each option as an argument of its own."""
    return _sampled.run_cell(
        (words, word_accumulator), (contexts, context_accumulator), negative_weights, (pairs, sizes),
        _sampled.EpochOptions(**OPTIONS | options), seed, pair_xi,
    )  # fmt: skip


def run_triplets(words, contexts, indptr, columns, weights, xi, n_triplets, seed, **options):
    """Call the kernel with each array and each option as an argument of its own."""
    return _triplets.run_triplets(
        words, contexts, (indptr, columns), weights, xi, n_triplets, _triplets.TripletOptions(**options), seed
    )


def _sampled_calls() -> dict[str, Call]:
    words, contexts, counts = make_problem(9, 21, 5, seed=3, density=0.5)
    packed = [np.zeros((len(matrix), 16), np.float32) for matrix in (words, contexts)]
    packed[0][:, :5], packed[0][:, 5], packed[1][:, :5] = words, 1, contexts
    sampling = {
        "pairs": np.zeros((counts.nnz + 1, 2), np.uint16), "offsets": np.arange(9, dtype=np.uint32) << np.uint32(28),
        "word_rows": np.arange(9, dtype=np.int32)[::-1].copy(), "indptr": counts.indptr, "columns": counts.indices,
        "counts": counts.data, "word_factors": np.linspace(0, 1, 9, dtype=np.float32),
        "context_factors": np.linspace(0, 1, 21, dtype=np.float32),
        "slot_of": (np.arange(21) % 3).astype(np.uint16), "row_of": np.arange(21, dtype=np.int32), "n_slots": 2,
    }  # fmt: skip
    pairs = sampling["pairs"].copy()
    sizes = sample_pairs(**sampling | {"pairs": pairs, "offsets": sampling["offsets"].copy()})
    sorting = {"pairs": pairs, "sizes": sizes, "sorted_pairs": np.zeros((sizes.sum(), 2), np.uint16)}
    sorted_pairs = sorting["sorted_pairs"].copy()
    _sampled.sort_by_slot(pairs, sizes, sorted_pairs)
    cell = {
        "words": packed[0], "word_accumulator": np.ones(9, np.float32), "contexts": packed[1],
        "context_accumulator": np.ones(21, np.float32), "negative_weights": (1 + np.arange(21) % 2).astype(np.uint16),
        "pairs": sorted_pairs[: sizes[0].sum()], "sizes": sizes[0], "seed": 7,
    }  # fmt: skip
    written = ("words", "word_accumulator", "contexts", "context_accumulator")
    return {
        "sample_pairs": Call(sample_pairs, sampling | OPTIONS, ("pairs", "offsets")),
        "sort_by_slot": Call(_sampled.sort_by_slot, sorting, ("sorted_pairs",)),
        "run_cell": Call(run_cell, cell | OPTIONS, written),
    }


def calls() -> dict[str, Call]:
    """Return a call of every kernel, by name."""
    words, contexts, counts = make_problem(6, 9, 7, seed=4, density=0.5)
    x, out = np.linspace(0.1, 9, 7), np.zeros(7)
    tile = {
        "scores": words @ contexts.T, "indptr": counts.indptr, "columns": counts.indices, "ranks": np.zeros(counts.nnz),
    }  # fmt: skip
    xi = {"ranks": x, "rank_scale": 5.0, "rank_offset": 2.0, "xi": np.zeros(7, np.float32)}
    triplets = {
        "words": words, "contexts": contexts, "indptr": counts.indptr, "columns": counts.indices,
        "weights": counts.data, "xi": np.full(counts.nnz, 0.5, np.float32), "n_triplets": 50, "rank_loss": 1,
        "pair_loss": 0, "t": 1.5, "rank_scale": 5.0, "rank_offset": 2.0, "l2": 0.01, "learning_rate": 0.05, "seed": 11,
    }  # fmt: skip
    windows = {
        "ids": np.array([-1, 0, 1, 2, 3, 1, 4, -1, 0, -1], np.int32), "n_words": 5, "first": 1, "last": 4,
        "weight": np.array([0, 6, 3, 2], np.uint64), "symmetric": True, "n_columns": 5,
    }  # fmt: skip
    runs = {
        "starts": np.array([[0, 2, 2, 3], [3, 4, 6, 6]]), "columns": np.array([0, 4, 1, 4, 2, 3], np.int32),
        "sums": np.arange(1, 7, dtype=np.uint64), "n_words": 5, "n_columns": 5,
    }  # fmt: skip
    rows = {
        "first": 1, "indptr": np.array([2, 6, 9, 12]), "columns": np.zeros(10, np.int32),
        "sums": np.zeros(10, np.uint64), "n_columns": 5,
    }  # fmt: skip
    return _sampled_calls() | {
        "rank_loss": Call(_losses.rank_loss, {"kind": 1, "t": 1.5, "slope": False, "x": x, "out": out}, ("out",)),
        "pair_loss": Call(_losses.pair_loss, {"kind": 1, "slope": True, "x": x, "out": out}, ("out",)),
        "tokenize": Call(_tokens.tokenize, {"text": np.frombuffer("a rose is\na röse\u3000\n".encode(), np.uint8)}),
        "windows": Call(count_windows, windows),
        "runs": Call(count_runs, runs),
        "write_rows": Call(write_rows, rows, ("columns", "sums")),
        "hinge_ranks": Call(_ranks.hinge_ranks, tile, ("ranks",)),
        "logistic_ranks": Call(_ranks.logistic_ranks, tile, ("ranks",)),
        "run_triplets": Call(run_triplets, triplets, ("words", "contexts")),
        "update_xi": Call(_ranks.update_xi, xi, ("xi",)),
    }
