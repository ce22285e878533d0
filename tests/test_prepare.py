"""Raw text is turned into text to train on, by the rules of the paper or of text8."""

import gzip
import re
import tracemalloc

import pytest
from gensim_wordrank import WordRank
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
        ("Er kam z. B. um 5. „Ach!“ Dr. Faust ging.", ["Er kam z. B. um 5.", "„Ach!“", "Dr. Faust ging."]),
        ("Он жил в г. Москва. Потом уехал.", ["Он жил в г. Москва.", "Потом уехал."]),
        ("他 喜欢 猫 。 她说：「好！」她 走 了。", ["他 喜欢 猫 。", "她说：「好！」", "她 走 了。"]),
        ("यह किताब है। वह घर है।", ["यह किताब है।", "वह घर है।"]),
        (" \t ", []),
    ],
)
def test_split_sentences(paragraph, expected):
    """Sentences end before capitals and digits, but not after initials, abbreviations or in numbers."""
    assert split_sentences(paragraph) == ([paragraph] if expected is None else expected)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The CAT, sat!", "the cat sat"),
        ("don't CAN'T won\u2019t n't", "do nt ca nt wo nt nt"),
        ("it's John\u2019s rock_n_roll", "it s john s rock n roll"),
        ("a naïve café, Москва and 東京 in 1984", "a naïve café москва and 東京 in 1984"),
        ("cafe\u0301 or cafe", "café or cafe"),
        ("Die Straße, das Öl", "die straße das öl"),
        ("हिन्दी की किताब", "हिन्दी की किताब"),
        ("می\u200cخواهم بروم", "می\u200cخواهم بروم"),
        ("\ufeffThe cat", "the cat"),
        ("x\u00a0y\u2014z", "x y z"),
    ],
)
def test_split_words(sentence, expected):
    """Words of any script are kept in lower case; anything but letters, their marks and digits separates words."""
    assert split_words(sentence) == expected.split()


def test_sentences_of_3_to_500_words_are_kept(tmp_path):
    """Shorter and longer sentences are skipped and counted."""
    raw = tmp_path / "raw.txt"
    raw.write_text("\n".join(" ".join(["word"] * length) + "." for length in (2, 3, 500, 501)))
    done = prepare([raw], tmp_path / "text.txt")
    assert [len(line.split()) for line in (tmp_path / "text.txt").read_text().splitlines()] == [3, 500]
    assert (done.lines, done.tokens, done.skipped, done.skipped_tokens) == (2, 503, 2, 503)


TEXTS = {
    "de": (
        "Die Bäckerei öffnet um 7 Uhr. Süße Brötchen kosten z. B. 40 Cent!",
        ["die bäckerei öffnet um 7 uhr", "süße brötchen kosten z b 40 cent"],
    ),
    "ru": (
        "Ёлка стоит в углу. Дети поют: «Здравствуй, ёлка!» Потом танцуют все.",
        ["ёлка стоит в углу", "дети поют здравствуй ёлка", "потом танцуют все"],
    ),
    "zh": ("我 喜欢 喝 茶 。 他 不 喜欢 咖啡 ！", ["我 喜欢 喝 茶", "他 不 喜欢 咖啡"]),  # segmented
}


@pytest.mark.parametrize("language", TEXTS)
def test_languages(tmp_path, language):
    """German, Russian and segmented Chinese text keeps its letters, without a byte order mark, and trains a model."""
    raw, lines = TEXTS[language]
    (tmp_path / "raw.txt").write_text(raw, encoding="utf-8-sig")
    done = prepare([tmp_path / "raw.txt"], tmp_path / "text.txt")
    assert (tmp_path / "text.txt").read_text(encoding="utf-8").splitlines() == lines
    assert (done.lines, done.not_ascii, done.skipped) == (len(lines), 0, 0)
    model = WordRank(corpus_file=tmp_path / "text.txt", vector_size=4, min_count=1, epochs=1)
    assert set(model.wv.index_to_key) == set(" ".join(lines).split())


def test_ascii(tmp_path):
    """By the paper's rule, words with other letters are removed and counted."""
    (tmp_path / "raw.txt").write_text("A naïve café in Москва, one 東京. Ça va!", encoding="utf-8")
    done = prepare([tmp_path / "raw.txt"], tmp_path / "text.txt", ascii=True)
    assert (tmp_path / "text.txt").read_text() == "a in one\n"
    assert (done.tokens, done.not_ascii, done.skipped, done.skipped_tokens) == (3, 5, 1, 1)


def test_text8(tmp_path):
    """Digits are spelled out, other bytes become single spaces; there is one paragraph per line."""
    raw = tmp_path / "raw.txt"
    raw.write_bytes("In 1984, Café\r\n\n...\nB-52s! ".encode() + b"\xff\x00Z\n" + bytes(range(256)))
    prepare([raw], tmp_path / "text.txt", text8=True)
    text = (tmp_path / "text.txt").read_text()
    assert text.splitlines()[:2] == ["in one nine eight four caf", "b five two s z"]
    assert re.fullmatch(r"([a-z]+( [a-z]+)*\n)+", text)


def test_several_and_compressed_texts(tmp_path):
    """Texts are concatenated; the output is compressed if its extension says so."""
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"The first text here."))
    (tmp_path / "b.txt").write_bytes(b"The second text here.")
    prepare([tmp_path / "a.txt.gz", tmp_path / "b.txt"], tmp_path / "out.txt.gz")
    lines = gzip.decompress((tmp_path / "out.txt.gz").read_bytes()).decode()
    assert lines == "the first text here\nthe second text here\n"


def test_text_that_is_not_utf8(tmp_path):
    """The error names the file, and an older result is unchanged."""
    (tmp_path / "raw.txt").write_bytes(b"A good line here.\nA bad \xff line here.\n")
    (tmp_path / "text.txt").write_text("older\n")
    with pytest.raises(ValueError, match=r"raw.txt' is not UTF-8 near .* Convert it to UTF-8."):
        prepare([tmp_path / "raw.txt"], tmp_path / "text.txt")
    assert (tmp_path / "text.txt").read_text() == "older\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["raw.txt", "text.txt"]


@pytest.mark.parametrize("text8", [False, True])
def test_text_without_line_breaks(tmp_path, monkeypatch, text8):
    """A text of one line is cut between words and never held in memory completely."""
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
