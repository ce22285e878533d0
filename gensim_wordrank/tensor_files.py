"""Whole models in safetensors files: without pickle, in one file, memory-mappable."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import smart_open
from numpy.typing import NDArray

from gensim_wordrank import persistence
from gensim_wordrank._utils import atomic_files, checksummed, safetensors, validation
from gensim_wordrank.cooccurrence.matrix import DTYPES, Cooccurrence, to_integer
from gensim_wordrank.subwords.table import SubwordTable

KIND, VERSION = "gensim-wordrank model", 1
# what a model has in addition to what a checkpoint's description holds
VALUES: dict[str, tuple[type, ...]] = {
    "epochs_done": (int,), "_passes_done": (int,), "train_count": (int,), "min_alpha_yet_reached": (int, float),
    "running_training_loss": (int, float), "lifecycle_events": (list, type(None)),
}  # fmt: skip
ARRAYS = {"context_vectors": 2, "context_bias": 1, "_accumulators": 2, "_trained_words": 2}  # and their dimensions
SUBWORDS = {"keys": (np.uint32, 1), "rows": (np.float16, 2), "base": (np.float32, 1)}
REMEDY = "Save the model again, or take a copy of it."


def save(model: Any, fname: Any, cooccurrence: bool = False) -> None:
    """Write a model to a file atomically, or to an open file or a URL.

    Words and parameters must be numbers, strings, or lists of these. Attributes that a user added are not saved.
    """
    arrays, values = _contents(model, cooccurrence)
    strings = {"format": f"{KIND} {VERSION}", "model": json.dumps(values, default=checksummed.to_python)}
    if not isinstance(fname, (str, os.PathLike)):
        safetensors.write(fname, arrays, strings)
        return

    def write(name: str) -> None:
        with smart_open.open(name, "wb", compression="disable") as file:
            safetensors.write(file, arrays, strings)

    if checksummed.is_url(fname):
        write(os.fspath(fname))
    else:
        atomic_files.write_atomically(fname, write)


def _contents(model: Any, cooccurrence: bool) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays of a model, and its other values."""
    words = [word if isinstance(word, str) else to_integer(word) for word in model.wv.index_to_key]
    described = persistence.describe(model)
    values = {name: getattr(model, name) for name in VALUES} | {"description": described.pop("model")}
    # gensim notes there what it was called with, in whatever types
    values["lifecycle_events"] = json.loads(json.dumps(model.lifecycle_events, default=str))
    arrays = {"words": np.frombuffer(json.dumps(words).encode("ascii"), np.uint8), "wv.vectors": model.wv.vectors}
    # the attributes of words are arrays or lists
    arrays |= {name: each for name, each in described.items() if isinstance(each, np.ndarray)}
    values["lists"] = {name: each for name, each in described.items() if not isinstance(each, np.ndarray)}
    arrays |= {name: each for name in ARRAYS if (each := getattr(model, name)) is not None}
    if model.subword_table is not None:
        arrays |= {f"subwords.{name}": getattr(model.subword_table, name) for name in SUBWORDS}
        values["subword_length"] = model.subword_table.length
    if cooccurrence and model.cooccurrence is not None:
        arrays |= {f"cooccurrence.{name}": getattr(model.cooccurrence, name) for name in DTYPES}
    return arrays, values


def is_tensor_file(fname: str | os.PathLike[str]) -> bool:
    """Return True if a file or URL begins as one that :func:`save` wrote."""
    with (
        atomic_files.describe_read_errors(fname),
        smart_open.open(os.fspath(fname), "rb", compression="disable") as file,
    ):
        return safetensors.is_safetensors(file.read(9))


def load(cls: type, fname: str | os.PathLike[str], mmap: str | None) -> Any:
    """Return a model of the class `cls` from a file or URL that :func:`save` wrote."""
    name = os.fspath(fname)
    if mmap not in (None, "r", "c"):
        raise validation.parameter_error("mmap", "None, 'r' or 'c' for a safetensors file", mmap)
    try:
        if checksummed.is_url(name):
            with smart_open.open(name, "rb", compression="disable") as file:
                arrays, strings = safetensors.read(io.BytesIO(file.read()))
        else:
            with Path(name).open("rb") as opened:
                arrays, strings = safetensors.read(opened, mmap)
        return _restore(cls, arrays, strings, name)
    except (safetensors.DamagedFile, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"'{name}' is damaged or no model: {error}. {REMEDY}") from error
    except ValueError as error:
        if name in str(error):
            raise
        raise ValueError(f"'{name}': {error}") from error


def _restore(cls: type, arrays: dict[str, NDArray[Any]], strings: Mapping[str, str], source: str) -> Any:
    """Return the model of these arrays and strings."""
    if strings.get("format") != f"{KIND} {VERSION}":
        raise ValueError(
            f"holds {strings.get('format', 'no model of gensim-wordrank')!r}, not {f'{KIND} {VERSION}'!r}. It may come "
            "from a newer gensim-wordrank."
        )
    values = json.loads(strings["model"])
    words = json.loads(bytes(arrays.pop("words")))
    if not isinstance(words, list) or not all(type(word) in (str, int) for word in words):
        raise TypeError("its words must be strings or integers")
    model = cls(**persistence.check_description(cls, values["description"], source))
    model.wv.vectors = _checked(arrays, "wv.vectors", 2, (len(words), model.vector_size))
    if len(set(words)) != len(words):
        raise TypeError("a word occurs twice")
    attributes = {name: each for name, each in arrays.items() if name == "lock" or re.fullmatch(r"wv\.\d+", name)}
    persistence.set_words(model, words, values["description"], {**attributes, **values["lists"]}, source)
    for name, types in VALUES.items():
        if not isinstance(values[name], types):
            raise TypeError(f"its {name!r} is {values[name]!r}")
        setattr(model, name, values[name])
    for name, dimensions in ARRAYS.items():
        found = _checked(arrays, name, dimensions) if name in arrays else None
        if found is not None or name != "_trained_words":
            setattr(model, name, found)
    if "subword_length" in values:
        table = {
            name: _checked(arrays, f"subwords.{name}", dimensions, dtype=dtype)
            for name, (dtype, dimensions) in SUBWORDS.items()
        }
        if table["rows"].shape != (len(table["keys"]), model.vector_size) or len(table["base"]) != model.vector_size:
            raise TypeError("the sizes of its n-grams do not match")
        model.subword_table = SubwordTable(**table, length=float(values["subword_length"]))
    if "cooccurrence.data" in arrays:
        counts: dict[str, Any] = {
            name: _checked(arrays, f"cooccurrence.{name}", 1, dtype=dtype) for name, dtype in DTYPES.items()
        }
        model.cooccurrence = Cooccurrence(words=words, **counts)
        model.cooccurrence.validate()
    return model


def _checked(
    arrays: Mapping[str, NDArray[Any]], name: str, dimensions: int, shape: tuple[int, ...] | None = None,
    dtype: Any = np.float32,
) -> NDArray[Any]:  # fmt: skip
    """Return an array; raise TypeError if it has another type or shape, ValueError if it holds NaN or infinity."""
    array = arrays[name]
    if array.dtype != dtype or array.ndim != dimensions or shape not in (None, array.shape):
        raise TypeError(f"the array {name!r} has the type {array.dtype} and the shape {array.shape}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"the array {name!r} holds NaN or infinity.")
    return array
