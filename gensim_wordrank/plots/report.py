"""One page about a model, or about several beside each other: scores, training, neighbours, parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gensim.models import KeyedVectors

from gensim_wordrank.evaluation.load import Subject
from gensim_wordrank.evaluation.scores import Score, compare
from gensim_wordrank.evaluation.testsets import AnalogySet, SimilaritySet
from gensim_wordrank.plots import figures
from gensim_wordrank.plots.documents import Block, Document, Heading, Paragraph, Table

# on a map around each chosen word, and in the table of neighbours
MAP_NEIGHBOURS, TABLE_NEIGHBOURS = 20, 8


def report(subjects: Sequence[Subject], scores: Sequence[Sequence[Score]], words: Sequence[str]) -> Document:
    """Return a page about one model or more.

    Parameters
    ----------
    subjects : sequence of Subject
        The models; the others are compared with the first.
    scores : sequence of sequence of Score
        Of each model, on the same sets.
    words : sequence of str
        Whose neighbours to show; at least one of them must be known to each model.

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> from gensim_wordrank.plots.documents import Heading
    >>> from gensim_wordrank.plots.report import Subject, report
    >>> model = WordRank(common_texts, vector_size=10, min_count=1, epochs=5)
    >>> page = report([Subject("toy", model.wv, model.vectors, model.training_losses)], [[]], ["graph"])
    >>> [block.text for block in page.blocks if isinstance(block, Heading)]
    ['Training', 'Neighbours']
    """
    names = [subject.name for subject in subjects]
    blocks = [*_scores(names, scores), *_training(subjects), *_neighbours(subjects, words), *_parameters(subjects)]
    return Document(", ".join(names), blocks)


def score_rows(names: Sequence[str], scores: Sequence[Sequence[Score]]) -> list[dict[str, Any]]:
    """Return what there is to say of each score of each model; those after the first are compared with it."""
    rows = []
    for name, of_model in zip(names, scores, strict=True):
        for first, score in zip(scores[0], of_model, strict=True):
            low, high = score.interval()
            row = {"model": name, "set": score.name, "score": score.value, "low": low, "high": high}
            row |= {"unknown": score.unknown_share, "items": len(score.items)}
            if score is not first:
                difference = compare(score, first)
                row |= {"difference": difference.difference, "p": difference.p, "is_real": difference.is_real}
            rows.append(row | ({"sections": score.sections()} if score.kind == "analogy" else {}))
    return rows


def verdict(row: Mapping[str, Any]) -> str:
    """Return how a score of :func:`score_rows` compares with that of the first model."""
    if "p" not in row:
        return ""
    noise = "more than noise" if row["is_real"] else "may be noise"
    return f"{100 * row['difference']:+.1f} against the first, p = {row['p']:.3f}: {noise}"


def usual_words(subjects: Sequence[Subject], tests: Iterable[SimilaritySet | AnalogySet], number: int = 6) -> list[str]:
    """Return words to look at, from frequent to rare: of those that people rated and all models know, if there are."""
    rated = {word for test in tests if isinstance(test, SimilaritySet) for pair in test.pairs for word in pair}
    first, *others = [subject.words for subject in subjects]
    shared = [word for word in first.index_to_key if all(word in other for other in others)]
    chosen = [word for word in shared if word in rated] or shared
    return chosen[:: max(1, len(chosen) // number)][:number]


def _scores(names: Sequence[str], scores: Sequence[Sequence[Score]]) -> list[Block]:
    rows = score_rows(names, scores)
    if not rows:
        return []
    by_set = [rows[number :: len(scores[0])] for number in range(len(scores[0]))]
    head = ["set", "model", "score", "95% interval", "unknown", *(["difference"] if len(names) > 1 else [])]
    cells = [
        [
            row["set"],
            row["model"],
            _points(row["score"]),
            f"{_points(row['low'])} to {_points(row['high'])}",
            f"{100 * row['unknown']:.1f}%",
            verdict(row),
        ][: len(head)]
        for of_set in by_set
        for row in of_set
    ]
    explanation = "Similarity: 100 times Spearman's correlation. Analogies: right answers in %."
    return [Heading("Scores"), Paragraph(explanation), Table(head, cells), *_sections(names, by_set)]


def _sections(names: Sequence[str], by_set: Iterable[Sequence[Mapping[str, Any]]]) -> list[Block]:
    """Return a table for each set of analogies: a row a section, a column a model."""
    blocks: list[Block] = []
    for rows in by_set:
        parts = [row.get("sections", {}) for row in rows]
        cells = [[section, *(_points(part[section]) for part in parts)] for section in parts[0]]
        if cells:
            blocks += [Heading(f"Sections of {rows[0]['set']}"), Table(["section", *names], cells)]
    return blocks


def _training(subjects: Sequence[Subject]) -> list[Block]:
    losses = {subject.name: subject.losses for subject in subjects if len(subject.losses)}
    return [Heading("Training"), figures.loss_curves(losses)] if losses else []


def _neighbours(subjects: Sequence[Subject], words: Sequence[str]) -> list[Block]:
    """Return a table with a row a word and a column a model, and a map of each model."""
    if not words:
        return []
    cells = [[str(word), *(_near(subject.words, word) for subject in subjects)] for word in words]
    blocks: list[Block] = [Heading("Neighbours"), Table(["word", *(subject.name for subject in subjects)], cells)]
    for subject in subjects:
        known = [word for word in words if word in subject.words]
        if not known:
            raise ValueError(f"'{subject.name}' knows none of the words {', '.join(map(str, words))}. Choose others.")
        if len(subject.words) < figures.FEWEST:
            continue
        picture = figures.word_map(subject.words, known, MAP_NEIGHBOURS)
        blocks.append(replace(picture, title=f"{picture.title} in {subject.name}"))
    return blocks


def _near(keyed: KeyedVectors, word: str) -> str:
    if word not in keyed:
        return "(not known)"
    return ", ".join(f"{near} {cosine:.2f}" for near, cosine in keyed.most_similar(word, topn=TABLE_NEIGHBOURS))


def _parameters(subjects: Sequence[Subject]) -> list[Block]:
    names = list(dict.fromkeys(name for subject in subjects for name in subject.facts))
    cells = [[name, *(_shown(subject.facts.get(name, "")) for subject in subjects)] for name in names]
    return [Heading("Parameters"), Table(["", *(subject.name for subject in subjects)], cells)] if cells else []


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _points(share: float) -> str:
    return f"{100 * share:.1f}"
