"""What WordRank inherits from Word2Vec: vocabulary, files, events, and methods that it overrides."""

import json
import logging
import pickle
import subprocess
import sys
import types
from functools import partial

import numpy as np
import pytest
from gensim.models import FastText, KeyedVectors, Phrases, Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from gensim.utils import RULE_DISCARD, RULE_KEEP
from gensim_wordrank import WordRank
from gensim_wordrank.evaluation import load_model

SMALL = {"vector_size": 8, "window": 5}


@pytest.fixture(scope="module")
def small(two_worlds):
    """A trained model; tests must not change it."""
    return WordRank(two_worlds, **SMALL, epochs=5)


def keep_sea_words(word, count, min_count):
    """A trim rule that keeps half of the words."""
    return RULE_KEEP if word.startswith("sea") else RULE_DISCARD


# ---- vocabulary


@pytest.mark.parametrize(
    "options", [{"min_count": 185}, {"max_final_vocab": 11}, {"max_vocab_size": 30}, {"trim_rule": keep_sea_words}]
)
def test_vocabulary_options(two_worlds, options):
    """The vocabulary has the words and the order of Word2Vec's."""
    ours = WordRank(two_worlds, vector_size=4, epochs=1, **options)
    theirs = Word2Vec(two_worlds, vector_size=4, epochs=1, **options)
    assert 0 < len(ours.wv) < 40
    assert ours.wv.index_to_key == theirs.wv.index_to_key


def test_dry_run_of_prepare_vocab(two_worlds):
    """prepare_vocab(dry_run=True) reports what min_count would keep and does not change the model."""
    model = WordRank(**SMALL)
    assert model.scan_vocab(two_worlds) == (7200, 600)
    counts = dict(model.raw_vocab)
    report = model.prepare_vocab(dry_run=True, min_count=185)
    assert report["num_retained_words"] == sum(count >= 185 for count in counts.values())
    assert report["retain_total"] == sum(count for count in counts.values() if count >= 185)
    assert not len(model.wv)


def test_vocabulary_from_frequencies(two_worlds):
    """build_vocab_from_freq gives the same vocabulary and vectors as the text."""
    model = WordRank(**SMALL, epochs=5)
    counts = {}
    for sentence in two_worlds:
        for word in sentence:
            counts[word] = counts.get(word, 0) + 1
    model.build_vocab_from_freq(counts)
    model.train(two_worlds, total_examples=model.corpus_count, epochs=model.epochs)
    assert model.wv.vectors.tobytes() == WordRank(two_worlds, **SMALL, epochs=5).wv.vectors.tobytes()
    model.build_vocab_from_freq({"ship": 9, "sea1": 1}, update=True)
    assert model.wv.index_to_key[-1] == "ship"
    assert model.wv.get_vecattr("sea1", "count") == counts["sea1"] + 1


def test_generators(two_worlds):
    """build_vocab and train each read the text once, so both accept a generator."""
    model = WordRank(**SMALL)
    model.build_vocab(sentence for sentence in two_worlds)
    model.train((sentence for sentence in two_worlds), total_examples=600, epochs=5)
    assert model.wv.vectors.tobytes() == WordRank(two_worlds, **SMALL, epochs=5).wv.vectors.tobytes()


class Reversing(WordRank):
    """A model that changes the sentences of each job, as programs for Word2Vec do."""

    def _do_train_job(self, sentences, alpha, inits):
        return super()._do_train_job([sentence[::-1] for sentence in sentences], alpha, inits)


def test_sentences_of_train_jobs(two_worlds):
    """What a subclass passes on from `_do_train_job` is counted, whether the text is a list or an iterator."""
    expected = WordRank(**SMALL, symmetric=False)
    expected.build_vocab(two_worlds)
    expected.train([sentence[::-1] for sentence in two_worlds], total_examples=600, epochs=2)
    for text in (two_worlds, iter(two_worlds)):
        model = Reversing(**SMALL, symmetric=False)
        model.build_vocab(two_worlds)
        assert model.train(text, total_examples=600, epochs=2) == (14400, 14400)
        assert model.wv.vectors.tobytes() == expected.wv.vectors.tobytes()


def test_seed_that_changes_before_training(two_worlds):
    """Vectors are not taken for given ones if `seed` is set, also to None, after they were initialized."""
    for seed in (7, None):
        model = WordRank(**SMALL)
        model.build_vocab(two_worlds)
        model.seed = seed
        model.train(two_worlds, total_examples=600, epochs=10)
        assert isinstance(model.seed, int)
        assert all(near.startswith("sea") for near, _ in model.wv.most_similar("sea1", topn=5))


# ---- training in steps


@pytest.mark.parametrize("solver", ["sampled", "triplet"])
@pytest.mark.parametrize("saved", [False, True])
def test_two_calls_of_train_equal_one(two_worlds, tmp_path, solver, saved):
    """At a constant rate, 3 + 3 epochs equal 6, also if the model is saved and memory-mapped in between."""
    constant = SMALL | {"alpha": 0.01, "min_alpha": 0.01}
    whole, steps = (WordRank(two_worlds, **constant, epochs=epochs, solver=solver) for epochs in (6, 3))
    if saved:
        steps.save(tmp_path / "model", sep_limit=0, cooccurrence=True)
        steps = WordRank.load(tmp_path / "model", mmap="r")
    steps.train(two_worlds, total_examples=steps.corpus_count, epochs=3)
    for name in ("context_vectors", "context_bias"):
        assert getattr(steps, name).tobytes() == getattr(whole, name).tobytes()
    assert steps.wv.vectors.tobytes() == whole.wv.vectors.tobytes()


def test_vectors_lockf(two_worlds):
    """`vectors_lockf` of 0 locks a vector, 0.5 halves its change in each epoch, and 1 has no effect."""
    free, locked = (WordRank(**SMALL, alpha=0.025, min_alpha=0.025) for _ in range(2))
    for model in (free, locked):
        model.build_vocab(two_worlds)
    start = locked.wv.vectors.copy()
    locked.wv.vectors_lockf = np.ones(40, np.float32)
    locked.wv.vectors_lockf[:2] = 0, 0.5
    for model in (free, locked):
        model.train(two_worlds, total_examples=600, epochs=1)
    np.testing.assert_array_equal(locked.wv.vectors[0], start[0])
    np.testing.assert_allclose(locked.wv.vectors[1], (start[1] + free.wv.vectors[1]) / 2, rtol=1e-4)
    np.testing.assert_array_equal(locked.wv.vectors[2:], free.wv.vectors[2:])


def test_vectors_lockf_after_a_vocabulary_update(two_worlds):
    """New words are not locked; a wrong number of locks is an error."""
    model = WordRank(two_worlds, **SMALL, epochs=1)
    model.wv.vectors_lockf = np.zeros(40, np.float32)
    old, more = model.wv.vectors.copy(), [["ship", "harbour", "sea1"]] * 5
    model.build_vocab(more, update=True)
    new = model.wv.vectors[40:].copy()
    model.train(more, total_examples=5, epochs=1)
    np.testing.assert_array_equal(model.wv.vectors[:40], old)
    assert (model.wv.vectors[40:] != new).any(axis=1).all()
    model.wv.vectors_lockf = np.zeros(3, np.float32)
    with pytest.raises(ValueError, match="'wv.vectors_lockf' must be 1 number or 42, one per word. Got 3"):
        model.train(more, total_examples=5, epochs=1)


def test_intersect_word2vec_format(two_worlds, small, tmp_path):
    """Vectors that are merged from a file and locked do not change."""
    small.wv.save_word2vec_format(tmp_path / "vectors.txt")
    model = WordRank(**SMALL)
    model.build_vocab([*two_worlds, ["new"] * 5])
    model.wv.vectors_lockf = np.ones(len(model.wv), np.float32)
    model.wv.intersect_word2vec_format(str(tmp_path / "vectors.txt"), lockf=0.0)
    model.train(two_worlds, total_examples=600, epochs=1)
    np.testing.assert_allclose(model.wv["sea1"], small.wv["sea1"], rtol=1e-5)


# ---- files


def test_save_to_open_and_compressed_files(small, tmp_path):
    """save accepts an open file, as in gensim, and a name that ends in .gz."""
    with (tmp_path / "open").open("wb") as file:
        small.save(file)
    small.save(tmp_path / "model.gz")
    for name in ("open", "model.gz"):
        np.testing.assert_array_equal(WordRank.load(tmp_path / name).wv.vectors, small.wv.vectors)


def test_model_saved_without_cooccurrence(small, two_worlds, tmp_path):
    """A model that was saved without its counts can be trained."""
    small.save(tmp_path / "model")
    loaded = WordRank.load(tmp_path / "model")
    assert loaded.cooccurrence is None
    loaded.train(two_worlds, total_examples=600, epochs=1)
    assert loaded.cooccurrence.nnz == small.cooccurrence.nnz


def test_save_to_a_device(small, monkeypatch):
    """A device receives a single file, where gensim would store large arrays in separate files."""
    monkeypatch.setattr(small, "extra", np.zeros(11 << 20, np.uint8), raising=False)
    small.save("/dev/null")
    with pytest.raises(OSError, match="2 files to be written"):
        small.save("/dev/null", sep_limit=1 << 20)


def test_models_without_context_vectors(small, two_worlds, tmp_path):
    """Methods that need context vectors raise an error; the others work."""
    small.save(tmp_path / "model", ignore=["context_vectors"])
    slim = WordRank.load(tmp_path / "model")
    grown = WordRank.load(tmp_path / "model")
    grown.context_vectors = small.context_vectors
    grown.wv.add_vectors(["added"], np.ones((1, small.vector_size), np.float32))
    for model in (slim, grown):
        assert model.vectors("word").most_similar("sea1") == model.wv.most_similar("sea1")
        for need in (lambda: model.vectors("sum"), lambda: model.predict_output_word(["sea1"])):  # noqa: B023
            with pytest.raises(RuntimeError, match="no context vectors of these words"):
                need()
        with pytest.raises(ValueError, match="'which' must be"):
            model.vectors("words")
    for part in ("context_vectors", "context_bias"):
        small.save(tmp_path / "part", ignore=[part])
        model = WordRank.load(tmp_path / "part")
        for need in (
            lambda: model.train(two_worlds, total_examples=1, epochs=1),  # noqa: B023
            lambda: model.build_vocab([["new"] * 9], update=True),  # noqa: B023
            lambda: model.predict_output_word(["sea1"]),  # noqa: B023
            lambda: model.exact_loss(),  # noqa: B023
        ):
            with pytest.raises(RuntimeError, match="no context vectors of these words"):
                need()


@pytest.mark.parametrize("kind", [Word2Vec, FastText, KeyedVectors, Phrases])
def test_load_model_of_another_class(two_worlds, small, tmp_path, kind):
    """The error names the class and how to load it."""
    other = {
        Word2Vec: lambda: Word2Vec(two_worlds, vector_size=5, epochs=1),
        FastText: lambda: FastText(two_worlds, vector_size=5, epochs=1, bucket=100),
        KeyedVectors: lambda: small.wv,
        Phrases: lambda: Phrases(two_worlds),
    }[kind]()
    other.save(str(tmp_path / "other"))
    with pytest.raises(AttributeError, match=f"holds a {kind.__name__}, not a WordRank .*with {kind.__name__}.load"):
        WordRank.load(tmp_path / "other")


def test_load_other_pickles(tmp_path, small):
    """A file without a gensim object is an error; load can only be called on the class."""
    (tmp_path / "other").write_bytes(pickle.dumps({"no": "model"}))
    with pytest.raises(AttributeError, match="other' holds no WordRank model: 'dict'"):
        WordRank.load(tmp_path / "other")
    with pytest.raises(AttributeError, match="class object"):
        small.load("model")


@pytest.mark.parametrize("has_module", [False, True])
def test_load_model_with_moved_modules(small, tmp_path, monkeypatch, has_module):
    """The error for a model that names modules of older versions names the file and says what to do."""
    module = "gensim_wordrank.objective" if has_module else "gensim_wordrank.fitting"
    old_class = type("Objective", (), {"__module__": module})
    old_module = types.ModuleType(module)
    old_module.Objective = old_class
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, module, old_module)
        patch.setattr(small, "objective", old_class())
        small.save(tmp_path / "old.model")
    message = "old.model' was saved by an older development version and cannot be read. Train the model again.$"
    for load in (WordRank.load, partial(load_model, trust=True)):
        with pytest.raises(ValueError, match=message):
            load(str(tmp_path / "old.model"))


def test_memory_mapped_files_are_not_changed(small, two_worlds, tmp_path):
    """Warm start, new words and training of a memory-mapped model do not write to its files."""
    small.save(tmp_path / "model", sep_limit=0)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    model = WordRank.load(tmp_path / "model", mmap="r")
    assert not model.wv.vectors.flags.writeable
    assert model.warm_start(small.vectors("sum"), small.wv) == 40
    model = WordRank.load(tmp_path / "model", mmap="r")
    more = [["sea1", "ship"]] * 5
    model.build_vocab(more, update=True)
    model.train(more, total_examples=5, epochs=1)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.filterwarnings("ignore:unclosed file")  # gensim leaves a file without a header open
@pytest.mark.parametrize(
    ("save", "load"),
    [
        ({"binary": True}, {"binary": True}),
        ({"binary": False}, {"binary": False}),
        ({"binary": False, "write_header": False}, {"binary": False, "no_header": True}),
    ],
    ids=["binary", "text", "GloVe"],
)
def test_word2vec_and_glove_formats(small, tmp_path, save, load):
    """Both of word2vec's formats and GloVe's keep words, order and vectors."""
    small.wv.save_word2vec_format(tmp_path / "vectors", **save)
    loaded = KeyedVectors.load_word2vec_format(tmp_path / "vectors", **load)
    assert loaded.index_to_key == small.wv.index_to_key
    np.testing.assert_allclose(loaded.vectors, small.wv.vectors, rtol=1e-6)


def test_vectors_load_without_this_package(small, tmp_path):
    """Saved `wv` can be loaded where gensim_wordrank is not installed."""
    small.save(tmp_path / "model")
    WordRank.load(tmp_path / "model").wv.save(str(tmp_path / "vectors"))
    script = (
        "import sys; sys.modules['gensim_wordrank'] = None\n"
        "from gensim.models import KeyedVectors\n"
        "keyed = KeyedVectors.load(sys.argv[1])\n"
        "print(keyed.most_similar('sea1', topn=1)[0][0], keyed.get_vecattr('sea1', 'count'))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "vectors")], capture_output=True, text=True, check=True
    )
    nearest, _ = small.wv.most_similar("sea1", topn=1)[0]
    assert run.stdout.split() == [nearest, str(small.wv.get_vecattr("sea1", "count"))]


def test_callbacks_are_not_saved_with_the_model(two_worlds, tmp_path):
    """A model that a callback of a local class saved can be loaded and trained to the same vectors."""

    class Saver(CallbackAny2Vec):
        def on_epoch_end(self, model):
            if model.epochs_done == 2:
                model.save(tmp_path / "model")

    constant = {"alpha": 0.02, "min_alpha": 0.02}  # so that 2 + 2 epochs are 4
    whole = WordRank(two_worlds, **SMALL, **constant, epochs=4, callbacks=[Saver()])
    rest = WordRank.load(tmp_path / "model")
    rest.train(two_worlds, total_examples=600, epochs=2)
    assert rest.wv.vectors.tobytes() == whole.wv.vectors.tobytes()


# ---- methods and attributes


def test_predict_output_word(two_worlds):
    """Likely contexts belong to the world of the given words, sorted by probability."""
    model = WordRank(two_worlds, vector_size=20, window=5)
    for world in ("sea", "sky"):
        predicted = model.predict_output_word([f"{world}1", f"{world}2", "nowhere"], topn=15)
        assert all(word.startswith(world) for word, _ in predicted)
        probabilities = [probability for _, probability in predicted]
        assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probability for _, probability in model.predict_output_word(["sea1"], topn=40)) == pytest.approx(1)
    index = model.wv.get_index("sea1")
    assert model.predict_output_word([index]) == model.predict_output_word(["sea1"])


def test_predictions_are_the_softmax_of_scores(small):
    """The probability of a context is the softmax of <u, v> + b."""
    scores = small.context_vectors @ small.wv.vectors[small.wv.get_index("sea1")] + small.context_bias
    probabilities = np.exp(scores) / np.exp(scores).sum()
    for word, probability in small.predict_output_word(["sea1"], topn=40):
        assert probability == pytest.approx(probabilities[small.wv.get_index(word)], rel=1e-5)


def test_predict_from_unknown_words(small, caplog):
    """Unknown words give None and a warning; a model without context vectors raises an error."""
    with caplog.at_level(logging.WARNING):
        assert small.predict_output_word(["nowhere"]) is None
    assert "out-of-vocabulary" in caplog.text
    only_words = WordRank()
    only_words.wv = small.wv
    with pytest.raises(RuntimeError, match="no context vectors"):
        only_words.predict_output_word(["sea1"])


def test_score_is_not_implemented(small, two_worlds):
    """`score` needs hierarchical softmax; the error names an alternative."""
    with pytest.raises(NotImplementedError, match="n_similarity"):
        small.score(two_worlds)


@pytest.mark.parametrize("kind", [Word2Vec, WordRank])
def test_reset_from_copies_the_vocabulary(two_worlds, small, kind):
    """The vocabulary of a WordRank or Word2Vec model is copied: new words in one do not change the other."""
    other = kind(two_worlds, vector_size=5, epochs=1)
    model = WordRank(**SMALL)
    model.reset_from(other)
    model.train(two_worlds, total_examples=model.corpus_count, epochs=5)
    assert model.wv.vectors.tobytes() == small.wv.vectors.tobytes()
    model.build_vocab([["ship"]] * 5, update=True)
    assert "ship" not in other.wv
    assert len(other.wv) == len(other.wv.vectors) == 40


def test_syn1neg(small, tmp_path):
    """`syn1neg` is an alias of `context_vectors`: for reading, for assignment, and after loading."""
    assert small.syn1neg is small.context_vectors
    small.save(tmp_path / "model")
    loaded = WordRank.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.syn1neg, small.context_vectors)
    loaded.syn1neg = np.zeros_like(loaded.syn1neg)
    assert not loaded.context_vectors.any()


def test_lifecycle_events(small, tmp_path):
    """gensim's events are recorded in its order as JSON values; str() shows class and size."""
    small.save(tmp_path / "model")
    loaded = WordRank.load(tmp_path / "model")
    events = [event["event"] for event in loaded.lifecycle_events]
    assert events[:7] == ["created", *["prepare_vocab"] * 3, "build_vocab", "train", "train"]
    assert events[-2:] == ["saving", "loaded"]
    assert json.dumps(loaded.lifecycle_events[:7])
    assert str(loaded) == "WordRank<vocab=40, vector_size=8, alpha=0.025>"


def test_attributes_of_word2vec(small):
    """Attributes that code for Word2Vec reads exist."""
    assert (small.corpus_count, small.corpus_total_words, small.train_count) == (600, 7200, 1)
    assert (small.layer1_size, small.epochs, small.effective_min_count) == (8, 5, 5)
    assert (small.hs, small.negative, small.sample) == (0, 0, 0)
    assert small.total_train_time > 0
    assert small.min_alpha_yet_reached == small.min_alpha == 0.0001


def test_pruned_vocabulary_of_several_files(tmp_path):
    """build_vocab accepts a list of files also if gensim prunes the vocabulary while it reads."""
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("often now and then\n" * 5)
    model = WordRank(max_vocab_size=100)
    model.build_vocab(corpus_file=[tmp_path / "one.txt", tmp_path / "two.txt"])
    assert model.wv.get_vecattr("often", "count") == 10
