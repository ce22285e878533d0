"""Vectors in fewer bytes: as float16, int8 or product-quantized, in safetensors files that other programs read, too.

The words are in the tensor `words`, as JSON. The vectors are

- float16: ``vectors``;
- int8: ``vectors * scales[:, None]``;
- pq: ``lengths[:, None] * np.hstack([c[k] for c, k in zip(centroids, codes.T)])[:, :vector_size]``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gensim.models import KeyedVectors
from numpy.typing import NDArray
from scipy.cluster.vq import vq
from threadpoolctl import threadpool_limits

from gensim_wordrank._utils import atomic_files, safetensors, validation
from gensim_wordrank.keyedvectors import nearest, unit
from gensim_wordrank.types import Vectors

KIND = "gensim-wordrank quantized vectors 1"
REMEDY = "Export the vectors again, or take a copy of the file."
# of a product quantizer: numbers per byte, as in fastText; centroids; words that they are fitted to, and rounds
PQ_NUMBERS, PQ_CENTROIDS, PQ_SAMPLE, PQ_ROUNDS = 2, 256, 30_000, 25
# words whose neighbours are compared, and how many of each
LOSS_SAMPLE, LOSS_NEIGHBOURS = 500, 10


class Quantization(str, Enum):
    """How vectors are stored in fewer bytes."""

    FLOAT16 = "float16"
    INT8 = "int8"
    PQ = "pq"


class Loss(NamedTuple):
    """What quantization costs: the mean cosine with the originals, and the share of the ten nearest words that stay."""

    cosine: float
    neighbours: float


def save(wv: KeyedVectors, path: str | os.PathLike[str], how: str) -> Loss:
    """Write vectors to a safetensors file in fewer bytes; return what quantization costs.

    Parameters
    ----------
    wv : KeyedVectors
        Vectors of strings.
    path : path
        The file.
    how : {"float16", "int8", "pq"}
        Two bytes per number, one byte, or half a byte.

    Examples
    --------
    >>> import tempfile
    >>> from gensim.test.utils import datapath
    >>> from gensim_wordrank import WordRank, quantized
    >>> wv = WordRank(corpus_file=datapath("lee_background.cor"), epochs=2).wv
    >>> path = tempfile.mkdtemp() + "/small"
    >>> quantized.save(wv, path, "int8").neighbours > 0.95
    True
    >>> len(quantized.load(path)) == len(wv)
    True
    """
    tensors = quantize(wv.vectors, how)
    loss = loss_of(wv.vectors, restore(tensors, wv.vector_size))
    words = np.frombuffer(json.dumps(list(map(str, wv.index_to_key))).encode("ascii"), np.uint8)
    strings = {
        "format": KIND,
        "vector_size": str(wv.vector_size),
        **{key: f"{x:.4f}" for key, x in loss._asdict().items()},
    }

    def write(name: str) -> None:
        with Path(name).open("wb") as file:
            safetensors.write(file, {"words": words, **tensors}, strings)

    atomic_files.write_atomically(path, write)
    return loss


def load(path: str | os.PathLike[str]) -> KeyedVectors:
    """Load what :func:`save` wrote, converted to float32."""
    try:
        with atomic_files.describe_read_errors(path), Path(path).open("rb") as file:
            tensors, strings = safetensors.read(file)
        if strings.get("format") != KIND:
            raise safetensors.DamagedFile(f"it holds {strings.get('format')!r}, not {KIND!r}")
        words, size = json.loads(bytes(tensors.pop("words"))), int(strings["vector_size"])
        if not (isinstance(words, list) and all(type(word) is str for word in words) and len(set(words)) == len(words)):
            raise safetensors.DamagedFile("its words are not unique strings")
        vectors = restore(tensors, size)
        if any(len(tensors[name]) != len(words) for name in tensors if name != "centroids"):
            raise safetensors.DamagedFile("its tensors differ in length")
        if vectors.shape != (len(words), size) or not np.isfinite(vectors).all():
            raise safetensors.DamagedFile("its vectors are not those of its words")
    except (safetensors.DamagedFile, KeyError, TypeError, IndexError, ValueError) as error:
        raise ValueError(f"'{path}' is damaged or holds no quantized vectors: {error}. {REMEDY}") from error
    result = KeyedVectors(size)
    result.add_vectors(words, vectors)
    return result


def is_quantized_file(path: str | os.PathLike[str]) -> bool:
    """Return True if a safetensors file says that it holds quantized vectors; the rest of the file is not read."""
    with Path(path).open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = file.read(min(length, safetensors.MAX_HEADER_BYTES))
    try:
        found = json.loads(header)[safetensors.METADATA]["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return bool(found == KIND)


def quantize(vectors: Vectors, how: str) -> dict[str, NDArray[Any]]:
    """Return the tensors that stand for vectors."""
    kind = validation.choice("how", Quantization, how)
    if kind is Quantization.FLOAT16:
        if np.abs(vectors).max(initial=0) > np.finfo(np.float16).max:
            raise ValueError("The vectors hold numbers too large for float16. Use int8.")
        return {"vectors": vectors.astype(np.float16)}
    if kind is Quantization.INT8:
        scales = np.abs(vectors).max(axis=1, initial=0) / np.float32(127)
        rows = np.divide(vectors, scales[:, None], out=np.zeros_like(vectors), where=scales[:, None] > 0)
        return {"vectors": np.rint(rows).astype(np.int8), "scales": scales}
    padded = np.pad(unit(vectors), ((0, 0), (0, -vectors.shape[1] % PQ_NUMBERS)))
    parts = [_centroids_and_codes(padded[:, i : i + PQ_NUMBERS]) for i in range(0, padded.shape[1], PQ_NUMBERS)]
    centroids, codes = (np.stack(each, axis=axis) for axis, each in enumerate(zip(*parts, strict=True)))
    return {"codes": codes, "centroids": centroids, "lengths": np.linalg.norm(vectors, axis=1)}


def _centroids_and_codes(points: Vectors) -> tuple[Vectors, NDArray[np.uint8]]:
    """Return the centroids of k-means, and the nearest one of each point."""
    random = np.random.default_rng(0)
    sample = points[np.sort(random.permutation(len(points))[:PQ_SAMPLE])]
    centroids = sample[random.permutation(len(sample))[:PQ_CENTROIDS]].copy()
    for _ in range(PQ_ROUNDS):
        nearest, _ = vq(sample, centroids, check_finite=False)
        sizes = np.bincount(nearest, minlength=len(centroids))
        sums = [np.bincount(nearest, column, len(centroids)) for column in sample.T]
        centroids[sizes > 0] = (np.stack(sums, axis=1)[sizes > 0] / sizes[sizes > 0, None]).astype(np.float32)
    return centroids, vq(points, centroids, check_finite=False)[0].astype(np.uint8)


def restore(tensors: Mapping[str, NDArray[Any]], vector_size: int) -> Vectors:
    """Return the vectors that tensors stand for, as float32."""
    if "codes" in tensors:
        centroids, codes = tensors["centroids"].astype(np.float32), tensors["codes"]
        vectors = np.hstack([each[code] for each, code in zip(centroids, codes.T, strict=True)])[:, :vector_size]
        vectors = vectors * tensors["lengths"].astype(np.float32)[:, None]
    else:
        vectors = tensors["vectors"].astype(np.float32)
        if "scales" in tensors:
            vectors *= tensors["scales"].astype(np.float32)[:, None]
    return vectors


def loss_of(vectors: Vectors, smaller: Vectors) -> Loss:
    """Return what vectors lose, for a sample of the words."""
    originals, others = unit(vectors), unit(smaller)
    rows = np.random.default_rng(0).permutation(len(vectors))[:LOSS_SAMPLE]
    n_near, kept = min(LOSS_NEIGHBOURS, len(vectors) - 1), 0
    with threadpool_limits(limits=1, user_api="blas"):
        for i in rows.tolist():
            before, after = (set(nearest(each @ each[i], i, n_near).tolist()) for each in (originals, others))
            kept += len(before & after)
    cosines = np.einsum("nd,nd->n", originals[rows], others[rows])
    return Loss(float(cosines.mean()), kept / max(1, n_near * len(rows)))
