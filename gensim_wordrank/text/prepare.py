"""Raw text into text to train on: the paper's way, or that of the text8 corpus."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import smart_open

from gensim_wordrank._utils import atomic_files
from gensim_wordrank.text import tokens

# what the paper keeps, in tokens
SHORTEST, LONGEST = 3, 500
# bytes after which a line ends a paragraph even if it goes on, so that memory is bounded
LONGEST_LINE = tokens.SHARD

# marks that may end a sentence, with what closes behind them, before a word; \u2018 and \u2019 are single quotes
_END = re.compile(r"(?<![.!?…])([.!?…]+)[\"'”\u2019»)\]]*\s+(?=[\"'“\u2018«(\[]*(\w))")
# the word that a full stop ends, dots within it included
_LAST_WORD = re.compile(r"[\w.]*$")
# as long as the longest abbreviation, and a character before it
_LOOK_BACK = 8
# words whose full stop ends no sentence, as a name, or a number, belongs to them
_BEFORE_NAMES = re.compile(
    "mr|mrs|ms|messrs|dr|prof|st|mt|gen|col|maj|capt|cmdr|lt|sgt|sen|rep|gov|pres|rev|hon|fr|vs|cf|viz"
)
_BEFORE_NUMBERS = re.compile("no|nos|vol|fig|figs|pp|ca|approx|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec")
# runs of letters and digits; as the Penn Treebank has it, "don't" is do and n't
_TOKEN = re.compile(r"[^\W_]+?(?=n['\u2019]t\b)|n['\u2019]t\b|[^\W_]+", re.IGNORECASE)
_APOSTROPHES = str.maketrans("", "", "'\u2019")

_LETTERS = bytes(range(ord("a"), ord("z") + 1))
_DIGITS = dict(zip(b"0123456789", b"zero one two three four five six seven eight nine".split(), strict=True))
# capitals to small letters, small letters and digits as they are, every other byte a space
_TEXT8 = bytes(byte if byte in _LETTERS or byte in _DIGITS else ord(" ") for byte in bytes(range(256)).lower())


@dataclass(frozen=True)
class Prepared:
    """How much was written, and how many sentences were too short or too long."""

    lines: int
    tokens: int
    left_out: int


def prepare(sources: Iterable[Any], output: str | os.PathLike[str], *, text8: bool = False) -> Prepared:
    """Write texts as one text to train on, by whole lines, and only when all of it is done.

    By default as the paper describes: paragraphs are split into sentences and these into words, in lower case, without
    punctuation and words that are not ASCII; sentences of 3 to 500 words are kept, one a line.

    Parameters
    ----------
    sources : iterable of path, address or binary file
        Texts with a paragraph a line, in UTF-8, compressed or not; one over 2 MB is cut.
    output : str or path
        The file to write; compressed if its name says so, as .gz.
    text8 : bool
        Prepare as text8 was: letters a to z and single spaces, digits spelled out, a paragraph a line.

    Examples
    --------
    >>> import io, os, tempfile
    >>> from pathlib import Path
    >>> from gensim_wordrank.text.prepare import prepare
    >>> text = Path(tempfile.mkdtemp(), "text.txt")
    >>> prepare([io.BytesIO(b"Dr. Who didn't land in 1963. He flew! Daleks saw it, too.")], text)
    Prepared(lines=2, tokens=11, left_out=1)
    >>> print(text.read_text(), end="")
    dr who did nt land in 1963
    daleks saw it too
    >>> prepare([text], text.with_name("text8.txt"), text8=True)
    Prepared(lines=2, tokens=14, left_out=0)
    >>> print(text.with_name("text8.txt").read_text(), end="")
    dr who did nt land in one nine six three
    daleks saw it too
    """
    lines = n_tokens = left_out = 0

    def write(name: str) -> None:
        nonlocal lines, n_tokens, left_out
        with smart_open.open(name, "wb") as file:
            for source in sources:
                for sentence in _text8_lines(source) if text8 else _sentences_of(source):
                    if text8 or SHORTEST <= len(sentence) <= LONGEST:
                        lines, n_tokens = lines + 1, n_tokens + len(sentence)
                        file.write(b" ".join(sentence) + b"\n")
                    else:
                        left_out += 1

    atomic_files.write_atomically(output, write)
    return Prepared(lines, n_tokens, left_out)


def sentences(paragraph: str) -> list[str]:
    """Split a paragraph where a mark that ends sentences is followed by a space and a capital or a digit.

    The full stop of a single letter, or of an abbreviation that a name or a number follows, ends no sentence.

    Examples
    --------
    >>> from gensim_wordrank.text.prepare import sentences
    >>> sentences('He met J. R. Smith (b. 1900) in St. Louis. "Really?" No. 5 lives... in the U.S. Army. Why?')
    ['He met J. R. Smith (b. 1900) in St. Louis.', '"Really?"', 'No. 5 lives... in the U.S. Army.', 'Why?']
    """
    found, start = [], 0
    for match in _END.finditer(paragraph):
        if _ends_sentence(paragraph, match):
            found.append(paragraph[start : match.end()].rstrip())
            start = match.end()
    return [*found, paragraph[start:]] if paragraph[start:].strip() else found


def _ends_sentence(paragraph: str, match: re.Match[str]) -> bool:
    """Whether the marks that were found end a sentence."""
    marks, following = match.groups()
    if not (following.isupper() or following.isdigit()):
        return False
    word = _LAST_WORD.search(paragraph, max(match.start() - _LOOK_BACK, 0), match.start())
    last = word[0].lower() if word else ""
    is_initial = last[-1:].isalpha() and last[-2:-1] in ("", ".")
    abbreviations = _BEFORE_NUMBERS if following.isdigit() else _BEFORE_NAMES
    return marks != "." or not (is_initial or abbreviations.fullmatch(last))


def words(sentence: str) -> list[str]:
    """Return the words of a sentence in lower case, without punctuation; those that are not ASCII are left out.

    Examples
    --------
    >>> from gensim_wordrank.text.prepare import words
    >>> words("They don't like John's café; it's 20-odd miles away (U.S.).")
    ['they', 'do', 'nt', 'like', 'john', 's', 'it', 's', '20', 'odd', 'miles', 'away', 'u', 's']
    """
    composed = sentence if sentence.isascii() else unicodedata.normalize("NFC", sentence)  # é as one letter
    tokens = (token.translate(_APOSTROPHES) for token in _TOKEN.findall(composed))
    return [token.lower() for token in tokens if token.isascii()]


def _sentences_of(source: Any) -> Iterator[list[bytes]]:
    """Yield the words of each sentence of a text."""
    for paragraph in _paragraphs(source):
        with atomic_files.reading(source):
            text = paragraph.decode("utf-8")
        for sentence in sentences(text):
            yield [word.encode("ascii") for word in words(sentence)]


def _text8_lines(source: Any) -> Iterator[list[bytes]]:
    """Yield the words of each paragraph that has any, as text8 has them."""
    for paragraph in _paragraphs(source):
        letters = paragraph.translate(_TEXT8)
        for digit, name in _DIGITS.items():
            letters = letters.replace(bytes([digit]), b" %b " % name)
        if found := letters.split():
            yield found


def _paragraphs(source: Any) -> Iterator[bytes]:
    """Yield the lines of a text; one that is very long in pieces, cut between words."""
    rest = b""
    for shard in tokens.stream(source):
        *lines, rest = (rest + shard).split(b"\n")
        yield from lines
        if len(rest) > LONGEST_LINE:
            yield rest
            rest = b""
    yield rest
