"""WordRank with the interface of gensim's Word2Vec: names, defaults, files and callbacks, and no mathematics."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
from gensim.models import KeyedVectors

from gensim_wordrank import compatibility, keyedvectors
from gensim_wordrank._utils import memory as memory_
from gensim_wordrank._utils import validation
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.fitting import FittedModel
from gensim_wordrank.objective.losses import PairLoss
from gensim_wordrank.objective.objective import Objective
from gensim_wordrank.text import corpus
from gensim_wordrank.training import memory_estimate
from gensim_wordrank.training.checkpoints import Checkpoints, asked_for
from gensim_wordrank.training.trainer import MAX_LEARNING_RATE, Solver, check_cluster, default_learning_rate
from gensim_wordrank.types import Vectors

logger = logging.getLogger(__name__)


class WordRank(FittedModel):
    """Train word vectors by ranking contexts (Ji et al., EMNLP 2016), behind gensim's Word2Vec interface.

    Parameters
    ----------
    sentences : iterable of list of str, optional
        Can be read more than once. Without a corpus the model is left untrained.
    corpus_file : str, path or list of these, optional
        A text file, one sentence a line, words separated by spaces, instead of `sentences`. In a list, texts may be
        compressed, and be addresses: anything that smart_open reads.
    vector_size : int
        Length of the vectors.
    window : int
        Greatest distance between a word and its context.
    symmetric : bool
        Whether words after a word are contexts of it, or only those before.
    distance_weighting : bool
        Whether a pair at distance d counts 1/d, or 1.
    min_count, max_vocab_size, max_final_vocab, trim_rule, sorted_vocab
        How the vocabulary is chosen, exactly as in Word2Vec.
    epochs : int
        Number of passes over the co-occurrences.
    alpha, min_alpha : float, optional
        Learning rate: `alpha`, by default 0.5 (0.2 with "hinge"), and in the last fifth of the epochs falling to
        `min_alpha`, by default 0; before, the rank loss is a sharper one. With
        ``min_alpha=alpha`` all epochs are alike. That is the default of "triplet", with 0.01. On fewer than 50 million
        pairs steps are shorter, down to a third. The paper's alpha is `rank_scale`.
    seed : int or None
        The vectors depend on it, and not on `workers` or on PYTHONHASHSEED. For None one is drawn: ``model.seed``.
    workers : int
        Number of threads.
    cluster : distributed.Client, Dask cluster, str or gensim_wordrank.cluster.Hosts, optional
        Machines to train on instead of this one: a client of a Dask cluster, the cluster, the address of its scheduler,
        or machines to start one on by SSH. They count the texts of `corpus_file`, and train. The vectors are the same,
        byte for byte. It is not saved with the model.
    memory : int or str, optional
        What the process may take in all, as "4GB" or in bytes; by default what it has and half of what is free. Past
        it, co-occurrences are counted and kept in temporary files.
    solver : {"sampled", "triplet"}
        The fast solver, or Algorithm 1 as the paper prints it (one thread, many more epochs).
    rank_loss, pair_loss, t, rank_scale, rank_offset, weighted, x_max, epsilon, discount, l2
        The objective: see :class:`~gensim_wordrank.Objective`.
    warm_start : KeyedVectors, optional
        Vectors to start from; words it does not know start at random.
    callbacks : iterable of gensim.models.callbacks.CallbackAny2Vec
        Called as in Word2Vec. If `on_epoch_end` returns True, training stops.
    progress : bool
        Show a progress bar with the loss.
    checkpoint : str, path or Checkpoints, optional
        A directory from which :meth:`resume` goes on if the run ends early, for whatever reason. It is written after
        every epoch; :class:`~gensim_wordrank.Checkpoints` says otherwise.
    comment : str, optional
        Kept with the model.
    compute_loss : bool
        Accepted for Word2Vec's sake; the loss is always computed.
    **without_meaning
        Other parameters of Word2Vec, accepted with a warning.

    Attributes
    ----------
    wv : gensim.models.KeyedVectors
        The word vectors u, with the true counts of the words. When training ends, u and v are brought into
        a basis in which cosines and sums tell more; their scores stay. That is
        left out where vectors are locked, and with ``min_alpha=alpha``.
    context_vectors : array of float32
        The context vectors v, in the order of `wv`.
    context_bias : array of float32
        A number a context: its score for a word is <u, v> plus this, which keeps its frequency out of the vectors.
    training_losses : list of float
        The loss of every epoch since the vectors started.
    cooccurrence : gensim_wordrank.cooccurrence.matrix.Cooccurrence or None
        The co-occurrences that the model was trained on; `cooccurrence.matrix` is a SciPy CSR matrix. Set it to None to
        save memory and disk; training on more text then starts from that text alone. It is None if a cluster counted
        them, or read them under an address.

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> model = WordRank(common_texts, vector_size=20, min_count=1, epochs=5)
    >>> len(model.wv), model.wv["computer"].shape
    (12, (20,))
    """

    alpha: float
    min_alpha: float
    epochs: int

    def __init__(
        self,
        sentences: Iterable[Sequence[str]] | None = None,
        corpus_file: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        *,
        vector_size: int = 100,
        window: int = 15,
        symmetric: bool = True,
        distance_weighting: bool = True,
        min_count: int = 5,
        max_vocab_size: int | None = None,
        max_final_vocab: int | None = None,
        trim_rule: Any = None,
        sorted_vocab: int = 1,
        epochs: int = 10,
        alpha: float | None = None,
        min_alpha: float | None = None,
        seed: int | None = 1,
        workers: int = 3,
        cluster: Any = None,
        memory: int | str | None = None,
        solver: str = "sampled",
        rank_loss: str = "log",
        pair_loss: str = "logistic",
        t: float = 1.5,
        rank_scale: float = 2500.0,
        rank_offset: float = 2500.0,
        weighted: bool = True,
        x_max: float = 20.0,
        epsilon: float = 0.75,
        discount: float = 1.0,
        l2: float = 0.01,
        warm_start: KeyedVectors | None = None,
        callbacks: Iterable[Any] = (),
        progress: bool = False,
        checkpoint: str | os.PathLike[str] | Checkpoints | None = None,
        comment: str | None = None,
        compute_loss: bool = True,
        **without_meaning: Any,
    ) -> None:
        compatibility.check_extra_arguments(without_meaning)
        self.objective = Objective(
            rank_loss, pair_loss, t, rank_scale, rank_offset, weighted, x_max, epsilon, discount, l2
        )
        self.solver = validation.choice("solver", Solver, solver)
        usual = default_learning_rate(self.solver, PairLoss(self.objective.pair_loss))
        alpha = usual if alpha is None else alpha
        if min_alpha is None:  # Algorithm 1 has a constant rate
            min_alpha = alpha if self.solver is Solver.TRIPLET else 0.0
        self.symmetric, self.distance_weighting = symmetric, distance_weighting
        self.memory, self.progress = memory, progress
        self.cluster = check_cluster(cluster, self.solver)
        self.context_vectors: Vectors = np.empty((0, 0), np.float32)
        self.context_bias: Vectors = np.empty(0, np.float32)
        self.cooccurrence: Cooccurrence | None = None
        self.epochs_done = 0
        self.training_losses: list[float] = []
        self._past: Vectors = np.empty((2, 0), np.float32)  # of words and contexts, see State
        self._counted: list[str] = []  # digests of the texts whose pairs are in `cooccurrence`
        super().__init__(
            vector_size=validation.positive_integer("vector_size", vector_size),
            alpha=validation.positive_number(
                "alpha",
                alpha,
                "'alpha' is the learning rate; the paper's alpha is 'rank_scale'.",
                most=MAX_LEARNING_RATE,
            ),
            min_alpha=validation.nonnegative_number("min_alpha", min_alpha, most=MAX_LEARNING_RATE),
            window=validation.positive_integer("window", window),
            min_count=min_count,
            max_vocab_size=max_vocab_size,
            max_final_vocab=max_final_vocab,
            sorted_vocab=sorted_vocab,
            seed=validation.seed(seed),
            workers=validation.positive_integer("workers", workers),
            epochs=validation.positive_integer("epochs", epochs),
            comment=comment,
            compute_loss=compute_loss,
            sg=1,
            hs=0,
            negative=0,
            sample=0,
            # without a corpus the base class warns that these are not kept
            trim_rule=trim_rule if sentences is None and corpus_file is None else None,
            callbacks=callbacks if sentences is None and corpus_file is None else (),
        )
        compatibility.warn_if_alpha_is_low(self.alpha, usual)
        if sentences is None and corpus_file is None:
            if checkpoint is not None:
                logger.warning("'checkpoint' is not kept without a text: give it to train() instead")
            return
        self._check_corpus_sanity(sentences, corpus_file, passes=2)
        checkpoints = asked_for(checkpoint)
        with self._on_machines() if corpus_file is not None and max_vocab_size is None else nullcontext():
            if max_vocab_size is not None:  # gensim prunes the vocabulary while it reads, so the text is read again
                self.build_vocab(sentences, corpus_file, trim_rule=trim_rule)
            else:
                text = self._read(sentences, corpus_file)
                self.build_vocab(text, trim_rule=trim_rule)
                sentences, corpus_file = text.over(self.wv.key_to_index), None
                del text  # as its ids are no longer needed
            if warm_start is not None:
                self.warm_start(warm_start)
            self._count(sentences, corpus_file)
            del sentences
            self._fit(callbacks, checkpoints)

    @classmethod
    def from_cooccurrence(
        cls,
        matrix: Any,
        words: Sequence[Any] | None = None,
        counts: Any = None,
        *,
        trim_rule: Any = None,
        warm_start: KeyedVectors | None = None,
        callbacks: Iterable[Any] = (),
        checkpoint: str | os.PathLike[str] | Checkpoints | None = None,
        **parameters: Any,
    ) -> WordRank:
        """Train on co-occurrences that were counted before, or are not of words: a graph, or things bought together.

        Parameters
        ----------
        matrix : Cooccurrence, SciPy sparse matrix, array, or str
            How often things occur together; as many columns as rows, for the same things. Or the directory or the
            address of co-occurrences that were saved; of an address, the machines of a `cluster` read some rows each.
        words : sequence of str or int, optional
            Their names; those of a `Cooccurrence` are its own.
        counts : sequence of int, optional
            How often each occurs, by default the sum of its row. The vectors are in this order.
        trim_rule, warm_start, callbacks, checkpoint, **parameters
            As in the constructor; `min_count` is 1 unless given. The weights of pairs suit counts from a large text;
            for a graph of zeros and ones choose ``weighted=False``.

        Examples
        --------
        >>> import numpy as np
        >>> from gensim_wordrank import WordRank
        >>> ring = np.eye(6, k=1) + np.eye(6, k=-1) + np.eye(6, k=5) + np.eye(6, k=-5)
        >>> model = WordRank.from_cooccurrence(ring, words=list("abcdef"), vector_size=4, weighted=False)
        >>> model.wv["a"].shape
        (4,)
        """
        model = cls(**{"min_count": 1} | parameters)
        checkpoints = asked_for(checkpoint)
        with model._on_machines():
            if isinstance(matrix, (str, os.PathLike)):
                pairs = model._read_pairs(matrix)
            else:
                pairs = matrix if isinstance(matrix, Cooccurrence) else Cooccurrence.from_matrix(matrix, words, counts)
            # gensim puts the later of equally frequent words first; backwards, they stay as they are
            frequencies = dict(zip(pairs.words[::-1], pairs.counts[::-1].tolist(), strict=True))
            model.build_vocab_from_freq(frequencies, trim_rule=trim_rule)
            if warm_start is not None:
                model.warm_start(warm_start)
            model.cooccurrence = pairs.over(model.wv.index_to_key)
            model._fit(callbacks, checkpoints)
        return model

    # ---- training

    def train(
        self,
        corpus_iterable: Any = None,
        corpus_file: Any = None,
        total_examples: int | None = None,
        total_words: int | None = None,
        epochs: int | None = None,
        start_alpha: float | None = None,
        end_alpha: float | None = None,
        word_count: int = 0,
        queue_factor: int = 2,
        report_delay: float = 1.0,
        compute_loss: bool = True,
        callbacks: Iterable[Any] = (),
        checkpoint: str | os.PathLike[str] | Checkpoints | None = None,
        **kwargs: Any,
    ) -> tuple[int, int]:
        """Count the co-occurrences of a corpus and train on them, as Word2Vec.train does on the corpus.

        Parameters
        ----------
        corpus_iterable, corpus_file
            The text, read once. Its pairs are added to those the model holds; a text that the model has counted before
            is recognised and not added again, unless its sentences come in another order, or words of it came to the
            vocabulary since: then there is a warning.
        total_examples, total_words : int
            One of them is required, as in Word2Vec.
        epochs : int
            Number of epochs; the usual value is ``model.epochs``.
        start_alpha, end_alpha : float, optional
            Replace `alpha` and `min_alpha`; a rate that was constant stays so if only `start_alpha` is given.
        callbacks, checkpoint
            As in the constructor.
        word_count, queue_factor, report_delay, compute_loss
            Accepted for Word2Vec's sake.

        Returns
        -------
        (int, int)
            Words of the vocabulary and words in all that the corpus held, times the epochs done.

        Examples
        --------
        >>> from gensim.test.utils import common_texts
        >>> from gensim_wordrank import WordRank
        >>> model = WordRank(vector_size=20, min_count=1)
        >>> model.build_vocab(common_texts)
        >>> model.train(common_texts, total_examples=model.corpus_count, epochs=10)
        (290, 290)
        """
        if start_alpha is not None:
            falls = self.min_alpha < self.alpha
            self.alpha = validation.positive_number("start_alpha", start_alpha, most=MAX_LEARNING_RATE)
            self.min_alpha = min(self.min_alpha, self.alpha) if falls else self.alpha
        if end_alpha is not None:
            self.min_alpha = validation.nonnegative_number("end_alpha", end_alpha, most=MAX_LEARNING_RATE)
        self._check_training_sanity(epochs, total_examples, total_words)
        self._check_corpus_sanity(corpus_iterable, corpus_file, passes=1)
        self.epochs, checkpoints = int(epochs or 0), asked_for(checkpoint)
        kept_words, raw_words = self._count(corpus_iterable, corpus_file)
        done = self._fit(callbacks, checkpoints)
        return kept_words * done, raw_words * done

    def _count(self, sentences: Any, corpus_file: Any) -> tuple[int, int]:
        """Add the co-occurrences of a text to the model's; return its words in the vocabulary, and in all."""
        text = self._read(sentences, corpus_file, self.wv.key_to_index)
        digest = text.digest()
        if self.cooccurrence is None:
            self._counted = []
        counts = None if self.cooccurrence is None else self.cooccurrence.over(self.wv.index_to_key)
        if digest.partition(" ")[0] not in [known.partition(" ")[0] for known in self._counted]:
            if any(corpus.resemble(digest, known) for known in self._counted):
                logger.warning(
                    "the text may be one that was counted before, in another order or before words came to the "
                    "vocabulary: its pairs are counted once more. To train on the same text again, give its sentences "
                    "in the same order, and add words after that"
                )
            # what training will need; the pairs that the triplet solver weighs are not known yet
            epoch_bytes = memory_estimate.epoch_memory(len(self.wv), 0, self.vector_size, self.solver, self.workers)
            new = Cooccurrence.from_text(
                text, self.window, self.symmetric, self.distance_weighting, self.workers,
                memory_.budget(self.memory) - epoch_bytes, progress=self.progress,
            )  # fmt: skip
            counts = counts + new if counts is not None and counts.nnz else new
            self._counted.append(digest)
        if counts is None or not counts.nnz:
            logger.warning("no two words of the vocabulary co-occur: the vectors stay as they are")
        self.cooccurrence = counts
        return int(text.counts.sum()), text.n_tokens

    # ---- results

    def vectors(self, which: str = "word", style: str = "raw") -> KeyedVectors:
        """Return u, v or u + v as new KeyedVectors.

        Parameters
        ----------
        which : {"word", "context", "sum"}
            u, best for similarity, as in ``model.wv``; v; or u + v, best for analogies.
        style : {"raw", "centred", "scaled"}
            As they are; minus their mean; or scaled as the paper's authors do before they evaluate.

        Examples
        --------
        >>> from gensim.test.utils import common_texts
        >>> from gensim_wordrank import WordRank
        >>> model = WordRank(common_texts, vector_size=20, min_count=1)
        >>> sums = model.vectors("sum", "centred")
        >>> sums.vectors.shape, bool(abs(sums.vectors.mean(axis=0)).max() < 1e-6)
        ((12, 20), True)
        """
        if validation.choice("which", keyedvectors.Which, which) is not keyedvectors.Which.WORD:
            self._check_contexts()
        return keyedvectors.keyed_like(
            self.wv, keyedvectors.combine(self.wv.vectors, self.context_vectors, which, style)
        )

    def exact_loss(self) -> float:
        """Return the objective J on the model's co-occurrences exactly, where the loss of an epoch is an estimate.

        Its cost grows with the square of the vocabulary: about as much as a few epochs. The L2 term in it is that of
        the vectors as they are, a little more than in the basis in which they were trained.

        Examples
        --------
        >>> from gensim.test.utils import common_texts
        >>> from gensim_wordrank import WordRank
        >>> model = WordRank(common_texts, vector_size=20, min_count=1, epochs=5)
        >>> abs(model.exact_loss() / model.get_latest_training_loss() - 1) < 0.1
        True
        """
        if self.cooccurrence is None or not self.train_count:
            raise RuntimeError("There is no loss: the model was not trained, or its 'cooccurrence' was removed.")
        self._refuse_parts()
        if self.cooccurrence.n_contexts != len(self.wv):
            raise RuntimeError("There is no loss: words came to the vocabulary that were not trained yet. Train first.")
        state = self._state()
        # Algorithm 1 has no bias, and L2 leaves the bias alone
        parameters = state.with_bias() if self.solver is Solver.SAMPLED else (state.words, state.contexts)
        of_ranks = replace(self.objective, l2=0.0).value(*parameters, self.cooccurrence, self.workers)
        return of_ranks + self.objective.penalty(state.words, state.contexts, self.cooccurrence)
