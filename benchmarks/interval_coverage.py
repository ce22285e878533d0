"""Measure how often the intervals of neighbours hold, on a text cut in two halves.

    python benchmarks/interval_coverage.py TEXT [--tokens N] [--split N] [--results FILE] [--plot FILE]

The text is cut into pieces of about 2,500 words, and these are divided into two halves at random. A model is trained on
each half, and `stability` on the first. Of the intervals for the neighbours of random words, and for random pairs, the
share is printed that holds the cosine in the model of the second half; and the cost of a resample. The result is
added to a file, so that sizes and splits can be measured one by one; --plot draws all of them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import process_time

import numpy as np
from gensim_wordrank import WordRank
from gensim_wordrank.analysis.stability import TRUSTED_SHARE
from gensim_wordrank.plots import Figure, Panel, Series, save
from smart_open import open

PIECE, N_WORDS = 2500, 500


def halves(path: str, n_tokens: int, seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Return two halves of the beginning of a text."""
    sentences, size = [], 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            sentences.append((size // PIECE, line.split()))
            size += len(sentences[-1][1])
            if size >= n_tokens:
                break
    pieces = np.random.default_rng(seed).permutation(sentences[-1][0] + 1)
    first = set(pieces[: len(pieces) // 2].tolist())
    one = [words for piece, words in sentences if piece in first]
    return one, [words for piece, words in sentences if piece not in first]


def measure(path: str, n_tokens: int, seed: int) -> dict[str, float]:
    """Print how one split ended; return the tokens of a half, and the shares of intervals that hold."""
    one, other = halves(path, n_tokens, seed)
    times = [process_time()]
    model = WordRank(one, workers=1)
    times.append(process_time())
    stability = model.stability(one)
    times.append(process_time())
    second = WordRank(other, workers=1).wv
    random = np.random.default_rng(seed)
    shared = [word for word in model.wv.index_to_key if word in second]
    near, pairs, agreement, overlap = [], [], [], []
    for word in random.permutation(shared)[:N_WORDS].tolist():
        found = stability.most_similar(word)
        near += [n.low <= second.similarity(word, n.word) <= n.high for n in found if n.word in second]
        interval = stability.similarity(word, partner := shared[random.integers(len(shared))])
        if partner != word:
            pairs.append(interval.low <= second.similarity(word, partner) <= interval.high)
        agreement.append(stability.agreement([word])[0])
        overlap.append(np.isin([n.word for n in found], [key for key, _ in second.most_similar(word)]).mean())
    trusted = np.array(agreement) >= TRUSTED_SHARE
    cost = (times[2] - times[1]) / (times[1] - times[0]) / len(stability.resampled)
    n_words = sum(map(len, one))
    print(
        f"split {seed}: {n_words} tokens, {len(model.wv)} words; neighbours {np.mean(near):.1%} of "
        f"{len(near)}, random pairs {np.mean(pairs):.1%} of {len(pairs)}; {trusted.mean():.0%} of the words are "
        f"trusted: the halves share {np.mean(np.array(overlap)[trusted]):.0%} of their neighbours, and "
        f"{np.mean(np.array(overlap)[~trusted]):.0%} of those of others; a resample costs {cost:.2f} trainings",
        flush=True,
    )
    shares = {"neighbours": float(np.mean(near)), "random pairs": float(np.mean(pairs))}
    return {"asked": n_tokens, "tokens": n_words, **shares}


def draw(results: list[dict[str, float]], path: str) -> None:
    """Draw the shares of intervals that hold, with bars from the lowest to the highest split."""
    groups = [[row for row in results if row["asked"] == asked] for asked in sorted({row["asked"] for row in results})]
    sizes = np.array([np.mean([row["tokens"] for row in rows]) for rows in groups])
    curves = []
    for name in ("neighbours", "random pairs"):
        shares = [100 * np.array([row[name] for row in rows]) for rows in groups]
        ends = (np.array([function(each) for each in shares]) for function in (np.mean, np.min, np.max))
        curves.append(Series(name, sizes, *ends, markers=True))
    curves += [Series(f"{share}%", sizes, np.full(len(sizes), float(share))) for share in (93, 97)]
    axes = {"x_label": "tokens in a half", "y_label": "95% intervals that hold, in %", "log_x": True}
    save(Figure("Coverage on a text cut in halves", [Panel(curves, **axes, y_range=(90, 100))]), path)


def main() -> None:
    """Measure one split; draw all that were measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text")
    parser.add_argument("--tokens", type=float, default=1e6)
    parser.add_argument("--split", type=int, default=0)
    parser.add_argument("--results", help="add the result to this file of JSON lines")
    parser.add_argument("--plot", help="draw all results of the file")
    options = parser.parse_args()
    results = [measure(options.text, options.tokens, options.split)]
    if options.results:
        with Path(options.results).open("a+", encoding="utf-8") as file:
            file.write(json.dumps(results[0]) + "\n")
            file.seek(0)
            results = [json.loads(line) for line in file]
    if options.plot:
        draw(results, options.plot)


if __name__ == "__main__":
    main()
