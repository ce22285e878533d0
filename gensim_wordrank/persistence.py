"""Models in files: gensim's format, and the description of a model in a checkpointed run."""

from __future__ import annotations

import copy
import inspect
import math
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
from gensim.utils import SaveLoad

from gensim_wordrank import compatibility, keyedvectors
from gensim_wordrank._utils import atomic_files, checksummed, schema
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.training.checkpoints import Run

# parameters that matter only before training, or belong to one call
NOT_STORED = {
    "self", "sentences", "corpus_file", "trim_rule", "warm_start", "callbacks", "progress", "checkpoint", "cluster",
}  # fmt: skip
# what a model knows in addition to its parameters, vectors and counts
STORED = (
    "corpus_count", "corpus_total_words", "effective_min_count", "train_count", "total_train_time", "training_losses",
    "_counted", "_keeps_basis",
)  # fmt: skip
# what changes from epoch to epoch
PROGRESS = ("running_training_loss", "training_losses", "total_train_time")
# what these may be when they are read
POSITIVE = schema.integer(1)
PARAMETERS = {
    **dict.fromkeys(
        ("symmetric", "distance_weighting", "weighted", "subwords", "compute_loss"),
        schema.either(schema.boolean(), schema.integer(0, 1)),
    ),
    **dict.fromkeys(("vector_size", "window", "workers", "xi_period"), POSITIVE),
    **dict.fromkeys(("max_vocab_size", "max_final_vocab", "min_count"), schema.optional(schema.number())),
    **dict.fromkeys(
        ("alpha", "min_alpha", "t", "rank_scale", "rank_offset", "x_max", "epsilon", "discount", "l2"), schema.number()
    ),
    **dict.fromkeys(("solver", "rank_loss", "pair_loss", "optimizer", "init"), schema.text(r"\w{1,20}")),
    **dict.fromkeys(("bias", "uniform_negatives"), schema.boolean()),
    "sharpness": schema.number(),
    "whiten": schema.optional(schema.boolean()),
    "preset": schema.optional(schema.text(r"\w{1,20}")),
    "tolerance": schema.optional(schema.number()),
    "epochs": schema.integer(1, 10**6),
    "sorted_vocab": schema.either(schema.boolean(), schema.integer()),
    "seed": schema.integer(0, 2**32 - 1),
    "memory": schema.optional(schema.either(schema.number(), schema.text(r"[\w. ]{1,40}"))),
    "comment": schema.ANYTHING,
}
DESCRIPTION = {
    "parameters": schema.mapping_of(schema.ANYTHING),
    "attributes": schema.list_of(schema.text()),
    **dict.fromkeys(("corpus_count", "corpus_total_words"), schema.integer(0, 2**63 - 1)),
    "effective_min_count": schema.optional(schema.number()),
    "total_train_time": schema.number(),
    "train_count": schema.integer(),
    "training_losses": schema.list_of(schema.number()),
    "_counted": schema.list_of(schema.text(r"([0-9a-f]{1,64} [0-9a-f]{1,64} \d{1,20}/\d{1,20} \d{1,20})?")),
}
TOO_OLD = "'{}' was saved by an older development version and cannot be read. Train the model again."


def save(model: Any, fname: Any, cooccurrence: bool, **kwargs: Any) -> None:
    """Let gensim write a model: atomically to a file, directly to an open file or a URL."""
    if not cooccurrence:
        model = copy.copy(model)
        model.cooccurrence = None
    write = partial(SaveLoad.save, model)
    if not isinstance(fname, (str, os.PathLike)) or checksummed.is_url(fname):
        write(fname, **kwargs)
        return
    if atomic_files.is_special_file(fname):  # a pipe takes one file
        kwargs = {"sep_limit": sys.maxsize} | kwargs
    atomic_files.write_atomically(fname, lambda name: write(name, **kwargs))


def load(cls: type, read: Callable[..., Any], fname: str | os.PathLike[str], mmap: str | None) -> Any:
    """Let gensim read a model; refuse files that hold something else."""
    name = os.fspath(fname)
    try:
        model = unpickle(read, name, mmap=mmap)
    except AttributeError as error:  # any other pickle ends here
        raise AttributeError(f"'{name}' holds no {cls.__name__} model: {error}.") from error
    if not isinstance(model, cls):
        kind = type(model).__name__
        raise AttributeError(f"'{name}' holds a {kind}, not a {cls.__name__} model. Load it with {kind}.load.")
    if not hasattr(model, "_accumulators"):
        raise ValueError(TOO_OLD.format(name))
    return model


def unpickle(read: Callable[..., Any], name: str, **kwargs: Any) -> Any:
    """Let gensim read a file that it saved; errors name the file."""
    with atomic_files.describe_read_errors(name):
        try:
            return read(name, **kwargs)
        except (AttributeError, ModuleNotFoundError) as error:
            if "'gensim_wordrank." in str(error):  # the name of a module that was moved
                raise ValueError(TOO_OLD.format(name)) from error
            raise


def _parameter_names(cls: type) -> set[str]:
    """Return the names of the constructor's parameters, those of subclasses included."""
    signatures = [inspect.signature(each.__init__) for each in cls.__mro__ if "__init__" in vars(each)]  # type: ignore[misc]
    ours = signatures[: next(i for i, each in enumerate(cls.__mro__) if each.__name__ == "Word2Vec")]
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {each.name for signature in ours for each in signature.parameters.values() if each.kind not in variadic}


def _stored_parameters(cls: type) -> set[str]:
    """Return the names of the parameters that are stored with a run."""
    return _parameter_names(cls) - NOT_STORED - compatibility.IGNORED.keys()


def describe(model: Any) -> dict[str, Any]:
    """Return what a model is in addition to its state and counts, as plain values and arrays."""
    parts = {**asdict(model.objective), **asdict(model.method)}
    names = _stored_parameters(type(model)) - parts.keys()
    parameters = {**parts, **{name: getattr(model, name) for name in sorted(names)}}
    attributes = keyedvectors.plain_attributes(model.wv)
    description = {
        "parameters": parameters, "attributes": list(attributes), **{name: getattr(model, name) for name in STORED},
    }  # fmt: skip
    numbered = {f"wv.{number}": values for number, values in enumerate(attributes.values())}
    return {"model": description, "lock": model.wv.vectors_lockf, **numbered}


def progress_of(model: Any) -> dict[str, Any]:
    """Return what changes from epoch to epoch in addition to the state."""
    return {name: getattr(model, name) for name in PROGRESS}


def parameters_of(cls: type, run: Run) -> dict[str, Any]:
    """Return the parameters of a run's model; refuse others than those that :func:`describe` stores."""
    names = _stored_parameters(cls)
    source, found = str(run.directory / "run" / "model.json"), run.model.get("model", {})
    schema.check(source, found, DESCRIPTION)
    parameters: dict[str, Any] = found["parameters"]
    # names that are not known here belong to a subclass, whose constructor judges them
    schema.check(source, parameters, {name: PARAMETERS.get(name, schema.ANYTHING) for name in names})
    return parameters


def new_model(cls: type, run: Run, **options: Any) -> Any:
    """Return a model with the parameters of a run, some of them replaced."""
    parameters = parameters_of(cls, run)
    try:
        return cls(**parameters | options)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The parameters in '{run.directory / 'run'}' cannot be used: {error}") from error


def restore(model: Any, run: Run) -> Cooccurrence:
    """Give a new model what a run had made of its model at the latest checkpoint; return the counts."""
    description = run.model["model"]
    counts = model.cooccurrence = run.counts()
    n, size = len(counts.words), model.vector_size
    if run.start.words.shape != (n, size):
        raise ValueError(f"'{run.directory}' is damaged: there are not {n} vectors of size {size}.")
    attributes = _attributes_of(run, n)
    model.wv.index_to_key = list(counts.words)
    model.wv.key_to_index = {word: i for i, word in enumerate(counts.words)}
    model.wv.expandos = {
        name: np.array(values, object) if isinstance(values, list) else values for name, values in attributes.items()
    }
    state, progress = run.newest()
    if len(state.xi) not in (0, counts.nnz):
        raise ValueError(f"'{run.directory}' is damaged: a checkpoint has {len(state.xi)} xi for {counts.nnz} pairs.")
    model.wv.vectors = state.words
    model.wv.vectors_lockf = run.model["lock"]
    model._set_state(state)
    for name in STORED:
        setattr(model, name, description[name])
    for name in PROGRESS:
        if name in progress:
            setattr(model, name, progress[name])
    return counts


def _attributes_of(run: Run, n: int) -> dict[str, Any]:
    """Return the attributes of the words of a run, with the locks checked, too."""
    names: list[str] = run.model["model"]["attributes"]
    plain = schema.list_of(schema.optional(schema.either(schema.boolean(), schema.PLAIN)), n)
    kinds = {"lock": schema.either(schema.array(np.float32, 1), schema.array(np.float32, n))}
    for number, name in enumerate(names):
        values = run.model.get(f"wv.{number}")
        is_array = isinstance(values, np.ndarray) and values.dtype.kind in "biuf"
        kinds[f"wv.{number}"] = schema.entries(n, low=0 if name == "count" else -math.inf) if is_array else plain
    schema.check(str(run.directory / "run"), run.model, kinds, others=("model",))
    return {name: run.model[f"wv.{number}"] for number, name in enumerate(names)}
