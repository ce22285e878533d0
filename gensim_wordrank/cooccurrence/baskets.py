"""Co-occurrence counts of items in baskets: in how many both are, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from gensim_wordrank._utils import validation
from gensim_wordrank.cooccurrence.matrix import Cooccurrence


def basket_counts(baskets: Iterable[Iterable[Any]]) -> Cooccurrence:
    """Return in how many baskets each two items are together; the counts of the items are the baskets that hold them.

    Parameters
    ----------
    baskets : iterable of iterables of items
        Items are strings or other hashable objects. One that is in a basket twice counts once.

    Examples
    --------
    >>> from gensim_wordrank.cooccurrence.baskets import basket_counts
    >>> counts = basket_counts([["jam", "bread"], ["bread", "jam", "tea"], ["tea", "bread"]])
    >>> counts.words, counts.counts.tolist(), counts.matrix.toarray().tolist()
    (['jam', 'bread', 'tea'], [2, 3, 2], [[0.0, 2.0, 1.0], [2.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    """
    number: dict[Any, int] = {}
    columns: list[int] = []
    ends = [0]
    if isinstance(baskets, (str, bytes)):
        raise validation.parameter_error("baskets", "an iterable of baskets", type(baskets).__name__)
    for basket in baskets:
        if isinstance(basket, (str, bytes)):
            raise validation.parameter_error("baskets", "an iterable of iterables of items", repr(basket))
        columns.extend(number.setdefault(item, len(number)) for item in dict.fromkeys(basket))
        ends.append(len(columns))
    shape = len(ends) - 1, len(number)
    held = sparse.csr_matrix((np.ones(len(columns), np.float32), columns, ends), shape)
    together = sparse.csr_matrix(held.T @ held)
    in_baskets = together.diagonal().astype(np.int64)
    together.setdiag(0)
    return Cooccurrence.from_matrix(together, list(number), in_baskets)
