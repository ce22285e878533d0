"""Sets that word vectors are tested on: pairs of words with ratings of their similarity, and analogies."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import smart_open
from gensim.test.utils import datapath
from numpy.typing import NDArray

from gensim_wordrank._utils import atomic_files

# what the paper calls semantic and syntactic, by the names of sections in Google's set and of files in BATS
SYNTACTIC = ("gram", "syntactic", "i0", "i1", "d0", "d1")


@dataclass(frozen=True)
class SimilaritySet:
    """Pairs of words, and how similar people find them."""

    name: str
    pairs: list[tuple[str, str]]
    ratings: NDArray[np.float64]


@dataclass(frozen=True)
class AnalogySet:
    """Questions "a is to b as c is to ...?" with all the answers that count as right, and the section of each."""

    name: str
    questions: list[tuple[str, str, str]]
    answers: list[tuple[str, ...]]
    sections: list[str]

    def is_syntactic(self) -> NDArray[np.bool_]:
        """Tell the syntactic questions from the semantic ones; a set without sections (MSR) is syntactic."""
        return np.array([not section or section.lower().startswith(SYNTACTIC) for section in self.sections], bool)


def read_similarity(path: str | os.PathLike[str]) -> SimilaritySet:
    """Read lines of two words and a rating, separated by tabs, commas, semicolons or spaces.

    A line that begins with #, and a first line without a rating, are passed over.

    Examples
    --------
    >>> from gensim.test.utils import datapath
    >>> from gensim_wordrank.evaluation.testsets import read_similarity
    >>> wordsim = read_similarity(datapath("wordsim353.tsv"))
    >>> wordsim.name, len(wordsim.pairs), wordsim.pairs[0], wordsim.ratings[0].item()
    ('wordsim353', 353, ('love', 'sex'), 6.77)
    """
    pairs, ratings = [], []
    for place, (number, line) in enumerate(_lines(path)):
        fields = _fields(line)
        try:
            rating = float(fields[2])
            if not math.isfinite(rating):
                raise ValueError
        except (IndexError, ValueError):
            if place == 0:  # names of the columns
                continue
            raise ValueError(f"Line {number} of '{path}' must hold two words and a number. Got {line!r}.") from None
        pairs.append((fields[0], fields[1]))
        ratings.append(rating)
    if not pairs:
        raise ValueError(f"'{path}' holds no pairs of words.")
    return SimilaritySet(_name(path), pairs, np.array(ratings))


def _fields(line: str) -> list[str]:
    """Split a line at tabs, commas, semicolons or else white space."""
    separator = next((mark for mark in "\t,;" if mark in line), None)
    return [field.strip().strip('"') for field in line.split(separator)]


def _is_analogies(lines: Sequence[str]) -> bool:
    """Say whether a file that begins so holds analogies: sections, or four words a line and no rating."""
    for line in lines:
        fields = _fields(line)
        if line.startswith(":"):
            return True
        if len(fields) == 3 or len(line.split()) != 4 or any(_is_number(field) for field in fields[2:]):
            return False
    return bool(lines)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_analogies(path: str | os.PathLike[str]) -> AnalogySet:
    """Read lines of four words, in sections that begin with a line ": name", as Google's set, or without, as MSR's.

    A directory is read as BATS: files of lines "word, tab, answers separated by /", every two lines a question.

    Examples
    --------
    >>> from gensim.test.utils import datapath
    >>> from gensim_wordrank.evaluation.testsets import read_analogies
    >>> google = read_analogies(datapath("questions-words.txt"))
    >>> google.questions[0], google.answers[0], google.sections[0]
    (('Athens', 'Greece', 'Baghdad'), ('Iraq',), 'capital-common-countries')
    """
    if Path(path).is_dir():
        return _read_bats(Path(path))
    result = AnalogySet(_name(path), [], [], [])
    section = ""
    for number, line in _lines(path):
        if line.startswith(":"):
            section = line[1:].strip()
            continue
        words = line.split()
        if len(words) != 4:
            raise ValueError(f"Line {number} of '{path}' must hold four words. Got {line!r}.")
        result.questions.append((words[0], words[1], words[2]))
        result.answers.append((words[3],))
        result.sections.append(section)
    if not result.questions:
        raise ValueError(f"'{path}' holds no questions.")
    return result


def _read_bats(directory: Path) -> AnalogySet:
    result = AnalogySet(directory.name, [], [], [])
    for file in sorted(directory.rglob("*.txt")):
        lines = [line.split(maxsplit=1) for _, line in _lines(file)]
        entries = [(fields[0], tuple(fields[1].split("/"))) for fields in lines if len(fields) == 2]
        for a, of_a in entries:
            for c, of_c in entries:
                if a != c:
                    result.questions.append((a, of_a[0], c))
                    result.answers.append(of_c)
                    result.sections.append(file.stem)
    if not result.questions:
        raise ValueError(f"'{directory}' holds no files of words and answers.")
    return result


def shipped() -> list[SimilaritySet | AnalogySet]:
    """Return the sets that come with gensim: WordSim-353, SimLex-999 and Google's analogies."""
    similarity = [read_similarity(datapath(name)) for name in ("wordsim353.tsv", "simlex999.txt")]
    return [*similarity, read_analogies(datapath("questions-words.txt"))]


def in_directory(path: str | os.PathLike[str]) -> list[SimilaritySet | AnalogySet]:
    """Read all sets in a directory; a file whose first lines have four words or begin with ":" holds analogies."""
    found: list[SimilaritySet | AnalogySet] = []
    for entry in sorted(Path(path).iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            found.append(read_analogies(entry))
        elif entry.is_file():
            first = [line for _, line in islice(_lines(entry), 2)]  # the first may name columns
            found.append(read_analogies(entry) if _is_analogies(first) else read_similarity(entry))
    if not found:
        raise FileNotFoundError(f"'{path}' holds no test sets.")
    return found


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Yield the numbers and texts of lines that are neither empty nor comments."""
    with atomic_files.describe_read_errors(path), smart_open.open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                yield number, line.strip()


def _name(path: str | os.PathLike[str]) -> str:
    return Path(path).name.split(".")[0]
