"""Stop training when the neighbours of words hardly change any more. This needs no test set.

    python early_stopping.py [TEXT] [--settled 0.8]

TEXT has one sentence per line; without it, a small news corpus that comes with gensim is used.
"""

import argparse

from gensim.models.callbacks import CallbackAny2Vec
from gensim.test.utils import datapath
from gensim_wordrank import WordRank


class StopWhenSettled(CallbackAny2Vec):
    """Stops when the ten nearest neighbours of the most frequent words are mostly those of the epoch before."""

    def __init__(self, settled: float, n_words: int = 200) -> None:
        self.settled, self.n_words = settled, n_words
        self.before: set[tuple[str, str]] = set()

    def on_epoch_end(self, model: WordRank) -> bool:
        """Compare neighbours with those of the epoch before; say whether to stop."""
        words = model.wv.index_to_key[: self.n_words]
        now = {(word, near) for word in words for near, _ in model.wv.most_similar(word, topn=10)}
        kept, self.before = len(now & self.before) / len(now), now
        print(f"epoch {model.epochs_done}: {kept:.0%} of the neighbours stayed")
        return kept >= self.settled


def main() -> None:
    """Train until the neighbours stay, 100 epochs at most."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="?", default=datapath("lee_background.cor"))
    parser.add_argument("--settled", type=float, default=0.8)
    options = parser.parse_args()
    model = WordRank(corpus_file=options.text, epochs=100, callbacks=[StopWhenSettled(options.settled)])
    print(f"stopped after epoch {model.epochs_done}")


if __name__ == "__main__":
    main()
