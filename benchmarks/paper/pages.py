"""What the commands write: a page each, with tables and pictures, from the runs that there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import measure
import numpy as np
from gensim_wordrank.evaluation import LoadedModel
from gensim_wordrank.plots import Document, Figure, Heading, Panel, Paragraph, Series, Table, loss_functions, word_map
from gensim_wordrank.plots.documents import Block

from paper import claims, plans, published
from paper.summaries import NAMES, Group, circumstances

COST = ("seeds", "seconds", "cpu seconds", "peak MiB")
SETS = ("WS-353 similarity", "WS-353 relatedness", "MEN", "MTurk-287", "Rare Words", "SimLex-999")
HALVES = ("Google semantic", "Google syntactic")
SCORING = (
    "Similarity: 100 times Spearman's correlation, by u. Analogies: right answers in %, by u + v as trained, 3CosAdd "
    "over the whole vocabulary. Word2Vec: its own vectors for both. Unknown words score 0. Of every run the better of "
    "raw and centred vectors counts; both are in the CSV. Cells are means of the seeds, with the lowest and the "
    "highest."
)
TRAINING = (
    "WordRank: its default arguments and {epochs} epochs. Word2Vec: gensim's, skip-gram, 5 negative samples, 5 epochs. "
    "GloVe: its own programs with their usual parameters, 25 epochs. Window, dimensions and vocabulary as in the "
    "paper's Table 1. Seconds: from text on disk to vectors; cpu seconds: of all threads, however busy the machine was."
)


def table2(groups: Sequence[Group]) -> Document:
    """Return Table 2: RobiRank and the four rank losses, weights off and on."""
    rows = [
        [group.variant, *shown(group, claims.SCORES, published.TABLE2[group.variant]), *cells(group, COST)]
        for group in groups
    ]
    usual = groups[0].run
    usual_scale = ", ".join(f"{name} {value:g}" for name, value in measure.ONE_OBJECTIVE.items())
    robirank = ", ".join(f"{name} {value}" for name, value in plans.ROBIRANK.items())
    about = (
        f"The first {usual['tokens']:,} tokens of {usual['source']}; on: pairs weighed by counts, off: all alike. "
        f"ρ₀ to ρ₃ with one objective throughout ({usual_scale}, t = {plans.DEFAULTS['t']} for ρ₃) and "
        f"{usual['parameters']['epochs']} epochs; RobiRank as WordRank with {robirank}. The paper: text8, rank_scale "
        "100, rank_offset 99, RobiRank by its authors' program."
    )
    head = ["", *beside_the_paper(claims.SCORES), *COST]
    return page("Table 2: rank losses and weights", [about, SCORING], [Table(head, rows)], groups)


def scale(groups: Sequence[Group]) -> Document:
    """Return Figure 2 and its table: growing texts."""
    blocks: list[Block] = [size_table(groups, claims.SCORES)]
    if len({group.run["tokens"] for group in groups if group.results}) > 1:
        blocks.append(curves("Scores against the size of the text (Figure 2)", groups, "tokens", claims.SCORES))
    return page("Figure 2: growing texts", [training(groups), SCORING], blocks, groups)


def table3(groups: Sequence[Group]) -> Document:
    """Return Table 3: six similarity sets, and the two halves of Google's."""
    columns = (*SETS, *HALVES)
    rows = [[NAMES[group.run["trainer"]], *cells(group, (*columns, *COST))] for group in groups]
    rows += [
        [f"{NAMES[name]}, the paper, 7.2B tokens", *map(str, scores), *[""] * len(COST)]
        for name, scores in published.TABLE3.items()
    ]
    about = f"The first {groups[0].run['tokens']:,} tokens of {groups[0].run['source']}."
    table = Table(["", *columns, *COST], rows)
    return page("Table 3: all test sets", [about, training(groups), SCORING], [table], groups)


def robustness(groups: Sequence[Group]) -> Document:
    """Return the tables of small texts and of noise, which the paper claims about and does not have."""
    scores = ("WS-353", "MEN", "Google")
    noisy = {(group.run["source"], group.run["tokens"]) for group in groups if group.run["noise"]}
    small = [group for group in groups if not group.run["noise"]]
    spoilt = [group for group in groups if (group.run["source"], group.run["tokens"]) in noisy]
    rows = [[f"{g.run['noise']:.0%}", NAMES[g.run["trainer"]], *cells(g, (*scores, *COST))] for g in in_order(spoilt)]
    about = (
        "So many of the tokens, chosen at random, are replaced by tokens drawn from the whole text: words keep their "
        "frequencies, and only what stands beside what is spoilt. The text is the same for all seeds."
    )
    blocks: list[Block] = [Heading("Small texts"), size_table(small, scores)]
    blocks += [curves("Scores against the size of the text", small, "tokens", scores)] if any_results(small) else []
    blocks += [Heading("Noise"), Paragraph(about), Table(["replaced", "", *scores, *COST], rows)]
    blocks += [curves("Scores against noise", spoilt, "noise", scores)] if any_results(spoilt) else []
    return page("Small and noisy texts", [training(groups), SCORING], blocks, groups)


def orderings(groups: Sequence[Group]) -> Document:
    """Return whether what the paper says holds."""
    about = (
        "Every row is computed from the means of the seeds. A lead that grows is the slope of the line that fits the "
        "leads best: over the logarithm of the size, or over the share of replaced tokens."
    )
    rows = [claim.row for claim in claims.all_claims(groups)]
    table = Table(["what the paper says", "found", "the paper's", ""], rows)
    return page("Do the paper's orderings hold?", [about], [table], groups)


def figure1() -> Document:
    """Return Figure 1: the rank losses."""
    return Document("Figure 1: rank losses", [loss_functions()])


def figure3(model: LoadedModel, word: str = "cat", topn: int = 30) -> Document:
    """Return Figure 3: a word and its neighbours."""
    near = model.wv.most_similar(word, topn=topn)
    rows = [[neighbour, f"{cosine:.2f}"] for neighbour, cosine in near]
    parameters = ", ".join(f"{name} {value}" for name, value in model.parameters.items())
    blocks: list[Block] = [Paragraph(parameters)] if parameters else []
    return Document(
        f'Figure 3: neighbours of "{word}"',
        [*blocks, word_map(model.wv, [word], topn), Table(["word", "cosine"], rows)],
    )


def page(title: str, about: Iterable[str], blocks: Iterable[Block], groups: Iterable[Group]) -> Document:
    """Return a page: what it is, its tables and pictures, and where the runs were made."""
    results = [result for group in groups for result in group.results]
    where = [Paragraph(circumstances(results))] if results else []
    return Document(title, [*map(Paragraph, about), *blocks, *where])


def training(groups: Iterable[Group]) -> str:
    """Return how the trainers are run."""
    epochs = {group.run["parameters"]["epochs"] for group in groups if group.run["trainer"] == "wordrank"}
    return TRAINING.format(epochs=" or ".join(map(str, epochs)))


def size_table(groups: Iterable[Group], scores: Sequence[str]) -> Table:
    """Return a row for each size and trainer, beside the paper where it has such a size."""
    has_paper = scores == claims.SCORES
    head = ["tokens", "text", "words", "window", "dimensions", ""]
    rows = []
    for group in in_order(groups):
        run, parameters = group.run, group.run["parameters"]
        words = " or ".join(dict.fromkeys(f"{result['words']:,}" for result in group.results))
        row = [f"{run['tokens']:,}", run["source"], words, str(parameters["window"]), str(parameters["vector_size"])]
        paper = published.scale(run["tokens"]).get(run["trainer"], ())
        middle = shown(group, scores, paper) if has_paper else cells(group, scores)
        rows.append([*row, NAMES[run["trainer"]], *middle, *cells(group, COST)])
    return Table([*head, *(beside_the_paper(scores) if has_paper else scores), *COST], rows)


def beside_the_paper(scores: Iterable[str]) -> list[str]:
    """Return the heads of columns: each score, and the paper's."""
    return [head for score in scores for head in (score, "paper")]


def shown(group: Group, scores: Sequence[str], paper: Sequence[float]) -> list[str]:
    """Return each score, and the paper's if it has one."""
    theirs = [f"{value:.1f}" for value in paper] or [""] * len(scores)
    return [cell for pair in zip(cells(group, scores), theirs, strict=True) for cell in pair]


def cells(group: Group, names: Iterable[str]) -> list[str]:
    """Return the cells of a group."""
    return [group.cell(name) for name in names]


def in_order(groups: Iterable[Group]) -> list[Group]:
    """Sort by size and noise; trainers stay in their order."""
    return sorted(groups, key=lambda group: (group.run["tokens"], group.run["noise"]))


def any_results(groups: Iterable[Group]) -> bool:
    """Whether there is anything to draw."""
    return any(group.results for group in groups)


def curves(title: str, groups: Sequence[Group], key: str, scores: Sequence[str]) -> Figure:
    """Return a panel a score, with a curve a trainer against tokens or noise: means, and bars to lowest and highest."""
    name = {"tokens": "tokens of the text", "noise": "share of tokens replaced"}[key]
    panels = [
        Panel(
            [s for t in plans.TRAINERS if len((s := curve(groups, t, key, score)).x)], "", name, score, key == "tokens"
        )
        for score in scores
    ]
    return Figure(title, panels)


def curve(groups: Iterable[Group], trainer: str, key: str, score: str) -> Series:
    """Return the points of one trainer."""
    points: list[tuple[float, ...]] = []
    for group in in_order(groups):
        if group.run["trainer"] == trainer and (spread := group.spread(score)):
            points.append((group.run[key], spread.mean, spread.low, spread.high))
    x, y, low, high = np.array(points, np.float64).reshape(-1, 4).T
    return Series(NAMES[trainer], x, y, low, high, markers=True)
