"""One run: a trainer on a text with parameters and a seed. A finished run is a JSON file, and is not run again.

The file holds the run, its vocabulary, seconds, peak of memory, scores, machine and versions. It is written under
another name and renamed, so several processes can work on one directory.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import measure
import numpy as np
from gensim_wordrank._utils.atomic_files import write_atomically
from gensim_wordrank._utils.versions import versions

from paper import texts

# what is done to vectors before they are scored
STYLES = ("raw", "centred", "scaled")
Result = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """What makes a run, so that no two of its kind are needed.

    Attributes
    ----------
    trainer : str
        wordrank, word2vec or glove.
    source : Path
        The text; its name, without endings, stands for it.
    tokens : int
        How many of its first tokens are trained on.
    noise : float
        The share of these that is replaced.
    parameters : dict
        By gensim's names, with the seed; those that are not there are the trainer's defaults.
    """

    trainer: str
    source: Path
    tokens: int
    noise: float
    parameters: dict[str, Any]

    @property
    def identity(self) -> Result:
        """The run as numbers and words, the same wherever its text is."""
        return asdict(self) | {"source": texts.name_of(self.source)}

    @property
    def file(self) -> str:
        """The name of its file."""
        digest = hashlib.sha256(json.dumps(self.identity, sort_keys=True).encode()).hexdigest()[:12]
        return f"{self.trainer}-{self.tokens}-{self.noise:g}-seed{self.parameters['seed']}-{digest}.json"


def results(runs: Iterable[Run], work: Path) -> Iterator[tuple[Run, Result | None]]:
    """Yield each run with its result, or with None if it has not been run."""
    for run in runs:
        path = work / run.file
        yield run, json.loads(path.read_text()) if path.exists() else None


def stored(work: Path) -> list[Result]:
    """Return the results of all finished runs."""
    return [json.loads(path.read_text()) for path in sorted(work.glob("*.json"))]


def perform(runs: Iterable[Run], work: Path, evaluation: Path, workers: int) -> bool:
    """Do the runs that have not been done, one after another; return whether all are."""
    work.mkdir(parents=True, exist_ok=True)
    whole, can_glove = True, shutil.which("glove") is not None
    for run in runs:
        if (work / run.file).exists() or (run.trainer == "glove" and not can_glove):
            continue
        try:
            result = done(run, work, evaluation, workers)
        except (RuntimeError, OSError) as error:  # the others are still wanted
            print(f"failed: {error}", flush=True)
            whole = False
            continue
        keep(result, work / run.file)
        shown = {name: round(value, 1) for name, value in result["scores"].items() if name.endswith("raw")}
        print(run.file, f"{result['seconds']:.0f} s", shown, flush=True)
    return whole


def keep(result: Result, path: Path) -> None:
    """Write the file of a run."""

    def fill(name: str) -> None:
        Path(name).write_text(json.dumps(result, indent=1))

    write_atomically(path, fill)


def done(run: Run, work: Path, evaluation: Path, workers: int) -> Result:
    """Train, score, and tell all about it; the vectors are not kept."""
    text = texts.prepared(run.source, run.tokens, run.noise, work / "texts")
    with tempfile.TemporaryDirectory(dir=work) as scratch:
        vectors = Path(scratch, "vectors.npz")
        cost = measure.train(run.trainer, text, vectors, run.parameters, workers)
        scores = measure.scores(vectors, evaluation, measure.SETS, STYLES)
        words = len(np.load(vectors)["words"])
    found = {"words": words, "workers": workers, **cost, "scores": scores}
    return run.identity | found | {"machine": measure.machine(), "versions": versions()}
