"""Show which words are used differently in two texts, and between which neighbours they moved.

    python words_that_changed.py [FIRST SECOND]

Both texts have one sentence per line. Without them, Wikipedia articles and news stories that come with gensim are used.
"""

import argparse
from pathlib import Path

from gensim.corpora import WikiCorpus
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess
from gensim_wordrank import Change
from gensim_wordrank.plots import change_map, save

ARTICLES = datapath("enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2")


def read_samples() -> dict[str, list[list[str]]]:
    """Return the beginning of the articles, in pieces of 200 words, and 300 news stories."""
    articles = WikiCorpus(ARTICLES, dictionary={}, processes=1).get_texts()
    pieces = [words[i : i + 200] for words in articles for i in range(0, len(words), 200)]
    stories = Path(datapath("lee_background.cor")).read_text(encoding="utf-8").splitlines()
    return {"Wikipedia": pieces[:500], "news": [simple_preprocess(story) for story in stories]}


def main() -> None:
    """Compare the texts, print the words that changed most and draw them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="*")
    options = parser.parse_args()
    texts = {text: text for text in options.texts} or read_samples()
    change = Change.of(texts, resamples=10, vector_size=50, epochs=5)
    found = change.most_changed(8)
    for each in found:
        left, joined = (", ".join(word for word, *_ in side) for side in change.neighbours(each.word, topn=3))
        print(f"{each.word}: {each.cosine:.2f} instead of {each.expected:.2f}, q {each.q_value:.3f}")
        print(f"  from {left} to {joined}")
    save(change_map(change, [each.word for each in found[:4]]), "change.png")


if __name__ == "__main__":
    main()
