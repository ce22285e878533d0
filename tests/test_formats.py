"""Files of other programs: GloVe, word2vec and the code of the paper's authors."""

import gzip
import os
import re
import shutil
import subprocess
import tracemalloc

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.test.utils import datapath
from gensim_wordrank import Cooccurrence, WordRank
from gensim_wordrank.cooccurrence.formats import RECORD, read_glove, read_wordrank, write_glove
from gensim_wordrank.evaluation import read_analogies
from gensim_wordrank.evaluation.load import read_vectors

from problems import write_wordrank


@pytest.fixture(scope="module")
def pairs():
    """Co-occurrence counts of the Lee corpus."""
    return Cooccurrence.from_corpus(corpus_file=datapath("lee_background.cor"), window=5)


def test_glove_round_trip(pairs, tmp_path):
    """Reading what was written for GloVe gives the same matrix, in any order of the records."""
    write_glove(pairs, tmp_path / "pairs.bin", tmp_path / "vocab.txt")
    records = np.fromfile(tmp_path / "pairs.bin", RECORD)
    np.random.default_rng(1).shuffle(records)
    records.tofile(tmp_path / "shuffled.bin")
    for name in ("pairs.bin", "shuffled.bin"):
        found = read_glove(tmp_path / name, tmp_path / "vocab.txt")
        assert (found.words, found.counts.tolist()) == (pairs.words, pairs.counts.tolist())
        assert found.data.tobytes() == pairs.data.tobytes()
        assert found.indices.tobytes() == pairs.indices.tobytes()
    assert len(WordRank.from_cooccurrence(found, vector_size=5, epochs=1).wv) == len(pairs.words)


def test_read_wordrank(pairs, tmp_path):
    """The authors' directory of meta file, pairs as text and vocabulary gives the same matrix to six digits."""
    write_wordrank(pairs, tmp_path)
    found = read_wordrank(tmp_path)
    assert found.words == pairs.words
    assert (found.indices == pairs.indices).all()
    np.testing.assert_allclose(found.data, pairs.data, atol=1e-6)
    n = len(pairs.words)
    (tmp_path / "meta").write_text(f"{n} {n}\n{pairs.nnz} wiki.toy\n")
    assert read_wordrank(tmp_path).words == list(range(n))


def test_unusual_files_of_the_authors(tmp_path):
    """Empty lines are skipped; a meta file that is a link or a pipe is refused: it could be read without end."""
    (tmp_path / "meta").write_text("2 2\n2 pairs\n2 words\n")
    (tmp_path / "pairs").write_text("1 2 0.5\n\n2 1 1\n \n")
    (tmp_path / "words").write_text("a\nb\n")
    assert read_wordrank(tmp_path).nnz == 2
    for make in (lambda path: path.symlink_to("/dev/zero"), os.mkfifo):
        (tmp_path / "meta").unlink()
        make(tmp_path / "meta")
        with pytest.raises(ValueError, match="meta' is no regular file"):
            read_wordrank(tmp_path)


def test_glove_files_are_not_devices(pairs, tmp_path):
    """A device or a pipe, whose size is unknown, is refused instead of read as empty."""
    write_glove(pairs, tmp_path / "pairs.bin", tmp_path / "vocab.txt")
    os.mkfifo(tmp_path / "pipe")
    for name in (tmp_path / "pipe", "/dev/zero"):
        for files in ((name, tmp_path / "vocab.txt"), (tmp_path / "pairs.bin", name)):
            with pytest.raises(ValueError, match=f"{name}' is no regular file"):
                read_glove(*files)


def test_damaged_glove_files(pairs, tmp_path):
    """A truncated file, a wrong vocabulary and a vocabulary without counts are errors that name the file."""
    write_glove(pairs, tmp_path / "pairs.bin", tmp_path / "vocab.txt")
    whole = (tmp_path / "pairs.bin").read_bytes()
    (tmp_path / "cut.bin").write_bytes(whole[:-3])
    with pytest.raises(ValueError, match="cut.bin' is truncated or not GloVe's"):
        read_glove(tmp_path / "cut.bin", tmp_path / "vocab.txt")
    (tmp_path / "few.txt").write_text("the 10\nof 5\n")
    with pytest.raises(ValueError, match="has word numbers outside the vocabulary of 2"):
        read_glove(tmp_path / "pairs.bin", tmp_path / "few.txt")
    (tmp_path / "words.txt").write_text("the\nof\n")
    with pytest.raises(ValueError, match="words.txt' must hold lines of a word"):
        read_glove(tmp_path / "pairs.bin", tmp_path / "words.txt")
    np.array([(1, 1, np.nan)], RECORD).tofile(tmp_path / "nan.bin")
    with pytest.raises(ValueError, match="finite"):
        read_glove(tmp_path / "nan.bin", tmp_path / "few.txt")
    with pytest.raises(ValueError, match="cannot hold the word 'new york'"):
        write_glove(Cooccurrence.from_matrix([[1.0]], ["new york"]), tmp_path / "x.bin", tmp_path / "x.txt")


def test_vectors_that_do_not_match_their_header(tmp_path, caplog):
    """More vectors than the first line says are an error; a last line without its end is noticed."""
    keyed = KeyedVectors(3)
    keyed.add_vectors(["a", "b", "c"], np.arange(9, dtype=np.float32).reshape(3, 3))
    for name, binary in (("vectors.txt", False), ("vectors.bin", True), ("vectors.bin.gz", True)):
        path = tmp_path / name
        keyed.save_word2vec_format(path, binary=binary)
        assert len(read_vectors(path)) == 3
        opened = gzip.open if name.endswith("gz") else open
        with opened(path, "rb") as file:
            content = file.read()
        with opened(path, "wb") as file:
            file.write(b"2" + content[1:])
        with pytest.raises(ValueError, match=rf"{name}' is damaged: .*(promises|not 2 as its first line says)"):
            read_vectors(path)
    (tmp_path / "vectors.bin").write_bytes(b"2 1\na \0\0\0\0\nb \0\0\0\0\n")  # as word2vec's program writes
    assert len(read_vectors(tmp_path / "vectors.bin")) == 2
    assert "line break" not in caplog.text
    (tmp_path / "vectors.txt").write_text("2 2\na 1 2\nb 3 4.2")
    assert len(read_vectors(tmp_path / "vectors.txt")) == 2
    assert "vectors.txt' does not end with a line break: the last vector may be cut off" in caplog.text


def test_few_vectors_missing_from_a_binary_header(tmp_path):
    """A header that leaves out one of many vectors is an error, with line breaks after vectors, too."""
    path = tmp_path / "vectors.bin"
    for end in (b"", b"\n"):
        records = [b"word%i " % (i // 2) + np.float32([i, 1, 2]).tobytes() + end for i in range(1000)]
        path.write_bytes(b"1000 3\n" + b"".join(records))
        assert len(read_vectors(path)) == 500
        for n in (999, 980, 0, 1001, 10**15):
            path.write_bytes(b"%i 3\n" % n + b"".join(records))
            with pytest.raises(ValueError, match="vectors.bin' is damaged.* first line"):
                read_vectors(path)
    path.write_bytes(b"2 3\n" + b"a" * 3_000_000)  # no word ends
    with pytest.raises(ValueError, match="vectors.bin' .* it holds 0 words with vectors of size 3, not 2"):
        read_vectors(path)


def test_damaged_vector_files(tmp_path):
    """Infinite numbers, missing rows and a malformed header are errors that name the file."""
    for content, message in (("1 2\na 1 1e99\n", "finite"), ("2 2\na 1 2\n", "damaged"), ("2 x\na 1 2\n", "damaged")):
        (tmp_path / "vectors.txt").write_text(content)
        with pytest.raises(ValueError, match=f"vectors.txt' .*{message}"):
            read_vectors(tmp_path / "vectors.txt")


@pytest.mark.parametrize("word", [7, "", "new york"])
def test_words_that_glove_cannot_store(tmp_path, word):
    """Numbers, empty words and words with spaces are errors, and nothing is written."""
    pairs = Cooccurrence.from_matrix([[0, 1], [1, 0]], ["a", word])
    with pytest.raises(ValueError, match=f"GloVe's files cannot hold the word {word!r}"):
        write_glove(pairs, tmp_path / "pairs.bin", tmp_path / "vocab.txt")
    assert not list(tmp_path.iterdir())


def test_duplicate_words_and_ragged_rows(tmp_path):
    """The first of two vectors of a word is kept; rows of different lengths and missing vectors are errors."""
    path = tmp_path / "vectors.txt"
    path.write_text("4 2\na 1 2\na 3 4\nb 1 1\nc 1 0\n")
    found = read_vectors(path)
    assert (found.index_to_key, found["a"].tolist(), found.vectors.shape) == (["a", "b", "c"], [1.0, 2.0], (3, 2))
    assert found.most_similar("a", topn=9)[-1][0] in ("b", "c")
    for text, message in (
        ("2 3\na 1 2 3\nb 3", "line 3 has 2 fields, not 4"),
        ("a 1 2 3\nb 3\n", "line 2 has 2 fields, not 4"),
        ("2 0\nonly\nwords\n", "no numbers follow the words"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            read_vectors(path)


def test_randomly_changed_bytes(pairs, tmp_path):
    """Random changes in GloVe's binary file give an error or a finite matrix of the same shape."""
    write_glove(pairs, tmp_path / "pairs.bin", tmp_path / "vocab.txt")
    whole = bytearray((tmp_path / "pairs.bin").read_bytes())
    random, refused = np.random.default_rng(2), 0
    for _ in range(30):
        damaged = bytearray(whole)
        for place in random.integers(0, len(whole), 5):
            damaged[place] ^= 1 << random.integers(8)
        (tmp_path / "damaged.bin").write_bytes(damaged)
        try:
            found = read_glove(tmp_path / "damaged.bin", tmp_path / "vocab.txt")
        except ValueError:
            refused += 1
        else:
            assert found.shape == pairs.shape
            assert np.isfinite(found.data).all()
    assert refused > 5


def test_inconsistent_wordrank_directory(tmp_path):
    """A meta file that does not match the other files is an error."""
    for meta, message in (
        ("2 3\n1 x\n", "columns as rows"),
        ("2 2\n", "must hold"),
        ("2 2\n5 x\n", "5 as 'meta' says"),
    ):
        (tmp_path / "meta").write_text(meta)
        (tmp_path / "x").write_text("1 2 0.5\n")
        with pytest.raises(ValueError, match=message):
            read_wordrank(tmp_path)


@pytest.mark.skipif(not shutil.which("glove"), reason="GloVe is not on the PATH; the format is tested by itself")
def test_glove_reads_our_files(pairs, tmp_path):
    """GloVe's own programs shuffle the written counts and train on them."""
    write_glove(pairs, tmp_path / "pairs.bin", tmp_path / "vocab.txt")
    with (tmp_path / "pairs.bin").open("rb") as source, (tmp_path / "shuffled.bin").open("wb") as target:
        subprocess.run(["shuffle", "-verbose", "0"], stdin=source, stdout=target, check=True, cwd=tmp_path)
    command = [
        "glove",
        "-input-file",
        "shuffled.bin",
        "-vocab-file",
        "vocab.txt",
        "-save-file",
        "vectors",
        "-iter",
        "2",
    ]
    subprocess.run([*command, "-vector-size", "5"], check=True, cwd=tmp_path, capture_output=True)
    lines = (tmp_path / "vectors.txt").read_text().splitlines()
    assert [line.split()[0] for line in lines[: len(pairs.words)]] == pairs.words


@pytest.mark.parametrize("name", ["vectors.txt.gz", "vectors.bin.gz", "vectors.bin.bz2", "vectors.txt", "vectors.bin"])
def test_compressed_vectors(tmp_path, name):
    """Compressed and plain files are read as binary if .bin comes before the extension of the compression."""
    model = WordRank([["a", "b", "c"]] * 9, vector_size=4, epochs=1)
    model.wv.save_word2vec_format(str(tmp_path / name), binary=".bin" in name)
    found = read_vectors(tmp_path / name)
    assert found.index_to_key == model.wv.index_to_key
    np.testing.assert_allclose(found.vectors, model.wv.vectors, rtol=1e-6)


ABSURD = 2**31 - 1


@pytest.mark.parametrize(
    ("files", "read"),
    [
        ({"v.txt": f"{ABSURD} 1000\na 1 2\n"}, lambda place: read_vectors(place / "v.txt")),
        ({"v.txt": f"2 {ABSURD}\na 1 2\nb 1 2\n"}, lambda place: read_vectors(place / "v.txt")),
        ({"v.bin": f"{ABSURD} 1000\na 1234"}, lambda place: read_vectors(place / "v.bin")),
        ({"v.bin.gz": gzip.compress(b"999999999 999\na 12")}, lambda place: read_vectors(place / "v.bin.gz")),
        ({"v.bin": f"1 {ABSURD}\na 1234"}, lambda place: read_vectors(place / "v.bin")),
        ({"v.bin": "-5 100\na 1234"}, lambda place: read_vectors(place / "v.bin")),
        ({"meta": f"{ABSURD} {ABSURD}\n1 pairs\n", "pairs": "1 1 1\n"}, read_wordrank),
        ({"meta": f"{ABSURD} {ABSURD}\n{10**18} pairs\n", "pairs": "1 1 1\n"}, read_wordrank),
        ({"meta": f"{ABSURD} {ABSURD}\n1 pairs\n{ABSURD} words\n", "pairs": "1 1 1\n", "words": "a\n"}, read_wordrank),
        ({"p.bin": "", "v.txt": f"a {10**30}\n"}, lambda place: read_glove(place / "p.bin", place / "v.txt")),
        ({"p.bin": "", "v.txt": "a -1\n"}, lambda place: read_glove(place / "p.bin", place / "v.txt")),
        ({"bats/I01.txt": "a\tb\n" * 30_000}, lambda place: read_analogies(place / "bats")),
        ({"p/manifest.json": " " * 2_000_000}, lambda place: Cooccurrence.load(place / "p")),
    ],
)  # fmt: skip
def test_small_files_allocate_little(tmp_path, files, read):
    """Numbers in a file that promise more than it holds are refused, with its name, before memory is allocated."""
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=re.escape(str(tmp_path))):
            read(tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["/etc/passwd", "../words", "link", "place"])
@pytest.mark.parametrize("line", [1, 2])
def test_authors_files_lead_nowhere_else(tmp_path, name, line):
    """The authors' `meta` can name only files in its own directory."""
    place = tmp_path / "place"
    place.mkdir()
    for path in (place / "pairs", place / "words", tmp_path / "words"):
        path.write_text("1 1 1\n")
    (place / "link").symlink_to(tmp_path / "words")
    lines = ["1 1", "1 pairs", "1 words"]
    lines[line] = f"1 {name}"
    (place / "meta").write_text("\n".join(lines))
    with pytest.raises(ValueError, match="meta' must hold .*: .* is no file in the same directory"):
        read_wordrank(place)
