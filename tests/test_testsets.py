"""Reading test sets."""

import gzip
import os

import pytest
from gensim_wordrank.evaluation import (
    AnalogySet,
    SimilaritySet,
    bundled_sets,
    read_analogies,
    read_directory,
    read_similarity,
)


@pytest.mark.parametrize("separator", ["\t", ",", ";", " "])
def test_word_pairs_with_any_separator(tmp_path, separator):
    """Fields are separated by tabs, commas, semicolons or spaces; comments, a header and empty lines are skipped."""
    rows = [["word1", "word2", "mean"], ["tiger", "cat", "7.35"], ["Book", "paper", "7"]]
    (tmp_path / "set.csv").write_text("# about\n".join(["", *(separator.join(row) + "\n" for row in rows[1:]), "\n"]))
    expected = [("tiger", "cat"), ("Book", "paper")]
    assert read_similarity(tmp_path / "set.csv").pairs == expected
    (tmp_path / "header.csv").write_text("".join(separator.join(row) + "\n" for row in rows))
    assert read_similarity(tmp_path / "header.csv").pairs == expected
    assert read_similarity(tmp_path / "header.csv").ratings.tolist() == [7.35, 7.0]


def test_google_and_msr(tmp_path):
    """Section names are kept and tell semantic from syntactic; a set without sections is syntactic."""
    (tmp_path / "google.txt").write_text(
        ": capital\nathens greece rome italy\n: gram1-adverb\ncalm calmly free freely\n"
    )
    google = read_analogies(tmp_path / "google.txt")
    assert google.sections == ["capital", "gram1-adverb"]
    assert google.is_syntactic().tolist() == [False, True]
    (tmp_path / "msr.txt").write_text("good better rough rougher\n")
    assert read_analogies(tmp_path / "msr.txt").is_syntactic().tolist() == [True]


def test_bats(tmp_path):
    """Any two lines of a file form a question; all answers are accepted, and the first is used in questions."""
    for section, lines in (
        ("1_Inflectional/I01 [noun]", "cat\tcats\nox\toxen/oxes\n"),
        ("4_Lex/L01 [x]", "a\tb\nc\td\n"),
    ):
        file = tmp_path / "BATS" / f"{section}.txt"
        file.parent.mkdir(parents=True)
        file.write_text(lines)
    bats = read_analogies(tmp_path / "BATS")
    assert bats.questions[:2] == [("cat", "cats", "ox"), ("ox", "oxen", "cat")]
    assert bats.answers[:2] == [("oxen", "oxes"), ("cats",)]
    assert bats.is_syntactic().tolist() == [True, True, False, False]


def test_directories_and_bundled_sets(tmp_path):
    """The kind of each file, compressed or not, is detected from its content; the bundled sets are complete."""
    (tmp_path / "a.tsv").write_text("x\ty\t1\n")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b": s\na b c d\n"))
    (tmp_path / ".hidden").write_text("?")
    assert [(type(test), test.name) for test in read_directory(tmp_path)] == [(SimilaritySet, "a"), (AnalogySet, "b")]
    sizes = [len(test.pairs) if isinstance(test, SimilaritySet) else len(test.questions) for test in bundled_sets()]
    assert sizes == [353, 999, 19544]


def test_errors_name_the_file_and_line(tmp_path):
    """The error shows the bad line; an empty file or directory is an error too."""
    (tmp_path / "bad.tsv").write_text("a\tb\t1\nc\td\n")
    with pytest.raises(ValueError, match=r"Line 2 of '.*bad.tsv' must hold two words and a number. Got 'c\\td'"):
        read_similarity(tmp_path / "bad.tsv")
    (tmp_path / "bad.txt").write_text(": s\na b c\n")
    with pytest.raises(ValueError, match=r"Line 2 of '.*bad.txt' must hold four words"):
        read_analogies(tmp_path / "bad.txt")
    (tmp_path / "nan.tsv").write_text("a\tb\t1\nc\td\tnan\n")
    with pytest.raises(ValueError, match=r"Line 2 of '.*nan.tsv' must hold two words and a number"):
        read_similarity(tmp_path / "nan.tsv")
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"a b c d\n")[:-9])
    with pytest.raises(OSError, match="cut.txt.gz' is damaged or cut off"):
        read_analogies(tmp_path / "cut.txt.gz")
    (tmp_path / "latin.txt").write_bytes("a b c für\n".encode("latin-1"))
    with pytest.raises(ValueError, match="latin.txt' is not UTF-8 near"):
        read_analogies(tmp_path / "latin.txt")
    (tmp_path / "empty").write_text("")
    (tmp_path / "nothing").mkdir()
    for read, name in ((read_similarity, "empty"), (read_analogies, "empty"), (read_analogies, "nothing")):
        with pytest.raises(ValueError, match=f"{name}' holds no"):
            read(tmp_path / name)
    with pytest.raises(FileNotFoundError, match="holds no test sets"):
        read_directory(tmp_path / "nothing")


@pytest.mark.parametrize(
    "text",
    [
        "king\tqueen\t3\t1\nman\twoman\t2\t1\n",
        "word1\tword2\trating\tdeviation\nking\tqueen\t3\t1\nman\twoman\t2\t1\n",
        "new york\tcity\t5.0\ncat\tdog\t3\n",
        "first word\tsecond\trating\ncat\tdog\t3\nnew york\tcity\t5\n",
        "# about\nword1 word2 rating\ncat dog 3\nnew city 5\n",
    ],
)
def test_word_pairs_are_not_mistaken_for_analogies(tmp_path, text):
    """A file holds word pairs even if a line has four words, or if a comment precedes the header."""
    (tmp_path / "set.txt").write_text(text)
    (found,) = read_directory(tmp_path)
    assert isinstance(found, SimilaritySet)
    assert len(found.pairs) == 2


def test_word_pairs_from_a_spreadsheet(tmp_path):
    """A header with spaces is skipped; a byte order mark, quotes and carriage returns are removed."""
    (tmp_path / "combined.csv").write_bytes(
        b'\xef\xbb\xbfWord 1,Word 2,Human (mean)\r\n"tiger","cat",7.35\r\nlove,sex,6.77\r\n'
    )
    (tmp_path / ".ipynb_checkpoints").mkdir()
    (found,) = read_directory(tmp_path)
    assert found.pairs == [("tiger", "cat"), ("love", "sex")]


def test_pipes_among_test_sets(tmp_path):
    """Pipes, devices and directories with names of test sets are skipped: reading them would not end."""
    (tmp_path / "bats" / "more.txt").mkdir(parents=True)
    (tmp_path / "bats" / "I01.txt").write_text("sea\tseas\nsky\tskies\n")
    for place in (tmp_path, tmp_path / "bats"):
        os.mkfifo(place / "pipe.txt")
        (place / "zero.txt").symlink_to("/dev/zero")
    (found,) = read_directory(tmp_path)
    assert (found.name, len(found.questions)) == ("bats", 2)
