"""Whole models in safetensors files."""

import io
import json

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim_wordrank import WordRank
from gensim_wordrank._utils import safetensors
from gensim_wordrank.evaluation import load_model
from gensim_wordrank.evaluation.load import describe
from gensim_wordrank.weights import trained_words

SENTENCES = [["the", "sea", "of", "röse"], ["sky", "röse", "the", "of"], ["bird", "the", "sky"]] * 3


@pytest.fixture(scope="module")
def model():
    """A small model whose words have attributes of their own."""
    result = WordRank(SENTENCES, vector_size=5, min_count=1, epochs=3, alpha=0.1, min_alpha=0.1, seed=3)
    for i, word in enumerate(result.wv.index_to_key):
        result.wv.set_vecattr(word, "weight", float(i))
        result.wv.set_vecattr(word, "label", word.upper())
    return result


@pytest.fixture
def path(model, tmp_path):
    """The file of the model."""
    model.save(tmp_path / "model", format="safetensors", cooccurrence=True)
    return tmp_path / "model"


@pytest.mark.parametrize("mmap", [None, "r", "c"])
def test_save_and_load(model, path, mmap):
    """A loaded model has the same arrays, words and parameters, and trains to the same bytes; one file is written."""
    assert [file.name for file in path.parent.iterdir()] == ["model"]
    loaded, copy = WordRank.load(path, mmap=mmap), WordRank.load(path)
    assert isinstance(loaded.wv.vectors, np.memmap) == (mmap is not None)
    for one, other in ((loaded.wv, model.wv), (loaded, model)):
        for name in ("vectors", "vectors_lockf", "context_vectors", "context_bias", "_accumulators"):
            if isinstance(getattr(other, name, None), np.ndarray):
                np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert loaded.wv.index_to_key == model.wv.index_to_key
    assert loaded.wv.key_to_index == model.wv.key_to_index
    for name in ("count", "weight", "label"):
        assert loaded.wv.get_vecattr("röse", name) == model.wv.get_vecattr("röse", name)
    assert describe(loaded) == describe(model)
    assert loaded.training_losses == model.training_losses
    assert loaded.lifecycle_events == model.lifecycle_events
    assert loaded.exact_loss() == model.exact_loss()
    before = path.read_bytes()
    for each in (loaded, copy):
        each.train(SENTENCES, total_examples=9, epochs=2)
    assert loaded.wv.vectors.tobytes() == copy.wv.vectors.tobytes()
    assert loaded.epochs_done == 5
    assert path.read_bytes() == before


def test_counts_are_stored_if_asked(model, path, tmp_path):
    """Without counts, a file is smaller, and the model still trains."""
    model.save(tmp_path / "slim", format="safetensors")
    slim = WordRank.load(tmp_path / "slim")
    assert slim.cooccurrence is None
    assert (tmp_path / "slim").stat().st_size < path.stat().st_size
    slim.train(SENTENCES, total_examples=9, epochs=1)
    assert (slim.cooccurrence.matrix != model.cooccurrence.matrix).nnz == 0


def test_subwords(lee, tmp_path):
    """Vectors of unknown words and the vectors as trained are the same after loading."""
    model = WordRank(lee, subwords=True, epochs=2, vector_size=10)
    model.save(tmp_path / "model", format="safetensors")
    for loaded in (WordRank.load(tmp_path / "model", mmap="r"), load_model(str(tmp_path / "model")).subword_model):
        np.testing.assert_array_equal(loaded.vector("governmentally"), model.vector("governmentally"))
        np.testing.assert_array_equal(loaded.vectors("sum").vectors, model.vectors("sum").vectors)
        np.testing.assert_array_equal(trained_words(loaded), trained_words(model))


def test_other_models(tmp_path):
    """Words may be integers; untrained models and models without context vectors are stored as they are."""
    numbers = WordRank([[1, 2, 3], [2, 3, 4]], min_count=1, vector_size=3, epochs=1)
    numbers.save(tmp_path / "model", format="safetensors")
    assert WordRank.load(tmp_path / "model").wv.index_to_key == numbers.wv.index_to_key
    numbers.save(tmp_path / "pickle")
    WordRank.load(tmp_path / "pickle").save(tmp_path / "model", format="safetensors")
    assert WordRank.load(tmp_path / "model").wv.vectors.tobytes() == numbers.wv.vectors.tobytes()
    WordRank(vector_size=7).save(tmp_path / "model", format="safetensors")
    assert WordRank.load(tmp_path / "model", mmap="r").vector_size == 7
    numbers.context_vectors = None
    numbers.save(tmp_path / "model", format="safetensors")
    assert not WordRank.load(tmp_path / "model").has_contexts


def test_class_and_open_file(model, tmp_path):
    """A subclass loads as itself, with its parameters; an open file is written to directly."""

    class Mine(WordRank):
        def __init__(self, *arguments, mine=1, **options):
            self.mine = mine
            super().__init__(*arguments, **options)

    Mine(SENTENCES, min_count=1, epochs=1, mine=5).save(tmp_path / "mine", format="safetensors")
    assert Mine.load(tmp_path / "mine").mine == 5
    with pytest.raises(ValueError, match="mine' is damaged or of another version: 'mine' is unknown"):
        WordRank.load(tmp_path / "mine")
    with (tmp_path / "open").open("wb") as file:
        model.save(file, format="safetensors")
    assert WordRank.load(tmp_path / "open").wv.index_to_key == model.wv.index_to_key


def test_arguments(model, tmp_path):
    """Unknown formats, parameters of the other format, and other ways to map are errors."""
    with pytest.raises(ValueError, match="'format' must be one of"):
        model.save(tmp_path / "model", format="hdf5")
    with pytest.raises(TypeError, match="no parameter 'sep_limit'"):
        model.save(tmp_path / "model", format="safetensors", sep_limit=3)
    assert not list(tmp_path.iterdir())
    model.save(tmp_path / "model", format="safetensors")
    with pytest.raises(ValueError, match="'mmap' must be None, 'r' or 'c'"):
        WordRank.load(tmp_path / "model", mmap="r+")


def test_every_changed_byte_is_noticed(path):
    """A changed byte anywhere, and a file cut anywhere, is an error that names the file."""
    content = path.read_bytes()
    places = [*range(0, 300), *range(300, len(content), 37), len(content) - 1]
    for place in places:
        path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        for load in (WordRank.load, load_model):
            with pytest.raises((ValueError, OSError, AttributeError), match=str(path)):
                load(str(path))
    for place in places[1:]:
        path.write_bytes(content[:place])
        with pytest.raises((ValueError, OSError, AttributeError), match=str(path)):
            WordRank.load(path)


def rewrite(path, change):
    """Change the values of a model and write it with right checksums."""
    with path.open("rb") as file:
        arrays, strings = safetensors.read(file)
    values = json.loads(strings["model"])
    strings = {"format": strings["format"]}
    change(arrays, values, strings)
    with path.open("wb") as file:
        safetensors.write(file, arrays, strings | {"model": json.dumps(values)})


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays, values, strings: values["description"]["parameters"].update(callbacks=["x"]),
        lambda arrays, values, strings: values["description"]["parameters"].update(corpus_file="/etc/passwd"),
        lambda arrays, values, strings: values["description"]["parameters"].update(vector_size=-1),
        lambda arrays, values, strings: values["description"].pop("parameters"),
        lambda arrays, values, strings: values.update(epochs_done="many"),
        lambda arrays, values, strings: values.pop("lists"),
        lambda arrays, values, strings: strings.update(format="other"),
        lambda arrays, values, strings: arrays.pop("words"),
        lambda arrays, values, strings: arrays.update(words=np.frombuffer(b'["the"]', np.uint8)),
        lambda arrays, values, strings: arrays.update(words=np.frombuffer(b"[[], {}, 1, 2, 3, 4]", np.uint8)),
        lambda arrays, values, strings: arrays.update({"wv.vectors": arrays["wv.vectors"][:2]}),
        lambda arrays, values, strings: arrays.update({"wv.vectors": arrays["wv.vectors"] * np.float32(np.nan)}),
        lambda arrays, values, strings: arrays.update(context_bias=arrays["context_vectors"]),
        lambda arrays, values, strings: arrays.update({"cooccurrence.indices": arrays["cooccurrence.indices"] + 99}),
        lambda arrays, values, strings: arrays.update({"cooccurrence.indptr": arrays["cooccurrence.indptr"][::-1]}),
    ],
)
def test_crafted_files_are_refused(path, change):
    """Contents that no model has are an error that names the file, although the checksums are right."""
    rewrite(path, change)
    with pytest.raises(ValueError, match=str(path)):
        WordRank.load(path)


def test_package_safetensors_reads_the_file(model, path):
    """The package safetensors finds the same arrays, so the format is kept."""
    package = pytest.importorskip("safetensors.numpy")
    found = package.load_file(path)
    assert found["wv.vectors"].tobytes() == model.wv.vectors.tobytes()
    assert json.loads(bytes(found["words"])) == model.wv.index_to_key


def test_format_by_itself():
    """Arrays of all types and shapes come back; types that the format lacks are refused."""
    arrays = {name: np.ones((2, 3), dtype) for name, dtype in safetensors.DTYPES.items()} | {
        "none": np.empty((0, 4), np.float32),
        "one": np.array(3.0),
        "turned": np.arange(6.0).reshape(2, 3).T,
    }
    file = io.BytesIO()
    safetensors.write(file, arrays, {"say": "hé"})
    found, strings = safetensors.read(io.BytesIO(file.getvalue()))
    assert strings["say"] == "hé"
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
    with pytest.raises(TypeError, match="complex"):
        safetensors.write(io.BytesIO(), {"bad": np.ones(2, complex)}, {})


def test_vectors_alone_are_not_mistaken_for_a_model(tmp_path):
    """Files of vectors whose words look like the header are read as vectors."""
    keyed = KeyedVectors(2)
    keyed.add_vectors(["{", "{}"], np.ones((2, 2), np.float32))
    keyed.save_word2vec_format(tmp_path / "vectors.txt")
    assert load_model(str(tmp_path / "vectors.txt")).wv.index_to_key == ["{", "{}"]
