"""Check values that were read from a file, before any of them is used: their names, types, shapes and ranges.

Examples
--------
>>> from gensim_wordrank._utils import schema
>>> fields = {"epoch": schema.integer(), "seed": schema.optional(schema.integer(0, 9))}
>>> schema.check("run.json", {"epoch": 3, "seed": None}, fields)
>>> schema.check("run.json", {"epoch": 3, "seed": 10}, fields)
Traceback (most recent call last):
...
ValueError: 'run.json' is damaged: 'seed' must be an integer from 0 to 9, or null. Got 10.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

# the largest number of anything that is counted one by one
MAX_NUMBER = 2**31 - 1


@dataclass(frozen=True)
class Kind:
    """What a value may be."""

    description: str
    matches: Callable[[Any], bool]


def integer(low: int = 0, high: int = MAX_NUMBER) -> Kind:
    """Return the integers from `low` to `high`."""
    return Kind(f"an integer from {low} to {high}", lambda value: type(value) is int and low <= value <= high)


def number(low: float = 0.0) -> Kind:
    """Return the finite numbers from `low`."""

    def matches(value: Any) -> bool:
        return type(value) in (int, float) and abs(value) < 1e300 and math.isfinite(value) and value >= low

    return Kind(f"a finite number, {low:g} or above", matches)


def text(pattern: str = r".{0,65536}") -> Kind:
    """Return the strings that match a pattern."""
    found = re.compile(pattern, re.DOTALL)
    return Kind("a string in the right format", lambda value: type(value) is str and found.fullmatch(value) is not None)


def boolean() -> Kind:
    """Return true and false."""
    return Kind("true or false", lambda value: type(value) is bool)


def optional(kind: Kind) -> Kind:
    """Return a kind, and null."""
    return either(kind, Kind("null", lambda value: value is None))


def either(*kinds: Kind) -> Kind:
    """Return what one of several kinds matches."""
    return Kind(
        ", or ".join(kind.description for kind in kinds), lambda value: any(kind.matches(value) for kind in kinds)
    )


def list_of(kind: Kind, length: int | None = None) -> Kind:
    """Return the lists of a kind, of any length unless one is given."""

    def matches(value: Any) -> bool:
        return type(value) is list and length in (None, len(value)) and all(map(kind.matches, value))

    return Kind(f"a list, in which each is {kind.description}", matches)


def mapping_of(kind: Kind) -> Kind:
    """Return the mappings of names to a kind."""
    return Kind(
        f"names with {kind.description} each",
        lambda value: type(value) is dict and all(map(kind.matches, value.values())),
    )


def array(dtype: Any, *shape: int, low: float = -math.inf) -> Kind:
    """Return the arrays of a type and shape whose entries are finite and not below `low`."""

    def matches(value: Any) -> bool:
        return (
            isinstance(value, np.ndarray)
            and (value.dtype, value.shape) == (np.dtype(dtype), shape)
            and (not value.size or bool(low <= value.min() and value.max() < math.inf))  # NaN is neither
        )

    above = f", {low:g} or above" if low > -math.inf else ""
    return Kind(f"finite numbers{above} of type {np.dtype(dtype)} and shape {shape}", matches)


def entries(n: int, low: float = -math.inf) -> Kind:
    """Return the arrays of any type whose first dimension has length `n`, with no entry below `low`."""

    def matches(value: Any) -> bool:
        return value.ndim > 0 and len(value) == n and not (value < low).any()

    return Kind(f"{n} numbers" + (f", {low:g} or above" if low > -math.inf else ""), matches)


ANYTHING = Kind("anything", lambda value: True)
# a value that can be stored in JSON, and holds nothing else
PLAIN = optional(either(boolean(), integer(-(2**63), 2**63 - 1), number(-1e300), text()))


def check(source: str, found: Any, kinds: Mapping[str, Kind], others: Collection[str] = ()) -> None:
    """Raise ValueError that names the source if a name is missing or unknown, or if a value is not of its kind.

    Names in `others` may be there, with any value.
    """
    if not isinstance(found, dict):
        raise ValueError(f"'{source}' is damaged: it must hold names and values.")
    for name in sorted(found.keys() ^ kinds.keys(), key=str):
        if name not in others:
            problem = "is missing" if name in kinds else "is unknown"
            raise ValueError(f"'{source}' is damaged or of another version: {name!r:.80} {problem}.")
    for name, kind in kinds.items():
        if name in found and not kind.matches(found[name]):
            value = found[name]
            shown = f"{value.dtype} of shape {value.shape}" if isinstance(value, np.ndarray) else f"{value!r:.60}"
            raise ValueError(f"'{source}' is damaged: {name!r:.80} must be {kind.description}. Got {shown}.")
