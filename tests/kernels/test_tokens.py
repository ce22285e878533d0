"""The tokenizer against Python's str.split()."""

import time

import numpy as np
from gensim_wordrank import _tokens
from hypothesis import given, settings
from hypothesis import strategies as st


@given(text=st.text(st.characters(codec="utf-8"), max_size=300))
@settings(max_examples=500, deadline=None)
def test_words_equal_those_of_str_split(text):
    """Any Unicode text is split as str.split() does; line feeds become -1."""
    ids, words = _tokens.tokenize(text.encode())
    words = words.decode().split("\n") if words else []
    expected = []
    for number, line in enumerate(text.split("\n")):
        expected += [None] * bool(number) + line.split()
    assert [None if i < 0 else words[i] for i in ids.tolist()] == expected
    assert len(set(words)) == len(words)


@given(text=st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_invalid_utf8_loses_no_bytes(text):
    """Any bytes, also invalid UTF-8 at the end, are read within bounds and returned except for white space."""
    ids, words = _tokens.tokenize(text)
    words = words.split(b"\n") if words else []
    whole = b"".join(words[i] for i in ids.tolist() if i >= 0)
    spaces = [" ", *map(chr, [*range(9, 14), *range(28, 32), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)])]
    spaces += [chr(code) for code in (0x2028, 0x2029, 0x202F, 0x205F, 0x3000)]
    for space in sorted((space.encode() for space in spaces), key=len, reverse=True):
        whole, text = whole.replace(space, b""), text.replace(space, b"")
    assert whole == text


def test_ids_survive_growth_of_the_hash_table():
    """Ids stay correct while the hash table grows."""
    names = [f"w{i * 7919 % 100_003}" for i in range(100_003)]
    ids, words = _tokens.tokenize(" ".join(names + names[::-1]).encode())
    assert words.decode().split("\n") == names
    np.testing.assert_array_equal(ids, [*range(100_003), *range(100_002, -1, -1)])


def test_no_words_are_known_to_collide():
    """Words that have neighbouring slots under a hash without a key take no longer than others."""
    random, letters = np.random.default_rng(0), np.frombuffer(b"abcdefghijklmnopqrstuvwxyz0123456789", np.uint8)
    words = letters[random.integers(36, size=(1_200_000, 10))]
    hashes = np.full(len(words), 0xCBF29CE484222325, np.uint64)  # FNV-1a
    for i in range(words.shape[1]):
        hashes = (hashes ^ words[:, i]) * np.uint64(0x100000001B3)
    hashes = (hashes ^ hashes >> np.uint64(32)) & np.uint64(2**15 - 1)
    colliding = words[hashes < 256][:8000]
    seconds = [min(timed(words) for _ in range(5)) for words in (colliding, words[: len(colliding)])]
    assert len(colliding) == 8000
    assert seconds[0] < 10 * seconds[1]


def timed(words):
    """Return the seconds that a text of these words takes; Windows measures those of a process in steps of 16 ms."""
    text, started = b" ".join(map(bytes, words)), time.perf_counter()
    assert len(_tokens.tokenize(text)[0]) == len(words)
    return time.perf_counter() - started
