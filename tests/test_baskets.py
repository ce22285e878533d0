"""Vectors of items that are together in baskets."""

import itertools

import numpy as np
import pytest
from gensim_wordrank import WordRank
from gensim_wordrank.cooccurrence.baskets import basket_counts

OPTIONS = {"vector_size": 6, "epochs": 30, "x_max": 1}


@pytest.fixture(scope="module")
def baskets():
    """Baskets of 2 to 6 of 12 items; items 0 to 5 go together, and so do 6 to 11; low numbers are popular."""
    random = np.random.default_rng(0)
    weights = 1 / np.arange(1, 7)
    sizes = random.integers(2, 7, 400)
    return [
        [f"{6 * (i % 2) + item}" for item in random.choice(6, size, replace=False, p=weights / weights.sum())]
        for i, size in enumerate(sizes)
    ]


def test_counts_of_baskets(baskets):
    """A count says how many baskets hold both items; items that a basket holds twice count once."""
    counts = basket_counts(each + each[:1] for each in baskets)
    expected = dict.fromkeys(itertools.permutations(counts.words, 2), 0)
    for basket in baskets:
        for pair in itertools.permutations(basket, 2):
            expected[pair] += 1
    matrix = counts.matrix.toarray()
    found = {pair: matrix[counts.words.index(pair[0]), counts.words.index(pair[1])] for pair in expected}
    assert found == expected
    assert counts.counts.tolist() == [sum(item in basket for basket in baskets) for item in counts.words]


def test_popularity_changes_cosines_and_no_scores(baskets):
    """The last number of a vector holds the popularity; the scores of contexts, and the loss, are as without it."""
    with_popularity = WordRank.from_baskets(baskets, **OPTIONS, popularity=0.5)
    without = WordRank.from_baskets(baskets, **OPTIONS | {"vector_size": 5}, popularity=0)
    assert with_popularity.wv.vectors.shape == (12, 6) == with_popularity.context_vectors.shape
    for one, other in zip(
        with_popularity.predict_output_word(["3", "4"], 12), without.predict_output_word(["3", "4"], 12), strict=True
    ):
        assert one[0] == other[0]
        assert one[1] == pytest.approx(other[1], rel=1e-4)
    assert with_popularity.exact_loss() == pytest.approx(without.exact_loss(), rel=0.02)  # centring changes L2
    keyed = with_popularity.wv
    logs = np.log([keyed.get_vecattr(item, "count") for item in keyed.index_to_key])
    rest = np.linalg.norm(keyed.vectors[:, :-1], axis=1)
    np.testing.assert_allclose(keyed.vectors[:, -1], 0.5 * (logs - logs.mean()) * rest, rtol=1e-4)


def test_recommendations(baskets):
    """Items of the same kind are the nearest, and a model can be saved and trained on."""
    model = WordRank.from_baskets(baskets, **OPTIONS)
    assert {item for item, _ in model.wv.most_similar(["0", "1"], topn=4)} == {"2", "3", "4", "5"}
    model.train(baskets, total_examples=len(baskets), epochs=5)
    assert {item for item, _ in model.wv.most_similar(["6", "7"], topn=4)} == {"8", "9", "10", "11"}


def test_saved_models(baskets, tmp_path):
    """Both formats keep the vectors with their popularity."""
    model = WordRank.from_baskets(baskets, **OPTIONS)
    for format in ("gensim", "safetensors"):
        model.save(tmp_path / format, format=format)
        loaded = WordRank.load(tmp_path / format)
        assert loaded.vector_size == loaded.wv.vector_size == 6
        assert loaded.wv.vectors.tobytes() == model.wv.vectors.tobytes()


@pytest.mark.parametrize(
    ("baskets", "options", "message"),
    [
        ("text", {}, "'baskets' must be an iterable of baskets"),
        (["text"], {}, "'baskets' must be an iterable of iterables"),
        ([["a", "b"]], {"popularity": -1}, "'popularity' must be"),
        ([["a", "b"]], {"vector_size": 1}, "'vector_size' must be 2 or more"),
        ([["a", "b"]], {"checkpoint": "run"}, "'checkpoint' must be omitted"),
    ],
)
def test_bad_input(baskets, options, message):
    """Errors name the parameter and what it must be."""
    with pytest.raises(ValueError, match=message):
        WordRank.from_baskets(baskets, **options)


def test_shrink_windows_of_word2vec(two_worlds):
    """shrink_windows=False counts all pairs of a window alike, unless distance_weighting is given."""
    options = {"vector_size": 4, "epochs": 1}
    flat = WordRank(two_worlds, **options, distance_weighting=False).wv.vectors.tobytes()
    weighted = WordRank(two_worlds, **options).wv.vectors.tobytes()
    assert flat != weighted
    for expected, given in (
        (flat, {"shrink_windows": False}),
        (weighted, {"shrink_windows": True}),
        (weighted, {"shrink_windows": False, "distance_weighting": True}),
    ):
        assert WordRank(two_worlds, **options, **given).wv.vectors.tobytes() == expected
