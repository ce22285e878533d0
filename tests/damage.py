"""Read damaged files of all formats, in a separate process because it may crash.

    python tests/damage.py SEED ROUNDS

For each format: write files and read them; then, in each round, change some bytes of a file or truncate it, and read it
again. The result must pass the check of the format, or be a ValueError or OSError that names the file. Prints lines of
JSON.
"""

import bz2
import gzip
import json
import lzma
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from gensim_wordrank import Checkpoints, Cooccurrence, WordRank, quantized
from gensim_wordrank.analysis.stability import Stability
from gensim_wordrank.cluster import Hosts
from gensim_wordrank.cooccurrence.formats import read_glove, read_wordrank, write_glove
from gensim_wordrank.evaluation import load_model, read_analogies, read_directory, read_similarity

from problems import write_wordrank

WORDS = ["the", "of", "sea", "sky", "röse", "bird"]
SENTENCES = [["the", "sea", "of", "bird"], ["sky", "röse", "the", "of"], ["bird", "the", "sky"]] * 3
TEXT = "".join(" ".join(sentence) + "\n" for sentence in SENTENCES).encode()


@dataclass(frozen=True)
class Format:
    """How to write and read a format, and how to check what was read."""

    write: Callable[[Path], Any]
    read: Callable[[Path], Any]
    is_right: Callable[[Any, Any], bool]  # takes what was read from the damaged and from the intact files


def pairs() -> Cooccurrence:
    """Return small co-occurrence counts."""
    return Cooccurrence.from_corpus(SENTENCES, window=3, min_count=1)


def are_equal(found: Cooccurrence, good: Cooccurrence) -> bool:
    """Return True if two matrices are equal, as the checksum guarantees."""
    return found.words == good.words and (found.matrix != good.matrix).nnz == 0 and (found.counts == good.counts).all()


def is_matrix(found: Cooccurrence, good: Cooccurrence) -> bool:
    """Return True if a matrix can be trained on; its values may have changed."""
    found.validate()
    return len(found.words) == found.shape[0] == found.shape[1] == len(found.counts)


def write_sets(place: Path) -> None:
    """Write test sets of all kinds."""
    (place / "similar.tsv").write_text("sea\tsky\t5.5\nröse\tbird\t1e0\n")
    (place / "google.txt").write_text(": capitals\nthe of sea sky\n: gram1\nsky sea of the\n")
    (place / "packed.txt.gz").write_bytes(gzip.compress(b": capitals\nthe of sea sky\n"))
    (place / "bats").mkdir()
    (place / "bats" / "I01.txt").write_text("sea\tseas\nsky\tskies/heavens\n")


def are_sets(found: list[Any], good: list[Any]) -> bool:
    """Return True if models can be scored on the sets."""
    questions = [getattr(one, "ratings", None) if hasattr(one, "ratings") else one.answers for one in found]
    return all(len(one) and (not isinstance(one, np.ndarray) or np.isfinite(one).all()) for one in questions)


def vectors() -> KeyedVectors:
    """Return random word vectors."""
    keyed = KeyedVectors(3)
    keyed.add_vectors(WORDS, np.random.default_rng(0).standard_normal((len(WORDS), 3)).astype(np.float32))
    return keyed


def are_vectors(found: KeyedVectors, good: KeyedVectors) -> bool:
    """Return True if vectors can be used; their values may have changed."""
    return found.vectors.shape == (len(found), found.vector_size) and bool(np.isfinite(found.vectors).all())


class Stop:
    """A callback that stops training after two epochs."""

    def __getattr__(self, name: str) -> Callable[[WordRank], bool]:
        return lambda model: name == "on_epoch_end" and model.epochs_done == 2


def write_run(place: Path) -> None:
    """Write checkpoints of a run that stops after two epochs."""
    WordRank(SENTENCES, min_count=1, vector_size=4, epochs=3, checkpoint=Checkpoints(place / "run"), callbacks=[Stop()])


def resume(place: Path) -> KeyedVectors:
    """Resume a copy of the run."""
    with tempfile.TemporaryDirectory() as copy:
        return WordRank.resume(shutil.copytree(place / "run", Path(copy, "run"))).wv


def have_equal_vectors(found: KeyedVectors, good: KeyedVectors) -> bool:
    """Return True if words and vectors are the same."""
    return found.index_to_key == good.index_to_key and np.array_equal(found.vectors, good.vectors)


def count(name: str) -> Callable[[Path], Cooccurrence]:
    """Return a function that counts the co-occurrences of a text."""
    return lambda place: Cooccurrence.from_corpus(corpus_file=place / name, window=3, min_count=1, workers=2)


def text(name: str, pack: Callable[[bytes], bytes]) -> Format:
    """Return the format of a text, possibly compressed."""
    return Format(lambda place: (place / name).write_bytes(pack(TEXT)), count(name), is_matrix)


def keyed(name: str, **options: Any) -> Format:
    """Return the format of a vector file."""
    return Format(
        lambda place: vectors().save_word2vec_format(str(place / name), **options),
        lambda place: load_model(str(place / name)).wv,
        are_vectors,
    )


def smaller(how: str) -> Format:
    """Return the format of quantized vectors."""
    return Format(
        lambda place: quantized.save(vectors(), place / "small", how),
        lambda place: load_model(str(place / "small")).wv,
        have_equal_vectors,
    )


def model() -> WordRank:
    """Return a small model."""
    return WordRank(SENTENCES, min_count=1, vector_size=4, epochs=2)


def stability() -> Stability:
    """Return vectors of resamples."""
    return Stability(vectors(), np.stack([vectors().vectors] * 3).astype(np.float16))


def have_equal_models(found: WordRank, good: WordRank) -> bool:
    """Return True if the arrays of two models are the same, as checksums guarantee."""
    arrays = ((each.wv.vectors, each.context_vectors, each.context_bias) for each in (found, good))
    return have_equal_vectors(found.wv, good.wv) and all(map(np.array_equal, *arrays))


def saved(name: str, **options: Any) -> Format:
    """Return the format of a saved model."""
    return Format(
        lambda place: model().save(place / name, **options),
        lambda place: WordRank.load(place / name),
        have_equal_models,
    )


FORMATS = {
    "model, safetensors": saved("model", format="safetensors", cooccurrence=True),
    "stability": Format(
        lambda place: stability().save(place / "stability"),
        lambda place: Stability.load(place / "stability", stability().wv),
        lambda found, good: np.array_equal(found.resampled, good.resampled),
    ),
    "model, gensim": saved("model"),
    "model, gensim, several files": saved("model", sep_limit=0),
    "model, gensim, gz": saved("model.gz"),
    "model, gensim, bz2": saved("model.bz2", sep_limit=0),
    "model, mapped": Format(
        lambda place: model().save(place / "model", sep_limit=0),
        lambda place: WordRank.load(place / "model", mmap="r"),
        have_equal_models,
    ),
    "co-occurrences": Format(
        lambda place: pairs().save(place / "pairs"), lambda place: Cooccurrence.load(place / "pairs"), are_equal
    ),
    "mapped co-occurrences": Format(
        lambda place: pairs().save(place / "pairs"),
        lambda place: Cooccurrence.load(place / "pairs", mmap="r"),
        are_equal,
    ),
    "checkpoints": Format(write_run, resume, have_equal_vectors),
    "hosts": Format(
        lambda place: (place / "hosts.txt").write_text("node1\nme@node2:2222 threads=8 python=/opt/python  # fast\n"),
        lambda place: Hosts.read(place / "hosts.txt").hosts,
        lambda found, good: all(
            host.name and host.threads != 0 and host.port in (None, *range(1, 65536)) for host in found
        ),
    ),
    "GloVe": Format(
        lambda place: write_glove(pairs(), place / "pairs.bin", place / "vocab.txt"),
        lambda place: read_glove(place / "pairs.bin", place / "vocab.txt"),
        is_matrix,
    ),
    "the authors' files": Format(lambda place: write_wordrank(pairs(), place), read_wordrank, is_matrix),
    "test sets": Format(write_sets, read_directory, are_sets),
    "similarity": Format(write_sets, lambda place: [read_similarity(place / "similar.tsv")], are_sets),
    "analogies": Format(write_sets, lambda place: [read_analogies(place / "google.txt")], are_sets),
    "word2vec text": keyed("vectors.txt"),
    "word2vec binary": keyed("vectors.bin", binary=True),
    "GloVe vectors": keyed("vectors.txt", write_header=False),
    "word2vec text.gz": keyed("vectors.txt.gz"),
    "word2vec binary.bz2": keyed("vectors.bin.bz2", binary=True),
    "quantized, float16": smaller("float16"),
    "quantized, int8": smaller("int8"),
    "quantized, pq": smaller("pq"),
    "text": text("text.txt", bytes),
    "text.gz": text("text.txt.gz", gzip.compress),
    "text.bz2": text("text.txt.bz2", bz2.compress),
    "text.xz": text("text.txt.xz", lzma.compress),
}


def damage(content: bytes, random: np.random.Generator) -> bytes:
    """Return the content truncated, with a part repeated, or with some bytes changed."""
    place = int(random.integers(len(content) + 1))
    kind = random.integers(4)
    if kind == 0:
        return content[:place]
    if kind == 1:
        return content[:place] + content[place // 2 :]
    changed = bytearray(content)
    for where in random.integers(len(content), size=random.integers(1, 4)):
        # change one bit, or write a character that has a meaning in some formats
        changed[where] = (
            changed[where] ^ (1 << random.integers(8)) if kind == 2 else random.choice(list(b" \n\t-9e.\xff\0"))
        )
    return bytes(changed)


def count_outcomes(form: Format, random: np.random.Generator, rounds: int) -> Counter[str]:
    """Return how often each outcome occurred."""
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name).resolve()
        form.write(place)
        good = form.read(place)
        files = sorted(file for file in place.rglob("*") if file.is_file() and file.stat().st_size)
        for _ in range(rounds):
            file = files[random.integers(len(files))]
            content = file.read_bytes()
            file.write_bytes(damage(content, random))
            try:
                outcomes["right" if form.is_right(form.read(place), good) else f"wrong: {file.read_bytes()!r}"] += 1
            except (ValueError, OSError, AttributeError) as error:
                # a directory is named if its files do not match, and a file that another names if it is not there
                named = any(f"/{path}" in str(error) for path in (file.name, file.parent.name, "meta"))
                outcomes["refused" if named else f"unnamed: {type(error).__name__}: {error}"] += 1
            except Exception as error:
                outcomes[f"{type(error).__name__}: {error}"] += 1
            file.write_bytes(content)
    return outcomes


def main(seed: int, rounds: int) -> None:
    """Test all formats."""
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", ResourceWarning)  # gensim leaves a file open when it fails
    for number, (name, form) in enumerate(FORMATS.items()):
        print(json.dumps({"name": name}), flush=True)  # in case of a crash
        outcomes = count_outcomes(form, np.random.default_rng([seed, number]), rounds)
        print(json.dumps({"name": name, "outcomes": outcomes}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
