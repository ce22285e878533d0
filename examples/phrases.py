"""Find phrases such as new_york in a text, and train vectors of words and phrases.

    python phrases.py [TEXT]

TEXT has one sentence or paragraph per line; without it, a small news corpus that comes with gensim is used.
"""

import argparse

from gensim.models.phrases import ENGLISH_CONNECTOR_WORDS, Phrases
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess
from gensim_wordrank import WordRank
from smart_open import open as open_text


def main() -> None:
    """Find phrases, train, and print the neighbours of the most frequent phrases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="?", default=datapath("lee_background.cor"))
    with open_text(parser.parse_args().text, encoding="utf-8") as lines:
        sentences = [simple_preprocess(line) for line in lines]

    # npmi is 0 for two words that stand together as often as chance has it, and 1 if they never stand apart
    bigrams = Phrases(sentences, min_count=5, threshold=0.6, scoring="npmi", connector_words=ENGLISH_CONNECTOR_WORDS)
    model = WordRank(bigrams[sentences], vector_size=50)

    phrases = [word for word in model.wv.index_to_key if "_" in word]
    print(f"{len(phrases)} of {len(model.wv)} words are phrases")
    for phrase in phrases[:10]:
        print(f"{phrase}: {', '.join(near for near, _ in model.wv.most_similar(phrase, topn=5))}")


if __name__ == "__main__":
    main()
