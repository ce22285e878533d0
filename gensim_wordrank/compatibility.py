"""Parameters of gensim's Word2Vec that WordRank accepts without using them."""

from __future__ import annotations

import logging
from collections.abc import Iterable

logger = logging.getLogger(__name__)

# and what is done instead
WITHOUT_MEANING = {
    "sample": "pair weights (x_max, epsilon) keep frequent words in check",
    "sg": "contexts are ranked for each word, as in skip-gram",
    "hs": "there is no softmax",
    "negative": "each word is ranked against sampled contexts",
    "ns_exponent": "contexts to rank against are drawn uniformly",
    "cbow_mean": "contexts are not averaged",
    "null_word": "windows end at the borders of a sentence",
    "batch_words": "the text is read once into a matrix",
    "hashfxn": "the start vectors depend on the seed alone",
    "shrink_windows": "pairs are weighted by 1/distance instead (distance_weighting)",
}


def warn_about(names: Iterable[str]) -> None:
    """Log a warning for each parameter without meaning; raise TypeError for one that Word2Vec has not either."""
    for name in names:
        if name not in WITHOUT_MEANING:
            raise TypeError(f"WordRank.__init__() got an unexpected keyword argument '{name}'")
        logger.warning("'%s' has no meaning for WordRank and is ignored: %s", name, WITHOUT_MEANING[name])
