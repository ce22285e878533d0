"""Raw text is made into text to train on, by the paper's rules and by text8's."""

import gzip
import re
import tracemalloc

import pytest
from gensim_wordrank.text import prepare as preparation
from gensim_wordrank.text.prepare import prepare, split_sentences, split_words


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("One here. Two here! Three? Four", ["One here.", "Two here!", "Three?", "Four"]),
        (
            'He said "Stop." Then (slowly) he went. [Next] one.',
            ['He said "Stop."', "Then (slowly) he went.", "[Next] one."],
        ),
        ("It cost 3.50 a piece. 20 were sold.", ["It cost 3.50 a piece.", "20 were sold."]),
        ("Mr. Smith met Dr. J. K. Jones at St. Mary, cf. Fig. 3 and No. 7 of vol. 2.", None),
        ("He said no. She left on Jan. 5 by train.", ["He said no.", "She left on Jan. 5 by train."]),
        ("The U.S. Army, e.g. Rangers, approx. 40 men.", None),
        ("and so on... but not here. lower case follows", None),
        ("Élan counts. Ähnlich auch.", ["Élan counts.", "Ähnlich auch."]),
        (" \t ", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(paragraph, expected):
    """Marks before capitals and digits split; initials, abbreviations, decimals and lower case do not."""
    assert split_sentences(paragraph) == ([paragraph] if expected is None else expected)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The CAT, sat!", "the cat sat"),
        ("don't CAN'T won\u2019t n't", "do nt ca nt wo nt nt"),
        ("it's John\u2019s rock_n_roll", "it s john s rock n roll"),
        ("a naïve café, Москва and 東京 in 1984", "a and in 1984"),
        ("cafe\u0301 or cafe", "or cafe"),
        ("x\u00a0y\u2014z", "x y z"),
    ],
)
def test_words_are_ascii_and_lower_case_without_punctuation(sentence, expected):
    """Words with other letters go whole, however they are written; all that is not a letter or digit separates."""
    assert split_words(sentence) == expected.split()


def test_sentences_of_3_to_500_words_are_kept(tmp_path):
    """The shortest and the longest that are allowed stay, the next ones go and are counted."""
    raw = tmp_path / "raw.txt"
    raw.write_text("\n".join(" ".join(["word"] * length) + "." for length in (2, 3, 500, 501)))
    done = prepare([raw], tmp_path / "text.txt")
    assert [len(line.split()) for line in (tmp_path / "text.txt").read_text().splitlines()] == [3, 500]
    assert (done.lines, done.tokens, done.skipped) == (2, 503, 2)


def test_text8_spells_digits_and_turns_other_bytes_into_spaces(tmp_path):
    """Any bytes become words of a to z between single spaces, a paragraph a line, empty ones left out."""
    raw = tmp_path / "raw.txt"
    raw.write_bytes("In 1984, Café\r\n\n...\nB-52s! ".encode() + b"\xff\x00Z\n" + bytes(range(256)))
    prepare([raw], tmp_path / "text.txt", text8=True)
    text = (tmp_path / "text.txt").read_text()
    assert text.splitlines()[:2] == ["in one nine eight four caf", "b five two s z"]
    assert re.fullmatch(r"([a-z]+( [a-z]+)*\n)+", text)


def test_several_texts_compressed_or_not_become_one(tmp_path):
    """Sources follow one another, and the output is compressed if its name says so."""
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"The first text here."))
    (tmp_path / "b.txt").write_bytes(b"The second text here.")
    prepare([tmp_path / "a.txt.gz", tmp_path / "b.txt"], tmp_path / "out.txt.gz")
    lines = gzip.decompress((tmp_path / "out.txt.gz").read_bytes()).decode()
    assert lines == "the first text here\nthe second text here\n"


def test_an_error_names_the_text_and_leaves_what_was_there(tmp_path):
    """Bytes that are not UTF-8 are told with the file's name; an older result stays as it was."""
    (tmp_path / "raw.txt").write_bytes(b"A good line here.\nA bad \xff line here.\n")
    (tmp_path / "text.txt").write_text("older\n")
    with pytest.raises(ValueError, match=r"raw.txt' is not UTF-8 near .* Convert it to UTF-8."):
        prepare([tmp_path / "raw.txt"], tmp_path / "text.txt")
    assert (tmp_path / "text.txt").read_text() == "older\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["raw.txt", "text.txt"]


@pytest.mark.parametrize("text8", [False, True])
def test_memory_does_not_grow_with_a_text_of_one_line(tmp_path, monkeypatch, text8):
    """A text without line ends is cut between words and never held whole."""
    monkeypatch.setattr(preparation.tokens, "SHARD_BYTES", 1 << 12)
    monkeypatch.setattr(preparation, "MAX_LINE_BYTES", 1 << 12)
    raw = tmp_path / "raw.txt"
    raw.write_text("Some words stand here. " * 20_000)
    tracemalloc.start()
    done = prepare([raw], tmp_path / "text.txt", text8=text8)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert set((tmp_path / "text.txt").read_text().split()) == {"some", "words", "stand", "here"}
    assert done.tokens == pytest.approx(80_000, rel=0.02)
    assert peak < raw.stat().st_size / 2
