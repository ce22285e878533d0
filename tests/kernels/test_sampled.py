"""The fast solver's kernel against the exact gradient of J."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import gensim_wordrank.training.partition
import gensim_wordrank.training.sampled
import numpy as np
import pytest
from gensim_wordrank import _sampled
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.losses import PairLoss, RankLoss
from gensim_wordrank.objective.objective import Objective
from gensim_wordrank.training.partition import Partition
from gensim_wordrank.training.sampled import DRAWS, choose_strata_per_batch, sampled_epoch
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from problems import make_problem

COMBINATIONS = list(itertools.product([loss.value for loss in RankLoss], [loss.value for loss in PairLoss]))
HUGE = 1e12  # of past gradients, beside which new ones are nothing: every step is then step / sqrt(HUGE)
UNIT = 65535 // 20  # of the weights of drawn pairs


def make_state(words, contexts, seed=0, past=HUGE):
    """A state with a random bias."""
    bias = np.random.default_rng(seed).standard_normal(len(contexts)).astype(np.float32)
    pasts = [np.full(len(matrix), past, np.float32) for matrix in (words, contexts)]
    return State(words, contexts, bias, *pasts)


def exact_gradient(state, counts, objective):
    """Gradient of J with respect to U, V and the bias, by the oracle on (u, 1) and (v, bias), which has no L2."""
    grad_words, grad_contexts = oracle.value_gradient(*state.with_bias(), counts, objective)
    grad_bias = oracle.value_gradient(*state.with_bias(), counts, replace(objective, l2=0))[1][:, -1]
    return grad_words[:, :-1], grad_contexts[:, :-1], grad_bias


def moves(state, counts, objective, step, seed, sharpness=1.0):
    """How far one epoch moves U, V and the bias, for a step of 1 and a draw a pair."""
    pace = SchedulePoint(step * np.sqrt(HUGE), sharpness)
    new, loss = sampled_epoch(state, counts, objective, Partition.of(counts, seed), pace, 1)
    parts = ((new.words, state.words), (new.contexts, state.contexts), (new.bias, state.bias))
    return [(a.astype(np.float64) - b) / (step * DRAWS) for a, b in parts], loss


@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_steps_are_exact_when_the_sample_is_everything(rank_loss, pair_loss):
    """With all contexts sampled and all pairs drawn, an epoch of small steps goes down the gradient of J itself."""
    words, contexts, counts = make_problem(10, 40, 6, seed=5, density=0.3)
    counts.data[:] = np.random.default_rng(1).uniform(20, 150, counts.nnz)  # every pair is due more than once
    objective = Objective(rank_loss, pair_loss, rank_scale=7.0, rank_offset=1.0, l2=0.05)
    state = make_state(words, contexts)
    moved, loss = moves(state, counts, objective, 1e-5, seed=3)
    for move, gradient in zip(moved, exact_gradient(state, counts, objective), strict=True):
        np.testing.assert_allclose(-move, gradient, atol=0.02 * np.abs(gradient).max())
    value = oracle.value(*state.with_bias(), counts, replace(objective, l2=0))
    assert loss == pytest.approx(value, rel=0.01)


@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_sharper_steps_go_down_a_sharper_loss(rank_loss, pair_loss):
    """That of alpha / 4 and beta / 4, as steep at the end of the list; L2 and what is told are the objective's own."""
    words, contexts, counts = make_problem(10, 40, 6, seed=5, density=0.3)
    counts.data[:] = np.random.default_rng(1).uniform(20, 150, counts.nnz)
    objective = Objective(rank_loss, pair_loss, rank_scale=7.0, rank_offset=1.0, l2=0.05)
    state = make_state(words, contexts)
    moved, loss = moves(state, counts, objective, 1e-5, seed=3, sharpness=4.0)
    sharper, plain = replace(objective, rank_scale=7.0 / 4, rank_offset=1.0 / 4, l2=0), replace(objective, l2=0)
    ends = [oracle.RANK_SLOPES[rank_loss](np.float64(39 * s + 1) / 7, 1.5) * s for s in (1, 4)]
    parts = zip(*(exact_gradient(state, counts, each) for each in (sharper, objective, plain)), strict=True)
    for move, (of_ranks, whole, without_l2) in zip(moved, parts, strict=True):
        expected = of_ranks * ends[0] / ends[1] + (whole - without_l2)
        np.testing.assert_allclose(-move, expected, atol=0.02 * np.abs(expected).max())
    assert loss == pytest.approx(oracle.value(*state.with_bias(), counts, plain), rel=0.01)


@given(
    n_words=st.integers(1, 10),
    n_contexts=st.integers(2, 40),
    size=st.integers(1, 40),
    density=st.sampled_from([0.1, 1.0]),
    scale=st.sampled_from([1e-42, 0.3, 1.0]),
    equal=st.booleans(),
    losses=st.sampled_from(COMBINATIONS),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None)
def test_steps_are_exact_on_any_shape(n_words, n_contexts, size, density, scale, equal, losses, seed):
    """Any numbers of words, contexts and coordinates, empty rows, equal contexts, denormals: the gradient of J."""
    words, contexts, counts = make_problem(n_words, n_contexts, size, seed, density, scale)
    counts.data[:] = np.random.default_rng(1).uniform(20, 150, counts.nnz)
    contexts = np.repeat(contexts[:1], n_contexts, axis=0) if equal else contexts
    # with a discount of 1, rows that are all expected, as a single one is, would leave only the rounding of float32
    objective = Objective(*losses, rank_scale=7.0, rank_offset=1.0, discount=0.3, l2=0.05)
    state = make_state(words, contexts)
    step = 1e-6  # so small that no context crosses a margin on the way
    moved, loss = moves(state, counts, objective, step, seed)
    gradients = exact_gradient(state, counts, objective)
    largest = max(np.abs(gradient).max() for gradient in gradients)
    for move, gradient in zip(moved, gradients, strict=True):
        # a move is known to a unit in the last place of what it moves
        np.testing.assert_allclose(-move, gradient, atol=0.03 * largest + 1e-6 / (step * DRAWS))
    value = oracle.value(*state.with_bias(), counts, replace(objective, l2=0))
    # the terms of rho_3 have either sign and may cancel
    assert loss == pytest.approx(value, rel=0.01, abs=1e-3 * oracle.weights(counts, objective).sum())


@given(
    rows=st.lists(st.lists(st.floats(2**-149, 2**100, width=32), max_size=50), min_size=1, max_size=6),
    seed=st.integers(0, 1000),
)
@settings(max_examples=100, deadline=None)
def test_any_counts_are_drawn_as_often_as_they_are_due(rows, seed):
    """Counts from denormals to 1e30, equal ones, empty rows: weights are right, each word's draws to within one."""
    dense = np.zeros((len(rows), 50), np.float32)
    for row, values in zip(dense, rows, strict=True):
        row[: len(values)] = values
    counts = Cooccurrence.from_matrix(dense)
    walk = np.random.default_rng(seed).integers(1 << 32, size=len(rows), dtype=np.uint32)
    pairs, starts = draw_pairs(len(rows), 50, counts, walk=walk)
    rate = 20 * np.minimum(1, (dense.astype(np.float64) / 100) ** 0.75)
    for word, due in enumerate(rate):
        drawn = pairs[starts[word] : starts[word + 1]]
        assert set(drawn[:, 0]) >= set(np.flatnonzero(due >= 1.001))
        np.testing.assert_allclose(drawn[:, 1] / UNIT, np.maximum(1, due[drawn[:, 0]]), rtol=3e-4)
        assert abs(len(drawn) - np.minimum(due, 1).sum()) < 1.1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair_loss", "n_samples", "most_copies"), [("hinge", 5, 1), ("logistic", 5, 1), ("hinge", 2, 4)]
)
def test_steps_are_unbiased_where_the_rank_loss_is_linear(pair_loss, n_samples, most_copies, monkeypatch):
    """Over deals, samples and draws, the mean step is the gradient, with several blocks, small samples, rare draws."""
    monkeypatch.setattr(gensim_wordrank.training.partition, "SMALLEST_BLOCK", 8)
    monkeypatch.setattr(gensim_wordrank.training.sampled, "SAMPLES", n_samples)
    words, contexts, counts = make_problem(33, 33, 3, seed=6, density=0.4)
    counts.data[:] = np.random.default_rng(1).exponential(1.0, counts.nnz) + 0.05
    objective = Objective("identity", pair_loss, l2=0.05)
    assert (DRAWS * objective.weights_of(counts)(slice(None)) < 1).mean() > 0.5
    assert len(Partition.of(counts, 0).word_blocks) == 4
    assert Partition.of(counts, 0).copies(n_samples).max() == most_copies
    state = make_state(words, contexts)
    runs = [moves(state, counts, objective, 1e-4, seed) for seed in range(3000)]
    value = oracle.value(*state.with_bias(), counts, replace(objective, l2=0))
    losses = np.array([loss for _, loss in runs])
    assert abs(losses.mean() - value) < 5 * losses.std() / np.sqrt(len(losses))
    for part, gradient in enumerate(exact_gradient(state, counts, objective)):
        sample = -np.array([moved[part] for moved, _ in runs])
        noise = sample.std(axis=0) / np.sqrt(len(sample))
        # rounding of float32 and the drift within an epoch add a little
        assert (np.abs(sample.mean(axis=0) - gradient) < 5 * noise + 0.01 * np.abs(gradient).max()).all()


def run_cell(words, contexts, counts, n_samples=16, seed=1, **options):
    """Draw the pairs of one cell that holds everything and train on them, on copies; returns these and the loss."""
    size = words.shape[1]
    stride = -(-(size + 1) // _sampled.LANES) * _sampled.LANES
    padded = [np.zeros((len(matrix), stride), np.float32) for matrix in (words, contexts)]
    padded[0][:, :size], padded[1][:, :size], padded[0][:, size] = words, contexts, 1
    past = [np.full(len(matrix), 0.1, np.float32) for matrix in (words, contexts)]
    n = len(contexts)
    pairs, starts = draw_pairs(len(words), n, counts)
    arguments = {
        "words": padded[0], "word_accumulator": past[0], "contexts": padded[1], "context_accumulator": past[1],
        "copies": np.ones(n, np.uint16), "pairs": pairs, "starts": starts, "n_slots": 1,
        "draws": 20.0, "n_contexts": n, "vector_size": size, "n_samples": n_samples,
        "rank_loss": 1, "pair_loss": 0, "t": 1.5, "rank_scale": 10.0, "rank_offset": 1.0, "sharpness": 1.0, "pull": 0.1,
        "l2": 0.01, "step": 0.1, "seed": seed, **options,
    }  # fmt: skip
    loss = _sampled.run_cell(**arguments)
    return arguments["words"], arguments["contexts"], loss


def draw_pairs(n_words, n_contexts, counts, **options):
    """Draw the pairs of all words, by default as one block of contexts."""
    arguments = {
        "walk": np.linspace(0, 4e9, n_words).astype(np.uint32), "word_ids": np.arange(n_words, dtype=np.int32),
        "indptr": counts.indptr, "columns": counts.indices, "counts": counts.data,
        "of_words": np.zeros(n_words, np.float32), "of_contexts": np.zeros(n_contexts, np.float32),
        "slot_of": np.zeros(n_contexts, np.uint8), "row_of": np.arange(n_contexts, dtype=np.int32), "n_slots": 1,
        "draws": 20.0, "x_max": 100.0, "epsilon": 0.75, **options,
    }  # fmt: skip
    pairs = np.empty((counts.nnz + 1, 2), np.uint16)
    starts = _sampled.draw_pairs(**{"pairs": pairs} | arguments)
    return pairs[: starts[-1]], starts


@pytest.mark.parametrize("n_slots", [2, 3, 5])
def test_what_is_left_without_the_first_slot(n_slots):
    """Slot after slot is dropped: the pairs of the others stay as they are, in their order, and stand together."""
    _, _, counts = make_problem(30, 200, 4, seed=11)
    slot_of = np.random.default_rng(2).integers(0, n_slots + 1, 200).astype(np.uint8)
    pairs, starts = draw_pairs(30, 200, counts, slot_of=slot_of, n_slots=n_slots)
    slots = [[pairs[starts[w * n_slots + s] : starts[w * n_slots + s + 1]].tolist() for s in range(n_slots)]
             for w in range(30)]  # fmt: skip
    for dropped in range(1, n_slots):
        starts = _sampled.drop_first(pairs, starts, n_slots - dropped + 1)
        expected = [slot for word in slots for slot in word[dropped:]]
        assert [pairs[a:b].tolist() for a, b in itertools.pairwise(starts)] == expected
    assert starts[-1]


@pytest.mark.parametrize(
    ("starts", "n_slots", "message"),
    [
        ([0, 1, 2], 1, "another number of slots"),
        ([0, 1, 2], 0, "another number of slots"),
        ([0, 1, 2], -2, "another number of slots"),
        ([0, 1, 2], 3, "another number of slots"),
        ([], 2, "another number of slots"),
        ([0, 1, 4], 2, "outside the pairs"),
        ([-1, 1, 2], 2, "outside the pairs"),
        ([0, 3, 2], 2, "outside the pairs"),
    ],
)
def test_starts_that_do_not_fit_are_refused(starts, n_slots, message):
    """Nothing is moved by starts that lead outside the pairs."""
    with pytest.raises(ValueError, match=message):
        _sampled.drop_first(np.zeros((3, 2), np.uint16), np.array(starts, np.int64), n_slots)


def chance_and_rates(counts):
    """What chance has of each word and context, and how often pairs are due for what they have beyond it."""
    random = np.random.default_rng(5)
    of_words, of_contexts = (random.uniform(0, 1, n).astype(np.float32) for n in counts.shape)
    by_chance = np.outer(of_words, of_contexts)[counts.matrix.nonzero()]
    excess = np.maximum(0, counts.data.astype(np.float64) - by_chance)
    return {"of_words": of_words, "of_contexts": of_contexts}, 20 * np.minimum(1, (excess / 100) ** 0.75)


def test_drawn_pairs_lie_in_their_slots_and_weigh_what_they_should():
    """Certain pairs come once with their weight, others by chance with weight 1; slots that are not drawn have none."""
    _, _, counts = make_problem(30, 200, 2, seed=7, density=0.7)
    counts.data[:] = np.random.default_rng(1).exponential(2.0, counts.nnz) + 0.05
    discount, rate = chance_and_rates(counts)
    slot_of = np.random.default_rng(2).integers(0, 4, 200).astype(np.uint8)
    row_of = np.random.default_rng(3).permutation(200).astype(np.int32)
    pairs, starts = draw_pairs(30, 200, counts, slot_of=slot_of, row_of=row_of, n_slots=3, **discount)
    context_of = np.argsort(row_of)
    for word, slot in itertools.product(range(30), range(3)):
        row = slice(counts.indptr[word], counts.indptr[word + 1])
        here = dict(zip(counts.indices[row], rate[row], strict=True))
        drawn = pairs[starts[word * 3 + slot] : starts[word * 3 + slot + 1]]
        contexts = context_of[drawn[:, 0]]
        assert (slot_of[contexts] == slot).all()
        assert len(set(contexts)) == len(contexts)
        assert set(contexts) >= {c for c, due in here.items() if due >= 1 and slot_of[c] == slot}
        np.testing.assert_allclose(drawn[:, 1] / UNIT, [max(1, here[c]) for c in contexts], rtol=2e-4)
    words = np.repeat(np.arange(30), np.diff(counts.indptr))
    due = np.bincount(words, np.minimum(rate, 1) * (slot_of[counts.indices] < 3))
    assert (np.abs(np.diff(starts[::3]) - due) < 1.01).all()


def test_every_pair_is_drawn_as_often_as_it_is_due():
    """Over many starts of the walk, the mean weight of a pair is draws * r."""
    _, _, counts = make_problem(3, 60, 2, seed=7, density=0.8)
    counts.data[:] = np.random.default_rng(1).exponential(1.0, counts.nnz) + 0.05
    discount, rate = chance_and_rates(counts)
    assert 0.02 < (rate == 0).mean() < 0.5
    assert 0.2 < (rate < 1).mean() < 0.9
    runs, mean = 4000, np.zeros((3, 60))
    for walk in np.random.default_rng(4).integers(1 << 32, size=(runs, 3), dtype=np.uint32):
        pairs, starts = draw_pairs(3, 60, counts, walk=walk, **discount)
        np.add.at(mean, (np.repeat(np.arange(3), np.diff(starts)), pairs[:, 0]), pairs[:, 1] / UNIT / runs)
    due = np.zeros((3, 60))
    due[np.repeat(np.arange(3), np.diff(counts.indptr)), counts.indices] = rate
    assert (np.abs(mean - due) < 5 * np.sqrt(0.25 / runs) + 2e-4 * due).all()
    assert (mean[due == 0] == 0).all()


def test_pairs_of_a_word_are_dealt_to_tasks_like_cards():
    """Forty pairs make three tasks, and each takes every third pair."""
    counts = Cooccurrence.from_matrix(np.full((1, 40), 100.0))
    pairs, starts = draw_pairs(1, 40, counts)
    assert starts.tolist() == [0, 40]
    assert pairs[:, 0].tolist() == [*range(0, 40, 3), *range(1, 40, 3), *range(2, 40, 3)]


def test_the_memory_of_drawn_pairs_is_bounded():
    """Where all pairs are certain to be drawn, they are drawn for one stratum at a time; where few are, for all."""
    _, _, counts = make_problem(30, 200, 2, seed=7, density=0.7)
    assert choose_strata_per_batch(counts, Objective(weighted=False), 8) == 1
    counts.data[:] = 0.02
    assert choose_strata_per_batch(counts, Objective(), 8) == 8
    assert choose_strata_per_batch(Cooccurrence.from_matrix(np.zeros((3, 3))), Objective(), 8) == 8


def test_threads_give_the_same_bytes():
    """The kernel, rerun from many threads at once on arrays of its own, gives the same bytes."""
    words, contexts, counts = make_problem(120, 130, 20, seed=7)
    alone = [part.tobytes() for part in run_cell(words, contexts, counts)[:2]]
    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(lambda _: run_cell(words, contexts, counts), range(24)):
            assert [part.tobytes() for part in result[:2]] == alone


def test_the_padding_stays_zero_and_the_bias_of_words_one():
    """Coordinates behind the vectors are never touched, but for the bias of contexts."""
    words, contexts, counts = make_problem(40, 50, 20, seed=7)
    new_words, new_contexts, _ = run_cell(words, contexts, counts)
    assert (new_words[:, 20] == 1).all()
    assert not new_words[:, 21:].any()
    assert not new_contexts[:, 21:].any()
    assert new_contexts[:, 20].any()


@pytest.mark.parametrize("n_contexts", [1, 2, 3, 9, 17])
@pytest.mark.parametrize("size", [1, 15, 16, 31])
def test_any_number_of_contexts_and_any_size(n_contexts, size):
    """Samples and vectors that fill no register whole are handled; one context alone moves nothing."""
    words, contexts, counts = make_problem(5, n_contexts, size, seed=2, density=1.0)
    new_words, new_contexts, loss = run_cell(words, contexts, counts, n_samples=n_contexts)
    assert np.isfinite(new_words).all()
    assert np.isfinite(new_contexts).all()
    assert (loss > 0) == (n_contexts > 1)
    assert (new_words[:, :size] != words).any() == (n_contexts > 1)


def test_a_cell_without_pairs_moves_nothing():
    """No pairs, no step."""
    words, contexts, _ = make_problem(5, 6, 4, seed=2)
    empty = Cooccurrence.from_matrix(np.zeros((5, 6)))
    assert run_cell(words, contexts, empty, n_samples=6)[2] == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_samples": 0}, "n_samples"),
        ({"n_samples": 51}, "n_samples"),
        ({"word_accumulator": np.ones(39, np.float32)}, "has no past"),
        ({"vector_size": 32}, "room for the bias"),
        ({"vector_size": -1}, "room for the bias"),
        ({"draws": 0.0}, "draws"),
        ({"copies": np.ones(49, np.uint16)}, "number of copies"),
        ({"copies": np.zeros(50, np.uint16)}, "must lie in the urn"),
        ({"n_slots": 2}, "other words or blocks"),
        ({"n_slots": 0}, "other words or blocks"),
        ({"starts": np.zeros(40, np.int64)}, "other words or blocks"),
        ({"starts": np.full(41, 10**6)}, "outside the pairs"),
        ({"pairs": np.full((5000, 2), 50, np.uint16)}, "outside the block"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, message):
    """What would lead outside the arrays never reaches the loops."""
    words, contexts, counts = make_problem(40, 50, 20, seed=7)
    with pytest.raises(ValueError, match=message):
        run_cell(words, contexts, counts, **change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"walk": np.zeros(39, np.uint32)}, "an entry a word"),
        ({"of_words": np.zeros(39, np.float32)}, "an entry a word"),
        ({"of_contexts": np.zeros(49, np.float32)}, "an entry a context"),
        ({"word_ids": np.full(40, 40, np.int32)}, "no row in the counts"),
        ({"n_slots": 0}, "n_slots"),
        ({"n_slots": 257}, "n_slots"),
        ({"row_of": np.full(50, 65536, np.int32)}, "row_of"),
        ({"slot_of": np.zeros(49, np.uint8)}, "slot_of"),
        ({"indptr": np.full(41, 10**6)}, "indptr points outside"),
        ({"indptr": np.arange(41)[::-1].copy()}, "indptr points outside"),
        ({"columns": np.zeros(10**4, np.int32)}, "an entry a pair"),
        ({"draws": 1e5}, "draws"),
        ({"pairs": np.empty((100, 2), np.uint16)}, "no room for the pairs"),
    ],
)
def test_draws_that_do_not_fit_are_refused(change, message):
    """Nor does what would lead outside the counts."""
    _, _, counts = make_problem(40, 50, 20, seed=7)
    with pytest.raises(ValueError, match=message):
        draw_pairs(40, 50, counts, **change)
