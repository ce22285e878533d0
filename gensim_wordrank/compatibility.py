"""Parameters of other programs: those that WordRank accepts without using them, and those that have a new name."""

from __future__ import annotations

import logging
from collections.abc import Iterable

logger = logging.getLogger(__name__)

# parameters of gensim's Word2Vec, and what is done instead
WITHOUT_MEANING = {
    "sample": "pair weights (discount, x_max, epsilon) keep frequent words in check",
    "sg": "contexts are ranked for each word, as in skip-gram",
    "hs": "there is no softmax",
    "negative": "each word is ranked against sampled contexts",
    "ns_exponent": "frequent contexts are drawn more often, and weighted accordingly",
    "cbow_mean": "contexts are not averaged",
    "null_word": "windows end at the borders of a sentence",
    "batch_words": "the text is read once into a matrix",
    "hashfxn": "the start vectors depend on the seed alone",
    "shrink_windows": "pairs are weighted by 1/distance instead (distance_weighting)",
}

# parameters of gensim 3 and of its Wordrank wrapper, and what to write instead
RENAMED = {
    "size": "Use 'vector_size'.",
    "iter": "Use 'epochs'; far fewer are needed than in the wrapper.",
    "lrate": "Use 'alpha', or leave it out: the usual one suits this solver, the wrapper's does not.",
    "beta": "Use 'rank_offset' (and 'rank_scale' for the paper's alpha).",
    "loss": "Use 'pair_loss'.",
    "reg": "Use 'l2'.",
    "np": "Use 'workers'.",
    "ensemble": "Use model.vectors('sum', 'scaled') after training.",
    "dump_period": "Save from the on_epoch_end of a callback.",
    "out_name": "Use model.save() after training.",
    "sgd_num": "Leave it out and use 'epochs'.",
    "period": "Leave it out: ranks are always fresh.",
    "cleanup_files": "Leave it out: nothing is left behind.",
    "wr_path": "Leave it out: there is no other program to call.",
}


def warn_about_low_alpha(alpha: float, usual: float) -> None:
    """Log a warning for a learning rate that suits Word2Vec and here leaves the vectors half trained."""
    if alpha < usual / 3:
        logger.warning(
            "'alpha' is %g, and the usual one of this solver is %g: training will be slow. Word2Vec's values do not "
            "suit WordRank; leave it out, or raise 'epochs'",
            alpha,
            usual,
        )


def check_ignored(names: Iterable[str]) -> None:
    """Log a warning for each parameter without meaning; raise TypeError for one with a new name, or unknown.

    Examples
    --------
    >>> from gensim_wordrank.compatibility import check_ignored
    >>> check_ignored(["size"])
    Traceback (most recent call last):
    TypeError: WordRank.__init__() got an unexpected keyword argument 'size'. Use 'vector_size'.
    """
    for name in names:
        if name not in WITHOUT_MEANING:
            remedy = f". {RENAMED[name]}" if name in RENAMED else ""
            raise TypeError(f"WordRank.__init__() got an unexpected keyword argument '{name}'{remedy}")
        logger.warning("'%s' has no meaning for WordRank and is ignored: %s", name, WITHOUT_MEANING[name])
