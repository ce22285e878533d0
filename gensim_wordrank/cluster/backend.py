"""The machines of a Dask cluster as a backend: they read, count and train, and the vectors are the same bytes."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gensim_wordrank._utils import checksummed, memory, validation
from gensim_wordrank.cluster.hosts import Hosts
from gensim_wordrank.cooccurrence import csr
from gensim_wordrank.cooccurrence.csr import SAMPLE_SIZE, CountSummary
from gensim_wordrank.cooccurrence.matrix import FORMAT, Cooccurrence
from gensim_wordrank.text import corpus
from gensim_wordrank.text.corpus import VocabCounts
from gensim_wordrank.training.backend import EpochResult, LocalBackend
from gensim_wordrank.training.sampled import TrainingConfig
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State
from gensim_wordrank.types import Floats

try:
    from distributed import Client
    from distributed.deploy import Cluster
except ImportError as error:
    raise ImportError(
        f"'cluster' needs {error.name}, which is not installed. Run: pip install 'gensim-wordrank[distributed]'"
    ) from error

from gensim_wordrank.cluster.counting import ShardInfo
from gensim_wordrank.cluster.group import WorkerGroup
from gensim_wordrank.cluster.session import Session
from gensim_wordrank.cluster.shards import split_texts
from gensim_wordrank.cluster.training import EpochReport

logger = logging.getLogger(__name__)

# epochs after which the driver fetches the state, from which training restarts after a failure
FETCH_EVERY = 5


def check_cluster(cluster: Any) -> None:
    """Refuse what is not a cluster."""
    if not isinstance(cluster, (str, Client, Cluster, Hosts, DaskBackend)):
        raise validation.parameter_error(
            "cluster", "a Dask client, cluster or address of a scheduler, or Hosts", cluster
        )


@contextmanager
def connect(cluster: Any, local: LocalBackend | None = None) -> Iterator[DaskBackend]:
    """Connect to a cluster, and start it if need be; what was started here is stopped at the end.

    Parameters
    ----------
    cluster : distributed.Client, Dask cluster, str, Hosts or DaskBackend
        The cluster, the address of its scheduler, hosts to start one on over SSH, or a connection to reuse.
    local : LocalBackend, optional
        What counts sentences, which are on this machine only.
    """
    check_cluster(cluster)
    local = local or LocalBackend()
    if isinstance(cluster, DaskBackend):
        yield cluster
    elif isinstance(cluster, Client):
        with closing(Session(cluster)) as session:
            yield DaskBackend(session, local)
    elif isinstance(cluster, Hosts):
        from gensim_wordrank.cluster.ssh import launched  # asyncssh is not needed for other clusters

        with launched(cluster) as (client, restart), closing(Session(client, restart)) as session:
            yield DaskBackend(session, local)
    else:
        with Client(cluster, set_as_default=False) as client, closing(Session(client)) as session:
            logger.info("dashboard: %s", client.dashboard_link)
            yield DaskBackend(session, local)


class RemoteCorpus(VocabCounts):
    """Texts whose words the machines of a session have read, each machine some of them.

    Words are in the order in which they first appear, as if one machine had read all texts.
    """

    sources: Sequence[str]  # paths and URLs

    @classmethod
    def of(cls, found: Sequence[VocabCounts], sources: Sequence[str]) -> RemoteCorpus:
        """Add up what the machines have read."""
        table: dict[str, int] = {}
        for each in found:
            for word, count in zip(each.words, each.counts.tolist(), strict=True):
                table[word] = table.get(word, 0) + count
        counts = np.fromiter(table.values(), np.int64, len(table))
        n_sentences, n_tokens = (sum(getattr(each, name) for each in found) for name in ("n_sentences", "n_tokens"))
        logger.info("%i machines read %i sentences of %i words", len(found), n_sentences, n_tokens)
        return cls._from(list(table), counts, n_sentences, n_tokens, sources)

    @classmethod
    def _from(cls, *arguments: Any) -> RemoteCorpus:
        *fields, sources = arguments
        result = cls(*fields)
        result.sources = sources
        return result

    def digest(self) -> str:
        """Return nothing: a text on other machines cannot be recognized."""
        return ""

    def reindex(self, known: Mapping[Any, int]) -> RemoteCorpus:
        """Return the same text with other ids."""
        _, counts = corpus.map_ids(self.words, self.counts, known)
        return self._from(list(known), counts, self.n_sentences, self.n_tokens, self.sources)


class RemoteCounts:
    """Co-occurrence counts on the machines of a session, each machine with a range of rows.

    Parameters
    ----------
    session : Session
        The machines.
    words, counts
        As in :class:`~gensim_wordrank.Cooccurrence`.
    create : callable
        Lets the machines of a group hold the rows; called again after a failure.
    """

    def __init__(
        self,
        session: Session,
        words: Sequence[Any],
        counts: NDArray[np.int64],
        create: Callable[[WorkerGroup], list[ShardInfo]],
    ) -> None:
        self.session, self.words, self.counts, self._create = session, list(words), counts, create
        shards = session.run(self.hold)
        self.row_lengths = np.concatenate([shard.row_lengths for shard in shards])
        self.indptr = np.concatenate([[0], np.cumsum(self.row_lengths)])
        self.largest = max(shard.largest for shard in shards)
        logger.info("%i machines hold %i pairs of %i words", len(shards), self.nnz, len(self.words))

    @property
    def nnz(self) -> int:
        """Number of pairs that occur."""
        return int(self.indptr[-1])

    def hold(self, group: WorkerGroup) -> list[ShardInfo]:
        """Let the machines of a group hold the rows, if they do not yet."""
        shards = [] if group.counts is self else self._create(group)
        group.counts = self
        return shards

    def _run(self, work: Callable[[WorkerGroup], Any]) -> Any:
        return self.session.run(lambda group: (self.hold(group), work(group))[1])

    def reindex(self, words: Sequence[Any]) -> RemoteCounts | Cooccurrence:
        """Return the counts for other words; only the same words can stay on the machines."""
        return self if list(words) == self.words else self.gather().reindex(words)

    def summarize(self) -> CountSummary:
        """Return what training must know before the first epoch."""
        n, step = len(self.words), max(1, self.nnz // SAMPLE_SIZE)
        quantum = csr.quantum(self.largest, n)
        sums: tuple[Floats, Floats] = self._run(lambda group: group.sums(n, quantum))
        return CountSummary(self.row_lengths, *sums, self._run(lambda group: group.sample(step, self.indptr)))

    def gather(self) -> Cooccurrence:
        """Return the counts in this process."""
        store = csr.CsrWriter(np.float32, None, None, self.nnz, memory.headroom(None))
        rows: csr.Csr = self._run(lambda group: group.gather_counts(self.indptr, store))
        result = Cooccurrence(rows.data, rows.indices, self.indptr, self.words, self.counts)
        result._scratch = rows.scratch
        return result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a directory."""
        self.gather().save(path)


class DaskBackend:
    """The machines of a session.

    An epoch depends on nothing but the state before it. So after a failure the epochs since the last state that the
    driver has fetched are run again, and give the same vectors.

    Parameters
    ----------
    session : Session
        The machines.
    local : LocalBackend
        What counts sentences.
    """

    def __init__(self, session: Session, local: LocalBackend) -> None:
        self.session, self.local = session, local
        self.reports: list[EpochReport] = []  # of the machines, after the last epoch

    def read(self, sentences: Any, corpus_file: Any, vocabulary: Mapping[Any, int] | None = None) -> Any:
        """Let the machines read texts; sentences are read here."""
        if corpus_file is None:
            return self.local.read(sentences, None, vocabulary)
        sources = corpus_file if isinstance(corpus_file, (list, tuple)) else [corpus_file]
        for source in sources:
            if not isinstance(source, (str, os.PathLike)):
                raise validation.parameter_error(
                    "corpus_file", "a path, a URL or a list of these with a 'cluster'", source
                )
        # other machines have other working directories
        places = [os.fspath(each if checksummed.is_url(each) else Path(each).absolute()) for each in sources]
        text = RemoteCorpus.of(self.session.run(lambda group: _read(group, places)), places)
        return text if vocabulary is None else text.reindex(vocabulary)

    def count(self, text: Any, window: int, symmetric: bool, distance_weighting: bool, reserve: int = 0) -> Any:
        """Let the machines count the texts that they have read."""
        if not isinstance(text, RemoteCorpus):
            return self.local.count(text, window, symmetric, distance_weighting, reserve)
        window = min(window, max(text.n_tokens, 1))  # no two words are further apart

        def create(group: WorkerGroup) -> list[ShardInfo]:
            if group.texts is not text.sources:  # other machines than those that read them
                _read(group, text.sources)
            return group.count(text.words, window, symmetric, distance_weighting)

        return RemoteCounts(self.session, text.words, text.counts, create)

    def read_counts(self, place: str | os.PathLike[str]) -> RemoteCounts:
        """Let the machines read saved counts from a URL."""
        place = os.fspath(place)
        known = checksummed.read(place, FORMAT, skip=("data", "indices"))
        checksums = checksummed.read_checksums(place, FORMAT)

        def create(group: WorkerGroup) -> list[ShardInfo]:
            shards = group.read_counts(place, checksums, known["indptr"])
            missing = [group.host(machine) for machine, shard in enumerate(shards) if shard is None]
            if missing:
                raise FileNotFoundError(
                    f"'{place}' cannot be read from {', '.join(missing)}. Let all machines reach it."
                )
            return [shard for shard in shards if shard is not None]

        return RemoteCounts(self.session, known["words"], known["counts"], create)

    def run_epochs(
        self, config: TrainingConfig, counts: Any, state: State, points: Iterable[SchedulePoint]
    ) -> Generator[EpochResult, None, None]:
        """Run one epoch per schedule point on the machines; the state stays there until it is asked for."""
        since: list[SchedulePoint] = []  # of the epochs since `state`

        def advance(group: WorkerGroup) -> Any:
            """Run the epochs that are not done; return what the last one gave."""
            if group.epoch < 0:  # the group is new
                if isinstance(counts, RemoteCounts):
                    counts.hold(group)
                else:
                    group.send_counts(counts)
                group.form_ring(config)
                group.load(state)
                logger.info("training from epoch %i on %i machines", state.epoch, group.ring.n_machines)
            result = None
            while (done := group.epoch - state.epoch) < len(since):
                result = group.run_epoch(since[done])
            return result

        def fetch() -> State:
            nonlocal state, since
            if since:
                state = self.session.run(lambda group: (advance(group), group.gather_state())[1])
                since = []
            return state

        for point in points:
            since.append(point)
            loss, self.reports = self.session.run(advance)
            for machine, report in enumerate(self.reports):
                logger.debug("machine %i: %.2f s, of which %.2f s waiting", machine, report.seconds, report.waited)
            is_finite = all(report.is_finite for report in self.reports)
            epoch = state.epoch + len(since)
            if len(since) >= FETCH_EVERY and is_finite:
                fetch()
            yield EpochResult(epoch, loss, is_finite, not since, fetch)


def _read(group: WorkerGroup, sources: Sequence[str]) -> list[VocabCounts]:
    found = group.read(split_texts(sources, len(group.workers)))
    group.texts = sources
    return found
