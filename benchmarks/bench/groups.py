"""Runs that differ in their seeds alone, under the names that tables have for them."""

from __future__ import annotations

from collections.abc import Iterable

from bench.runs import Record
from bench.texts import Text

DEFAULT, SUBWORDS = "WordRank", "WordRank, subwords"


def label(record: Record) -> str:
    """Return what a run is called in tables; runs that differ in their seeds have one name.

    Examples
    --------
    >>> label({"trainer": "word2vec", "given": {"sg": 1, "window": 5, "epochs": 20, "seed": 1}})
    'Word2Vec, skip-gram, window 5, 20 epochs'
    """
    given = {
        name: value for name, value in record["given"].items() if name not in ("seed", "max_final_vocab", "max_vocab")
    }
    if record["trainer"] == "wordrank":
        names = {
            "subwords": "subwords",
            "preset": f"preset {given.get('preset')!r}",
            "epochs": f"{given.get('epochs')} epochs",
        }
        return ", ".join(["WordRank", *(names.get(name) or f"{name} {value}" for name, value in given.items())])
    if record["trainer"] == "word2vec":
        if not given:
            return "Word2Vec, gensim's defaults (CBOW, window 5, 5 epochs)"
        return f"Word2Vec, skip-gram, window {given['window']}, {given['epochs']} epochs"
    if record["trainer"] == "ppmi_svd":
        return f"PPMI-SVD, window {given['window']}, eigenvalues to the power {given['eigenvalue_weighting']:g}"
    if record["trainer"] == "glove":
        return f"GloVe, window {given['window']}, {given['iter']} iterations"
    return "fastText, skip-gram with n-grams, window 5, 5 epochs"


def grouped(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Put runs that differ in their seeds alone into groups, by their label, in the order of the plan."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(label(record), []).append(record)
    return groups


def on(records: Iterable[Record], text: Text) -> list[Record]:
    """Return the runs on a text."""
    return [
        record
        for record in records
        if record["text"] == {"source": text.source, "tokens": text.tokens, "noise": text.noise}
    ]
