"""WordRank as a user of gensim meets it."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors, Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from gensim.models.word2vec import LineSentence
from gensim_wordrank import WordRank


@pytest.fixture(scope="module")
def small(two_worlds):
    """A quickly trained model."""
    return WordRank(two_worlds, vector_size=12, epochs=3, window=5)


def test_worlds_that_never_mix_stay_apart(two_worlds):
    """All ten nearest neighbours of every word come from its own world."""
    model = WordRank(two_worlds, vector_size=20, window=5)
    for word in model.wv.index_to_key:
        neighbours = [near for near, _ in model.wv.most_similar(word, topn=10)]
        assert all(near[:3] == word[:3] for near in neighbours), (word, neighbours)


def test_wv_is_plain_keyed_vectors_with_true_counts(small, two_worlds):
    """`.wv` is gensim's own class, float32, in the order of frequency, with the counts of the corpus."""
    assert type(small.wv) is KeyedVectors
    assert small.wv.vectors.dtype == np.float32
    assert small.wv.vectors.flags.c_contiguous
    assert small.context_vectors.shape == small.wv.vectors.shape
    counts = [small.wv.get_vecattr(word, "count") for word in small.wv.index_to_key]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == sum(map(len, two_worlds))
    assert isinstance(small, Word2Vec)


def test_corpus_file_equals_sentences(two_worlds, tmp_path):
    """A file of one sentence a line, by str or path, trains the same model as the token lists."""
    path = tmp_path / "text.txt"
    path.write_text("\n".join(map(" ".join, two_worlds)))
    models = [WordRank(source, vector_size=6, epochs=2) for source in (two_worlds, LineSentence(path))]
    models += [WordRank(corpus_file=name, vector_size=6, epochs=2) for name in (path, str(path))]
    assert len({model.wv.vectors.tobytes() for model in models}) == 1


def test_compressed_text_is_read_through_line_sentence(two_worlds, tmp_path):
    """A compressed file is refused as corpus_file, as gensim does, and read as LineSentence."""
    import gzip

    path = tmp_path / "text.txt.gz"
    path.write_bytes(gzip.compress("\n".join(map(" ".join, two_worlds)).encode()))
    with pytest.raises(TypeError, match="compressed"):
        WordRank(corpus_file=str(path))
    assert len(WordRank(LineSentence(path), vector_size=5, epochs=1).wv) == 40


@pytest.mark.slow
def test_vectors_depend_on_the_seed_alone(two_worlds, tmp_path):
    """Neither workers nor PYTHONHASHSEED change a byte; the seed does."""
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


def test_callbacks_see_fresh_vectors_and_may_stop(two_worlds):
    """Hooks come in gensim's order, cosines inside them are true, the loss is that of the epoch, True stops."""
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


def test_the_loss_of_every_epoch_is_kept(two_worlds, tmp_path):
    """`training_losses` are what callbacks see, through further training, save and load; a new start forgets them."""
    seen = []

    class Listener(CallbackAny2Vec):
        def on_epoch_end(self, model):
            seen.append(model.get_latest_training_loss())

    model = WordRank(two_worlds, vector_size=8, epochs=3, callbacks=[Listener()])
    model.train(two_worlds, total_examples=model.corpus_count, epochs=2, callbacks=[Listener()])
    model.save(tmp_path / "worlds.model")
    assert WordRank.load(tmp_path / "worlds.model").training_losses == seen
    assert len(seen) == 5
    model.init_weights()
    assert model.training_losses == []


def test_training_in_steps(two_worlds):
    """build_vocab and train give what the constructor gives, and the counts that Word2Vec.train returns."""
    whole = WordRank(two_worlds, vector_size=8, epochs=2)
    steps = WordRank(vector_size=8)
    steps.build_vocab(two_worlds)
    result = steps.train(two_worlds, total_examples=steps.corpus_count, epochs=2)
    assert result == (2 * steps.corpus_total_words, 2 * steps.corpus_total_words)
    assert steps.wv.vectors.tobytes() == whole.wv.vectors.tobytes()


def test_training_again_on_a_text_does_not_count_it_twice(two_worlds):
    """A text that was counted is recognised; another one is added to it."""
    model = WordRank(two_worlds, vector_size=5, epochs=1)
    total = model.cooccurrence.data.sum()
    before = model.wv.vectors.copy()
    model.train(two_worlds, total_examples=model.corpus_count, epochs=1)
    assert model.cooccurrence.data.sum() == total
    assert (model.wv.vectors != before).any()
    model.train([["sea1", "sky1"]], total_examples=1, epochs=1)
    assert model.cooccurrence.data.sum() == pytest.approx(total + 2)


def test_vocabulary_can_grow(two_worlds):
    """New words get vectors, old ones keep theirs, and the pairs of both texts add up."""
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


def test_old_text_can_be_trained_on_after_the_vocabulary_grew(two_worlds):
    """A text that was counted before new words came is recognised, and the new words keep their start vectors."""
    model = WordRank(two_worlds, vector_size=5, epochs=1, alpha=0.1, min_alpha=0.1)
    total = model.cooccurrence.data.sum()
    model.build_vocab([["ship", "harbour"]] * 6, update=True)
    ship = model.wv["ship"].copy()
    model.train(two_worlds, total_examples=600, epochs=1)
    assert model.cooccurrence.shape == (42, 42)
    assert model.cooccurrence.data.sum() == total
    np.testing.assert_array_equal(model.vectors()["ship"], ship)


def test_removed_cooccurrences_are_counted_anew(two_worlds):
    """After `cooccurrence = None`, a text that was known is counted again."""
    model = WordRank(two_worlds, vector_size=5, epochs=1)
    total = model.cooccurrence.data.sum()
    model.cooccurrence = None
    with pytest.raises(RuntimeError, match="was removed"):
        model.exact_loss()
    model.train(two_worlds, total_examples=600, epochs=1)
    assert model.cooccurrence.data.sum() == total


def test_exact_loss_is_near_the_estimate(two_worlds):
    """The loss of an epoch estimates J; exact_loss gives it exactly, for both solvers."""
    for solver in ("sampled", "triplet"):
        model = WordRank(two_worlds, vector_size=8, epochs=10, l2=0, solver=solver)
        assert model.exact_loss() == pytest.approx(model.get_latest_training_loss(), rel=0.1)
    with pytest.raises(RuntimeError, match="not trained"):
        WordRank().exact_loss()


def test_save_and_load(small, two_worlds, tmp_path):
    """A saved model comes back whole, by str or path, and trains on as if it had never been saved."""
    path = tmp_path / "model"
    small.save(path)
    for name, options in ((path, {}), (str(path), {}), (path, {"mmap": "r"})):
        loaded = WordRank.load(name, **options)
        np.testing.assert_array_equal(loaded.wv.vectors, small.wv.vectors)
        np.testing.assert_array_equal(loaded.context_vectors, small.context_vectors)
        assert loaded.objective == small.objective
        assert loaded.wv.get_vecattr("sea1", "count") == small.wv.get_vecattr("sea1", "count")
        np.testing.assert_array_equal(loaded.cooccurrence.data, small.cooccurrence.data)
        loaded.train(two_worlds, total_examples=loaded.corpus_count, epochs=1)


def test_arrays_saved_apart_can_be_mapped_and_trained(small, two_worlds, tmp_path):
    """Large arrays go into files of their own; mapped read-only, they are copied before training changes them."""
    small.save(tmp_path / "model", sep_limit=0)
    assert (tmp_path / "model.wv.vectors.npy").exists()
    assert (tmp_path / "model.cooccurrence.data.npy").exists()
    loaded = WordRank.load(tmp_path / "model", mmap="r")
    loaded.train(two_worlds, total_examples=loaded.corpus_count, epochs=1)
    np.testing.assert_array_equal(WordRank.load(tmp_path / "model").wv.vectors, small.wv.vectors)


def test_a_failed_save_keeps_the_old_model(small, tmp_path, monkeypatch):
    """If writing breaks off, the model that was there is untouched."""
    small.save(tmp_path / "model")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    monkeypatch.setattr(Word2Vec, "save", lambda self, name: Path(name).write_text("half") and 1 / 0)
    with pytest.raises(ZeroDivisionError):
        small.save(tmp_path / "model")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_warm_start_takes_the_vectors_of_common_words(two_worlds, small):
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


def test_words_without_neighbours_keep_a_direction():
    """A word that co-occurs with nothing has a vector of length above 0, so its cosines are numbers."""
    model = WordRank([["alone"], ["a", "b"], ["b", "a"]], min_count=1, vector_size=5, epochs=5)
    assert np.isfinite([cosine for _, cosine in model.wv.most_similar("alone")]).all()
    nobody = WordRank([["a"], ["b"]], min_count=1, vector_size=5, epochs=5)
    assert np.isfinite(nobody.wv.similarity("a", "b"))


def test_a_warm_start_of_zeros_is_passed_over(two_worlds):
    """Words whose given vector is zero start at random, so that no cosine is NaN."""
    zeros = KeyedVectors(6)
    zeros.add_vectors(["sea1", "sky1"], np.array([[0] * 6, [1] * 6], np.float32))
    model = WordRank(vector_size=6)
    model.build_vocab(two_worlds)
    assert model.warm_start(zeros) == 1
    assert model.wv["sea1"].any()


def test_the_progress_bar_shows_the_loss(two_worlds, capsys):
    """progress=True writes a bar with the loss to the terminal; by default nothing is written."""
    WordRank(two_worlds, vector_size=4, epochs=2)
    assert capsys.readouterr() == ("", "")
    WordRank(two_worlds, vector_size=4, epochs=2, progress=True)
    bar = capsys.readouterr().err
    assert "2/2" in bar
    assert "loss=" in bar


def test_an_error_in_the_users_iterator_reaches_the_caller(two_worlds):
    """Training does not hang when reading the corpus fails; it raises what the iterator raised."""

    class Breaks:
        def __iter__(self):
            yield from two_worlds
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        WordRank(Breaks(), vector_size=4, epochs=1)
    model = WordRank(two_worlds, vector_size=4, epochs=1)
    pairs = model.cooccurrence.nnz
    with pytest.raises(OSError, match="the disk is gone"):
        model.train(Breaks(), total_examples=1, epochs=1)
    assert model.cooccurrence.nnz == pairs


@pytest.mark.parametrize(("max_vocab_size", "passes"), [(None, 1), (1000, 2)])
def test_the_constructor_reads_the_text_once(two_worlds, max_vocab_size, passes):
    """Vocabulary and pairs come from one reading, except where gensim prunes the vocabulary while it reads."""

    class Counted:
        passes = 0

        def __iter__(self):
            self.passes += 1
            return iter(two_worlds)

    source = Counted()
    WordRank(source, vector_size=4, epochs=3, max_vocab_size=max_vocab_size)
    assert source.passes == passes


def test_a_constant_rate_stays_constant_with_another_start(two_worlds):
    """start_alpha alone neither lets the rate rise nor forgets that it falls; rates have bounds."""
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


def test_new_words_are_there_before_they_are_trained(two_worlds):
    """After build_vocab(update=True) words can be predicted, the new ones as unlikely as any; there is no loss yet."""
    model = WordRank(two_worlds, vector_size=8, min_count=1, epochs=5)
    known = dict(model.predict_output_word(["sea1"], topn=100))
    model.build_vocab([["new", "words"]], update=True)
    predicted = dict(model.predict_output_word(["sea1"], topn=100))
    assert set(predicted) == {*known, "new", "words"}
    with pytest.raises(RuntimeError, match="not trained yet. Train first"):
        model.exact_loss()
    model.train([["new", "words"]], total_examples=1, epochs=1)
    assert model.exact_loss() > 0


def test_vectors_of_another_size_are_not_trained(two_worlds):
    """They are refused, also where rows are padded to the same length; float64 becomes float32."""
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


def test_the_same_text_in_another_order_is_told(two_worlds, caplog):
    """Its pairs are counted again, as any text's, but not without a word; in the same order they are not."""
    model = WordRank(two_worlds, vector_size=4, min_count=1, epochs=1)
    total = model.cooccurrence.data.sum()
    with caplog.at_level(logging.WARNING):
        model.train(two_worlds, total_examples=1, epochs=1)
        assert model.cooccurrence.data.sum() == total
        assert "in another order" not in caplog.text
        model.train(two_worlds[::-1], total_examples=1, epochs=1)
    assert model.cooccurrence.data.sum() == pytest.approx(2 * total)
    assert "may have been counted before, in another order" in caplog.text


def test_a_text_is_told_whose_words_the_vocabulary_has_learnt_since(caplog):
    """Its ids are others then, so it cannot be recognised; but it is as long as it was."""
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


def test_the_same_text_is_recognised_from_a_file_and_from_sentences(tmp_path, caplog):
    """Also if empty lines are sentences for the one and not for the other; other texts of the same size are no news."""
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
def test_any_true_stops(two_worlds, true):
    """Also that of NumPy, which comparisons of its numbers give."""

    class Stop(CallbackAny2Vec):
        def on_epoch_end(self, model):
            return true

    assert WordRank(two_worlds, vector_size=4, epochs=5, callbacks=[Stop()]).epochs_done == 1


def test_seeds(two_worlds):
    """None is another seed for every model, which it keeps; what is no seed is refused."""
    one, other = (WordRank(two_worlds, vector_size=4, epochs=1, seed=None) for _ in range(2))
    assert (one.wv.vectors != other.wv.vectors).any()
    same = WordRank(two_worlds, vector_size=4, epochs=1, seed=one.seed)
    np.testing.assert_array_equal(same.wv.vectors, one.wv.vectors)
    for bad in (-1, 1.5, "one", True, 1 << 32):
        with pytest.raises(ValueError, match="'seed' must be an integer from 0 to 4,294,967,295, or None for any"):
            WordRank(seed=bad)


def test_numbers_that_are_no_words_are_unknown():
    """gensim takes them for indices: no vector of another word is taken over, and none predicts."""
    nodes = WordRank([[10, 20, 30], [20, 30, 40], [10, 40]], min_count=1, vector_size=4, epochs=1)
    others = WordRank(vector_size=4, min_count=1)
    others.build_vocab([[0, 1, 20], [1, 20, 3]])
    assert others.warm_start(nodes.wv) == 1
    np.testing.assert_array_equal(others.wv[20], nodes.wv[20])
    assert nodes.predict_output_word([0, 1]) is None
    assert nodes.predict_output_word([10, 1]) == nodes.predict_output_word([10])
    with pytest.raises(TypeError, match="'warm_start' must be KeyedVectors, as model.wv. Got a WordRank instead"):
        others.warm_start(nodes)


def test_a_window_wider_than_the_text(two_worlds):
    """It counts what the text has, without memory for distances that there are not."""
    text = two_worlds[:20]
    wide, widest = (WordRank(text, min_count=1, vector_size=4, epochs=1, window=n) for n in (1000, 10**9))
    assert wide.cooccurrence.nnz
    np.testing.assert_array_equal(wide.wv.vectors, widest.wv.vectors)
    assert widest.estimate_memory()["cooccurrence"] < 10**7
    assert WordRank(window=10**9).estimate_memory(vocab_size=1000)["cooccurrence"] < 10**8


def test_pairs_without_weight_are_told(caplog):
    """Where all is chance nothing is learnt."""
    with caplog.at_level(logging.WARNING):
        WordRank.from_cooccurrence(np.ones((5, 5)), vector_size=4, epochs=2)
    assert caplog.text.count("all pairs have weight 0, so nothing is learnt") == 1


@pytest.mark.parametrize("options", [{"max_final_vocab": 3}, {"min_count": 50}])
def test_given_words_of_which_none_is_left(options):
    """The error names what may have left them out."""
    name, value = next(iter(options.items()))
    with pytest.raises(RuntimeError, match=f"if words were given with counts, check whether .*'{name}' \\({value}\\)"):
        WordRank.from_cooccurrence(np.ones((6, 6)), list("abcdef"), vector_size=4, **options)


def test_a_wide_window_takes_no_time():
    """A window may be wider than any sentence: all of a basket."""
    texts = [["a", "b", "c"]] * 5
    wide, narrow = (WordRank(texts, vector_size=4, window=window, epochs=1, seed=2) for window in (10**6, 50))
    np.testing.assert_allclose(wide.cooccurrence.matrix.toarray(), narrow.cooccurrence.matrix.toarray(), rtol=1e-6)


def test_models_go_to_addresses_as_those_of_word2vec(two_worlds, tmp_path):
    """What smart_open writes to, save does."""
    model = WordRank(two_worlds, vector_size=4, min_count=1, epochs=1)
    model.save(f"file://{tmp_path}/model")
    np.testing.assert_array_equal(WordRank.load(f"file://{tmp_path}/model").wv.vectors, model.wv.vectors)
