"""Models in files: gensim's format, and the description of a model in a checkpointed run."""

from __future__ import annotations

import copy
import inspect
import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import smart_open
from gensim.utils import SaveLoad
from gensim.utils import unpickle as gensim_unpickle

from gensim_wordrank import compatibility, keyedvectors, weights
from gensim_wordrank._utils import atomic_files, checksummed, schema
from gensim_wordrank._utils.temporary import new_token
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.training.checkpoints import Run

# parameters that matter only before training, belong to one call, or show in another (`distance_weighting`)
NOT_STORED = {
    "self", "sentences", "corpus_file", "trim_rule", "warm_start", "callbacks", "progress", "checkpoint", "cluster",
    "shrink_windows",
}  # fmt: skip
# what a model knows in addition to its parameters, vectors and counts, and what each may be when it is read
STORED = {
    **dict.fromkeys(("corpus_count", "corpus_total_words"), schema.integer(0, 2**63 - 1)),
    "effective_min_count": schema.optional(schema.number()),
    "total_train_time": schema.number(),
    "train_count": schema.integer(),
    "epochs_done": schema.integer(0),
    "training_losses": schema.list_of(schema.number()),
    "_counted": schema.list_of(schema.text(r"([0-9a-f]{1,64} [0-9a-f]{1,64} \d{1,20}/\d{1,20} \d{1,20})?")),
    "_keeps_basis": schema.boolean(),
}
# in a saved model: the random part of the names of its arrays, and their checksums
GENERATION = ("_generation", "_companions")
# what follows the pickle: gensim does not read it
CHECKSUM, CHECKSUM_PATTERN = b"\ncrc32 %08x\n", rb"\ncrc32 ([0-9a-f]{8})\n"
COMPRESSED = frozenset(smart_open.compression.get_supported_extensions())
# raised by a damaged pickle, besides those of `describe_read_errors`, or by a damaged array
DAMAGE = (
    IndexError, KeyError, TypeError, ValueError, OverflowError, MemoryError, AssertionError, TokenError, SyntaxError,
)  # fmt: skip
REMEDY = "Save the model again, or take a copy of it."
# what changes from epoch to epoch
PROGRESS = ("running_training_loss", "training_losses", "total_train_time", "epochs_done")
# what parameters may be when they are read
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
    **STORED,
}
TOO_OLD = "'{}' was saved by an older development version and cannot be read. Train the model again."


def save(model: Any, fname: Any, cooccurrence: bool, **kwargs: Any) -> None:
    """Let gensim write a model: atomically to a file, directly to an open file or a URL."""
    model = copy.copy(model)
    if not cooccurrence:
        model.cooccurrence = None
    write = partial(SaveLoad.save, model)
    is_path = isinstance(fname, (str, os.PathLike))
    if is_path and (checksummed.is_url(fname) or atomic_files.is_special_file(fname)):  # they take one file
        kwargs = {"sep_limit": sys.maxsize} | kwargs
    if not is_path or checksummed.is_url(fname):
        write(fname, **kwargs)
        return

    def write_whole(name: str) -> None:
        write(name, **kwargs)
        if Path(name).suffix not in COMPRESSED:  # those have checksums of their own
            with Path(name).open("ab") as file:
                file.write(CHECKSUM % checksummed.file_checksum(Path(name)))

    model._generation = new_token()
    try:
        atomic_files.write_atomically(fname, write_whole)
    finally:
        for name in GENERATION:
            vars(model).pop(name, None)


def save_arrays(model: Any, write: Callable[..., Any], fname: str, *arguments: Any) -> Any:
    """Let gensim write the large arrays of a model to files named after its generation; note their checksums."""
    generation = vars(model).get("_generation")
    if generation is None:  # saved by gensim, as a part of another object
        return write(fname, *arguments)
    prefix = atomic_files.companion_prefix(fname, generation)
    asides = write(prefix.removesuffix("."), *arguments)
    written = (file for file in Path(fname).parent.iterdir() if file.name.startswith(Path(prefix).name))
    model._companions = {str(file).removeprefix(prefix): checksummed.file_checksum(file) for file in written}
    return asides


def load_arrays(model: Any, read: Callable[..., None], fname: str, *arguments: Any) -> None:
    """Let gensim read what :func:`save_arrays` wrote; refuse damaged files.

    If the model is replaced meanwhile, begin again with the new one.
    """
    for _ in range(checksummed.MAX_READS):
        generation, companions = (vars(model).pop(name, None) for name in GENERATION)
        if generation is None:
            read(fname, *arguments)
            return
        try:
            prefix = _verify_arrays(fname, generation, companions)
            read(prefix.removesuffix("."), *arguments)
        except (OSError, ValueError):
            new = gensim_unpickle(fname)
            if type(new) is not type(model) or vars(new).get("_generation") in (None, generation):
                raise
            vars(model).clear()
            vars(model).update(vars(new))
        else:
            return
    raise OSError(f"'{fname}' is being replaced again and again. Try later.")


def _verify_arrays(fname: str, generation: str, companions: dict[str, int]) -> str:
    """Return how the names of a model's arrays begin: beside the file or, if that is a link, beside where it leads."""
    prefixes = [atomic_files.companion_prefix(name, generation) for name in (fname, os.path.realpath(fname))]
    prefix = next((each for each in prefixes if all(Path(each + name).is_file() for name in companions)), prefixes[0])
    for name, expected in companions.items():
        path = Path(prefix + name)
        if not path.is_file() or checksummed.file_checksum(path) != expected:
            raise OSError(f"'{path}', which belongs to the model '{fname}', is missing or damaged. {REMEDY}")
    return prefix


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
    _verify(name)
    with atomic_files.describe_read_errors(name):
        try:
            return read(name, **kwargs)
        except (AttributeError, ModuleNotFoundError) as error:
            if "'gensim_wordrank." in str(error):  # the name of a module that was moved
                raise ValueError(TOO_OLD.format(name)) from error
            raise
        except DAMAGE as error:
            raise OSError(f"'{name}' is damaged or no model. {REMEDY} ({type(error).__name__}: {error})") from error


def _verify(name: str) -> None:
    """Raise OSError if a file ends with a checksum that its contents do not have."""
    if checksummed.is_url(name) or not Path(name).is_file():
        return
    with Path(name).open("rb") as file:
        size = max(0, os.fstat(file.fileno()).st_size - len(CHECKSUM % 0))
        file.seek(size)
        found = re.fullmatch(CHECKSUM_PATTERN, file.read())
        if found and checksummed.stream_checksum(file, size) != int(found[1], 16):
            raise OSError(f"'{name}' is damaged. {REMEDY}")


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
    stored = {name: getattr(model, name, None) for name in STORED}  # a vocabulary sets some of them
    description = {
        "parameters": parameters, "attributes": list(attributes), **stored,
    }  # fmt: skip
    numbered = {f"wv.{number}": values for number, values in enumerate(attributes.values())}
    return {"model": description, "lock": model.wv.vectors_lockf, **numbered}


def progress_of(model: Any) -> dict[str, Any]:
    """Return what changes from epoch to epoch in addition to the state."""
    return {name: getattr(model, name) for name in PROGRESS}


def parameters_of(cls: type, run: Run) -> dict[str, Any]:
    """Return the parameters of a run's model; refuse others than those that :func:`describe` stores."""
    return check_description(cls, run.model.get("model", {}), str(run.directory / "run" / "model.json"))


def check_description(cls: type, found: Any, source: str) -> dict[str, Any]:
    """Return the parameters of a description from a file; refuse what :func:`describe` does not return."""
    names = _stored_parameters(cls)
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
    state, progress = run.newest()
    if len(state.xi) not in (0, counts.nnz):
        raise ValueError(f"'{run.directory}' is damaged: a checkpoint has {len(state.xi)} xi for {counts.nnz} pairs.")
    model.wv.vectors = state.words
    values = {name: value for name, value in run.model.items() if name != "model"}
    set_words(model, counts.words, description, values, str(run.directory / "run"))
    weights.set_state(model, state)
    for name in PROGRESS:
        if name in progress:
            setattr(model, name, progress[name])
    return counts


def set_words(
    model: Any, words: Sequence[Any], description: Mapping[str, Any], values: Mapping[str, Any], source: str
) -> None:
    """Give a new model with vectors their words, and what else is known about these and the training."""
    attributes = _attributes_of(description["attributes"], values, len(words), source)
    model.wv.index_to_key = list(words)
    model.wv.key_to_index = {word: i for i, word in enumerate(words)}
    model.wv.expandos = {
        name: np.array(each, object) if isinstance(each, list) else each for name, each in attributes.items()
    }
    model.wv.vectors_lockf = values["lock"]
    for name in STORED:
        setattr(model, name, description[name])


def _attributes_of(names: Sequence[str], values: Mapping[str, Any], n: int, source: str) -> dict[str, Any]:
    """Return the attributes of `n` words, with the locks checked, too."""
    plain = schema.list_of(schema.optional(schema.either(schema.boolean(), schema.PLAIN)), n)
    kinds = {"lock": schema.either(schema.array(np.float32, 1), schema.array(np.float32, n))}
    for number, name in enumerate(names):
        each = values.get(f"wv.{number}")
        is_array = isinstance(each, np.ndarray) and each.dtype.kind in "biuf"
        kinds[f"wv.{number}"] = schema.entries(n, low=0 if name == "count" else -math.inf) if is_array else plain
    schema.check(source, values, kinds)
    return {name: values[f"wv.{number}"] for number, name in enumerate(names)}
