"""Learning rate and sharpness per epoch."""

import pytest
from gensim_wordrank.settings import SETTINGS
from gensim_wordrank.training.schedule import Schedule, SchedulePoint


def points(epochs, alpha=0.5, min_alpha=0.1):
    """Return the schedule points of all epochs."""
    schedule = Schedule(epochs, alpha, min_alpha)
    return [schedule.at(number) for number in range(schedule.n_passes)]


@pytest.mark.parametrize("epochs", [5, 9, 10, 37, 60])
def test_final_phase(epochs):
    """The rate is constant and the loss sharp until the last fifth, in which the rate falls linearly."""
    first, final = points(epochs)[: -(epochs // 5)], points(epochs)[-(epochs // 5) :]
    assert set(first) == {SchedulePoint(0.5, SETTINGS.sharpness)}
    assert {point.sharpness for point in final} == {1.0}
    rates = [point.learning_rate for point in final]
    assert rates == sorted(rates, reverse=True)
    assert all(0.1 < rate < 0.5 for rate in rates)
    assert sum(rates) / len(rates) == pytest.approx(0.3)


@pytest.mark.parametrize(("epochs", "passes"), [(1, 5), (2, 3), (3, 2), (4, 2), (5, 1), (10, 1)])
def test_few_epochs_have_several_passes(epochs, passes):
    """There are at least five passes, the last of which are the final phase, unless the rate is constant."""
    assert Schedule(epochs, 0.5, 0.1).passes == passes
    assert len(points(epochs)) == epochs * passes >= 5
    assert points(epochs) == points(epochs * passes)
    assert points(epochs)[-1].sharpness == 1.0 < points(epochs)[0].sharpness
    assert Schedule(epochs, 0.5, 0.5).passes == 1


def test_constant_rate_has_no_phases():
    """At a constant rate all epochs minimize the objective itself."""
    assert set(points(40, min_alpha=0.5)) == {SchedulePoint(0.5, 1.0)}


def test_scaled_schedule():
    """Both learning rates are multiplied; the phases stay the same."""
    schedule, halved = Schedule(10, 0.5, 0.1), Schedule(10, 0.25, 0.05)
    assert [schedule.at(epoch, scale=0.5) for epoch in range(10)] == [halved.at(epoch) for epoch in range(10)]
