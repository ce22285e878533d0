"""Load saved models and vector files of any kind for evaluation, reports and the command line."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
import smart_open
from gensim.models import KeyedVectors

from gensim_wordrank import persistence, quantized, tensor_files
from gensim_wordrank._utils import atomic_files
from gensim_wordrank.analysis.reasons import Explainer
from gensim_wordrank.model import WordRank

logger = logging.getLogger(__name__)

# bytes that are read at a time, and of the longest word in a binary file
BLOCK, MAX_WORD_BYTES = 1 << 20, 1 << 16
# the loss of a model depends on these, on its words and on their counts
OBJECTIVE_PARAMETERS = (
    "window", "symmetric", "distance_weighting", "solver", "rank_loss", "pair_loss", "rank_scale", "rank_offset", "t",
    "weighted", "discount", "x_max", "epsilon",
)  # fmt: skip
# reported for gensim models that have them
GENSIM_PARAMETERS = (
    "vector_size", "window", "min_count", "epochs", "alpha", "min_alpha", "seed", "sg", "hs", "negative",
)  # fmt: skip


class UntrustedError(ValueError):
    """Loading this file would unpickle it, which needs permission."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"'{path}' is a pickle: whoever made it can run any code here. If you trust where it comes from, give "
            "--trust (in Python, trust=True). `wordrank export` writes vectors that need no trust."
        )


@dataclass(frozen=True)
class LoadedModel:
    """The name and vectors of a model, the loss of each epoch and the training parameters; empty if unknown.

    `vectors` is the method :meth:`WordRank.vectors <gensim_wordrank.WordRank.vectors>` if there are context vectors.
    `subword_model` is the model itself if it has vectors of n-grams. `explainer` explains neighbours if the model has
    its counts.
    """

    name: str
    wv: KeyedVectors
    vectors: Callable[[str], KeyedVectors] | None = None
    losses: Sequence[float] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    subword_model: WordRank | None = None
    explainer: Explainer | None = None

    @cached_property
    def analogy_vectors(self) -> KeyedVectors:
        """Vectors used for analogies: u + v, or `wv` if the model has no context vectors."""
        return self.wv if self.vectors is None else self.vectors("sum")

    @property
    def objective(self) -> tuple[object, ...]:
        """What the losses depend on: the losses of two models can be compared only if this is the same."""
        values = tuple(self.parameters.get(name) for name in OBJECTIVE_PARAMETERS)
        return *values, self.wv.index_to_key, self.wv.expandos.get("count", np.empty(0)).tobytes()


def load_model(path: str, trust: bool = False) -> LoadedModel:
    """Load a WordRank model, another gensim model, or a file of word vectors.

    Parameters
    ----------
    path : str
        The file.
    trust : bool
        Whether to load a model that gensim's `save` wrote. Such a file is a pickle: whoever made it can run any code in
        this process. Files of vectors contain no code.

    Examples
    --------
    >>> import os, tempfile
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> from gensim_wordrank.evaluation import load_model
    >>> path = os.path.join(tempfile.mkdtemp(), "toy.model")
    >>> WordRank(common_texts, vector_size=10, min_count=1, epochs=5).save(path)
    >>> loaded = load_model(path, trust=True)
    >>> len(loaded.wv), len(loaded.losses), loaded.parameters["epochs"]
    (12, 5, 5)
    """
    if not is_saved_model(path):
        return LoadedModel(path, read_vectors(path))
    if tensor_files.is_tensor_file(path):
        model: Any = tensor_files.load(WordRank, path, None)  # WordRank.load would also read a pickle
    elif not trust:
        raise UntrustedError(path)
    else:
        model = persistence.unpickle(KeyedVectors.load, path)
    if isinstance(model, WordRank):
        if not model.has_contexts:
            logger.warning("'%s' has no context vectors: using u instead of u + v for analogies", path)
        vectors = model.vectors if model.has_contexts else None
        subword_model = model if model.subword_table is not None else None
        explainer = Explainer(model) if model.has_contexts and model.cooccurrence is not None else None
        return LoadedModel(path, model.wv, vectors, model.training_losses, describe(model), subword_model, explainer)
    wv = getattr(model, "wv", model)
    if not isinstance(wv, KeyedVectors):
        raise ValueError(f"'{path}' holds a {type(model).__name__}, which has no word vectors.")
    parameters = {name: getattr(model, name) for name in GENSIM_PARAMETERS if wv is not model and hasattr(model, name)}
    return LoadedModel(path, wv, parameters=parameters)


def is_saved_model(path: str) -> bool:
    """Return True if the file holds a saved model (safetensors, or gensim's pickle), False if it holds only vectors."""
    if not Path(path).exists():
        raise FileNotFoundError(f"There is no file '{path}'.")
    if not Path(path).is_file():
        raise ValueError(f"'{path}' must be a file, not a directory or a device.")
    with atomic_files.describe_read_errors(path), smart_open.open(path, "rb") as file:
        first = file.read(1)
    if not first:
        raise ValueError(f"'{path}' is empty.")
    if tensor_files.is_tensor_file(path):
        return not quantized.is_quantized_file(path)
    return bool(first == b"\x80")


def describe(model: WordRank) -> dict[str, Any]:
    """Return the size, parameters and training state of a model as JSON values."""
    return {
        "words": len(model.wv),
        "vector_size": int(model.vector_size),
        "window": int(model.window),
        "symmetric": model.symmetric,
        "distance_weighting": model.distance_weighting,
        "min_count": int(model.min_count),
        "solver": model.solver.value,
        "alpha": float(model.alpha),
        "min_alpha": float(model.min_alpha),
        "seed": int(model.seed),
        "epochs": model.epochs_done,
        "loss": float(model.get_latest_training_loss()),
        "pairs": model.cooccurrence.nnz if model.cooccurrence is not None else None,
        "subwords": len(model.subword_table.keys) if model.subword_table is not None else None,
        "training_seconds": round(float(model.total_train_time), 1),
        **{name: getattr(value, "value", value) for name, value in asdict(model.objective).items()},
    }


def read_vectors(path: str | os.PathLike[str]) -> KeyedVectors:
    """Read word vectors in word2vec's or GloVe's format, or quantized ones.

    A file is binary if its name ends in .bin, and may be compressed (.txt.gz, .bin.gz). A text file without a header
    line is in GloVe's format.
    """
    path = os.fspath(path)
    if tensor_files.is_tensor_file(path) and quantized.is_quantized_file(path):
        return quantized.load(path)
    binary = path.endswith((".bin", *(f".bin{ending}" for ending in smart_open.compression.get_supported_extensions())))
    with atomic_files.describe_read_errors(path), smart_open.open(path, "rb") as file:
        no_header = not binary and len(file.readline(10_000).split()) != 2
        file.seek(0)
        if binary:
            _check_records(file, path)
        else:
            _check_rows(file, path, not no_header)
    try:
        with np.errstate(over="ignore"):  # values that overflow to infinity are rejected below
            wv = KeyedVectors.load_word2vec_format(path, binary=binary, no_header=no_header)
    # all of these come out of gensim when the header or a row is malformed
    except (EOFError, MemoryError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"'{path}' is damaged or not a vector file: {error}") from error
    n = len(wv.key_to_index)
    if not wv.vector_size or not n:
        raise ValueError(f"'{path}' is damaged or not a vector file: no numbers follow the words.")
    if n < len(wv.index_to_key):  # gensim keeps the first of duplicate words and leaves empty rows at the end
        wv.index_to_key, wv.vectors = wv.index_to_key[:n], wv.vectors[:n]
        wv.expandos = {name: values[:n] for name, values in wv.expandos.items()}
    if not np.isfinite(wv.vectors).all():
        raise ValueError(f"'{path}' must hold finite numbers. Remove vectors with NaN or infinity.")
    return wv


def _read_shape(file: IO[bytes], path: str) -> tuple[int, int]:
    """Read word2vec's header: the number of words and the length of their vectors."""
    line = file.readline(10_000)
    try:
        n_words, size = map(int, line.split())
    except ValueError:
        n_words, size = -1, -1
    if n_words < 0 or size < 0:
        raise ValueError(
            f"'{path}' is damaged or not a vector file: it must begin with two numbers. Got {line[:40]!r}."
        )
    return n_words, size


def _check_records(file: IO[bytes], path: str) -> None:
    """Raise ValueError unless a binary file holds as many words with vectors as its header says, and nothing else.

    gensim would allocate what the header asks for, and would not read what follows.
    """
    n_words, size = _read_shape(file, path)
    n_bytes, held, end = size * np.dtype(np.float32).itemsize, bytearray(), 0
    for n_read in range(n_words):
        while (space := held.find(b" ", end, end + MAX_WORD_BYTES)) < 0 or space + 1 + n_bytes > len(held):
            is_word_too_long = space < 0 and len(held) - end >= MAX_WORD_BYTES
            block = b"" if is_word_too_long else file.read(BLOCK)
            if not block:
                raise ValueError(
                    f"'{path}' is damaged or not a vector file: it holds {n_read} words with vectors of size {size}, "
                    f"not {n_words} as its first line says."
                )
            del held[:end]
            held += block
            end = 0
        end = space + 1 + n_bytes
    if (held[end:] + file.read(2)).strip(b"\n"):  # word2vec's program ends each vector with a line break
        raise ValueError(f"'{path}' is damaged: more follows the {n_words} vectors that its first line promises.")


def _check_rows(file: IO[bytes], path: str, has_header: bool) -> None:
    """Raise ValueError if rows differ in length, or are not as many as the header says.

    gensim would broadcast a single number to a whole vector, and would allocate what the header asks for.
    """
    n_words, size = _read_shape(file, path) if has_header else (None, None)
    expected, n_rows = None if size is None else size + 1, 0
    line = b"\n"
    for line in file:
        length = len(line.split())
        n_rows += 1
        expected = length if expected is None else expected
        if length != expected:
            raise ValueError(
                f"'{path}' is damaged or not a vector file: line {n_rows + has_header} has {length} fields, not "
                f"{expected}. (The name of a binary file must end in .bin.)"
            )
    if not line.endswith(b"\n"):
        logger.warning("'%s' does not end with a line break: the last vector may be cut off", path)
    if n_words not in (None, n_rows):
        raise ValueError(f"'{path}' is damaged: it holds {n_rows} words, not {n_words} as its first line says.")
