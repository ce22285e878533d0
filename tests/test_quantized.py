"""Vectors in fewer bytes: what they lose, and who reads them."""

import json

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim_wordrank import WordRank, quantized
from gensim_wordrank._utils import safetensors
from gensim_wordrank.evaluation import load_model

HOW = ["float16", "int8", "pq"]


def keyed(vectors):
    """Return vectors of the words w0, w1, ..."""
    wv = KeyedVectors(vectors.shape[1])
    wv.add_vectors([f"w{i}é" for i in range(len(vectors))], vectors.astype(np.float32))
    return wv


@pytest.fixture(scope="module")
def wv():
    """Vectors of several lengths in groups, as words have them."""
    random = np.random.default_rng(0)
    groups = random.normal(size=(40, 25))
    vectors = groups[random.integers(40, size=2000)] + 0.5 * random.normal(size=(2000, 25))
    vectors *= random.uniform(0.1, 9, size=(2000, 1))
    return keyed(vectors)


@pytest.mark.parametrize(("how", "bytes_per_number", "cosine", "kept"), [
    ("float16", 2, 0.999999, 0.99), ("int8", 1, 0.9999, 0.97), ("pq", 0.5, 0.98, 0.7),
])  # fmt: skip
def test_size_and_loss(wv, tmp_path, how, bytes_per_number, cosine, kept):
    """Files have the size that they should; the loss that is stated is that of what is loaded, and is small."""
    stated = quantized.save(wv, tmp_path / "small", how)
    found = load_model(str(tmp_path / "small")).wv
    assert found.index_to_key == wv.index_to_key
    assert found.vectors.dtype == np.float32
    assert stated.cosine > cosine
    assert stated.neighbours > kept
    assert stated == quantized.loss_of(wv.vectors, found.vectors)
    near = [{word for word, _ in each.most_similar("w3é")} for each in (wv, found)]
    assert len(near[0] & near[1]) >= 6
    words, centroids = len(json.dumps(wv.index_to_key)), 13 * 256 * 2 * 4
    most = bytes_per_number * 26 * 2000 + words + 4 * 2000 + 1000 + (centroids if how == "pq" else 0)
    assert (tmp_path / "small").stat().st_size < most


def test_known_rounding(wv):
    """float16 and int8 are rounded to the nearest number; few different points are product-quantized without a loss."""
    half = quantized.restore(quantized.quantize(wv.vectors, "float16"), 25)
    np.testing.assert_array_equal(half, wv.vectors.astype(np.float16).astype(np.float32))
    eighth = quantized.restore(quantized.quantize(wv.vectors, "int8"), 25)
    assert (np.abs(eighth - wv.vectors) <= np.abs(wv.vectors).max(axis=1, keepdims=True) / 127 / 2 * 1.0001).all()
    assert not quantized.restore(quantized.quantize(np.zeros((3, 4), np.float32), "int8"), 4).any()
    points = np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)  # one row has an odd end
    again = quantized.restore(quantized.quantize(points, "pq"), 3)
    np.testing.assert_allclose(again, points, atol=1e-6)


def test_product_quantizer_is_no_worse_than_scipy(wv):
    """The error of the product quantizer is about that of SciPy's k-means for each pair of columns."""
    from scipy.cluster.vq import kmeans2

    unit = wv.vectors / np.maximum(np.linalg.norm(wv.vectors, axis=1, keepdims=True), 1e-9)
    found = quantized.restore(quantized.quantize(unit, "pq"), 25)
    errors = []
    for i in range(0, 24, 2):
        centroids, codes = kmeans2(unit[:, i : i + 2], unit[:256, i : i + 2].copy(), 25, minit="matrix")
        errors.append(((unit[:, i : i + 2] - centroids[codes]) ** 2).sum())
    assert ((unit - found)[:, :24] ** 2).sum() < 1.1 * sum(errors)


@pytest.mark.parametrize("how", HOW)
def test_package_safetensors_reads_the_file(wv, tmp_path, how):
    """Without gensim_wordrank, the package safetensors and the documented formulas give the same vectors."""
    package = pytest.importorskip("safetensors.numpy")
    quantized.save(wv, tmp_path / "small", how)
    found = package.load_file(tmp_path / "small")
    assert json.loads(found["words"].tobytes()) == wv.index_to_key
    if how == "float16":
        vectors = found["vectors"]
    elif how == "int8":
        vectors = found["vectors"] * found["scales"][:, None]
    else:
        parts = [c[k] for c, k in zip(found["centroids"], found["codes"].T, strict=True)]
        vectors = found["lengths"][:, None] * np.hstack(parts)[:, :25]
    np.testing.assert_array_equal(quantized.load(tmp_path / "small").vectors, vectors.astype(np.float32))


def test_trained_vectors_keep_their_neighbours(lee, tmp_path):
    """Of the vectors of a model, int8 keeps nearly all neighbours; so does u + v."""
    model = WordRank(lee, epochs=5)
    for vectors in (model.wv, model.vectors("sum")):
        loss = quantized.save(vectors, tmp_path / "small", "int8")
        assert loss.neighbours > 0.95
    kept = [quantized.save(model.wv, tmp_path / "small", how).neighbours for how in HOW]
    assert kept == sorted(kept, reverse=True)


CRAFTED = {
    "another kind": lambda tensors, strings: strings.update(format="gensim-wordrank model 1"),
    "a word too few": lambda tensors, strings: tensors.update(words=tensors["words"][:0]),
    "twice a word": lambda tensors, strings: tensors.update(words=np.frombuffer(b'["a", "a"]', np.uint8)),
    "numbers as words": lambda tensors, strings: tensors.update(words=np.frombuffer(b"[1, 2]", np.uint8)),
    "no words": lambda tensors, strings: tensors.pop("words"),
    "another size": lambda tensors, strings: strings.update(vector_size="7"),
    "no size": lambda tensors, strings: strings.update(vector_size="-"),
    "codes outside": lambda tensors, strings: tensors.update(codes=tensors["codes"] + np.uint8(200)),
    "NaN": lambda tensors, strings: tensors.update(lengths=tensors["lengths"] * np.nan),
    "codes of fewer words": lambda tensors, strings: tensors.update(codes=tensors["codes"][:1]),
    "floats as codes": lambda tensors, strings: tensors.update(codes=tensors["codes"].astype(np.float32)),
    "flat": lambda tensors, strings: tensors.update(codes=tensors["codes"].ravel()),
    "no centroids": lambda tensors, strings: tensors.pop("centroids"),
}


@pytest.mark.parametrize("change", CRAFTED.values(), ids=CRAFTED.keys())
def test_crafted_files_are_refused(tmp_path, change):
    """Contents that were never written are an error that names the file, although the checksums are right."""
    path = tmp_path / "small"
    quantized.save(keyed(np.eye(2, 6)), path, "pq")
    with path.open("rb") as file:
        tensors, strings = safetensors.read(file)
    change(tensors, strings)
    with path.open("wb") as file:
        safetensors.write(file, tensors, {name: strings[name] for name in ("format", "vector_size")})
    with pytest.raises(ValueError, match=str(path)):
        quantized.load(path)


def test_errors(wv, tmp_path):
    """An unknown method, and vectors too large for float16, are refused; a file of vectors is no model."""
    with pytest.raises(ValueError, match="'how' must be"):
        quantized.save(wv, tmp_path / "small", "int4")
    with pytest.raises(ValueError, match="float16"):
        quantized.save(keyed(np.full((2, 2), 1e6)), tmp_path / "small", "float16")
    assert not list(tmp_path.iterdir())
    quantized.save(wv, tmp_path / "small", "int8")
    with pytest.raises(ValueError, match="quantized vectors"):
        WordRank.load(tmp_path / "small")
