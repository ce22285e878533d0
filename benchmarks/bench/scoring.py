"""Score the vectors of a run on all test sets and on two tasks; keep the outcome of every item for paired comparisons.

Similarity is the cosine of u, analogies are answered by u + v, as in the paper. WordRank is scored as its users get its
vectors. All other trainers are scored in all STYLES, and the best one of each set counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors
from gensim_wordrank.evaluation import AnalogySet, analogies, read_analogies, read_similarity, similarity
from gensim_wordrank.evaluation.scores import Score
from gensim_wordrank.keyedvectors import combine
from gensim_wordrank.training import whitening

from bench import downstream
from bench.runs import Record

# similarity sets: files with lines of word, word, rating
SIMILARITY = {
    "WS-353": "ws353.tsv",
    "WS-353 similarity": "ws353_sim.tsv",
    "WS-353 relatedness": "ws353_rel.tsv",
    "MEN": "men3000.tsv",
    "MTurk-287": "mturk287.tsv",
    "SimLex-999": "simlex999.tsv",
    "Rare Words": "rw2034.tsv",
    "MTurk-771": "mturk771.tsv",
    "SimVerb-3500": "simverb3500.tsv",
    "RG-65": "rg65.tsv",
    "YP-130": "yp130.tsv",
}
GOOGLE, BATS = "Google", "BATS"
ANALOGIES = {GOOGLE: "google-questions.txt", BATS: "bats"}
# BATS has 98,000 questions; every eighth is asked
BATS_STEP = 8
# tasks: files of labelled sentences or documents
TASKS = {"Parts of speech": ("ewt-dev.conllu", "ewt-test.conllu"), "Topics": ("r8-train.txt", "r8-test.txt")}
# of all trainers the word vectors and the sum of word and context vectors are scored, in these styles
WHICH, STYLES = ("word", "sum"), ("raw", "centred", "whitened")
# of WordRank those that its users get: model.wv, and model.vectors("sum") for analogies
OUR_STYLES = {"similarity": "word raw", "analogy": "sum raw"}


def score(training: Record, directory: Path, evaluation: Path) -> Record:
    """Return the record of a run with its scores; write the outcome of each item to DIRECTORY/ID.outcomes.npz."""
    vectors = Vectors.load(directory / f"{training['id']}.npz")
    is_ours = training["trainer"] == "wordrank"
    found = dict(_scores(vectors, evaluation, OUR_STYLES if is_ours else None))
    if is_ours:
        found |= _other_vectors(vectors, evaluation)
    outcomes = {name: items for name, (_, _, items) in found.items()}
    np.savez_compressed(directory / f"{training['id']}.outcomes.npz", **outcomes)
    values = {name: round(100 * value, 2) for name, (value, _, _) in found.items()}
    used = {name: style for name, (_, style, _) in found.items()}
    return training | {"words": len(vectors.words), "scores": values, "styles": used}


class Vectors:
    """The vectors of a run, in all styles."""

    def __init__(self, words: list[str], counts: np.ndarray, u: np.ndarray, v: np.ndarray | None) -> None:
        self.words, self.counts, self.u, self.v = words, counts, u, v
        self.unknown: tuple[list[str], np.ndarray] = ([], u[:0])

    @classmethod
    def load(cls, path: Path) -> Vectors:
        """Read what bench.trainers wrote."""
        with np.load(path) as saved:
            result = cls(saved["words"].tolist(), saved["counts"], saved["u"], saved.get("v"))
            if "unknown" in saved and len(saved["unknown"]):
                result.unknown = saved["unknown"].tolist(), saved["unknown_u"]
        return result

    def styles(self) -> list[str]:
        """Return all styles."""
        which = WHICH if self.v is not None else WHICH[:1]
        return [f"{name} {style}" for name in which for style in STYLES]

    @cache  # noqa: B019  # one object per process
    def keyed(self, style: str, with_unknown: bool) -> KeyedVectors:
        """Return u or u + v in a style as KeyedVectors, with the predicted vectors of unknown words if asked for."""
        which, how = style.split()
        u, v = self.u, self.u if self.v is None else self.v
        extra = self.unknown[1] if with_unknown and which == "word" else self.u[:0]
        if how == "whitened":
            basis, inverse = whitening.usable_basis(u, v, self.counts)
            u, v, extra = (whitening.change_basis(a, b) for a, b in ((u, basis), (v, inverse), (extra, basis)))
            how = "raw"
        values = combine(u, v, which, how)
        if len(extra):
            values = np.vstack([values, extra - (u.mean(axis=0) if how == "centred" else 0)])
        result = KeyedVectors(values.shape[1])
        result.add_vectors(self.words + (self.unknown[0] if len(extra) else []), values)
        return result


Found = tuple[float, str, np.ndarray]  # a score, the style of the vectors, the outcome of every item


def _scores(vectors: Vectors, evaluation: Path, fixed: Mapping[str, str] | None) -> Iterator[tuple[str, Found]]:
    """Yield each set's name with its score: in fixed styles, or in the best one of each set."""
    for name, file in SIMILARITY.items():
        test_set = read_similarity(evaluation / file)
        styles = [fixed["similarity"]] if fixed else vectors.styles()
        tried = [(similarity(vectors.keyed(style, True), test_set), style) for style in styles]
        best, style = max(tried, key=lambda pair: pair[0].value)
        yield name, (best.value, style, _quantized(best))
    google = read_analogies(evaluation / ANALOGIES[GOOGLE])
    styles = [fixed["analogy"]] if fixed else vectors.styles()
    best, style = max(((_answers(vectors, style, google), style) for style in styles), key=lambda pair: pair[0].value)
    yield from _parts(GOOGLE, best, style)
    mul = _answers(vectors, style, google, "mul")
    yield f"{GOOGLE}, 3CosMul", (mul.value, style, mul.outcomes.astype(bool))
    # BATS takes long: only in the style that is best on Google
    yield from _parts(
        BATS, _answers(vectors, style, _every(read_analogies(evaluation / ANALOGIES[BATS]), BATS_STEP)), style
    )
    for name, (train, test) in TASKS.items():
        correct = downstream.TASKS[name](vectors.keyed("word raw", True), evaluation / train, evaluation / test)
        yield name, (float(correct.mean()), "word raw", correct)


def _other_vectors(vectors: Vectors, evaluation: Path) -> Iterator[tuple[str, Found]]:
    """Yield similarity by u + v and analogies by u: the paper claims that both are worse."""
    for name, file in SIMILARITY.items():
        found = similarity(vectors.keyed("sum raw", False), read_similarity(evaluation / file))
        yield f"{name}, u + v", (found.value, "sum raw", _quantized(found))
    google = _answers(vectors, "word raw", read_analogies(evaluation / ANALOGIES[GOOGLE]))
    yield f"{GOOGLE}, u", (google.value, "word raw", google.outcomes.astype(bool))


def _answers(vectors: Vectors, style: str, questions: AnalogySet, method: str = "add") -> Score:
    return analogies(vectors.keyed(style, False), questions, method)


def _parts(name: str, found: Score, style: str) -> Iterator[tuple[str, Found]]:
    """Yield the score of a set of analogies, and those of its semantic and its syntactic questions."""
    outcomes = found.outcomes.astype(bool)
    yield name, (found.value, style, outcomes)
    for part, chosen in (("semantic", ~found.is_syntactic), ("syntactic", found.is_syntactic)):
        yield f"{name} {part}", (float(outcomes[chosen].mean()), style, outcomes[chosen])


def _quantized(score: Score) -> np.ndarray:
    """Return the cosines in steps of 1/16384, enough to rank pairs again."""
    return np.round(score.outcomes * 16384).astype(np.int16)


def _every(test_set: AnalogySet, step: int) -> AnalogySet:
    """Return every so many questions of a set."""
    parts = (test_set.questions, test_set.answers, test_set.sections)
    return AnalogySet(test_set.name, *(part[::step] for part in parts))


def words_asked(evaluation: Path) -> list[str]:
    """Return the words of all similarity sets and tasks, for trainers that have vectors of unknown words."""
    words = {
        w.lower() for file in SIMILARITY.values() for pair in read_similarity(evaluation / file).pairs for w in pair
    }
    for files in TASKS.values():
        for file in files:
            words |= {word for item in downstream.read(evaluation / file) for word in item[0]}
    return sorted(words)
