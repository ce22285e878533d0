"""The loss functions against the paper's formulas and against finite differences."""

import numpy as np
import pytest
from gensim_wordrank.objective.losses import PairLoss, RankLoss
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle

X = np.array([1e-3, 0.1, 0.5, 0.99, 1.0, 1.5, 7.0, 1e3, 1e6])


@pytest.mark.parametrize("t", [0.5, 1.5, 2.0])
@pytest.mark.parametrize("loss", RankLoss)
def test_rank_losses_follow_the_paper(loss, t):
    """Values and slopes equal equations (5) to (8) and their derivatives."""
    np.testing.assert_allclose(loss.value_at(X, t), oracle.RANK_LOSSES[loss.value](X, t), rtol=1e-12)
    np.testing.assert_allclose(loss.slope_at(X, t), oracle.RANK_SLOPES[loss.value](X, t), rtol=1e-12)


@pytest.mark.parametrize("loss", RankLoss)
def test_rank_slopes_match_finite_differences_and_decrease(loss):
    """The slope agrees with central differences of the value and never increases: the loss is concave."""
    h = X * 1e-6
    differences = (loss.value_at(X + h) - loss.value_at(X - h)) / (2 * h)
    np.testing.assert_allclose(loss.slope_at(X), differences, rtol=1e-3)
    assert (np.diff(loss.slope_at(X)) <= 0).all()
    assert (loss.slope_at(X) > 0).all()


@pytest.mark.parametrize("loss", PairLoss)
def test_pair_losses_follow_the_paper_and_bound_the_0_1_loss(loss):
    """Values and slopes equal the paper's, also for large |x|, and the value is at least I(x <= 0)."""
    x = np.concatenate([np.linspace(-60, 60, 1201), [-1e4, 1e4]])
    np.testing.assert_allclose(loss.value_at(x), oracle.PAIR_LOSSES[loss.value](x), rtol=1e-12, atol=1e-300)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(loss.slope_at(x), oracle.PAIR_SLOPES[loss.value](x), rtol=1e-12, atol=1e-300)
    assert (loss.value_at(x) >= (x <= 0)).all()


@pytest.mark.parametrize("loss", PairLoss)
def test_pair_slopes_match_finite_differences(loss):
    """The slope agrees with central differences away from the kink of the hinge."""
    x, h = np.array([-3.0, -0.4, 0.3, 0.8, 1.2, 5.0]), 1e-6
    np.testing.assert_allclose(
        loss.slope_at(x), (loss.value_at(x + h) - loss.value_at(x - h)) / (2 * h), rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize("loss", RankLoss)
@given(x=st.lists(st.floats(0, 1e300), max_size=9), t=st.sampled_from([0.5, 1.5, 3.0]))
@settings(max_examples=100, deadline=None)
def test_rank_losses_of_any_number(loss, x, t):
    """From denormals to 1e300, in arrays of any length, values and slopes equal the formulas."""
    x = np.array(x)
    with np.errstate(all="ignore"):  # 0^-t is infinite in both
        np.testing.assert_allclose(loss.value_at(x, t), oracle.RANK_LOSSES[loss.value](x, t), rtol=1e-12, atol=1e-300)
        np.testing.assert_allclose(loss.slope_at(x, t), oracle.RANK_SLOPES[loss.value](x, t), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("loss", PairLoss)
@given(x=st.lists(st.floats(-1e300, 1e300), max_size=9))
@settings(max_examples=100, deadline=None)
def test_pair_losses_of_any_number(loss, x):
    """For either sign, from denormals to 1e300, values and slopes equal the formulas."""
    x = np.array(x)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(loss.value_at(x), oracle.PAIR_LOSSES[loss.value](x), rtol=1e-12, atol=1e-300)
        np.testing.assert_allclose(loss.slope_at(x), oracle.PAIR_SLOPES[loss.value](x), rtol=1e-12, atol=1e-300)
