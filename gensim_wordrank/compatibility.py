"""Parameters of Word2Vec and of gensim's old Wordrank wrapper: those that are ignored, and those that were renamed."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Iterable, Mapping
from typing import Any

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
}

# Word2Vec's default
NS_EXPONENT = 0.75

# parameters of gensim 3, of its Wordrank wrapper and of earlier versions, and what to use instead
RENAMED = {
    "size": "Use 'vector_size'.",
    "iter": "Use 'epochs'; far fewer are needed than in the wrapper.",
    "lrate": "Use 'alpha', in the units of Word2Vec, or omit it.",
    "beta": "Use 'rank_offset' (and 'rank_scale' for the paper's alpha).",
    "loss": "Use 'pair_loss'.",
    "reg": "Use 'l2'.",
    "np": "Use 'workers'.",
    "chance": "Use 'discount'.",
    "ensemble": "Use model.vectors('sum', 'scaled') after training.",
    "dump_period": "Save the model in the on_epoch_end of a callback.",
    "out_name": "Use model.save() after training.",
    "sgd_num": "Omit it and use 'epochs'.",
    "period": "Use 'xi_period' with solver='stored'.",
    "cleanup_files": "Omit it: no temporary files remain.",
    "wr_path": "Omit it: no other program is called.",
}


# names of ignored parameters that the log has mentioned
_logged: set[str] = set()


def check_names(
    unknown: Iterable[str], known: Iterable[str], function: str = "WordRank.__init__", strict: bool = True
) -> None:
    """Raise TypeError for unknown parameters, with the name of the replacement or of a similar parameter.

    Unless `strict`, names that are like none are ignored.

    Examples
    --------
    >>> from gensim_wordrank.compatibility import check_names
    >>> check_names(["size"], ["vector_size"])
    Traceback (most recent call last):
    TypeError: WordRank.__init__() got an unexpected keyword argument 'size'. Use 'vector_size'.
    >>> check_names(["min_counts"], ["min_count"])
    Traceback (most recent call last):
    TypeError: WordRank.__init__() got an unexpected keyword argument 'min_counts'. Did you mean 'min_count'?
    """
    for name in unknown:
        similar = difflib.get_close_matches(name, known, n=1)
        remedy = RENAMED.get(name) or (f"Did you mean '{similar[0]}'?" if similar else "")
        message = f"{function}() got an unexpected keyword argument '{name}'"
        if remedy or strict:
            raise TypeError(f"{message}. {remedy}" if remedy else message)


def log_ignored(given: Mapping[str, Any]) -> None:
    """Log once per process which parameters of Word2Vec are ignored; warn each time if something is lost."""
    new = [name for name in given if name not in _logged]
    if new:
        _logged.update(new)
        reasons = "; ".join(f"{name} ({IGNORED[name]})" for name in new)
        logger.info("parameters of Word2Vec that WordRank does not need are ignored: %s", reasons)
    exponent = given.get("ns_exponent", NS_EXPONENT)
    if exponent != NS_EXPONENT:
        logger.warning(
            "'ns_exponent' of %s has no effect: negatives are sampled by frequency, and their weights correct for it",
            exponent,
        )
