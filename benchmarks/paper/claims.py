"""Whether what the paper says holds: every row is computed from the runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from paper import plans, published
from paper.summaries import NAMES, Group

SCORES = ("WS-353", "Google")
OTHERS = ("word2vec", "glove")
# the paper claims its margins on Google for these
LARGEST_MARGIN = 64e6
# points that count as far behind
FAR = 10.0


@dataclass(frozen=True)
class Claim:
    """Something that the paper says, what was found, what the paper has, and whether it holds, if that is known."""

    text: str
    found: str
    paper: str
    holds: bool | None

    @property
    def row(self) -> list[str]:
        """The claim as cells."""
        return [self.text, self.found, self.paper, {True: "holds", False: "does not hold", None: "not run"}[self.holds]]


def all_claims(groups: Sequence[Group]) -> list[Claim]:
    """Return all claims about the runs that there are."""
    return [*about_losses(groups), *about_sizes(groups), *about_robustness(groups)]


def about_losses(groups: Iterable[Group]) -> Iterator[Claim]:
    """Yield what Table 2 says, for the largest text on which all its columns were run."""
    texts: dict[tuple[str, int], dict[str, tuple[float, ...]]] = {}
    for group in groups:
        if group.run["trainer"] == "wordrank" and not group.run["noise"] and group.variant and group.results:
            columns = texts.setdefault((group.run["source"], group.run["tokens"]), {})
            columns[group.variant] = tuple(mean(group, name) for name in SCORES)
    whole = {text: columns for text, columns in texts.items() if columns.keys() == plans.variants().keys()}
    ours = whole[max(whole, key=lambda text: text[1])] if whole else {}
    google, paper = {name: scores[1] for name, scores in ours.items()}, published.TABLE2
    for rho in plans.RHO:
        on, off = f"{rho} on", f"{rho} off"
        found = google[on] - google[off] if ours else None
        yield margin(f"Google: {rho} with weights above without", found, paper[on][1] - paper[off][1])
    yield best("Google: ρ₁ with weights is the best", google, {name: scores[1] for name, scores in paper.items()})
    means = [{name: sum(scores) / 2 for name, scores in table.items()} for table in (ours, paper)]
    yield best("mean of WS-353 and Google: ρ₁ with weights is the best", *means)
    for number, score in enumerate(SCORES):
        column = {name: scores[number] for name, scores in ours.items()}
        theirs = {name: scores[number] for name, scores in paper.items()}
        yield margin(f"{score}: RobiRank below all others", ahead_of_robirank(column), ahead_of_robirank(theirs) or 0)
        found = column[plans.USUAL] - column["RobiRank"] if ours else None
        text = f"{score}: RobiRank {FAR:g} points or more below ρ₁ with weights"
        yield margin(text, found, theirs[plans.USUAL] - theirs["RobiRank"], least=FAR)


def ahead_of_robirank(column: dict[str, float]) -> float | None:
    """Return how far the worst of the others is ahead of it."""
    return min(column[name] for name in column if name != "RobiRank") - column["RobiRank"] if column else None


def best(text: str, ours: dict[str, float], paper: dict[str, float]) -> Claim:
    """Return whether the usual column is the best; tell by how much, or which is."""

    def lead(table: dict[str, float]) -> str:
        second = max((name for name in table if name != plans.USUAL), key=table.__getitem__)
        return f"{table[plans.USUAL]:.1f}, {second} {table[second]:.1f}"

    if not ours:
        return Claim(text, "", lead(paper), None)
    return Claim(text, lead(ours), lead(paper), max(ours, key=ours.__getitem__) == plans.USUAL)


def margin(text: str, found: float | None, paper: float, least: float = 0.0) -> Claim:
    """Return whether a difference is above what is asked for."""
    shown = "" if found is None else f"{found:+.1f}"
    return Claim(text, shown, f"{paper:+.1f}", None if found is None else found > least)


def about_sizes(groups: Sequence[Group]) -> Iterator[Claim]:
    """Yield WordRank's lead at every size: on WS-353 any, on Google the paper's margins up to 64M tokens."""
    for other in OTHERS:
        similarity, analogy = (leads(groups, other, score) for score in SCORES)
        for tokens, lead in similarity.items():
            paper = papers_lead(tokens, other, 0)
            text = f"WS-353, {size(tokens)} tokens: WordRank ahead of {NAMES[other]}"
            yield Claim(text, f"{lead:+.1f}", "" if paper is None else f"{paper:+.1f}", lead > 0)
        for tokens, lead in analogy.items():
            paper = papers_lead(tokens, other, 1)
            if paper is not None and tokens < LARGEST_MARGIN * (1 + published.NEAR):
                text = f"Google, {size(tokens)} tokens: WordRank ahead of {NAMES[other]} by the paper's margin or more"
                yield Claim(text, f"{lead:+.1f}", f"{paper:+.1f}", round(lead - paper, 6) >= 0)
        if not similarity:
            yield Claim(f"WordRank ahead of {NAMES[other]} at every size", "", "", None)


def papers_lead(tokens: float, other: str, number: int) -> float | None:
    """Return the paper's lead on WS-353 (0) or Google (1) at about this size, if it has one."""
    row = published.scale(tokens)
    return row["wordrank"][number] - row[other][number] if row else None


def about_robustness(groups: Sequence[Group]) -> Iterator[Claim]:
    """Yield whether WordRank's lead grows as the text shrinks, and as more of it is replaced."""
    for other in OTHERS:
        for number, score in enumerate(SCORES):
            lead = f"{score}: the lead over {NAMES[other]} grows"
            found = leads(groups, other, score)
            paper = {tokens: row["wordrank"][number] - row[other][number] for tokens, row in published.SCALE.items()}
            theirs = f"{rise_by_halving(paper):+.2f} a halving, {size(min(paper))} to {size(max(paper))}"
            holds, shown = None, ""
            if len(found) > 1:
                rise = rise_by_halving(found)
                holds, shown = rise > 0, f"{listed(found, map(size, found))}: {rise:+.2f} a halving"
            yield Claim(f"{lead} as the text shrinks", shown, theirs, holds)
            found, holds, shown = noisy_leads(groups, other, score), None, ""
            if len(found) > 1:
                rise = slope([10 * share for share in found], found.values())
                names = (f"{share:.0%}" for share in found)
                holds, shown = rise > 0, f"{listed(found, names)}: {rise:+.2f} for 10% of the tokens"
            yield Claim(f"{lead} with noise", shown, "not measured", holds)


def rise_by_halving(found: dict[float, float]) -> float:
    """Return by how much leads rise when the text is halved."""
    return slope([-np.log2(tokens) for tokens in found], found.values())


def slope(x: Sequence[float], y: Iterable[float]) -> float:
    """Return the slope of the line that fits best."""
    return float(np.polyfit(x, list(y), 1)[0])


def listed(found: dict[float, float], names: Iterable[str]) -> str:
    """Return leads, and where each was found."""
    return ", ".join(f"{lead:+.1f} at {name}" for name, lead in zip(names, found.values(), strict=True))


def leads(groups: Iterable[Group], other: str, score: str) -> dict[float, float]:
    """Return WordRank's lead by tokens, on texts without noise."""
    return _leads([group for group in groups if not group.run["noise"]], other, score, "tokens")


def noisy_leads(groups: Sequence[Group], other: str, score: str) -> dict[float, float]:
    """Return WordRank's lead by the share of noise, on the text that noise was added to."""
    noisy = {(group.run["source"], group.run["tokens"]) for group in groups if group.run["noise"]}
    chosen = [group for group in groups if (group.run["source"], group.run["tokens"]) in noisy]
    return _leads(chosen, other, score, "noise")


def _leads(groups: Iterable[Group], other: str, score: str, key: str) -> dict[float, float]:
    texts: dict[tuple[float, str, int], dict[str, float]] = {}
    for group in groups:
        if group.results and (group.run["trainer"] != "wordrank" or group.variant == plans.USUAL):
            text = (group.run[key], group.run["source"], group.run["tokens"])
            texts.setdefault(text, {})[group.run["trainer"]] = mean(group, score)
    both = {text: scores for text, scores in texts.items() if "wordrank" in scores and other in scores}
    leads: dict[float, list[float]] = {}
    for text in sorted(both):
        leads.setdefault(text[0], []).append(both[text]["wordrank"] - both[text][other])
    return {place: sum(found) / len(found) for place, found in leads.items()}  # of several texts of a size, the mean


def mean(group: Group, score: str) -> float:
    """Return the mean of a group that has results."""
    spread = group.spread(score)
    assert spread is not None
    return spread.mean


def size(tokens: float) -> str:
    """Return a number of tokens as the paper writes it."""
    return f"{tokens / 1e9:.1f}B" if tokens >= 1e9 else f"{tokens / 1e6:.3g}M"
