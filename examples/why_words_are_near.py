"""Show why words are near: the contexts that they share, and places in the text.

    python why_words_are_near.py [TEXT WORD OTHER]

TEXT has one sentence per line. Without it, the 300 news stories that come with gensim are used.
"""

import argparse

from gensim.test.utils import datapath
from gensim_wordrank import WordRank


def main() -> None:
    """Train and explain a cosine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="?", default=datapath("lee_background.cor"))
    parser.add_argument("word", nargs="?", default="India")
    parser.add_argument("other", nargs="?", default="Pakistan")
    options = parser.parse_args()
    model = WordRank(corpus_file=options.text)
    print(model.explain(options.word, options.other, topn=4, corpus_file=options.text))


if __name__ == "__main__":
    main()
