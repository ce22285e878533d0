"""Training on a cluster gives the vectors of one machine, also if machines fail."""

import asyncio
import errno
import os
import pickle
import re
import shutil
import signal
import sys
import threading

import numpy as np
import pytest
from distributed import Client, LocalCluster, actor
from distributed.comm import get_address_host
from distributed.security import Security
from gensim.models.callbacks import CallbackAny2Vec
from gensim_wordrank import Checkpoints, Cooccurrence, WordRank, fitting
from gensim_wordrank._utils import checksummed
from gensim_wordrank._utils.versions import versions
from gensim_wordrank.cluster import Hosts, backend, connect, peer, shards
from gensim_wordrank.cluster.backend import DaskBackend
from gensim_wordrank.cluster.session import Session, Timeouts, check_environments
from gensim_wordrank.cluster.training import CellQueue, Ring, TrainingPeer
from gensim_wordrank.settings import Settings
from gensim_wordrank.training.backend import LocalBackend, StoppedError
from gensim_wordrank.training.partition import Partition
from gensim_wordrank.training.sampled import PartitionEpoch
from scipy.sparse import csr_matrix

from clusters import EPOCHS, MANY_BLOCKS, SIZE, fingerprint, run_epochs, train_disturbed, train_undisturbed
from problems import make_problem
from recorded import StopAfter

pytestmark = pytest.mark.cluster


def in_process(n, threads=1):
    """Return a cluster of n workers that are threads of this process."""
    return LocalCluster(n_workers=n, threads_per_worker=threads, processes=False, dashboard_address="127.0.0.1:0")


@pytest.fixture(scope="module")
def nannies():
    """Yield a client of three worker processes, each with a nanny that restarts it when it is killed."""
    with (
        LocalCluster(n_workers=3, threads_per_worker=1, memory_limit=0, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def three(nannies):
    """Return the client when all three workers are running."""
    nannies.wait_for_workers(3, timeout=60)
    return nannies


@pytest.fixture(scope="module")
def one_machine(lee_pairs):
    """Return the fingerprint of a model that was trained on one machine."""
    return fingerprint(WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS))


@pytest.fixture(scope="module")
def undisturbed(lee_pairs):
    """Return the state and the losses after training without a failure."""
    return train_undisturbed(lee_pairs)


def fit(model, counts):
    """Train a model that has a vocabulary on counts, on its cluster."""
    with fitting.connect(model) as backend:
        fitting.fit(model, backend, counts, (), None)


# ---- the same bytes


@pytest.mark.parametrize("n_machines", [1, 2, 3, 8])
def test_ring_brings_each_machine_the_blocks_it_needs(n_machines):
    """If every machine passes on one block per stratum, each holds the contexts that its words need next."""
    partition = Partition.of(make_problem(2100, 2100, 2, seed=1, density=0.01)[2].summarize(), seed=1)
    ring = Ring(partition, n_machines)
    assert sorted(q for machine in range(n_machines) for q in ring.word_blocks(machine)) == list(range(8))
    held = [set(ring.word_blocks(machine)) for machine in range(n_machines)]
    for stratum in range(8):
        for machine in range(n_machines):
            assert held[machine] == {partition.context_block(q, stratum) for q in ring.word_blocks(machine)}
        if stratum < 7:
            leaving = [ring.leaving(machine, stratum) for machine in range(n_machines)]
            for machine in range(n_machines):
                held[machine].remove(leaving[machine])
            for machine in range(n_machines):
                held[machine].add(leaving[ring.next(machine)])
    contexts = partition.at(0)
    for machine in range(n_machines):
        assert held[machine] == set(ring.last_blocks(machine))
        assert (ring.holders(contexts)[ring.last_contexts(machine, contexts)] == machine).all()


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_vectors_do_not_depend_on_the_number_of_workers(lee_pairs, one_machine, n):
    """One to three workers, and more workers than blocks, give the vectors and the loss of one machine."""
    with in_process(n) as cluster:
        model = WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=cluster)
    assert fingerprint(model) == one_machine


@pytest.fixture(scope="module")
def many_blocks(lee_pairs):
    """Return the state and the losses of one machine with 64 blocks."""
    return train_undisturbed(lee_pairs, MANY_BLOCKS)


@pytest.mark.parametrize(("n", "threads"), [(1, 2), (2, 2), (3, 1), (8, 1)])
def test_vectors_of_many_blocks_do_not_depend_on_the_machines(lee_pairs, many_blocks, n, threads):
    """With 64 blocks, machines that hold 8 to 64 of them give the state and the losses of one machine."""
    with in_process(n, threads) as cluster, connect(cluster) as connected:
        assert run_epochs(connected, lee_pairs, settings=MANY_BLOCKS) == many_blocks


def test_progress_within_an_epoch(lee_pairs, many_blocks, monkeypatch):
    """While an epoch runs, the machines report how many of its cells are done; the vectors stay the same."""
    monkeypatch.setattr("gensim_wordrank.cluster.backend.REPORT_SECONDS", 0.005)
    of_epochs = []
    with in_process(2) as cluster, connect(cluster) as connected:
        result = run_epochs(
            connected, lee_pairs, lambda epoch: of_epochs.append([]), MANY_BLOCKS,
            report=lambda share: of_epochs[-1].append(share),
        )  # fmt: skip
    assert result == many_blocks
    for shares in of_epochs:
        assert shares == sorted(shares)
        assert 0 <= shares[0] <= shares[-1] <= 1
    assert any(0 < share < 1 for shares in of_epochs for share in shares)


@pytest.mark.parametrize("order", [0, -1])
def test_cells_run_as_soon_as_their_blocks_are_free(order):
    """In every possible order of arrivals, cells follow those that had their blocks before, and all of them run."""
    arrivals, cells, done = [1, 2, 3], CellQueue(n_blocks=3, n_strata=4), []

    def run_cell(stratum, i):
        assert not stratum or (stratum - 1, i) in done
        assert not stratum or i == 2 or (stratum - 1, i + 1) in done
        assert not stratum or i < 2 or stratum not in arrivals
        done.append((stratum, i))
        if not cells.ready and arrivals and (len(done) > 3 or order):
            cells.arrive(arrivals.pop(0))

    if not order:
        cells.arrive(arrivals.pop(0))
    cells.run(run_cell, workers=1)
    assert sorted(done) == [(stratum, i) for stratum in range(4) for i in range(3)]


def test_slow_cell_delays_only_what_needs_its_blocks(lee_pairs, monkeypatch):
    """While the last cell of a stratum still runs on one machine, the other machine is already three strata further."""
    is_further, run_cell, settings = threading.Event(), PartitionEpoch.run_cell, Settings(min_block=64, usual_blocks=8)

    def delayed(self, stratum, i, contexts):
        if stratum == 3 and self.numbers[0] == 0:
            is_further.set()
        if (self.numbers[i], stratum) == (7, 0):
            assert is_further.wait(10)
        return run_cell(self, stratum, i, contexts)

    expected = train_undisturbed(lee_pairs, settings, epochs=1)
    monkeypatch.setattr(PartitionEpoch, "run_cell", delayed)
    with in_process(2, threads=2) as cluster, connect(cluster) as connected:
        assert run_epochs(connected, lee_pairs, settings=settings, epochs=1) == expected


def test_blocks_travel_together(lee_pairs, monkeypatch):
    """On a slow network, a message brings all blocks that have left a machine meanwhile."""
    sizes, send = [], TrainingPeer.send_blocks

    async def spy(self):
        await asyncio.sleep(0.1)
        blocks = await send(self)
        sizes.append(len(blocks))
        return blocks

    monkeypatch.setattr(TrainingPeer, "send_blocks", spy)
    with in_process(2) as cluster, connect(cluster) as connected:
        run_epochs(connected, lee_pairs, settings=MANY_BLOCKS, epochs=2)
    assert sum(sizes) == 2 * 2 * 63
    assert len(sizes) < sum(sizes) / 3


STORED = {"preset": "paper", "vector_size": SIZE, "epochs": EPOCHS, "alpha": 0.05, "xi_period": 3}


@pytest.mark.parametrize(("n", "optimizer", "bias"), [(1, "sgd", False), (2, "sgd", False), (3, "adagrad", True)])
def test_stored_xi_on_a_cluster(lee_pairs, n, optimizer, bias):
    """With stored xi, one to three workers give the vectors and the loss of one machine."""
    options = STORED | {"optimizer": optimizer, "bias": bias}
    with in_process(n) as cluster:
        model = WordRank.from_cooccurrence(lee_pairs, **options, cluster=cluster)
    assert fingerprint(model) == fingerprint(WordRank.from_cooccurrence(lee_pairs, **options))


def test_stored_xi_in_checkpoints_of_a_cluster(lee_pairs, tmp_path):
    """A run that ends between two updates of xi on a cluster is resumed on one machine and elsewhere, and back."""
    whole = fingerprint(WordRank.from_cooccurrence(lee_pairs, **STORED))

    class Stop(CallbackAny2Vec):
        def on_epoch_end(self, model):
            return model.epochs_done in (4, 5)

    with in_process(2) as cluster:
        WordRank.from_cooccurrence(lee_pairs, **STORED, cluster=cluster, callbacks=[Stop()], checkpoint=tmp_path)
        assert WordRank.resume(tmp_path, callbacks=[Stop()]).epochs_done == 5
        assert fingerprint(WordRank.resume(tmp_path, cluster=cluster)) == whole


def test_cluster_may_be_a_client_or_an_address(lee_pairs, one_machine, tmp_path, three):
    """Both give the vectors of one machine, with counts in memory or on a disk, and a client stays open."""
    lee_pairs.save(tmp_path / "pairs")
    mapped = Cooccurrence.load(tmp_path / "pairs", mmap="r")
    for given, one in ((lee_pairs, three), (mapped, three.scheduler.address)):
        model = WordRank.from_cooccurrence(given, vector_size=SIZE, epochs=EPOCHS, cluster=one)
        assert fingerprint(model) == one_machine
    assert three.status == "running"


def test_counts_on_a_shared_disk_are_not_sent(lee_pairs, tmp_path, monkeypatch):
    """Workers read their rows of memory-mapped counts from the disk; counts in memory are sent."""
    sent = []
    take = TrainingPeer.receive_rows

    async def spy(self, *arrays):
        sent.append(self.machine)
        return await take(self, *arrays)

    monkeypatch.setattr(TrainingPeer, "receive_rows", spy)
    lee_pairs.save(tmp_path / "pairs")
    with in_process(2) as cluster:
        mapped = Cooccurrence.load(tmp_path / "pairs", mmap="r")
        WordRank.from_cooccurrence(mapped, vector_size=SIZE, epochs=1, cluster=cluster)
        assert sent == []
        WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=1, cluster=cluster)
        assert sent == [0, 1]


def test_counts_that_differ_from_the_disk_are_sent(lee_pairs, tmp_path):
    """Counts that were changed in memory, extended by words, or replaced on the disk are not read from it."""
    lee_pairs.save(tmp_path / "pairs")
    changed = Cooccurrence.load(tmp_path / "pairs", mmap="c")
    changed.data[:] = 1
    mapped = Cooccurrence.load(tmp_path / "pairs", mmap="r")
    longer = mapped.reindex([*mapped.words, "unheard"])
    longer.counts[-1] = 1
    assert shards.shared_directory(mapped)
    copied = Cooccurrence.load(tmp_path / "pairs", mmap="r")
    copied.data = copied.data.copy()
    assert shards.shared_directory(copied) is None
    assert shards.shared_directory(pickle.loads(pickle.dumps(mapped))) is None
    with in_process(2) as cluster:
        for given in (changed, longer):
            options = {"vector_size": SIZE, "epochs": 1}
            there = WordRank.from_cooccurrence(given, cluster=cluster, **options)
            assert fingerprint(there) == fingerprint(WordRank.from_cooccurrence(given, **options))
    changed.save(tmp_path / "pairs")
    assert shards.shared_directory(mapped) is None


def test_rows_are_read_and_validated(lee_pairs, tmp_path):
    """A machine reads a range of rows, and refuses columns and offsets that are out of range."""
    lee_pairs.save(tmp_path / "pairs")
    checksums = shards.checksums(str(tmp_path / "pairs"))
    found = shards.read_rows(str(tmp_path / "pairs"), 5, 1000, 1750, checksums)
    got = csr_matrix((found.data, found.indices, found.indptr), (995, 1750))
    assert (got != lee_pairs.matrix[5:1000]).nnz == 0
    for name, wrong, message in (("indices", 1750, "damaged.*Got 1750 instead"), ("indptr", 10**9, "are damaged")):
        file = next(file for file in checksums if checksummed.key(file) == name)
        array = np.load(tmp_path / "pairs" / file, mmap_mode="r+")
        array[0] = wrong
        array.flush()
        with pytest.raises(ValueError, match=message):
            shards.read_rows(str(tmp_path / "pairs"), 0, 1000, 1750, checksums)


def test_driver_fetches_vectors_only_when_needed(lee_pairs, monkeypatch):
    """The driver fetches the state after every fifth epoch and after the last one."""
    asked = []
    report = TrainingPeer.get_state

    async def spy(self):
        asked.append(self.machine)
        return await report(self)

    monkeypatch.setattr(TrainingPeer, "get_state", spy)
    with in_process(2) as cluster:
        WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=cluster)
    assert asked == [0, 1, 0, 1]  # after the fifth epoch, for the case of a failure, and at the end


def test_callbacks_see_the_vectors_and_may_stop_training(lee_pairs):
    """After every epoch, callbacks see the vectors that one machine would have."""
    seen = []

    class Watch(CallbackAny2Vec):
        def on_epoch_end(self, model):
            seen.append(fingerprint(model))
            return model.epochs_done == 2

    with in_process(2) as cluster:
        for where in (cluster, None):
            WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=5, cluster=where, callbacks=[Watch()])
    assert len(seen) == 4
    assert seen[:2] == seen[2:]


def test_run_resumes_from_its_checkpoint(lee_pairs, one_machine, tmp_path):
    """A cluster writes checkpoints when they are due, and resumes a run from them."""
    with in_process(2) as cluster:
        WordRank.from_cooccurrence(
            lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=cluster, checkpoint=Checkpoints(tmp_path, every=3)
        )
        assert sorted(path.name for path in tmp_path.glob("epoch-*")) == ["epoch-000006", "epoch-000007"]
        shutil.rmtree(tmp_path / "epoch-000007")
        assert fingerprint(WordRank.resume(tmp_path, cluster=cluster)) == one_machine


def test_connection_can_be_reused(lee_pairs, one_machine):
    """Two models that are trained on the same connection both have the vectors of one machine."""
    with in_process(2) as cluster, connect(cluster) as connected:
        for _ in range(2):
            model = WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=connected)
            assert fingerprint(model) == one_machine


def test_model_is_saved_without_its_cluster(lee_pairs, tmp_path):
    """A model that was trained on a cluster can be saved and loaded; the loaded model has no cluster."""
    with in_process(1) as cluster:
        model = WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=1, cluster=cluster)
        model.save(tmp_path / "model")
        assert model.cluster is cluster
    loaded = WordRank.load(tmp_path / "model")
    assert loaded.cluster is None
    assert fingerprint(loaded) == fingerprint(model)


def test_divergence_is_reported(lee_pairs):
    """A far too large learning rate raises the same error as on one machine, and the vectors stay finite."""
    with in_process(2) as cluster, Client(cluster, set_as_default=False) as client:
        model = WordRank(vector_size=SIZE, min_count=1, cluster=client)
        model.build_vocab_from_freq(dict(zip(lee_pairs.words, lee_pairs.counts.tolist(), strict=True)))
        model.alpha = 1e30
        with pytest.raises(FloatingPointError, match=r"diverged in epoch 1 of 10; the vectors are those of the epoch"):
            fit(model, lee_pairs.reindex(model.wv.index_to_key))
        assert np.isfinite(model.wv.vectors).all()


def test_vectors_do_not_pass_through_the_scheduler(lee_pairs, one_machine, three, monkeypatch):
    """The driver talks to the workers of a cluster of one's own directly."""

    def refuse(self, *arguments):
        raise AssertionError("through the scheduler")

    monkeypatch.setattr(actor.ProxyRPC, "__init__", refuse)
    model = WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=three)
    assert fingerprint(model) == one_machine


def test_workers_that_the_driver_cannot_reach_are_used(lee_pairs, one_machine, three, monkeypatch):
    """If only the scheduler reaches the workers, it passes the messages on."""

    async def fail(*arguments, **options):
        raise OSError("no route to host")

    monkeypatch.setattr(backend.comm, "connect", fail)
    model = WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=three)
    assert fingerprint(model) == one_machine


def test_idle_machines_are_explained(caplog):
    """A vocabulary of one block keeps one machine busy; the log names the other."""
    caplog.set_level("WARNING", "gensim_wordrank")
    with in_process(2) as cluster:
        WordRank.from_cooccurrence(np.ones((9, 9)), vector_size=4, epochs=1, cluster=cluster)
    assert re.search(r"idle: inproc://\S+. There are only 1 blocks", caplog.text)
    assert "1 of 2 threads" not in caplog.text


# ---- refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster": 3}, "'cluster' must be a Dask client, cluster or address of a scheduler, or Hosts. Got 3"),
        ({"cluster": "tcp://127.0.0.1:1", "solver": "triplet"}, "'solver' must be 'sampled' or 'stored' with a 'clus"),
    ],
)
def test_invalid_cluster_options_are_refused_before_counting(options, message):
    """Objects that are not clusters, and Algorithm 1 on a cluster, are refused by the constructor."""
    with pytest.raises(ValueError, match=message):
        WordRank(**options)


@pytest.mark.parametrize("missing", ["distributed", "asyncssh"])
def test_missing_dependency_error_shows_the_pip_command(missing, monkeypatch):
    """A cluster needs the packages of an extra; without them, the error shows the command that installs it."""
    for name in ("backend", "ssh"):
        monkeypatch.delitem(sys.modules, f"gensim_wordrank.cluster.{name}", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=rf"{missing}.*pip install 'gensim-wordrank\[distributed\]'"):
        WordRank.from_cooccurrence(np.eye(2), cluster=Hosts(["127.0.0.1"]))


def test_locked_vectors_are_refused(lee_pairs):
    """Training on a cluster does not support locked vectors."""
    with in_process(1) as cluster:
        model = WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=1, cluster=cluster)
        model.wv.vectors_lockf = np.zeros(1, np.float32)
        with pytest.raises(ValueError, match="'wv.vectors_lockf' locks vectors only without a 'cluster'"):
            fit(model, lee_pairs)


def test_machines_with_different_versions_are_refused():
    """The error names the host whose version differs from the driver's, or whose CPU level differs from others."""
    same = versions() | {"checksum": "1"}
    check_environments([("a", same), ("b", same)])
    check_environments([("a", same | {"CPU level": "x86-64-v0"})])  # the driver computes nothing
    with pytest.raises(RuntimeError, match="numpy is 0.1 on b and not"):
        check_environments([("a", same), ("b", same | {"numpy": "0.1"})])
    with pytest.raises(RuntimeError, match="CPU level is x86-64-v0 on b and not .* Set WORDRANK_CPU_LEVEL"):
        check_environments([("a", same), ("b", same | {"CPU level": "x86-64-v0"})])


def test_machine_that_computes_other_bytes_is_refused(lee_pairs, monkeypatch):
    """The handshake compares the result of a fixed computation: versions do not show compiler flags."""
    results = iter("ab")
    monkeypatch.setattr(peer, "fingerprint", lambda: next(results))
    with in_process(2) as cluster, pytest.raises(RuntimeError, match=r"checksum is [ab] on \S+ and not [ab]\. Inst"):
        WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=1, cluster=cluster)


def test_default_client_of_another_cluster_is_not_used(lee_pairs, one_machine):
    """A default client of another cluster, which cannot reach these workers, does not disturb training."""
    security = Security.temporary()
    with (
        in_process(1) as other,
        Client(other),
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, security=security, protocol="tls://",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster, set_as_default=False, direct_to_workers=True) as client,
    ):  # fmt: skip
        model = WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=client)
    assert fingerprint(model) == one_machine


def test_cluster_without_workers_is_refused(lee_pairs):
    """Training waits for workers for a limited time, and then raises an error."""
    with in_process(0) as cluster, Client(cluster, set_as_default=False) as client:
        connected = DaskBackend(Session(client, timeouts=Timeouts(replacement=0.2)), LocalBackend())
        with pytest.raises(RuntimeError, match="The cluster has no workers. Start some"):
            WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=1, cluster=connected)


# ---- failures


def kill(client, address):
    """Kill the process of a worker."""
    os.kill(client.run(os.getpid, workers=[address])[address], signal.SIGKILL)


def test_killed_worker_is_replaced(lee_pairs, undisturbed, three):
    """Its nanny restarts it, and training continues from the last fetched state to the same vectors."""
    session = Session(three, timeouts=Timeouts(answer=20, replacement=60))
    assert train_disturbed(session, lee_pairs, lambda address: kill(three, address)) == undisturbed
    assert session.failures == ["127.0.0.1 was lost (Unable to contact Actor's worker)"]
    assert session.n_workers == 3


def test_killed_worker_is_replaced_among_many_blocks(lee_pairs, many_blocks, three):
    """With 64 blocks, too, training continues after a worker is killed, and gives the same vectors."""
    session = Session(three, timeouts=Timeouts(answer=20, replacement=60))
    disturbed = train_disturbed(session, lee_pairs, lambda address: kill(three, address), MANY_BLOCKS)
    assert disturbed == many_blocks
    assert len(session.failures) == 1


def test_texts_are_counted_again_if_a_worker_is_lost(lee, three, tmp_path, monkeypatch):
    """If a worker is killed after counting, the others count again, and the vectors are the same."""
    connected = DaskBackend(Session(three, timeouts=Timeouts(replacement=0.5)), LocalBackend())
    (tmp_path / "text").write_text("\n".join(map(" ".join, lee)))
    started, start_training = [], backend._start_training

    def kill_first(group, *arguments):
        started.append(group.workers)
        if len(started) == 1:
            kill(group.client, group.workers[1])
        start_training(group, *arguments)

    monkeypatch.setattr(backend, "_start_training", kill_first)
    options = {"corpus_file": tmp_path / "text", "vector_size": SIZE, "epochs": 1}
    assert fingerprint(WordRank(cluster=connected, **options)) == fingerprint(WordRank(**options))
    assert len(started) == 2


def test_slow_worker_is_left_out(lee_pairs, undisturbed, three):
    """A worker that takes far longer than the others is left out, and the failure names it."""

    def slow_down():
        import time

        from gensim_wordrank.training.sampled import PartitionEpoch

        PartitionEpoch.at_full_speed = PartitionEpoch.run_cell
        PartitionEpoch.run_cell = lambda *arguments: time.sleep(10)

    def speed_up():
        from gensim_wordrank.training.sampled import PartitionEpoch

        PartitionEpoch.run_cell = PartitionEpoch.at_full_speed

    session = Session(three, timeouts=Timeouts(answer=1))
    result = train_disturbed(session, lee_pairs, lambda address: three.run(slow_down, workers=[address]))
    three.run(speed_up, workers=list(session.left_out))
    assert result == undisturbed
    assert session.failures == ["127.0.0.1 was too slow (another machine did not answer within 1 s)"]
    assert len(session.left_out) == 1


def test_hanging_worker_is_left_out(lee_pairs, undisturbed, three):
    """If a worker process is suspended and stops answering, training continues without it."""
    pids, stopped = three.run(os.getpid), []

    def hang(address):
        stopped.append(pids[address])
        os.kill(pids[address], signal.SIGSTOP)

    session = Session(three, timeouts=Timeouts(answer=1, stop=1, replacement=0.2))
    try:
        result = train_disturbed(session, lee_pairs, hang)
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGKILL)
    assert result == undisturbed
    assert session.failures[0].startswith("127.0.0.1 was lost")
    assert session.n_workers == 2


@pytest.fixture
def failing(monkeypatch):
    """Return a list of (epoch, error): each error is raised once in that epoch, by one machine."""
    failures, run = [], TrainingPeer.run

    async def run_or_fail(self, epoch, point):
        if failures and failures[0][0] == epoch and self.machine == 0:
            raise failures.pop(0)[1]
        return await run(self, epoch, point)

    monkeypatch.setattr(TrainingPeer, "run", run_or_fail)
    return failures


def test_failures_before_progress_are_forgiven(lee_pairs, one_machine, failing):
    """Six failures end no training that goes on between them, and the vectors are the same."""
    failing += [(epoch, ConnectionResetError("the cable is loose")) for epoch in (0, 0, 2, 2, 4, 4)]
    with in_process(2) as cluster:
        model = WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=cluster)
    assert not failing
    assert fingerprint(model) == one_machine


def test_worker_with_a_full_disk_is_left_out(lee_pairs, one_machine, failing):
    """The other workers go on; a single one ends training with an error that names the disk."""
    failing += [(1, OSError(errno.ENOSPC, "No space left on device"))]
    with in_process(2) as cluster, connect(cluster) as connected:
        model = WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=connected)
        assert connected.session.n_workers == 1
        assert fingerprint(model) == one_machine
        failing += [(1, OSError(errno.ENOSPC, "No space left on device"))]
        with pytest.raises(RuntimeError, match="given up after 1 failure.* has a full disk .*No space left on device"):
            WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=connected)


def test_last_vectors_survive_giving_up(lee_pairs, failing):
    """When machines fail again and again, the error holds a model with the vectors that were fetched last."""
    failing += [(6, ConnectionResetError("the cable is loose"))] * 3
    with in_process(2) as cluster, pytest.raises(StoppedError, match="given up after 3 failures") as caught:
        WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=10, cluster=cluster)
    expected = WordRank.from_cooccurrence(
        lee_pairs, vector_size=SIZE, epochs=10, callbacks=[StopAfter(caught.value.model.epochs_done)]
    )
    assert caught.value.model.epochs_done == 5
    assert fingerprint(caught.value.model) == fingerprint(expected)


@pytest.mark.parametrize(
    ("failure", "raised", "message"),
    [
        # may be the machine's fault: retried, then the error names the machine and the reason
        (
            ConnectionResetError("the cable is loose"),
            RuntimeError,
            r"given up after 3 failures: HOST failed \(the cable is loose\); HOST failed .*; HOST failed",
        ),
        # a floating-point error of a kernel is no failure of its machine
        (
            FloatingPointError("a step is too long"),
            FloatingPointError,
            r"diverged in epoch 1 of 1; .* a step is too long",
        ),
        # would occur again on any machine: raised at once, with the name of the host
        (
            MemoryError("no room for the pairs"),
            RuntimeError,
            "The work failed on HOST: MemoryError: no room for the pairs",
        ),
    ],
    ids=["machine", "divergence", "memory"],
)
def test_repeated_errors_end_training(lee_pairs, monkeypatch, failure, raised, message):
    """Connection errors are retried three times; divergence and other errors are raised at once."""

    async def fail(self, epoch, step):
        raise failure

    monkeypatch.setattr(TrainingPeer, "run", fail)
    with in_process(1) as cluster:
        host = get_address_host(cluster.workers[0].address)
        with pytest.raises(raised, match=message.replace("HOST", re.escape(host))):
            WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=1, cluster=cluster)
