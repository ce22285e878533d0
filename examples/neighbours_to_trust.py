"""Show which neighbours of words would be found in another sample of the text.

    python neighbours_to_trust.py [TEXT [WORD]...]

TEXT has one sentence per line. Without it, the 300 news stories that come with gensim are used.
"""

import argparse

from gensim.test.utils import datapath
from gensim_wordrank import WordRank


def main() -> None:
    """Train, resample the text and print neighbours with intervals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="?", default=datapath("lee_background.cor"))
    parser.add_argument("words", nargs="*", default=["Minister", "tree"])
    options = parser.parse_args()
    model = WordRank(corpus_file=options.text)
    stability = model.stability(corpus_file=options.text)
    for word in options.words:
        print(f"{word}: {'trusted' if stability.is_trusted(word) else 'not trusted'}")
        for near in stability.most_similar(word, topn=5):
            print(f"  {near.cosine:.2f}  ({near.low:.2f} to {near.high:.2f})  {near.share:4.0%}  {near.word}")


if __name__ == "__main__":
    main()
