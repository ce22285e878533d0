"""WordRank behind the interface of gensim's Word2Vec: its names, defaults, files and callbacks; no mathematics."""

from __future__ import annotations

import logging
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial
from inspect import signature
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from gensim.models import KeyedVectors, Word2Vec
from gensim.models.fasttext import FastTextKeyedVectors
from gensim.utils import SaveLoad

from gensim_wordrank import compatibility, fitting, keyedvectors, persistence, tensor_files, weights
from gensim_wordrank._utils import checksummed, display, threads, validation
from gensim_wordrank.analysis.reasons import Explainer, Explanation, with_lines
from gensim_wordrank.analysis.stability import Stability
from gensim_wordrank.cooccurrence import baskets as baskets_
from gensim_wordrank.cooccurrence import graphs
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.objective.objective import Objective
from gensim_wordrank.presets import with_presets
from gensim_wordrank.settings import SETTINGS
from gensim_wordrank.subwords import formats
from gensim_wordrank.subwords.table import SubwordTable, improve_sums
from gensim_wordrank.text import corpus
from gensim_wordrank.training import memory_estimate
from gensim_wordrank.training.checkpoints import Checkpoints, Run, prepare_directory
from gensim_wordrank.training.method import Method
from gensim_wordrank.training.schedule import DEFAULT_ALPHA, DEFAULT_MIN_ALPHA, MAX_ALPHA
from gensim_wordrank.training.state import (
    Init,
)
from gensim_wordrank.types import Solver, Vectors

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)

NO_SUBWORDS = "There are no vectors of unknown words. Train with subwords=True."
FLOAT_BYTES = np.dtype(np.float32).itemsize
# An iterator with more epochs than this comes from a program for Word2Vec, which reads an iterator in the first epoch
# for subclasses that change sentences in `_do_train_job`
SENTENCES_PER_JOB = 100


class Format(str, Enum):
    """The formats of a saved model."""

    GENSIM = "gensim"
    SAFETENSORS = "safetensors"


class WordRank(Word2Vec):  # type: ignore[misc]  # gensim has no type information
    """Train word vectors by ranking contexts (Ji et al., EMNLP 2016), behind gensim's Word2Vec interface.

    Parameters
    ----------
    sentences : iterable of list of str, optional
        An iterable that can be read more than once. A sentence is an iterable of words, and words are strings or other
        hashable objects. gensim's corpora of texts, such as WikiCorpus, are read through ``get_texts()``. Without a
        corpus the model is left untrained.
    corpus_file : str, path or list of these, optional
        Instead of `sentences`, one or more text files with one sentence per line and words separated by spaces. They
        may be compressed, and may be URLs that smart_open can read.
    vector_size : int
        Length of the vectors.
    window : int
        Largest distance between a word and its context.
    symmetric : bool
        Use contexts on both sides of a word, or only before it.
    distance_weighting : bool, optional
        If True, a pair at distance d counts 1/d; otherwise 1. The default is True, and False with
        ``shrink_windows=False``.
    min_count, max_vocab_size, max_final_vocab, trim_rule, sorted_vocab
        Select the vocabulary exactly as in Word2Vec.
    preset : {"paper", "authors"}, optional
        Replace the defaults by the settings of the paper, or of the program that its authors published
        (:mod:`gensim_wordrank.presets`). Parameters that you give take precedence.
    epochs : int
        Number of passes over the co-occurrences. With fewer than five epochs, each has several passes, at least five
        in all, unless ``min_alpha=alpha``. A pass takes about a tenth of the time of an epoch of Word2Vec.
    tolerance : float, optional
        Stop early when the loss falls by less than this share in one epoch (with "stored", in `xi_period` epochs).
        Needs a constant learning rate.
    alpha, min_alpha : float, optional
        Learning rate, in the units of Word2Vec: 0.025 is the usual rate for any solver and loss. The rate is `alpha`
        (default 0.025) and falls to `min_alpha` (default 0.0001) in the last fifth of the epochs. Until then, the rank
        loss is :class:`sharper <gensim_wordrank.training.schedule.Schedule>`. With ``min_alpha=alpha``, the default of
        "stored" and "triplet", the rate and the rank loss stay constant. The paper's alpha is `rank_scale`.
    sharpness : float
        Ranks are multiplied by this until the last fifth of the epochs. With 1, the objective does not change.
    whiten : bool, optional
        Change the basis of the vectors when training ends. The default is True, unless the learning rate is constant.
    init : {"shared", "random", "positive"}
        Initial vectors. "random": short and random. "shared": the same, but rare words share a common part.
        "positive": positive and of length 1, as in the authors' program.
    seed : int or None
        The vectors depend on it, but not on `workers` or PYTHONHASHSEED. If None, a random seed is chosen and stored in
        ``model.seed``.
    workers : int
        Number of threads; -1 or 0 for all cores.
    cluster : distributed.Client, Dask cluster, str or gensim_wordrank.cluster.Hosts, optional
        Train on other machines: a Dask client, a Dask cluster, the address of a scheduler, or hosts on which to start
        workers over SSH. They read and count the files of `corpus_file`, and train. The vectors are the same as on one
        machine, byte for byte. The cluster is not saved with the model.
    memory : int or str, optional
        Memory limit of the process, such as "4GB", or in bytes. The default is what it already uses plus half of the
        free memory. Counts that need more are kept in temporary files.
    solver : {"sampled", "stored", "triplet"}
        "sampled", the fast one, estimates ranks from samples. "stored" is Algorithms 1 and 2 with an exact xi for every
        pair. "triplet" is Algorithm 1 with one triplet at a time, on one thread; it needs many more epochs.
    optimizer, bias, uniform_negatives, xi_period
        Switches of the solver: see :class:`~gensim_wordrank.training.method.Method`.
    rank_loss, pair_loss, t, rank_scale, rank_offset, weighted, x_max, epsilon, discount, l2
        The objective: see :class:`~gensim_wordrank.Objective`.
    subwords : bool
        Learn from the character n-grams of words when training ends. Unknown words then have vectors (:meth:`vector`,
        :meth:`most_similar`, :meth:`with_words`), vectors of rare words are better, and ``vectors("sum")`` answers more
        syntactic analogies. More neighbours are then rare words.
    warm_start : KeyedVectors, optional
        Vectors to start from; other words start at random. Given vectors change little and keep their basis. The same
        holds for vectors that you put in `wv` between :meth:`build_vocab` and :meth:`train`.
    callbacks : iterable of gensim.models.callbacks.CallbackAny2Vec
        Called as in Word2Vec. Training stops if `on_epoch_end` returns True.
    progress : bool
        Show a progress bar with the loss.
    checkpoint : str, path or Checkpoints, optional
        A directory from which :meth:`resume` continues if the run is interrupted. It is written after every epoch,
        unless :class:`~gensim_wordrank.Checkpoints` sets another interval.
    comment : str, optional
        Stored with the model.
    compute_loss : bool
        Accepted for compatibility with Word2Vec; the loss is always computed.
    shrink_windows : bool, optional
        A parameter of Word2Vec. If False, all pairs of a window count alike, unless `distance_weighting` is given.
    sample, sg, hs, negative, ns_exponent, cbow_mean, hashfxn, null_word, batch_words
        Parameters of Word2Vec that have no effect; the log says why. Positional arguments have Word2Vec's order.
    **unknown
        Other names raise an error that says what to use instead.

    Attributes
    ----------
    wv : gensim.models.KeyedVectors
        The word vectors u, with the true counts of the words. After training, u and v are expressed in
        :func:`a basis <gensim_wordrank.training.whitening.usable_basis>` in which cosines and sums work better; their
        scores do not change. This step is skipped if vectors are locked, and with ``min_alpha=alpha``.
    context_vectors : array of float32
        The context vectors v, in the order of `wv`.
    context_bias : array of float32
        One bias per context: the score of a context for a word is <u, v> plus this, which keeps its frequency out of
        the vectors.
    subword_table : gensim_wordrank.subwords.table.SubwordTable or None
        The vectors of n-grams, if `subwords` is True and the model is trained.
    training_losses : list of float
        The loss of each epoch since the vectors were initialized: an estimate of J, or of its bound for "stored" and
        "triplet", while the vectors change. It is always the loss of the given objective, not of the sharper one, and
        does not include the L2 term. :meth:`exact_loss` computes J exactly, with that term.
    cooccurrence : gensim_wordrank.Cooccurrence or None
        The counts that the model was trained on; `cooccurrence.matrix` is a SciPy CSR matrix. Set it to None to save
        memory and disk space; training on more text then uses that text alone. It is None if a cluster counted the text
        or read the counts from a URL.

    Examples
    --------
    >>> from gensim.test.utils import common_texts
    >>> from gensim_wordrank import WordRank
    >>> model = WordRank(common_texts, vector_size=20, min_count=1, epochs=5)
    >>> len(model.wv), model.wv["computer"].shape
    (12, (20,))
    """

    cluster: Any = None  # not saved with the model
    method, init = Method(), Init.SHARED  # models of older versions have none of these
    sharpness, whiten, tolerance, preset = SETTINGS.sharpness, None, None, None
    _xi: Vectors = np.empty(0, np.float32)  # only while the model is trained
    subwords = False
    subword_table: SubwordTable | None = None
    _trained_words: Vectors | None = None  # u as trained, if `wv` has vectors that lean on n-grams
    _last_alpha: float | None = None  # of the training before
    _has_counts = True  # whether words have counts of their own
    _initial_seed: int | None = None  # the seed of the initial vectors
    _keeps_basis = False  # whether vectors stay in the basis of those that a user gave
    epochs: int
    alpha: float
    min_alpha: float

    @with_presets
    def __init__(
        self,
        sentences: Iterable[Sequence[str]] | None = None,
        corpus_file: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        vector_size: int = 100,
        alpha: float | None = None,
        window: int = 15,
        min_count: int = 5,
        max_vocab_size: int | None = None,
        sample: Any = None,
        seed: int | None = 1,
        workers: int = 3,
        min_alpha: float | None = None,
        sg: Any = None,
        hs: Any = None,
        negative: Any = None,
        ns_exponent: Any = None,
        cbow_mean: Any = None,
        hashfxn: Any = None,
        epochs: int = 10,
        null_word: Any = None,
        trim_rule: Any = None,
        sorted_vocab: int = 1,
        batch_words: Any = None,
        compute_loss: bool = True,
        callbacks: Iterable[Any] = (),
        comment: str | None = None,
        max_final_vocab: int | None = None,
        shrink_windows: Any = None,
        *,
        symmetric: bool = True,
        distance_weighting: bool | None = None,
        preset: str | None = None,
        tolerance: float | None = None,
        sharpness: float = SETTINGS.sharpness,
        whiten: bool | None = None,
        init: str = "shared",
        cluster: Any = None,
        memory: int | str | None = None,
        solver: str = "sampled",
        optimizer: str = "adagrad",
        bias: bool = True,
        uniform_negatives: bool = False,
        xi_period: int = 10,
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
        subwords: bool = False,
        warm_start: KeyedVectors | None = None,
        progress: bool = False,
        checkpoint: str | os.PathLike[str] | Checkpoints | None = None,
        **unknown: Any,
    ) -> None:
        arguments = locals()
        compatibility.check_names(unknown, arguments)
        self.objective = Objective(
            rank_loss, pair_loss, t, rank_scale, rank_offset, weighted, x_max, epsilon, discount, l2
        )
        self.method = Method(solver, optimizer, bias, uniform_negatives, xi_period)
        self.solver = Solver(self.method.solver)
        remedy = "'alpha' is the learning rate; the paper's alpha is 'rank_scale'."
        alpha = DEFAULT_ALPHA if alpha is None else alpha
        alpha = validation.number("alpha", alpha, remedy, positive=True, maximum=MAX_ALPHA)
        if min_alpha is None:
            min_alpha = alpha if self.method.has_constant_rate else min(alpha, DEFAULT_MIN_ALPHA)
        min_alpha = validation.number("min_alpha", min_alpha, maximum=MAX_ALPHA)
        self.sharpness = validation.number("sharpness", sharpness, positive=True)
        self.init, self.whiten, self.preset = validation.choice("init", Init, init), whiten, preset
        self.tolerance = tolerance if tolerance is None else validation.number("tolerance", tolerance)
        if tolerance is not None and alpha != min_alpha:
            remedy = "Give 'alpha' and the same 'min_alpha'."
            raise validation.parameter_error("tolerance", "omitted unless the rate is constant", tolerance, remedy)
        if distance_weighting is None:
            distance_weighting = shrink_windows is None or bool(shrink_windows)
        self.symmetric, self.distance_weighting = symmetric, distance_weighting
        self.memory, self.progress, self.cluster, self.subwords = memory, progress, cluster, subwords
        if cluster is not None:
            fitting.check_cluster(self)
        self.context_vectors: Vectors = np.empty((0, 0), np.float32)
        self.context_bias: Vectors = np.empty(0, np.float32)
        self.cooccurrence: Cooccurrence | None = None
        self.epochs_done = self._passes_done = 0
        self.training_losses: list[float] = []
        self._accumulators: Vectors = np.empty((2, 0), np.float32)  # of words and contexts
        self._counted: list[str] = []  # digests of the texts whose counts are in `cooccurrence`
        has_text = sentences is not None or corpus_file is not None
        super().__init__(
            vector_size=validation.positive_integer("vector_size", vector_size),
            alpha=alpha,
            min_alpha=min_alpha,
            window=validation.positive_integer("window", window),
            min_count=min_count,
            max_vocab_size=max_vocab_size,
            max_final_vocab=max_final_vocab,
            sorted_vocab=sorted_vocab,
            seed=validation.seed(seed),
            workers=threads.worker_count(workers),
            epochs=validation.positive_integer("epochs", epochs),
            comment=comment,
            compute_loss=compute_loss,
            sg=1,
            hs=0,
            negative=0,
            sample=0,
            # without a corpus the base class warns that these are not kept
            trim_rule=None if has_text else trim_rule,
            callbacks=() if has_text else callbacks,
        )
        ignored = {name: arguments[name] for name in compatibility.IGNORED}
        compatibility.log_ignored({name: value for name, value in ignored.items() if value is not None})
        if not has_text:
            if checkpoint is not None:
                logger.warning("'checkpoint' is ignored without a text: give it to train() instead")
            return
        self._check_corpus_sanity(sentences, corpus_file, passes=2)
        checkpoints = None if checkpoint is None else prepare_directory(checkpoint)
        with fitting.connect(self) as backend:
            if max_vocab_size is not None:  # gensim prunes the vocabulary while it reads, so the text is read twice
                self.build_vocab(sentences, corpus_file, trim_rule=trim_rule)
                text: Any = fitting.local_backend(self).read(sentences, corpus_file, self.wv.key_to_index)
            else:
                text = backend.read(sentences, corpus_file)
                self.build_vocab(text, trim_rule=trim_rule)
                text = text.reindex(self.wv.key_to_index)
            if warm_start is not None:
                self.warm_start(warm_start)
            counts = fitting.count(self, backend, text)
            del text, sentences  # free the word ids before training
            fitting.fit(self, backend, counts, callbacks, checkpoints)

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
        """Train on existing co-occurrence counts of words or other things, such as nodes of a graph or products.

        Parameters
        ----------
        matrix : Cooccurrence, SciPy sparse matrix, array, or str
            How often things occur together; rows and columns stand for the same things. A string is the directory or
            URL of saved counts. If it is a URL, each machine of a `cluster` reads some of the rows.
        words : sequence of str or int, optional
            The names of the things; a `Cooccurrence` has its own.
        counts : sequence of int, optional
            How often each occurs, by default the sum of its row. The vectors are sorted by it.
        trim_rule, warm_start, callbacks, checkpoint, **parameters
            As in the constructor, except that `min_count` is 1 by default. The default weights of pairs suit the counts
            of a large text; use ``weighted=False`` for matrices of small numbers. For graphs use :meth:`from_graph`.

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
        checkpoints = None if checkpoint is None else prepare_directory(checkpoint)
        with fitting.connect(model) as backend:
            pairs: Any
            if isinstance(matrix, (str, os.PathLike)):
                is_remote = model.cluster is not None and checksummed.is_url(matrix)
                pairs = backend.read_counts(matrix) if is_remote else Cooccurrence.load(matrix, mmap="r")
            else:
                pairs = matrix if isinstance(matrix, Cooccurrence) else Cooccurrence.from_matrix(matrix, words, counts)
            # gensim puts the later of equally frequent words first; in reverse order they stay as they are
            frequencies = dict(zip(pairs.words[::-1], pairs.counts[::-1].tolist(), strict=True))
            sums = np.maximum(pairs.summarize().word_sums, 1)
            model._has_counts = not np.allclose(pairs.counts, sums, rtol=0, atol=0.51)  # up to rounding
            model.build_vocab_from_freq(frequencies, trim_rule=trim_rule)
            if warm_start is not None:
                model.warm_start(warm_start)
            fitting.fit(model, backend, pairs.reindex(model.wv.index_to_key), callbacks, checkpoints)
        return model

    @classmethod
    def from_graph(
        cls, graph: Any, *, walk_length: int = 3, max_pairs: int = 10_000_000, **parameters: Any
    ) -> WordRank:
        """Train vectors of the nodes of a graph, as node2vec does, on the expected counts of random walks.

        The expected counts are computed from powers of the transition matrix. This takes a fraction of the time of
        Word2Vec on sampled walks.

        Parameters
        ----------
        graph : NetworkX graph, SciPy sparse matrix, array, or iterable of edges
            An adjacency matrix, whose nodes are numbers, or edges as (node, node) or (node, node, weight).
        walk_length : int
            The largest number of steps between two nodes that count as together; k steps count 1/k.
        max_pairs : int
            About how many pairs of nodes may be stored: the largest counts of each node are kept.
        **parameters
            As in :meth:`from_cooccurrence`.

        Examples
        --------
        >>> from gensim_wordrank import WordRank
        >>> edges = [("a", "b"), ("b", "c"), ("a", "c"), ("x", "y"), ("y", "z"), ("x", "z"), ("c", "x")]
        >>> model = WordRank.from_graph(edges, vector_size=4, epochs=50)
        >>> sorted(word for word, _ in model.wv.most_similar("a", topn=2))
        ['b', 'c']
        """
        return cls.from_cooccurrence(graphs.walk_counts(graph, walk_length, max_pairs), **parameters)

    @classmethod
    def from_baskets(cls, baskets: Iterable[Iterable[Any]], *, popularity: float = 0.3, **parameters: Any) -> WordRank:
        """Train vectors of items that occur in the same baskets, such as purchases or the films that a person has seen.

        All pairs of a basket count alike. ``model.wv.most_similar(items)`` recommends items for a basket.

        Parameters
        ----------
        baskets : iterable of iterables of items
            The order of the items does not matter.
        popularity : float
            How much popular items are preferred. The last number of each vector is `popularity` times the logarithm of
            the number of baskets that contain the item, relative to the length of the vector and to the other items.
            With 0, the neighbours of an item are those that are bought with the same other items.
        **parameters
            As in :meth:`from_cooccurrence`, except that `l2` is 0 by default. `checkpoint` and `subwords` cannot be
            used with `popularity`.

        Examples
        --------
        >>> from gensim_wordrank import WordRank
        >>> food = [["bread", "butter"], ["bread", "jam"], ["butter", "jam", "honey"]]
        >>> tools = [["nails", "hammer"], ["saw", "hammer", "nails"]]
        >>> model = WordRank.from_baskets(20 * (food + tools), vector_size=8, epochs=50, x_max=1)
        >>> model.wv.most_similar(["bread", "butter"], topn=1)[0][0]
        'jam'
        """
        popularity = validation.number("popularity", popularity)
        size = validation.positive_integer("vector_size", parameters.get("vector_size", 100))
        if popularity:
            if size == 1:
                raise validation.parameter_error("vector_size", "2 or more with 'popularity'", size)
            for name in ("checkpoint", "subwords"):
                if parameters.get(name):
                    raise validation.parameter_error(name, "omitted with 'popularity'", parameters[name])
            size -= 1
        counts = baskets_.basket_counts(baskets)
        model = cls.from_cooccurrence(counts, **{"l2": 0.0} | parameters | {"vector_size": size})
        if popularity:
            weights.append_popularity(model, popularity)
        return model

    @classmethod
    def resume(
        cls,
        directory: str | os.PathLike[str],
        *,
        workers: int | None = None,
        cluster: Any = None,
        progress: bool = False,
        callbacks: Iterable[Any] = (),
    ) -> Self:
        """Continue a run from its latest checkpoint; the result has the same bytes as that of an uninterrupted run.

        Parameters
        ----------
        directory : str or path
            The directory that was passed as `checkpoint`. Further checkpoints are written there.
        workers : int, optional
            Number of threads; by default that of the run.
        cluster, progress, callbacks
            As in the constructor; they are not stored in checkpoints.

        Examples
        --------
        >>> import tempfile
        >>> from gensim.test.utils import common_texts
        >>> from gensim_wordrank import WordRank
        >>> place = tempfile.mkdtemp()
        >>> class Stop:
        ...     def __getattr__(self, name):
        ...         return lambda model: name == "on_epoch_end" and model.epochs_done == 3
        >>> model = WordRank(common_texts, vector_size=4, min_count=1, callbacks=[Stop()], checkpoint=place)
        >>> model.epochs_done, WordRank.resume(place).epochs_done
        (3, 10)
        """
        with Run.open(directory) as run:
            options = {"progress": progress, "cluster": cluster} | ({} if workers is None else {"workers": workers})
            model: Self = persistence.new_model(cls, run, **options)
            counts = persistence.restore(model, run)
            with fitting.connect(model) as backend:
                weights.require_memory(model, counts.nnz if cluster is None else 0)
                fitting.run_epochs(model, backend, counts, counts.summarize(), callbacks, run)
        return model

    # ---- vocabulary and initial vectors

    def _check_corpus_sanity(self, corpus_iterable: Any = None, corpus_file: Any = None, passes: int = 1) -> None:
        if isinstance(corpus_iterable, corpus.VocabCounts):  # it was read before
            return
        corpus.validate_source(corpus_iterable, corpus_file, passes)
        if corpus_file is None and hasattr(corpus_iterable, "get_texts"):  # it need not be iterable
            return
        is_missing = isinstance(corpus_file, (str, os.PathLike)) and not (
            checksummed.is_url(corpus_file) or Path(corpus_file).is_file()
        )
        if corpus_iterable is None and corpus_file is not None and not is_missing:
            return  # gensim knows only one uncompressed file
        super()._check_corpus_sanity(corpus_iterable, corpus_file, passes=passes)

    def _scan_vocab(self, sentences: Any, progress_per: int, trim_rule: Any) -> Any:
        return super()._scan_vocab(corpus.validate_sentences(sentences), progress_per, trim_rule)

    def scan_vocab(
        self,
        corpus_iterable: Any = None,
        corpus_file: Any = None,
        progress_per: int = 10000,
        workers: int | None = None,
        trim_rule: Any = None,
    ) -> tuple[int, int]:
        """Count the words of a corpus, as Word2Vec does; return the numbers of words and sentences."""
        if self.max_vocab_size is not None:  # gensim prunes the vocabulary while it reads
            if isinstance(corpus_file, (list, tuple)):
                corpus_iterable, corpus_file = fitting.local_backend(self).read(None, corpus_file), None
            result: tuple[int, int] = super().scan_vocab(corpus_iterable, corpus_file, progress_per, workers, trim_rule)
            return result
        was_read = isinstance(corpus_iterable, corpus.VocabCounts)
        found = corpus_iterable if was_read else fitting.local_backend(self).read(corpus_iterable, corpus_file)
        self.raw_vocab = defaultdict(int, zip(found.words, found.counts.tolist(), strict=True))
        logger.info(
            "collected %i word types from a corpus of %i raw words and %i sentences",
            len(found.words), found.n_tokens, found.n_sentences,
        )  # fmt: skip
        return found.n_tokens, found.n_sentences

    def prepare_weights(self, update: bool = False) -> None:
        """Allocate the vectors of the vocabulary; refuse an empty vocabulary."""
        if not len(self.wv.index_to_key):
            limit = (
                f", or more words than 'max_final_vocab' ({self.max_final_vocab}) tie" if self.max_final_vocab else ""
            )
            kept = f"none occurs 'min_count' ({self.min_count}) times{limit}, or a rule discards them all"
            raise RuntimeError(
                f"No word of the corpus is left in the vocabulary: {kept}. Change this, or give more text."
                if self.corpus_total_words
                else f"The corpus holds no words. If words were given with counts: {kept}."
            )
        if self.subwords and not all(isinstance(word, str) for word in self.wv.index_to_key):
            raise validation.parameter_error("subwords", "False if words are not strings", self.subwords)
        super().prepare_weights(update=update)

    def init_weights(self) -> None:
        """Initialize the vectors of all words and contexts."""
        weights.initialize(self)
        self.cooccurrence, self._counted, self.epochs_done, self._passes_done = None, [], 0, 0
        self.training_losses, self.subword_table = [], None

    def update_weights(self) -> None:
        """Initialize the vectors of new words and contexts, and keep the others."""
        self._require_contexts()
        weights.undo_subwords(self)
        if not len(self.wv.vectors):
            raise RuntimeError("There is no vocabulary to update. Call build_vocab() without update=True first.")
        weights.extend(self)

    def warm_start(self, words: KeyedVectors, contexts: KeyedVectors | None = None) -> int:
        """Copy the vectors that `words` has for words of the vocabulary, and those that `contexts` has for contexts.

        Call it between :meth:`build_vocab` and :meth:`train`, or pass `warm_start` to the constructor.

        Returns
        -------
        int
            Number of words in the vocabulary that got a vector of `words`.

        Examples
        --------
        >>> from gensim.test.utils import common_texts
        >>> from gensim_wordrank import WordRank
        >>> first = WordRank(common_texts, vector_size=20, min_count=1, epochs=5)
        >>> second = WordRank(vector_size=20, min_count=1)
        >>> second.build_vocab(common_texts)
        >>> second.warm_start(first.vectors("word"), first.vectors("context"))
        12
        """
        known = self.wv.index_to_key
        weights.undo_subwords(self)
        new_words, n_known = keyedvectors.overwrite_known(words, known, self.wv.vectors)
        if contexts is not None:
            self.context_vectors, _ = keyedvectors.overwrite_known(contexts, known, self.context_vectors)
        self.wv.vectors, self.wv.norms = new_words, None
        return n_known

    def reset_from(self, other_model: Word2Vec) -> None:
        """Copy the vocabulary of another WordRank or gensim model, and initialize all vectors."""
        self.wv = keyedvectors.keyed_like(other_model.wv, np.empty((0, self.vector_size), np.float32))
        self.corpus_count = other_model.corpus_count
        self.corpus_total_words = other_model.corpus_total_words
        self.effective_min_count = getattr(other_model, "effective_min_count", other_model.min_count)
        self.init_weights()

    # ---- memory

    def estimate_memory(self, vocab_size: int | None = None, report: dict[str, int] | None = None) -> dict[str, int]:
        """Estimate the peak memory of training in bytes: one entry per part, and "total".

        If the model is not trained yet, the number of pairs is estimated from the counts of its words. For another
        `vocab_size`, counts that follow Zipf's law are assumed.

        Examples
        --------
        >>> from gensim_wordrank import WordRank
        >>> sorted(WordRank(vector_size=100).estimate_memory(vocab_size=100_000))
        ['context_vectors', 'cooccurrence', 'total', 'vectors', 'vocab', 'workspace']
        """
        n_words = vocab_size or len(self.wv)
        is_known = n_words == len(self.wv) and "count" in self.wv.expandos
        counts = self.wv.expandos["count"] if is_known else memory_estimate.zipf_counts(n_words, self.min_count)
        if self.cooccurrence is not None and self.cooccurrence.shape[0] == n_words:
            n_pairs = self.cooccurrence.nnz
        else:
            length = self.corpus_total_words / self.corpus_count if self.corpus_count else np.inf
            n_pairs = memory_estimate.expected_pairs(counts, length, self.window, self.symmetric)
        n_tokens = int(np.sum(counts))
        parts = memory_estimate.training_memory(n_words, n_pairs, n_tokens, self.vector_size, self.solver, self.workers)
        result = {**(report or {}), **parts}
        result["total"] = sum(result.values())
        megabytes = result["total"] / 1e6
        logger.info("estimated required memory for %i words and %i pairs: %.1f MB", n_words, n_pairs, megabytes)
        return result

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
        """Count the co-occurrences of a corpus and train on them.

        Parameters
        ----------
        corpus_iterable, corpus_file
            The text, read once. Its counts are added to those of the model. A text that the model has counted before is
            recognized, whatever the order of its sentences, and not added again. If the vocabulary has grown since, it
            is added again, and a warning is logged.
        total_examples, total_words : int
            One of them is required, as in Word2Vec.
        epochs : int
            Number of epochs; the usual value is ``model.epochs``.
        start_alpha, end_alpha : float, optional
            Replace `alpha` and `min_alpha`; a constant rate stays constant if only `start_alpha` is given.
        callbacks, checkpoint
            As in the constructor.
        word_count, queue_factor, report_delay, compute_loss
            Accepted for compatibility with Word2Vec.

        Returns
        -------
        (int, int)
            Number of known words and of all words in the corpus, times the epochs run.

        Examples
        --------
        >>> from gensim.test.utils import common_texts
        >>> from gensim_wordrank import WordRank
        >>> model = WordRank(vector_size=20, min_count=1)
        >>> model.build_vocab(common_texts)
        >>> model.train(common_texts, total_examples=model.corpus_count, epochs=10)
        (290, 290)
        """
        # Word2Vec ignores all others, and subclasses rely on it
        compatibility.check_names(kwargs, TRAIN_PARAMETERS, "WordRank.train", strict=False)
        if start_alpha is not None:
            falls = self.min_alpha < self.alpha
            self.alpha = validation.number("start_alpha", start_alpha, positive=True, maximum=MAX_ALPHA)
            self.min_alpha = min(self.min_alpha, self.alpha) if falls else self.alpha
        if end_alpha is not None:
            self.min_alpha = validation.number("end_alpha", end_alpha, maximum=MAX_ALPHA)
        self._check_training_sanity(epochs, total_examples, total_words)
        assert epochs is not None  # otherwise the check has failed
        self._check_corpus_sanity(corpus_iterable, corpus_file, passes=1)
        epochs = fitting.limit_epochs(self, corpus_iterable, int(epochs))
        if corpus_iterable is not None and type(self)._do_train_job is not WordRank._do_train_job:
            corpus_iterable = fitting.sentences_of_jobs(self, corpus_iterable)
        self.epochs, local = epochs, fitting.local_backend(self)
        checkpoints = None if checkpoint is None else prepare_directory(checkpoint)
        # first: a text must not be marked as counted if the cluster cannot be reached
        with fitting.connect(self) as backend:
            text = local.read(corpus_iterable, corpus_file, self.wv.key_to_index)
            known_words, raw_words = int(text.counts.sum()), text.n_tokens
            counts = fitting.count(self, local, text)
            del text  # free the word ids before training
            done = fitting.fit(self, backend, counts, callbacks, checkpoints)
        return known_words * done, raw_words * done

    def _do_train_job(self, sentences: Iterable[Any], alpha: float, inits: Any) -> tuple[int, int]:
        """Take the sentences of a job; nothing is trained before all are counted."""
        self._jobs.extend(sentences)
        return 0, 0

    def _check_training_sanity(
        self, epochs: int | None = 0, total_examples: int | None = None, total_words: int | None = None, **kwargs: Any
    ) -> None:
        if not self.wv.key_to_index or not len(self.wv.vectors):
            raise RuntimeError("There is no vocabulary to train. Call build_vocab() first.")
        if total_words is None and total_examples is None:
            raise ValueError("Give 'total_examples' or 'total_words', as in total_examples=model.corpus_count.")
        validation.positive_integer("epochs", epochs, "The usual value is epochs=model.epochs.")
        self._require_contexts()
        shape, of_contexts = self.wv.vectors.shape, self.context_vectors.shape
        if len(self.wv.index_to_key) != len(self.wv.vectors) or shape != of_contexts:
            raise RuntimeError(
                f"'wv' has {shape[0]} vectors of size {shape[1]}, and there are {of_contexts[0]} context vectors of "
                f"size {of_contexts[1]}: it was replaced or words were added to it. Use build_vocab() for words and "
                "warm_start() for vectors."
            )
        # vectors that a user put in place may lack these
        self.wv.vectors = self.wv.vectors.astype(np.float32, copy=False)
        self.context_vectors = self.context_vectors.astype(np.float32, copy=False)
        self.wv.vectors_lockf = getattr(self.wv, "vectors_lockf", np.ones(1, np.float32))
        if self._last_alpha is not None and self.alpha > self._last_alpha:
            logger.warning("Effective 'alpha' higher than previous training cycles")

    # ---- results

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in self._facts().items())})"

    def _repr_html_(self) -> str:
        rows = [[name, value] for name, value in self._facts().items()]
        rows += [[name, str(value)] for name, value in (("solver", self.solver.value), ("window", self.window))]
        rows.append(["loss of each epoch", display.curve(self.training_losses)])
        return display.html_table([], rows, type(self).__name__)

    def _facts(self) -> dict[str, str]:
        """Return what is most important to know of the model, by name."""
        facts = {"words": len(self.wv), "dimensions": int(self.vector_size), "epochs": self.epochs_done}
        if self.cooccurrence is not None:
            facts["pairs"] = self.cooccurrence.nnz
        shown = {name: f"{value:,}" for name, value in facts.items()}
        return shown | ({"loss": f"{self.training_losses[-1]:.6g}"} if self.training_losses else {})

    def vector(self, word: str) -> Vectors:
        """Return the vector of a word. With `subwords`, vectors of unknown words are predicted from their n-grams.

        Examples
        --------
        >>> from gensim.test.utils import datapath
        >>> from gensim_wordrank import WordRank
        >>> model = WordRank(corpus_file=datapath("lee_background.cor"), subwords=True, epochs=2)
        >>> "governmentally" in model.wv, model.vector("governmentally").shape
        (False, (100,))
        """
        if word in self.wv.key_to_index:
            known: Vectors = self.wv.get_vector(word)
            return known
        if self.subword_table is None:
            raise KeyError(f"{word!r} is not in the vocabulary. Models trained with subwords=True know such words.")
        vectors, is_known = self.subword_table.predict([word])
        if not is_known[0]:
            raise KeyError(f"{word!r} is not in the vocabulary, and none of its n-grams is known.")
        predicted: Vectors = vectors[0]
        return predicted

    def most_similar(
        self, positive: str | Sequence[Any] = (), negative: str | Sequence[Any] = (), topn: int = 10, **options: Any
    ) -> list[tuple[str, float]]:
        """Return the nearest words, as ``model.wv.most_similar`` does, but accept unknown words if `subwords` is True.

        Examples
        --------
        >>> from gensim.test.utils import datapath
        >>> from gensim_wordrank import WordRank
        >>> model = WordRank(corpus_file=datapath("lee_background.cor"), subwords=True)
        >>> [word for word, _ in model.most_similar("firefighting", topn=1)]
        ['firefighters']
        """

        def resolve(keys: str | Sequence[Any]) -> list[Any]:
            keys = [keys] if isinstance(keys, str) else list(keys)
            return [self.vector(key) if isinstance(key, str) and key not in self.wv else key for key in keys]

        found: list[tuple[str, float]] = self.wv.most_similar(resolve(positive), resolve(negative), topn, **options)
        return found

    def explain(
        self,
        one: Any,
        other: Any,
        topn: int = 10,
        sentences: Iterable[Sequence[str]] | None = None,
        corpus_file: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    ) -> Explanation:
        """Return the contexts that make two words near, and how much each adds to their cosine.

        Parameters
        ----------
        one, other : str
            Words of the vocabulary.
        topn : int
            Number of contexts.
        sentences, corpus_file
            A text in which to look for example lines.

        Examples
        --------
        >>> from gensim.test.utils import datapath
        >>> from gensim_wordrank import WordRank
        >>> model = WordRank(corpus_file=datapath("lee_background.cor"))
        >>> found = model.explain("Osama", "Laden")
        >>> found.contexts[0].context, found.n_shared
        ('bin', 206)
        """
        found = Explainer(self).explain(one, other, validation.positive_integer("topn", topn))
        if sentences is None and corpus_file is None:
            return found
        self._check_corpus_sanity(sentences, corpus_file, passes=1)
        text = fitting.local_backend(self).read(sentences, corpus_file, self.wv.key_to_index)
        return with_lines(found, text, self.window, self.symmetric)

    def stability(
        self,
        sentences: Iterable[Sequence[str]] | None = None,
        corpus_file: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        resamples: int = 10,
    ) -> Stability:
        """Train models on resampled texts, to see which neighbours do not depend on the sample.

        The text is read once and cut into 100 blocks of consecutive sentences. For each resample, 100 blocks are drawn
        with replacement and counted, and a model is trained on the counts for half as many epochs. This takes about
        half the time of `resamples` trainings; `workers` of them run at a time.

        Parameters
        ----------
        sentences, corpus_file
            The text that the model was trained on.
        resamples : int
            Number of resamples. With fewer than ten, intervals are wider.

        Examples
        --------
        >>> from gensim.test.utils import datapath
        >>> from gensim_wordrank import WordRank
        >>> text = datapath("lee_background.cor")
        >>> model = WordRank(corpus_file=text, vector_size=50)
        >>> model.stability(corpus_file=text, resamples=5).is_trusted("Laden")
        True
        """
        self._require_contexts(trained=True)
        self._check_corpus_sanity(sentences, corpus_file, passes=1)
        text = fitting.local_backend(self).read(sentences, corpus_file, self.wv.key_to_index)
        return Stability.of(self, text, resamples)

    def with_words(self, words: Iterable[str]) -> KeyedVectors:
        """Return a copy of `wv` that also has those of the given unknown words that have a known n-gram.

        Examples
        --------
        >>> from gensim.test.utils import datapath
        >>> from gensim_wordrank import WordRank
        >>> model = WordRank(corpus_file=datapath("lee_background.cor"), subwords=True, epochs=2)
        >>> len(model.with_words(["government", "governmentally"])) - len(model.wv)
        1
        """
        if self.subword_table is None:
            raise RuntimeError(NO_SUBWORDS)
        result = keyedvectors.keyed_like(self.wv, self.wv.vectors)
        unknown = [word for word in dict.fromkeys(words) if word not in self.wv.key_to_index]
        vectors, is_known = self.subword_table.predict(unknown)
        if is_known.any():
            result.add_vectors([unknown[i] for i in np.flatnonzero(is_known)], vectors[is_known])
        return result

    def to_fasttext_keyedvectors(self, bucket: int | None = None) -> FastTextKeyedVectors:
        """Return gensim's FastText vectors, which handle unknown words and load where this package is not installed.

        Known words have the vectors of `wv`. n-grams share `bucket` rows (default: four per n-gram, and at least
        50,000), so the vectors of unknown words differ a little from those of :meth:`vector`.
        :mod:`gensim_wordrank.subwords.formats` writes files for fastText and spaCy.

        Examples
        --------
        >>> from gensim.test.utils import datapath
        >>> from gensim_wordrank import WordRank
        >>> model = WordRank(corpus_file=datapath("lee_background.cor"), subwords=True, epochs=2)
        >>> model.to_fasttext_keyedvectors()["governmentally"].shape
        (100,)
        """
        if self.subword_table is None:
            raise RuntimeError(NO_SUBWORDS)
        return formats.to_fasttext_keyedvectors(self.wv, self.subword_table, bucket)

    def vectors(self, which: str = "word", style: str = "raw") -> KeyedVectors:
        """Return u, v or u + v as new KeyedVectors.

        Parameters
        ----------
        which : {"word", "context", "sum"}
            "word" is u, as in ``model.wv``, and best for similarity; "context" is v; "sum" is u + v, and best for
            analogies. With `subwords`, n-grams improve u, and u + v unless the style is "scaled".
        style : {"raw", "centred", "scaled"}
            Unchanged, minus their mean, or scaled as in the evaluation of the paper's authors.

        Examples
        --------
        >>> from gensim.test.utils import common_texts
        >>> from gensim_wordrank import WordRank
        >>> model = WordRank(common_texts, vector_size=20, min_count=1)
        >>> sums = model.vectors("sum", "centred")
        >>> sums.vectors.shape, bool(abs(sums.vectors.mean(axis=0)).max() < 1e-6)
        ((12, 20), True)
        """
        is_word = validation.choice("which", keyedvectors.Which, which) is keyedvectors.Which.WORD
        if not is_word:
            self._require_contexts(trained=True)
        words = self.wv.vectors if is_word else weights.trained_words(self)
        result = keyedvectors.combine(words, self.context_vectors, which, style)
        if which == "sum" and style != "scaled" and self.subword_table is not None:
            improve_sums(self.wv.index_to_key, weights.frequencies(self), result, self.workers)
        return keyedvectors.keyed_like(self.wv, result)

    def exact_loss(self) -> float:
        """Return the exact objective J on the model's co-occurrences, with the L2 term.

        The loss of an epoch, by contrast, is an estimate without the L2 term. The computation takes about as long as a
        few epochs, and the time grows with the square of the vocabulary size. The L2 term is that of the current
        vectors, a little more than in the basis in which they were trained.

        Examples
        --------
        >>> from gensim.test.utils import common_texts
        >>> from gensim_wordrank import WordRank
        >>> model = WordRank(common_texts, vector_size=20, min_count=1, epochs=5)
        >>> abs(model.exact_loss() / model.get_latest_training_loss() - 1) < 0.1
        True
        """
        self._require_contexts()
        if self.cooccurrence is None or not self.train_count:
            raise RuntimeError(
                "The loss is not known: the model was not trained, or its 'cooccurrence' was removed or not saved. "
                "save(..., cooccurrence=True) keeps it."
            )
        if self.cooccurrence.n_contexts != len(self.wv):
            raise RuntimeError(
                "The loss is not known: the vocabulary has words that were not trained yet. Train first."
            )
        state = weights.state_of(self)
        # Algorithm 1 has no bias, and L2 leaves the bias alone
        parameters = state.with_bias() if self.method.has_bias else (state.words, state.contexts)
        of_ranks = replace(self.objective, l2=0.0).value(*parameters, self.cooccurrence, self.workers)
        return of_ranks + self.objective.penalty(state.words, state.contexts, self.cooccurrence)

    @property
    def syn1neg(self) -> Vectors:
        """Word2Vec's name for `context_vectors`."""
        return self.context_vectors

    @syn1neg.setter
    def syn1neg(self, values: Vectors) -> None:
        self.context_vectors = values

    @property
    def has_contexts(self) -> bool:
        """Whether every word has a context vector; a model may have been saved without them."""
        is_whole = self.context_vectors is not None and self.context_bias is not None
        return is_whole and len(self.wv) == len(self.context_vectors) > 0

    def _require_contexts(self, trained: bool = False) -> None:
        """Refuse a model that was saved without context vectors or, with `trained`, has none for its words."""
        if (trained or self.context_vectors is None or self.context_bias is None) and not self.has_contexts:
            raise RuntimeError("There are no context vectors of these words. Train the model, or load a whole one.")

    def predict_output_word(
        self, context_words_list: Iterable[str | int], topn: int = 10, predict_unknown: bool = False
    ) -> list[tuple[str, float]] | None:
        """Return the words that are most likely near the given ones, with their probabilities.

        Contexts are ranked by their scores <u, v> + b, averaged over the given words; probabilities are the softmax.

        Parameters
        ----------
        context_words_list : iterable of str or int
            Words or their indices (if words are numbers, words only); unknown words are ignored. If all are unknown the
            result is None, as in Word2Vec.
        topn : int
            How many words to return.
        predict_unknown : bool
            Use the vectors that n-grams predict for unknown words instead of ignoring them; needs `subwords`.

        Examples
        --------
        >>> from gensim.test.utils import common_texts
        >>> from gensim_wordrank import WordRank
        >>> model = WordRank(common_texts, vector_size=20, min_count=1, epochs=100, x_max=1)
        >>> sorted(word for word, _ in model.predict_output_word(["graph"], topn=3))
        ['graph', 'minors', 'trees']
        """
        self._require_contexts(trained=True)
        asked = list(context_words_list)
        given = weights.trained_words(self)[keyedvectors.known_indices(self.wv, asked)]
        if predict_unknown:
            extended = self.with_words(str(word) for word in asked if word not in self.wv)
            given = np.vstack([given, extended.vectors[len(self.wv) :]])
        if not len(given):
            logger.warning("All the input context words are out-of-vocabulary for the current model.")
            return None
        bias = self.context_bias if self.method.has_bias else np.empty(0, np.float32)
        word = given.mean(axis=0)
        found = keyedvectors.likely_contexts(word, self.context_vectors, bias, topn)
        return [(self.wv.index_to_key[i], probability) for i, probability in found]

    def score(self, *args: Any, **kwargs: Any) -> None:
        """Raise NotImplementedError: only hierarchical softmax gives sentences a likelihood."""
        raise NotImplementedError(
            "WordRank gives sentences no likelihood. Compare them through model.wv.n_similarity or wmdistance, or "
            "words in a context through predict_output_word."
        )

    # ---- files

    def __getstate__(self) -> dict[str, Any]:
        # older versions of NumPy cannot read the random state, which Word2Vec stores but WordRank does not use
        return {name: value for name, value in self.__dict__.items() if name not in ("cluster", "random")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        passes = {"_passes_done": state.get("epochs_done", 0)}  # of models of older versions
        self.__dict__.update(passes | state, random=np.random.RandomState(state["seed"]))

    def save(
        self,
        fname: str | os.PathLike[str] | IO[bytes],
        *,
        format: str = "gensim",
        cooccurrence: bool = False,
        **kwargs: Any,
    ) -> None:
        """Save the whole model; an existing model is replaced only by a complete new one.

        Parameters
        ----------
        fname : str, path or open file
            The file. An open file, or a URL that smart_open can write, is written to directly.
        format : {"gensim", "safetensors"}
            gensim's format is a pickle, with large arrays in files beside it. Their names have a random part, so that
            no model is loaded with the arrays of another. "safetensors" is one file without pickle. It is safe to load
            even if you do not trust its author, and can be memory-mapped. It does not contain attributes that you added
            to the model.
        cooccurrence : bool
            Also save the co-occurrences, which may take several times the space of the vectors. Without them, training
            the loaded model on more text uses only that text, as in Word2Vec.
        **kwargs
            Options of gensim's `save`: `separately`, `sep_limit`, `ignore`, `pickle_protocol`.

        Examples
        --------
        >>> import tempfile
        >>> from gensim.test.utils import common_texts
        >>> from gensim_wordrank import WordRank
        >>> path = tempfile.mkdtemp() + "/toy.safetensors"
        >>> WordRank(common_texts, vector_size=10, min_count=1, epochs=5).save(path, format="safetensors")
        >>> WordRank.load(path, mmap="r").wv["computer"].shape
        (10,)
        """
        if validation.choice("format", Format, format) is Format.SAFETENSORS:
            if kwargs:
                raise TypeError(f"The format 'safetensors' has no parameter {next(iter(kwargs))!r}. Omit it.")
            tensor_files.save(self, fname, cooccurrence)
        else:
            persistence.save(self, fname, cooccurrence, **kwargs)

    # not those of Word2Vec, which find themselves through its name: programs may bind that to WordRank

    def _save_specials(self, fname: str, *arguments: Any) -> Any:
        return persistence.save_arrays(self, partial(SaveLoad._save_specials, self), fname, *arguments)

    def _load_specials(self, fname: str, *arguments: Any) -> None:
        persistence.load_arrays(self, partial(SaveLoad._load_specials, self), fname, *arguments)

    @classmethod
    def load(cls, fname: str | os.PathLike[str], mmap: str | None = None) -> Self:
        """Load a model that :meth:`save` wrote. gensim's format is a pickle: load such files only if you trust them."""
        model: Self
        if isinstance(fname, (str, os.PathLike)) and tensor_files.is_tensor_file(fname):
            model = tensor_files.load(cls, fname, mmap)
        else:
            model = persistence.load(cls, super(Word2Vec, cls).load, fname, mmap)
        return model


TRAIN_PARAMETERS = tuple(signature(WordRank.train).parameters)
