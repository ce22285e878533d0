"""The kernels of the sampled solver against the exact gradient of J."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from gensim_wordrank import _sampled
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.losses import PairLoss, RankLoss
from gensim_wordrank.objective.objective import Objective
from gensim_wordrank.settings import SETTINGS, Settings
from gensim_wordrank.training.method import Method
from gensim_wordrank.training.partition import choose_strata_per_batch
from gensim_wordrank.training.sampled import TrainingConfig, sampled_epoch
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from calls import OPTIONS
from calls import run_cell as call_run_cell
from calls import sample_pairs as call_sample_pairs
from problems import make_problem

COMBINATIONS = list(itertools.product([loss.value for loss in RankLoss], [loss.value for loss in PairLoss]))
# accumulators so large that gradients do not change them: every learning rate is divided by sqrt(HUGE)
HUGE = 1e12
WEIGHT_SCALE = 65535 // 20  # of the weights of sampled pairs


def make_state(words, contexts, seed=0, accumulator=HUGE):
    """Return a state with random biases."""
    bias = np.random.default_rng(seed).standard_normal(len(contexts)).astype(np.float32)
    accumulators = [np.full(len(matrix), accumulator, np.float32) for matrix in (words, contexts)]
    return State(words, contexts, bias, *accumulators)


def exact_gradient(state, counts, objective):
    """Return the gradient of J with respect to U, V and the bias: the oracle's for (u, 1) and (v, b), b without L2."""
    grad_words, grad_contexts = oracle.value_gradient(*state.with_bias(), counts, objective)
    grad_bias = oracle.value_gradient(*state.with_bias(), counts, replace(objective, l2=0))[1][:, -1]
    return grad_words[:, :-1], grad_contexts[:, :-1], grad_bias


def updates(state, counts, objective, rate, seed, sharpness=1.0, settings=SETTINGS, method=None):
    """Return the updates of U, V and the bias in one epoch, divided by rate and draws per weight, and the loss."""
    point = SchedulePoint(rate * np.sqrt(HUGE), sharpness)
    config = TrainingConfig.of(counts.summarize(), objective, state.words.shape[1], seed, method, settings)
    new, loss, _ = sampled_epoch(config, counts, state, point, 1)
    parts = ((new.words, state.words), (new.contexts, state.contexts), (new.bias, state.bias))
    return [(a.astype(np.float64) - b) / (rate * SETTINGS.draws_per_weight) for a, b in parts], loss


@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_update_is_the_gradient_when_all_contexts_are_negatives(rank_loss, pair_loss):
    """With all contexts as negatives and all pairs sampled, an epoch of small steps follows the gradient of J."""
    words, contexts, counts = make_problem(10, 40, 6, seed=5, density=0.3)
    counts.data[:] = np.random.default_rng(1).uniform(20, 150, counts.nnz)  # every pair is certain to be sampled
    objective = Objective(rank_loss, pair_loss, rank_scale=7.0, rank_offset=1.0, l2=0.05)
    state = make_state(words, contexts)
    changes, loss = updates(state, counts, objective, 1e-5, seed=3)
    for change, gradient in zip(changes, exact_gradient(state, counts, objective), strict=True):
        np.testing.assert_allclose(-change, gradient, atol=0.02 * np.abs(gradient).max())
    value = oracle.value(*state.with_bias(), counts, replace(objective, l2=0))
    assert loss == pytest.approx(value, rel=0.01)


@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_sharpness_uses_the_gradient_of_a_sharper_loss(rank_loss, pair_loss):
    """Sharpness 4 is alpha / 4 and beta / 4, with the slope at the largest rank unchanged, like L2 and the loss."""
    words, contexts, counts = make_problem(10, 40, 6, seed=5, density=0.3)
    counts.data[:] = np.random.default_rng(1).uniform(20, 150, counts.nnz)
    objective = Objective(rank_loss, pair_loss, rank_scale=7.0, rank_offset=1.0, l2=0.05)
    state = make_state(words, contexts)
    changes, loss = updates(state, counts, objective, 1e-5, seed=3, sharpness=4.0)
    sharper, plain = replace(objective, rank_scale=7.0 / 4, rank_offset=1.0 / 4, l2=0), replace(objective, l2=0)
    ends = [oracle.RANK_SLOPES[rank_loss](np.float64(39 * s + 1) / 7, 1.5) * s for s in (1, 4)]
    parts = zip(*(exact_gradient(state, counts, each) for each in (sharper, objective, plain)), strict=True)
    for change, (of_ranks, whole, without_l2) in zip(changes, parts, strict=True):
        expected = of_ranks * ends[0] / ends[1] + (whole - without_l2)
        np.testing.assert_allclose(-change, expected, atol=0.02 * np.abs(expected).max())
    assert loss == pytest.approx(oracle.value(*state.with_bias(), counts, plain), rel=0.01)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("optimizer", ["adagrad", "sgd"])
@pytest.mark.parametrize(("rank_loss", "pair_loss"), COMBINATIONS)
def test_update_with_stored_xi_is_the_gradient_of_the_bound(rank_loss, pair_loss, optimizer, bias):
    """With stored xi, small steps follow the gradient of equation (11), which is also the loss, at these xi."""
    words, contexts, counts = make_problem(10, 40, 6, seed=5, density=0.3)
    counts.data[:] = np.random.default_rng(1).uniform(20, 150, counts.nnz)
    objective = Objective(rank_loss, pair_loss, rank_scale=7.0, rank_offset=1.0, l2=0)
    xi = np.random.default_rng(2).uniform(0.1, 2.0, counts.nnz).astype(np.float32)
    state = make_state(words, contexts)
    state.bias *= bias
    state.epoch, state.xi = 1, xi  # epoch 1 of a period of 2 keeps them
    method = Method("stored", optimizer, bias=bias, uniform_negatives=True, xi_period=2)
    rate = 1e-5 if optimizer == "adagrad" else 1e-5 / np.sqrt(HUGE)
    changes, loss = updates(state, counts, objective, rate, 3, method=method)
    grad_words, grad_contexts = oracle.bound_gradient(*state.with_bias(), counts, objective, xi)
    if optimizer == "sgd":  # rates are in units of the largest gradient of a pair, and no accumulator divides them
        slope = oracle.RANK_SLOPES[rank_loss](np.float64(39 + 1) / 7, objective.t) * 39 / 7
        changes = [change * slope / np.sqrt(HUGE) for change in changes]
    gradients = grad_words[:, :-1], grad_contexts[:, :-1], grad_contexts[:, -1] * bias
    for change, gradient in zip(changes, gradients, strict=True):
        np.testing.assert_allclose(-change, gradient, atol=0.02 * np.abs(gradient).max() + 1e-12)
    assert loss == pytest.approx(oracle.bound(*state.with_bias(), counts, objective, xi), rel=0.01)


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
def test_update_is_the_gradient_on_any_shape(n_words, n_contexts, size, density, scale, equal, losses, seed):
    """The update is the gradient for any shape, empty rows, equal contexts and denormal vectors."""
    words, contexts, counts = make_problem(n_words, n_contexts, size, seed, density, scale)
    counts.data[:] = np.random.default_rng(1).uniform(20, 150, counts.nnz)
    contexts = np.repeat(contexts[:1], n_contexts, axis=0) if equal else contexts
    # with a discount of 1, the excess of a single row would be only the rounding error of float32
    objective = Objective(*losses, rank_scale=7.0, rank_offset=1.0, discount=0.3, l2=0.05)
    state = make_state(words, contexts)
    rate = 1e-6  # so small that no context crosses a margin on the way
    changes, loss = updates(state, counts, objective, rate, seed)
    gradients = exact_gradient(state, counts, objective)
    largest = max(np.abs(gradient).max() for gradient in gradients)
    for change, gradient in zip(changes, gradients, strict=True):
        # a change is known to a unit in the last place of what it changes
        np.testing.assert_allclose(-change, gradient, atol=0.03 * largest + 1e-6 / (rate * SETTINGS.draws_per_weight))
    value = oracle.value(*state.with_bias(), counts, replace(objective, l2=0))
    # the terms of rho_3 have either sign and may cancel
    assert loss == pytest.approx(value, rel=0.01, abs=1e-3 * oracle.weights(counts, objective).sum())


@given(
    rows=st.lists(st.lists(st.floats(2**-149, 2**100, width=32), max_size=50), min_size=1, max_size=6),
    seed=st.integers(0, 1000),
)
@settings(max_examples=100, deadline=None)
def test_sampling_rates_of_any_counts(rows, seed):
    """For counts from denormals to 1e30 and empty rows, weights are exact and each word's draws are within one."""
    dense = np.zeros((len(rows), 50), np.float32)
    for row, values in zip(dense, rows, strict=True):
        row[: len(values)] = values
    counts = Cooccurrence.from_matrix(dense)
    offsets = np.random.default_rng(seed).integers(1 << 32, size=len(rows), dtype=np.uint32)
    pairs, sizes = sample_pairs(len(rows), 50, counts, offsets=offsets)
    starts = [0, *np.cumsum(sizes[0])]
    rate = 20 * np.minimum(1, (dense.astype(np.float64) / 100) ** 0.75)
    for word, expected in enumerate(rate):
        sampled = pairs[starts[word] : starts[word + 1]]
        assert set(sampled[:, 0]) >= set(np.flatnonzero(expected >= 1.001))
        np.testing.assert_allclose(sampled[:, 1] / WEIGHT_SCALE, np.maximum(1, expected[sampled[:, 0]]), rtol=3e-4)
        assert abs(len(sampled) - np.minimum(expected, 1).sum()) < 1.1


@pytest.mark.parametrize(
    ("pair_loss", "n_negatives", "largest_weight"), [("hinge", 5, 1), ("logistic", 5, 1), ("hinge", 2, 4)]
)
def test_updates_are_unbiased_for_a_linear_rank_loss(pair_loss, n_negatives, largest_weight):
    """The mean update over partitions and samples is the gradient, with several blocks and few negatives."""
    settings = Settings(min_block=8, n_negatives=n_negatives)
    words, contexts, counts = make_problem(33, 33, 3, seed=6, density=0.4)
    counts.data[:] = np.random.default_rng(1).exponential(1.0, counts.nnz) + 0.05
    objective = Objective("identity", pair_loss, l2=0.05)
    assert (SETTINGS.draws_per_weight * objective.weights_of(counts)(slice(None)) < 1).mean() > 0.5
    partition = TrainingConfig.of(counts.summarize(), objective, 5, 0, settings=settings).partition
    assert len(partition.word_blocks) == 4
    assert partition.negative_weights(n_negatives).max() == largest_weight
    state = make_state(words, contexts)
    # smaller steps drown in rounding: at the base level, the deviation of logistic-5-1 is 7.7 times the tolerance
    # at a rate of 2.5e-5, 1.4 times at 1e-4, and 0.33 times at 4e-4, 8e-4 and 1.6e-3
    runs = [updates(state, counts, objective, 4e-4, seed, settings=settings) for seed in range(3000)]
    value = oracle.value(*state.with_bias(), counts, replace(objective, l2=0))
    losses = np.array([loss for _, loss in runs])
    assert abs(losses.mean() - value) < 5 * losses.std() / np.sqrt(len(losses))
    for part, gradient in enumerate(exact_gradient(state, counts, objective)):
        sample = -np.array([changes[part] for changes, _ in runs])
        noise = sample.std(axis=0) / np.sqrt(len(sample))
        # rounding and the change of the vectors within an epoch add a little
        assert (np.abs(sample.mean(axis=0) - gradient) < 5 * noise + 0.01 * np.abs(gradient).max()).all()


def run_cell(words, contexts, counts, seed=1, **arguments):
    """Sample the pairs of one cell that holds everything and train on copies; return the copies and the loss."""
    size, n = words.shape[1], len(contexts)
    stride = -(-(size + 1) // _sampled.ROW_FLOATS) * _sampled.ROW_FLOATS
    padded = [np.zeros((len(matrix), stride), np.float32) for matrix in (words, contexts)]
    padded[0][:, :size], padded[1][:, :size], padded[0][:, size] = words, contexts, 1
    accumulators = [np.full(len(matrix), 0.1, np.float32) for matrix in (words, contexts)]
    pairs, sizes = sample_pairs(len(words), n, counts)
    arguments = OPTIONS | {
        "words": padded[0], "word_accumulator": accumulators[0], "contexts": padded[1],
        "context_accumulator": accumulators[1], "negative_weights": np.ones(n, np.uint16), "pairs": pairs,
        "sizes": sizes[0], "seed": seed, "n_contexts": n, "vector_size": size, "n_negatives": 16,
        "pair_loss": 0, "sharpness": 1.0, "gradient_scale": 0.1, **arguments,
    }  # fmt: skip
    loss = call_run_cell(**arguments)
    return arguments["words"], arguments["contexts"], loss


def sample_pairs(n_words, n_contexts, counts, **arguments):
    """Sample the pairs of all words, by default with one block of contexts."""
    arguments = {
        "pairs": np.empty((counts.nnz + 1, 2), np.uint16),
        "offsets": np.linspace(0, 4e9, n_words).astype(np.uint32), "word_rows": np.arange(n_words, dtype=np.int32),
        "indptr": counts.indptr, "columns": counts.indices, "counts": counts.data,
        "word_factors": np.zeros(n_words, np.float32), "context_factors": np.zeros(n_contexts, np.float32),
        "slot_of": np.zeros(n_contexts, np.uint16), "row_of": np.arange(n_contexts, dtype=np.int32), "n_slots": 1,
        **arguments,
    }  # fmt: skip
    sizes = call_sample_pairs(**arguments)
    return arguments["pairs"][: sizes.sum()], sizes


@pytest.mark.parametrize("n_slots", [1, 2, 5, 300])
def test_pairs_are_sorted_by_slot(n_slots):
    """Pairs, and their xi, are sorted by slot, those of a slot by word; the number of slots is not that of a byte."""
    _, _, counts = make_problem(30, 400, 4, seed=11)
    slot_of = np.random.default_rng(2).integers(0, n_slots + 1, 400).astype(np.uint16)
    pairs, sizes = sample_pairs(30, 400, counts, slot_of=slot_of, n_slots=n_slots)
    runs = np.split(np.arange(len(pairs)), np.cumsum(sizes.T.ravel())[:-1])  # of each word, and of each slot in it
    order = np.concatenate([runs[word * n_slots + slot] for slot in range(n_slots) for word in range(30)])
    xi, sorted_pairs, sorted_xi = np.arange(len(pairs), dtype=np.float32), *map(np.empty_like, (pairs, pairs[:, 0]))
    sorted_xi = sorted_xi.astype(np.float32)
    _sampled.sort_by_slot(pairs, sizes, sorted_pairs, xi, sorted_xi)
    assert len(pairs) > 100
    assert sorted_pairs.tolist() == pairs[order].tolist()
    assert sorted_xi.tolist() == order.tolist()


@pytest.mark.parametrize(("n", "n_sorted", "n_xi"), [(2, 3, None), (4, 2, None), (4, 3, 3), (4, 4, None)])
def test_inconsistent_sizes_raise(n, n_sorted, n_xi):
    """Arrays that do not have the pairs of the sizes raise ValueError."""
    pairs, xi = (np.zeros((length, 2), np.uint16) for length in (n, n_sorted)), [None, None]
    if n_xi is not None:
        xi = [np.zeros(length, np.float32) for length in (n_xi, n_sorted)]
    first, second = pairs
    with pytest.raises(ValueError, match=r"sizes are those of other pairs|one entry per pair"):
        _sampled.sort_by_slot(first, np.array([[1, 2]], np.uint16), second, *xi)


def factors_and_rates(counts):
    """Return random factors of expected counts, and the expected draws of each pair."""
    random = np.random.default_rng(5)
    of_words, of_contexts = (random.uniform(0, 1, n).astype(np.float32) for n in counts.shape)
    expected = np.outer(of_words, of_contexts)[counts.matrix.nonzero()]
    excess = np.maximum(0, counts.data.astype(np.float64) - expected)
    return {"word_factors": of_words, "context_factors": of_contexts}, 20 * np.minimum(1, (excess / 100) ** 0.75)


def test_sampled_pairs_have_the_right_slots_and_weights():
    """Pairs of rate 1 or more come once with that weight, others at random with weight 1, in the requested slots."""
    _, _, counts = make_problem(30, 200, 2, seed=7, density=0.7)
    counts.data[:] = np.random.default_rng(1).exponential(2.0, counts.nnz) + 0.05
    factors, rate = factors_and_rates(counts)
    slot_of = np.random.default_rng(2).integers(0, 4, 200).astype(np.uint16)
    row_of = np.random.default_rng(3).permutation(200).astype(np.int32)
    pairs, sizes = sample_pairs(30, 200, counts, slot_of=slot_of, row_of=row_of, n_slots=3, **factors)
    context_of, starts = np.argsort(row_of), [0, *np.cumsum(sizes.T)]
    for word, slot in itertools.product(range(30), range(3)):
        row = slice(counts.indptr[word], counts.indptr[word + 1])
        expected = dict(zip(counts.indices[row], rate[row], strict=True))
        sampled = pairs[starts[word * 3 + slot] : starts[word * 3 + slot + 1]]
        contexts = context_of[sampled[:, 0]]
        assert (slot_of[contexts] == slot).all()
        assert len(set(contexts)) == len(contexts)
        assert set(contexts) >= {c for c, draws in expected.items() if draws >= 1 and slot_of[c] == slot}
        np.testing.assert_allclose(sampled[:, 1] / WEIGHT_SCALE, [max(1, expected[c]) for c in contexts], rtol=2e-4)
    words = np.repeat(np.arange(30), np.diff(counts.indptr))
    n_expected = np.bincount(words, np.minimum(rate, 1) * (slot_of[counts.indices] < 3))
    assert (np.abs(sizes.sum(axis=0) - n_expected) < 1.01).all()


def test_mean_weight_of_a_pair_is_its_rate():
    """Over many sampling offsets, the mean weight of a pair is draws_per_weight * r."""
    _, _, counts = make_problem(3, 60, 2, seed=7, density=0.8)
    counts.data[:] = np.random.default_rng(1).exponential(1.0, counts.nnz) + 0.05
    factors, rate = factors_and_rates(counts)
    assert 0.02 < (rate == 0).mean() < 0.5
    assert 0.2 < (rate < 1).mean() < 0.9
    runs, mean = 4000, np.zeros((3, 60))
    for offsets in np.random.default_rng(4).integers(1 << 32, size=(runs, 3), dtype=np.uint32):
        pairs, sizes = sample_pairs(3, 60, counts, offsets=offsets, **factors)
        np.add.at(mean, (np.repeat(np.arange(3), sizes[0]), pairs[:, 0]), pairs[:, 1] / WEIGHT_SCALE / runs)
    expected = np.zeros((3, 60))
    expected[np.repeat(np.arange(3), np.diff(counts.indptr)), counts.indices] = rate
    assert (np.abs(mean - expected) < 5 * np.sqrt(0.25 / runs) + 2e-4 * expected).all()
    assert (mean[expected == 0] == 0).all()


def test_pairs_are_assigned_to_tasks_round_robin():
    """Forty pairs of a word make three tasks, each with every third pair."""
    counts = Cooccurrence.from_matrix(np.full((1, 40), 100.0))
    pairs, sizes = sample_pairs(1, 40, counts)
    assert sizes.tolist() == [[40]]
    assert pairs[:, 0].tolist() == [*range(0, 40, 3), *range(1, 40, 3), *range(2, 40, 3)]


def test_the_memory_of_sampled_pairs_is_bounded():
    """If all pairs are sampled, it is done for one stratum at a time; if few are, for all strata at once."""
    _, _, counts = make_problem(30, 200, 2, seed=7, density=0.7)
    settings = replace(SETTINGS, min_block=3)
    config = TrainingConfig.of(counts.summarize(), Objective(weighted=False), 2, 1, settings=settings)
    assert (config.partition.n_blocks, config.strata_per_batch) == (8, 1)
    counts.data[:] = 0.02
    assert TrainingConfig.of(counts.summarize(), Objective(), 2, 1, settings=settings).strata_per_batch == 8
    # the numbers of pairs per word and stratum are small, too: half of 2^28 bytes, and as many
    assert choose_strata_per_batch(0, 10**8, n_words=1 << 20, n_blocks=64) == 64
    assert choose_strata_per_batch(0, 10**8, n_words=1 << 22, n_blocks=256) == 32


def test_threads_give_the_same_bytes():
    """The kernel gives the same bytes when many threads run it at once on separate arrays."""
    words, contexts, counts = make_problem(120, 130, 20, seed=7)
    alone = [part.tobytes() for part in run_cell(words, contexts, counts)[:2]]
    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(lambda _: run_cell(words, contexts, counts), range(24)):
            assert [part.tobytes() for part in result[:2]] == alone


def test_padding_stays_zero_and_the_bias_coordinate_of_words_one():
    """Training changes no coordinate behind the vectors except the bias of contexts."""
    words, contexts, counts = make_problem(40, 50, 20, seed=7)
    new_words, new_contexts, _ = run_cell(words, contexts, counts)
    assert (new_words[:, 20] == 1).all()
    assert not new_words[:, 21:].any()
    assert not new_contexts[:, 21:].any()
    assert new_contexts[:, 20].any()


def test_more_blocks_than_a_byte_can_number():
    """An epoch of 512 blocks, as of millions of words, samples the same total weight and reaches a similar loss."""
    words, contexts, counts = make_problem(1100, 1100, 4, seed=7, density=0.02)
    objective = Objective("identity")
    few, many = (
        updates(make_state(words, contexts), counts, objective, 1e-6, 1, settings=replace(SETTINGS, **blocks))[1]
        for blocks in ({}, {"max_block": 2, "min_block": 2})
    )
    assert many == pytest.approx(few, rel=0.05)


@pytest.mark.parametrize("n_contexts", [1, 2, 3, 9, 17])
@pytest.mark.parametrize("size", [1, 15, 16, 31])
def test_any_number_of_contexts_and_any_size(n_contexts, size):
    """Negatives and vectors need not fill whole registers; a single context changes nothing."""
    words, contexts, counts = make_problem(5, n_contexts, size, seed=2, density=1.0)
    new_words, new_contexts, loss = run_cell(words, contexts, counts, n_negatives=n_contexts)
    assert np.isfinite(new_words).all()
    assert np.isfinite(new_contexts).all()
    assert (loss > 0) == (n_contexts > 1)
    assert (new_words[:, :size] != words).any() == (n_contexts > 1)


def test_a_cell_without_pairs_changes_nothing():
    """The loss of a cell without pairs is 0."""
    words, contexts, _ = make_problem(5, 6, 4, seed=2)
    empty = Cooccurrence.from_matrix(np.zeros((5, 6)))
    assert run_cell(words, contexts, empty, n_negatives=6)[2] == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_negatives": 0}, "n_negatives"),
        ({"n_negatives": 257}, "n_negatives"),
        ({"word_accumulator": np.ones(39, np.float32)}, "one entry per row"),
        ({"vector_size": 32}, "room for the bias"),
        ({"vector_size": -1}, "room for the bias"),
        ({"draws_per_weight": 0.0}, "draws_per_weight"),
        ({"negative_weights": np.ones(49, np.uint16)}, "each with a negative-sampling weight"),
        ({"negative_weights": np.zeros(50, np.uint16)}, "must be 1 or more"),
        ({"sizes": np.zeros(41, np.uint16)}, "other words"),
        ({"sizes": np.full(40, 65535, np.uint16)}, "other pairs"),
        ({"pairs": np.zeros((5000, 2), np.uint16)}, "other pairs"),
        ({"pairs": np.full((40, 2), 50, np.uint16), "sizes": np.ones(40, np.uint16)}, "outside the block"),
    ],
)
def test_inconsistent_cells_raise(change, message):
    """Arrays and options that would lead outside the arrays of a cell raise ValueError."""
    words, contexts, counts = make_problem(40, 50, 20, seed=7)
    with pytest.raises(ValueError, match=message):
        run_cell(words, contexts, counts, **change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"offsets": np.zeros(39, np.uint32)}, "one entry per word"),
        ({"word_factors": np.zeros(39, np.float32)}, "one entry per word"),
        ({"context_factors": np.zeros(49, np.float32)}, "one entry per context"),
        ({"word_rows": np.full(40, 40, np.int32)}, "no row in the counts"),
        ({"n_slots": 0}, "n_slots"),
        ({"n_slots": 65536}, "n_slots"),
        ({"row_of": np.full(50, 65535, np.int32)}, "row_of"),
        ({"slot_of": np.zeros(49, np.uint16)}, "slot_of"),
        ({"indptr": np.full(41, 10**6)}, "indptr points outside"),
        ({"indptr": np.arange(41)[::-1].copy()}, "indptr points outside"),
        ({"columns": np.zeros(10**4, np.int32)}, "one entry per pair"),
        ({"draws_per_weight": 1e5}, "draws_per_weight"),
        ({"pairs": np.empty((100, 2), np.uint16)}, "no room for all pairs"),
    ],
)
def test_inconsistent_sampling_input_raises(change, message):
    """Arrays and options that would lead outside the counts raise ValueError."""
    _, _, counts = make_problem(40, 50, 20, seed=7)
    with pytest.raises(ValueError, match=message):
        sample_pairs(40, 50, counts, **change)


def test_negatives_are_limited_to_the_block():
    """A block with fewer contexts than n_negatives uses all of them."""
    words, contexts, counts = make_problem(40, 50, 20, seed=7)
    limited, whole = (run_cell(words, contexts, counts, n_negatives=n) for n in (200, 50))
    assert [part.tobytes() for part in limited[:2]] == [part.tobytes() for part in whole[:2]]
    assert limited[2] == whole[2]


def test_missing_and_unknown_options_raise():
    """Options must have a value for each parameter and no other names."""
    with pytest.raises(ValueError, match="'t'"):
        _sampled.EpochOptions(**{name: value for name, value in OPTIONS.items() if name != "t"})
    with pytest.raises(TypeError, match="unknown parameters: .'step'"):
        _sampled.EpochOptions(step=0.1, **OPTIONS)
