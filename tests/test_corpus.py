"""Sentences in, ids out."""

import gzip
import io
import lzma

import numpy as np
import pytest
from gensim.models.word2vec import LineSentence
from gensim_wordrank import Cooccurrence, WordRank
from gensim_wordrank.text import tokens
from gensim_wordrank.text.corpus import read, validate_sentences, validate_source
from hypothesis import given, settings
from hypothesis import strategies as st

SPACES = [" ", "  ", "\t", "\n", "\n\n", "\r\n", "\x0b", "\x1c", "\x85", "\xa0", "\u1680", "\u2003", "\u2028", "\u3000"]


def ids_of(corpus):
    """The ids of a text as a list."""
    return np.concatenate(list(corpus.token_ids.chunks())).tolist()


def test_unknown_words_are_left_out_and_sentences_kept_apart():
    """Neighbours of an unknown word move together; a border stays between sentences."""
    corpus = read([["a", "?", "b"], [], ["?"], ["b", "a"]], vocabulary={"a": 0, "b": 1})
    assert ids_of(corpus) == [-1, 0, 1, -1, -1, -1, 1, 0, -1]
    assert (corpus.n_sentences, corpus.n_tokens, corpus.counts.tolist()) == (4, 6, [2, 2])


def test_a_text_in_a_file_is_read_by_several_at_once(monkeypatch):
    """Each has its own place in it."""
    monkeypatch.setattr("gensim_wordrank.text.tokens.CHUNK_SIZE", 10)
    sentences = [[f"w{i}", "a", "b"] for i in range(100)]
    corpus = read(sentences, max_bytes=0)
    assert list(zip(corpus, corpus, strict=True)) == [(sentence, sentence) for sentence in sentences]


def test_no_texts_and_no_threads_are_refused():
    """Both are named."""
    with pytest.raises(ValueError, match="'corpus_file' must be a text, or a list of at least one"):
        Cooccurrence.from_corpus(corpus_file=[])
    with pytest.raises(ValueError, match="'corpus_file' must be a text, or a list of at least one"):
        WordRank(corpus_file=[])
    with pytest.raises(ValueError, match="'workers' must be a positive integer"):
        read([["a"]], workers=0)


def test_all_words_are_numbered_as_they_appear():
    """Without a vocabulary every word gets the next number; `over` a vocabulary gives what reading with it gives."""
    sentences = [["b", "a", "b"], ["c"], ["a"]]
    corpus = read(iter(sentences))
    assert (corpus.words, corpus.counts.tolist(), ids_of(corpus)) == (
        ["b", "a", "c"],
        [2, 2, 1],
        [-1, 0, 1, 0, -1, 2, -1, 1, -1],
    )
    known = {"a": 0, "b": 1}
    later, strata_per_batch = corpus.reindex(known), read(sentences, vocabulary=known)
    assert ids_of(later) == ids_of(strata_per_batch)
    assert later.counts.tolist() == strata_per_batch.counts.tolist()
    assert list(corpus) == sentences


@given(
    parts=st.lists(st.one_of(st.sampled_from(SPACES), st.sampled_from(["a", "bb", "é", "日本", "\u200b", "x" * 40])))
)
@settings(max_examples=300, deadline=None)
def test_files_are_read_as_linesentence_reads_them(parts, tmp_path_factory):
    """Words, lines and counts are those of gensim's LineSentence, with any white space of Unicode."""
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes("".join(parts).encode())
    from_file, from_sentences = read(corpus_file=path), read(LineSentence(str(path)))
    assert from_file.words == from_sentences.words
    assert (from_file.n_tokens, from_file.n_sentences) == (from_sentences.n_tokens, from_sentences.n_sentences)
    assert [sentence for sentence in from_file if sentence] == list(from_sentences)


@pytest.fixture
def ragged(tmp_path, monkeypatch):
    """A text of long and short lines, and limits that make many shards and cuts of it."""
    random = np.random.default_rng(3)
    lines = [" ".join(map(str, random.integers(0, 300, n))) for n in random.integers(0, 90, 400)]
    path = tmp_path / "ragged.txt"
    path.write_text("\n".join(lines))
    monkeypatch.setattr(tokens, "SHARD_BYTES", 1000)
    monkeypatch.setattr(tokens, "MAX_SENTENCE_LENGTH", 40)
    return path


def test_shards_and_threads_do_not_show(ragged):
    """Words, numbers and sentence borders are those of one reading, wherever shards and long lines are cut."""
    expected = read(LineSentence(str(ragged), max_sentence_length=40))
    for workers in (1, 2, 5):
        corpus = read(corpus_file=ragged, workers=workers)
        assert corpus.words == expected.words
        assert [sentence for sentence in corpus if sentence] == list(expected)
        assert corpus.n_sentences == expected.n_sentences
    with ragged.open("rb") as file:
        assert list(read(corpus_file=file, workers=2)) == list(corpus)


def test_one_endless_line_is_cut_into_shards(tmp_path, monkeypatch):
    """A file without line breaks, like text8, is still read in shards and cut into sentences."""
    words = [str(i % 97) for i in range(5000)]
    path = tmp_path / "line.txt"
    path.write_text(" ".join(words))
    monkeypatch.setattr(tokens, "SHARD_BYTES", 500)
    monkeypatch.setattr(tokens, "MAX_SENTENCE_LENGTH", 1000)
    assert list(read(corpus_file=path, workers=2)) == [words[i : i + 1000] for i in range(0, 5000, 1000)]


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_compressed_files_are_read_and_damaged_ones_named(ragged, suffix, compress):
    """smart_open's formats work; one that is cut off is an error that names the file, not a shorter text."""
    packed = ragged.with_suffix(suffix)
    packed.write_bytes(compress(ragged.read_bytes()))
    assert list(read(corpus_file=packed, workers=2)) == list(read(corpus_file=ragged))
    packed.write_bytes(compress(ragged.read_bytes())[:-20])
    with pytest.raises(OSError, match=f"{packed.name}' is damaged or cut off"):
        read(corpus_file=packed, workers=2)


def test_texts_that_are_not_utf8_are_named(tmp_path):
    """Bytes of another encoding are an error with the file and the place."""
    path = tmp_path / "latin1.txt"
    path.write_bytes("schöne grüße".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin1.txt' is not UTF-8 near .*sch\\xf6ne.*Convert it"):
        read(corpus_file=path)


def test_a_file_that_shrinks_is_an_error(ragged, monkeypatch):
    """A shard that is gone when its turn comes is not silently skipped."""
    cuts = list(tokens._shard_offsets(ragged))
    monkeypatch.setattr(tokens, "_shard_offsets", lambda path: iter([*cuts, cuts[-1] + 10]))
    with pytest.raises(OSError, match="became shorter"):
        read(corpus_file=ragged)


def test_files_opened_as_text_are_refused():
    """Decoded text cannot be cut into shards of bytes."""
    with pytest.raises(TypeError, match="'corpus_file' is a file opened in text mode.*'rb'"):
        read(corpus_file=io.StringIO("a b"))


@pytest.mark.parametrize("max_bytes", [0, 100, 4000])
def test_ids_go_to_a_file_when_memory_is_short(ragged, max_bytes, tmp_path):
    """The same text comes back from the temporary file, and nothing of it is left in the directory."""
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
    """Put together, segments are the text; each goes from border to border, and is not longer than need be."""
    token_ids = read([["w"] * n for n in lengths], max_bytes=max_bytes).token_ids
    segments = [segment.tolist() for segment in token_ids.segments(max_size)]
    assert all(segment[0] == segment[-1] == -1 for segment in segments)
    whole = [-1, *(i for segment in segments for i in segment[1:])]
    assert whole == np.concatenate(list(token_ids.chunks())).tolist()
    longest = max(lengths, default=0) + 2
    assert all(len(segment) <= max(max_size, longest) for segment in segments)


@pytest.mark.parametrize("sentence", ["a plain string", b"bytes"])
def test_strings_are_refused(sentence):
    """A sentence that is one string would train on its letters."""
    with pytest.raises(TypeError, match="plain string .*Split each sentence"):
        list(validate_sentences([["fine"], sentence]))


def test_bags_of_words_are_refused():
    """A bag or a set of words has no order to lay a window over."""
    with pytest.raises(TypeError, match="bag of words .*token lists"):
        list(validate_sentences([[(0, 1), (5, 2)]]))
    for unordered in ({"a", "b"}, frozenset("ab"), {"a": 1}):
        with pytest.raises(TypeError, match=f"Got a {type(unordered).__name__} instead, whose words have no order"):
            list(validate_sentences([unordered]))


def test_what_can_be_read_once_is_refused():
    """Generators and other iterators are named; lists and restartable objects pass."""
    for one_shot in ((sentence for sentence in [["a"]]), iter([["a"]]), map(list, ["ab"])):
        with pytest.raises(TypeError, match="can be read only once; .*Pass a list"):
            validate_source(one_shot, None, passes=2)
    validate_source([["a"]], None, passes=2)
