"""The paper's settings, and the switches that lead to them."""

import logging

import numpy as np
import pytest
from gensim.models.callbacks import CallbackAny2Vec
from gensim.test.utils import datapath
from gensim_wordrank import Objective, WordRank
from gensim_wordrank.cli.main import main
from gensim_wordrank.training.method import Method

SMALL = {"vector_size": 20, "window": 5, "epochs": 6, "workers": 2}
PAPER = SMALL | {"preset": "paper", "alpha": 0.05, "xi_period": 2}


def test_preset_paper_is_the_paper():
    """The objective is that of section 3.2 of the paper, and nothing is added to it."""
    model = WordRank(preset="paper")
    assert model.objective == Objective(
        "log", "hinge", rank_scale=100, rank_offset=99, weighted=True, x_max=100, epsilon=0.75, discount=0, l2=0
    )
    assert model.method == Method("stored", "sgd", bias=False, uniform_negatives=True, xi_period=10)
    assert (model.sharpness, model.whiten, model.alpha, model.init) == (1.0, False, model.min_alpha, "random")


def test_preset_authors_is_their_program():
    """Its rank counts the context itself, and its vectors begin positive and with length 1."""
    paper, authors = WordRank(preset="paper"), WordRank(preset="authors")
    assert authors.objective == Objective(
        "log", "hinge", rank_scale=100, rank_offset=0, weighted=True, x_max=100, epsilon=0.75, discount=0, l2=0
    )
    assert (authors.method, authors.sharpness, authors.whiten) == (paper.method, paper.sharpness, paper.whiten)
    authors.build_vocab_from_freq({"a": 9, "b": 8})
    for vectors in (authors.wv.vectors, authors.context_vectors):
        assert (vectors > 0).all()
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)


def test_given_parameters_replace_those_of_a_preset():
    """A parameter that is given wins, also if its value is the default; others stay those of the preset."""
    model = WordRank(preset="paper", pair_loss="logistic", rank_scale=2500.0, bias=True)
    assert (model.objective.pair_loss, model.objective.rank_scale, model.method.bias) == ("logistic", 2500.0, True)
    assert (model.objective.rank_offset, model.objective.discount, model.method.optimizer) == (99.0, 0.0, "sgd")
    with pytest.raises(ValueError, match="'preset' must be one of 'paper', 'authors'. Got 'glove' instead."):
        WordRank(preset="glove")


def test_command_line_has_presets(tmp_path):
    """`wordrank train --preset paper` trains the vectors of Python; a given option wins."""
    options = ["--vector-size", "20", "--window", "5", "--epochs", "6", "--alpha", "0.05", "--rank-offset", "50"]
    arguments = ["train", datapath("lee_background.cor"), "-q", "-o", str(tmp_path / "model"), "--preset", "paper"]
    main([*arguments, *options], standalone_mode=False)
    model = WordRank.load(tmp_path / "model")
    expected = WordRank(corpus_file=datapath("lee_background.cor"), **PAPER | {"xi_period": 10}, rank_offset=50)
    assert model.wv.vectors.tobytes() == expected.wv.vectors.tobytes()
    assert model.preset == "paper"


@pytest.mark.parametrize("workers", [1, 3, 8])
def test_workers_do_not_change_the_vectors(lee_pairs, workers):
    """The preset gives the same bytes for any number of threads."""
    vectors = [WordRank.from_cooccurrence(lee_pairs, **PAPER | {"workers": n}).wv.vectors for n in (2, workers)]
    assert vectors[0].tobytes() == vectors[1].tobytes()


def test_vectors_of_the_preset_stay_as_trained(lee_pairs):
    """There is no bias and no change of basis unless asked for, and scores do not depend on the latter."""
    model = WordRank.from_cooccurrence(lee_pairs, **PAPER)
    whitened = WordRank.from_cooccurrence(lee_pairs, **PAPER, whiten=True)
    assert not model.context_bias.any()
    assert (model.wv.vectors != whitened.wv.vectors).any()
    scores = [m.wv.vectors @ m.context_vectors.T for m in (model, whitened)]
    np.testing.assert_allclose(*scores, atol=1e-3)


def test_switches_change_the_default_solver_one_by_one(lee_pairs):
    """Each departure from the paper can be switched off by itself."""
    default = WordRank.from_cooccurrence(lee_pairs, **SMALL).wv.vectors
    for switch in (
        {"bias": False}, {"discount": 0}, {"sharpness": 1}, {"whiten": False}, {"optimizer": "sgd"},
        {"uniform_negatives": True}, {"l2": 0}, {"init": "random"}, {"init": "positive"}, {"min_alpha": 0.025},
        {"solver": "stored"},
    ):  # fmt: skip
        model = WordRank.from_cooccurrence(lee_pairs, **SMALL, **switch)
        assert (model.wv.vectors != default).any(), switch
        assert model.context_bias.any() == (switch != {"bias": False})


class Stop(CallbackAny2Vec):
    """Stop after some epochs."""

    def __init__(self, epochs):
        self.epochs = epochs

    def on_epoch_end(self, model):
        """Return True to stop."""
        return model.epochs_done == self.epochs


@pytest.mark.parametrize("epochs", [1, 2, 3, 5])
def test_resuming_with_stored_xi(lee_pairs, tmp_path, epochs):
    """A run that ends after any epoch of a period goes on to the same bytes, with xi from the checkpoint."""
    whole = WordRank.from_cooccurrence(lee_pairs, **PAPER | {"xi_period": 3})
    WordRank.from_cooccurrence(lee_pairs, **PAPER | {"xi_period": 3}, checkpoint=tmp_path, callbacks=[Stop(epochs)])
    saved = np.load(tmp_path / f"epoch-{epochs:06}" / "xi.npy")
    assert len(saved) == (lee_pairs.nnz if epochs % 3 else 0)
    resumed = WordRank.resume(tmp_path)
    assert resumed.wv.vectors.tobytes() == whole.wv.vectors.tobytes()
    assert resumed.training_losses == whole.training_losses


def test_saved_models_have_no_xi(lee_pairs, tmp_path):
    """xi takes memory only while the model is trained."""
    model = WordRank.from_cooccurrence(lee_pairs, **PAPER | {"epochs": 3})
    assert len(model._xi) == 0
    model.save(tmp_path / "model")
    loaded = WordRank.load(tmp_path / "model")
    assert (loaded.method, loaded.sharpness, loaded.preset) == (model.method, 1.0, "paper")


def test_training_stops_when_it_converges(lee_pairs, caplog):
    """With `tolerance`, training stops once the loss falls by less than this share in a period; epochs are the most."""
    options = PAPER | {"epochs": 60, "alpha": 0.1, "tolerance": 0.02}
    with caplog.at_level(logging.INFO):
        model = WordRank.from_cooccurrence(lee_pairs, **options)
    losses = np.array(model.training_losses)
    falls = 1 - losses[2:] / losses[:-2]
    assert 4 < len(losses) < 60
    assert falls[-1] < 0.02 <= falls[:-1].min()
    assert "converged: the loss fell by less than 0.02 in 2 epochs" in caplog.text
    assert len(WordRank.from_cooccurrence(lee_pairs, **options | {"epochs": 4}).training_losses) == 4


def test_a_converged_run_has_nothing_to_resume(lee_pairs, tmp_path):
    """A run that stopped by tolerance is not resumed; one that was interrupted before stops at the same epoch."""
    options = PAPER | {"epochs": 60, "alpha": 0.1, "tolerance": 0.02}
    whole = WordRank.from_cooccurrence(lee_pairs, **options)
    WordRank.from_cooccurrence(lee_pairs, **options, checkpoint=tmp_path, callbacks=[Stop(whole.epochs_done - 1)])
    for _ in range(2):
        assert WordRank.resume(tmp_path).training_losses == whole.training_losses


def test_tolerance_needs_a_constant_rate():
    """In a run whose rate falls, the loss converges for that reason alone."""
    with pytest.raises(ValueError, match="'tolerance' must be omitted unless the rate is constant. Got 0.1 instead."):
        WordRank(tolerance=0.1)
    assert WordRank(tolerance=0.1, alpha=0.3, min_alpha=0.3).tolerance == 0.1
