"""Read test sets: word pairs with similarity ratings, and analogies."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, permutations
from pathlib import Path

import numpy as np
import smart_open
from gensim.test.utils import datapath
from numpy.typing import NDArray

from gensim_wordrank._utils import atomic_files

# how the names of syntactic sections (Google) and files (BATS) begin
SYNTACTIC = ("gram", "syntactic", "i0", "i1", "d0", "d1")

# the number of questions of a file is the square of its lines
MAX_BATS_LINES = 500


@dataclass(frozen=True)
class SimilaritySet:
    """Word pairs and their human similarity ratings."""

    name: str
    pairs: list[tuple[str, str]]
    ratings: NDArray[np.float64]


@dataclass(frozen=True)
class AnalogySet:
    """Questions "a is to b as c is to ...?", with the accepted answers and the section of each."""

    name: str
    questions: list[tuple[str, str, str]]
    answers: list[tuple[str, ...]]
    sections: list[str]

    def is_syntactic(self) -> NDArray[np.bool_]:
        """Return which questions are syntactic. Questions without a section (MSR) count as syntactic."""
        return np.array([not section or section.lower().startswith(SYNTACTIC) for section in self.sections], bool)


def read_similarity(path: str | os.PathLike[str]) -> SimilaritySet:
    """Read word pairs: lines of two words and a rating, separated by tabs, commas, semicolons or spaces.

    Lines that begin with # and a header line are skipped.

    Examples
    --------
    >>> from gensim.test.utils import datapath
    >>> from gensim_wordrank.evaluation import read_similarity
    >>> wordsim = read_similarity(datapath("wordsim353.tsv"))
    >>> wordsim.name, len(wordsim.pairs), wordsim.pairs[0], wordsim.ratings[0].item()
    ('wordsim353', 353, ('love', 'sex'), 6.77)
    """
    pairs, ratings = [], []
    for position, (number, line) in enumerate(_lines(path)):
        fields = _fields(line)
        rating = _to_number(fields[2]) if len(fields) > 2 else math.nan
        if math.isfinite(rating):
            pairs.append((fields[0], fields[1]))
            ratings.append(rating)
        elif position > 0:  # the first line may be a header
            raise ValueError(f"Line {number} of '{path}' must hold two words and a number. Got {line!r}.")
    if not pairs:
        raise ValueError(f"'{path}' holds no word pairs.")
    return SimilaritySet(_name(path), pairs, np.array(ratings))


def _fields(line: str) -> list[str]:
    """Split a line at tabs, commas or semicolons, or else at white space."""
    separator = next((mark for mark in "\t,;" if mark in line), None)
    return [field.strip().strip('"') for field in line.split(separator)]


def _to_number(text: str) -> float:
    """Return a text as a number, or NaN."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def read_analogies(path: str | os.PathLike[str]) -> AnalogySet:
    """Read analogies: lines of four words, in sections that begin with ": name" (Google) or without sections (MSR).

    A directory is read as BATS: a line of a file has a word, a tab, and answers separated by "/". Any two lines of a
    file form a question.

    Examples
    --------
    >>> from gensim.test.utils import datapath
    >>> from gensim_wordrank.evaluation import read_analogies
    >>> google = read_analogies(datapath("questions-words.txt"))
    >>> google.questions[0], google.answers[0], google.sections[0]
    (('Athens', 'Greece', 'Baghdad'), ('Iraq',), 'capital-common-countries')
    """
    if Path(path).is_dir():
        return _read_bats(Path(path))
    analogies, section = [], ""
    for number, line in _lines(path):
        if line.startswith(":"):
            section = line[1:].strip()
            continue
        words = line.split()
        if len(words) != 4:
            raise ValueError(f"Line {number} of '{path}' must hold four words. Got {line!r}.")
        analogies.append(((words[0], words[1], words[2]), (words[3],), section))
    if not analogies:
        raise ValueError(f"'{path}' holds no questions.")
    return AnalogySet(_name(path), *map(list, zip(*analogies, strict=True)))


def _read_bats(directory: Path) -> AnalogySet:
    analogies = []
    for file in sorted(filter(Path.is_file, directory.rglob("*.txt"))):  # a pipe or a device could be read without end
        lines = [line.split(maxsplit=1) for _, line in _lines(file)]
        entries = [(fields[0], tuple(fields[1].split("/"))) for fields in lines if len(fields) == 2]
        if len(entries) > MAX_BATS_LINES:
            raise ValueError(
                f"'{file}' holds {len(entries)} lines; a file of BATS holds 50, and any two are a question."
            )
        for (a, (b, *_)), (c, answers) in permutations(entries, 2):
            if a != c:
                analogies.append(((a, b, c), answers, file.stem))
    if not analogies:
        raise ValueError(f"'{directory}' holds no files of words and answers.")
    return AnalogySet(directory.name, *map(list, zip(*analogies, strict=True)))


def bundled_sets() -> list[SimilaritySet | AnalogySet]:
    """Return the test sets that come with gensim: WordSim-353, SimLex-999 and Google's analogies."""
    similarity = [read_similarity(datapath(name)) for name in ("wordsim353.tsv", "simlex999.txt")]
    return [*similarity, read_analogies(datapath("questions-words.txt"))]


def read_directory(path: str | os.PathLike[str]) -> list[SimilaritySet | AnalogySet]:
    """Read all test sets in a directory. The first two lines of a file show whether it has analogies or word pairs."""
    sets: list[SimilaritySet | AnalogySet] = []
    for entry in sorted(Path(path).iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            sets.append(read_analogies(entry))
        elif entry.is_file():
            first_lines = [line for _, line in islice(_lines(entry), 2)]  # the first may be a header
            sets.append(read_analogies(entry) if _are_analogies(first_lines) else read_similarity(entry))
    if not sets:
        raise FileNotFoundError(f"'{path}' holds no test sets.")
    return sets


def _are_analogies(lines: Sequence[str]) -> bool:
    """Return True if the first lines of a file begin a section, or hold four words and no rating."""
    for line in lines:
        if line.startswith(":"):
            return True
        fields = _fields(line)
        if len(fields) == 3 or len(line.split()) != 4 or any(math.isfinite(_to_number(field)) for field in fields[2:]):
            return False
    return bool(lines)


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line that is neither empty nor a comment."""
    with atomic_files.describe_read_errors(path), smart_open.open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                yield number, line.strip()


def _name(path: str | os.PathLike[str]) -> str:
    return Path(path).name.split(".")[0]
