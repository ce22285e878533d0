"""Train vectors on your own text, look at neighbours, and draw the words.

    python train_your_text.py [TEXT] [--words WORD ...] [--start VECTORS] [--epochs 10] [--out DIRECTORY]

TEXT has one sentence or paragraph per line; without it, a small news corpus that comes with gensim is used. VECTORS, in
word2vec's text format, are vectors to start from: for a small text of a special field, use those of a large general
text, and fewer epochs.
"""

import argparse
from pathlib import Path

from gensim.models import KeyedVectors
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess
from gensim_wordrank import WordRank
from gensim_wordrank.plots import save, word_map
from smart_open import open as open_text


def read_tokens(path: str) -> list[list[str]]:
    """Return the words of each line in lower case, without punctuation."""
    with open_text(path, encoding="utf-8") as lines:
        return [simple_preprocess(line) for line in lines]


def main() -> None:
    """Train, print neighbours, and write model, vectors and picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="?", default=datapath("lee_background.cor"))
    parser.add_argument("--words", nargs="+", help="by default three of the text, from frequent to rare")
    parser.add_argument("--start")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--out", type=Path, default=Path("vectors"))
    options = parser.parse_args()

    start = KeyedVectors.load_word2vec_format(options.start) if options.start else None
    model = WordRank(
        read_tokens(options.text),
        vector_size=start.vector_size if start else 100,
        warm_start=start,
        epochs=options.epochs,
        progress=True,
    )
    options.out.mkdir(parents=True, exist_ok=True)
    model.save(options.out / "text.model")
    model.wv.save_word2vec_format(str(options.out / "vectors.txt"))

    known = [word for word in options.words or [] if word in model.wv]
    for word in set(options.words or []) - set(known):
        print(f"{word} is not in the vocabulary")
    words = known or [model.wv.index_to_key[len(model.wv) * part // 10] for part in (1, 3, 6)]
    for word in words:
        print(f"{word}: {', '.join(near for near, _ in model.wv.most_similar(word, topn=7))}")
    save(word_map(model.wv, words, topn=15), options.out / "words.html")
    print(f"{len(model.wv)} vectors and words.html are in {options.out}")


if __name__ == "__main__":
    main()
