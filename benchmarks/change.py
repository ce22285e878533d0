"""Measure how often `Change` finds changes that are there, and changes that are not.

    python benchmarks/change.py TEXT [--tokens N] [--split N] [--resamples N] [--changes]

A text is cut into two halves at random, as in interval_coverage.py, and compared. With --changes, some pairs of words
of about the same frequency are exchanged in the second, all occurrences or half of them; and three quarters of the
occurrences of some other words are removed, which changes their frequency but not their meaning. Printed are the shares
of the words that are found.
"""

from __future__ import annotations

import argparse
from collections import Counter
from time import process_time

import numpy as np
from gensim_wordrank import Change
from interval_coverage import halves

N_GROUPS, LEVEL = 4, 0.05
# counts in both halves of the words that are changed
RANGES = ((50, 100), (100, 400), (400, 2000))


def changed(sentences: list[list[str]], words: list[str], random: np.random.Generator) -> tuple[list, dict[str, str]]:
    """Return a text in which words have been exchanged or thinned, and what was done to each."""
    kinds, partners = {}, {}
    for start in range(0, len(words) - 4, 5):
        one, other, three, four, five = words[start : start + 5]
        kinds |= dict.fromkeys((one, other), "exchanged") | dict.fromkeys((three, four), "half exchanged")
        kinds[five] = "thinned"
        partners |= {one: other, other: one, three: four, four: three}

    def change(word: str) -> str | None:
        kind = kinds.get(word)
        if kind == "thinned" and random.random() < 0.75:
            return None
        if kind == "exchanged" or (kind == "half exchanged" and random.random() < 0.5):
            return partners[word]
        return word

    return [[new for word in sentence if (new := change(word)) is not None] for sentence in sentences], kinds


def main() -> None:
    """Print one line per kind and frequency of words."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text")
    parser.add_argument("--tokens", type=float, default=1e6)
    parser.add_argument("--split", type=int, default=0)
    parser.add_argument("--resamples", type=int, default=20)
    parser.add_argument("--changes", action="store_true")
    options = parser.parse_args()
    random, (one, other) = np.random.default_rng(options.split), halves(options.text, options.tokens, options.split)
    counts = Counter(word for sentence in [*one, *other] for word in sentence)
    kinds: dict[str, str] = {}
    if options.changes:
        chosen: list[str] = []
        for low, high in RANGES:
            words = [word for word, count in counts.most_common() if low <= count < high]
            start = 5 * random.permutation(max(1, len(words) // 5))[:N_GROUPS]
            chosen += [word for i in start.tolist() for word in words[i : i + 5]]
        other, kinds = changed(other, chosen, random)
    report({"one": one, "other": other}, counts, kinds, options.resamples)


def report(texts: dict[str, list[list[str]]], counts: Counter, kinds: dict[str, str], resamples: int) -> None:
    """Print which words of each kind and frequency are found."""
    started = process_time()
    change = Change.of(texts, resamples, workers=1)
    found = change.most_changed(len(change.words))
    print(f"{len(found)} words, {process_time() - started:.0f} s, {resamples} resamples")
    for kind in ("unchanged", "thinned", "half exchanged", "exchanged"):
        for low, high in ((0, 50), *RANGES):
            rows = [
                (each.p_value <= LEVEL, each.q_value <= LEVEL, each.cosine, each.expected)
                for each in found
                if kinds.get(each.word, "unchanged") == kind and low <= counts[each.word] < high
            ]
            if rows:
                p, q, cosine, expected = np.mean(rows, axis=0)
                print(
                    f"  {kind}, {low} to {high - 1}: {len(rows)} words, p <= 5%: {p:.1%}, q <= 5%: {q:.1%}, "
                    f"cosine {cosine:.2f}, expected {expected:.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
