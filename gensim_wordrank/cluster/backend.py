"""A backend that reads, counts and trains on the machines of a Dask cluster, with the same vectors, byte for byte."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank._utils import checksummed, memory, validation
from gensim_wordrank.cluster.hosts import Hosts
from gensim_wordrank.cooccurrence import counting, csr
from gensim_wordrank.cooccurrence.csr import SAMPLE_SIZE, CountSummary
from gensim_wordrank.cooccurrence.matrix import FORMAT, Cooccurrence
from gensim_wordrank.text import corpus
from gensim_wordrank.text.corpus import VocabCounts
from gensim_wordrank.training.backend import EpochResult, LocalBackend, StoppedError
from gensim_wordrank.training.sampled import Report, TrainingConfig, estimate_loss, no_report
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State
from gensim_wordrank.training.stored import is_update_due
from gensim_wordrank.types import Vectors

try:
    from distributed import Client, comm
    from distributed.deploy import Cluster
except ImportError as error:
    raise ImportError(
        f"'cluster' needs {error.name}, which is not installed. Run: pip install 'gensim-wordrank[distributed]'"
    ) from error

from gensim_wordrank.cluster.peer import PAIRS_PER_MESSAGE, ShardInfo
from gensim_wordrank.cluster.session import GivenUpError, MachineError, Session, WorkerGroup
from gensim_wordrank.cluster.shards import shared_directory, split_texts
from gensim_wordrank.cluster.training import EpochReport

logger = logging.getLogger(__name__)

# epochs after which the driver fetches the state, from which training restarts after a failure; the next one runs
# meanwhile
FETCH_EVERY = 5
# seconds after which the machines are asked again how far they are
REPORT_SECONDS = 1.0


def check_cluster(cluster: Any) -> None:
    """Raise ValueError if `cluster` is nothing to connect to."""
    if not isinstance(cluster, (str, Client, Cluster, Hosts, DaskBackend)):
        raise validation.parameter_error(
            "cluster", "a Dask client, cluster or address of a scheduler, or Hosts", cluster
        )


@contextmanager
def connect(cluster: Any, local: LocalBackend | None = None) -> Iterator[DaskBackend]:
    """Connect to a cluster, and start it if necessary; what was started here is stopped at the end.

    Parameters
    ----------
    cluster : distributed.Client, Dask cluster, str, Hosts or DaskBackend
        The cluster, the address of its scheduler, hosts to start one on over SSH, or a connection to reuse.
    local : LocalBackend, optional
        Counts sentences, which are on this machine only.
    """
    check_cluster(cluster)
    if isinstance(cluster, DaskBackend):
        yield cluster
        return
    restart = None
    with ExitStack() as stack:
        if isinstance(cluster, Hosts):
            from gensim_wordrank.cluster.ssh import launched  # asyncssh is not needed for other clusters

            client, restart = stack.enter_context(launched(cluster))
        else:
            client = cluster if isinstance(cluster, Client) else stack.enter_context(_connected(cluster, False))
            logger.info("dashboard: %s", client.dashboard_link)
            if not client.direct_to_workers:  # otherwise all vectors pass through the scheduler
                direct = stack.enter_context(_connected(client.scheduler.address, True, client.security))
                client = direct if direct.sync(_reaches_all, direct) else client
        session = stack.enter_context(closing(Session(client, restart)))
        yield DaskBackend(session, local or LocalBackend())


def _connected(cluster: Any, direct: bool, security: Any = None) -> Client:
    return Client(cluster, set_as_default=False, direct_to_workers=direct, security=security)


async def _reaches_all(client: Client) -> bool:
    """Return True if all workers can be reached from here; otherwise the scheduler passes messages on."""
    try:
        for address in (await client.scheduler.identity())["workers"]:
            (await comm.connect(address, timeout=5, **client.connection_args)).abort()
    except (OSError, TypeError) as error:  # TypeError: no TLS here
        logger.warning("workers cannot be reached from here (%s): vectors pass through the scheduler", error)
        return False
    return True


@dataclass
class RemoteCorpus(VocabCounts):
    """Texts that the machines of a session have read, each machine a part of them.

    Words are in the order in which they first occur, as if one machine had read all texts.
    """

    sources: Sequence[str]  # paths and URLs

    def digest(self) -> str:
        """Return an empty digest: texts on other machines are not compared."""
        return ""

    def reindex(self, known: Mapping[Any, int]) -> RemoteCorpus:
        """Return the same text with other word ids."""
        _, counts = corpus.map_ids(self.words, self.counts, known)
        return RemoteCorpus(list(known), counts, self.n_sentences, self.n_tokens, self.sources)


@dataclass
class RemoteCounts:
    """Co-occurrence counts on the machines of a session, each of which holds a range of rows."""

    session: Session
    words: list[Any]
    counts: NDArray[np.int64]  # how often each word occurs
    create: Callable[[WorkerGroup], list[ShardInfo]]  # lets a group count or read the rows, again after a failure

    def __post_init__(self) -> None:
        n_machines = len(self.session.run(self.hold).actors)
        logger.info("%i machines hold %i pairs of %i words", n_machines, self.nnz, len(self.words))

    @property
    def nnz(self) -> int:
        """Number of pairs that occur."""
        return int(self.indptr[-1])

    def hold(self, group: WorkerGroup) -> WorkerGroup:
        """Ensure that the machines of a group hold the rows."""
        if group.holds is not self:
            row_lengths, largest = zip(*self.create(group), strict=True)
            self.row_lengths, self.largest = np.concatenate(row_lengths), max(largest)
            self.indptr = np.concatenate([[0], np.cumsum(self.row_lengths)])
            group.holds = self
        return group

    def reindex(self, words: Sequence[Any]) -> RemoteCounts | Cooccurrence:
        """Return the counts for other words, gathered in this process unless the words are the same."""
        return self if list(words) == self.words else self.gather().reindex(words)

    def summarize(self) -> CountSummary:
        """Return what training must know before the first epoch."""
        step = max(1, self.nnz // SAMPLE_SIZE)

        def summarize(group: WorkerGroup) -> list[Any]:
            edges = self.hold(group).edges
            return group.call_all("summarize", len(self.words), self.largest, step, self.indptr[edges].tolist())

        rows, columns, samples = zip(*self.session.run(summarize), strict=True)
        return CountSummary(self.row_lengths, np.concatenate(rows), np.sum(columns, axis=0), np.concatenate(samples))

    def gather(self) -> Cooccurrence:
        """Return the counts in this process."""
        store = csr.CsrWriter(np.float32, None, None, self.nnz, memory.headroom(None))

        def gather(group: WorkerGroup) -> csr.Csr:
            for machine, (first, last) in enumerate(pairwise(self.hold(group).edges)):
                for start, end in pairwise(counting.split_rows(self.indptr[first : last + 1], PAIRS_PER_MESSAGE)):
                    rows = np.arange(first + start, first + end)
                    store.write(int(self.indptr[rows[0]]), *group.call(machine, "get_rows", "complete", rows))
            return store.finish(self.indptr)

        rows = self.session.run(gather)
        result = Cooccurrence(rows.data, rows.indices, self.indptr, self.words, self.counts)
        result._scratch = rows.scratch
        return result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a directory."""
        self.gather().save(path)


@dataclass
class DaskBackend:
    """The machines of a session.

    An epoch depends only on the state before it. After a failure, the epochs since the last state that the driver has
    fetched are run again, and give the same vectors.
    """

    session: Session
    local: LocalBackend  # for sentences, which are on this machine only
    reports: list[EpochReport] = field(default_factory=list)  # of the machines, after the last epoch

    def read(self, sentences: Any, corpus_file: Any, vocabulary: Mapping[Any, int] | None = None) -> Any:
        """Let the machines read texts; sentences are read here."""
        if corpus_file is None:
            return self.local.read(sentences, None, vocabulary)
        sources = []
        for source in corpus_file if isinstance(corpus_file, (list, tuple)) else [corpus_file]:
            if not isinstance(source, (str, os.PathLike)):
                raise validation.parameter_error(
                    "corpus_file", "a path, a URL or a list of these with a 'cluster'", source
                )
            # other machines have other working directories
            sources.append(os.fspath(source if checksummed.is_url(source) else Path(source).absolute()))
        table: Counter[str] = Counter()
        n_sentences = n_tokens = 0
        for found in self.session.run(_read, sources):
            for word, count in zip(found.words, found.counts.tolist(), strict=True):
                table[word] += count
            n_sentences, n_tokens = n_sentences + found.n_sentences, n_tokens + found.n_tokens
        counts = np.fromiter(table.values(), np.int64, len(table))
        logger.info("the machines read %i sentences of %i words", n_sentences, n_tokens)
        text = RemoteCorpus(list(table), counts, n_sentences, n_tokens, sources)
        return text if vocabulary is None else text.reindex(vocabulary)

    def count(self, text: Any, window: int, symmetric: bool, distance_weighting: bool, reserve: int = 0) -> Any:
        """Let the machines count the texts that they have read."""
        if not isinstance(text, RemoteCorpus):
            return self.local.count(text, window, symmetric, distance_weighting, reserve)
        window = min(window, max(text.n_tokens, 1))  # no two words are farther apart

        def create(group: WorkerGroup) -> list[ShardInfo]:
            if group.holds is not text.sources:  # the group is not the one that read them
                _read(group, text.sources)
            lengths = group.call_all("count", text.words, window, symmetric, distance_weighting)
            _assign_rows(group, np.sum(lengths, axis=0))
            shards = group.call_all("merge", group.edges)
            group.call_all("free_rows", "partial")
            return shards

        return RemoteCounts(self.session, text.words, text.counts, create)

    def read_counts(self, place: str | os.PathLike[str]) -> RemoteCounts:
        """Let the machines read saved counts from a URL."""
        place = os.fspath(place)
        known, checksums = checksummed.read_with_checksums(place, FORMAT, skip=("data", "indices"))

        def create(group: WorkerGroup) -> list[ShardInfo]:
            _assign_rows(group, np.diff(known["indptr"]))
            shards = group.call_all("read_counts", place, checksums, group.edges)
            missing = [group.host(machine) for machine, shard in enumerate(shards) if shard is None]
            if missing:
                raise FileNotFoundError(
                    f"'{place}' cannot be read from {', '.join(missing)}. Let all machines reach it."
                )
            return shards

        return RemoteCounts(self.session, list(known["words"]), known["counts"], create)

    def run_epochs(
        self, config: TrainingConfig, counts: Any, state: State, points: Iterable[SchedulePoint],
        report: Report = no_report,
    ) -> Generator[EpochResult, None, None]:  # fmt: skip
        """Run one epoch per schedule point on the machines, which keep the state until it is needed here."""
        this_run = object()  # stands for it in `group.holds`
        since: list[SchedulePoint] = []  # of the epochs since `state`

        def advance(group: WorkerGroup, with_state: bool) -> State | None:
            """Run the epochs that a group has not done yet; if asked, fetch the state while the last of them runs."""
            fetched: list[State] = []
            if group.holds is not this_run:
                _start_training(group, config, counts, state)
                group.holds = this_run
            while (done := group.epoch - state.epoch) < len(since):
                if not done and config.method.stores_xi and is_update_due(config.method, state):
                    group.call_all("update_xi", state.with_bias()[1], n_machines=group.ring_size)
                watched = report if done + 1 == len(since) else no_report  # epochs before were reported
                work: list[Any] = [_run_epoch(group, since[done], config, watched)]
                if with_state and done + 1 == len(since):
                    group.call_all("keep_state", n_machines=group.ring_size)
                    work.append(_gather_state(group, config, counts, state))
                self.reports, *fetched = group.gather(*work)
                group.epoch += 1
            return fetched[0] if fetched else None

        def fetch_last(group: WorkerGroup) -> State:
            advance(group, with_state=False)
            found: State = group.gather(_gather_state(group, config, counts, state))[0]
            return found

        def run(work: Callable[..., Any], *arguments: Any) -> Any:
            try:
                return self.session.run(work, *arguments)
            except GivenUpError as error:
                raise StoppedError(str(error), state) from error

        def fetch() -> State:
            nonlocal state, since
            if since:
                state, since = run(fetch_last), []
            return state

        for point in points:
            if config.method.stores_xi and (state.epoch + len(since)) % config.method.xi_period == 0:
                fetch()  # the machines compute xi from all contexts
            since.append(point)
            newer = run(advance, len(since) > FETCH_EVERY)
            if newer is not None:
                state, since = newer, [point]
            for machine, each in enumerate(self.reports):
                logger.debug("machine %i: %.2f s, of which %.2f s waiting", machine, each.seconds, each.waited)
            losses, weights, is_finite, _, _ = zip(*self.reports, strict=True)
            loss = estimate_loss(np.hstack(losses).tolist(), config.partition.settings)
            yield EpochResult(state.epoch + len(since), loss, sum(weights), all(is_finite), False, fetch)


def _read(group: WorkerGroup, sources: Sequence[str]) -> list[VocabCounts]:
    """Let every machine read its part of the texts, and send it the files that it cannot open."""
    shards = split_texts(sources, len(group.actors))
    for machine, numbers in enumerate(group.call_all("assign_texts", shards)):
        for number in numbers:
            for block in shards[machine][number].blocks():
                group.call(machine, "receive_text", number, block)
    found = group.call_all("read")
    group.holds = sources
    return found


def _assign_rows(group: WorkerGroup, lengths: NDArray[np.int64]) -> None:
    """Choose a range of rows for every machine, with about equally many pairs each."""
    group.holds = None  # the new rows will replace it
    n_machines, ends = len(group.actors), np.cumsum(lengths)
    inner = np.searchsorted(ends, ends[-1] * np.arange(1, n_machines) / n_machines)
    group.edges = [0, *inner.tolist(), len(lengths)]


def send_counts(group: WorkerGroup, counts: Cooccurrence) -> None:
    """Let every machine read a range of rows from a shared disk, or send the rows to it."""
    shared, found = shared_directory(counts), list[Any]([None] * len(group.actors))
    _assign_rows(group, np.diff(counts.indptr))
    if shared is not None:
        found = group.call_all("read_counts", *shared, group.edges)
    for machine, (first, last) in enumerate(pairwise(group.edges)):
        if found[machine] is None:
            part = slice(int(counts.indptr[first]), int(counts.indptr[last]))
            indptr = counts.indptr[first : last + 1] - part.start
            group.call(machine, "receive_rows", first, counts.data[part], counts.indices[part], indptr)


def _start_training(group: WorkerGroup, config: TrainingConfig, counts: Any, state: State) -> None:
    """Let the machines form a ring, fetch the pairs of their words, and load their parts of the state."""
    if isinstance(counts, RemoteCounts):
        counts.hold(group)
    else:
        send_counts(group, counts)
    n_machines = group.ring_size = min(len(group.actors), config.partition.n_blocks)
    parts = group.call_all("join_ring", config, n_machines, group.edges, state.epoch, n_machines=n_machines)
    group.call_all("free_rows", "complete")
    for machine, (words, contexts) in enumerate(parts):
        part = State(
            state.words[words], state.contexts[contexts], state.bias[contexts],
            state.word_accumulator[words], state.context_accumulator[contexts], state.epoch,
            state.xi if not len(state.xi) else _take_pairs(state.xi, counts, words),
        )  # fmt: skip
        group.call(machine, "load", part)
    group.epoch = state.epoch
    logger.info("training from epoch %i on %i machines", state.epoch, n_machines)
    if n_machines < len(group.actors):
        idle, n_blocks = ", ".join(group.workers[n_machines:]), config.partition.n_blocks
        logger.warning("idle: %s. There are only %i blocks of words, one or more per machine", idle, n_blocks)
    n_threads = sum(group.client.nthreads()[worker] for worker in group.workers[:n_machines])
    if n_threads > config.partition.n_blocks:
        logger.warning("%i of %i threads can work at once, one per block", config.partition.n_blocks, n_threads)


def _pairs_of(counts: Any, words: NDArray[np.int32]) -> list[slice]:
    """Return where the pairs of some words, in order of their rows, are in the counts of all."""
    rows = np.sort(words)
    return [slice(*ends) for ends in zip(counts.indptr[rows].tolist(), counts.indptr[rows + 1].tolist(), strict=True)]


def _take_pairs(xi: Vectors, counts: Any, words: NDArray[np.int32]) -> Vectors:
    """Return the xi of the pairs of some words."""
    return np.concatenate([xi[pairs] for pairs in _pairs_of(counts, words)])


async def _run_epoch(
    group: WorkerGroup, point: SchedulePoint, config: TrainingConfig, report: Report
) -> list[EpochReport]:
    """Let the machines run an epoch; ask them from time to time how many cells are done."""
    epoch, n_cells, n_machines = group.epoch, config.partition.n_blocks**2, group.ring_size
    running = asyncio.ensure_future(group.ask_all("run", epoch, point, n_machines=n_machines))
    try:
        while not (await asyncio.wait({running}, timeout=REPORT_SECONDS))[0]:
            with suppress(MachineError):  # the call that runs fails, too
                report(sum(await group.ask_all("cells_done", epoch, n_machines=n_machines)) / n_cells)
        return running.result()
    finally:
        running.cancel()


async def _gather_state(group: WorkerGroup, config: TrainingConfig, counts: Any, old: State) -> State:
    """Fetch the state after the last epoch, which has the shape of an older one; from one machine at a time."""
    words, contexts = np.empty(old.words.shape, np.float32), np.empty(old.contexts.shape, np.float32)
    bias, context_accumulator = np.empty((2, len(contexts)), np.float32)
    state = State(words, contexts, bias, np.empty(len(words), np.float32), context_accumulator, group.epoch)
    for machine in range(group.ring_size):
        mine, held, part = await group.ask(machine, "get_state")
        state.words[mine], state.word_accumulator[mine] = part.words, part.word_accumulator
        state.contexts[held], state.bias[held] = part.contexts, part.bias
        state.context_accumulator[held] = part.context_accumulator
        if len(part.xi):
            state.xi = state.xi if len(state.xi) else np.empty(config.n_pairs, np.float32)
            starts = np.cumsum([0, *(pairs.stop - pairs.start for pairs in _pairs_of(counts, mine))])
            for pairs, start in zip(_pairs_of(counts, mine), starts.tolist()[:-1], strict=True):
                state.xi[pairs] = part.xi[start : start + pairs.stop - pairs.start]
    return state
