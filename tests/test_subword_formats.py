"""Vectors of words and n-grams as files of gensim's FastText, fastText and floret."""

import subprocess
import sys

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.models.fasttext import FastTextKeyedVectors, load_facebook_model
from gensim_wordrank import WordRank
from gensim_wordrank.subwords.formats import (
    FLORET_SEED,
    _fit_floret,
    to_fasttext_keyedvectors,
    write_fasttext_bin,
    write_floret,
)
from gensim_wordrank.subwords.murmurhash import murmurhash
from gensim_wordrank.subwords.table import SubwordTable, improve_words

# one letter, digits, hyphens, marks of words inside words, several scripts, the end of a sentence in fastText
UNUSUAL = [
    "a",
    "7",
    "2024",
    "state-of-the-art",
    "<b>",
    "größe",
    "größer",
    "привет",
    "приветствие",
    "日本",
    "日本語",
    "😀",
    "</s>",
]
# words that begin like known ones
UNKNOWN = [
    "governmental",
    "unreported",
    "re-election",
    "2025",
    "größen",
    "приветы",
    "日本人",
    "attackers",
    "australianness",
]


@pytest.fixture(scope="module")
def trained(lee):
    """Vectors of a small text and the table of its n-grams."""
    model = WordRank([*lee, *[UNUSUAL] * 5], vector_size=12, epochs=5, seed=1, workers=1)
    counts = model.wv.expandos["count"]
    vectors, table = improve_words(model.wv.index_to_key, counts, model.wv.vectors)
    model.wv.vectors = vectors
    return model.wv, table


def cosines(a, b):
    """Cosines of the rows of two arrays."""
    return np.einsum("ij,ij->i", a, b) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


def floret_vectors(rows, words, hash_count):
    """Vectors of words as floret defines them."""
    result = []
    for word in words:
        key = f"<{word}>"
        parts = [key] + [key[start : start + n] for n in range(3, 7) for start in range(len(key) - n + 1)]
        hashes = murmurhash([part.encode() for part in parts], FLORET_SEED)[:, :hash_count]
        result.append(rows[hashes.ravel() % len(rows)].mean(axis=0))
    return np.array(result)


def test_fasttext_known_words(trained):
    """Known words keep their vectors, their order and their counts."""
    wv, table = trained
    keyed = to_fasttext_keyedvectors(wv, table)
    assert keyed.index_to_key == wv.index_to_key
    np.testing.assert_allclose(keyed.vectors, wv.vectors, atol=1e-5)
    assert keyed.get_vecattr("a", "count") == wv.get_vecattr("a", "count")


def test_fasttext_unknown_words(trained):
    """With many rows, the vectors of unknown words have the directions that the table predicts."""
    wv, table = trained
    keyed = to_fasttext_keyedvectors(wv, table, bucket=1 << 20)
    assert not set(UNKNOWN) & set(wv.index_to_key)
    found = cosines(np.stack([keyed[word] for word in UNKNOWN]), table.predict(UNKNOWN)[0])
    assert np.median(found) > 0.9999
    assert found.min() > 0.98  # an n-gram may share its row


def test_fasttext_default_bucket(trained):
    """With the default number of rows, noise of shared rows is small."""
    wv, table = trained
    keyed = to_fasttext_keyedvectors(wv, table)
    words = [word + ending for word in wv.index_to_key[::20] if word.isascii() for ending in ("s", "ing", "less")]
    words = [word for word in words if word not in wv]
    assert len(keyed.vectors_ngrams) == 50_000 > 4 * len(table.keys)
    assert np.median(cosines(np.stack([keyed[word] for word in words]), table.predict(words)[0])) > 0.98


def test_fasttext_saves_and_loads_alone(trained, tmp_path):
    """Saved vectors load, with the same vectors of all words, where gensim_wordrank cannot be imported."""
    wv, table = trained
    keyed = to_fasttext_keyedvectors(wv, table)
    keyed.save(str(tmp_path / "keyed"))
    loaded = FastTextKeyedVectors.load(str(tmp_path / "keyed"))
    assert loaded.vectors.tobytes() == keyed.vectors.tobytes()
    script = (
        "import sys; sys.modules['gensim_wordrank'] = None\n"
        "from gensim.models import KeyedVectors\n"
        "import numpy as np\n"
        "wv = KeyedVectors.load(sys.argv[1])\n"
        "np.save(sys.argv[2], np.stack([wv[word] for word in sys.argv[3:]]))\n"
    )
    words = [*UNKNOWN, *UNUSUAL]
    arguments = [tmp_path / "keyed", tmp_path / "vectors.npy", *words]
    subprocess.run([sys.executable, "-c", script, *map(str, arguments)], check=True)
    assert np.load(tmp_path / "vectors.npy").tobytes() == np.stack([keyed[word] for word in words]).tobytes()


def test_fasttext_bin_in_gensim(trained, tmp_path):
    """gensim reads fastText's file: words, counts, and the vectors of known and unknown words."""
    wv, table = trained
    write_fasttext_bin(wv, table, tmp_path / "vectors.bin")
    keyed, loaded = to_fasttext_keyedvectors(wv, table), load_facebook_model(tmp_path / "vectors.bin").wv
    assert loaded.index_to_key == wv.index_to_key
    assert loaded.get_vecattr("a", "count") == wv.get_vecattr("a", "count")
    for word in [*UNKNOWN, *UNUSUAL[:-1]]:
        assert loaded[word].tobytes() == keyed[word].tobytes()


def test_fasttext_bin_without_counts(trained, tmp_path):
    """Vectors without counts can be written."""
    wv, table = trained
    plain = KeyedVectors(wv.vector_size)
    plain.add_vectors(wv.index_to_key, wv.vectors)
    write_fasttext_bin(plain, table, tmp_path / "vectors.bin", bucket=1000)
    assert load_facebook_model(tmp_path / "vectors.bin").wv.vectors_ngrams.shape == (1000, wv.vector_size)


def test_fasttext_program(trained, tmp_path):
    """fastText reads the file: vectors of known and unknown words, and neighbours."""
    fasttext = pytest.importorskip("fasttext", reason="needs fasttext")
    wv, table = trained
    write_fasttext_bin(wv, table, tmp_path / "vectors.bin")
    model, keyed = fasttext.load_model(str(tmp_path / "vectors.bin")), to_fasttext_keyedvectors(wv, table)
    assert model.words == wv.index_to_key
    known = np.stack([model.get_word_vector(word) for word in wv.index_to_key])
    np.testing.assert_allclose(known, wv.vectors, atol=1e-5)
    for word in UNKNOWN:
        np.testing.assert_allclose(model.get_word_vector(word), keyed[word], atol=1e-5)
        expected = [neighbour for neighbour, _ in keyed.similar_by_vector(keyed[word], topn=5)]
        assert [neighbour for _, neighbour in model.get_nearest_neighbors(word, k=5)] == expected


def test_murmurhash():
    """The hashes are those of spaCy, for strings of less and more than 16 bytes and of no bytes."""
    expected = {
        "": [3262466624, 277172068, 371838263, 1319709105],
        "a": [3866313536, 178567642, 3873701348, 1228511562],
        "<größe>": [196846712, 3084842710, 2917812254, 3606645677],
        "x" * 15: [564919163, 1446123512, 3788901655, 2290811927],
        "x" * 16: [1448943142, 3469552789, 1958596131, 31251011],
        "x" * 17: [2488640874, 2037964735, 3792130712, 675413826],
        "日本語のとても長い言葉です": [3765908316, 4107261602, 2978330490, 361368537],
    }
    assert murmurhash([string.encode() for string in expected], FLORET_SEED).tolist() == list(expected.values())


@pytest.mark.parametrize("hash_count", [1, 2])
def test_floret_fit(trained, hash_count):
    """floret's table comes close to the vectors of known words and to the predictions for unknown words."""
    wv, table = trained
    rows = _fit_floret(wv, table, 4 * len(table.keys), hash_count)
    assert np.median(cosines(floret_vectors(rows, wv.index_to_key, hash_count), wv.vectors)) > 0.98
    assert np.median(cosines(floret_vectors(rows, UNKNOWN, hash_count), table.predict(UNKNOWN)[0])) > 0.85


def test_floret_file(trained, tmp_path):
    """The file has floret's header and numbered rows."""
    wv, table = trained
    write_floret(wv, table, tmp_path / "table.floret", bucket=500, hash_count=3)
    lines = (tmp_path / "table.floret").read_text().splitlines()
    assert lines[0] == "500 12 3 6 3 2166136261 < >"
    assert [line.split()[0] for line in lines[1:]] == [str(i) for i in range(500)]
    rows = np.array([line.split()[1:] for line in lines[1:]], np.float32)
    np.testing.assert_allclose(rows, _fit_floret(wv, table, 500, 3), rtol=1e-5)


def test_spacy_program(trained, tmp_path):
    """`spacy init vectors` reads the table, and its vectors of all words are those of the table."""
    spacy = pytest.importorskip("spacy", reason="needs spacy")
    wv, table = trained
    write_floret(wv, table, tmp_path / "table.floret")
    command = [sys.executable, "-m", "spacy", "init", "vectors", "xx", "table.floret", "model", "--mode", "floret"]
    subprocess.run(command, cwd=tmp_path, check=True)
    vectors = spacy.load(tmp_path / "model").vocab.vectors
    rows = _fit_floret(wv, table, 2 * len(table.keys), 2)
    for words in (wv.index_to_key, UNKNOWN):
        np.testing.assert_allclose(vectors.get_batch(words), floret_vectors(rows, words, 2), atol=1e-4)
    assert np.median(cosines(vectors.get_batch(wv.index_to_key), wv.vectors)) > 0.95


def test_no_known_ngrams(tmp_path):
    """Words that share no n-gram can be exported; an unknown word then has no vector but the base."""
    wv = KeyedVectors(2)
    wv.add_vectors(["a", "b"], np.eye(2, dtype=np.float32))
    table = SubwordTable(np.empty(0, np.uint32), np.empty((0, 2), np.float32), np.array([3, 4], np.float32))
    keyed = to_fasttext_keyedvectors(wv, table)
    np.testing.assert_allclose(keyed.vectors, wv.vectors, atol=1e-6)
    np.testing.assert_allclose(to_fasttext_keyedvectors(wv, table, bucket=1)["c"], [3, 4])
    write_fasttext_bin(wv, table, tmp_path / "vectors.bin")
    write_floret(wv, table, tmp_path / "table.floret")


def test_invalid_arguments(trained, tmp_path):
    """Invalid arguments are named, and nothing is written."""
    wv, table = trained
    with pytest.raises(ValueError, match="'bucket' must be a positive integer. Got 0"):
        to_fasttext_keyedvectors(wv, table, bucket=0)
    with pytest.raises(ValueError, match="'hash_count' must be an integer from 1 to 4. Got 5"):
        write_floret(wv, table, tmp_path / "table.floret", hash_count=5)
    numbers = KeyedVectors(12)
    numbers.add_vectors([1, 2], np.ones((2, 12), np.float32))
    with pytest.raises(ValueError, match="'wv' must hold vectors of strings"):
        write_fasttext_bin(numbers, table, tmp_path / "vectors.bin")
    other = KeyedVectors(3)
    other.add_vectors(["a"], np.ones((1, 3), np.float32))
    with pytest.raises(ValueError, match="'wv' must be vectors of size 12, as in the table. Got 3"):
        write_fasttext_bin(other, table, tmp_path / "vectors.bin")
    assert not list(tmp_path.iterdir())
