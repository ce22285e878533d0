"""Reports about one or more models: a summary, scores, training loss, neighbours and parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gensim.models import KeyedVectors

from gensim_wordrank.analysis.reasons import Explainer
from gensim_wordrank.evaluation import AnalogySet, LoadedModel, Score, SimilaritySet, compare
from gensim_wordrank.evaluation.scores import Unknown
from gensim_wordrank.evaluation.tables import score_row
from gensim_wordrank.plots import figures, maps
from gensim_wordrank.plots.documents import Block, Document, Heading, Paragraph, Table

# neighbours per word on the map and in the table
MAP_NEIGHBOURS, TABLE_NEIGHBOURS = 20, 8
# neighbours that are explained, and contexts per neighbour
EXPLAINED_NEIGHBOURS, SHOWN_CONTEXTS = 3, 6


def model_report(models: Sequence[LoadedModel], scores: Sequence[Sequence[Score]], words: Sequence[str]) -> Document:
    """Return a report about one or more models.

    Parameters
    ----------
    models : sequence of LoadedModel
        The models. All others are compared with the first.
    scores : sequence of sequence of Score
        The scores of each model on the same test sets.
    words : sequence of str
        Words to show neighbours of. Each model must know at least one of them.

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> from gensim_wordrank.evaluation import LoadedModel
    >>> from gensim_wordrank.plots import Heading, model_report
    >>> model = WordRank(common_texts, vector_size=10, min_count=1, epochs=5)
    >>> toy = LoadedModel("toy", model.wv, model.vectors, model.training_losses)
    >>> [block.text for block in model_report([toy], [[]], ["graph"]).blocks if isinstance(block, Heading)]
    ['Summary', 'Training', 'Neighbours']
    """
    names = [model.name for model in models]
    blocks = [
        *_summary(models, scores),
        *_scores(names, scores),
        *_training(models),
        *_neighbours(models, words),
        *_parameters(models),
    ]
    return Document(", ".join(names), blocks)


def score_rows(names: Sequence[str], scores: Sequence[Sequence[Score]]) -> list[dict[str, Any]]:
    """Return one row per model and test set. Models after the first are compared with it."""
    rows = []
    for name, model_scores in zip(names, scores, strict=True):
        for first, score in zip(scores[0], model_scores, strict=True):
            row = {"model": name} | score_row(score)
            if score is not first:
                found = compare(score, first)
                row |= {"difference": found.difference, "p_value": found.p_value, "significant": found.is_significant}
            rows.append(row)
    return rows


def format_comparison(row: Mapping[str, Any]) -> str:
    """Return the comparison of a row of :func:`score_rows` with the first model as text."""
    if "p_value" not in row:
        return ""
    significance = "significant" if row["significant"] else "not significant"
    return f"{100 * row['difference']:+.1f} vs. the first model (p = {row['p_value']:.3f}, {significance})"


def default_words(
    models: Sequence[LoadedModel], test_sets: Iterable[SimilaritySet | AnalogySet], number: int = 6
) -> list[str]:
    """Return words to show, from frequent to rare, that all models know; words of similarity sets if there are any."""
    rated = {word for test in test_sets if isinstance(test, SimilaritySet) for pair in test.pairs for word in pair}
    first, *others = [model.wv for model in models]
    shared = [word for word in first.index_to_key if all(word in other for other in others)]
    chosen = [word for word in shared if word in rated] or shared
    return chosen[:: max(1, len(chosen) // number)][:number]


def _summary(models: Sequence[LoadedModel], scores: Sequence[Sequence[Score]]) -> list[Block]:
    """Return what the models are, how their scores compare, and the scores as bars."""
    blocks: list[Block] = [Heading("Summary"), *(Paragraph(_describe(model)) for model in models)]
    if not scores[0]:
        return blocks
    names = [model.name for model in models]
    shares = [100 * score.unknown_share for each in scores for score in each]
    treatment = "are left out" if scores[0][0].unknown is Unknown.SKIP else "score 0"
    range_of = f"{min(shares):.0f}%" if max(shares) - min(shares) < 1 else f"{min(shares):.0f}% to {max(shares):.0f}%"
    blocks.append(Paragraph(f"{range_of} of the items of a test set contain unknown words; these items {treatment}."))
    for name, found in zip(names[1:], scores[1:], strict=True):
        blocks.append(Paragraph(f"{name} compared with {names[0]}: {_compare(found, scores[0])}."))
    return [*blocks, figures.score_bars(names, scores)]


def _describe(model: LoadedModel) -> str:
    """Return the size and training of a model as a sentence."""
    facts = [f"{len(model.wv):,} words", f"{model.wv.vector_size} dimensions"]
    if "epochs" in model.parameters:
        facts.append(f"{model.parameters['epochs']} epochs")
    if "training_seconds" in model.parameters:
        facts.append(f"{model.parameters['training_seconds']} s of training")
    return f"{model.name}: {', '.join(facts)}."


def _compare(scores: Sequence[Score], first: Sequence[Score]) -> str:
    """Return on which test sets a model is better or worse than the first."""
    found: dict[str, list[str]] = {"better on": [], "worse on": [], "no clear difference on": []}
    for ours, theirs in zip(scores, first, strict=True):
        comparison = compare(ours, theirs)
        sign = "better on" if comparison.difference > 0 else "worse on"
        found[sign if comparison.is_significant else "no clear difference on"].append(ours.name)
    return "; ".join(f"{verdict} {', '.join(sets)}" for verdict, sets in found.items() if sets)


def _scores(names: Sequence[str], scores: Sequence[Sequence[Score]]) -> list[Block]:
    rows = score_rows(names, scores)
    if not rows:
        return []
    by_set = [rows[number :: len(scores[0])] for number in range(len(scores[0]))]
    head = ["set", "model", "score", "95% interval", "unknown", *(["difference"] if len(names) > 1 else [])]
    cells = [_score_cells(row)[: len(head)] for set_rows in by_set for row in set_rows]
    explanation = "Similarity: Spearman's correlation times 100. Analogies: accuracy in percent."
    return [Heading("Scores"), Paragraph(explanation), Table(head, cells), *_sections(names, by_set)]


def _score_cells(row: Mapping[str, Any]) -> list[str]:
    score, low, high, unknown = (_percent(row[name]) for name in ("score", "low", "high", "unknown_share"))
    return [row["set"], row["model"], score, f"{low} to {high}", f"{unknown}%", format_comparison(row)]


def _sections(names: Sequence[str], by_set: Iterable[Sequence[Mapping[str, Any]]]) -> list[Block]:
    """Return one table per analogy set, with one row per section and one column per model."""
    blocks: list[Block] = []
    for rows in by_set:
        sections = [row.get("sections", {}) for row in rows]
        cells = [[name, *(_percent(values[name]) for values in sections)] for name in sections[0]]
        if cells:
            blocks += [Heading(f"Sections of {rows[0]['set']}"), Table(["section", *names], cells)]
    return blocks


def _training(models: Sequence[LoadedModel]) -> list[Block]:
    losses = {model.name: model.losses for model in models if len(model.losses)}
    objectives = {model.name: model.objective for model in models}
    return [Heading("Training"), figures.loss_curves(losses, objectives)] if losses else []


def _neighbours(models: Sequence[LoadedModel], words: Sequence[str]) -> list[Block]:
    """Return a table with one row per word and one column per model, and one map per model."""
    if not words:
        return []
    cells = [[str(word), *(_nearest(model.wv, word) for model in models)] for word in words]
    blocks: list[Block] = [Heading("Neighbours"), Table(["word", *(model.name for model in models)], cells)]
    for model in models:
        known = [word for word in words if word in model.wv]
        if not known:
            raise ValueError(f"'{model.name}' knows none of the words {', '.join(map(str, words))}. Choose others.")
        if len(model.wv) >= maps.MIN_MAP_WORDS:
            figure = maps.word_map(model.wv, known, MAP_NEIGHBOURS, explainer=model.explainer)
            blocks.append(replace(figure, title=f"{figure.title} in {model.name}"))
        if model.explainer is not None:
            blocks += [Heading(f"Reasons in {model.name}"), *_reasons(model.wv, model.explainer, known)]
    return blocks


def _reasons(wv: KeyedVectors, explainer: Explainer, words: Sequence[str]) -> list[Block]:
    """Return a table of the contexts that make words near."""
    near = [(word, *pair) for word in words for pair in wv.most_similar(word, topn=EXPLAINED_NEIGHBOURS)]
    cells = [
        [str(word), f"{other} {cosine:.2f}", explainer.explain(word, other, SHOWN_CONTEXTS).summary(SHOWN_CONTEXTS)]
        for word, other, cosine in near
    ]
    explanation = "Contexts that occur with both words, and what each adds to the cosine."
    return [Paragraph(explanation), Table(["word", "neighbour", "shared contexts"], cells)]


def _nearest(wv: KeyedVectors, word: str) -> str:
    if word not in wv:
        return "(unknown)"
    return ", ".join(f"{near} {cosine:.2f}" for near, cosine in wv.most_similar(word, topn=TABLE_NEIGHBOURS))


def _parameters(models: Sequence[LoadedModel]) -> list[Block]:
    names = list(dict.fromkeys(name for model in models for name in model.parameters))
    cells = [[name, *(_format(model.parameters.get(name, "")) for model in models)] for name in names]
    return [Heading("Parameters"), Table(["", *(model.name for model in models)], cells)] if cells else []


def _format(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
