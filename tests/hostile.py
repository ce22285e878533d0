"""Input that was made to hurt: matrices whose arrays point outside themselves.

    python tests/hostile.py SEED ROUNDS

Runs in a process of its own because it may crash. Each trial must end in a ValueError with a message, or in a result
that can be used. Prints lines of JSON.
"""

import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from gensim_wordrank import Cooccurrence
from scipy import sparse

# ---- SciPy matrices

MATRIX_FORMATS = ("csr", "csc", "bsr", "coo", "lil", "dok")
Change = Callable[[Any, np.random.Generator], bool]  # returns False if the format has no such array


def sparse_matrix(form: str) -> Any:
    """Return a small random matrix."""
    return sparse.random(30, 30, 0.2, format="csr", random_state=0, dtype=np.float32).asformat(form)


def _overwrite(matrix: Any, name: str, random: np.random.Generator) -> bool:
    """Write a number far outside the matrix into an array of indices."""
    if not hasattr(matrix, name):
        return False
    array = getattr(matrix, name).copy()
    array[random.integers(len(array))] = random.choice([-1, 1]) * 10 ** random.integers(2, 9)
    setattr(matrix, name, array)
    return True


def offset(matrix: Any, random: np.random.Generator) -> bool:
    """Damage the offset of a row or column."""
    return _overwrite(matrix, "indptr", random)


def index(matrix: Any, random: np.random.Generator) -> bool:
    """Damage the row or column of an entry."""
    if matrix.format == "lil":
        row = int(random.integers(1, 30))
        matrix.rows[row], matrix.data[row] = [int(random.choice([-99, 30, 10**8]))], [1.0]
        return True
    if matrix.format == "dok":
        matrix._dict[(int(random.choice([-99, 30, 10**8])), 0)] = 1.0
        return True
    return _overwrite(matrix, str(random.choice(["row", "col"])) if matrix.format == "coo" else "indices", random)


def length(matrix: Any, random: np.random.Generator) -> bool:
    """Cut an array."""
    if matrix.format == "lil":
        matrix.rows[3] = [1, 2, 3, 4, 5, 6]
        return True
    arrays = ("indptr", "indices", "row", "col", "data")
    names = [name for name in arrays if isinstance(getattr(matrix, name, None), np.ndarray)]
    if not names:
        return False
    name = str(random.choice(names))
    setattr(matrix, name, getattr(matrix, name)[: -int(random.integers(1, 9))])
    return True


def kind(matrix: Any, random: np.random.Generator) -> bool:
    """Make indices floats, with NaN among them."""
    if not hasattr(matrix, "indptr"):
        return False
    matrix.indptr = matrix.indptr.astype(float)
    matrix.indptr[random.integers(len(matrix.indptr))] = np.nan
    return True


MATRIX_CHANGES: tuple[Change, ...] = (offset, index, length, kind)
# formats and the changes that they allow
MATRIX_CASES = [
    (form, change)
    for form, change in product(MATRIX_FORMATS, MATRIX_CHANGES)
    if change(sparse_matrix(form), np.random.default_rng(0))
]


def try_matrix(random: np.random.Generator) -> str:
    """Convert a damaged matrix; return the outcome."""
    matrix = sparse_matrix(str(random.choice(MATRIX_FORMATS)))
    for change in random.choice(MATRIX_CHANGES, random.integers(1, 3)):
        change(matrix, random)
    try:
        Cooccurrence.from_matrix(matrix).matrix.sum()
    except ValueError as error:
        return "refused" if "'matrix' is a damaged" in str(error) else f"unnamed: {error}"
    return "right"


# ---- the program

CLASSES: dict[str, Callable[[np.random.Generator], str]] = {"matrices": try_matrix}


def main(seed: int, rounds: int) -> None:
    """Try all classes."""
    warnings.simplefilter("error")
    for number, (name, attempt) in enumerate(CLASSES.items()):
        print(json.dumps({"class": name}), flush=True)  # names the class in case of a crash
        random, outcomes = np.random.default_rng([seed, number]), Counter[str]()
        for _ in range(rounds):
            try:
                outcomes[attempt(random)] += 1
            except Exception as error:
                outcomes[f"{type(error).__name__}: {error}"] += 1
        print(json.dumps({"class": name, "outcomes": outcomes}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
