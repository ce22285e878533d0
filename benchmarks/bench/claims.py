"""What the paper says, and whether it holds: a lead must exceed what seeds and the choice of test items explain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench import published
from bench.groups import DEFAULT, label
from bench.runs import Record
from bench.texts import Text

Lead = tuple[float, float, float]  # points, and the ends of the 95% interval
WEIGHTED, UNWEIGHTED, ROBIRANK = "on", "off", "RobiRank"
# points that count as not competitive
FAR = 10.0
RHO = {"identity": "ρ₀", "log": "ρ₁", "dcg": "ρ₂", "log_t": "ρ₃"}


@dataclass(frozen=True)
class Claim:
    """Something that the paper says, the lead that was found, and the paper's."""

    text: str
    found: Lead | None
    paper: float | None = None
    least: float = 0.0  # points that the lead must have

    @property
    def verdict(self) -> str:
        """Return whether the claim holds; it is undecided if the interval contains the lead that it needs."""
        if self.found is None:
            return "not run"
        _, low, high = self.found
        return "holds" if low > self.least else "does not hold" if high < self.least else "undecided"

    @property
    def row(self) -> list[str]:
        """Return the claim as cells."""
        found = "" if self.found is None else "{:+.1f} ({:+.1f} to {:+.1f})".format(*self.found)
        return [self.text, found, "" if self.paper is None else f"{self.paper:+.1f}", self.verdict]


def column(record: Record) -> str | None:
    """Return the column of Table 2 that a run belongs to.

    Examples
    --------
    >>> column({"trainer": "wordrank", "given": {"preset": "paper", "rank_loss": "dcg", "weighted": False}})
    'ρ₂ off'
    """
    given = record["given"]
    if given.get("preset") != "paper" or "weighted" not in given:
        return None
    return (
        ROBIRANK
        if "rank_scale" in given
        else f"{RHO[given['rank_loss']]} {WEIGHTED if given['weighted'] else UNWEIGHTED}"
    )


class Leads:
    """The comparisons of runs, by the names of both sides."""

    def __init__(self, records: Iterable[Record], leads: Iterable[Record]) -> None:
        runs = {record["id"]: record for record in records}
        self._found: dict[tuple[str, str, str], Mapping[str, Lead]] = {}
        for lead in leads:
            ours, theirs = (runs[lead[side][0]] for side in ("ours", "theirs"))
            key = (str(Text(**ours["text"])), *(column(run) or label(run) for run in (ours, theirs)))
            self._found[key] = {name: tuple(values) for name, values in lead["leads"].items()}

    def of(self, ours: str, theirs: str, name: str, text: str | None = None) -> Lead | None:
        """Return the lead of one side over the other on a set; of several texts, that on the one asked for."""
        for (where, *sides), found in self._found.items():
            if sides == [ours, theirs] and text in (None, where):
                return found.get(name)
        return None


def is_compared(ours: str, theirs: str) -> bool:
    """Return True if a claim compares these columns of Table 2."""
    is_gain = ours.endswith(WEIGHTED) and theirs == ours.replace(WEIGHTED, UNWEIGHTED)
    return is_gain or (ours, theirs) in _RIVALS


BEST = f"ρ₁ {WEIGHTED}"
_RIVALS = {(BEST, f"{rho} {WEIGHTED}") for rho in RHO.values() if rho != "ρ₁"} | {
    (f"ρ₀ {WEIGHTED}", BEST),
    (BEST, ROBIRANK),
}


def about_losses(leads: Leads) -> Iterator[Claim]:
    """Yield what the paper says of weights and rank losses, Table 2."""

    def claim(text: str, ours: str, theirs: str, score: str, least: float = 0.0) -> Claim:
        number = ("WS-353", "Google").index(score)
        margin = published.TABLE2[ours][number] - published.TABLE2[theirs][number]
        return Claim(f"{score}: {text}", leads.of(ours, theirs, score), margin, least)

    for score in ("Google", "WS-353"):
        for rho in RHO.values():
            yield claim(f"{rho} gains by weights", f"{rho} {WEIGHTED}", f"{rho} {UNWEIGHTED}", score)
    for rho in ("ρ₀", "ρ₂", "ρ₃"):
        yield claim(f"ρ₁ ahead of {rho}, with weights", BEST, f"{rho} {WEIGHTED}", "Google")
    yield claim("ρ₀ ahead of ρ₁, with weights", f"ρ₀ {WEIGHTED}", BEST, "WS-353")
    for score in ("WS-353", "Google"):
        yield claim(
            f"RobiRank (α = 1, β = 0) more than {FAR:g} points behind ρ₁ with weights", BEST, ROBIRANK, score, FAR
        )


def about_vectors(leads: Leads, text: str) -> Iterator[Claim]:
    """Yield what the paper says of u and u + v."""
    for name in ("WS-353", "MEN", "MTurk-287", "SimLex-999", "Rare Words"):
        yield Claim(f"{name}: u ahead of u + v", leads.of(DEFAULT, DEFAULT, f"{name}, u + v", text))
    yield Claim("Google: u + v ahead of u", leads.of(DEFAULT, DEFAULT, "Google, u", text))


def about_trainers(leads: Leads, text: str, tokens: int, others: Sequence[str]) -> Iterator[Claim]:
    """Yield WordRank's lead over other trainers on the sets of Table 3, on one text."""
    row = published.scale(tokens)
    for other in others:
        trainer = "glove" if other.startswith("GloVe") else "word2vec"
        for name, number in (("WS-353", 0), ("Google", 1)):
            margin = row["wordrank"][number] - row[trainer][number] if row else None
            yield Claim(f"{name}: ahead of {other}", leads.of(DEFAULT, other, name, text), margin)
        for name, ours, theirs in zip(
            published.SETS, published.TABLE3["wordrank"], published.TABLE3[trainer], strict=True
        ):
            yield Claim(f"{name}: ahead of {other}", leads.of(DEFAULT, other, name, text), ours - theirs)
