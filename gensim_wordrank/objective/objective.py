"""What WordRank minimises: J(U, V), equation (9) of the paper, and its bound, equation (11)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank._ranks import update_xi
from gensim_wordrank._utils import validation
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.expected_counts import ExpectedCounts
from gensim_wordrank.objective.losses import PairLoss, RankLoss
from gensim_wordrank.objective.ranks import map_ranks
from gensim_wordrank.types import Floats, Vectors

# the kernels calculate in float32, and with the inverse of some parameters
LARGEST = 1e30
# pairs from which on a text counts as large, and how many times stronger the L2 term is at most on smaller ones
MANY_PAIRS, MOST_L2 = 5e7, 2.0


@dataclass(frozen=True)
class Objective:
    """The objective with its parameters, under the names :class:`~gensim_wordrank.WordRank` gives them.

    Parameters
    ----------
    rank_loss : {"log", "identity", "dcg", "log_t"}
        rho_1, rho_0, rho_2 or rho_3.
    pair_loss : {"logistic", "hinge"}
        The bound l of the 0-1 loss.
    t : float
        Of rho_3; above 0 and not 1.
    rank_scale, rank_offset : float
        The paper's alpha and beta: the rank loss is taken at (rank + rank_offset) / rank_scale.
    weighted : bool
        Weigh a pair by r = min(1, (excess / x_max)^epsilon), or by 1.
    x_max, epsilon : float
        Of the weights.
    chance : float
        The excess of a pair over chance is max(0, X - chance X_w X_c / N), where X_w and X_c are all counts of the word
        and of the context, and N is their sum over all pairs. With 0 it is X, as in the paper, which has x_max = 100.
    l2 : float
        Adds l2 g / 2 times the sum over pairs of ``r (|u_w|^2 + |v_c|^2)``, where g suits it to vocabularies and texts
        of any size (:meth:`effective_l2`). Biases are left alone.

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
            "rank_scale": validation.positive_number("rank_scale", self.rank_scale, most=LARGEST, least=1 / LARGEST),
            "rank_offset": validation.nonnegative_number("rank_offset", self.rank_offset, most=LARGEST),
            "x_max": validation.positive_number("x_max", self.x_max, most=LARGEST, least=1 / LARGEST),
            "epsilon": validation.nonnegative_number("epsilon", self.epsilon, most=LARGEST),
            "discount": validation.nonnegative_number("discount", self.discount, most=LARGEST),
            "l2": validation.nonnegative_number("l2", self.l2, most=LARGEST),
            "t": validation.positive_number("t", self.t),
        }
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

    def weights(self, excess: Vectors) -> Vectors:
        """Return r of equation (4) for counts X, of which chance has been taken, or ones."""
        if not self.weighted:
            return np.ones(len(excess), np.float32)
        r = np.minimum(excess / np.float32(self.x_max), np.float32(1))
        result: Vectors = np.power(r, np.float32(self.epsilon), out=r)
        return result

    def weights_of(self, counts: Cooccurrence) -> Callable[[slice], Vectors]:
        """Return a function that gives r of some pairs."""
        chance = ExpectedCounts.of(*counts.sums(), self.discount)
        return lambda pairs: self.weights(chance.excess(counts, pairs))

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

    def pull(self, n_contexts: int, sharpness: float = 1.0) -> float:
        """Return the pull on a pair that all other contexts violate by 1, with ranks `sharpness` times as large.

        ``rho'((s (|C| - 1) + beta) / alpha) s (|C| - 1) / alpha``
        """
        rank = sharpness * (n_contexts - 1)
        slope = RankLoss(self.rank_loss).slope_at(np.array([(rank + self.rank_offset) / self.rank_scale]), self.t)
        return float(slope[0]) * rank / self.rank_scale if rank else 0.0

    def effective_l2(self, n_contexts: int, n_pairs: int) -> float:
        """Return l2 g, where g is the pull on a pair that all other contexts violate by 1, and more on few pairs.

        ``g = rho'((|C| - 1 + beta) / alpha) (|C| - 1) / alpha min(2, max(1, 5e7 / |Omega|))``

        What few pairs say is less certain: from 50 down to 25 million, the L2 term does not shrink with the text.
        """
        more = min(MOST_L2, max(1.0, MANY_PAIRS / max(1, n_pairs)))
        return self.l2 * more * self.pull(n_contexts)

    def penalty(self, words: Vectors, contexts: Vectors, counts: Cooccurrence) -> float:
        """Return the L2 term."""
        if self.l2 == 0:
            return 0.0
        r = self.weights_of(counts)(slice(None)).astype(np.float64)
        of_words = np.add.reduceat(np.append(r, 0.0), counts.indptr[:-1]) * (np.diff(counts.indptr) > 0)
        of_contexts = np.bincount(counts.indices, weights=r, minlength=len(contexts))
        lengths = [np.einsum("ij,ij->i", m, m, dtype=np.float64) for m in (words, contexts)]
        return float(
            self.effective_l2(len(contexts), counts.nnz) / 2 * (of_words @ lengths[0] + of_contexts @ lengths[1])
        )
