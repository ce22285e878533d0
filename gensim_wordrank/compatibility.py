"""Parameters of Word2Vec and of gensim's old Wordrank wrapper: those that are ignored, and those that were renamed."""

from __future__ import annotations

import logging
from collections.abc import Iterable

logger = logging.getLogger(__name__)

# parameters of gensim's Word2Vec that have no effect here, and why
IGNORED = {
    "sample": "pair weights (discount, x_max, epsilon) limit the influence of frequent words",
    "sg": "each word ranks its contexts, as in skip-gram",
    "hs": "there is no softmax",
    "negative": "the number of negatives is fixed",
    "ns_exponent": "negatives are sampled by frequency and reweighted",
    "cbow_mean": "contexts are not averaged",
    "null_word": "windows end at sentence boundaries",
    "batch_words": "the text is read once and counted",
    "hashfxn": "the initial vectors depend only on the seed",
    "shrink_windows": "pairs are weighted by 1/distance instead (distance_weighting)",
}

# parameters of gensim 3, of its Wordrank wrapper and of earlier versions, and what to use instead
RENAMED = {
    "size": "Use 'vector_size'.",
    "iter": "Use 'epochs'; far fewer are needed than in the wrapper.",
    "lrate": "Use 'alpha', or omit it: this solver needs a different rate than the wrapper.",
    "beta": "Use 'rank_offset' (and 'rank_scale' for the paper's alpha).",
    "loss": "Use 'pair_loss'.",
    "reg": "Use 'l2'.",
    "np": "Use 'workers'.",
    "chance": "Use 'discount'.",
    "ensemble": "Use model.vectors('sum', 'scaled') after training.",
    "dump_period": "Save the model in the on_epoch_end of a callback.",
    "out_name": "Use model.save() after training.",
    "sgd_num": "Omit it and use 'epochs'.",
    "period": "Omit it: ranks are always up to date.",
    "cleanup_files": "Omit it: no temporary files remain.",
    "wr_path": "Omit it: no other program is called.",
}


def check_arguments(names: Iterable[str], alpha: float, default_alpha: float) -> None:
    """Log a warning for each ignored argument, and for a rate that suits Word2Vec; raise TypeError for other names.

    Examples
    --------
    >>> from gensim_wordrank.compatibility import check_arguments
    >>> check_arguments(["size"], alpha=0.5, default_alpha=0.5)
    Traceback (most recent call last):
    TypeError: WordRank.__init__() got an unexpected keyword argument 'size'. Use 'vector_size'.
    """
    for name in names:
        if name not in IGNORED:
            remedy = f". {RENAMED[name]}" if name in RENAMED else ""
            raise TypeError(f"WordRank.__init__() got an unexpected keyword argument '{name}'{remedy}")
        logger.warning("'%s' is ignored: %s", name, IGNORED[name])
    if alpha < default_alpha / 3:
        logger.warning(
            "'alpha' is %g, far below the default of %g for this solver: training will be slow. Values for Word2Vec do "
            "not suit WordRank; omit 'alpha' or raise 'epochs'",
            alpha,
            default_alpha,
        )
