"""A small fixed computation, whose result tells whether two machines compute the same bytes."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.objective import Objective
from gensim_wordrank.training.method import Method
from gensim_wordrank.training.sampled import TrainingConfig, sampled_epoch
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State
from gensim_wordrank.types import Solver


def fingerprint() -> str:
    """Return a checksum of vectors that were trained on a small fixed problem, with sampled ranks and with stored xi.

    Examples
    --------
    >>> from gensim_wordrank.training.fingerprint import fingerprint
    >>> fingerprint() == fingerprint(), len(fingerprint())
    (True, 16)
    """
    n, size = 48, 20
    # integers by a rule, not by a random generator: the same with every version of NumPy
    numbers = np.arange(n * n, dtype=np.int64).reshape(n, n) * 7919 % 101
    counts = Cooccurrence.from_matrix(np.where(numbers < 40, numbers, 0).astype(np.float32))
    vectors = ((np.arange(2 * n * size, dtype=np.int64) * 104_729 % 1009 - 504) / np.float32(1024)).astype(np.float32)
    words, contexts = vectors.reshape(2, n, size)
    ones = np.ones(n, np.float32)
    start = State(words, contexts, 0 * ones, ones, ones)
    summary, objective = counts.summarize(), Objective(rank_scale=20.0, rank_offset=20.0)
    result = blake2b(digest_size=8)
    for solver in (Solver.SAMPLED, Solver.STORED):
        config = TrainingConfig.of(summary, objective, size, 1, Method(solver))
        state = sampled_epoch(config, counts, start, SchedulePoint(learning_rate=0.1, sharpness=5.0), workers=1)[0]
        for array in (state.words, state.contexts, state.bias, state.word_accumulator, state.context_accumulator):
            result.update(array.tobytes())
    return result.hexdigest()
