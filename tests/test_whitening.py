"""The basis of the vectors for use, and how training finds its own again."""

import numpy as np
import pytest
from gensim.models.callbacks import CallbackAny2Vec
from gensim_wordrank import WordRank
from gensim_wordrank.whitening import RIDGE, in_basis, whitening
from threadpoolctl import threadpool_limits

import oracle

SMALL = {"vector_size": 12, "window": 5, "min_count": 1, "epochs": 3}


@pytest.fixture
def model(two_worlds):
    """A small trained model of its own for each test."""
    return WordRank(two_worlds, **SMALL)


def scores(model):
    """Of all words and contexts, as training has them."""
    state = model._state()
    return state.words.astype(np.float64) @ state.contexts.T


@pytest.mark.parametrize("n", [3, 40, 9000])
def test_the_matrix_is_that_of_the_formula(n):
    """Also with fewer words than coordinates, and with more than one block of them."""
    random = np.random.default_rng(n)
    vectors = (random.standard_normal((n, 6)) * np.arange(1, 7)).astype(np.float32)
    frequencies = random.integers(1, 1000, n)
    basis = whitening(vectors, frequencies)
    np.testing.assert_allclose(basis, oracle.whitening(vectors, frequencies, RIDGE), rtol=1e-9)
    np.testing.assert_allclose(basis, basis.T)
    assert np.linalg.det(basis) == pytest.approx(1)
    np.testing.assert_allclose(in_basis(vectors, basis), vectors @ basis, rtol=1e-5, atol=1e-5)


def test_directions_come_closer():
    """What frequent words have most of counts for less, and their order stays."""
    random = np.random.default_rng(0)
    vectors = (random.standard_normal((500, 4)) * [8, 4, 2, 1]).astype(np.float32)
    lengths = np.linalg.norm(in_basis(vectors, whitening(vectors, np.ones(500))), axis=0)
    before = np.linalg.norm(vectors, axis=0)
    assert (np.diff(lengths) < 0).all()
    assert lengths[0] / lengths[3] < 0.7 * before[0] / before[3]


@pytest.mark.parametrize("frequencies", [[1, 2, 3], [0, 0, 0]])
def test_vectors_without_length_or_frequency_stay(frequencies):
    """There is no direction to look at."""
    vectors = np.zeros((3, 2), np.float32)
    np.testing.assert_array_equal(whitening(vectors, frequencies), np.eye(2))
    np.testing.assert_array_equal(whitening(np.empty((0, 2), np.float32), []), np.eye(2))


def test_threads_of_blas_do_not_matter():
    """The same bytes on any number of cores."""
    vectors = np.random.default_rng(0).standard_normal((5000, 60)).astype(np.float32)
    found = set()
    for threads in (1, 2, 3):
        with threadpool_limits(limits=threads, user_api="blas"):
            basis = whitening(vectors, np.arange(5000))
            found.add((basis.tobytes(), in_basis(vectors, basis).tobytes()))
    assert len(found) == 1


def test_a_model_has_its_vectors_for_use(model):
    """`wv` is u in the basis of its frequencies; u itself is there as trained."""
    basis = whitening(model.trained_vectors, model.wv.expandos["count"])
    np.testing.assert_array_equal(model.wv.vectors, in_basis(model.trained_vectors, basis))
    np.testing.assert_array_equal(model.vectors("word", "whitened").vectors, model.wv.vectors)
    np.testing.assert_array_equal(model.vectors("word").vectors, model.trained_vectors)
    assert model.wv.similarity("sea1", "sea2") == pytest.approx(
        np.dot(model.wv["sea1"], model.wv["sea2"]) / np.linalg.norm(model.wv["sea1"]) / np.linalg.norm(model.wv["sea2"])
    )


def test_training_has_its_own_vectors(two_worlds):
    """Callbacks see them while it runs, and those for use when it ends."""
    seen = {}

    class Look(CallbackAny2Vec):
        def on_epoch_end(self, model):
            seen[model.epochs_done] = model.wv.vectors.copy(), model.trained_vectors

        def on_train_end(self, model):
            seen["end"] = model.wv.vectors.copy(), model.trained_vectors

    model = WordRank(two_worlds, **SMALL, callbacks=[Look()])
    assert all(trained is None for name, (_, trained) in seen.items() if name != "end")
    np.testing.assert_array_equal(seen[3][0], model.trained_vectors)
    np.testing.assert_array_equal(seen["end"][0], model.wv.vectors)


def test_changed_vectors_are_what_training_goes_on_from(model, two_worlds):
    """The contexts follow into the basis of `wv`, so that no other score changes."""
    before = scores(model)
    model.wv.vectors[0] *= 2
    after = scores(model)
    np.testing.assert_allclose(after[0], 2 * before[0], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(after[1:], before[1:], rtol=1e-3, atol=1e-4)
    changed = model.wv.vectors.copy()
    model.train(two_worlds, total_examples=600, epochs=1, start_alpha=1e-9)
    np.testing.assert_allclose(model.trained_vectors, changed, atol=1e-5)


def test_vectors_that_are_locked_after_training_stay(model, two_worlds):
    """Those that are seen, not those that training had; the scores stay theirs."""
    before, shown = scores(model), model.wv.vectors.copy()
    model.wv.vectors_lockf = np.zeros(len(model.wv), np.float32)
    np.testing.assert_allclose(scores(model), before, rtol=1e-3, atol=1e-4)
    model.train(two_worlds, total_examples=600, epochs=2)
    np.testing.assert_array_equal(model.wv.vectors, shown)
    assert model.trained_vectors is None


def test_a_model_that_was_saved_without_the_vectors_of_training_goes_on(model, two_worlds, tmp_path):
    """It has the same scores, and trains."""
    model.save(tmp_path / "model", ignore=["trained_vectors"])
    loaded = WordRank.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.wv.vectors, model.wv.vectors)
    np.testing.assert_allclose(scores(loaded), scores(model), rtol=1e-3, atol=1e-4)
    assert loaded.exact_loss() == pytest.approx(model.exact_loss(), rel=0.05)  # the L2 term is of another basis
    loaded.train(two_worlds, total_examples=600, epochs=1)
    assert loaded.epochs_done == 4


@pytest.mark.parametrize("change", [False, True])
def test_words_can_come_after_training(model, two_worlds, change):
    """Vectors of the old words stay as they are seen, and training goes on from its own, or from changed ones."""
    if change:
        model.wv.vectors[0] += 1
    before, shown = scores(model), model.wv.vectors.copy()
    model.build_vocab([["ship"] * 5], update=True)
    np.testing.assert_array_equal(model.wv.vectors[:40], shown)
    np.testing.assert_allclose(scores(model)[:40, :40], before, rtol=1e-5, atol=1e-5)
    assert scores(model).shape == (41, 41)
    assert (model.trained_vectors is None) == change


def test_a_run_that_is_interrupted_leaves_vectors_for_use(two_worlds):
    """As one that comes to its end."""

    class Interrupt(CallbackAny2Vec):
        def on_epoch_end(self, model):
            if model.epochs_done == 2:
                raise KeyboardInterrupt

    model = WordRank(**SMALL)
    model.build_vocab(two_worlds)
    with pytest.raises(KeyboardInterrupt):
        model.train(two_worlds, total_examples=600, epochs=3, callbacks=[Interrupt()])
    np.testing.assert_array_equal(model.vectors("word", "whitened").vectors, model.wv.vectors)
    assert model.epochs_done == 2
