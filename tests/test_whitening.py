"""The basis that the vectors end in."""

import numpy as np
import pytest
from gensim.models.callbacks import CallbackAny2Vec
from gensim_wordrank import WordRank
from gensim_wordrank.settings import SETTINGS
from gensim_wordrank.training.whitening import change_basis, usable_basis
from threadpoolctl import threadpool_limits

import oracle

SMALL = {"vector_size": 12, "window": 5, "min_count": 1, "epochs": 3}
CONSTANT = {"alpha": 0.3, "min_alpha": 0.3}


def some(n, size, seed=0):
    """Random vectors, of all lengths, that vary more in some directions."""
    random = np.random.default_rng(seed)
    lengths = random.exponential(size=(n, 1)) * np.arange(1, size + 1)
    return (random.standard_normal((n, size)) * lengths).astype(np.float32)


def for_use(u, v, frequencies):
    """Both in the basis for use."""
    basis, inverse = usable_basis(u, v, frequencies)
    return change_basis(u, basis), change_basis(v, inverse)


def cosines(vectors):
    """Of all pairs of rows; they do not change where vectors are only rotated."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit @ unit.T


def scores(model):
    """Of all words and contexts."""
    return model.wv.vectors.astype(np.float64) @ model.context_vectors.T


@pytest.fixture
def model(two_worlds):
    """A small trained model of its own for each test."""
    return WordRank(two_worlds, **SMALL)


class Look(CallbackAny2Vec):
    """Keeps the vectors that callbacks see after an epoch."""

    def on_epoch_end(self, model):
        """Copy them."""
        self.seen = model.wv.vectors.copy(), model.context_vectors.copy()


class Interrupt(Look):
    """Ends a run after its second epoch."""

    def on_epoch_end(self, model):
        """Look, and stop."""
        super().on_epoch_end(model)
        if model.epochs_done == 2:
            raise KeyboardInterrupt


@pytest.mark.parametrize(("n", "size"), [(4, 6), (50, 6), (9000, 3)])
def test_the_basis_is_that_of_the_formula(n, size):
    """Also with fewer words than directions, and with more than one block of them."""
    u, v, frequencies = some(n, size), some(n, size, seed=1), np.random.default_rng(2).integers(1, 1000, n)
    found, expected = (
        for_use(u, v, frequencies),
        oracle.in_chosen_basis(u, v, frequencies, SETTINGS.whitening_ridge, SETTINGS.min_variance),
    )
    for each, other in zip(found, expected, strict=True):
        assert (each.shape, each.dtype) == ((n, size), np.float32)
        np.testing.assert_allclose(cosines(each[:200]), cosines(other[:200]), atol=1e-4)
        np.testing.assert_allclose(np.linalg.norm(each, axis=1), np.linalg.norm(other, axis=1), rtol=1e-4)
    np.testing.assert_allclose(cosines(sum(found)[:200]), cosines(sum(expected)[:200]), atol=1e-4)


def test_the_scores_are_kept():
    """A context stands where it stood for every word."""
    u, v = some(50, 6), some(50, 6, seed=1)
    new_u, new_v = for_use(u, v, np.arange(1, 51))
    np.testing.assert_allclose(new_u @ new_v.T, u @ v.T, rtol=1e-4, atol=1e-3)
    assert np.abs(cosines(new_u) - cosines(u)).max() > 0.1


def test_the_basis_follows_from_the_scores():
    """Not from the basis that training ended in; so vectors for use stay as they are."""
    u, v, frequencies = some(400, 6), some(400, 6, seed=1), np.arange(1, 401)
    once = for_use(u, v, frequencies)
    other = np.random.default_rng(3).standard_normal((6, 6)) + 3 * np.eye(6)
    elsewhere = change_basis(u, other), change_basis(v, np.linalg.inv(other).T)
    from_elsewhere = for_use(*elsewhere, frequencies)
    for new, old in zip((*from_elsewhere, sum(from_elsewhere)), (*once, sum(once)), strict=True):
        np.testing.assert_allclose(cosines(new), cosines(old), atol=1e-3)
    np.testing.assert_allclose(usable_basis(*once, frequencies), np.broadcast_to(np.eye(6), (2, 6, 6)), atol=1e-3)


def test_directions_come_closer():
    """What frequent words have most of counts for less."""
    u = (np.random.default_rng(0).standard_normal((500, 4)) * [8, 4, 2, 1]).astype(np.float32)
    before, after = (np.linalg.eigvalsh(x.T @ x) for x in (u, for_use(u, u, np.ones(500))[0]))
    expected = before / (before / before.mean() + SETTINGS.whitening_ridge)
    np.testing.assert_allclose(after / after[0], expected / expected[0], rtol=1e-4)
    assert after[-1] / after[0] < 0.6 * before[-1] / before[0]


def test_vectors_that_oppose_each_other_do_not_cancel():
    """In such directions v is longer, and what is left of the sum is as long as if the two agreed."""
    u = some(500, 6)
    v = u * np.array([1, 1, 1, 1, 1, -1], np.float32)
    new_u, new_v = for_use(u, v, np.ones(500))
    opposed = np.linalg.eigh(new_u.T @ new_v + new_v.T @ new_u)[1][:, 0]
    lengths = [np.linalg.norm(each @ opposed) / np.linalg.norm(u[:, 5]) for each in (new_u, new_v, new_u + new_v)]
    np.testing.assert_allclose(lengths, [np.sqrt(2) - 1, np.sqrt(2) + 1, 2], rtol=0.05)


def test_all_directions_may_be_opposed():
    """Then there is nothing to whiten."""
    u = some(50, 3)
    new_u, new_v = for_use(u, -u, np.ones(50))
    np.testing.assert_allclose(new_u @ new_v.T, -u @ u.T, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(cosines(new_u + new_v), cosines(u), atol=1e-3)


@pytest.mark.parametrize("frequencies", [[1, 2, 3], [0, 0, 0]])
def test_vectors_without_length_or_frequency_stay(frequencies):
    """There is no direction to look at."""
    zero, one = np.zeros((3, 2), np.float32), some(3, 2)
    for u, v in ((zero, zero), (one, zero), (zero, one)):
        for matrix in usable_basis(u, v, frequencies):
            np.testing.assert_array_equal(matrix, np.eye(2))
    for matrix in usable_basis(np.empty((0, 2), np.float32), np.empty((0, 2), np.float32), []):
        np.testing.assert_array_equal(matrix, np.eye(2))


@pytest.mark.parametrize("seed", range(50))
def test_directions_that_hold_nothing_do_no_harm(seed):
    """As with fewer words than directions: scores stay, and nothing becomes NaN."""
    random = np.random.default_rng(seed)
    n, rank, size = random.integers(1, 60), random.integers(1, 4), random.integers(50, 200)
    u = (random.standard_normal((n, rank)) @ random.standard_normal((rank, size))).astype(np.float32)
    v = (u, -u, u * random.choice([-1, 0, 1], size), random.standard_normal((n, size)))[seed % 4].astype(np.float32)
    new_u, new_v = for_use(u, v, random.integers(seed % 2, 1000, n))
    scores = u.astype(np.float64) @ v.T
    np.testing.assert_allclose(new_u.astype(np.float64) @ new_v.T, scores, rtol=0, atol=3e-6 * np.abs(scores).max())


def test_threads_of_blas_do_not_matter():
    """The same bytes on any number of cores."""
    u, v, found = some(5000, 40), some(5000, 40, seed=1), set()
    for threads in (1, 2, 3):
        with threadpool_limits(limits=threads, user_api="blas"):
            found.add(b"".join(each.tobytes() for each in for_use(u, v, np.arange(5000))))
    assert len(found) == 1


def test_kinds_of_words_that_stand_beside_each_other_are_told_apart():
    """Adjectives have nouns of their topic for contexts: as trained, u + v takes some of the one for the other."""
    random = np.random.default_rng(0)
    topics = random.integers(4, size=6000)
    text = [[f"{topic}a{random.integers(10)}", f"{topic}n{random.integers(10)}"] for topic in topics]

    def share_of_its_kind(keyed):
        near = {word: [other for other, _ in keyed.most_similar(word, topn=9)] for word in keyed.index_to_key}
        return np.mean([other[:2] == word[:2] for word, others in near.items() for other in others])

    as_trained = WordRank(text, vector_size=16, min_count=1, **CONSTANT)
    assert share_of_its_kind(as_trained.vectors("sum")) < 0.95
    assert share_of_its_kind(WordRank(text, vector_size=16, min_count=1).vectors("sum")) == 1


def test_a_model_ends_in_the_basis(two_worlds):
    """With the scores that its last epoch left."""
    look = Look()
    model = WordRank(two_worlds, **SMALL, callbacks=[look])
    expected = for_use(*look.seen, model.wv.expandos["count"])
    np.testing.assert_array_equal(model.wv.vectors, expected[0])
    np.testing.assert_array_equal(model.context_vectors, expected[1])
    np.testing.assert_allclose(scores(model), look.seen[0] @ look.seen[1].T, rtol=1e-3, atol=1e-4)
    assert model.wv.similarity("sea1", "sea2") == pytest.approx(
        np.dot(model.wv["sea1"], model.wv["sea2"]) / np.linalg.norm(model.wv["sea1"]) / np.linalg.norm(model.wv["sea2"])
    )


def test_epochs_that_are_all_alike_leave_the_vectors_as_they_are(two_worlds):
    """As in the paper: what callbacks see after the last epoch is what there is."""
    look = Look()
    model = WordRank(two_worlds, **SMALL, **CONSTANT, callbacks=[look])
    np.testing.assert_array_equal(model.wv.vectors, look.seen[0])
    np.testing.assert_array_equal(model.context_vectors, look.seen[1])


def test_training_goes_on_from_what_is_seen(model, two_worlds):
    """With next to no steps nothing changes; if somebody has changed a vector, the basis does, and no other score."""
    shown = model.wv.vectors.copy()
    model.train(two_worlds, total_examples=600, epochs=1, start_alpha=1e-9)
    np.testing.assert_allclose(model.wv.vectors, shown, atol=1e-3)
    before = scores(model)
    model.wv.vectors[0] *= 2
    model.train(two_worlds, total_examples=600, epochs=1, start_alpha=1e-9)
    np.testing.assert_allclose(scores(model)[0], 2 * before[0], rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(scores(model)[1:], before[1:], rtol=1e-3, atol=1e-3)


def test_vectors_that_are_locked_stay(model, two_worlds):
    """Those that are seen; and as long as any are locked, no basis is chosen."""
    shown = model.wv.vectors.copy()
    model.wv.vectors_lockf = np.zeros(len(model.wv), np.float32)
    model.train(two_worlds, total_examples=600, epochs=2)
    np.testing.assert_array_equal(model.wv.vectors, shown)


def test_words_can_come_after_training(model):
    """Vectors and scores of the old words stay as they are."""
    before, shown = scores(model), model.wv.vectors.copy()
    model.build_vocab([["ship"] * 5], update=True)
    np.testing.assert_array_equal(model.wv.vectors[:40], shown)
    np.testing.assert_array_equal(scores(model)[:40, :40], before)
    assert scores(model).shape == (41, 41)


def test_a_run_that_is_interrupted_ends_in_the_basis(two_worlds):
    """As one that comes to its end."""
    interrupt = Interrupt()
    model = WordRank(**SMALL)
    model.build_vocab(two_worlds)
    with pytest.raises(KeyboardInterrupt):
        model.train(two_worlds, total_examples=600, epochs=3, callbacks=[interrupt])
    np.testing.assert_array_equal(model.wv.vectors, for_use(*interrupt.seen, model.wv.expandos["count"])[0])
    assert model.epochs_done == 2
