"""Validate parameters. All messages say the name, what is allowed, what was given, and what to do."""

from __future__ import annotations

import math
import numbers
import secrets
from enum import Enum
from typing import Any, TypeVar

Choice = TypeVar("Choice", bound=Enum)


def parameter_error(name: str, allowed: str, value: Any, remedy: str = "") -> ValueError:
    """Return the error for an invalid parameter.

    Examples
    --------
    >>> from gensim_wordrank._utils.validation import parameter_error
    >>> str(parameter_error("window", "a positive integer", 0))
    "'window' must be a positive integer. Got 0 instead."
    """
    return ValueError(f"'{name}' must be {allowed}. Got {value!r} instead.{' ' + remedy if remedy else ''}")


def seed(value: Any) -> int:
    """Return a seed as an int; draw one for None, so that it can be stored."""
    if value is None:
        return secrets.randbits(32)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not 0 <= int(value) < 1 << 32:
        raise parameter_error("seed", "an integer from 0 to 4,294,967,295, or None for any", value)
    return int(value)


def positive_integer(name: str, value: Any, remedy: str = "") -> int:
    """Return `value` as an int if it is a positive integer; 5.0 is one, too."""
    is_whole = isinstance(value, numbers.Integral) or (isinstance(value, numbers.Real) and float(value).is_integer())
    if isinstance(value, bool) or not is_whole or value < 1:
        raise parameter_error(name, "a positive integer", value, remedy)
    return int(value)


def number(
    name: str, value: Any, remedy: str = "", *, positive: bool = False, minimum: float = 0.0, maximum: float = math.inf
) -> float:
    """Return `value` as a float if it is a finite number from `minimum` to `maximum` and, if `positive`, not 0."""
    is_finite = isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
    if not (is_finite and minimum <= value <= maximum and (value or not positive)):
        allowed = "a number above 0" if positive else "a number, 0 or above"
        allowed += f", from {minimum:g}" if minimum else ""
        allowed += f", up to {maximum:g}" if maximum < math.inf else ""
        raise parameter_error(name, allowed, value, remedy)
    return float(value)


def choice(name: str, kind: type[Choice], value: Any) -> Choice:
    """Return the member of the enum `kind` that `value` names."""
    try:
        return kind(value)
    except ValueError:
        allowed = ", ".join(repr(member.value) for member in kind)
        raise parameter_error(name, f"one of {allowed}", value) from None
