"""The pages of docs/results, from the records of runs and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import numpy as np
from gensim_wordrank.plots import Document, Figure, Heading, Panel, Paragraph, Series, Table, loss_functions
from gensim_wordrank.plots.documents import Block

from bench import claims, plan, published
from bench.groups import DEFAULT, SUBWORDS, grouped, label, on
from bench.runs import Record
from bench.texts import Text

COST = "processor seconds"
TABLE_BEGIN, TABLE_END = "<!-- made by benchmarks/results.py -->", "<!-- end of the table -->"


def mean(runs: Sequence[Record], name: str) -> float:
    """Return the mean of a score, or of the processor seconds, over seeds."""
    return fmean(run["cpu_seconds"] if name == COST else run["scores"][name] for run in runs)


def score_table(records: Iterable[Record], names: Sequence[str]) -> Table:
    """Return a row per trainer; seeds are averaged, and the best score of a column has an asterisk."""
    groups = grouped(records)
    means = {name: {who: mean(runs, name) for who, runs in groups.items()} for name in names}

    def cell(who: str, name: str) -> str:
        runs = [run["scores"][name] for run in groups[who]]
        spread = f" ({min(runs):.1f} to {max(runs):.1f})" if len(runs) > 1 else ""
        return f"{means[name][who]:.1f}{'*' if means[name][who] == max(means[name].values()) else ''}{spread}"

    rows = [[who, f"{mean(runs, COST):.0f}", *(cell(who, name) for name in names)] for who, runs in groups.items()]
    return Table(["", COST, *names], rows)


def lead_table(found: Iterable[Record], records: Sequence[Record], names: Sequence[str]) -> Table:
    """Return WordRank's lead over each other trainer, with its interval; an asterisk where this excludes 0."""
    by_id = {record["id"]: record for record in records}
    rows = []
    for record in found:
        ours, theirs = ([by_id[name] for name in record[side]] for side in ("ours", "theirs"))
        time = mean(ours, COST) / mean(theirs, COST)
        cells = [_lead(*record["leads"][name]) for name in names]
        rows.append(
            [f"{label(ours[0])} over {label(theirs[0])}", f"1/{1 / time:.1f}" if time < 1 else f"{time:.1f}", *cells]
        )
    return Table(["lead in points, 95% interval", "processor time", *names], rows)


def _lead(value: float, low: float, high: float) -> str:
    return f"{value:+.1f}{'*' if low > 0 or high < 0 else ''} ({low:+.1f} to {high:+.1f})"


def quality(records: Sequence[Record], texts: Sequence[Text], title: str, about: Sequence[str]) -> Document:
    """Return the page of some texts: a picture and all scores for each, and then how they were measured."""
    blocks: list[Block] = [Paragraph(INTRODUCTION)]
    for text in texts:
        runs = on(records, text)
        blocks += [Heading(heading(text)), quality_figure(text, runs)]
        for names in (plan.SEEN, plan.UNSEEN):
            blocks += [Paragraph(WHICH[names]), score_table(runs, names)]
    blocks += [Heading("How this was measured"), *map(Paragraph, (*about, circumstances(records)))]
    return Document(title, blocks)


def all_leads(records: Sequence[Record], leads: Sequence[Record], texts: Sequence[Text]) -> Document:
    """Return the page of WordRank's leads over each other trainer, with their intervals."""
    blocks: list[Block] = [Paragraph(LEADS)]
    for text in texts:
        ids = {run["id"] for run in on(records, text)}
        found = [record for record in leads if record["theirs"][0] in ids and record["ours"] != record["theirs"]]
        if found:
            blocks += [
                Heading(heading(text)),
                *(lead_table(found, records, names) for names in (plan.SEEN, plan.UNSEEN)),
            ]
    return Document("Leads, with intervals", blocks)


def with_table(page: str, table: str) -> str:
    r"""Replace the table of a Markdown page, which stands between two comments.

    Examples
    --------
    >>> with_table(f"Results\n{TABLE_BEGIN}\nold\n{TABLE_END}\n", "new\n").splitlines()[2]
    'new'
    """
    before, _, rest = page.partition(TABLE_BEGIN)
    _, end, after = rest.partition(TABLE_END)
    if not end:
        raise ValueError(f"The README must have the lines '{TABLE_BEGIN}' and '{TABLE_END}'.")
    return f"{before}{TABLE_BEGIN}\n{table}{TABLE_END}{after}"


def readme_text(records: Sequence[Record]) -> Text:
    """Return the largest text without noise on which all trainers of the README were run, or else WordRank alone."""
    texts = [text for text in plan.texts() if not text.noise]
    for rows in (README_ROWS, (DEFAULT,)):
        if complete := [text for text in texts if set(rows) <= grouped(on(records, text)).keys()]:
            return max(complete, key=lambda text: text.tokens)
    raise ValueError("There are no runs with the default parameters. Call: results.py run")


def readme_table(records: Sequence[Record]) -> str:
    """Return the README's table in Markdown: the trainers of README_ROWS on one text."""
    text = readme_text(records)
    groups = grouped(on(records, text))
    rows = [
        [who, f"{mean(groups[who], COST):.0f} s"]
        + [f"{fmean(mean(groups[who], name) for name in names):.1f}" for names in README_COLUMNS.values()]
        for who in README_ROWS
        if who in groups
    ]
    lines = [[f"{heading(text)}", "time", *README_COLUMNS], ["---"] * (len(README_COLUMNS) + 2), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


WHICH = {
    plan.SEEN: "Sets on which defaults were chosen, on another text:",
    plan.UNSEEN: "Sets and tasks that were looked at only after the defaults were fixed:",
}
PANELS = {
    "similarity (mean of four sets)": ("WS-353", "MEN", "MTurk-287", "SimLex-999"),
    "analogies (Google)": ("Google",),
    "parts of speech": ("Parts of speech",),
}


def quality_figure(text: Text, runs: Sequence[Record]) -> Figure:
    """Draw scores against processor seconds: a point per trainer, WordRank's first."""
    groups = grouped(runs)
    curves = list(dict.fromkeys(map(_curve, sorted(groups, key=lambda who: not who.startswith(DEFAULT)))))
    panels = []
    for title, names in PANELS.items():
        series = []
        for trainer in curves:
            points = sorted(
                (mean(found, COST), fmean(mean(found, name) for name in names))
                for who, found in groups.items()
                if _curve(who) == trainer
            )
            x, y = np.array(points).T
            series.append(Series(trainer, x, y, markers=True))
        panels.append(Panel(series, x_label=COST, y_label=title, log_x=True))
    return Figure(heading(text), panels)


def _curve(who: str) -> str:
    """Return the curve of a run: runs that differ only in their epochs, or PPMI-SVD's in its exponent, share one."""
    name = re.sub(r", \d+ (epochs|iterations)$|, eigenvalues .*", "", who).split(" (")[0]
    return name.replace(", skip-gram with n-grams, window 5", "").replace("gensim's defaults", "defaults")


def heading(text: Text) -> str:
    """Return a text in words."""
    size = f"{text.tokens / 1e6:.0f}M tokens"
    return f"{size}, {text.noise:.0%} of them replaced by random ones" if text.noise else size


def circumstances(records: Iterable[Record]) -> str:
    """Return machines and versions of some runs."""
    rows = list(records)

    def all_of(values: Iterable[object]) -> str:
        return " or ".join(dict.fromkeys(map(str, values)))

    shown = ("gensim-wordrank", "gensim", "numpy", "scipy", "Python", "CPU level")
    known = [f"{name} {all_of(row['versions'][name] for row in rows)}" for name in shown]
    machines, commits = (all_of(row[name] for row in rows) for name in ("machine", "commit"))
    return f"{machines}, one thread; {', '.join(known)}; commits {commits}."


INTRODUCTION = (
    "The texts are Wikipedia articles that were not used to choose WordRank's defaults. Similarity is 100 times "
    "Spearman's correlation; analogies and tasks are percentages of correct answers. An asterisk marks the best of a "
    "column. leads.md has the differences between trainers, with intervals."
)
ABOUT = (
    "All numbers are computed from benchmarks/results/runs.jsonl, which has the parameters, the text, the versions and "
    "the commit of each run. WordRank has its default parameters unless the row names others. Its numbers are means of "
    "three seeds, with the lowest and the highest in parentheses. All vectors have 100 dimensions, and min_count is 5.",
    "Similarity: pairs with unknown words score 0, unless n-grams predict their vectors. Analogies: the share of all "
    "questions that 3CosAdd answers; of BATS, every eighth question. Parts of speech: accuracy of linear discriminant "
    "analysis on the vectors of a word and its two neighbours (UD English EWT; trained on its development part, scored "
    "on its test part). Topics: accuracy of logistic regression on the mean vector of a document (R8).",
    "WordRank is scored with model.wv for similarity and tasks, and with model.vectors('sum') for analogies. All other "
    "trainers are scored with their word vectors and with the sum of word and context vectors, each raw, centred, and "
    "whitened as WordRank's are. For each test set, their best score counts.",
    "Processor seconds are those of the whole call, from the text on disk to vectors, on one thread of a shared "
    "machine.",
)
LEADS = (
    "How many points WordRank is ahead of each other trainer, with the 95% interval over seeds and resampled test "
    "sets. An asterisk marks intervals without 0. Processor time is WordRank's divided by that of the other trainer. "
    "quality.md has the scores, and says how they are computed."
)
# whom the paper compares WordRank with, with as many epochs as they need
RIVALS = ("Word2Vec, skip-gram, window 5, 20 epochs", "Word2Vec, skip-gram, window 15, 20 epochs", "GloVe")
# of the README
README_ROWS = (
    "Word2Vec, gensim's defaults (CBOW, window 5, 5 epochs)", "Word2Vec, skip-gram, window 5, 20 epochs",
    "fastText, skip-gram with n-grams, window 5, 5 epochs", "PPMI-SVD, window 15, eigenvalues to the power 0.5",
    DEFAULT, SUBWORDS,
)  # fmt: skip
README_COLUMNS = {
    "similarity": ("WS-353", "MEN", "MTurk-287", "SimLex-999"),
    "rare words": ("Rare Words",),
    "analogies": ("Google",),
    "parts of speech": ("Parts of speech",),
    "topics": ("Topics",),
}


def all_pages(records: Sequence[Record], leads: Sequence[Record]) -> dict[str, Document]:
    """Return the pages by their file names; a page without runs is left out."""
    texts = [text for text in plan.texts() if on(records, text)]
    clean, noisy = [text for text in texts if not text.noise], [text for text in texts if text.noise]
    found = {
        "quality.md": quality(records, clean, "Quality against processor time", ABOUT),
        "leads.md": all_leads(records, leads, texts),
        "paper.md": paper(records, leads, clean),
    }
    return found | ({"noise.md": quality(records, noisy, "Noisy texts", (NOISE, *ABOUT))} if noisy else {})


def paper(records: Sequence[Record], leads: Sequence[Record], texts: Sequence[Text]) -> Document:
    """Return the paper's tables and figures, and whether what it says holds."""
    known = claims.Leads(records, leads)
    table2 = [record for record in records if claims.column(record)]
    blocks: list[Block] = [Paragraph(PAPER), Heading("Figure 1: rank losses"), loss_functions()]
    if table2:
        blocks += [Heading("Table 2: rank losses and weights"), Paragraph(TABLE2), _table2(table2)]
        blocks += [Heading("Does Table 2 hold?"), claim_table(claims.about_losses(known))]
    for text in texts:
        groups = grouped(on(records, text))
        if groups:
            others = [who for who in groups if who.startswith(RIVALS)]
            found = [
                *claims.about_trainers(known, str(text), text.tokens, others),
                *claims.about_vectors(known, str(text)),
            ]
            blocks += [Heading(f"Table 3 and Figure 2: {heading(text)}"), _table3(groups), claim_table(found)]
    return Document("The paper, reproduced", [*blocks, Paragraph(circumstances(table2 or records))])


def claim_table(found: Iterable[claims.Claim]) -> Table:
    """Return a row per claim."""
    return Table(
        ["what the paper says", "lead in points, 95% interval", "the paper's lead", ""], [claim.row for claim in found]
    )


def _table2(records: Iterable[Record]) -> Table:
    columns: dict[str, list[Record]] = {}
    for record in records:
        columns.setdefault(str(claims.column(record)), []).append(record)
    rows = []
    for name, paper_scores in published.TABLE2.items():
        runs = columns.get(name, [])
        cells = [f"{mean(runs, score):.1f}" if runs else "not run" for score in ("WS-353", "Google")]
        rows.append(
            [
                name,
                cells[0],
                str(paper_scores[0]),
                cells[1],
                str(paper_scores[1]),
                f"{mean(runs, COST):.0f}" if runs else "",
            ]
        )
    return Table(["", "WS-353", "the paper's", "Google", "the paper's", COST], rows)


def _table3(groups: Mapping[str, Sequence[Record]]) -> Table:
    names = (*published.SETS, "Google", "Google, 3CosMul")
    rows = [
        [who, *(f"{mean(runs, name):.1f}" for name in names)]
        for who, runs in groups.items()
        if who.startswith(("Word2Vec", "GloVe")) or who == DEFAULT
    ]
    paper_rows = [
        [f"{name}, the paper, 7.2B tokens", *map(str, scores), "", ""] for name, scores in published.TABLE3.items()
    ]
    return Table(["", *names], rows + paper_rows)


PAPER = (
    "The paper's tables next to ours. Intervals are 95% intervals over seeds and resampled test sets. A claim holds if "
    "the whole interval of its lead is above 0. It does not hold if the whole interval is below 0. Otherwise it is "
    "undecided. Our largest text has 64M tokens, so claims about larger texts were not tested. The paper's Table 3 is "
    "for 7.2 billion tokens."
)
TABLE2 = (
    "4M tokens (in the paper, 17M), with preset='paper' and AdaGrad for 20 epochs: alpha 100, beta 99, x_max 100, "
    "epsilon 0.75, no discount, no bias, no L2, vectors as trained. On: pairs are weighted by their counts. Off: all "
    "pairs have the same weight. RobiRank is the same program with alpha 1, beta 0, the logistic loss and equal "
    "weights. The paper used the program of RobiRank's authors."
)
NOISE = (
    "The given share of the tokens, chosen at random, is replaced by tokens drawn from the whole text. Words keep "
    "their frequencies, but not their contexts."
)
