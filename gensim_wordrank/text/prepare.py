"""Convert raw text to training text, as in the paper or as in the text8 corpus."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import smart_open

from gensim_wordrank._utils import atomic_files
from gensim_wordrank.text import tokens

# length of the sentences that the paper keeps, in words
MIN_LENGTH, MAX_LENGTH = 3, 500
# longer lines are split, so that memory is bounded
MAX_LINE_BYTES = tokens.SHARD_BYTES

# punctuation that may end a sentence, with closing quotes and brackets, before a word; \u2018 \u2019: single quotes
_MARKS, _CLOSING, _OPENING = ".!?…؟\u06d4।॥", "\"'”“\u2019\u2018»«)\\]」』\uff09》", "\"'“\u2018«(\\[„「『\uff08《"
# the marks of Chinese and Japanese need no space after them
_WIDE_MARKS = "。｡\uff01\uff1f"
_END = re.compile(
    rf"(?<![{_MARKS}])([{_MARKS}]+)[{_CLOSING}]*\s+(?=[{_OPENING}]*(\w))|[{_WIDE_MARKS}][{_WIDE_MARKS}{_CLOSING}]*\s*"
)
# the word before a full stop, including dots within it
_LAST_WORD = re.compile(r"[\w.]*$")
# length of the longest abbreviation, plus one
_LOOK_BACK = 8
# abbreviations whose full stop does not end a sentence if a name, or a number, follows
_BEFORE_NAMES = re.compile(
    "mr|mrs|ms|messrs|dr|prof|st|mt|gen|col|maj|capt|cmdr|lt|sgt|sen|rep|gov|pres|rev|hon|fr|vs|cf|viz"
)
_BEFORE_NUMBERS = re.compile("no|nos|vol|fig|figs|pp|ca|approx|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec")
# sequences of letters and digits; "don't" is "do" and "n't", as in the Penn Treebank
_LETTER = r"[^\W_]"
_TOKEN = r"{letter}+?(?=n['\u2019]t\b)|n['\u2019]t\b|{letter}+"
_WORDS = re.compile(_TOKEN.format(letter=_LETTER), re.IGNORECASE)
# without width; they stand within words of Persian and of the languages of India
_JOINERS = "\u200c\u200d"
_APOSTROPHES = str.maketrans("", "", "'\u2019")

_LETTERS = bytes(range(ord("a"), ord("z") + 1))
_DIGITS = dict(zip(b"0123456789", b"zero one two three four five six seven eight nine".split(), strict=True))
# lower-cases letters, keeps digits, replaces every other byte with a space
_TEXT8 = bytes(byte if byte in _LETTERS or byte in _DIGITS else ord(" ") for byte in bytes(range(256)).lower())


@dataclass(frozen=True)
class PreparedText:
    """Number of lines and tokens written, and what was left out."""

    lines: int
    tokens: int
    skipped: int  # sentences that were too short or too long
    skipped_tokens: int = 0  # in these
    not_ascii: int = 0  # words that were removed because they have letters other than a to z


def prepare(
    sources: Iterable[Any], output: str | os.PathLike[str], *, ascii: bool = False, text8: bool = False
) -> PreparedText:
    """Convert texts to one training text, which is written atomically.

    Paragraphs are split into sentences, and these into lower-case words without punctuation. Sentences of 3 to 500
    words are kept, one per line. Languages that do not put spaces between words must be segmented before.

    Parameters
    ----------
    sources : iterable of path, URL or binary file
        UTF-8 texts with one paragraph per line, compressed or not; a line over 2 MB is split.
    output : str or path
        The file to write; compressed if its suffix says so, such as .gz.
    ascii : bool
        Remove words with letters other than a to z, as in the paper.
    text8 : bool
        Process the text like text8: letters a to z and single spaces, digits spelled out, one paragraph per line.

    Examples
    --------
    >>> import io, os, tempfile
    >>> from pathlib import Path
    >>> from gensim_wordrank.text.prepare import prepare
    >>> text = Path(tempfile.mkdtemp(), "text.txt")
    >>> prepare([io.BytesIO(b"Dr. Who didn't land in 1963. He flew! Daleks saw it, too.")], text)
    PreparedText(lines=2, tokens=11, skipped=1, skipped_tokens=2, not_ascii=0)
    >>> print(text.read_text(), end="")
    dr who did nt land in 1963
    daleks saw it too
    >>> prepare([text], text.with_name("text8.txt"), text8=True)
    PreparedText(lines=2, tokens=14, skipped=0, skipped_tokens=0, not_ascii=0)
    >>> print(text.with_name("text8.txt").read_text(), end="")
    dr who did nt land in one nine six three
    daleks saw it too
    """
    sources = list(sources)
    atomic_files.require_other_file(output, sources)
    lines = n_tokens = skipped = skipped_tokens = not_ascii = 0

    def write(name: str) -> None:
        nonlocal lines, n_tokens, skipped, skipped_tokens, not_ascii
        with smart_open.open(name, "wb") as file:
            for source in sources:
                for sentence in _text8_lines(source) if text8 else _tokenize(source):
                    kept = [word for word in sentence if word.isascii()] if ascii else sentence
                    not_ascii += len(sentence) - len(kept)
                    if text8 or MIN_LENGTH <= len(kept) <= MAX_LENGTH:
                        lines, n_tokens = lines + 1, n_tokens + len(kept)
                        file.write(b" ".join(kept) + b"\n")
                    else:
                        skipped, skipped_tokens = skipped + 1, skipped_tokens + len(kept)

    atomic_files.write_atomically(output, write)
    return PreparedText(lines, n_tokens, skipped, skipped_tokens, not_ascii)


def split_sentences(paragraph: str) -> list[str]:
    """Split a paragraph after sentence-ending punctuation that is followed by a space and a capital or a digit.

    In scripts without capitals, any letter may follow, and the marks of Chinese and Japanese need no space. The full
    stop of an initial, or of an abbreviation before a name or a number, does not end a sentence.

    Examples
    --------
    >>> from gensim_wordrank.text.prepare import split_sentences
    >>> split_sentences('He met J. R. Smith (b. 1900) in St. Louis. "Really?" No. 5 lives... in the U.S. Army. Why?')
    ['He met J. R. Smith (b. 1900) in St. Louis.', '"Really?"', 'No. 5 lives... in the U.S. Army.', 'Why?']
    """
    found, start = [], 0
    for match in _END.finditer(paragraph):
        if _ends_sentence(paragraph, match):
            found.append(paragraph[start : match.end()].rstrip())
            start = match.end()
    return [*found, paragraph[start:]] if paragraph[start:].strip() else found


def _ends_sentence(paragraph: str, match: re.Match[str]) -> bool:
    """Return True if the matched punctuation ends a sentence."""
    marks, following = match.groups()
    if marks is None:  # those of Chinese and Japanese end nothing else
        return True
    if not following.isalnum() or following.islower():
        return False
    word = _LAST_WORD.search(paragraph, max(match.start() - _LOOK_BACK, 0), match.start())
    last = word[0].lower() if word else ""
    is_initial = last[-1:].isalpha() and last[-2:-1] in ("", ".")
    abbreviations = _BEFORE_NUMBERS if following.isdigit() else _BEFORE_NAMES
    return marks != "." or not (is_initial or abbreviations.fullmatch(last))


def split_words(sentence: str) -> list[str]:
    """Return the lower-case words of a sentence, in any script, without punctuation.

    Examples
    --------
    >>> from gensim_wordrank.text.prepare import split_words
    >>> split_words("They don't like John's café; it's 20-odd miles away (U.S.).")
    ['they', 'do', 'nt', 'like', 'john', 's', 'café', 'it', 's', '20', 'odd', 'miles', 'away', 'u', 's']
    """
    if sentence.isascii():
        words = _WORDS
    else:
        sentence = unicodedata.normalize("NFC", sentence)  # é as one letter
        marks, words_with_marks = _marks()
        words = _WORDS if marks.isdisjoint(sentence) else words_with_marks
    return [token.translate(_APOSTROPHES).lower() for token in words.findall(sentence)]


@cache
def _marks() -> tuple[frozenset[str], re.Pattern[str]]:
    """Return all marks, such as vowel signs, and the pattern of words in which marks belong to letters."""
    characters = map(chr, range(sys.maxunicode + 1))
    marks = _JOINERS + "".join(each for each in characters if unicodedata.category(each).startswith("M"))
    letter = f"(?:{_LETTER}[{marks}]*)"
    return frozenset(marks), re.compile(_TOKEN.format(letter=letter), re.IGNORECASE)


def _tokenize(source: Any) -> Iterator[list[bytes]]:
    """Yield the words of each sentence of a text."""
    for paragraph in _paragraphs(source):
        with atomic_files.describe_read_errors(source):
            text = paragraph.decode("utf-8")
        for sentence in split_sentences(text):
            yield [word.encode() for word in split_words(sentence)]


def _text8_lines(source: Any) -> Iterator[list[bytes]]:
    """Yield the words of each nonempty paragraph of a text, as in text8."""
    for paragraph in _paragraphs(source):
        letters = paragraph.translate(_TEXT8)
        for digit, name in _DIGITS.items():
            letters = letters.replace(bytes([digit]), b" %b " % name)
        if found := letters.split():
            yield found


def _paragraphs(source: Any) -> Iterator[bytes]:
    """Yield the lines of a text; very long ones are split between words."""
    rest = b""
    for shard in tokens.read_shards(source):
        *lines, rest = (rest + shard).split(b"\n")
        yield from lines
        if len(rest) > MAX_LINE_BYTES:
            yield rest
            rest = b""
    yield rest
