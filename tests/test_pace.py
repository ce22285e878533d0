"""Steps and sharpness, epoch by epoch."""

import pytest
from gensim_wordrank.training.schedule import SHARPNESS, SchedulePoint


def paces(epochs, alpha=0.5, min_alpha=0.1):
    """Of all epochs of a run."""
    return [SchedulePoint.of(epoch, epochs, alpha, min_alpha) for epoch in range(epochs)]


@pytest.mark.parametrize("epochs", [5, 9, 10, 37, 60])
def test_the_last_fifth_is_another(epochs):
    """Before it steps are long and the loss is sharp; in it they fall evenly, around the mean of the two rates."""
    first, last = paces(epochs)[: -(epochs // 5)], paces(epochs)[-(epochs // 5) :]
    assert set(first) == {SchedulePoint(0.5, SHARPNESS)}
    assert {pace.sharpness for pace in last} == {1.0}
    steps = [pace.step for pace in last]
    assert steps == sorted(steps, reverse=True)
    assert all(0.1 < step < 0.5 for step in steps)
    assert sum(steps) / len(steps) == pytest.approx(0.3)


def test_few_epochs_are_alike():
    """So that a run can be made of single epochs; there is no end of it to be known."""
    assert set(paces(1) + paces(4)) == {SchedulePoint(0.5, 1.0)}


def test_with_a_constant_rate_all_epochs_are_alike():
    """And go down the loss that was asked for."""
    assert set(paces(40, min_alpha=0.5)) == {SchedulePoint(0.5, 1.0)}
