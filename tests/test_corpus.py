"""Sentences and files are read as word ids."""

import gzip
import io
import lzma
from collections import deque
from pathlib import Path

import numpy as np
import pytest
import smart_open
from gensim.corpora import TextCorpus, TextDirectoryCorpus
from gensim.models.word2vec import LineSentence
from gensim_wordrank import Cooccurrence, WordRank
from gensim_wordrank.text import tokens
from gensim_wordrank.text.corpus import is_same_text, read, validate_sentences, validate_source
from hypothesis import given, settings
from hypothesis import strategies as st

SPACES = [" ", "  ", "\t", "\n", "\n\n", "\r\n", "\x0b", "\x1c", "\x85", "\xa0", "\u1680", "\u2003", "\u2028", "\u3000"]


def ids_of(corpus):
    """Return the ids of a text as a list."""
    return np.concatenate(list(corpus.token_ids.chunks())).tolist()


def test_unknown_words_and_sentence_boundaries():
    """Unknown words are left out; -1 separates sentences, also empty ones."""
    corpus = read([["a", "?", "b"], [], ["?"], ["b", "a"]], vocabulary={"a": 0, "b": 1})
    assert ids_of(corpus) == [-1, 0, 1, -1, -1, -1, 1, 0, -1]
    assert (corpus.n_sentences, corpus.n_tokens, corpus.counts.tolist()) == (4, 6, [2, 2])


def test_two_iterators_over_one_file(monkeypatch):
    """Two iterators over ids in a temporary file are independent of each other."""
    monkeypatch.setattr("gensim_wordrank.text.tokens.CHUNK_SIZE", 10)
    sentences = [[f"w{i}", "a", "b"] for i in range(100)]
    corpus = read(sentences, max_bytes=0)
    assert list(zip(corpus, corpus, strict=True)) == [(sentence, sentence) for sentence in sentences]


def test_empty_list_of_files_and_zero_workers():
    """The error names the parameter."""
    with pytest.raises(ValueError, match="'corpus_file' must be a text, or a list of at least one"):
        Cooccurrence.from_corpus(corpus_file=[])
    with pytest.raises(ValueError, match="'corpus_file' must be a text, or a list of at least one"):
        WordRank(corpus_file=[])
    with pytest.raises(ValueError, match="'workers' must be a positive integer"):
        read([["a"]], workers=0)


def test_ids_in_order_of_appearance():
    """Without a vocabulary, words are numbered as they appear; `reindex` gives the ids of another vocabulary."""
    sentences = [["b", "a", "b"], ["c"], ["a"]]
    corpus = read(iter(sentences))
    assert (corpus.words, corpus.counts.tolist(), ids_of(corpus)) == (
        ["b", "a", "c"],
        [2, 2, 1],
        [-1, 0, 1, 0, -1, 2, -1, 1, -1],
    )
    known = {"a": 0, "b": 1}
    later, direct = corpus.reindex(known), read(sentences, vocabulary=known)
    assert ids_of(later) == ids_of(direct)
    assert later.counts.tolist() == direct.counts.tolist()
    assert list(corpus) == sentences


@given(
    parts=st.lists(st.one_of(st.sampled_from(SPACES), st.sampled_from(["a", "bb", "é", "日本", "\u200b", "x" * 40])))
)
@settings(max_examples=300, deadline=None)
def test_files_are_split_as_by_line_sentence(parts, tmp_path_factory):
    """Words, lines and counts equal those of gensim's LineSentence, for any Unicode white space."""
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes("".join(parts).encode())
    from_file, from_sentences = read(corpus_file=path), read(LineSentence(str(path)))
    assert from_file.words == from_sentences.words
    assert (from_file.n_tokens, from_file.n_sentences) == (from_sentences.n_tokens, from_sentences.n_sentences)
    assert [sentence for sentence in from_file if sentence] == list(from_sentences)


@pytest.fixture
def ragged(tmp_path, monkeypatch):
    """A text of long and short lines, with limits that cut it into many shards and sentences."""
    random = np.random.default_rng(3)
    lines = [" ".join(map(str, random.integers(0, 300, n))) for n in random.integers(0, 90, 400)]
    path = tmp_path / "ragged.txt"
    path.write_text("\n".join(lines))
    monkeypatch.setattr(tokens, "SHARD_BYTES", 1000)
    monkeypatch.setattr(tokens, "MAX_SENTENCE_LENGTH", 40)
    return path


def test_shards_and_workers_do_not_change_the_text(ragged):
    """Words, ids and sentence boundaries do not depend on shards, long lines or the number of workers."""
    expected = read(LineSentence(str(ragged), max_sentence_length=40))
    for workers in (1, 2, 5):
        corpus = read(corpus_file=ragged, workers=workers)
        assert corpus.words == expected.words
        assert [sentence for sentence in corpus if sentence] == list(expected)
        assert corpus.n_sentences == expected.n_sentences
    with ragged.open("rb") as file:
        assert list(read(corpus_file=file, workers=2)) == list(corpus)


def test_file_with_a_single_line(tmp_path, monkeypatch):
    """A file without line breaks, like text8, is read in shards and cut into sentences."""
    words = [str(i % 97) for i in range(5000)]
    path = tmp_path / "line.txt"
    path.write_text(" ".join(words))
    monkeypatch.setattr(tokens, "SHARD_BYTES", 500)
    monkeypatch.setattr(tokens, "MAX_SENTENCE_LENGTH", 1000)
    assert list(read(corpus_file=path, workers=2)) == [words[i : i + 1000] for i in range(0, 5000, 1000)]


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_compressed_files(ragged, suffix, compress):
    """Compressed files give the same text; a truncated one is an error that names the file."""
    if suffix not in smart_open.compression.get_supported_extensions():
        pytest.skip(f"this version of smart_open does not decompress {suffix}")
    packed = ragged.with_suffix(suffix)
    packed.write_bytes(compress(ragged.read_bytes()))
    assert list(read(corpus_file=packed, workers=2)) == list(read(corpus_file=ragged))
    packed.write_bytes(compress(ragged.read_bytes())[:-20])
    with pytest.raises(OSError, match=f"{packed.name}' is damaged or cut off"):
        read(corpus_file=packed, workers=2)


def test_text_that_is_not_utf8(tmp_path):
    """The error names the file and shows the invalid bytes."""
    path = tmp_path / "latin1.txt"
    path.write_bytes("schöne grüße".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin1.txt' is not UTF-8 near .*sch\\xf6ne.*Convert it"):
        read(corpus_file=path)


def test_file_that_becomes_shorter(ragged, monkeypatch):
    """A file that becomes shorter while it is read is an error."""
    cuts = list(tokens._shard_offsets(ragged))
    monkeypatch.setattr(tokens, "_shard_offsets", lambda path: iter([*cuts, cuts[-1] + 10]))
    with pytest.raises(OSError, match="became shorter"):
        read(corpus_file=ragged)


def test_file_opened_in_text_mode():
    """The error says to open the file in binary mode."""
    with pytest.raises(TypeError, match="'corpus_file' is a file opened in text mode.*'rb'"):
        read(corpus_file=io.StringIO("a b"))


@pytest.mark.parametrize("max_bytes", [0, 100, 4000])
def test_ids_in_a_temporary_file(ragged, max_bytes, tmp_path):
    """If memory is short, ids are stored in a temporary file that has no name in the directory."""
    place = tmp_path / "scratch"
    place.mkdir()
    expected = read(corpus_file=ragged)
    corpus = read(corpus_file=ragged, max_bytes=max_bytes, directory=str(place))
    assert corpus.token_ids.as_array() is None
    assert ids_of(corpus) == ids_of(expected)
    known = {word: i for i, word in enumerate(corpus.words[:50])}
    assert ids_of(corpus.reindex(known)) == ids_of(expected.reindex(known))
    assert list(place.iterdir()) == []


@given(
    lengths=st.lists(st.integers(0, 30), max_size=40),
    max_size=st.integers(1, 100),
    max_bytes=st.sampled_from([0, 1 << 20]),
)
@settings(max_examples=100, deadline=None)
def test_segments_are_whole_sentences(lengths, max_size, max_bytes):
    """Segments begin and end at sentence boundaries, add up to the text, and are not longer than necessary."""
    token_ids = read([["w"] * n for n in lengths], max_bytes=max_bytes).token_ids
    segments = [segment.tolist() for segment in token_ids.segments(max_size)]
    assert all(segment[0] == segment[-1] == -1 for segment in segments)
    whole = [-1, *(i for segment in segments for i in segment[1:])]
    assert whole == np.concatenate(list(token_ids.chunks())).tolist()
    longest = max(lengths, default=0) + 2
    assert all(len(segment) <= max(max_size, longest) for segment in segments)


@pytest.mark.parametrize("sentence", ["a plain string", b"bytes"])
def test_sentence_that_is_a_string(sentence):
    """A sentence must be a list of words, not a string or bytes."""
    with pytest.raises(TypeError, match="plain string .*Split each sentence"):
        list(validate_sentences([["fine"], sentence]))


def test_bags_of_words():
    """Bags of words are an error: pairs of an id and a number."""
    for pair in ((0, 1), (5, 2.5), (np.int64(5), np.float32(1))):
        with pytest.raises(TypeError, match="bag of words .*token lists"):
            list(validate_sentences([[pair]]))


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        (("a", "b"), ["a", "b"]),
        ({1: "a", 2: "b"}.values(), ["a", "b"]),
        ({"a": 1, "b": 2}, ["a", "b"]),
        (frozenset("a"), ["a"]),
        (deque("ab"), ["a", "b"]),
        (np.array(["a", "b"]), ["a", "b"]),
        (range(2), [0, 1]),
        (map(str.lower, "AB"), ["a", "b"]),
        ([("a", "b"), ("a", 1), (1, 2, 3), ("a",)], [("a", "b"), ("a", 1), (1, 2, 3), ("a",)]),
        ((), []),
    ],
    ids=lambda value: type(value).__name__,
)
def test_sentences_of_any_kind(sentence, words):
    """A sentence is any iterable of hashable words, also of tuples."""
    assert list(read([sentence])) == [words]


def test_sentence_that_is_a_sized_iterator():
    """No word of it is lost, and it is read once."""

    class Document:
        def __init__(self, words):
            self.words, self.remaining = words, iter(words)

        def __len__(self):
            return len(self.words)

        def __iter__(self):
            return self

        def __next__(self):
            return next(self.remaining)

    assert list(read([Document(["a", "b"]), Document([])])) == [["a", "b"], []]


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        (None, "Sentence 1, counted from 0, is None"),
        (7, "is 7"),
        ([["nested"]], r"hashable, .*Got the sentence \[\['nested'"),
    ],
)
def test_sentences_without_words(sentence, message):
    """The error says which sentence it is."""
    with pytest.raises(TypeError, match=message):
        read([["fine"], sentence])


@pytest.mark.parametrize("path", ["text.txt", b"text.txt", Path("text.txt")])
def test_path_instead_of_sentences(path):
    """The error names the parameter for files."""
    with pytest.raises(TypeError, match="text.txt.* instead. To read a file, pass its name as 'corpus_file'"):
        validate_source(path, None)


def test_texts_of_gensim_corpora(tmp_path):
    """Corpora with `get_texts` are read through it: iterating over them would give bags of words."""
    (tmp_path / "texts").write_text("human interface the\nsurvey in\n")
    assert list(validate_sentences(TextCorpus(str(tmp_path / "texts")))) == [
        ["human", "interface"], ["survey"],
    ]  # fmt: skip
    with_metadata = TextCorpus(str(tmp_path / "texts"), metadata=True)  # a pair per text
    assert list(validate_sentences(with_metadata)) == [["human", "interface"], ["survey"]]


def test_training_on_gensim_corpora(tmp_path):
    """The constructor, build_vocab and train read whatever has `get_texts`, also without an iterator."""

    class Texts:
        def get_texts(self):
            yield from [["a", "b"], ["b", "c"]]

    options = {"vector_size": 2, "min_count": 1, "epochs": 1}
    for limit in (None, 100):
        model = WordRank(Texts(), max_vocab_size=limit, **options)
        assert model.wv.index_to_key == ["b", "c", "a"]
    later = WordRank(**options)
    later.build_vocab(Texts())
    later.train(Texts(), total_examples=later.corpus_count, epochs=1)
    assert later.wv.vectors.tobytes() == model.wv.vectors.tobytes()
    directory = tmp_path / "texts"
    directory.mkdir()
    (directory / "one.txt").write_text("human interface\nhuman survey\n")
    assert set(WordRank(TextDirectoryCorpus(str(directory)), **options).wv.index_to_key) == {
        "human", "interface", "survey",
    }  # fmt: skip


def test_one_compressed_file(tmp_path):
    """A compressed file trains as a list of it, and as the text itself."""
    (tmp_path / "text").write_text("a b c\nb c\n" * 9)
    (tmp_path / "text.gz").write_bytes(gzip.compress((tmp_path / "text").read_bytes()))
    sources = [tmp_path / "text", tmp_path / "text.gz", str(tmp_path / "text.gz"), [str(tmp_path / "text.gz")]]
    assert len({WordRank(corpus_file=each, vector_size=2, epochs=1).wv.vectors.tobytes() for each in sources}) == 1


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abc")), max_size=30), st.randoms())
def test_digest_of_shuffled_sentences(sentences, random):
    """Texts are the same if and only if their nonempty sentences are, in any order."""
    vocabulary = {"a": 0, "b": 1, "c": 2}
    shuffled = [*sentences, []]
    random.shuffle(shuffled)
    one, other = (read(text, vocabulary=vocabulary).digest() for text in (sentences, shuffled))
    assert is_same_text(one, other)
    for changed in ([*sentences, ["a"]], [sentence[::-1] for sentence in sentences]):
        digest = read(changed, vocabulary=vocabulary).digest()
        assert is_same_text(one, digest) == (sorted(filter(None, sentences)) == sorted(filter(None, changed)))


def test_iterators_are_rejected():
    """Iterators can be read only once and are an error; lists and restartable objects are accepted."""
    for one_shot in ((sentence for sentence in [["a"]]), iter([["a"]]), map(list, ["ab"])):
        with pytest.raises(TypeError, match="can be read only once; .*Pass a list"):
            validate_source(one_shot, None, passes=2)
    validate_source([["a"]], None, passes=2)


def test_byte_order_mark(tmp_path):
    """A byte order mark is no part of a word, at the beginning of a file or where a file was appended to another."""
    text = tmp_path / "text.txt"
    text.write_bytes(b"\xef\xbb\xbfthe cat\n\xef\xbb\xbfthe dog\n")
    found = read(corpus_file=text)
    assert found.words == ["the", "cat", "dog"]
    assert found.counts.tolist() == [2, 1, 1]
