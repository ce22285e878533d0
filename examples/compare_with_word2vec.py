"""Train WordRank and Word2Vec on the same text, and test whether their scores differ by more than noise.

    python compare_with_word2vec.py [TEXT] [--sets DIRECTORY]

TEXT has one sentence per line. Without it, a small news corpus that comes with gensim is used, which is far too small
to tell the two apart.
"""

import argparse
from time import perf_counter

from gensim.models import Word2Vec
from gensim.test.utils import datapath
from gensim_wordrank import WordRank
from gensim_wordrank.evaluation import bundled_sets, compare, evaluate, read_directory


def main() -> None:
    """Train both models, score them, and print one line per test set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="?", default=datapath("lee_background.cor"))
    parser.add_argument("--sets")
    options = parser.parse_args()
    started = perf_counter()
    ours = WordRank(corpus_file=options.text)
    print(f"WordRank: {perf_counter() - started:.1f} s")
    started = perf_counter()
    theirs = Word2Vec(corpus_file=options.text, window=15, sg=1)
    print(f"Word2Vec: {perf_counter() - started:.1f} s")

    tests = bundled_sets() + (read_directory(options.sets) if options.sets else [])
    our_scores = evaluate(ours.wv, tests, ours.vectors("sum"))
    for one, other in zip(our_scores, evaluate(theirs.wv, tests), strict=True):
        difference = compare(one, other)
        verdict = "more than noise" if difference.is_significant else "may be noise"
        print(
            f"{one.name:16} {100 * one.value:5.1f} against {100 * other.value:5.1f}, "
            f"{one.unknown_share:.0%} unknown: {verdict}"
        )


if __name__ == "__main__":
    main()
