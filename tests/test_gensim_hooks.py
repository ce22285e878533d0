"""What WordRank has from Word2Vec: vocabulary, files, events, and methods with a meaning of their own here."""

import json
import logging
import pickle
import subprocess
import sys

import numpy as np
import pytest
from gensim.models import FastText, KeyedVectors, Phrases, Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from gensim.utils import RULE_DISCARD, RULE_KEEP
from gensim_wordrank import WordRank

SMALL = {"vector_size": 8, "window": 5}


@pytest.fixture(scope="module")
def small(two_worlds):
    """A trained model, not to be changed."""
    return WordRank(two_worlds, **SMALL, epochs=5)


def only_sea(word, count, min_count):
    """A rule that keeps half of the words."""
    return RULE_KEEP if word.startswith("sea") else RULE_DISCARD


# ---- vocabulary


@pytest.mark.parametrize(
    "options", [{"min_count": 185}, {"max_final_vocab": 11}, {"max_vocab_size": 30}, {"trim_rule": only_sea}]
)
def test_vocabulary_rules_are_those_of_gensim(two_worlds, options):
    """The words that Word2Vec would choose, in its order."""
    ours = WordRank(two_worlds, vector_size=4, epochs=1, **options)
    theirs = Word2Vec(two_worlds, vector_size=4, epochs=1, **options)
    assert 0 < len(ours.wv) < 40
    assert ours.wv.index_to_key == theirs.wv.index_to_key


def test_a_dry_run_only_reports(two_worlds):
    """prepare_vocab(dry_run=True) says what a min_count would keep, and leaves the model alone."""
    model = WordRank(**SMALL)
    assert model.scan_vocab(two_worlds) == (7200, 600)
    counts = dict(model.raw_vocab)
    report = model.prepare_vocab(dry_run=True, min_count=185)
    assert report["num_retained_words"] == sum(count >= 185 for count in counts.values())
    assert report["retain_total"] == sum(count for count in counts.values() if count >= 185)
    assert not len(model.wv)


def test_vocabulary_from_frequencies(two_worlds):
    """build_vocab_from_freq makes the vocabulary that the text would make, and training needs no corpus_count."""
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


def test_a_generator_can_be_counted_and_trained_on_once(two_worlds):
    """build_vocab and train read the text once each, so that a generator will do for either."""
    model = WordRank(**SMALL)
    model.build_vocab(sentence for sentence in two_worlds)
    model.train((sentence for sentence in two_worlds), total_examples=600, epochs=5)
    assert model.wv.vectors.tobytes() == WordRank(two_worlds, **SMALL, epochs=5).wv.vectors.tobytes()


# ---- training in steps


@pytest.mark.parametrize("solver", ["sampled", "triplet"])
@pytest.mark.parametrize("saved", [False, True])
def test_two_steps_equal_one(two_worlds, tmp_path, solver, saved):
    """With a constant rate two times 3 epochs are 6, byte for byte, also with a saved and mapped model between them."""
    constant = SMALL | {"alpha": 0.1, "min_alpha": 0.1}
    whole, steps = (WordRank(two_worlds, **constant, epochs=epochs, solver=solver) for epochs in (6, 3))
    if saved:
        steps.save(tmp_path / "model", sep_limit=0)
        steps = WordRank.load(tmp_path / "model", mmap="r")
    steps.train(two_worlds, total_examples=steps.corpus_count, epochs=3)
    for name in ("context_vectors", "context_bias"):
        assert getattr(steps, name).tobytes() == getattr(whole, name).tobytes()
    assert steps.wv.vectors.tobytes() == whole.wv.vectors.tobytes()


def test_locked_vectors_stay(two_worlds):
    """`vectors_lockf` keeps a word's vector (0), halves its change in an epoch (0.5) or lets it go (1)."""
    free, locked = (WordRank(**SMALL, alpha=0.5, min_alpha=0.5) for _ in range(2))
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


def test_locks_are_for_the_words_of_the_vocabulary(two_worlds):
    """New words are not locked; a wrong number of locks is refused."""
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


def test_vectors_of_a_file_can_be_merged_and_locked(two_worlds, small, tmp_path):
    """gensim's intersect_word2vec_format works once there is a lock a word, and what it locks stays."""
    small.wv.save_word2vec_format(tmp_path / "vectors.txt")
    model = WordRank(**SMALL)
    model.build_vocab([*two_worlds, ["new"] * 5])
    model.wv.vectors_lockf = np.ones(len(model.wv), np.float32)
    model.wv.intersect_word2vec_format(str(tmp_path / "vectors.txt"), lockf=0.0)
    model.train(two_worlds, total_examples=600, epochs=1)
    np.testing.assert_allclose(model.wv["sea1"], small.wv["sea1"], rtol=1e-5)


# ---- files


def test_open_files_and_compressed_ones(small, tmp_path):
    """save takes an open file, as gensim's does, and a name that ends in .gz."""
    with (tmp_path / "open").open("wb") as file:
        small.save(file)
    small.save(tmp_path / "model.gz")
    for name in ("open", "model.gz"):
        np.testing.assert_array_equal(WordRank.load(tmp_path / name).wv.vectors, small.wv.vectors)


def test_what_was_not_saved_is_counted_anew(small, two_worlds, tmp_path):
    """A model saved without its co-occurrences trains on."""
    small.save(tmp_path / "model", ignore=["cooccurrence"])
    loaded = WordRank.load(tmp_path / "model")
    assert loaded.cooccurrence is None
    loaded.train(two_worlds, total_examples=600, epochs=1)
    assert loaded.cooccurrence.nnz == small.cooccurrence.nnz


def test_large_models_go_through_pipes_as_one_file(small, monkeypatch):
    """gensim would put large arrays into files of their own, for which a pipe or a device has no room."""
    monkeypatch.setattr(small, "extra", np.zeros(11 << 20, np.uint8), raising=False)
    small.save("/dev/null")
    with pytest.raises(OSError, match="2 files to be written"):
        small.save("/dev/null", sep_limit=1 << 20)


def test_models_without_context_vectors(small, two_worlds, tmp_path):
    """What needs them says so; what does not, works."""
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
def test_files_of_other_classes_are_refused(two_worlds, small, tmp_path, kind):
    """The class of the file is named, and what to load it with."""
    other = {
        Word2Vec: lambda: Word2Vec(two_worlds, vector_size=5, epochs=1),
        FastText: lambda: FastText(two_worlds, vector_size=5, epochs=1, bucket=100),
        KeyedVectors: lambda: small.wv,
        Phrases: lambda: Phrases(two_worlds),
    }[kind]()
    other.save(str(tmp_path / "other"))
    with pytest.raises(AttributeError, match=f"holds a {kind.__name__}, not a WordRank .*with {kind.__name__}.load"):
        WordRank.load(tmp_path / "other")


def test_other_pickles_are_refused(tmp_path, small):
    """A file that holds no gensim object says so; load is a method of the class alone."""
    (tmp_path / "other").write_bytes(pickle.dumps({"no": "model"}))
    with pytest.raises(AttributeError, match="other' holds no WordRank model: 'dict'"):
        WordRank.load(tmp_path / "other")
    with pytest.raises(AttributeError, match="class object"):
        small.load("model")


def test_a_mapped_model_can_be_warm_started_and_grown(small, two_worlds, tmp_path):
    """Nothing writes into the files from which a model is mapped."""
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
def test_vectors_go_through_other_formats(small, tmp_path, save, load):
    """word2vec's two formats and GloVe's keep words, order and vectors."""
    small.wv.save_word2vec_format(tmp_path / "vectors", **save)
    loaded = KeyedVectors.load_word2vec_format(tmp_path / "vectors", **load)
    assert loaded.index_to_key == small.wv.index_to_key
    np.testing.assert_allclose(loaded.vectors, small.wv.vectors, rtol=1e-6)


def test_vectors_load_where_this_package_is_not_installed(small, tmp_path):
    """`.wv`, also that of a loaded model, is nothing but gensim's."""
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
    """A model saved from a callback, whose class is local, loads and trains on to the same end."""

    class Saver(CallbackAny2Vec):
        def on_epoch_end(self, model):
            if model.epochs_done == 2:
                model.save(tmp_path / "model")

    whole = WordRank(two_worlds, **SMALL, epochs=4, callbacks=[Saver()])
    rest = WordRank.load(tmp_path / "model")
    rest.train(two_worlds, total_examples=600, epochs=2)
    assert rest.wv.vectors.tobytes() == whole.wv.vectors.tobytes()


# ---- methods and attributes


def test_predicted_words_are_those_of_the_same_world(two_worlds):
    """The words that are likely near the given ones come from their world, as probabilities in falling order."""
    model = WordRank(two_worlds, vector_size=20, window=5)
    for world in ("sea", "sky"):
        predicted = model.predict_output_word([f"{world}1", f"{world}2", "nowhere"], topn=15)
        assert all(word.startswith(world) for word, _ in predicted)
        chances = [chance for _, chance in predicted]
        assert chances == sorted(chances, reverse=True)
    assert sum(chance for _, chance in model.predict_output_word(["sea1"], topn=40)) == pytest.approx(1)
    index = model.wv.get_index("sea1")
    assert model.predict_output_word([index]) == model.predict_output_word(["sea1"])


def test_predictions_follow_the_scores(small):
    """A chance is the softmax of <u, v> + b."""
    scores = small.context_vectors @ small.wv.vectors[small.wv.get_index("sea1")] + small.context_bias
    chances = np.exp(scores) / np.exp(scores).sum()
    for word, chance in small.predict_output_word(["sea1"], topn=40):
        assert chance == pytest.approx(chances[small.wv.get_index(word)], rel=1e-5)


def test_nothing_to_predict_from(small, caplog):
    """Unknown words alone give None and a warning; a model without context vectors an error."""
    with caplog.at_level(logging.WARNING):
        assert small.predict_output_word(["nowhere"]) is None
    assert "out-of-vocabulary" in caplog.text
    only_words = WordRank()
    only_words.wv = small.wv
    with pytest.raises(RuntimeError, match="no context vectors"):
        only_words.predict_output_word(["sea1"])


def test_sentences_have_no_score(small, two_worlds):
    """What only hierarchical softmax gives is refused, with what to use instead."""
    with pytest.raises(NotImplementedError, match="n_similarity"):
        small.score(two_worlds)


@pytest.mark.parametrize("kind", [Word2Vec, WordRank])
def test_reset_from_takes_a_vocabulary_without_sharing_it(two_worlds, small, kind):
    """The vocabulary of a model of either class serves, and growing one model leaves the other whole."""
    other = kind(two_worlds, vector_size=5, epochs=1)
    model = WordRank(**SMALL)
    model.reset_from(other)
    model.train(two_worlds, total_examples=model.corpus_count, epochs=5)
    assert model.wv.vectors.tobytes() == small.wv.vectors.tobytes()
    model.build_vocab([["ship"]] * 5, update=True)
    assert "ship" not in other.wv
    assert len(other.wv) == len(other.wv.vectors) == 40


def test_context_vectors_go_by_the_name_of_word2vec_too(small, tmp_path):
    """`syn1neg` is the matrix of context vectors, also after save and load and when it is set."""
    assert small.syn1neg is small.context_vectors
    small.save(tmp_path / "model")
    loaded = WordRank.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.syn1neg, small.context_vectors)
    loaded.syn1neg = np.zeros_like(loaded.syn1neg)
    assert not loaded.context_vectors.any()


def test_events_tell_the_life_of_a_model(small, tmp_path):
    """gensim's events come in its order and hold what JSON can hold; the model prints its class and size."""
    small.save(tmp_path / "model")
    loaded = WordRank.load(tmp_path / "model")
    events = [event["event"] for event in loaded.lifecycle_events]
    assert events[:7] == ["created", *["prepare_vocab"] * 3, "build_vocab", "train", "train"]
    assert events[-2:] == ["saving", "loaded"]
    assert json.dumps(loaded.lifecycle_events[:7])
    assert str(loaded) == "WordRank<vocab=40, vector_size=8, alpha=0.5>"


def test_attributes_of_word2vec(small):
    """What code written for Word2Vec reads is there."""
    assert (small.corpus_count, small.corpus_total_words, small.train_count) == (600, 7200, 1)
    assert (small.layer1_size, small.epochs, small.effective_min_count) == (8, 5, 5)
    assert (small.hs, small.negative, small.sample) == (0, 0, 0)
    assert small.total_train_time > 0
    assert small.min_alpha_yet_reached == small.min_alpha == 0


def test_a_pruned_vocabulary_of_several_files(tmp_path):
    """build_vocab takes a list of files also where gensim prunes the vocabulary as it reads."""
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("often now and then\n" * 5)
    model = WordRank(max_vocab_size=100)
    model.build_vocab(corpus_file=[tmp_path / "one.txt", tmp_path / "two.txt"])
    assert model.wv.get_vecattr("often", "count") == 10
