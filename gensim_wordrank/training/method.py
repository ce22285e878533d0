"""How epochs are run: the solver and its switches, under the names :class:`~gensim_wordrank.WordRank` gives them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gensim_wordrank._utils import validation
from gensim_wordrank.objective.losses import PairLoss
from gensim_wordrank.objective.objective import Objective
from gensim_wordrank.types import Solver


class Optimizer(str, Enum):
    """How gradients become steps."""

    ADAGRAD = "adagrad"  # the rate of a row falls with its past gradients
    SGD = "sgd"  # one rate for all rows, as in the paper


@dataclass(frozen=True)
class Method:
    """How epochs are run.

    Parameters
    ----------
    solver : {"sampled", "stored", "triplet"}
        Estimate the rank of a pair, and with it xi, from sampled negatives whenever the pair is drawn; or store the
        exact xi of every pair, as the paper does; or Algorithm 1 with one triplet at a time.
    optimizer : {"adagrad", "sgd"}
        How gradients become steps. "triplet" always uses SGD.
    bias : bool
        Whether contexts have a bias. "triplet" has none.
    uniform_negatives : bool
        Draw negatives uniformly instead of by frequency with the inverse weight, which has the same expectation.
        "triplet" always does so.
    xi_period : int
        Number of epochs between two updates of the stored xi.

    Examples
    --------
    >>> from gensim_wordrank.training.method import Method
    >>> Method("stored").stores_xi, Method("triplet").has_bias
    (True, False)
    """

    solver: Solver | str = Solver.SAMPLED
    optimizer: Optimizer | str = Optimizer.ADAGRAD
    bias: bool = True
    uniform_negatives: bool = False
    xi_period: int = 10

    def __post_init__(self) -> None:
        object.__setattr__(self, "solver", validation.choice("solver", Solver, self.solver))
        object.__setattr__(self, "optimizer", validation.choice("optimizer", Optimizer, self.optimizer))
        object.__setattr__(self, "xi_period", validation.positive_integer("xi_period", self.xi_period))

    @property
    def stores_xi(self) -> bool:
        """Whether xi of every pair is kept from epoch to epoch."""
        return self.solver is Solver.STORED

    @property
    def has_bias(self) -> bool:
        """Whether the score of a context includes its bias."""
        return self.bias and self.solver is not Solver.TRIPLET

    @property
    def has_constant_rate(self) -> bool:
        """Whether the learning rate is constant by default, as in the paper."""
        return self.solver is not Solver.SAMPLED

    @property
    def uses_adagrad(self) -> bool:
        """Whether rows have learning rates of their own."""
        return self.optimizer is Optimizer.ADAGRAD and self.solver is not Solver.TRIPLET

    def default_learning_rate(self, pair_loss: PairLoss) -> float:
        """Return a rate that suits small and large texts; the logistic loss is flatter and needs a higher one."""
        if self.solver is Solver.TRIPLET:
            return 0.01
        if not self.uses_adagrad:
            return 0.002
        return 0.2 if pair_loss is PairLoss.HINGE else 0.5

    def step_per_rate(self, objective: Objective, n_contexts: int) -> float:
        """Return what the learning rate is multiplied by to become the factor of a pair's gradient.

        AdaGrad divides by the gradients' own size. For SGD the rate is given in units of the largest gradient of a
        pair, so that one rate suits vocabularies of any size and any rank loss.
        """
        largest = objective.max_pair_gradient(n_contexts)
        return 1.0 if self.uses_adagrad or not largest else 1.0 / largest
