"""WordRank with subwords: better rare words, vectors of unknown words, and everything else as without."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from gensim.models import KeyedVectors
from gensim.test.utils import datapath
from gensim_wordrank import WordRank, evaluation
from gensim_wordrank.cli.main import main
from gensim_wordrank.sklearn import WordRankVectorizer

LEE = datapath("lee_background.cor")
OPTIONS = {"vector_size": 30, "epochs": 5, "workers": 2}


@pytest.fixture(scope="module")
def model():
    """A model of a small text, with subwords."""
    return WordRank(corpus_file=LEE, subwords=True, **OPTIONS)


@pytest.fixture(scope="module")
def plain():
    """The same model without subwords."""
    return WordRank(corpus_file=LEE, **OPTIONS)


def same(first, second):
    """Return True if two models have the same vectors and the same table of n-grams."""
    table, other = first.subword_table, second.subword_table
    return (
        first.wv.vectors.tobytes() == second.wv.vectors.tobytes()
        and first.context_vectors.tobytes() == second.context_vectors.tobytes()
        and table.keys.tobytes() == other.keys.tobytes()
        and table.rows.tobytes() == other.rows.tobytes()
        and table.base.tobytes() == other.base.tobytes()
    )


def test_training_itself_is_unchanged(model, plain):
    """Contexts, losses and scores are those of a model without subwords; only `wv` and the sums differ."""
    assert model.context_vectors.tobytes() == plain.context_vectors.tobytes()
    assert model.training_losses == plain.training_losses
    assert model.exact_loss() == plain.exact_loss()
    assert model.predict_output_word(["fire"]) == plain.predict_output_word(["fire"])
    assert model.vectors("context").vectors.tobytes() == plain.vectors("context").vectors.tobytes()
    assert model.vectors("sum", "scaled").vectors.tobytes() == plain.vectors("sum", "scaled").vectors.tobytes()
    assert (model.wv.vectors != plain.wv.vectors).any()
    assert (model.vectors("sum").vectors != plain.vectors("sum").vectors).any()
    assert type(model.wv) is KeyedVectors


def test_any_number_of_workers_gives_the_same_bytes(model):
    """One and three threads give what two gave."""
    for workers in (1, 3):
        other = WordRank(corpus_file=LEE, subwords=True, **OPTIONS | {"workers": workers})
        assert same(model, other)
        assert model.vectors("sum").vectors.tobytes() == other.vectors("sum").vectors.tobytes()


def test_frequent_words_move_less_than_rare_ones(model, plain):
    """The cosine between a word's vectors with and without subwords grows with its count."""
    one, two = model.wv.get_normed_vectors(), plain.wv.get_normed_vectors()
    cosines = np.einsum("ij,ij->i", one, two)
    assert cosines[:50].min() > 0.999
    assert cosines[:50].mean() > cosines[-500:].mean()
    lengths = [np.linalg.norm(wv.vectors, axis=1) for wv in (model.wv, plain.wv)]
    np.testing.assert_allclose(*lengths, rtol=1e-4)


def test_unknown_words_have_vectors(model):
    """They come from n-grams, and their neighbours share some of them."""
    assert "firefighting" not in model.wv
    assert model.vector("firefighting").shape == (30,)
    assert model.vector("fire").tobytes() == model.wv["fire"].tobytes()
    near = [word for word, _ in model.most_similar("firefighting", topn=5)]
    assert any(word.lower().startswith("fire") for word in near)
    assert model.most_similar("fire", topn=3) == model.wv.most_similar("fire", topn=3)
    mixed = model.most_similar(positive=["firefighting", "police"], negative=["cricket"], topn=3)
    assert len(mixed) == 3


@pytest.mark.parametrize("word", ["x-ray2", "消防士", "пожарный", "naïve", "é", "3", "🔥🔥", "government's", "a", ""])
def test_any_string_has_a_vector_or_an_error(model, word):
    """A word of which nothing is known is a KeyError that names it."""
    if word in model.wv or model.subword_table.predict([word])[1][0]:
        assert np.isfinite(model.vector(word)).all()
    else:
        with pytest.raises(KeyError, match="none of its n-grams"):
            model.vector(word)


def test_words_of_other_scripts_are_learnt():
    """n-grams are of characters, not of bytes."""
    stems, suffixes = ["котик", "собак", "лошад", "птичк"], ["ами", "ов", "ям", "ой"]
    random = np.random.default_rng(1)
    words = [stem + suffix for stem in stems for suffix in suffixes]
    text = [[words[i] for i in random.integers(0, 16, 12)] for _ in range(300)]
    trained = WordRank(text, subwords=True, min_count=1, vector_size=8, epochs=3)
    assert trained.vector("собаковой").shape == (8,)
    with pytest.raises(KeyError, match="none of its n-grams"):
        trained.vector("dog")


def test_without_subwords_unknown_words_are_errors(plain):
    """The message says how to get their vectors."""
    with pytest.raises(KeyError, match="subwords=True"):
        plain.vector("firefighting")
    with pytest.raises(RuntimeError, match="subwords=True"):
        plain.with_words(["firefighting"])


def test_words_that_are_not_strings_are_refused():
    """Numbers have no n-grams."""
    with pytest.raises(ValueError, match="'subwords' must be False if words are not strings"):
        WordRank([[1, 2, 3]] * 10, subwords=True, min_count=1)


def test_saved_models_know_unknown_words(model, tmp_path):
    """A loaded model has the same vectors and table, and trains on from the vectors as trained."""
    model.save(str(tmp_path / "model"), cooccurrence=True)
    loaded = WordRank.load(str(tmp_path / "model"))
    assert same(model, loaded)
    assert loaded.vector("firefighting").tobytes() == model.vector("firefighting").tobytes()
    assert loaded.exact_loss() == model.exact_loss()


def test_resumed_runs_give_the_same_bytes(model, tmp_path):
    """A run that a callback stops, and that is resumed, ends as one that was never stopped."""

    class Stop:
        def __getattr__(self, name):
            return lambda model: name == "on_epoch_end" and model.epochs_done == 2

    stopped = WordRank(corpus_file=LEE, subwords=True, callbacks=[Stop()], checkpoint=tmp_path / "run", **OPTIONS)
    assert stopped.epochs_done == 2
    assert same(model, WordRank.resume(tmp_path / "run"))


def test_training_continues_from_the_vectors_as_trained(plain):
    """More text, new words and more epochs give the same contexts and losses as without subwords."""
    more = [["government", "firefighting", "fire"] * 4] * 10

    def train_more(trained):
        trained.build_vocab(more, update=True)
        trained.train(more, total_examples=trained.corpus_count, epochs=2)
        return trained

    with_subwords = train_more(WordRank(corpus_file=LEE, subwords=True, **OPTIONS))
    without = train_more(WordRank(corpus_file=LEE, **OPTIONS))
    assert with_subwords.context_vectors.tobytes() == without.context_vectors.tobytes()
    assert with_subwords.training_losses == without.training_losses
    assert "firefighting" in with_subwords.wv
    assert (with_subwords.wv.vectors != without.wv.vectors).any()


def test_locked_vectors_stay(plain):
    """Locked vectors are not changed by n-grams; unknown words still have vectors."""
    locked = WordRank(vector_size=30, subwords=True, epochs=2)
    locked.build_vocab(corpus_file=LEE)
    start = locked.wv.vectors.copy()
    locked.wv.vectors_lockf = np.zeros(len(locked.wv), np.float32)
    locked.train(corpus_file=LEE, total_words=locked.corpus_total_words, epochs=2)
    np.testing.assert_array_equal(locked.wv.vectors, start)
    assert locked.vector("firefighting").shape == (30,)


def test_small_vocabularies_keep_their_vectors(two_worlds, caplog):
    """With few words, nothing can be learnt from n-grams; a warning says so."""
    options = {"vector_size": 4, "epochs": 2}
    small, without = WordRank(two_worlds, subwords=True, **options), WordRank(two_worlds, **options)
    assert small.wv.vectors.tobytes() == without.wv.vectors.tobytes()
    assert "say too little" in caplog.text


def test_evaluation_can_use_predicted_vectors(model):
    """All pairs of a similarity set are scored if unknown words are predicted."""
    tests = evaluation.bundled_sets()
    words = evaluation.words_of(tests, model.wv)
    extended = model.with_words(words)
    assert len(extended) > len(model.wv)
    assert extended.vectors[: len(model.wv)].tobytes() == model.wv.vectors.tobytes()
    before, after = (evaluation.similarity(wv, tests[0]) for wv in (model.wv, extended))
    assert after.unknown_share < before.unknown_share


def test_vectorizer_can_predict_unknown_words():
    """A text of unknown words has a vector instead of zeros."""
    texts = [line.split() for line in Path(LEE).read_text(encoding="utf-8").splitlines()]
    vectorizer = WordRankVectorizer(vector_size=10, epochs=2, predict_unknown=True).fit(texts)
    assert vectorizer.transform([["firefighting"]]).any()
    plain_vectorizer = WordRankVectorizer(vector_size=10, epochs=2).fit(texts)
    assert not plain_vectorizer.transform([["firefighting"]]).any()
    with pytest.raises(ValueError, match="'predict_unknown' must be False unless which='word'"):
        WordRankVectorizer(which="sum", predict_unknown=True).fit(texts)


def test_context_words_can_be_unknown(model):
    """If asked, predict_output_word uses the vectors of unknown words."""
    assert model.predict_output_word(["firefighting"]) is None
    assert len(model.predict_output_word(["firefighting"], topn=3, predict_unknown=True)) == 3


def test_command_line_with_subwords(tmp_path):
    """`train --subwords`, `similar` with an unknown word, `evaluate --unknown predict` and `info`."""
    run, path = CliRunner().invoke, str(tmp_path / "model")
    trained = run(main, ["train", LEE, "-o", path, "--subwords", "--epochs", "2", "--vector-size", "20"])
    assert trained.exit_code == 0, trained.output
    found = run(main, ["similar", "--trust", path, "firefighting", "-n", "2"])
    assert found.exit_code == 0, found.output
    assert found.output.startswith("firefighting")
    assert run(main, ["similar", "--trust", path, "消防士"]).exit_code != 0
    rows = []
    for unknown in ("predict", "zero"):
        scored = run(main, ["evaluate", "--trust", path, "--unknown", unknown])
        assert scored.exit_code == 0, scored.output
        rows.append(next(line for line in scored.output.splitlines() if line.startswith("wordsim353")))
    assert rows[0] != rows[1]
    assert "subwords" in run(main, ["info", "--trust", path]).output


def test_export_formats_that_hold_ngrams(model, plain, tmp_path):
    """`export` writes them for a model with subwords, and refuses another; FastText's vectors know unknown words."""
    path, other = str(tmp_path / "model"), str(tmp_path / "plain")
    model.save(path)
    plain.save(other)
    for layout in ("fasttext", "floret"):
        output = str(tmp_path / layout)
        done = CliRunner().invoke(main, ["export", path, "--trust", "-o", output, "--format", layout])
        assert done.exit_code == 0, done.output
        assert Path(output).stat().st_size > 10**5
        refused = CliRunner().invoke(main, ["export", other, "--trust", "-o", output, "--format", layout])
        assert "trained with --subwords" in refused.output
    keyed = model.to_fasttext_keyedvectors()
    unknown = keyed["firefighting"] @ model.vector("firefighting")
    assert unknown > 0.7 * np.linalg.norm(keyed["firefighting"]) * np.linalg.norm(model.vector("firefighting"))
    np.testing.assert_allclose(keyed.vectors, model.wv.vectors, atol=1e-4)
    with pytest.raises(RuntimeError, match="subwords=True"):
        plain.to_fasttext_keyedvectors()


def test_command_line_names_a_model_without_subwords(plain, tmp_path):
    """`evaluate --unknown predict` needs a model with subwords."""
    path = str(tmp_path / "plain.model")
    plain.save(path)
    done = CliRunner().invoke(main, ["evaluate", "--trust", path, "--unknown", "predict"])
    assert done.exit_code != 0
    assert "Train it with --subwords" in done.output


@pytest.mark.cluster
def test_clusters_give_the_same_bytes(model, tmp_path):
    """A model trained on a cluster has the same vectors and table."""
    code = f"""
from gensim_wordrank import WordRank
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        WordRank(corpus_file={LEE!r}, subwords=True, cluster=cluster, **{OPTIONS!r}).save("model")
"""
    (tmp_path / "run.py").write_text(code)
    subprocess.run([sys.executable, "run.py"], cwd=tmp_path, check=True, timeout=300)
    assert same(model, WordRank.load(str(tmp_path / "model")))
