"""One run: a trainer on a text with parameters. A finished run is one record, and is not run again.

Training and scoring are separate, so that vectors can be scored on more test sets without training again:
WORK/trained holds the vectors and the cost of each run, and the file of runs one JSON object per line with its scores.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gensim.models import Word2Vec
from gensim_wordrank import WordRank
from gensim_wordrank._utils.atomic_files import write_atomically
from gensim_wordrank._utils.versions import versions

from bench.texts import Text, Texts, describe

HERE = Path(__file__).parents[1]
Record = dict[str, Any]
# parameters that the vectors do not depend on: the text, resources, and what is reported
_NOT_RECORDED = {
    "self", "sentences", "corpus_file", "workers", "cluster", "memory", "callbacks", "progress", "checkpoint",
    "comment", "compute_loss", "trim_rule", "warm_start", "unknown", "batch_words", "hashfxn", "null_word",
    "max_vocab_size", "sorted_vocab",
}  # fmt: skip


@dataclass(frozen=True)
class Run:
    """What makes a run, so that none is needed twice."""

    trainer: str  # a function of bench.trainers
    text: Text
    parameters: Mapping[str, Any]  # as the trainer names them; all others have their defaults

    @property
    def identity(self) -> Record:
        """Return the run as a record; of WordRank and Word2Vec with all parameters, so that changed defaults show."""
        found = {"trainer": self.trainer, "text": asdict(self.text), "given": dict(self.parameters)}
        if self.trainer in _MODELS:
            found["parameters"] = defaults(_MODELS[self.trainer]) | dict(self.parameters)
        if self.trainer == "wordrank":
            found["vectors"] = _recorded_hashes()
        return found

    @property
    def id(self) -> str:
        """Return a name for its files."""
        digest = hashlib.sha256(json.dumps(self.identity, sort_keys=True).encode()).hexdigest()[:12]
        return f"{self.trainer}-{self.text}-{digest}"


def _recorded_hashes() -> list[str]:
    """Return hashes of vectors that the tests record: where they differ, a run with the same parameters does too."""
    of_machines = json.loads((HERE.parent / "tests" / "data" / "recorded.json").read_text()).values()
    return [results[name]["vectors"] for results in of_machines for name in ("default", "matrix")]


_MODELS = {"wordrank": WordRank, "word2vec": Word2Vec}


def defaults(model: type) -> dict[str, Any]:
    """Return the default parameters of a model that its vectors depend on."""
    parameters = inspect.signature(model.__init__).parameters
    return {name: p.default for name, p in parameters.items() if name not in _NOT_RECORDED}


def train(run: Run, texts: Texts, directory: Path) -> Record:
    """Train unless it was done before; return the record of the training."""
    record, vectors = directory / f"{run.id}.json", directory / f"{run.id}.npz"
    if not record.exists():
        text = texts.file(run.text).absolute()
        command = ["-m", "bench.trainers", run.trainer, str(text), str(vectors), json.dumps(dict(run.parameters))]
        done = subprocess.run([sys.executable, *command], cwd=HERE, stdout=subprocess.PIPE, text=True, check=True)
        found = run.identity | {"id": run.id, "source": describe(text), **json.loads(done.stdout)}
        found |= {"commit": commit(), "machine": machine(), "versions": versions()}
        write(record, json.dumps(found))
    loaded: Record = json.loads(record.read_text())
    return loaded


def read(path: Path) -> dict[str, Record]:
    """Return the records of a file of runs, by their ids."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {record["id"]: record for record in map(json.loads, lines)}


def store(records: Iterable[Record], path: Path) -> None:
    """Write a file of runs."""
    write(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))


def write(path: Path, content: str) -> None:
    """Replace a text file by a complete new one."""
    write_atomically(path, lambda name: Path(name).write_text(content, encoding="utf-8"))


def commit() -> str:
    """Return the commit of this package, with a plus sign if files of it were changed since."""
    found = subprocess.run(["git", "describe", "--always", "--abbrev=12", "--dirty=+"], cwd=HERE, capture_output=True)
    return found.stdout.decode().strip() or "unknown"


def machine() -> str:
    """Return the model of the processor."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
