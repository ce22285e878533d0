"""WordRank as users of gensim call it."""

import copy
import logging
import os
import pickle
import pickletools
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec, word2vec
from gensim.models.callbacks import CallbackAny2Vec
from gensim.models.word2vec import LineSentence
from gensim.utils import SaveLoad
from gensim_wordrank import WordRank, fitting


@pytest.fixture(scope="module")
def small(two_worlds):
    """A quickly trained model."""
    return WordRank(two_worlds, vector_size=12, epochs=3, window=5)


def test_neighbours_are_of_the_same_world(two_worlds):
    """The ten nearest neighbours of each word belong to its own world."""
    model = WordRank(two_worlds, vector_size=20, window=5)
    for word in model.wv.index_to_key:
        neighbours = [near for near, _ in model.wv.most_similar(word, topn=10)]
        assert all(near[:3] == word[:3] for near in neighbours), (word, neighbours)


def test_wv_is_keyed_vectors(small, two_worlds):
    """`wv` is gensim's own class: float32 vectors, sorted by frequency, with the counts of the corpus."""
    assert type(small.wv) is KeyedVectors
    assert small.wv.vectors.dtype == np.float32
    assert small.wv.vectors.flags.c_contiguous
    assert small.context_vectors.shape == small.wv.vectors.shape
    counts = [small.wv.get_vecattr(word, "count") for word in small.wv.index_to_key]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == sum(map(len, two_worlds))
    assert isinstance(small, Word2Vec)


def test_corpus_file_equals_sentences(two_worlds, tmp_path):
    """A file with one sentence per line, given as str or path, trains the same model as token lists."""
    path = tmp_path / "text.txt"
    path.write_text("\n".join(map(" ".join, two_worlds)))
    models = [WordRank(source, vector_size=6, epochs=2) for source in (two_worlds, LineSentence(path))]
    models += [WordRank(corpus_file=name, vector_size=6, epochs=2) for name in (path, str(path))]
    assert len({model.wv.vectors.tobytes() for model in models}) == 1


def test_compressed_text(two_worlds, tmp_path):
    """A compressed file is read as `corpus_file`, alone or in a list, and by LineSentence."""
    import gzip

    path = tmp_path / "text.txt.gz"
    path.write_bytes(gzip.compress("\n".join(map(" ".join, two_worlds)).encode()))
    vectors = [
        WordRank(vector_size=5, epochs=1, **text).wv.vectors.tobytes()
        for text in (
            {"corpus_file": path}, {"corpus_file": str(path)}, {"corpus_file": [path]}, {"corpus_file": path.as_uri()},
            {"sentences": LineSentence(path)}, {"corpus_file": path, "max_vocab_size": 1000},
        )
    ]  # fmt: skip
    assert len(set(vectors)) == 1


@pytest.mark.slow
def test_vectors_depend_only_on_the_seed(two_worlds, tmp_path):
    """Neither workers nor PYTHONHASHSEED change the vectors; the seed does."""
    script = (
        "import sys, hashlib; from gensim_wordrank import WordRank\n"
        "sentences = [line.split() for line in sys.stdin]\n"
        "model = WordRank(sentences, vector_size=7, epochs=2, workers=int(sys.argv[1]), seed=int(sys.argv[2]))\n"
        "print(hashlib.sha256(model.wv.vectors.tobytes() + model.context_vectors.tobytes()).hexdigest())"
    )
    text = "\n".join(map(" ".join, two_worlds))

    def digest(workers, seed, hash_seed):
        run = subprocess.run(
            [sys.executable, "-c", script, str(workers), str(seed)], input=text, capture_output=True, text=True,
            check=True, cwd=tmp_path, env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
        )  # fmt: skip
        return run.stdout

    assert len({digest(workers, 1, hash_seed) for workers, hash_seed in ((1, 0), (2, 1), (3, 2))}) == 1
    assert digest(1, 2, 0) != digest(1, 1, 0)


def test_callbacks_see_current_vectors_and_can_stop(two_worlds):
    """Callbacks are called in gensim's order with current vectors and loss; returning True stops training."""
    calls, losses = [], []

    class Watcher(CallbackAny2Vec):
        def on_train_begin(self, model):
            calls.append("train begin")

        def on_epoch_begin(self, model):
            calls.append("epoch begin")

        def on_epoch_end(self, model):
            calls.append("epoch end")
            losses.append(model.get_latest_training_loss())
            near, cosine = model.wv.most_similar("sea1", topn=1)[0]
            a, b = model.wv["sea1"], model.wv[near]
            assert cosine == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-5)
            return len(losses) == 3

        def on_train_end(self, model):
            calls.append("train end")

    model = WordRank(two_worlds, vector_size=8, epochs=10, callbacks=[Watcher()])
    assert calls == ["train begin", *["epoch begin", "epoch end"] * 3, "train end"]
    assert losses[2] < losses[0]
    assert isinstance(model.get_latest_training_loss(), float)


def test_training_losses(two_worlds, tmp_path):
    """`training_losses` grows with further training and is saved; init_weights clears it."""
    seen = []

    class LossRecorder(CallbackAny2Vec):
        def on_epoch_end(self, model):
            seen.append(model.get_latest_training_loss())

    model = WordRank(two_worlds, vector_size=8, epochs=3, callbacks=[LossRecorder()])
    model.train(two_worlds, total_examples=model.corpus_count, epochs=2, callbacks=[LossRecorder()])
    model.save(tmp_path / "worlds.model")
    assert WordRank.load(tmp_path / "worlds.model").training_losses == seen
    assert len(seen) == 5
    model.init_weights()
    assert model.training_losses == []


def test_build_vocab_and_train(two_worlds):
    """build_vocab and train give the vectors of the constructor; train returns the same as Word2Vec.train."""
    whole = WordRank(two_worlds, vector_size=8, epochs=2)
    steps = WordRank(vector_size=8)
    steps.build_vocab(two_worlds)
    result = steps.train(two_worlds, total_examples=steps.corpus_count, epochs=2)
    assert result == (2 * steps.corpus_total_words, 2 * steps.corpus_total_words)
    assert steps.wv.vectors.tobytes() == whole.wv.vectors.tobytes()


def test_same_text_is_not_counted_twice(two_worlds):
    """Training again on the same text adds no counts; a different text adds its counts."""
    model = WordRank(two_worlds, vector_size=5, epochs=1)
    total = model.cooccurrence.data.sum()
    before = model.wv.vectors.copy()
    model.train(two_worlds, total_examples=model.corpus_count, epochs=1)
    assert model.cooccurrence.data.sum() == total
    assert (model.wv.vectors != before).any()
    model.train([["sea1", "sky1"]], total_examples=1, epochs=1)
    assert model.cooccurrence.data.sum() == pytest.approx(total + 2)


def test_update_vocabulary(two_worlds):
    """New words get vectors, old words keep theirs, and the counts of both texts add up."""
    model = WordRank(two_worlds, vector_size=5, epochs=1)
    old, total = model.wv["sea1"].copy(), model.cooccurrence.data.sum()
    more = [["sea1", "ship", "harbour"]] * 6
    model.build_vocab(more, update=True)
    assert "ship" in model.wv
    np.testing.assert_array_equal(model.wv["sea1"], old)
    model.train(more, total_examples=model.corpus_count, epochs=1)
    assert model.cooccurrence.shape == (42, 42)
    assert model.cooccurrence.data.sum() == pytest.approx(total + 6 * 2 * 2.5)
    assert (model.wv["sea1"] != old).any()


def test_old_text_after_a_vocabulary_update(two_worlds):
    """The old text is recognized, and the new words keep their initial vectors."""
    model = WordRank(two_worlds, vector_size=5, epochs=1, alpha=0.1, min_alpha=0.1)
    total = model.cooccurrence.data.sum()
    model.build_vocab([["ship", "harbour"]] * 6, update=True)
    ship = model.wv["ship"].copy()
    model.train(two_worlds, total_examples=600, epochs=1)
    assert model.cooccurrence.shape == (42, 42)
    assert model.cooccurrence.data.sum() == total
    np.testing.assert_array_equal(model.vectors()["ship"], ship)


def test_removed_cooccurrence_is_counted_again(two_worlds):
    """After `cooccurrence = None`, a known text is counted again."""
    model = WordRank(two_worlds, vector_size=5, epochs=1)
    total = model.cooccurrence.data.sum()
    model.cooccurrence = None
    with pytest.raises(RuntimeError, match="was removed"):
        model.exact_loss()
    model.train(two_worlds, total_examples=600, epochs=1)
    assert model.cooccurrence.data.sum() == total


def test_rate_higher_than_before(two_worlds, caplog):
    """gensim's warning of a higher rate is given if it is higher than in the training before, and only then."""
    model = WordRank(two_worlds, vector_size=4, epochs=1)
    model.train(two_worlds, total_examples=1, epochs=1)
    model.alpha -= 0.005
    model.train(two_worlds, total_examples=1, epochs=1)
    assert not [record for record in caplog.records if record.levelno > logging.INFO]
    model.alpha += 0.05
    model.train(two_worlds, total_examples=1, epochs=1)
    assert "Effective 'alpha' higher than previous training cycles" in caplog.text


def test_iterator_with_many_epochs(two_worlds, caplog):
    """Of thousands of epochs of an iterator, those of the model are run, with a warning; a list is trained as asked."""
    for text, epochs, expected in ((iter(two_worlds), 2000, 3), (iter(two_worlds), 20, 20), (two_worlds, 101, 101)):
        model = WordRank(vector_size=4, epochs=3)
        model.build_vocab(two_worlds)
        model.train(text, total_examples=1, epochs=epochs)
        assert model.epochs_done == expected
    assert [record.getMessage() for record in caplog.records if record.levelno > logging.INFO] == [
        "the text is a list_iterator, which Word2Vec would read in the first of 2000 epochs only. Training for 3 "
        "epochs: the 'epochs' of the model, at most 100. For more, pass a list"
    ]


def test_all_cores(two_worlds):
    """`workers` of -1 or 0 are all cores, and whole numbers may be floats."""
    vectors = set()
    for workers in (-1, 0, 1.0):
        model = WordRank(two_worlds, vector_size=4.0, window=5.0, epochs=1.0, workers=workers)
        assert model.workers >= 1
        assert (model.vector_size, model.window, model.epochs) == (4, 5, 1)
        vectors.add(model.wv.vectors.tobytes())
    assert len(vectors) == 1


def test_exact_loss_is_close_to_the_estimate(two_worlds):
    """The estimated loss of the last epoch is close to exact_loss for both solvers."""
    for solver in ("sampled", "triplet"):
        model = WordRank(two_worlds, vector_size=8, epochs=10, l2=0, solver=solver)
        assert model.exact_loss() == pytest.approx(model.get_latest_training_loss(), rel=0.1)
    with pytest.raises(RuntimeError, match="not trained"):
        WordRank().exact_loss()


def test_save_and_load(small, two_worlds, tmp_path):
    """A loaded model, also a memory-mapped one, has the same arrays and parameters and can be trained."""
    path = tmp_path / "model"
    small.save(path)
    for name, options in ((path, {}), (str(path), {}), (path, {"mmap": "r"})):
        loaded = WordRank.load(name, **options)
        np.testing.assert_array_equal(loaded.wv.vectors, small.wv.vectors)
        np.testing.assert_array_equal(loaded.context_vectors, small.context_vectors)
        assert loaded.objective == small.objective
        assert loaded.wv.get_vecattr("sea1", "count") == small.wv.get_vecattr("sea1", "count")
        assert loaded.cooccurrence is None
        loaded.train(two_worlds, total_examples=loaded.corpus_count, epochs=1)


def test_separate_arrays_can_be_mapped_and_trained(small, two_worlds, tmp_path):
    """Arrays that are memory-mapped read-only are copied before training changes them."""
    small.save(tmp_path / "model", cooccurrence=True, sep_limit=0)
    for name in ("wv.vectors", "cooccurrence.data"):
        assert len(list(tmp_path.glob(f"model.*.{name}.npy"))) == 1
    loaded = WordRank.load(tmp_path / "model", mmap="r")
    assert isinstance(loaded.wv.vectors, np.memmap)
    loaded.train(two_worlds, total_examples=loaded.corpus_count, epochs=1)
    np.testing.assert_array_equal(WordRank.load(tmp_path / "model").wv.vectors, small.wv.vectors)


def test_arrays_of_another_model_are_refused(small, two_worlds, tmp_path):
    """Arrays that were exchanged for those of another model of the same size are refused, by gensim's loader too."""
    other = WordRank(two_worlds, vector_size=12, epochs=1, window=5, seed=2)
    for name, model in (("model", small), ("other", other)):
        model.save(tmp_path / name, sep_limit=0)
    (mine,), (others,) = (list(tmp_path.glob(f"{name}.*.wv.vectors.npy")) for name in ("model", "other"))
    mine.write_bytes(others.read_bytes())
    for load in (WordRank.load, Word2Vec.load, KeyedVectors.load):
        with pytest.raises(OSError, match=r"vectors.npy', which belongs to the model '.*model', is missing or damaged"):
            load(str(tmp_path / "model"))
    others.unlink()
    with pytest.raises(OSError, match="is missing or damaged"):
        WordRank.load(tmp_path / "other")


def test_arrays_go_where_a_link_leads(small, tmp_path):
    """A model that is saved through a link can be loaded through the link and without it; older arrays are removed."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to("elsewhere/model")
    for _ in range(2):
        small.save(tmp_path / "link", sep_limit=0)
    for path in (tmp_path / "link", tmp_path / "elsewhere" / "model"):
        assert WordRank.load(path, mmap="r").wv.vectors.tobytes() == small.wv.vectors.tobytes()
    assert {path.name for path in tmp_path.iterdir()} == {"link", "elsewhere"}
    assert len(list(tmp_path.glob("elsewhere/model.*.wv.vectors.npy"))) == 1


def test_model_within_another_object(small, tmp_path):
    """An object of gensim that holds a model is saved and loaded by gensim as any other."""
    outer = SaveLoad()
    outer.model = small
    outer.save(str(tmp_path / "outer"), sep_limit=0)
    found = SaveLoad.load(str(tmp_path / "outer")).model
    assert found.wv.vectors.tobytes() == small.wv.vectors.tobytes()
    assert found.cooccurrence.data.tobytes() == small.cooccurrence.data.tobytes()


def test_saved_without_cooccurrence(small, two_worlds, tmp_path, caplog):
    """A file holds no co-occurrences unless they are asked for; more text is then trained alone, which is logged."""
    sizes = []
    for keep in (False, True):
        small.save(tmp_path / "model", cooccurrence=keep)
        sizes.append((tmp_path / "model").stat().st_size)
        assert small.cooccurrence is not None
        loaded = WordRank.load(tmp_path / "model")
        with caplog.at_level(logging.INFO, "gensim_wordrank"):
            caplog.clear()
            loaded.train([["sea1", "sky1"]], total_examples=1, epochs=1)
        assert ("training on this text alone" in caplog.text) == (not keep)
        assert loaded.cooccurrence.nnz == (small.cooccurrence.nnz + 2 if keep else 2)
    assert sizes[0] < sizes[1] - 8 * small.cooccurrence.nnz
    with (tmp_path / "open").open("wb") as file:
        small.save(file)
    assert (tmp_path / "open").stat().st_size < sizes[1] - 8 * small.cooccurrence.nnz


def test_saved_in_place_of_word2vec(small, tmp_path, monkeypatch):
    """Saving and loading work in programs that bind the name Word2Vec to WordRank."""
    monkeypatch.setattr(word2vec, "Word2Vec", WordRank)
    small.save(tmp_path / "model", sep_limit=0)
    np.testing.assert_array_equal(WordRank.load(tmp_path / "model").wv.vectors, small.wv.vectors)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []


def test_pickle_names_nothing_that_numpy_1_lacks(small):
    """A pickle holds no random state, which older versions of NumPy cannot read; a copy still has one."""
    names = [argument for _, argument, _ in pickletools.genops(pickle.dumps(small)) if isinstance(argument, str)]
    assert "gensim_wordrank.model" in names
    assert not [name for name in names if name.startswith("numpy.random")]
    assert isinstance(copy.deepcopy(small).random, np.random.RandomState)


def test_failed_save_keeps_the_old_model(small, tmp_path, monkeypatch):
    """If saving fails, the old file is unchanged."""
    small.save(tmp_path / "model")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    monkeypatch.setattr(SaveLoad, "save", lambda self, name: Path(name).write_text("half") and 1 / 0)
    with pytest.raises(ZeroDivisionError):
        small.save(tmp_path / "model")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_warm_start(two_worlds, small):
    """Known words start from the given vectors, others at random."""
    model = WordRank(vector_size=12)
    model.build_vocab([*two_worlds, ["new"] * 5])
    assert model.warm_start(small.wv, small.vectors("context")) == 40
    np.testing.assert_array_equal(model.wv["sea1"], small.wv["sea1"])
    row = model.wv.key_to_index["sea1"]
    np.testing.assert_array_equal(model.context_vectors[row], small.context_vectors[small.wv.key_to_index["sea1"]])
    assert np.linalg.norm(model.wv["new"]) > 0
    started = WordRank(two_worlds, vector_size=12, epochs=1, alpha=1e-9, min_alpha=1e-9, warm_start=small.wv)
    np.testing.assert_allclose(started.vectors()["sea1"], small.wv["sea1"], atol=1e-4)


def test_rare_words_are_not_the_neighbours_of_frequent_ones():
    """With min_count=1, words that occur once stay away from frequent words, but not without counts of words."""
    random = np.random.default_rng(0)
    topics = [[f"{topic}{i}" for i in range(40)] for topic in "abcde"]
    text = [random.choice(topics[i % 5], 12).tolist() for i in range(1000)]
    for i, sentence in enumerate(text):
        sentence[3] = f"once{i}"
    model = WordRank(text, min_count=1, vector_size=20)
    counts = model.cooccurrence
    others = WordRank.from_cooccurrence(counts.matrix, counts.words, vector_size=20)

    def share(keyed):
        found = [word for i in range(50) for word, _ in keyed.most_similar(f"a{i % 40}", topn=5)]
        return np.mean([word.startswith("once") for word in found])

    assert share(model.wv) < 0.05
    assert share(others.wv) > 0.15


def test_alpha_in_units_of_word2vec(two_worlds):
    """Word2Vec's default rates, written out, are the defaults of every solver and loss."""
    for given in ({}, {"pair_loss": "hinge"}):
        options = {"vector_size": 8, "epochs": 5, **given}
        default = WordRank(two_worlds, **options)
        written = WordRank(two_worlds, **options, alpha=0.025, min_alpha=0.0001)
        assert default.wv.vectors.tobytes() == written.wv.vectors.tobytes()
    triplet = {"vector_size": 8, "epochs": 2, "solver": "triplet"}
    default, written = WordRank(two_worlds, **triplet), WordRank(two_worlds, **triplet, alpha=0.025, min_alpha=0.025)
    assert default.wv.vectors.tobytes() == written.wv.vectors.tobytes()


def test_falling_alpha_by_hand(two_worlds):
    """The loop over single epochs that lowers `alpha` by hand, common with Word2Vec, learns as one call does."""

    def separation(model):
        sea, land = ([f"{world}{i}" for i in range(5)] for world in ("sea", "land"))
        return model.wv.n_similarity(sea[::2], sea[1::2]) - model.wv.n_similarity(sea, land)

    whole = WordRank(two_worlds, vector_size=12)
    model = WordRank(vector_size=12)
    model.build_vocab(two_worlds)
    for _ in range(10):
        model.train(two_worlds, total_examples=model.corpus_count, epochs=1)
        model.alpha -= 0.002
        model.min_alpha = model.alpha
    assert separation(model) > 0.8 * separation(whole)


@pytest.mark.parametrize("by_hand", [False, True])
def test_pretrained_vectors_are_kept(two_worlds, by_hand):
    """Words that start from given vectors stay near them, in any basis; new words are learnt."""
    given = WordRank(two_worlds[:300], vector_size=12).wv
    given.vectors = (given.vectors * np.linspace(0.2, 3, 12) + 0.5).astype(np.float32)  # no basis of ours
    text = [[*sentence, f"new {sentence[0][:3]}"] for sentence in two_worlds[300:]]
    model = WordRank(vector_size=12, epochs=5)
    model.build_vocab(text)
    if by_hand:
        for word in given.index_to_key:
            model.wv.vectors[model.wv.key_to_index[word]] = given[word]
    else:
        model.warm_start(given)
    model.train(text, total_examples=300, epochs=5)
    cosines = [
        model.wv[word] @ given[word] / np.linalg.norm(model.wv[word]) / np.linalg.norm(given[word])
        for word in given.index_to_key
    ]
    assert np.median(cosines) > 0.95
    assert model.wv.n_similarity(["new sea"], ["sea1", "sea2"]) > model.wv.n_similarity(["new sea"], ["land1", "land2"])


def test_words_without_pairs_have_nonzero_vectors():
    """A word that co-occurs with nothing has a nonzero vector, so its cosines are finite."""
    model = WordRank([["alone"], ["a", "b"], ["b", "a"]], min_count=1, vector_size=5, epochs=5)
    assert np.isfinite([cosine for _, cosine in model.wv.most_similar("alone")]).all()
    nobody = WordRank([["a"], ["b"]], min_count=1, vector_size=5, epochs=5)
    assert np.isfinite(nobody.wv.similarity("a", "b"))


def test_warm_start_ignores_zero_vectors(two_worlds):
    """Words whose given vector is zero start at random, so that no cosine is NaN."""
    zeros = KeyedVectors(6)
    zeros.add_vectors(["sea1", "sky1"], np.array([[0] * 6, [1] * 6], np.float32))
    model = WordRank(vector_size=6)
    model.build_vocab(two_worlds)
    assert model.warm_start(zeros) == 1
    assert model.wv["sea1"].any()


def test_progress_bar(two_worlds, capsys):
    """progress=True shows a progress bar with the loss; by default nothing is printed."""
    WordRank(two_worlds, vector_size=4, epochs=2)
    assert capsys.readouterr() == ("", "")
    WordRank(two_worlds, vector_size=4, epochs=2, progress=True)
    bar = capsys.readouterr().err
    assert re.search(r"epoch 2/2: 100%.*pair/s, loss=[^\r]*\n$", bar)


def test_error_in_the_corpus_iterator(two_worlds):
    """If reading the corpus fails, its error is raised and the counts stay the same."""

    class Failing:
        def __iter__(self):
            yield from two_worlds
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        WordRank(Failing(), vector_size=4, epochs=1)
    model = WordRank(two_worlds, vector_size=4, epochs=1)
    pairs = model.cooccurrence.nnz
    with pytest.raises(OSError, match="the disk is gone"):
        model.train(Failing(), total_examples=1, epochs=1)
    assert model.cooccurrence.nnz == pairs


@pytest.mark.parametrize(("max_vocab_size", "passes"), [(None, 1), (1000, 2)])
def test_number_of_passes_over_the_corpus(two_worlds, max_vocab_size, passes):
    """Vocabulary and counts need one pass, or two if gensim prunes the vocabulary while it reads."""

    class Counted:
        passes = 0

        def __iter__(self):
            self.passes += 1
            return iter(two_worlds)

    source = Counted()
    WordRank(source, vector_size=4, epochs=3, max_vocab_size=max_vocab_size)
    assert source.passes == passes


def test_start_alpha_and_end_alpha(two_worlds):
    """With start_alpha alone, a constant rate stays constant and a falling one never rises; rates have limits."""
    model = WordRank(vector_size=8, min_count=1, alpha=0.3, min_alpha=0.3)
    model.build_vocab(two_worlds)
    model.train(two_worlds, total_examples=1, epochs=1, start_alpha=0.05)
    assert (model.alpha, model.min_alpha) == (0.05, 0.05)
    model.train(two_worlds, total_examples=1, epochs=1, start_alpha=0.2, end_alpha=0.1)
    model.train(two_worlds, total_examples=1, epochs=1, start_alpha=0.15)
    assert (model.alpha, model.min_alpha) == (0.15, 0.1)
    model.train(two_worlds, total_examples=1, epochs=1, start_alpha=0.05)
    assert (model.alpha, model.min_alpha) == (0.05, 0.05)
    for name, value in (("start_alpha", 1.5), ("end_alpha", 50)):
        with pytest.raises(ValueError, match=f"'{name}' must be .* up to 1"):
            model.train(two_worlds, total_examples=1, epochs=1, **{name: value})
    with pytest.raises(ValueError, match="'min_alpha' must be .* up to 1"):
        WordRank(min_alpha=50)


def test_untrained_new_words(two_worlds):
    """After build_vocab(update=True), new words can be predicted, but there is no exact loss before training."""
    model = WordRank(two_worlds, vector_size=8, min_count=1, epochs=5)
    known = dict(model.predict_output_word(["sea1"], topn=100))
    model.build_vocab([["new", "words"]], update=True)
    predicted = dict(model.predict_output_word(["sea1"], topn=100))
    assert set(predicted) == {*known, "new", "words"}
    with pytest.raises(RuntimeError, match="not trained yet. Train first"):
        model.exact_loss()
    model.train([["new", "words"]], total_examples=1, epochs=1)
    assert model.exact_loss() > 0


def test_wv_of_another_size(two_worlds):
    """A replaced `wv` of another vector size is an error; float64 vectors are converted to float32."""
    for solver in ("sampled", "triplet"):
        model = WordRank(two_worlds, vector_size=4, min_count=1, epochs=1, solver=solver)
        words, right = model.wv.index_to_key, model.wv.vectors
        for size in (7, 100):
            model.wv = KeyedVectors(size)
            model.wv.add_vectors(words, np.ones((len(words), size), np.float32))
            message = f"vectors of size {size}, .* context vectors of size 4: it was replaced"
            with pytest.raises(RuntimeError, match=message):
                model.train(two_worlds, total_examples=1, epochs=1)
        model.wv = KeyedVectors(4)
        model.wv.add_vectors(words, right)
        model.wv.vectors = right.astype(np.float64)
        model.train(two_worlds, total_examples=1, epochs=1)
        assert model.wv.vectors.dtype == np.float32


def test_same_text_in_another_order(two_worlds, caplog):
    """Shuffled sentences are not counted again; those with shuffled words are, with a warning."""
    model = WordRank(two_worlds, vector_size=4, min_count=1, epochs=1)
    total = model.cooccurrence.data.sum()
    with caplog.at_level(logging.WARNING):
        model.train(two_worlds[::-1], total_examples=1, epochs=1)
        assert model.cooccurrence.data.sum() == total
        assert not caplog.text
        model.train([sentence[::-1] for sentence in two_worlds], total_examples=1, epochs=1)
    assert model.cooccurrence.data.sum() == pytest.approx(2 * total)
    assert "may have been counted before, with words in another order" in caplog.text


def test_old_text_with_words_added_later(caplog):
    """A known text with words that were added later has other ids: it is counted again, with a warning."""
    text = [["a", "b", "c", "rare"]] * 2 + [["a", "b", "c"]] * 5
    model = WordRank(vector_size=4, min_count=3)
    model.build_vocab(text)
    model.train(text, total_examples=1, epochs=1)
    more = [["rare", "new"]] * 4
    model.build_vocab(more, update=True)
    with caplog.at_level(logging.WARNING):
        model.train(more, total_examples=1, epochs=1)
        assert "counted again" not in caplog.text
        model.train(text, total_examples=1, epochs=1)
    assert "counted again" in caplog.text


def test_same_text_from_a_file_and_from_sentences(tmp_path, caplog):
    """It is recognized despite empty lines; another text of the same length is counted without a warning."""
    lines = ["a b c d\n", "\n", "b c d e\n"] * 5
    (tmp_path / "text").write_text("".join(lines))
    model = WordRank(corpus_file=tmp_path / "text", vector_size=4, min_count=1, epochs=1)
    total = model.cooccurrence.data.sum()
    with caplog.at_level(logging.WARNING):
        model.train([line.split() for line in lines], total_examples=1, epochs=1)
        assert model.cooccurrence.data.sum() == total
        model.train([["a", "b", "c", "c"], ["b", "c", "d", "d"]] * 5, total_examples=1, epochs=1)
    assert model.cooccurrence.data.sum() > total
    assert "counted again" not in caplog.text


@pytest.mark.parametrize("true", [True, np.True_])
def test_true_of_python_or_numpy_stops(two_worlds, true):
    """NumPy's True, the result of comparing NumPy numbers, also stops training."""

    class Stop(CallbackAny2Vec):
        def on_epoch_end(self, model):
            return true

    assert WordRank(two_worlds, vector_size=4, epochs=5, callbacks=[Stop()]).epochs_done == 1


def test_seeds(two_worlds):
    """seed=None chooses a random seed and stores it; invalid seeds are errors."""
    one, other = (WordRank(two_worlds, vector_size=4, epochs=1, seed=None) for _ in range(2))
    assert (one.wv.vectors != other.wv.vectors).any()
    same = WordRank(two_worlds, vector_size=4, epochs=1, seed=one.seed)
    np.testing.assert_array_equal(same.wv.vectors, one.wv.vectors)
    for bad in (-1, 1.5, "one", True, 1 << 32):
        with pytest.raises(ValueError, match="'seed' must be an integer from 0 to 4,294,967,295, or None for any"):
            WordRank(seed=bad)


def test_integer_words():
    """Unknown integer words are not used as indices by warm_start and predict_output_word."""
    nodes = WordRank([[10, 20, 30], [20, 30, 40], [10, 40]], min_count=1, vector_size=4, epochs=1)
    others = WordRank(vector_size=4, min_count=1)
    others.build_vocab([[0, 1, 20], [1, 20, 3]])
    assert others.warm_start(nodes.wv) == 1
    np.testing.assert_array_equal(others.wv[20], nodes.wv[20])
    assert nodes.predict_output_word([0, 1]) is None
    assert nodes.predict_output_word([10, 1]) == nodes.predict_output_word([10])
    with pytest.raises(TypeError, match="'warm_start' must be KeyedVectors, as model.wv. Got a WordRank instead"):
        others.warm_start(nodes)


def test_window_wider_than_the_text(two_worlds):
    """All pairs of a sentence are counted, and memory does not grow with the window."""
    text = two_worlds[:20]
    wide, widest = (WordRank(text, min_count=1, vector_size=4, epochs=1, window=n) for n in (1000, 10**9))
    assert wide.cooccurrence.nnz
    np.testing.assert_array_equal(wide.wv.vectors, widest.wv.vectors)
    assert widest.estimate_memory()["cooccurrence"] < 10**7
    assert WordRank(window=10**9).estimate_memory(vocab_size=1000)["cooccurrence"] < 10**8


def test_warning_if_all_weights_are_zero(caplog):
    """If no count exceeds the expected count, a warning says that nothing is learnt."""
    with caplog.at_level(logging.WARNING):
        WordRank.from_cooccurrence(np.ones((5, 5)), vector_size=4, epochs=2)
    assert caplog.text.count("all pairs have weight 0, so nothing is learnt") == 1


@pytest.mark.parametrize("options", [{"max_final_vocab": 3}, {"min_count": 50}])
def test_no_given_word_is_kept(options):
    """If a parameter removes all given words, the error names it."""
    name, value = next(iter(options.items()))
    with pytest.raises(RuntimeError, match=f"If words were given with counts: .*'{name}' \\({value}\\)"):
        WordRank.from_cooccurrence(np.ones((6, 6)), list("abcdef"), vector_size=4, **options)


def test_window_wider_than_any_sentence():
    """A very wide window gives the same counts as one that covers all sentences."""
    texts = [["a", "b", "c"]] * 5
    wide, narrow = (WordRank(texts, vector_size=4, window=window, epochs=1, seed=2) for window in (10**6, 50))
    np.testing.assert_allclose(wide.cooccurrence.matrix.toarray(), narrow.cooccurrence.matrix.toarray(), rtol=1e-6)


def test_save_to_a_url(two_worlds, tmp_path):
    """save and load accept URLs that smart_open supports."""
    model = WordRank(two_worlds, vector_size=4, min_count=1, epochs=1)
    model.save(f"file://{tmp_path}/model")
    np.testing.assert_array_equal(WordRank.load(f"file://{tmp_path}/model").wv.vectors, model.wv.vectors)


def test_text_counts_only_once_the_cluster_is_reached(monkeypatch, two_worlds):
    """If connecting fails, the text is not marked as counted, so that the next call of train() counts it."""
    model = WordRank(vector_size=4, epochs=1)
    model.build_vocab(two_worlds)

    def fail(model):
        raise OSError("no scheduler")

    monkeypatch.setattr(fitting, "connect", fail)
    with pytest.raises(OSError, match="no scheduler"):
        model.train(two_worlds, total_examples=model.corpus_count, epochs=1)
    monkeypatch.undo()
    model.train(two_worlds, total_examples=model.corpus_count, epochs=1)
    assert model.cooccurrence.nnz > 0
