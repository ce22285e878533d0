"""The schedule: learning rates and sharpness, epoch by epoch."""

import pytest
from gensim_wordrank.settings import SETTINGS
from gensim_wordrank.training.schedule import Schedule, SchedulePoint


def points(epochs, alpha=0.5, min_alpha=0.1):
    """Return the schedule of all epochs of a run."""
    schedule = Schedule(epochs, alpha, min_alpha)
    return [schedule.at(epoch) for epoch in range(epochs)]


@pytest.mark.parametrize("epochs", [5, 9, 10, 37, 60])
def test_the_last_fifth_is_the_final_phase(epochs):
    """Before it the rate is constant and the loss is sharp; in it the rate falls evenly, around the mean of the two."""
    first, final = points(epochs)[: -(epochs // 5)], points(epochs)[-(epochs // 5) :]
    assert set(first) == {SchedulePoint(0.5, SETTINGS.sharpness)}
    assert {point.sharpness for point in final} == {1.0}
    rates = [point.learning_rate for point in final]
    assert rates == sorted(rates, reverse=True)
    assert all(0.1 < rate < 0.5 for rate in rates)
    assert sum(rates) / len(rates) == pytest.approx(0.3)


def test_few_epochs_are_alike():
    """Fewer than five epochs have no final phase, so a run can be made of single epochs."""
    assert set(points(1) + points(4)) == {SchedulePoint(0.5, 1.0)}


def test_with_a_constant_rate_all_epochs_are_alike():
    """They minimize the objective itself."""
    assert set(points(40, min_alpha=0.5)) == {SchedulePoint(0.5, 1.0)}


def test_scaling_changes_all_rates():
    """Both rates are multiplied; the phases stay."""
    schedule, halved = Schedule(10, 0.5, 0.1), Schedule(10, 0.25, 0.05)
    assert [schedule.at(epoch, scale=0.5) for epoch in range(10)] == [halved.at(epoch) for epoch in range(10)]
