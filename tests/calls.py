"""A right call of every kernel, to be changed by tests of layouts and of damage."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from gensim_wordrank import _cooccurrence, _losses, _ranks, _sampled, _tokens, _triplets

from problems import make_problem


@dataclass(frozen=True)
class Call:
    """A function with the names and values of its arguments, some of which are arrays that it writes."""

    function: Callable[..., Any]
    arguments: dict[str, Any]
    written: tuple[str, ...] = ()

    def arrays(self) -> list[str]:
        """Return the names of the arrays."""
        return [name for name, value in self.arguments.items() if isinstance(value, np.ndarray)]

    def read(self) -> list[str]:
        """Return the names of the arrays that are not written."""
        return [name for name in self.arrays() if name not in self.written]

    def changed(self, **changes: Any) -> "Call":
        """Return the call with other arguments; arrays are copied, but for the new ones."""
        copies = {name: self.arguments[name].copy() for name in self.arrays() if name not in changes}
        return replace(self, arguments=self.arguments | copies | changes)

    def run(self) -> list[bytes]:
        """Call the function; return the bytes of all that it writes and returns."""
        returned = self.function(**self.arguments)
        parts = returned if isinstance(returned, tuple) else (returned,)
        return [np.asarray(part).tobytes() for part in (*parts, *(self.arguments[name] for name in self.written))]


def count_windows(ids, n_words, first, last, weight, symmetric, n_columns):
    """Rows of a text."""
    return _count(
        _cooccurrence.Windows(_cooccurrence.CheckedText(ids, n_words), first, last, weight, symmetric), n_columns
    )


def count_runs(starts, columns, sums, n_words, n_columns):
    """Rows that are added up."""
    return _count(_cooccurrence.Runs(starts, columns, sums, n_words), n_columns)


def _count(rows, n_columns):
    counter, indptr = _cooccurrence.Counter(n_columns), np.zeros(rows.n_rows + 1, np.int64)
    counter.lengths(rows, indptr[1:])
    indptr = np.cumsum(indptr)
    columns, sums = np.zeros(indptr[-1], np.int32), np.zeros(indptr[-1], np.uint64)
    counter.sums(rows, 0, indptr, columns, sums)
    return indptr, columns, sums


def write_rows(first, indptr, columns, sums, n_columns):
    """Rows of a text with five words, written to given places."""
    text = _cooccurrence.CheckedText(np.array([-1, 0, 1, 2, 3, 1, 4, -1, 0, -1], np.int32), 5)
    rows = _cooccurrence.Windows(text, 0, 5, np.array([0, 2, 1], np.uint64), True)
    _cooccurrence.Counter(n_columns).sums(rows, first, indptr, columns, sums)


def _sampled_calls() -> dict[str, Call]:
    words, contexts, counts = make_problem(9, 21, 5, seed=3, density=0.5)
    packed = [np.zeros((len(matrix), 16), np.float32) for matrix in (words, contexts)]
    packed[0][:, :5], packed[0][:, 5], packed[1][:, :5] = words, 1, contexts
    drawing = {
        "pairs": np.zeros((counts.nnz + 1, 2), np.uint16), "walk": np.arange(9, dtype=np.uint32) << np.uint32(28),
        "word_ids": np.arange(9, dtype=np.int32)[::-1].copy(), "indptr": counts.indptr, "columns": counts.indices,
        "counts": counts.data, "of_words": np.linspace(0, 1, 9, dtype=np.float32),
        "of_contexts": np.linspace(0, 1, 21, dtype=np.float32),
        "slot_of": (np.arange(21) % 3).astype(np.uint8), "row_of": np.arange(21, dtype=np.int32),
        "n_slots": 2, "draws": 20.0, "x_max": 100.0, "epsilon": 0.75,
    }  # fmt: skip
    pairs = drawing["pairs"].copy()
    starts = _sampled.draw_pairs(**drawing | {"pairs": pairs, "walk": drawing["walk"].copy()})
    cell = {
        "words": packed[0], "word_accumulator": np.ones(9, np.float32), "contexts": packed[1],
        "context_accumulator": np.ones(21, np.float32),
        "copies": (1 + np.arange(21) % 2).astype(np.uint16), "pairs": pairs,
        "starts": starts, "n_slots": 2, "draws": 20.0, "n_contexts": 60, "vector_size": 5, "n_samples": 13,
        "rank_loss": 1, "pair_loss": 1, "t": 1.5, "rank_scale": 10.0, "rank_offset": 1.0,
        "sharpness": 2.0, "pull": 0.2, "l2": 0.01,
        "step": 0.1, "seed": 7,
    }  # fmt: skip
    return {
        "draw_pairs": Call(_sampled.draw_pairs, drawing, ("pairs", "walk")),
        "drop_first": Call(_sampled.drop_first, {"pairs": pairs, "starts": starts, "n_slots": 2}, ("pairs",)),
        "run_cell": Call(_sampled.run_cell, cell, ("words", "word_accumulator", "contexts", "context_accumulator")),
    }


def calls() -> dict[str, Call]:
    """Return a call of every kernel, by name."""
    words, contexts, counts = make_problem(6, 9, 7, seed=4, density=0.5)
    x, out = np.linspace(0.1, 9, 7), np.zeros(7)
    tile = {
        "scores": words @ contexts.T, "indptr": counts.indptr, "columns": counts.indices, "ranks": np.zeros(counts.nnz),
    }  # fmt: skip
    triplets = {
        "words": words, "contexts": contexts, "indptr": counts.indptr, "columns": counts.indices,
        "weights": counts.data, "xi": np.full(counts.nnz, 0.5, np.float32), "n_triplets": 50, "rank_loss": 1,
        "pair_loss": 0, "t": 1.5, "rank_scale": 5.0, "rank_offset": 2.0, "l2": 0.01, "step": 0.05, "seed": 11,
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
        "tokenise": Call(_tokens.tokenise, {"text": np.frombuffer("a rose is\na röse\u3000\n".encode(), np.uint8)}),
        "windows": Call(count_windows, windows),
        "runs": Call(count_runs, runs),
        "write_rows": Call(write_rows, rows, ("columns", "sums")),
        "hinge_ranks": Call(_ranks.hinge_ranks, tile, ("ranks",)),
        "logistic_ranks": Call(_ranks.logistic_ranks, tile, ("ranks",)),
        "triplets": Call(_triplets.run_triplets, triplets, ("words", "contexts")),
    }
