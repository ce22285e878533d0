"""Measure what vectors lose in fewer bytes.

    python benchmarks/quantized.py TEXT [--tokens N] [--sets DIRECTORY] [--plot FILE]

A model is trained on the beginning of a text, and its vectors are exported in each way. Printed are the size of each
file, the cosine with the originals, the share of the ten nearest words that stay, and scores on test sets.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from pathlib import Path

import numpy as np
from gensim_wordrank import WordRank, quantized
from gensim_wordrank.evaluation import bundled_sets, evaluate, read_directory
from gensim_wordrank.plots import Figure, Panel, Series, save
from smart_open import open


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text")
    parser.add_argument("--tokens", type=float, default=1e6)
    parser.add_argument("--sets")
    parser.add_argument("--plot")
    options = parser.parse_args()
    with open(options.text, encoding="utf-8") as file:
        sentences = [line.split() for line in itertools.islice(file, 10**7)]
    ends = np.cumsum(list(map(len, sentences)))
    model = WordRank(sentences[: int(np.searchsorted(ends, options.tokens))], workers=1)
    tests = read_directory(options.sets) if options.sets else bundled_sets()
    print(f"{len(model.wv)} words, {model.vector_size} numbers each")
    rows = [("float32", model.wv.vectors.nbytes, quantized.Loss(1.0, 1.0), model.wv)]
    with tempfile.TemporaryDirectory() as directory:
        for how in quantized.Quantization:
            path = Path(directory, how.value)
            loss = quantized.save(model.wv, path, how.value)
            rows.append((how.value, path.stat().st_size, loss, quantized.load(path)))
    print("| vectors | MB | cosine | neighbours kept |", " | ".join(test.name for test in tests), "|")
    print("|---" * (4 + len(tests)) + "|")
    for name, size, loss, wv in rows:
        scores = (f"{100 * score.value:.1f}" for score in evaluate(wv, tests, unknown="skip"))
        kept = f"{loss.cosine:.5f} | {loss.neighbours:.1%}"
        print(f"| {name} | {size / 1e6:.2f} | {kept} |", " | ".join(scores), "|")
    if options.plot:
        n = len(model.wv)
        points = [
            Series(name, np.array([size / n]), np.array([100 * loss.neighbours]), markers=True)
            for name, size, loss, _ in rows
        ]
        panel = Panel(points, x_label="bytes per word", y_label="nearest words that stay, in %", y_range=(0, 105))
        save(Figure("What vectors lose in fewer bytes", [panel]), options.plot)


if __name__ == "__main__":
    main()
