"""Input that was made to hurt: matrices whose arrays point outside themselves, checkpoints with right checksums.

    python tests/hostile.py SEED ROUNDS

Runs in a process of its own because it may crash. Each trial must end in a ValueError with a message, or in a result
that can be used. Prints lines of JSON.
"""

import io
import json
import logging
import shutil
import sys
import tempfile
import warnings
import weakref
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from gensim_wordrank import Cooccurrence, WordRank
from gensim_wordrank._utils import checksummed
from gensim_wordrank.cooccurrence.graphs import walk_counts
from scipy import sparse

SENTENCES = [["the", "sea", "of", "bird"], ["sky", "fish", "the", "of"], ["bird", "the", "sky"]] * 3

# ---- SciPy matrices

MATRIX_FORMATS = ("csr", "csc", "bsr", "coo", "lil", "dok", "dia")
Change = Callable[[Any, np.random.Generator], bool]  # returns False if the format has no such array


def sparse_matrix(form: str) -> Any:
    """Return a small random matrix."""
    return sparse.random(30, 30, 0.2, format="csr", random_state=0, dtype=np.float32).asformat(form)


def _overwrite(matrix: Any, name: str, random: np.random.Generator) -> bool:
    """Write a number far outside the matrix into an array of indices."""
    if not hasattr(matrix, name):
        return False
    array = getattr(matrix, name).copy()
    array[random.integers(len(array))] = random.choice([-1, 1]) * 10 ** random.integers(2, 9)
    setattr(matrix, name, array)
    return True


def offset(matrix: Any, random: np.random.Generator) -> bool:
    """Damage the offset of a row, column or diagonal."""
    return _overwrite(matrix, "offsets" if matrix.format == "dia" else "indptr", random)


def index(matrix: Any, random: np.random.Generator) -> bool:
    """Damage the row or column of an entry."""
    if matrix.format == "lil":
        row = int(random.integers(1, 30))
        matrix.rows[row], matrix.data[row] = [int(random.choice([-99, 30, 10**8]))], [1.0]
        return True
    if matrix.format == "dok":
        entries = getattr(matrix, "_dict", matrix)  # in SciPy 1.11, the matrix itself is a dict
        dict.__setitem__(entries, (int(random.choice([-99, 30, 10**8])), 0), 1.0)
        return True
    return _overwrite(matrix, str(random.choice(["row", "col"])) if matrix.format == "coo" else "indices", random)


def length(matrix: Any, random: np.random.Generator) -> bool:
    """Cut an array."""
    if matrix.format == "lil":
        matrix.rows[3] = [1, 2, 3, 4, 5, 6]
        return True
    arrays = ("indptr", "indices", "offsets", "row", "col", "data")
    names = [name for name in arrays if isinstance(getattr(matrix, name, None), np.ndarray)]
    if not names:
        return False
    name = str(random.choice(names))
    setattr(matrix, name, getattr(matrix, name)[: -int(random.integers(1, 9))])
    return True


def kind(matrix: Any, random: np.random.Generator) -> bool:
    """Make indices floats, with NaN among them."""
    name = "offsets" if matrix.format == "dia" else "indptr"
    if not hasattr(matrix, name):
        return False
    array = getattr(matrix, name).astype(float)
    array[random.integers(len(array))] = np.nan
    setattr(matrix, name, array)
    return True


MATRIX_CHANGES: tuple[Change, ...] = (offset, index, length, kind)
# formats and the changes that they allow
MATRIX_CASES = [
    (form, change)
    for form, change in product(MATRIX_FORMATS, MATRIX_CHANGES)
    if change(sparse_matrix(form), np.random.default_rng(0))
]


def damaged_matrix(random: np.random.Generator) -> Any:
    """Return a matrix of a random format with one or two changes."""
    matrix = sparse_matrix(str(random.choice(MATRIX_FORMATS)))
    for change in random.choice(MATRIX_CHANGES, random.integers(1, 3)):
        change(matrix, random)
    return matrix


def try_matrix(random: np.random.Generator) -> str:
    """Convert a damaged matrix; return the outcome."""
    try:
        Cooccurrence.from_matrix(damaged_matrix(random)).matrix.sum()
    except ValueError as error:
        return "refused" if "'matrix' is a damaged" in str(error) else f"unnamed: {error}"
    return "right"


def try_graph(random: np.random.Generator) -> str:
    """Convert a damaged adjacency matrix; return the outcome."""
    try:
        walk_counts(damaged_matrix(random)).matrix.sum()
    except ValueError as error:
        return "refused" if "'graph' is a damaged" in str(error) else f"unnamed: {error}"
    return "right"


# ---- checkpoints


def write_checkpoint(place: Path) -> None:
    """Write a run that stopped after two of three epochs."""
    WordRank(SENTENCES, min_count=1, vector_size=4, epochs=3, window=3, checkpoint=place, callbacks=[Stop()])


class Stop:
    """A callback that stops training after two epochs."""

    def __getattr__(self, name: str) -> Callable[[WordRank], bool]:
        return lambda model: name == "on_epoch_end" and model.epochs_done == 2


def forge(place: Path, file: str, value: Any) -> None:
    """Replace a value of a run, or add one, and write the checksums that it would have."""
    directory, name = place / Path(file).parent, Path(file).name
    if name.endswith(".json"):
        (directory / name).write_text(value if isinstance(value, str) else json.dumps(value))
    elif isinstance(value, bytes):
        (directory / name).write_bytes(value)
    else:
        np.save(directory / name, value)
    update_manifest(directory, name)
    if file.startswith("cooccurrence"):
        about = json.loads((place / "run" / "run.json").read_text())
        about["cooccurrence"] = checksummed.file_checksum(directory / "manifest.json")
        (place / "run" / "run.json").write_text(json.dumps(about))
        update_manifest(place / "run", "run.json")
    if not file.startswith("epoch"):
        for epoch in place.glob("epoch-*"):
            progress = json.loads((epoch / "progress.json").read_text())
            progress["run"] = checksummed.file_checksum(place / "run" / "manifest.json")
            (epoch / "progress.json").write_text(json.dumps(progress))
            update_manifest(epoch, "progress.json")


def update_manifest(directory: Path, name: str) -> None:
    """Write the checksum of a file into the manifest."""
    manifest = json.loads((directory / "manifest.json").read_text())
    manifest["checksums"][name] = checksummed.file_checksum(directory / name)
    (directory / "manifest.json").write_text(json.dumps(manifest))


# values that stand for trouble: other types, sizes, places
JSON_VALUES = (
    None, True, -1, 0, 1, 2**31, 10**30, 1e308, -0.5, float("nan"), float("inf"), "", "x" * 70000, "/etc/passwd",
    "hdfs://node/x", "/dev/zero", "10" * 9, [], [None], [[1]], {}, {"a": {}}, ["sea"] * 9,
)  # fmt: skip
NAMES = (
    "corpus_file", "sentences", "checkpoint", "cluster", "callbacks", "warm_start", "trim_rule", "wv", "__class__",
    "train", "_trained_words", "cooccurrence", "objective", "vector_size", "epochs", "workers", "memory", "seed",
)  # fmt: skip


def change_json(value: Any, random: np.random.Generator) -> Any:
    """Return a JSON value with one change somewhere in it."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        name = random.choice([*value, *NAMES]) if random.random() < 0.7 else random.choice(NAMES)
        return value | {str(name): change_json(value.get(str(name)), random)}
    if isinstance(value, list) and value and random.random() < 0.7:
        i = int(random.integers(len(value)))
        return [*value[:i], change_json(value[i], random), *value[i + 1 :]]
    return JSON_VALUES[random.integers(len(JSON_VALUES))]


def change_array(array: Any, random: np.random.Generator) -> Any:
    """Return an array with another type, shape or range, or a file that says so."""
    kind = random.integers(5)
    if not array.size:
        array = np.zeros((1, *array.shape[1:]), array.dtype)
    if kind == 0:
        return array.astype(random.choice(["f8", "i4", "u1", "f2", ">f4", "c8", "U3"]))
    if kind == 1:
        return array[: len(array) // 2] if random.random() < 0.5 else np.concatenate([array, array])
    if kind == 2:
        return array.reshape((-1, *array.shape, 1)) if random.random() < 0.5 else array.ravel()[:1].reshape(())
    changed = array.copy()
    if kind == 3:
        values = [np.nan, np.inf, -np.inf, -1e30, 1e9, -7] if changed.dtype.kind == "f" else [-(2**31), -1, 2**31 - 1]
        changed.flat[random.integers(changed.size)] = random.choice(values)
        return changed
    return npy_header(array.dtype, (int(10 ** random.integers(6, 18)), *array.shape[1:])) + array.tobytes()


def npy_header(dtype: Any, shape: tuple[int, ...]) -> bytes:
    """Return the beginning of a .npy file."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False, "shape": shape}
    )
    return file.getvalue()


def try_checkpoint(random: np.random.Generator) -> str:
    """Resume a run in which one value was forged; return the outcome."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(shutil.copytree(a_run(), Path(name, "run")))
        files = sorted(path for path in place.rglob("*.*") if path.suffix in (".json", ".npy"))
        path = files[random.integers(len(files))]
        if path.suffix == ".npy":
            forge(place, str(path.relative_to(place)), change_array(np.load(path), random))
        elif path.name != "manifest.json":
            forge(place, str(path.relative_to(place)), change_json(json.loads(path.read_text()), random))
        else:
            path.write_text(json.dumps(change_json(json.loads(path.read_text()), random)))
        before = sorted(Path(name).rglob("*"))
        try:
            model = WordRank.resume(place)
        except (FloatingPointError, np.linalg.LinAlgError):
            return "right"  # the numbers were so large that training diverged
        except (ValueError, OSError) as error:
            assert sorted(Path(name).rglob("*")) == before, "files were written"
            return "refused" if "run" in str(error) else f"unnamed: {error}"
        assert model.wv.vectors.dtype == np.float32
        assert np.isfinite(model.wv.vectors).all()
        return "right"


@cache
def a_run() -> Path:
    """Return a run that was written once."""
    place = Path(tempfile.mkdtemp())
    weakref.finalize(a_run, shutil.rmtree, place)
    write_checkpoint(place / "run")
    return place / "run"


# ---- the program

CLASSES: dict[str, Callable[[np.random.Generator], str]] = {
    "matrices": try_matrix, "graphs": try_graph, "checkpoints": try_checkpoint,
}  # fmt: skip


def main(seed: int, rounds: int) -> None:
    """Try all classes."""
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", RuntimeWarning)  # very large numbers overflow, and training says that it diverged
    logging.disable()
    for number, (name, attempt) in enumerate(CLASSES.items()):
        print(json.dumps({"name": name}), flush=True)  # in case of a crash
        random, outcomes = np.random.default_rng([seed, number]), Counter[str]()
        for _ in range(rounds):
            try:
                outcomes[attempt(random)] += 1
            except Exception as error:
                outcomes[f"{type(error).__name__}: {error}"] += 1
        print(json.dumps({"name": name, "outcomes": outcomes}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
