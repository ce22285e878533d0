"""Word vectors and n-grams for other programs: gensim's FastText, fastText, and floret as spaCy reads it.

They take the mean of the rows of a word's n-grams, where `SubwordTable` adds `base` to their sum. `base` therefore
becomes a part of each word's first n-gram, and rows are multiplied by a word's mean number of n-grams. The directions
of vectors are then the same; only the lengths of very short and very long words differ.

They also hash n-grams into a fixed number of rows, so n-grams share rows and a vector is not exactly that of the table.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import FastText, KeyedVectors
from gensim.models.fasttext import FastTextKeyedVectors, save_facebook_model
from gensim.models.fasttext_inner import ft_hash_bytes
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from gensim_wordrank._utils import validation
from gensim_wordrank._utils.atomic_files import write_atomically
from gensim_wordrank.settings import SETTINGS
from gensim_wordrank.subwords.murmurhash import murmurhash
from gensim_wordrank.subwords.ngrams import MAX_N, MIN_N, Hashes, hash_ngrams
from gensim_wordrank.subwords.regression import COLUMNS, column_sums, scale_rows, solve
from gensim_wordrank.subwords.table import SubwordTable
from gensim_wordrank.types import Ids, Vectors

PathLike = str | os.PathLike[str]

# Rows per known n-gram. For texts of 1M to 17M words, the median cosine of exported and predicted vectors of unknown
# words is then 0.98 to 0.99 for fastText and 0.89 to 0.95 for floret, whose rows also hold the words.
FASTTEXT_ROWS, FLORET_ROWS = 4, 2
# small tables can afford more
MIN_FASTTEXT_ROWS = 50_000
# fastText's end of a sentence, the only word without n-grams
END_OF_SENTENCE = "</s>"
FLORET_SEED = 2166136261
# For the regression that fits floret's table. A smaller penalty fits known words better and unknown words worse
FLORET_SETTINGS = replace(SETTINGS, ngram_penalty=3.0, regression_steps=8)


def to_fasttext_keyedvectors(wv: KeyedVectors, table: SubwordTable, bucket: int | None = None) -> FastTextKeyedVectors:
    """Return gensim vectors that have a vector for every word, and that load without gensim_wordrank.

    The vectors of known words are those of `wv`.

    Parameters
    ----------
    wv : KeyedVectors
        The vectors of known words.
    table : SubwordTable
        What is known about n-grams.
    bucket : int or None
        Rows for n-grams; the default is 4 per known n-gram, and at least 50,000. With fewer,
        the vectors of unknown words have more noise.

    Examples
    --------
    >>> import numpy as np
    >>> from gensim.models import KeyedVectors
    >>> from gensim_wordrank.subwords.formats import to_fasttext_keyedvectors
    >>> from gensim_wordrank.subwords.table import improve_words
    >>> wv = KeyedVectors(2)
    >>> wv.add_vectors(["cat", "cats"], np.eye(2, dtype=np.float32))
    >>> vectors, table = improve_words(wv.index_to_key, np.array([3, 2]), wv.vectors)
    >>> to_fasttext_keyedvectors(wv, table)["catty"].shape
    (2,)
    """
    _validate(wv, table)
    if bucket is None:
        bucket = max(FASTTEXT_ROWS * len(table.keys), MIN_FASTTEXT_ROWS)
    validation.positive_integer("bucket", bucket)
    owners, hashes, is_start = _concatenate_ngrams(wv.index_to_key)
    n_ngrams = np.bincount(owners, minlength=len(wv)).astype(np.float32)[:, None]
    result = FastTextKeyedVectors(wv.vector_size, MIN_N, MAX_N, bucket)
    result.index_to_key = list(wv.index_to_key)
    result.key_to_index = dict(wv.key_to_index)
    result.expandos = {name: values.copy() for name, values in wv.expandos.items()}
    result.vectors_ngrams = _bucket_rows(hashes % np.uint32(bucket), _terms(hashes, is_start, table), table, bucket)
    result.vectors_ngrams *= np.float32(n_ngrams.mean())
    # a word's vector is the mean of its own row and those of its n-grams
    ngrams = _count_matrix(owners, hashes % np.uint32(bucket), (len(wv), bucket))
    result.vectors_vocab = np.asarray((n_ngrams + 1) * wv.vectors - ngrams @ result.vectors_ngrams, np.float32)
    result.recalc_char_ngram_buckets()
    result.adjust_vectors()
    return result


def write_fasttext_bin(wv: KeyedVectors, table: SubwordTable, path: PathLike, bucket: int | None = None) -> None:
    """Write a .bin file for fastText, with a vector for every word. Its training parameters are placeholders.

    The file holds ``4 * vector_size * (2 * len(wv) + bucket)`` bytes and the words. See `to_fasttext_keyedvectors` for
    the parameters.
    """
    keyed = to_fasttext_keyedvectors(wv, table, bucket)
    if END_OF_SENTENCE in keyed.key_to_index:
        keyed.vectors_vocab[keyed.key_to_index[END_OF_SENTENCE]] = wv[END_OF_SENTENCE]
    keyed.expandos.setdefault("count", np.ones(len(keyed), np.int64))
    model = FastText(vector_size=keyed.vector_size, min_n=MIN_N, max_n=MAX_N, bucket=keyed.bucket, sg=1, min_count=1)
    model.wv = keyed
    model.corpus_total_words = int(keyed.expandos["count"].sum())
    model.syn1neg = np.zeros_like(keyed.vectors)  # the format needs output vectors
    write_atomically(path, lambda name: save_facebook_model(model, name))


def write_floret(
    wv: KeyedVectors, table: SubwordTable, path: PathLike, bucket: int | None = None, hash_count: int = 2
) -> None:
    """Write a table for `spacy init vectors LANGUAGE FILE DIRECTORY --mode floret`.

    floret stores words and n-grams in the same rows, each as the sum of `hash_count` of them. The table is therefore
    fitted, and the vectors of known words are close to those of `wv`, but not equal.

    Parameters
    ----------
    wv : KeyedVectors
        The vectors of known words.
    table : SubwordTable
        What is known about n-grams.
    path : path
        File to write.
    bucket : int or None
        Rows of the table; the default is 2 per known n-gram. With fewer, all vectors have more noise.
    hash_count : int
        Rows per word or n-gram, 1 to 4.
    """
    _validate(wv, table)
    if bucket is None:
        bucket = FLORET_ROWS * max(1, len(table.keys))
    validation.positive_integer("bucket", bucket)
    if validation.positive_integer("hash_count", hash_count) > 4:
        raise validation.parameter_error("hash_count", "an integer from 1 to 4", hash_count)
    rows = _fit_floret(wv, table, bucket, hash_count)
    line = "%d" + " %.6g" * wv.vector_size + "\n"

    def write(name: str) -> None:
        with Path(name).open("w", encoding="utf-8") as file:
            file.write(f"{bucket} {wv.vector_size} {MIN_N} {MAX_N} {hash_count} {FLORET_SEED} < >\n")
            file.writelines(line % (i, *row.tolist()) for i, row in enumerate(rows))

    write_atomically(path, write)


def _validate(wv: KeyedVectors, table: SubwordTable) -> None:
    if len(wv) == 0 or not all(isinstance(word, str) for word in wv.index_to_key):
        raise ValueError("'wv' must hold vectors of strings. Only strings have character n-grams.")
    if wv.vector_size != len(table.base):
        raise validation.parameter_error("wv", f"vectors of size {len(table.base)}, as in the table", wv.vector_size)


def _concatenate_ngrams(words: Sequence[str]) -> tuple[Ids, Hashes, NDArray[np.bool_]]:
    """Return the word and the hash of every n-gram, and whether it is the one that each word begins with."""
    parts = [
        (owners, hashes, is_prefix & (n == MIN_N))
        for n, (owners, hashes, is_prefix) in enumerate(hash_ngrams(words), start=MIN_N)
    ]
    owners, hashes, is_start = map(np.concatenate, zip(*parts, strict=True))
    return owners, hashes, is_start


def _terms(hashes: Hashes, is_start: NDArray[np.bool_], table: SubwordTable) -> Any:
    """Return a CSR matrix with one row per n-gram. Its columns select the rows of the table and, last, its base."""
    n_keys = len(table.keys)
    known, starts = np.flatnonzero(np.isin(hashes, table.keys)), np.flatnonzero(is_start)
    columns = np.append(np.searchsorted(table.keys, hashes[known]), np.full(len(starts), n_keys))
    return _count_matrix(np.append(known, starts), columns, (len(hashes), n_keys + 1))


def _bucket_rows(buckets: Hashes, terms: Any, table: SubwordTable, bucket: int) -> Vectors:
    """Return the mean vector of all n-grams in each bucket; n-grams that the table does not know count as 0.

    An n-gram counts once per occurrence in a word: the mean then has the least squared error.
    """
    ngrams = _count_matrix(buckets, np.arange(len(buckets)), (bucket, len(buckets)))
    rows: Vectors = (ngrams @ terms) @ (np.float32(table.length) * np.vstack([table.rows, table.base]))
    rows /= np.maximum(np.bincount(buckets, minlength=bucket), 1).astype(np.float32)[:, None]
    return rows


def _count_matrix(rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]) -> Any:
    return csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)


def _fit_floret(wv: KeyedVectors, table: SubwordTable, bucket: int, hash_count: int) -> Vectors:
    """Return the rows with which floret comes closest to the vectors of `wv` and to the n-grams of the table.

    An n-gram counts as much as all words that have it, so that unknown words are predicted as by the table.
    """
    strings, owners, entries = _floret_entries(wv.index_to_key)
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    buckets = murmurhash(encoded, FLORET_SEED)[:, :hash_count] % np.uint32(bucket)
    features = _count_matrix(np.arange(len(strings)).repeat(hash_count), buckets.ravel(), (len(strings), bucket))
    n_entries = np.bincount(owners).astype(np.float32)
    words = _count_matrix(owners, entries, (len(wv), len(strings))) @ features
    is_ngram = np.array([MIN_N <= len(string) <= MAX_N for string in strings])
    is_start = np.array([len(string) == MIN_N and string[0] == "<" for string in strings])
    terms = _terms(np.array(list(map(ft_hash_bytes, encoded)), np.uint32), is_start, table)[is_ngram]
    weights = np.sqrt(np.bincount(entries)[is_ngram]).astype(np.float32)
    # floret takes the mean of a word's rows; in the regression, it is the sum of rows that are shorter by their number
    design = vstack([scale_rows(words, n_entries.mean() / n_entries), scale_rows(features[is_ngram], weights)], "csr")
    diagonal = column_sums(design, design.data**2) + np.float32(FLORET_SETTINGS.ngram_penalty)
    rows = np.empty((bucket, wv.vector_size), np.float32)
    for first in range(0, wv.vector_size, COLUMNS):
        part = slice(first, first + COLUMNS)
        of_ngrams = terms @ np.vstack([table.rows[:, part], table.base[None, part]])
        of_ngrams *= np.float32(table.length) * weights[:, None]
        target = np.vstack([wv.vectors[:, part], of_ngrams])
        rows[:, part] = solve(design, diagonal, target, FLORET_SETTINGS)
    rows *= hash_count * n_entries.mean()
    return rows


def _floret_entries(words: Sequence[str]) -> tuple[list[str], Ids, Ids]:
    """Return the distinct strings that floret hashes: words and n-grams; and the word and the string of each entry."""
    index: dict[str, int] = {}
    owners: list[int] = []
    entries: list[int] = []
    for i, word in enumerate(words):
        key = f"<{word}>"
        parts = [key, *(key[start : start + n] for n in range(MIN_N, MAX_N + 1) for start in range(len(key) - n + 1))]
        entries += [index.setdefault(part, len(index)) for part in parts]
        owners += [i] * len(parts)
    return list(index), np.array(owners, np.int32), np.array(entries, np.int32)
