"""Extreme parameters and texts give finite vectors, or an error that keeps the last finite ones."""

import itertools

import numpy as np
import pytest
from gensim_wordrank import WordRank
from gensim_wordrank.objective.losses import PairLoss, RankLoss

pytestmark = pytest.mark.slow
LOSSES = list(itertools.product([loss.value for loss in RankLoss], [loss.value for loss in PairLoss]))
SOLVERS = ["sampled", "triplet"]
TEXTS = {
    "one sentence": [list("abcdef")],
    "one word": [["a"] * 7] * 3,
    "two words": [["a", "b"]] * 5,
    "all equally frequent": [[f"w{i}", f"w{(i + 1) % 8}"] for i in range(8)] * 5,
    "no pairs": [["a"], ["b"], ["c"], ["d"], ["e"]],
}


@pytest.fixture(scope="module")
def text():
    """Random sentences."""
    return np.random.default_rng(0).choice([f"w{i}" for i in range(40)], (60, 12)).tolist()


def is_finite(model):
    """Return True if all arrays are finite, including those for further training."""
    arrays = (model.wv.vectors, model.context_vectors, model.context_bias, model._accumulators)
    return all(np.isfinite(array).all() for array in arrays)


def train_or_diverge(text, **parameters):
    """Train and return the model; if training diverges, check that the error names epoch, cause and remedy."""
    model = WordRank(vector_size=8, min_count=1, **parameters)
    model.build_vocab(text)
    try:
        model.train(text, total_examples=len(text), epochs=20)
    except FloatingPointError as error:
        for part in ("diverged in epoch ", "those of the epoch before", "Lower 'alpha' (now "):
            assert part in str(error)  # noqa: PT017  # not all runs diverge
        assert "not finite" in str(error) or "far above" in str(error)  # noqa: PT017
    else:
        assert np.isfinite(model.get_latest_training_loss())
    return model


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("alpha", [1e-8, 1.0])
@pytest.mark.parametrize(("rank_loss", "pair_loss"), LOSSES)
def test_learning_rates(text, solver, alpha, rank_loss, pair_loss):
    """The smallest and the largest learning rate, with all losses."""
    assert is_finite(train_or_diverge(text, solver=solver, alpha=alpha, rank_loss=rank_loss, pair_loss=pair_loss))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "parameters",
    [
        *({"rank_scale": scale, "rank_offset": offset} for scale in (1e-30, 1e-3, 1e9, 1e30) for offset in (1e-3, 1e9)),
        *({name: value} for name in ("x_max", "epsilon", "discount", "l2") for value in (1e-30, 1e30)),
    ],
)
@pytest.mark.parametrize(("rank_loss", "pair_loss"), LOSSES[::3])
def test_parameters_of_the_objective(text, solver, rank_loss, pair_loss, parameters):
    """The smallest and the largest values of each parameter."""
    assert is_finite(train_or_diverge(text, solver=solver, rank_loss=rank_loss, pair_loss=pair_loss, **parameters))


@pytest.mark.parametrize("name", ["rank_scale", "rank_offset", "x_max", "epsilon", "discount", "l2"])
def test_parameters_beyond_float32(name):
    """Values that float32 cannot hold are errors that name the parameter."""
    with pytest.raises(ValueError, match=f"'{name}' must be a number.*up to 1e\\+30. Got 1e\\+300"):
        WordRank(**{name: 1e300})


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("size", [1, 300])
@pytest.mark.parametrize("window", [1, 500])
@pytest.mark.parametrize("name", TEXTS)
def test_texts(name, window, size, solver):
    """Texts of one word, of one sentence or without pairs; vectors of size 1; windows larger than the text."""
    model = WordRank(TEXTS[name], min_count=1, vector_size=size, window=window, epochs=3, solver=solver)
    assert is_finite(model)
    assert np.isfinite(model.get_latest_training_loss())


@pytest.mark.parametrize("solver", SOLVERS)
def test_vocabulary_of_one_word(text, solver):
    """min_count keeps a single word."""
    model = WordRank([*text, ["rare", *["often"] * 90]], min_count=60, vector_size=4, epochs=2, solver=solver)
    assert model.wv.index_to_key == ["often"]
    assert is_finite(model)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "matrix",
    [
        np.full((6, 6), 1e30),
        np.full((6, 6), 1e-40),
        np.array([[0, 1e30, 1e-30], [1e-40, 0, 1], [3e38, 1, 3e38]]),
        np.zeros((9, 9)),
        np.ones((1, 1)),
    ],
    ids=["huge", "denormal", "mixed", "empty", "one"],
)
def test_matrices(matrix, solver):
    """Counts from denormals to the largest float32, and a matrix without counts."""
    model = WordRank.from_cooccurrence(matrix, vector_size=4, epochs=3, solver=solver)
    assert is_finite(model)
    assert np.isfinite(model.get_latest_training_loss())
