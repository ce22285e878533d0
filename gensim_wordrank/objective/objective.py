"""The objective: J(U, V), equation (9) of the paper, its bound, equation (11), and the weights of the pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank._ranks import update_xi
from gensim_wordrank._utils import validation
from gensim_wordrank.cooccurrence import csr
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.losses import PAIR_LOSS_CODES, RANK_LOSS_CODES, PairLoss, RankLoss
from gensim_wordrank.objective.ranks import map_ranks
from gensim_wordrank.settings import SETTINGS, Settings
from gensim_wordrank.types import Floats, Vectors

# the kernels calculate in float32, and with the inverse of some parameters
LARGEST = 1e30


@dataclass(frozen=True)
class ExpectedCounts:
    """The counts that pairs would have if words and contexts were independent.

    E(w, c) = X_w X_c / N, where X_w and X_c are the sums of a row and of a column, and N is the sum of all counts.

    Examples
    --------
    >>> from gensim_wordrank.cooccurrence.matrix import Cooccurrence
    >>> from gensim_wordrank.objective.objective import ExpectedCounts
    >>> counts = Cooccurrence.from_matrix([[0, 3], [3, 6]])
    >>> ExpectedCounts.of(*counts.marginals(), discount=1).excess(counts, slice(None))
    array([0.75, 0.75, 0.  ], dtype=float32)
    """

    words: Vectors  # X_w
    contexts: Vectors  # discount * X_c / N

    @classmethod
    def of(cls, word_sums: Floats, context_sums: Floats, discount: float) -> ExpectedCounts:
        """Build it from the sums of rows and columns; `discount` is the share of E that is subtracted."""
        of_contexts = context_sums * (discount / (float(context_sums.sum()) or 1.0))
        largest = np.finfo(np.float32).max
        words, contexts = np.minimum(word_sums, largest), np.minimum(of_contexts, largest)
        return cls(words.astype(np.float32), contexts.astype(np.float32))

    def excess(self, counts: Cooccurrence, pairs: slice) -> Vectors:
        """Return max(0, X - discount E) for some pairs."""
        start, stop, _ = pairs.indices(counts.nnz)
        of_words = self.words[csr.entry_rows(counts.indptr, start, stop)]
        expected = of_words * self.contexts[counts.indices[start:stop]]
        result: Vectors = np.fmax(counts.data[start:stop] - expected, np.float32(0))
        return result


@dataclass(frozen=True)
class Objective:
    """The objective and its parameters, named as in :class:`~gensim_wordrank.WordRank`.

    Parameters
    ----------
    rank_loss : {"log", "identity", "dcg", "log_t"}
        The rank loss: rho_1, rho_0, rho_2 or rho_3.
    pair_loss : {"logistic", "hinge"}
        The convex bound l of the 0-1 loss.
    t : float
        Parameter of rho_3; above 0 and not 1.
    rank_scale, rank_offset : float
        The paper's alpha and beta: the rank loss is taken at (rank + rank_offset) / rank_scale.
    weighted : bool
        Weight each pair by r = min(1, (excess / x_max)^epsilon) instead of 1.
    x_max, epsilon : float
        Parameters of the weights.
    discount : float
        The excess of a pair is max(0, X - discount X_w X_c / N): its count minus the count expected of independent
        words. X_w and X_c are the sums of all counts of the word and of the context; N is the sum of all counts. With 0
        the excess is X, as in the paper, which uses x_max = 100.
    l2 : float
        Adds effective_l2 / 2 times the sum over pairs of ``r (|u_w|^2 + |v_c|^2)``, where :meth:`effective_l2` adapts
        `l2` to the size of the vocabulary and of the text. Biases are not penalized.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank import Objective
    >>> from gensim_wordrank.cooccurrence.matrix import Cooccurrence
    >>> logarithm = Objective("log", "hinge", rank_scale=1, rank_offset=0, weighted=False, l2=0)
    >>> vectors = np.eye(2, dtype=np.float32)
    >>> logarithm.value(vectors, vectors, Cooccurrence.from_matrix([[5.0, 0.0], [3.0, 0.0]]))  # ranks 0 and 2
    1.584962500721156
    """

    rank_loss: RankLoss | str = RankLoss.LOG
    pair_loss: PairLoss | str = PairLoss.LOGISTIC
    t: float = 1.5
    rank_scale: float = 2500.0
    rank_offset: float = 2500.0
    weighted: bool = True
    x_max: float = 20.0
    epsilon: float = 0.75
    discount: float = 1.0
    l2: float = 0.01

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {
            "rank_loss": validation.choice("rank_loss", RankLoss, self.rank_loss),
            "pair_loss": validation.choice("pair_loss", PairLoss, self.pair_loss),
            "t": validation.number("t", self.t, positive=True),
        }
        for name in ("rank_scale", "x_max"):
            value = getattr(self, name)
            checked[name] = validation.number(name, value, positive=True, minimum=1 / LARGEST, maximum=LARGEST)
        for name in ("rank_offset", "epsilon", "discount", "l2"):
            checked[name] = validation.number(name, getattr(self, name), maximum=LARGEST)
        if checked["t"] == 1.0:
            raise validation.parameter_error(
                "t", "other than 1", self.t, "The limit t = 1 is a logarithm: use rank_loss='log'."
            )
        if checked["rank_loss"] is RankLoss.LOG_T and checked["rank_offset"] == 0:
            raise validation.parameter_error(
                "rank_offset", "above 0 with rank_loss='log_t'", self.rank_offset, "Its slope at rank 0 is infinite."
            )
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def kernel_options(self) -> dict[str, Any]:
        """Return the parameters of the losses as the kernels' options name them."""
        return {
            "rank_loss": RANK_LOSS_CODES[RankLoss(self.rank_loss)],
            "pair_loss": PAIR_LOSS_CODES[PairLoss(self.pair_loss)],
            "t": self.t,
            "rank_scale": self.rank_scale,
            "rank_offset": self.rank_offset,
        }

    def weights(self, excess: Vectors) -> Vectors:
        """Return the weights r of equation (4) for discounted counts, or ones."""
        if not self.weighted:
            return np.ones(len(excess), np.float32)
        r = np.minimum(excess / np.float32(self.x_max), np.float32(1))
        result: Vectors = np.power(r, np.float32(self.epsilon), out=r)
        return result

    def weights_of(self, counts: Cooccurrence) -> Callable[[slice], Vectors]:
        """Return a function that returns the weights of some pairs."""
        expected = ExpectedCounts.of(*counts.marginals(), self.discount)
        return lambda pairs: self.weights(expected.excess(counts, pairs))

    def exact_xi(self, words: Vectors, contexts: Vectors, counts: Cooccurrence, workers: int = 1) -> Vectors:
        """Return xi of every pair: stage 2 of Algorithm 1."""
        xi = np.empty(counts.nnz, np.float32)

        def fill(pairs: slice, ranks: Floats) -> None:
            update_xi(ranks, self.rank_scale, self.rank_offset, xi[pairs])

        for _ in map_ranks(fill, words, contexts, counts, PairLoss(self.pair_loss), workers):
            pass
        return xi

    def value(self, words: Vectors, contexts: Vectors, counts: Cooccurrence, workers: int = 1) -> float:
        """Return J(U, V), equation (9), exactly (for logistic within 6e-8 of rank + 1), with the L2 term."""
        weights = self.weights_of(counts)

        def tile_sum(pairs: slice, ranks: Floats) -> float:
            loss = RankLoss(self.rank_loss).value_at((ranks + self.rank_offset) / self.rank_scale, self.t)
            return float(np.dot(weights(pairs), loss))

        tiles = map_ranks(tile_sum, words, contexts, counts, PairLoss(self.pair_loss), workers)
        return sum(tiles) + self.penalty(words, contexts, counts)

    def bound(
        self, words: Vectors, contexts: Vectors, counts: Cooccurrence, xi: NDArray[Any], workers: int = 1
    ) -> float:
        """Return the linearised bound of J, equation (11), at given xi, with the L2 term."""
        rho, weights = RankLoss(self.rank_loss), self.weights_of(counts)

        def tile_sum(pairs: slice, ranks: Floats) -> float:
            at = 1.0 / xi[pairs].astype(np.float64)
            linear = rho.slope_at(at, self.t) * ((ranks + self.rank_offset) / self.rank_scale - at)
            return float(np.dot(weights(pairs), rho.value_at(at, self.t) + linear))

        tiles = map_ranks(tile_sum, words, contexts, counts, PairLoss(self.pair_loss), workers)
        return sum(tiles) + self.penalty(words, contexts, counts)

    def pair_value(self, rank: float) -> float:
        """Return the loss of a pair of weight 1 at a rank."""
        return float(RankLoss(self.rank_loss).value_at([(rank + self.rank_offset) / self.rank_scale], self.t)[0])

    def max_pair_gradient(self, n_contexts: int, sharpness: float = 1.0) -> float:
        """Return the gradient for a pair that all other contexts violate by 1, with ranks multiplied by `sharpness`.

        ``rho'((s (|C| - 1) + beta) / alpha) s (|C| - 1) / alpha``
        """
        rank = sharpness * (n_contexts - 1)
        slope = RankLoss(self.rank_loss).slope_at(np.array([(rank + self.rank_offset) / self.rank_scale]), self.t)
        return float(slope[0]) * rank / self.rank_scale if rank else 0.0

    def gradient_scale(self, n_contexts: int, sharpness: float) -> float:
        """Return the factor of the rank loss's slope with which the largest gradient is the same at any sharpness."""
        sharper = self.max_pair_gradient(n_contexts, sharpness)
        ratio = self.max_pair_gradient(n_contexts) / sharper if sharper else 1.0
        return sharpness / self.rank_scale * ratio

    def effective_l2(self, n_contexts: int, n_pairs: int, settings: Settings = SETTINGS) -> float:
        """Return `l2` in units of the largest gradient of a pair, and up to twice as much for few pairs.

        ``l2 max_pair_gradient min(2, max(1, 5e7 / |Omega|))``

        Counts of small texts are less certain, so the L2 term does not shrink with the text from 50 down to 25 million
        pairs.
        """
        scale = min(settings.max_l2_scale, max(1.0, settings.many_pairs / max(1, n_pairs)))
        return self.l2 * scale * self.max_pair_gradient(n_contexts)

    def penalty(self, words: Vectors, contexts: Vectors, counts: Cooccurrence) -> float:
        """Return the L2 term."""
        if self.l2 == 0:
            return 0.0
        r = self.weights_of(counts)(slice(None)).astype(np.float64)
        of_words = np.add.reduceat(np.append(r, 0.0), counts.indptr[:-1]) * (np.diff(counts.indptr) > 0)
        of_contexts = np.bincount(counts.indices, weights=r, minlength=len(contexts))
        norms = [np.einsum("ij,ij->i", m, m, dtype=np.float64) for m in (words, contexts)]
        return float(self.effective_l2(len(contexts), counts.nnz) / 2 * (of_words @ norms[0] + of_contexts @ norms[1]))
