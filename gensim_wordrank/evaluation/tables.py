"""Scores as rows of values, and as tables for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from gensim_wordrank._utils import display

if TYPE_CHECKING:
    from gensim_wordrank.evaluation.scores import Score

Row = Mapping[str, Any]

# who scores items with unknown words in this way
RULES = {"zero": "paper", "skip": "gensim"}
NOTES = (
    '"paper": an item with an unknown word scores 0. "gensim": it is left out.',
    "Similarity: 100 x Spearman's correlation. Analogies: % correct.",
)


def score_row(score: Score) -> dict[str, Any]:
    """Return a score, its interval, the share of unknown words, and the scores under both rules for these."""
    low, high = score.interval()
    row = {"set": score.name, "score": score.value, "low": low, "high": high}
    row |= {"unknown_share": score.unknown_share, "items": len(score.items), "rule": RULES[score.unknown.value]}
    row |= {name: replace(score, unknown=type(score.unknown)(rule)).value for rule, name in RULES.items()}
    return row | ({"sections": score.sections()} if score.kind == "analogy" else {})


def score_table(rows: Iterable[Row], all_sections: bool = False) -> tuple[list[str], list[list[str]]]:
    """Return the head and the cells of a table of the rows of one model.

    After an analogy set follow its sections, or the totals of semantic and syntactic questions. The last column is the
    difference from the first model, if the rows have it.
    """
    rows = list(rows)
    rule = rows[0]["rule"] if rows else "paper"
    other = next(name for name in RULES.values() if name != rule)
    is_compared = any("p_value" in row for row in rows)
    head = ["", rule, "95% interval", "items", "unknown", other, *(["vs. first model"] if is_compared else [])]
    cells = []
    for row in rows:
        interval = f"{percent(row['low'])} to {percent(row['high'])}"
        difference = [f"{100 * row['difference']:+.1f} (p={row['p_value']:.3f})"] if is_compared else []
        unknown = f"{percent(row['unknown_share'])}%"
        cells.append([row["set"], percent(row["score"]), interval, f"{row['items']:,}", unknown, percent(row[other])])
        cells[-1] += difference
        parts = row.get("sections", {})
        names = parts if all_sections else [name for name in ("semantic", "syntactic") if name in parts]
        cells += [[f"  {name}", percent(parts[name]), *[""] * (len(head) - 2)] for name in names]
    return head, cells


def to_text(rows: Iterable[Row]) -> str:
    """Return the rows of one model as lines of text."""
    return "\n".join([*NOTES, "", display.text_table(*score_table(rows))])


def to_html(rows: Sequence[Row]) -> str:
    """Return the rows of one model as HTML, with bars."""
    head, cells = score_table(rows)
    bars = {row["set"]: display.interval_bar(row["low"], row["score"], row["high"]) for row in rows}
    cells = [[*each, bars.get(each[0], "")] for each in cells]
    return display.html_table([*head, ""], cells) + f"<p>{'<br>'.join(map(escape, NOTES))}</p>\n"


def percent(share: float) -> str:
    """Return a share times 100 with one decimal."""
    return f"{100 * share:.1f}"
