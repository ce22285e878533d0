"""WordRank with and without subwords beside fastText: quality, processor seconds and memory.

    python benchmarks/subwords.py TEXT --evaluation EVAL --out DIR [--seeds 1 2 3] [--windows 5 15] [--threads 2]

Each model is trained in a process of its own, with its default parameters: WordRank (window 15, 10 epochs) and fastText
skip-gram (5 epochs, n-grams of 3 to 6 letters), both with 100 dimensions and words that occur 5 times. Unknown words
are predicted where a model can, and score 0 elsewhere. fastText is scored with the better of raw and centred vectors,
set by set. `pip install fasttext-wheel` installs fastText. Writes results.json and results.md to DIR.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from gensim_wordrank import WordRank
from gensim_wordrank.evaluation import analogies, evaluate, read_analogies, read_similarity, words_of
from measure import ANALOGIES, SETS, keyed_vectors


def wordrank(text: Path, sets: list[Any], threads: int, **parameters: Any) -> tuple[KeyedVectors, KeyedVectors, float]:
    """Train WordRank; return vectors for similarity and for analogies, and the seconds when they were ready."""
    model = WordRank(corpus_file=text, workers=threads, **parameters)
    sums = model.vectors("sum")
    ready = perf_counter()
    return model.with_words(words_of(sets, model.wv)) if model.subwords else model.wv, sums, ready


def fasttext(text: Path, sets: list[Any], threads: int, window: int) -> tuple[KeyedVectors, KeyedVectors, float]:
    """Train fastText's skip-gram; return the same."""
    import fasttext as program

    model = program.train_unsupervised(str(text), "skipgram", dim=100, ws=window, epoch=5, minCount=5, thread=threads)
    ready = perf_counter()
    known = [word for word in model.get_words() if word != "</s>"]
    unknown = sorted(set(words_of(sets, KeyedVectors(1))) - set(known))
    vectors = np.array([model.get_word_vector(word) for word in known + unknown], np.float32)
    return keyed_vectors(known + unknown, vectors), keyed_vectors(known, vectors[: len(known)]), ready


def centred(keyed: KeyedVectors, n_known: int) -> KeyedVectors:
    """Subtract the mean of the known words."""
    return keyed_vectors(keyed.index_to_key, keyed.vectors - keyed.vectors[:n_known].mean(axis=0))


def run(train: Callable[..., Any], text: Path, evaluation: Path, threads: int, parameters: dict[str, Any]) -> Any:
    """Train and score one model."""
    sets = [read_similarity(evaluation / file) for file in SETS.values()]
    started, cpu = perf_counter(), process_time()
    words, sums, ready = train(text, sets, threads, **parameters)
    taken = {"seconds": ready - started, "processor seconds": process_time() - cpu}
    taken["MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result: dict[str, float] = {}
    styles = [(words, sums)]
    if train is fasttext:
        styles.append((centred(words, len(sums)), centred(sums, len(sums))))
    for similar, analogous in styles:
        values = {name: score.value for name, score in zip(SETS, evaluate(similar, sets), strict=True)}
        google = analogies(analogous, read_analogies(evaluation / ANALOGIES))
        parts = google.sections()
        values |= {"semantic": parts["semantic"], "syntactic": parts["syntactic"], "Google": google.value}
        for name, value in values.items():
            result[name] = max(result.get(name, -100.0), 100 * value)
    return {**result, **taken}


def main() -> None:
    """Train and score all models."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--evaluation", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--windows", type=int, nargs="*", default=[5, 15])
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    models: dict[str, tuple[Any, dict[str, Any]]] = {}
    for seed in options.seeds:
        models[f"WordRank, seed {seed}"] = wordrank, {"seed": seed}
        models[f"WordRank with subwords, seed {seed}"] = wordrank, {"seed": seed, "subwords": True}
    for window in options.windows:
        models[f"fastText, window {window}"] = fasttext, {"window": window}
    results = {}
    for name, (train, parameters) in models.items():
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            arguments = train, options.text, options.evaluation, options.threads, parameters
            results[name] = pool.apply(run, arguments)
        print(name, {key: round(value, 1) for key, value in results[name].items()}, flush=True)
        (options.out / "results.json").write_text(json.dumps(results, indent=1))
        columns = list(results[name])
        lines = [f"| | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
        lines += [
            f"| {model} | {' | '.join(f'{values[key]:.1f}' for key in columns)} |" for model, values in results.items()
        ]
        (options.out / "results.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
