"""Co-occurrence matrices: counting, conversion, addition and files."""

import json
import os
import pickle
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from gensim.models.word2vec import LineSentence, Word2Vec
from gensim.test.utils import datapath
from gensim_wordrank import Cooccurrence, WordRank
from gensim_wordrank._utils import checksummed
from gensim_wordrank.cooccurrence.graphs import walk_counts
from gensim_wordrank.cooccurrence.matrix import DTYPES
from scipy.sparse import coo_array, csr_matrix

import hostile
import oracle

LEE = datapath("lee_background.cor")


def are_equal(one, other):
    """Return True if two matrices have the same words, counts and bytes."""
    return (one.words, one.counts.tolist()) == (other.words, other.counts.tolist()) and all(
        getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in ("data", "indices", "indptr")
    )


@pytest.fixture(scope="module")
def pairs():
    """Co-occurrence counts of the Lee corpus."""
    return Cooccurrence.from_corpus(corpus_file=LEE, window=5)


def test_words_are_sorted_by_frequency(pairs):
    """Words have the order of gensim's Word2Vec and the counts of the text."""
    theirs = Word2Vec(min_count=5)
    theirs.build_vocab(corpus_file=LEE)
    assert pairs.words == theirs.wv.index_to_key
    words = [word for sentence in LineSentence(LEE) for word in sentence]
    assert pairs.counts[pairs.words.index("the")] == words.count("the")
    assert pairs.counts.min() == 5


def test_all_kinds_of_corpora(pairs, tmp_path):
    """A file, token lists and a generator give the same matrix, which equals the oracle's."""
    assert are_equal(pairs, Cooccurrence.from_corpus(LineSentence(LEE), window=5, workers=3))
    assert are_equal(pairs, Cooccurrence.from_corpus((line for line in LineSentence(LEE)), window=5, workers=1))
    ids = {word: i for i, word in enumerate(pairs.words)}
    expected = oracle.cooccurrence(LineSentence(LEE), ids, 5)
    np.testing.assert_allclose(pairs.matrix.toarray(), expected, rtol=1e-6)


def test_model_from_text_and_from_counts(pairs):
    """WordRank counts the same matrix from text, and from_cooccurrence gives the same vectors."""
    options = {"vector_size": 10, "epochs": 2, "workers": 2}
    one, other = WordRank(corpus_file=LEE, window=5, **options), WordRank.from_cooccurrence(pairs, **options)
    assert are_equal(one.cooccurrence, pairs)
    assert one.wv.index_to_key == other.wv.index_to_key
    assert one.wv.vectors.tobytes() == other.wv.vectors.tobytes()
    assert other.wv.get_vecattr("the", "count") == pairs.counts[pairs.words.index("the")]


def test_progress_bars(capsys):
    """progress=True shows words per second while reading and counting; by default nothing is shown."""
    Cooccurrence.from_corpus(corpus_file=LEE)
    assert capsys.readouterr() == ("", "")
    Cooccurrence.from_corpus(corpus_file=LEE, progress=True)
    bars = capsys.readouterr().err
    for name in ("reading", "counting"):
        assert re.search(rf"{name}.*word/s", bars)
    assert re.search(r"counting: 100%[^\r]*$", bars)


def test_max_final_vocab():
    """max_final_vocab keeps exactly this many of the most frequent words."""
    few = Cooccurrence.from_corpus(corpus_file=LEE, max_final_vocab=7)
    assert few.words == Cooccurrence.from_corpus(corpus_file=LEE).words[:7]
    assert few.shape == (7, 7)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, TypeError, "either 'sentences' or 'corpus_file'"),
        ({"sentences": [["a"]], "corpus_file": LEE}, TypeError, "either 'sentences' or 'corpus_file'"),
        ({"sentences": [["a"]], "window": 0}, ValueError, "'window' must be a positive integer. Got 0"),
        ({"sentences": [["a"]], "min_count": -1}, ValueError, "'min_count' must be a positive integer"),
        ({"sentences": [["a"]], "workers": -2}, ValueError, "'workers' must be a positive integer"),
        ({"sentences": [["a"]], "memory": "lots"}, ValueError, "'memory' must be"),
        ({"sentences": [["a"]]}, ValueError, "No word of the text occurs 5 times. Lower 'min_count'"),
        ({"sentences": []}, ValueError, "No word of the text"),
        ({"sentences": ["a b"]}, TypeError, "plain string"),
        ({"corpus_file": "/nowhere.txt"}, FileNotFoundError, "nowhere.txt"),
    ],
)
def test_invalid_arguments(options, error, message):
    """Each error names the argument and the remedy."""
    with pytest.raises(error, match=message):
        Cooccurrence.from_corpus(**options)


def test_text_without_pairs():
    """Words that never co-occur give an empty matrix."""
    pairs = Cooccurrence.from_corpus([["a"], ["b"], ["a"]], min_count=1)
    assert (pairs.words, pairs.nnz, pairs.matrix.toarray().tolist()) == (["a", "b"], 0, [[0, 0], [0, 0]])


# ---- matrices


def test_from_scipy_matrix():
    """Any sparse format is accepted; duplicates are added up and explicit zeros removed."""
    matrix = coo_array(([1.0, 2.0, 0.0, 4.0], ([0, 0, 1, 2], [1, 1, 2, 0])), (3, 3))
    pairs = Cooccurrence.from_matrix(matrix, ["x", "y", "z"], [3, 2, 1])
    assert (pairs.matrix.toarray() == matrix.toarray()).all()
    assert pairs.nnz == 2
    assert pairs.counts.tolist() == [3, 2, 1]
    assert Cooccurrence.from_matrix(matrix).counts.tolist() == [3, 1, 4]
    for form in ("csr", "csc", "lil", "dok", "bsr", "dia"):
        assert are_equal(Cooccurrence.from_matrix(matrix.asformat(form), ["x", "y", "z"], [3, 2, 1]), pairs)


@pytest.mark.parametrize(("form", "change"), hostile.MATRIX_CASES)
def test_damaged_scipy_matrix(form, change):
    """A matrix whose arrays were damaged is refused before SciPy, which would read outside them, sees it."""
    matrix = hostile.sparse_matrix(form)
    change(matrix, np.random.default_rng(5))
    with pytest.raises(ValueError, match=f"'matrix' is a damaged {form} matrix: .+"):
        Cooccurrence.from_matrix(matrix)
    with pytest.raises(ValueError, match=f"'graph' is a damaged {form} matrix: .+"):
        walk_counts(matrix)


def test_block_without_columns():
    """A block sparse matrix whose blocks are empty is refused: SciPy would divide by zero."""
    matrix = hostile.sparse_matrix("bsr")
    matrix.data = np.zeros((len(matrix.indices), 1, 0), np.float32)
    with pytest.raises(ValueError, match="'matrix' must be a matrix of numbers: .*zero"):
        Cooccurrence.from_matrix(matrix)


@pytest.mark.parametrize("matrix", [5, {}, [1, 2], np.ones((2, 2, 2)), "text"])
def test_other_dimensions(matrix):
    """A number, a list of numbers and the like are refused."""
    with pytest.raises(ValueError, match="'matrix' must be a matrix of numbers: it has . dimensions, not 2"):
        Cooccurrence.from_matrix(matrix)


def test_too_many_columns():
    """Columns that do not fit into 32 bits are refused instead of cut off."""
    matrix = csr_matrix((np.ones(1, np.float32), np.array([2**32 + 1]), np.array([0, 1, 1])), (2, 2**33))
    with pytest.raises(ValueError, match="'matrix' must have at most 2147483647 columns. Got 8589934592"):
        Cooccurrence.from_matrix(matrix)


def test_arrays_damaged_after_the_constructor(lee_pairs):
    """Arrays that were changed are checked again before SciPy or a kernel uses them."""
    for name, at, value in (("indptr", 1, 10**9), ("indptr", 5, -(10**9)), ("indices", 3, 10**6), ("indices", 3, -5)):
        arrays = {name: getattr(lee_pairs, name).copy() for name in ("data", "indices", "indptr")}
        pairs = Cooccurrence(**arrays, words=lee_pairs.words)
        getattr(pairs, name)[at] = value
        for use in (lambda pairs: pairs.matrix, lambda pairs: pairs + pairs, lambda pairs: pairs.summarize()):
            with pytest.raises(ValueError, match=f"'{name}' must"):
                use(pairs)


def test_file_size_limit(tmp_path, lee_pairs):
    """If a file cannot be written completely, the error names the directory and nothing is left."""
    lee_pairs.save(tmp_path / "pairs")
    code = (
        "import resource; from gensim_wordrank import Cooccurrence; pairs = Cooccurrence.load('pairs');"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); pairs.save('again')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert re.search(r"OSError: \[Errno \d+\] Cannot write '.*again': ", done.stderr), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["pairs"]


def test_invalid_matrices():
    """Wrong words or counts, negative or infinite values and a matrix that is not square are errors."""
    for words, message in ((["a"], "each of the 2 rows once. Got 1 names"), (["a", "a"], "once. Got 'a' for several")):
        with pytest.raises(ValueError, match=f"'words' must name {message}|'words' must name each row {message}"):
            Cooccurrence.from_matrix(np.ones((2, 2)), words)
    with pytest.raises(ValueError, match="'counts' must have one entry per word, 2. Got 1"):
        Cooccurrence.from_matrix(np.ones((2, 2)), ["a", "b"], [1])
    for counts in ([-1, 2], [2**60, 0]):
        with pytest.raises(ValueError, match="'counts' must be from 0 to 2"):
            Cooccurrence.from_matrix(np.ones((2, 2)), ["a", "b"], counts)
    for value in (-1, np.nan, np.inf):
        with pytest.raises(ValueError, match="finite numbers, 0 or above"):
            Cooccurrence.from_matrix([[0, value], [1, 0]])
    for matrix in (np.eye(2) * 1j, np.ones((2, 2, 2)), np.array([[object(), 1], [1, 0]])):
        with pytest.raises(ValueError, match="'matrix' must be a matrix of numbers"):
            Cooccurrence.from_matrix(matrix)
    with pytest.raises(ValueError, match=r"as many columns as rows.*Got \(2, 3\).*B.T @ B"):
        WordRank.from_cooccurrence(np.ones((2, 3)))


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("data", np.ones(4), "'data' must be an array of float32 with one dimension. Got dtype"),
        ("data", [1.0, 1.0, 1.0, 1.0], "'data' must be an array of float32 with one dimension. Got 'list'"),
        ("indices", np.zeros(4, np.int64), "'indices' must be an array of int32"),
        ("indices", np.zeros(3, np.int32), "'indptr' must rise from 0 to the length of 'data' and 'indices'"),
        ("indptr", np.array([0, 2, 5]), "'indptr' must rise from 0"),
        ("indptr", np.array([1, 2, 4]), "'indptr' must rise from 0"),
        ("indptr", np.array([0, 3, 1, 4]), "'indptr' must rise from 0"),
        ("indptr", np.zeros(0, np.int64), "'indptr' must rise from 0"),
    ],
)
def test_invalid_csr_arrays(name, bad, message):
    """Wrong types and inconsistent offsets are errors that name the array."""
    good = {"data": np.ones(4, np.float32), "indices": np.array([0, 1, 0, 1], np.int32), "indptr": np.array([0, 2, 4])}
    assert Cooccurrence(**good).nnz == 4
    with pytest.raises(ValueError, match=message):
        Cooccurrence(**good | {name: bad})


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("indices", 2, "'indices' must be from 0 to 1, the last column. Got 2"),
        ("indices", -1, "'indices' must be from 0 to 1, the last column. Got -1"),
        ("data", np.nan, "'data' must be finite numbers, 0 or above. Got nan"),
        ("data", np.inf, "'data' must be finite numbers, 0 or above. Got inf"),
        ("data", -1, "'data' must be finite numbers, 0 or above. Got -1"),
    ],
)
@pytest.mark.parametrize("solver", ["sampled", "triplet"])
def test_invalid_entries_are_found_before_training(name, bad, message, solver):
    """Column indices out of range and invalid counts are errors, in any order of the vocabulary."""
    for counts in ([9, 8], [8, 9]):
        pairs = Cooccurrence.from_matrix([[1.0, 2.0], [3.0, 4.0]], ["a", "b"], counts)
        getattr(pairs, name)[2] = bad
        with pytest.raises(ValueError, match=message):
            WordRank.from_cooccurrence(pairs, vector_size=2, epochs=1, solver=solver)


@pytest.mark.parametrize("seed", range(20))
def test_marginals(seed, monkeypatch):
    """Sums of rows and columns are exact, also for empty rows and rows that span several pieces."""
    random = np.random.default_rng(seed)
    monkeypatch.setattr("gensim_wordrank.cooccurrence.csr.SUM_SIZE", int(random.integers(1, 9)))
    dense = random.integers(1, 100, (random.integers(1, 12), 7)) * (random.random(7) < 0.4)
    dense[random.random(len(dense)) < 0.4] = 0
    rows, columns = Cooccurrence.from_matrix(dense).marginals()
    np.testing.assert_array_equal(rows, dense.sum(axis=1))
    np.testing.assert_array_equal(columns, dense.sum(axis=0))


def test_default_counts_are_row_sums():
    """Empty rows count as 1, small sums beside huge ones are exact, and huge sums are limited to 2^53."""
    matrix = np.zeros((5, 5))
    matrix[1, :3], matrix[2, 4], matrix[3, :2] = 1.5, 1e30, 2
    assert Cooccurrence.from_matrix(matrix).counts.tolist() == [1, 4, 2**53, 4, 1]


def test_train_on_a_graph():
    """In a graph of two cliques, the nearest neighbours of a node are its clique; nodes are numbers."""
    graph = np.kron(np.eye(2), np.ones((8, 8))) - np.eye(16)
    model = WordRank.from_cooccurrence(graph, vector_size=8, epochs=30, weighted=False)
    for node in range(16):
        found = {other for other, _ in model.wv.most_similar(node, topn=7)}
        assert found == {other for other in range(16) if other // 8 == node // 8} - {node}


def test_train_on_text_after_a_matrix(pairs):
    """Text adds to the matrix, and new words are added to the vocabulary."""
    model = WordRank.from_cooccurrence(pairs, vector_size=5, epochs=1, window=5)
    before = model.cooccurrence.matrix.sum()
    more = [["australia", "newword"]] * 3
    model.build_vocab(more, update=True)
    model.train(more, total_examples=3, epochs=1)
    assert model.cooccurrence.matrix.sum() == pytest.approx(before + 6)
    assert "newword" in model.wv


def test_reindex(pairs):
    """Rows and columns follow the new words; removed words disappear and new ones have empty rows."""
    random = np.random.default_rng(1)
    matrix = coo_array(random.random((6, 6), np.float32) * (random.random((6, 6)) < 0.5))
    pairs = Cooccurrence.from_matrix(matrix, list("abcdef"), random.integers(1, 9, 6))
    other = pairs.reindex(["d", "new", "a", "f"])
    order = [3, 0, 5]
    places = np.ix_([0, 2, 3], [0, 2, 3])
    np.testing.assert_array_equal(other.matrix.toarray()[places], matrix.toarray()[np.ix_(order, order)])
    assert other.counts.tolist() == [pairs.counts[3], 0, pairs.counts[0], pairs.counts[5]]
    assert other.nnz == np.count_nonzero(matrix.toarray()[np.ix_(order, order)])


def test_sum_of_different_vocabularies(lee):
    """The counts of two halves of a text, each with its own vocabulary, add up to those of the whole."""
    half = len(lee) // 2
    one, other, both = (Cooccurrence.from_corpus(part, min_count=1) for part in (lee[:half], lee[half:], lee))
    total = one + other
    assert (np.diff(total.counts) <= 0).all()
    assert sorted(total.words) == sorted(both.words)
    total = total.reindex(both.words)
    assert total.counts.tolist() == both.counts.tolist()
    assert (total.indices == both.indices).all()
    np.testing.assert_allclose(total.data, both.data, rtol=1e-6)


# ---- files


@pytest.mark.parametrize("mmap", [None, "r"])
def test_save_and_load(pairs, tmp_path, mmap):
    """A loaded or memory-mapped matrix has the same bytes and trains the same model."""
    pairs.save(tmp_path / "pairs")
    loaded = Cooccurrence.load(tmp_path / "pairs", mmap=mmap)
    assert are_equal(loaded, pairs)
    assert isinstance(loaded.data, np.memmap) == (mmap == "r")
    models = [WordRank.from_cooccurrence(each, vector_size=5, epochs=1) for each in (pairs, loaded)]
    assert models[0].wv.vectors.tobytes() == models[1].wv.vectors.tobytes()
    assert models[0].exact_loss() == models[1].exact_loss()


def test_count_to_a_directory(pairs, tmp_path):
    """With `path` the matrix is written there and memory-mapped; a second run replaces it."""
    for _ in range(2):
        found = Cooccurrence.from_corpus(corpus_file=LEE, window=5, path=tmp_path / "pairs")
        assert isinstance(found.data, np.memmap)
        assert are_equal(found, pairs)
    assert [file.name for file in tmp_path.iterdir()] == ["pairs"]


def test_save_unusual_words(tmp_path):
    """Words with white space, lone surrogates, numbers and an empty matrix are saved; tuples are an error."""
    odd = Cooccurrence.from_matrix([[0, 1], [1, 0]], ["new york\n", "\ud800"])
    for number, pairs in enumerate((odd, Cooccurrence.from_matrix([[0, 1], [1, 0]]), Cooccurrence.empty(["a"]))):
        pairs.save(tmp_path / str(number))
        for mmap in (None, "r"):
            assert are_equal(Cooccurrence.load(tmp_path / str(number), mmap), pairs)
    with pytest.raises(TypeError, match="strings or integers"):
        Cooccurrence.from_matrix([[0, 1], [1, 0]], [("a", "b"), "c"]).save(tmp_path / "tuples")
    assert not (tmp_path / "tuples").exists()


@pytest.mark.parametrize("name", ["manifest.json", "words.json", "data.npy", "indices.npy", "indptr.npy", "counts.npy"])
def test_damaged_files(tmp_path, name):
    """Changed bytes, truncated files and missing files are errors."""
    Cooccurrence.from_corpus([["a", "b", "c"]] * 3, min_count=1).save(tmp_path / "good")
    good = (tmp_path / "good" / name).read_bytes()
    bad = shutil.copytree(tmp_path / "good", tmp_path / "bad") / name
    random = np.random.default_rng(5)
    for place in random.choice(len(good), min(60, len(good)), replace=False):
        bad.write_bytes(good[:place] + bytes([good[place] ^ (1 << random.integers(8))]) + good[place + 1 :])
        try:
            loaded = Cooccurrence.load(tmp_path / "bad")
        except (ValueError, FileNotFoundError):
            pass
        else:  # white space in manifest.json
            assert name == "manifest.json"
            assert are_equal(loaded, Cooccurrence.load(tmp_path / "good"))
        bad.write_bytes(good[:place])
        with pytest.raises((ValueError, FileNotFoundError), match="bad"):
            Cooccurrence.load(tmp_path / "bad")
    bad.unlink()
    with pytest.raises((ValueError, FileNotFoundError), match="missing or damaged|holds no co-occurrences"):
        Cooccurrence.load(tmp_path / "bad")


def test_inconsistent_files(tmp_path):
    """Files with correct checksums whose arrays do not form a matrix are an error."""
    pairs = Cooccurrence.from_corpus([["a", "b", "c"]] * 3, min_count=1)
    for name, bad in (("indices", [0, 1, 9, 0, 1, 2]), ("indptr", [0, 4, 2, 6]), ("counts", [1]), ("data", [1.0])):
        place = tmp_path / name
        pairs.save(place)
        np.save(place / f"{name}.npy", np.array(bad, DTYPES[name]))
        manifest = json.loads((place / "manifest.json").read_text())
        manifest["checksums"][f"{name}.npy"] = checksummed.file_checksum(place / f"{name}.npy")
        (place / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(ValueError, match="do not make a matrix"):
            Cooccurrence.load(place)


def test_newer_format(tmp_path):
    """The error for a later version of the format says so."""
    Cooccurrence.empty(["a"]).save(tmp_path / "new")
    manifest = json.loads((tmp_path / "new" / "manifest.json").read_text())
    (tmp_path / "new" / "manifest.json").write_text(json.dumps(manifest | {"version": 3}))
    with pytest.raises(ValueError, match="newer gensim-wordrank"):
        Cooccurrence.load(tmp_path / "new")


def test_save_does_not_overwrite_other_files(tmp_path):
    """A file, and a directory with other files, are kept."""
    pairs = Cooccurrence.empty(["a"])
    (tmp_path / "file").write_text("mine")
    with pytest.raises(NotADirectoryError, match="Move it"):
        pairs.save(tmp_path / "file")
    (tmp_path / "directory").mkdir()
    (tmp_path / "directory" / "diary").write_text("mine")
    with pytest.raises(FileExistsError, match="holds other files"):
        pairs.save(tmp_path / "directory")
    assert (tmp_path / "directory" / "diary").read_text() == "mine"
    with pytest.raises(FileNotFoundError, match="Create it first"):
        pairs.save(tmp_path / "missing" / "pairs")


def test_pickle_of_a_mapped_matrix(tmp_path):
    """A memory-mapped matrix can be pickled and saved with a model."""
    pairs = Cooccurrence.from_corpus(corpus_file=LEE, window=5, path=tmp_path / "pairs")
    assert are_equal(pickle.loads(pickle.dumps(pairs)), pairs)
    model = WordRank.from_cooccurrence(pairs, vector_size=5, epochs=1)
    model.save(tmp_path / "model", cooccurrence=True)
    assert are_equal(WordRank.load(tmp_path / "model").cooccurrence, pairs)


@pytest.mark.parametrize("name", ["data", "indices", "indptr"])
@pytest.mark.parametrize("solver", ["sampled", "triplet"])
def test_mapped_file_that_is_cut_while_training(tmp_path, lee_pairs, name, solver):
    """An epoch does not begin if a mapped file was cut in the one before; reading it would end the process."""
    lee_pairs.save(tmp_path / "pairs")

    class Cut:
        def __getattr__(self, event):
            return lambda model: event == "on_epoch_end" and os.truncate(tmp_path / "pairs" / f"{name}.npy", 4096)

    options = {"vector_size": 4, "epochs": 3, "solver": solver, "callbacks": [Cut()]}
    with pytest.raises(OSError, match=f"{name}.npy' was cut while it is in use: it has 4096 bytes"):
        WordRank.from_cooccurrence(tmp_path / "pairs", **options)
