"""Permutation tests of many words at once: which values are too low to be those of a random division of the text."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import uniform_filter1d

from gensim_wordrank.types import Floats

# words that are about as frequent, whose mean variance counts as much as so many divisions of the word itself
SIMILAR_WORDS, PRIOR_DIVISIONS = 200, 10


def scores(values: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Return how far each value is below those of the other random divisions, in standard deviations; and their mean.

    Parameters
    ----------
    values : array of float64
        By division and word, words in order of frequency. The first division is the one in question; all others are
        random.
    sizes : array of float64
        Of the same shape: what the values depend on linearly besides, such as the logarithms of counts.

    Returns
    -------
    scores : array of float64
        For every division, compared with the random ones except itself.
    expected : array of float64
        The mean of the random divisions of each word, at the size of the first.
    """
    random, random_sizes = values[1:] - values[1:].mean(axis=0), sizes[1:] - sizes[1:].mean(axis=0)
    spread = float((random_sizes**2).sum())
    slope = float((random * random_sizes).sum()) / spread if spread else 0.0
    adjusted = values - slope * sizes
    result = np.empty_like(adjusted)
    for number, of_division in enumerate(adjusted):
        others = np.delete(adjusted, [0, number], axis=0)
        n, variances = len(others), others.var(axis=0, ddof=1)
        of_similar = uniform_filter1d(variances, min(SIMILAR_WORDS, len(variances)), mode="nearest")
        variances = ((n - 1) * variances + PRIOR_DIVISIONS * of_similar) / (n - 1 + PRIOR_DIVISIONS)
        deviations = np.sqrt(np.maximum(variances, np.finfo(np.float64).tiny) * (1 + 1 / n))
        result[number] = (others.mean(axis=0) - of_division) / deviations
    return result, adjusted[1:].mean(axis=0) + slope * sizes[0]


def p_values(scores: Floats) -> Floats:
    """Return, for each word of the first division, the share of scores of random divisions that are as high or higher.

    Scores of all words and random divisions are pooled, so that a few divisions give small p-values.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim_wordrank.analysis.permutation import p_values
    >>> p_values(np.array([[2.5, 0.0], [1.0, 2.0], [-1.0, 3.0]])).tolist()
    [0.4, 0.8]
    """
    null = np.sort(scores[1:], axis=None)
    higher = len(null) - np.searchsorted(null, scores[0], side="left")
    result: Floats = (higher + 1) / (len(null) + 1)
    return result
