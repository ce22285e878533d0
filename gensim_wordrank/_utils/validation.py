"""Checks of parameters, with one shape of message: name, what is allowed, what came, what to do."""

from __future__ import annotations

import math
import numbers
import secrets
from enum import Enum
from typing import Any, TypeVar

Choice = TypeVar("Choice", bound=Enum)


def parameter_error(name: str, allowed: str, value: Any, remedy: str = "") -> ValueError:
    """Make the error for a parameter with a wrong value.

    Examples
    --------
    >>> from gensim_wordrank._utils.validation import parameter_error
    >>> str(parameter_error("window", "a positive integer", 0))
    "'window' must be a positive integer. Got 0 instead."
    """
    return ValueError(f"'{name}' must be {allowed}. Got {value!r} instead.{' ' + remedy if remedy else ''}")


def seed(value: Any) -> int:
    """Return a seed as an int; for None draw one, so that it can be kept."""
    if value is None:
        return secrets.randbits(32)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not 0 <= int(value) < 1 << 32:
        raise parameter_error("seed", "an integer from 0 to 4,294,967,295, or None for any", value)
    return int(value)


def positive_integer(name: str, value: Any, remedy: str = "") -> int:
    """Return `value` as an int if it is a whole number above 0."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        raise parameter_error(name, "a positive integer", value, remedy)
    return int(value)


def positive_number(name: str, value: Any, remedy: str = "", most: float = math.inf, least: float = 0.0) -> float:
    """Return `value` as a float if it is a finite number above 0, from `least` up to `most`."""
    if not (_is_finite(value) and value > 0 and least <= value <= most):
        lower = f", from {least:g}" if least else ""
        raise parameter_error(name, f"a number above 0{lower}{_up_to(most)}", value, remedy)
    return float(value)


def nonnegative_number(name: str, value: Any, remedy: str = "", most: float = math.inf) -> float:
    """Return `value` as a float if it is a finite number, 0 or above, up to `most`."""
    if not (_is_finite(value) and 0 <= value <= most):
        raise parameter_error(name, f"a number, 0 or above{_up_to(most)}", value, remedy)
    return float(value)


def choice(name: str, kind: type[Choice], value: Any) -> Choice:
    """Return the member of the enum `kind` that `value` names."""
    try:
        return kind(value)
    except ValueError:
        allowed = ", ".join(repr(member.value) for member in kind)
        raise parameter_error(name, f"one of {allowed}", value) from None


def _up_to(most: float) -> str:
    return f", up to {most:g}" if most < math.inf else ""


def _is_finite(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
