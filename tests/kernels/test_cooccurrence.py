"""Co-occurrence counts against the oracle and against GloVe's program."""

import pickle
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from gensim_wordrank import _cooccurrence
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.text.corpus import read
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle

GLOVE_WINDOW = 6  # window of the recorded counts


def count(sentences, ids, **options):
    """Counts of the product for token lists."""
    return Cooccurrence.from_text(read(sentences, vocabulary=ids), **options)


@given(
    sentences=st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=12), max_size=8),
    known=st.sets(st.sampled_from("abcdefgh"), min_size=1),
    window=st.integers(1, 14),
    symmetric=st.booleans(),
    distance_weighting=st.booleans(),
    workers=st.integers(1, 3),
)
@settings(max_examples=150, deadline=None)
def test_counts_equal_the_oracle(sentences, known, window, symmetric, distance_weighting, workers):
    """Counts equal the oracle for any window and corpus, with unknown words and short or empty sentences."""
    ids = {word: i for i, word in enumerate(sorted(known))}
    matrix = count(
        sentences, ids, window=window, symmetric=symmetric, distance_weighting=distance_weighting, workers=workers
    )
    expected = oracle.cooccurrence(sentences, ids, window, symmetric, distance_weighting)
    np.testing.assert_allclose(matrix.matrix.toarray(), expected, rtol=1e-6)
    assert matrix.nnz == np.count_nonzero(expected)


def test_matrix_is_ready_for_large_texts(lee):
    """Values are float32, offsets int64, columns sorted int32; symmetric windows give a symmetric matrix."""
    ids = {word: i for i, word in enumerate(sorted({word for sentence in lee for word in sentence}))}
    counts = count(lee, ids)
    assert (counts.data.dtype, counts.indptr.dtype, counts.indices.dtype) == (np.float32, np.int64, np.int32)
    matrix = counts.matrix
    assert (matrix.data.dtype, matrix.indptr.dtype) == (np.float32, np.int64)
    assert matrix.has_canonical_format
    assert matrix.tocoo().nnz == matrix.nnz
    assert abs(matrix - matrix.T).max() < 1e-3
    assert matrix.nnz > 500_000


def test_workers_do_not_change_a_byte(lee):
    """The matrix has the same bytes for any number of threads."""
    ids = {word: i for i, word in enumerate(sorted({word for sentence in lee for word in sentence}))}
    matrices = [count(lee, ids, workers=workers) for workers in (1, 2, 3, 8)]
    for other in matrices[1:]:
        assert other.data.tobytes() == matrices[0].data.tobytes()
        assert other.indices.tobytes() == matrices[0].indices.tobytes()
        assert other.indptr.tobytes() == matrices[0].indptr.tobytes()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("symmetric", {}),
        # GloVe writes the earlier word of a one-sided pair first; our rows are the later word, the center
        ("one_sided", {"symmetric": False}),
        ("flat", {"distance_weighting": False}),
    ],
)
def test_counts_equal_those_of_glove(lee, name, options):
    """Counts of the Lee corpus equal the recorded output of GloVe's cooccur to float precision."""
    recorded = np.load(Path(__file__).parent.parent / "data" / "glove_cooccur_lee.npz")
    ids = {word: i for i, word in enumerate(recorded["words"].tolist())}
    ours = count(lee, ids, window=GLOVE_WINDOW, **options).matrix.toarray()
    theirs = np.zeros_like(ours)
    theirs[recorded[f"{name}_word1"], recorded[f"{name}_word2"]] = recorded[f"{name}_value"]
    theirs = theirs.T if name == "one_sided" else theirs
    assert np.count_nonzero(theirs) == len(recorded[f"{name}_value"])
    np.testing.assert_allclose(ours, theirs, rtol=3e-7)


@pytest.mark.skipif(
    not shutil.which("cooccur"), reason="GloVe's cooccur is not on the PATH; recorded counts are tested"
)
def test_counts_equal_a_live_run_of_glove(lee, tmp_path):
    """Counts of the whole vocabulary of the Lee corpus at window 15 equal those of GloVe's program."""
    counts = {}
    for word in (word for sentence in lee for word in sentence):
        counts[word] = counts.get(word, 0) + 1
    ids = {word: i for i, word in enumerate(sorted(counts, key=lambda word: (-counts[word], word)))}
    (tmp_path / "vocab.txt").write_text("".join(f"{word} {counts[word]}\n" for word in ids))
    text = "".join(" ".join(sentence) + "\n" for sentence in lee)
    command = ["cooccur", "-vocab-file", "vocab.txt", "-window-size", "15", "-verbose", "0"]
    # with nothing outside its dense table, cooccur reads its first record twice; a small table avoids that
    command += ["-max-product", "100000"]
    run = subprocess.run(command, input=text.encode(), capture_output=True, check=True, cwd=tmp_path)
    theirs = np.frombuffer(run.stdout, dtype=[("word1", "<i4"), ("word2", "<i4"), ("value", "<f8")])
    ours = count(lee, ids)
    assert ours.nnz == len(theirs)
    found = np.asarray(ours.matrix[theirs["word1"] - 1, theirs["word2"] - 1]).ravel()
    np.testing.assert_allclose(found, theirs["value"], rtol=3e-7)


def test_invalid_texts_raise():
    """Ids outside the vocabulary, a missing sentence boundary and rows outside the vocabulary raise ValueError."""
    weight = np.array([0, 1], np.uint64)
    text = _cooccurrence.CheckedText(np.array([-1, 1, 0, 1, -1, 1, -1], np.int32), 2)
    assert text.counts.tolist() == [1, 3]
    for bad, message in (([-1, 2, -1], "outside"), ([-1, -2, -1], "outside"), ([0, -1], "begin"), ([-1, 0], "begin")):
        with pytest.raises(ValueError, match=message):
            _cooccurrence.CheckedText(np.array(bad, np.int32), 2)
    for first, last in ((-1, 2), (0, 3), (2, 1)):
        with pytest.raises(ValueError, match="must lie in the vocabulary"):
            _cooccurrence.Windows(text, first, last, weight, True)
    with pytest.raises(ValueError, match="distance 0 must have a weight"):
        _cooccurrence.Windows(text, 0, 2, weight[:0], True)


@given(
    seed=st.integers(0, 1000),
    n_words=st.integers(1, 150),
    n_runs=st.integers(1, 4),
    density=st.floats(0, 1),
)
@settings(max_examples=60, deadline=None)
def test_runs_are_added_exactly(seed, n_words, n_runs, density):
    """The sum of rows that were counted in parts equals the sum of dense matrices exactly."""
    random = np.random.default_rng(seed)
    dense = random.integers(1, 2**60, (n_runs, n_words, n_words), np.uint64)
    dense[random.random(dense.shape) > density] = 0
    starts = np.zeros((n_runs, n_words + 1), np.int64)
    starts[:, 1:] = np.cumsum((dense != 0).sum(2), axis=1)
    starts += np.cumsum([0, *starts[:-1, -1]])[:, None]
    columns = np.concatenate([np.nonzero(run)[1] for run in dense]).astype(np.int32)
    runs = _cooccurrence.Runs(starts, columns, dense[dense != 0], n_words)
    counter, indptr = _cooccurrence.Counter(n_words), np.zeros(n_words + 1, np.int64)
    counter.lengths(runs, indptr[1:])
    indptr = np.cumsum(indptr)
    found_columns, found_sums = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.uint64)
    counter.sums(runs, 0, indptr, found_columns, found_sums)
    expected = dense.sum(0)
    np.testing.assert_array_equal(found_sums, expected[expected != 0])
    np.testing.assert_array_equal(found_columns, np.nonzero(expected)[1])


def test_invalid_runs_raise():
    """Offsets or columns that lie outside the arrays raise ValueError."""
    good = np.array([[0, 1, 2]]), np.array([0, 1], np.int32), np.array([1, 1], np.uint64)
    _cooccurrence.Runs(*good, 2)
    for position, bad in ((0, np.array([[0, 1, 3]])), (0, np.array([[1, 0, 2]])), (0, np.array([[-1, 0, 2]]))):
        with pytest.raises(ValueError, match="must not decrease"):
            _cooccurrence.Runs(*good[:position], bad, *good[position + 1 :], 2)
    for bad in ([0, 2], [-1, 0]):
        with pytest.raises(ValueError, match="outside the vocabulary"):
            _cooccurrence.Runs(good[0], np.array(bad, np.int32), good[2], 2)
    with pytest.raises(ValueError, match="same length"):
        _cooccurrence.Runs(good[0], good[1][:1], good[2], 2)


@pytest.mark.parametrize("first_pair", [0, 2**31 - 1, 2**40])
def test_offsets_beyond_two_billion(first_pair):
    """Rows are written correctly when their offsets exceed 2^31."""
    text = _cooccurrence.CheckedText(np.array([-1, 0, 1, 2, -1], np.int32), 3)
    windows = _cooccurrence.Windows(text, 0, 3, np.array([0, 2, 1], np.uint64), True)
    columns, sums = np.empty(4, np.int32), np.empty(4, np.uint64)
    indptr = first_pair + np.array([0, 2, 4])
    counter = _cooccurrence.Counter(3)
    counter.sums(windows, 1, indptr, columns, sums)
    assert (columns.tolist(), sums.tolist()) == ([0, 2, 0, 1], [2, 2, 1, 2])
    for first, wrong, message in (
        (2, [0, 2, 4], "there are fewer"),
        (1, [0, 5, 4], "not decrease"),
        (1, [0, 3, 4], "match"),
    ):
        with pytest.raises(ValueError, match=message):
            counter.sums(windows, first, first_pair + np.array(wrong), columns, sums)
    with pytest.raises(ValueError, match="other words"):
        _cooccurrence.Counter(2).sums(windows, 1, indptr, columns, sums)
    counter.sums(windows, 1, indptr, columns, sums)  # failed calls leave the counter clean
    assert (columns.tolist(), sums.tolist()) == ([0, 2, 0, 1], [2, 2, 1, 2])


@pytest.mark.parametrize("value", [2**31 - 1, -(2**31), 40, 7, -1])
@pytest.mark.parametrize("place", [0, 1, 40, -2, -1])
def test_text_that_is_changed_after_the_check(value, place):
    """Ids that were changed are never used to write or read outside the arrays: an error, or other counts."""
    ids = np.full(101, -1, np.int32)
    ids[1:-1] = np.arange(99) % 20
    text = _cooccurrence.CheckedText(ids, 20)
    windows = _cooccurrence.Windows(text, 0, 20, np.ones(300, np.uint64), True)
    ids[place] = value
    counter, lengths = _cooccurrence.Counter(20), np.zeros(20, np.int64)
    counter.lengths(windows, lengths)
    assert 0 <= lengths.min() <= lengths.max() <= 20
    with suppress(ValueError):
        _cooccurrence.Windows(text, 0, 20, np.ones(300, np.uint64), True)
    text.counts[:] = 10**9
    assert text.counts.sum() == 99


def test_text_whose_ends_are_changed_after_the_check():
    """Windows end with the text even if no boundary does."""
    ids = np.array([-1, 0, 1, -1], np.int32)
    windows = _cooccurrence.Windows(_cooccurrence.CheckedText(ids, 2), 0, 2, np.ones(10**6, np.uint64), True)
    ids[:] = [0, 0, 1, 1]
    lengths = np.zeros(2, np.int64)
    _cooccurrence.Counter(2).lengths(windows, lengths)
    assert lengths.tolist() == [2, 2]


def test_runs_that_are_changed_after_the_check():
    """Columns outside the vocabulary are left out, and offsets are a copy."""
    starts, columns = np.array([[0, 2, 3]]), np.array([0, 1, 1], np.int32)
    runs = _cooccurrence.Runs(starts, columns, np.ones(3, np.uint64), 2)
    starts[:], columns[:2] = 10**9, (10**9, -5)
    lengths = np.zeros(2, np.int64)
    _cooccurrence.Counter(2).lengths(runs, lengths)
    assert lengths.tolist() == [0, 1]


def test_counter_is_initialized_once():
    """A second, failing initialization leaves the arrays and their sizes as they were."""
    counter = _cooccurrence.Counter(3)
    with suppress(MemoryError, TypeError):
        counter.__init__(10**15)
    columns = np.array([2], np.int32)
    runs = _cooccurrence.Runs(np.array([[0, 1]]), columns, np.ones(1, np.uint64), 3)
    lengths = np.zeros(1, np.int64)
    counter.lengths(runs, lengths)
    assert lengths.tolist() == [1]


def test_no_state_from_outside():
    """The sizes of an object cannot be set, not even as a pickle would: kernels trust them."""
    text = _cooccurrence.CheckedText(np.array([-1, 0, 1, -1], np.int32), 2)
    for made in (text, _cooccurrence.Windows(text, 0, 2, np.array([0, 1], np.uint64), True), _cooccurrence.Rows()):
        assert not [name for name in dir(made) if name.endswith("_cython__")]
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(made)
