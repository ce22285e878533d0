"""Files of word vectors: word2vec's and GloVe's formats, and TensorBoard's projector."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np
import smart_open
from gensim.models import KeyedVectors

from gensim_wordrank._utils import atomic_files


def read_vectors(path: str | os.PathLike[str]) -> KeyedVectors:
    r"""Read word vectors in word2vec's format (binary if the name ends in .bin) or in GloVe's, which has no header.

    They may be compressed, as .txt.gz or .bin.gz.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gensim_wordrank.evaluation.vector_files import read_vectors
    >>> path = Path(tempfile.mkdtemp(), "vectors.txt")
    >>> path.write_text("2 2\nsea 0.5 1\nsky 2 0.25\n") and None
    >>> read_vectors(path)["sky"].tolist()
    [2.0, 0.25]
    """
    path = os.fspath(path)
    binary = path.endswith((".bin", *(f".bin{ending}" for ending in smart_open.compression.get_supported_extensions())))
    with atomic_files.describe_read_errors(path), smart_open.open(path, "rb") as file:
        no_header = not binary and len(file.readline(10_000).split()) != 2
        file.seek(0)
        if not binary:
            _check_rows(file, path, not no_header)
    try:
        with np.errstate(over="ignore"):  # what becomes infinite is refused
            keyed = KeyedVectors.load_word2vec_format(path, binary=binary, no_header=no_header)
    # what gensim ends in when a header or a row is not what it seems
    except (EOFError, MemoryError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"'{path}' is damaged, or no file of vectors: {error}") from error
    n = len(keyed.key_to_index)
    if not keyed.vector_size or not n:
        raise ValueError(f"'{path}' is damaged, or no file of vectors: there are no numbers behind the words.")
    if n < len(keyed.index_to_key):  # a word stands there twice; gensim keeps the first, and an empty place at the end
        keyed.index_to_key, keyed.vectors = keyed.index_to_key[:n], keyed.vectors[:n]
        keyed.expandos = {name: values[:n] for name, values in keyed.expandos.items()}
    if not np.isfinite(keyed.vectors).all():
        raise ValueError(f"'{path}' must hold finite numbers. Remove vectors with NaN or infinity.")
    return keyed


def _check_rows(file: IO[bytes], path: str, has_header: bool) -> None:
    """Refuse a text whose rows are not equally long: gensim takes one number for all of a vector."""
    lengths = (len(line.split()) for line in islice(file, int(has_header), None))
    length = next(lengths, 0)
    for number, other in enumerate(lengths, 2 + has_header):
        if other != length:
            raise ValueError(
                f"'{path}' is damaged, or no file of vectors: line {number} has {other} parts, not {length}. (Binary "
                "files are known by names that end in .bin.)"
            )


def write_projector(keyed: KeyedVectors, directory: str | os.PathLike[str]) -> None:
    """Write vectors.tsv and metadata.tsv, which TensorBoard's embedding projector loads."""

    def write(place: Path) -> None:
        with (
            (place / "vectors.tsv").open("w") as vectors,
            (place / "metadata.tsv").open("w", encoding="utf-8") as names,
        ):
            for word, vector in zip(keyed.index_to_key, keyed.vectors, strict=True):
                vectors.write("\t".join(f"{number:.6g}" for number in vector) + "\n")
                names.write(" ".join(str(word).split()) + "\n")

    atomic_files.write_directory_atomically(directory, write)
