"""Counting against the oracle, and against GloVe's own program."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from gensim_wordrank import _cooccurrence
from gensim_wordrank.cooccurrence import count_cooccurrences
from gensim_wordrank.corpus import encode
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle

GLOVE_WINDOW = 6  # of the recorded counts


def count(sentences, ids, **options):
    """Counts of the product for token lists."""
    return count_cooccurrences(encode(sentences, ids)[0], len(ids), **options)


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
    """Any windows over any corpus, with unknown words, short and empty sentences."""
    ids = {word: i for i, word in enumerate(sorted(known))}
    matrix = count(
        sentences, ids, window=window, symmetric=symmetric, distance_weighting=distance_weighting, workers=workers
    )
    expected = oracle.cooccurrence(sentences, ids, window, symmetric, distance_weighting)
    np.testing.assert_allclose(matrix.matrix.toarray(), expected, rtol=1e-6)
    assert matrix.nnz == np.count_nonzero(expected)


def test_matrix_is_ready_for_large_texts(lee):
    """float32 values, int64 offsets, int32 columns in rising order; symmetric windows give a symmetric matrix."""
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
    """The matrix is the same for any number of threads."""
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
        # GloVe writes the earlier word of a one-sided pair first; our rows are the later word, the centre
        ("one_sided", {"symmetric": False}),
        ("flat", {"distance_weighting": False}),
    ],
)
def test_counts_equal_those_of_glove(lee, name, options):
    """The pairs and values that GloVe's cooccur gave for the Lee corpus (recorded) are ours to float precision."""
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
    """The whole vocabulary of the Lee corpus at window 15, beside GloVe's program itself."""
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


def test_positions_are_indexed_and_bad_texts_refused():
    """The index is a stable sort by word; ids outside the vocabulary or a missing border never reach the counter."""
    text = np.array([-1, 1, 0, 1, -1, 1, -1], np.int32)
    starts, positions = np.empty(3, np.int64), np.empty(4, np.uint32)
    _cooccurrence.index_positions(text, starts, positions)
    assert starts.tolist() == [0, 1, 4]
    assert positions.tolist() == [2, 1, 3, 5]
    for bad, message in (([-1, 2, -1], "outside"), ([-1, -2, -1], "outside"), ([0, -1], "begin"), ([-1, 0], "begin")):
        with pytest.raises(ValueError, match=message):
            _cooccurrence.index_positions(np.array(bad, np.int32), starts, positions)
    with pytest.raises(ValueError, match="entry a word"):
        _cooccurrence.index_positions(text, starts, np.empty(3, np.uint32))
