"""The change of basis at the end of training."""

import numpy as np
import pytest
from gensim.models.callbacks import CallbackAny2Vec
from gensim_wordrank import WordRank
from gensim_wordrank.settings import SETTINGS
from gensim_wordrank.training.whitening import change_basis, usable_basis
from threadpoolctl import threadpool_limits

import oracle

SMALL = {"vector_size": 12, "window": 5, "min_count": 1, "epochs": 3}
CONSTANT = {"alpha": 0.015, "min_alpha": 0.015}


def random_vectors(n, size, seed=0):
    """Return random vectors of various lengths that vary more in some directions."""
    random = np.random.default_rng(seed)
    lengths = random.exponential(size=(n, 1)) * np.arange(1, size + 1)
    return (random.standard_normal((n, size)) * lengths).astype(np.float32)


def whiten(u, v, frequencies):
    """Return both matrices in the usable basis."""
    basis, inverse = usable_basis(u, v, frequencies)
    return change_basis(u, basis), change_basis(v, inverse)


def cosines(vectors):
    """Return the cosines of all pairs of rows, which a rotation does not change."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit @ unit.T


def scores(model):
    """Return the scores of all words and contexts."""
    return model.wv.vectors.astype(np.float64) @ model.context_vectors.T


@pytest.fixture
def model(two_worlds):
    """A small trained model, one per test."""
    return WordRank(two_worlds, **SMALL)


class VectorRecorder(CallbackAny2Vec):
    """Records the vectors that callbacks see after an epoch."""

    def on_epoch_end(self, model):
        """Copy the vectors."""
        self.seen = model.wv.vectors.copy(), model.context_vectors.copy()


class InterruptingRecorder(VectorRecorder):
    """Records vectors and interrupts training after the second epoch."""

    def on_epoch_end(self, model):
        """Copy the vectors; raise KeyboardInterrupt after the second epoch."""
        super().on_epoch_end(model)
        if model.epochs_done == 2:
            raise KeyboardInterrupt


@pytest.mark.parametrize(("n", "size"), [(4, 6), (50, 6), (9000, 3)])
def test_basis_follows_the_formula(n, size):
    """The basis equals the oracle's, also with fewer words than dimensions or several blocks of words."""
    u, v = random_vectors(n, size), random_vectors(n, size, seed=1)
    frequencies = np.random.default_rng(2).integers(1, 1000, n)
    found = whiten(u, v, frequencies)
    expected = oracle.whiten(u, v, frequencies, SETTINGS.whitening_ridge, SETTINGS.min_variance)
    for each, other in zip(found, expected, strict=True):
        assert (each.shape, each.dtype) == ((n, size), np.float32)
        np.testing.assert_allclose(cosines(each[:200]), cosines(other[:200]), atol=1e-4)
        np.testing.assert_allclose(np.linalg.norm(each, axis=1), np.linalg.norm(other, axis=1), rtol=1e-4)
    np.testing.assert_allclose(cosines(sum(found)[:200]), cosines(sum(expected)[:200]), atol=1e-4)


def test_scores_do_not_change():
    """All scores <u, v> stay the same, and cosines between words change."""
    u, v = random_vectors(50, 6), random_vectors(50, 6, seed=1)
    new_u, new_v = whiten(u, v, np.arange(1, 51))
    np.testing.assert_allclose(new_u @ new_v.T, u @ v.T, rtol=1e-4, atol=1e-3)
    assert np.abs(cosines(new_u) - cosines(u)).max() > 0.1


def test_basis_depends_only_on_the_scores():
    """The basis that training ended in does not matter, and whitening twice changes nothing."""
    u, v, frequencies = random_vectors(400, 6), random_vectors(400, 6, seed=1), np.arange(1, 401)
    once = whiten(u, v, frequencies)
    other = np.random.default_rng(3).standard_normal((6, 6)) + 3 * np.eye(6)
    transformed = change_basis(u, other), change_basis(v, np.linalg.inv(other).T)
    from_transformed = whiten(*transformed, frequencies)
    for new, old in zip((*from_transformed, sum(from_transformed)), (*once, sum(once)), strict=True):
        np.testing.assert_allclose(cosines(new), cosines(old), atol=1e-3)
    np.testing.assert_allclose(usable_basis(*once, frequencies), np.broadcast_to(np.eye(6), (2, 6, 6)), atol=1e-3)


def test_variances_become_more_equal():
    """Directions in which frequent words have a large variance are scaled down."""
    u = (np.random.default_rng(0).standard_normal((500, 4)) * [8, 4, 2, 1]).astype(np.float32)
    before, after = (np.linalg.eigvalsh(x.T @ x) for x in (u, whiten(u, u, np.ones(500))[0]))
    expected = before / (before / before.mean() + SETTINGS.whitening_ridge)
    np.testing.assert_allclose(after / after[0], expected / expected[0], rtol=1e-4)
    assert after[-1] / after[0] < 0.6 * before[-1] / before[0]


def test_opposed_directions_do_not_cancel():
    """Where u and v have opposite signs, v becomes longer, and u + v is as long as if the signs agreed."""
    u = random_vectors(500, 6)
    v = u * np.array([1, 1, 1, 1, 1, -1], np.float32)
    new_u, new_v = whiten(u, v, np.ones(500))
    opposed = np.linalg.eigh(new_u.T @ new_v + new_v.T @ new_u)[1][:, 0]
    lengths = [np.linalg.norm(each @ opposed) / np.linalg.norm(u[:, 5]) for each in (new_u, new_v, new_u + new_v)]
    np.testing.assert_allclose(lengths, [np.sqrt(2) - 1, np.sqrt(2) + 1, 2], rtol=0.05)


def test_all_directions_opposed():
    """If v = -u, nothing is whitened: scores and the cosines of u + v stay the same."""
    u = random_vectors(50, 3)
    new_u, new_v = whiten(u, -u, np.ones(50))
    np.testing.assert_allclose(new_u @ new_v.T, -u @ u.T, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(cosines(new_u + new_v), cosines(u), atol=1e-3)


@pytest.mark.parametrize("frequencies", [[1, 2, 3], [0, 0, 0]])
def test_zero_vectors_and_frequencies(frequencies):
    """Zero vectors, zero frequencies and an empty vocabulary give the identity."""
    zero, one = np.zeros((3, 2), np.float32), random_vectors(3, 2)
    for u, v in ((zero, zero), (one, zero), (zero, one)):
        for matrix in usable_basis(u, v, frequencies):
            np.testing.assert_array_equal(matrix, np.eye(2))
    for matrix in usable_basis(np.empty((0, 2), np.float32), np.empty((0, 2), np.float32), []):
        np.testing.assert_array_equal(matrix, np.eye(2))


@pytest.mark.parametrize("seed", range(50))
def test_rank_deficient_vectors(seed):
    """If the vectors have a low rank, scores stay the same and nothing becomes NaN."""
    random = np.random.default_rng(seed)
    n, rank, size = random.integers(1, 60), random.integers(1, 4), random.integers(50, 200)
    u = (random.standard_normal((n, rank)) @ random.standard_normal((rank, size))).astype(np.float32)
    v = (u, -u, u * random.choice([-1, 0, 1], size), random.standard_normal((n, size)))[seed % 4].astype(np.float32)
    new_u, new_v = whiten(u, v, random.integers(seed % 2, 1000, n))
    scores = u.astype(np.float64) @ v.T
    np.testing.assert_allclose(new_u.astype(np.float64) @ new_v.T, scores, rtol=0, atol=3e-6 * np.abs(scores).max())


def test_blas_threads_do_not_change_the_result():
    """The result has the same bytes for any number of BLAS threads."""
    u, v, found = random_vectors(5000, 40), random_vectors(5000, 40, seed=1), set()
    for threads in (1, 2, 3):
        with threadpool_limits(limits=threads, user_api="blas"):
            found.add(b"".join(each.tobytes() for each in whiten(u, v, np.arange(5000))))
    assert len(found) == 1


def test_whitening_separates_kinds_of_words():
    """Adjectives and nouns of a topic co-occur: u + v mixes them as trained, and not after whitening."""
    random = np.random.default_rng(0)
    topics = random.integers(4, size=6000)
    text = [[f"{topic}a{random.integers(10)}", f"{topic}n{random.integers(10)}"] for topic in topics]

    def same_kind_share(keyed):
        near = {word: [other for other, _ in keyed.most_similar(word, topn=9)] for word in keyed.index_to_key}
        return np.mean([other[:2] == word[:2] for word, others in near.items() for other in others])

    as_trained = WordRank(text, vector_size=16, min_count=1, **CONSTANT)
    assert same_kind_share(as_trained.vectors("sum")) < 0.95
    assert same_kind_share(WordRank(text, vector_size=16, min_count=1).vectors("sum")) == 1


def test_trained_model_is_whitened(two_worlds):
    """A trained model has the whitened vectors, with the scores of its last epoch."""
    recorder = VectorRecorder()
    model = WordRank(two_worlds, **SMALL, callbacks=[recorder])
    expected = whiten(*recorder.seen, model.wv.expandos["count"])
    np.testing.assert_array_equal(model.wv.vectors, expected[0])
    np.testing.assert_array_equal(model.context_vectors, expected[1])
    np.testing.assert_allclose(scores(model), recorder.seen[0] @ recorder.seen[1].T, rtol=1e-3, atol=1e-4)
    assert model.wv.similarity("sea1", "sea2") == pytest.approx(
        np.dot(model.wv["sea1"], model.wv["sea2"]) / np.linalg.norm(model.wv["sea1"]) / np.linalg.norm(model.wv["sea2"])
    )


def test_constant_rate_does_not_whiten(two_worlds):
    """As in the paper, at a constant learning rate the vectors of the last epoch are the result."""
    recorder = VectorRecorder()
    model = WordRank(two_worlds, **SMALL, **CONSTANT, callbacks=[recorder])
    np.testing.assert_array_equal(model.wv.vectors, recorder.seen[0])
    np.testing.assert_array_equal(model.context_vectors, recorder.seen[1])


def test_training_continues_from_the_whitened_vectors(model, two_worlds):
    """At a tiny rate nothing changes; after a word vector is doubled, only the scores of this word double."""
    vectors = model.wv.vectors.copy()
    model.train(two_worlds, total_examples=600, epochs=1, start_alpha=1e-9)
    np.testing.assert_allclose(model.wv.vectors, vectors, atol=1e-3)
    before = scores(model)
    model.wv.vectors[0] *= 2
    model.train(two_worlds, total_examples=600, epochs=1, start_alpha=1e-9)
    np.testing.assert_allclose(scores(model)[0], 2 * before[0], rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(scores(model)[1:], before[1:], rtol=1e-3, atol=1e-3)


def test_locked_vectors_are_not_whitened(model, two_worlds):
    """As long as vectors are locked, the basis does not change."""
    vectors = model.wv.vectors.copy()
    model.wv.vectors_lockf = np.zeros(len(model.wv), np.float32)
    model.train(two_worlds, total_examples=600, epochs=2)
    np.testing.assert_array_equal(model.wv.vectors, vectors)


def test_new_words_after_whitening(model):
    """The vectors and scores of the old words stay the same."""
    before, vectors = scores(model), model.wv.vectors.copy()
    model.build_vocab([["ship"] * 5], update=True)
    np.testing.assert_array_equal(model.wv.vectors[:40], vectors)
    np.testing.assert_array_equal(scores(model)[:40, :40], before)
    assert scores(model).shape == (41, 41)


def test_interrupted_run_is_whitened(two_worlds):
    """The vectors of an interrupted run are whitened, too."""
    recorder = InterruptingRecorder()
    model = WordRank(**SMALL)
    model.build_vocab(two_worlds)
    with pytest.raises(KeyboardInterrupt):
        model.train(two_worlds, total_examples=600, epochs=3, callbacks=[recorder])
    np.testing.assert_array_equal(model.wv.vectors, whiten(*recorder.seen, model.wv.expandos["count"])[0])
    assert model.epochs_done == 2
