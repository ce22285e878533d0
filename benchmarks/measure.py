"""Train a model in a process of its own, and score its vectors: what compare.py and reproduce.py share."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import smart_open
from gensim.models import KeyedVectors
from gensim_wordrank.evaluation import analogies, read_analogies, read_similarity, similarity
from gensim_wordrank.keyedvectors import combine
from gensim_wordrank.training import whitening
from joblib import cpu_count

# similarity sets: lines of word, word, score
SETS = {
    "WS-353": "ws353.tsv",
    "WS-353 similarity": "ws353_sim.tsv",
    "WS-353 relatedness": "ws353_rel.tsv",
    "MEN": "men3000.tsv",
    "MTurk-287": "mturk287.tsv",
    "Rare Words": "rw2034.tsv",
    "SimLex-999": "simlex999.tsv",
}
ANALOGIES = "google-questions.txt"
# WordRank with one objective and one rate throughout, as in the paper: what its pages and those of parameters compare
ONE_OBJECTIVE = {"alpha": 0.0175, "min_alpha": 0.0175, "rank_scale": 1000.0, "rank_offset": 1000.0, "l2": 0.0075}


def train(trainer: str, text: Path, vectors: Path, parameters: Mapping[str, Any], workers: int) -> dict[str, float]:
    """Train one model and keep its vectors; return its seconds, processor seconds and peak of memory."""
    script = Path(__file__).with_name("train_one.py")
    command = [sys.executable, str(script), trainer, str(text), str(vectors), str(workers), json.dumps(parameters)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{trainer} failed on {text.name} with {dict(parameters)}")
    taken: dict[str, float] = json.loads(done.stdout)
    return taken


def scores(
    vectors: Path, evaluation: Path, sets: Mapping[str, str], styles: tuple[str, ...] = ("raw", "centred")
) -> dict[str, float]:
    """Return 100 times each score: similarity by u, analogies by u + v (word2vec: its own vectors), unknown words 0.

    "in basis" are vectors in the basis that `whitening.usable_basis` finds, in which WordRank's are anyhow
    unless its rate was constant; without v (word2vec) they are whitened.
    """
    saved = np.load(vectors)
    words, u, counts = saved["words"].tolist(), saved["u"], saved["counts"]
    v = saved.get("v", u)
    which = "sum" if "v" in saved else "word"
    result = {}
    for style in styles:
        both, how = (u, v), style
        if style == "in basis":
            new, inverse = whitening.usable_basis(u, v, counts)
            both, how = (whitening.change_basis(u, new), whitening.change_basis(v, inverse)), "raw"
        keyed = keyed_vectors(words, combine(*both, "word", how))
        for name, file in sets.items():
            result[f"{name} {style}"] = 100 * similarity(keyed, read_similarity(evaluation / file)).value
        google = analogies(keyed_vectors(words, combine(*both, which, how)), read_analogies(evaluation / ANALOGIES))
        parts = google.sections()
        found = {"Google": google.value, "Google semantic": parts["semantic"], "Google syntactic": parts["syntactic"]}
        result.update({f"{name} {style}": 100 * value for name, value in found.items()})
    return result


def keyed_vectors(words: list[str], vectors: np.ndarray) -> KeyedVectors:
    """Put vectors under their words."""
    keyed = KeyedVectors(vectors.shape[1])
    keyed.add_vectors(words, vectors)
    return keyed


@cache
def count_tokens(text: Path) -> int:
    """Count the words of a text, which may be compressed."""
    with smart_open.open(text, "rb") as lines:
        return sum(len(line.split()) for line in lines)


def machine() -> str:
    """Return the processor's model and the number of cores."""
    models = [line.partition(":")[2].strip() for line in _cpuinfo() if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {cpu_count()} cores"


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []
