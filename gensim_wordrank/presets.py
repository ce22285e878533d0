"""Named sets of parameters: the paper's, and those of the program that its authors published."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import wraps
from inspect import signature
from types import MappingProxyType
from typing import Any, TypeVar

from gensim_wordrank._utils import validation

Function = TypeVar("Function", bound=Callable[..., None])


class Preset(str, Enum):
    """The names of the presets."""

    PAPER = "paper"
    AUTHORS = "authors"


# The paper names neither the step size nor the number of epochs. On 4M tokens plain SGD still learns after 24 epochs,
# and after 100 it is level with 20 epochs of Word2Vec (section 13 of benchmarks/EXPERIMENTS.md).
PAPER = {
    "solver": "stored",
    "optimizer": "sgd",
    "bias": False,
    "uniform_negatives": True,
    "sharpness": 1.0,
    "whiten": False,
    "init": "random",
    "pair_loss": "hinge",
    "rank_scale": 100.0,
    "rank_offset": 99.0,
    "x_max": 100.0,
    "epsilon": 0.75,
    "discount": 0.0,
    "l2": 0.0,
    "epochs": 100,
}
# its rank counts c' = c, whose hinge is 1, and its rank loss is log2: alpha 100 and beta 99 are log2(1 + rank / 100)
AUTHORS = PAPER | {"rank_offset": 0.0, "init": "positive"}
PRESETS = MappingProxyType({Preset.PAPER: PAPER, Preset.AUTHORS: AUTHORS})


def parameters(preset: Preset | str | None) -> dict[str, Any]:
    """Return the parameters of a preset; none for None.

    Examples
    --------
    >>> from gensim_wordrank.presets import parameters
    >>> parameters("paper")["rank_offset"], parameters("authors")["rank_offset"], parameters(None)
    (99.0, 0.0, {})
    """
    return {} if preset is None else dict(PRESETS[validation.choice("preset", Preset, preset)])


def with_presets(init: Function) -> Function:
    """Let a constructor take `preset`: its parameters replace the defaults, and given arguments replace both."""
    names = list(signature(init).parameters)[1:]

    @wraps(init)
    def wrapper(self: Any, *args: Any, preset: str | None = None, **given: Any) -> None:
        unset = {name: value for name, value in parameters(preset).items() if name not in names[: len(args)]}
        init(self, *args, preset=preset, **unset | given)

    return wrapper  # type: ignore[return-value]
