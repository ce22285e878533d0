"""How a model is trained between gensim's hooks: connect to the backend, count the text, run the epochs."""

from __future__ import annotations

import itertools
import logging
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from time import perf_counter
from typing import Any

from tqdm.auto import tqdm

from gensim_wordrank import callbacks as listeners_
from gensim_wordrank import persistence, weights
from gensim_wordrank._utils import memory, validation
from gensim_wordrank.cooccurrence.csr import CountSummary
from gensim_wordrank.cooccurrence.matrix import Cooccurrence
from gensim_wordrank.text import corpus
from gensim_wordrank.training import memory_estimate
from gensim_wordrank.training.backend import Counts, LocalBackend, StoppedError
from gensim_wordrank.training.checkpoints import Checkpoints, CheckpointWriter, Run
from gensim_wordrank.training.schedule import Schedule
from gensim_wordrank.training.state import State
from gensim_wordrank.training.trainer import Convergence, Listener, Progress, Trainer
from gensim_wordrank.types import Solver

logger = logging.getLogger(__name__)

# An iterator with more epochs than this comes from a program for Word2Vec, which reads an iterator in the first epoch
# only: thousands of epochs cost it nothing.
MAX_ITERATOR_EPOCHS = 100
# for subclasses that change sentences in `_do_train_job`
SENTENCES_PER_JOB = 100


def check_cluster(model: Any) -> None:
    """Refuse a cluster that cannot be used, before hours are spent on counting."""
    from gensim_wordrank.cluster.backend import check_cluster  # its libraries are an optional dependency

    check_cluster(model.cluster)
    if model.solver is Solver.TRIPLET:
        raise validation.parameter_error(
            "solver", "'sampled' or 'stored' with a 'cluster'", model.solver.value, "Algorithm 1 has one thread."
        )


def local_backend(model: Any) -> LocalBackend:
    """Return the backend of this machine."""
    return LocalBackend(model.workers, model.memory, model.progress)


@contextmanager
def connect(model: Any) -> Iterator[Any]:
    """Yield the backend: the cluster, if there is one, or this machine."""
    if model.cluster is None:
        yield local_backend(model)
        return
    from gensim_wordrank.cluster.backend import connect  # its libraries are an optional dependency

    with connect(model.cluster, local_backend(model)) as backend:
        yield backend


def limit_epochs(model: Any, sentences: Any, epochs: int) -> int:
    """Return the number of epochs: fewer for an iterator that Word2Vec would read only once."""
    if not isinstance(sentences, Iterator) or epochs <= MAX_ITERATOR_EPOCHS:
        return epochs
    limited: int = min(model.epochs, MAX_ITERATOR_EPOCHS)
    logger.warning(
        "the text is a %s, which Word2Vec would read in the first of %i epochs only. Training for %i epochs: "
        "the 'epochs' of the model, at most %i. For more, pass a list",
        type(sentences).__name__, epochs, limited, MAX_ITERATOR_EPOCHS,
    )  # fmt: skip
    return limited


def sentences_of_jobs(model: Any, sentences: Iterable[Any]) -> Iterator[Any]:
    """Yield the sentences that a subclass passes on from its `_do_train_job`, such as walks from nodes."""
    remaining = iter(sentences)
    while job := list(itertools.islice(remaining, SENTENCES_PER_JOB)):
        model._jobs = []
        model._do_train_job(job, model.alpha, None)
        yield from model._jobs


def count(model: Any, backend: Any, text: Any) -> Any:
    """Count a text, and add it to the model's counts unless these include it."""
    digest = text.digest()
    if model.cooccurrence is None:
        model._counted = []
        if model.train_count:
            logger.info(
                "training on this text alone: the model does not hold the co-occurrences of earlier texts. "
                "save(..., cooccurrence=True) keeps them"
            )
    counts: Any = None if model.cooccurrence is None else model.cooccurrence.reindex(model.wv.index_to_key)
    if not any(corpus.is_same_text(digest, known) for known in model._counted):
        if any(corpus.may_be_same_text(digest, known) for known in model._counted):
            logger.warning(
                "the text may have been counted before, with words in another order or with a smaller vocabulary: "
                "it is counted again. To train on the same text again, keep the order of the words in its "
                "sentences, and add words after that"
            )
        # training needs this much later; the pairs that the triplet solver stores are not known yet
        reserve = memory_estimate.epoch_memory(len(model.wv), 0, model.vector_size, model.solver, model.workers)
        new = backend.count(text, model.window, model.symmetric, model.distance_weighting, reserve)
        counts = counts + new if counts is not None and counts.nnz else new
        model._counted.append(digest)
    return counts


def fit(model: Any, backend: Any, counts: Any, callbacks: Iterable[Any], checkpoints: Checkpoints | None) -> int:
    """Train on counts for up to `model.epochs`; return how many epochs were run."""
    model.seed = validation.seed(model.seed)  # a subclass may have set None
    weights.undo_subwords(model)
    if not counts.nnz:
        logger.warning("no two words of the vocabulary co-occur: the vectors stay as they are")
    model.cooccurrence = counts if isinstance(counts, Cooccurrence) else None
    weights.require_memory(model, counts.nnz if model.cluster is None else 0)  # other machines of a cluster hold pairs
    summary = counts.summarize()
    weights.begin(model, summary)
    start: Any = nullcontext()
    if checkpoints:
        start = Run.begin(checkpoints, counts, weights.state_of(model), persistence.describe(model))
    with start as run:
        return run_epochs(model, backend, counts, summary, callbacks, run)


def run_epochs(
    model: Any, backend: Any, counts: Counts, summary: CountSummary, callbacks: Iterable[Any], run: Run | None
) -> int:
    """Run the remaining epochs; return how many that were."""
    memory.require_available(memory.BLAS_BYTES, None, "Allow more memory.")  # for the basis, after the last epoch
    if model.cluster is not None and weights.has_locks(model):
        raise ValueError("'wv.vectors_lockf' locks vectors only without a 'cluster'. Train on one machine.")
    started, first, callbacks = perf_counter(), model.epochs_done, tuple(callbacks)
    model.add_lifecycle_event(
        "train",
        msg=f"training with {model.workers} workers on {len(model.wv)} words, {counts.nnz} pairs and "
        f"{model.vector_size} features, using {model.objective}",
    )
    for callback in callbacks:
        callback.on_train_begin(model)
    _train(model, backend, counts, summary, callbacks, run)
    if model.subwords:
        weights.apply_subwords(model)
    model.train_count += 1
    model._last_alpha, model.min_alpha_yet_reached = model.alpha, model.min_alpha
    done: int = model.epochs_done - first
    model.add_lifecycle_event("train", msg=f"{done} epochs took {perf_counter() - started:.1f} s")
    for callback in callbacks:
        callback.on_train_end(model)
    return done


def _train(
    model: Any, backend: Any, counts: Counts, summary: CountSummary, callbacks: tuple[Any, ...], run: Run | None
) -> None:
    """Let the trainer run the remaining epochs, and leave a whole model also if it is interrupted."""
    started = perf_counter()
    schedule = Schedule(model.epochs, model.alpha, model.min_alpha, model.sharpness)
    done = model._passes_done - run.start.epoch if run is not None else 0
    updater = listeners_.ModelUpdater(model, model.epochs_done, model._passes_done, schedule.passes)
    convergence = _convergence(model, done)
    if convergence is not None and convergence.is_reached():  # before the run was resumed
        done = model.epochs
    bar = tqdm(
        total=schedule.n_passes * counts.nnz, initial=done * counts.nnz, unit="pair", unit_scale=True,
        disable=not model.progress,
    )  # fmt: skip
    listeners: list[Listener] = [updater]
    if run is not None:
        listeners.append(CheckpointWriter(run, lambda: _snapshot(model)))
    listeners.append(Progress(model.epochs, schedule.passes, done, counts.nnz, bar))
    if callbacks:
        listeners.append(listeners_.GensimCallbacks(model, callbacks))
    if convergence is not None:
        listeners.append(convergence)
    trainer = Trainer(model.objective, schedule, backend, model.seed, model.method)
    try:
        with bar:
            # a loop's variable would keep the vectors of the last epoch
            deque(trainer.run(weights.state_of(model), counts, summary, listeners, done), maxlen=0)
    except StoppedError as error:
        updater.take(error.state)
        error.model = model
        raise
    finally:  # also if it was interrupted
        updater.finish()
        model.total_train_time += perf_counter() - started
        del model.training_losses[model.epochs_done :]  # of epochs whose vectors a cluster has not returned
        if run is not None:
            run.save_checkpoint(*_snapshot(model))
        model._xi = model._xi[:0].copy()  # the next training begins with new ones
        if weights.is_basis_changed(model):
            weights.change_basis(model)


def _convergence(model: Any, done: int) -> Convergence | None:
    """Return the listener that stops training when the loss hardly falls; it knows the losses of a resumed run."""
    if model.tolerance is None:
        return None
    period = model.method.xi_period if model.method.stores_xi else 1
    return Convergence(model.tolerance, period, model.training_losses[model.epochs_done - done :])


def _snapshot(model: Any) -> tuple[State, Mapping[str, Any]]:
    """Return what a checkpoint stores."""
    return weights.state_of(model), persistence.progress_of(model)
