"""Training on several machines: the same vectors, whatever happens to the machines."""

import os
import pickle
import re
import shutil
import signal
import sys

import numpy as np
import pytest
from distributed import Client, LocalCluster
from distributed.comm import get_address_host
from gensim.models.callbacks import CallbackAny2Vec
from gensim_wordrank import Checkpoints, Cooccurrence, WordRank
from gensim_wordrank._utils.versions import versions
from gensim_wordrank.cluster import Hosts, backend, connect, shards
from gensim_wordrank.cluster.backend import DaskBackend
from gensim_wordrank.cluster.session import Session, Timeouts, check_environments
from gensim_wordrank.cluster.training import Ring, TrainingPeer
from gensim_wordrank.training.backend import LocalBackend
from gensim_wordrank.training.partition import Partition
from scipy.sparse import csr_matrix

from clusters import EPOCHS, SIZE, disturbed, fingerprint, undisturbed
from problems import make_problem

pytestmark = pytest.mark.cluster


def in_process(n):
    """A cluster of n workers that are threads of this process."""
    return LocalCluster(n_workers=n, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0")


@pytest.fixture(scope="module")
def nannies():
    """A client of a cluster of three processes, which are started again when they are killed."""
    with (
        LocalCluster(n_workers=3, threads_per_worker=1, memory_limit=0, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def three(nannies):
    """The same, with all three workers in good health."""
    nannies.wait_for_workers(3, timeout=60)
    return nannies


@pytest.fixture(scope="module")
def alone(lee_pairs):
    """What one machine makes of them."""
    return fingerprint(WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS))


@pytest.fixture(scope="module")
def unharmed(lee_pairs):
    """What training without a disturbance gives."""
    return undisturbed(lee_pairs)


def fit(model, counts):
    """Train a model that has a vocabulary on counts, where its cluster is."""
    with model._connect() as backend:
        model._fit(backend, counts, (), None)


# ---- the same bytes


@pytest.mark.parametrize("n_machines", [1, 2, 3, 8])
def test_every_machine_has_the_blocks_it_needs(n_machines):
    """Passing one block on in every stratum brings each machine the contexts that its words meet next."""
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
    contexts = partition.contexts(0)
    for machine in range(n_machines):
        assert held[machine] == set(ring.last_blocks(machine))
        assert (ring.holders(contexts)[ring.last_contexts(machine, contexts)] == machine).all()


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_machines_do_not_change_a_byte(lee_pairs, alone, n):
    """1, 2 and 3 workers give the vectors and the loss of one machine; so do more workers than there are blocks."""
    with in_process(n) as cluster:
        model = WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=cluster)
    assert fingerprint(model) == alone


def test_a_client_an_address_and_processes_will_do(lee_pairs, alone, tmp_path, three):
    """A client is used and left open; so is what its address leads to; workers may read the pairs from a disk."""
    lee_pairs.save(tmp_path / "pairs")
    mapped = Cooccurrence.load(tmp_path / "pairs", mmap="r")
    for given, one in ((lee_pairs, three), (mapped, three.scheduler.address)):
        model = WordRank.from_cooccurrence(given, vector_size=SIZE, epochs=EPOCHS, cluster=one)
        assert fingerprint(model) == alone
    assert three.status == "running"


def test_pairs_on_a_shared_disk_are_not_sent(lee_pairs, tmp_path, monkeypatch):
    """Workers that see the directory of the co-occurrences read their rows from it; others get them."""
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


def test_pairs_that_are_others_than_on_the_disk_are_sent(lee_pairs, tmp_path):
    """What was changed in memory, has more words, or was replaced on the disk since, is what machines train on."""
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


def test_rows_are_read_and_checked(lee_pairs, tmp_path):
    """A machine reads a range of rows, and refuses columns and offsets that are none."""
    lee_pairs.save(tmp_path / "pairs")
    found = shards.read_rows(str(tmp_path / "pairs"), 5, 1000, 1750, {})
    got = csr_matrix((found.data, found.indices, found.indptr), (995, 1750))
    assert (got != lee_pairs.matrix[5:1000]).nnz == 0
    for name, wrong, message in (("indices", 1750, "damaged.*Got 1750 instead"), ("indptr", 10**9, "are damaged")):
        array = np.load(tmp_path / "pairs" / f"{name}.npy", mmap_mode="r+")
        array[0] = wrong
        array.flush()
        with pytest.raises(ValueError, match=message):
            shards.read_rows(str(tmp_path / "pairs"), 0, 1000, 1750, {})


def test_contexts_never_pass_through_the_driver(lee_pairs, monkeypatch):
    """In epochs after which nobody asks for vectors, the driver gets none."""
    asked = []
    report = TrainingPeer.get_state

    async def spy(self):
        asked.append(self.machine)
        return await report(self)

    monkeypatch.setattr(TrainingPeer, "get_state", spy)
    with in_process(2) as cluster:
        WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=cluster)
    assert asked == [0, 1, 0, 1]  # after the fifth epoch, for the case of a failure, and at the end


def test_callbacks_see_the_vectors_and_may_stop(lee_pairs):
    """After every epoch a callback finds the vectors that one machine would have then."""
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


def test_a_run_goes_on_from_its_checkpoint(lee_pairs, alone, tmp_path):
    """Checkpoints are written when they are due, here or on machines, and a run goes on from them on machines."""
    with in_process(2) as cluster:
        WordRank.from_cooccurrence(
            lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=cluster, checkpoint=Checkpoints(tmp_path, every=3)
        )
        assert sorted(path.name for path in tmp_path.glob("epoch-*")) == ["epoch-000006", "epoch-000007"]
        shutil.rmtree(tmp_path / "epoch-000007")
        assert fingerprint(WordRank.resume(tmp_path, cluster=cluster)) == alone


def test_a_connection_trains_several_models(lee_pairs, alone):
    """A second model trained on the same connection gets the vectors of one machine, too."""
    with in_process(2) as cluster, connect(cluster) as connected:
        for _ in range(2):
            model = WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=EPOCHS, cluster=connected)
            assert fingerprint(model) == alone


def test_a_model_is_saved_without_its_cluster(lee_pairs, tmp_path):
    """A model that was trained on a cluster is saved and loaded as any other."""
    with in_process(1) as cluster:
        model = WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=1, cluster=cluster)
        model.save(tmp_path / "model")
        assert model.cluster is cluster
    loaded = WordRank.load(tmp_path / "model")
    assert loaded.cluster is None
    assert fingerprint(loaded) == fingerprint(model)


def test_divergence_is_said(lee_pairs):
    """An absurd learning rate ends in the same error as on one machine, and the cluster is free again."""
    with in_process(2) as cluster, Client(cluster, set_as_default=False) as client:
        model = WordRank(vector_size=SIZE, min_count=1, cluster=client)
        model.build_vocab_from_freq(dict(zip(lee_pairs.words, lee_pairs.counts.tolist(), strict=True)))
        model.alpha = 1e30
        with pytest.raises(FloatingPointError, match=r"diverged in epoch 1 of 10; the vectors are those of the epoch"):
            fit(model, lee_pairs.reindex(model.wv.index_to_key))
        assert np.isfinite(model.wv.vectors).all()


# ---- refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster": 3}, "'cluster' must be a Dask client, cluster or address of a scheduler, or Hosts. Got 3"),
        ({"cluster": "tcp://127.0.0.1:1", "solver": "triplet"}, "'solver' must be 'sampled' with a 'cluster'"),
    ],
)
def test_what_cannot_run_on_a_cluster_is_refused_before_counting(options, message):
    """Wrong kinds of clusters, and Algorithm 1, are refused at once."""
    with pytest.raises(ValueError, match=message):
        WordRank(**options)


@pytest.mark.parametrize("missing", ["distributed", "asyncssh"])
def test_without_the_extra_the_error_says_what_to_install(missing, monkeypatch):
    """Machines need libraries that are an extra; the error prints the line for pip."""
    for name in ("backend", "ssh"):
        monkeypatch.delitem(sys.modules, f"gensim_wordrank.cluster.{name}", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=rf"{missing}.*pip install 'gensim-wordrank\[distributed\]'"):
        WordRank.from_cooccurrence(np.eye(2), cluster=Hosts(["127.0.0.1"]))


def test_locked_vectors_are_refused(lee_pairs):
    """A cluster would not hold them."""
    with in_process(1) as cluster:
        model = WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=1, cluster=cluster)
        model.wv.vectors_lockf = np.zeros(1, np.float32)
        with pytest.raises(ValueError, match="'wv.vectors_lockf' locks vectors only without a 'cluster'"):
            fit(model, lee_pairs)


def test_machines_that_differ_are_refused():
    """Another version than the driver's, or CPU levels that differ, are named with their host."""
    same = versions()
    check_environments({"a": same, "b": same})
    check_environments({"a": same | {"CPU level": "x86-64-v0"}})  # the driver computes nothing
    with pytest.raises(RuntimeError, match="numpy is 0.1 on b and not"):
        check_environments({"a": same, "b": same | {"numpy": "0.1"}})
    with pytest.raises(RuntimeError, match="CPU level is x86-64-v0 on b and not"):
        check_environments({"a": same, "b": same | {"CPU level": "x86-64-v0"}})


def test_a_cluster_without_workers(lee_pairs):
    """Training does not wait forever for workers."""
    with in_process(0) as cluster, Client(cluster, set_as_default=False) as client:
        connected = DaskBackend(Session(client, timeouts=Timeouts(replacement=0.2)), LocalBackend())
        with pytest.raises(RuntimeError, match="The cluster has no workers. Start some"):
            WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=1, cluster=connected)


# ---- failures


def kill(client, address):
    """Kill the process of a worker."""
    os.kill(client.run(os.getpid, workers=[address])[address], signal.SIGKILL)


def test_a_killed_worker_is_replaced(lee_pairs, unharmed, three):
    """Its nanny starts another, and training goes on from the last state that was kept, to the same vectors."""
    session = Session(three, timeouts=Timeouts(answer=20, replacement=60))
    assert disturbed(session, lee_pairs, lambda address: kill(three, address)) == unharmed
    assert session.failures == ["127.0.0.1 was lost (Unable to contact Actor's worker)"]
    assert session.n_workers == 3


def test_a_worker_that_is_lost_after_counting(lee, three, tmp_path, monkeypatch):
    """The texts are counted again, and the vectors are the same."""
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


def test_a_slow_worker_is_given_up(lee_pairs, unharmed, three):
    """A worker that answers, but needs far longer than the others, is left out, and named."""

    def slow_down():
        import time

        from gensim_wordrank.training.sampled import PartitionEpoch

        PartitionEpoch.at_full_speed = PartitionEpoch.run_stratum
        PartitionEpoch.run_stratum = lambda *arguments: time.sleep(10)

    def speed_up():
        from gensim_wordrank.training.sampled import PartitionEpoch

        PartitionEpoch.run_stratum = PartitionEpoch.at_full_speed

    session = Session(three, timeouts=Timeouts(answer=1))
    result = disturbed(session, lee_pairs, lambda address: three.run(slow_down, workers=[address]))
    three.run(speed_up, workers=list(session.slow))
    assert result == unharmed
    assert session.failures == ["127.0.0.1 was too slow (another machine did not answer within 1 s)"]
    assert len(session.slow) == 1


def test_a_worker_that_hangs_is_given_up(lee_pairs, unharmed, three):
    """A process that is stopped answers nobody, as behind a cut link: the others notice and go on without it."""
    pids, stopped = three.run(os.getpid), []

    def hang(address):
        stopped.append(pids[address])
        os.kill(pids[address], signal.SIGSTOP)

    session = Session(three, timeouts=Timeouts(answer=1, stop=1, replacement=0.2))
    try:
        result = disturbed(session, lee_pairs, hang)
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGKILL)
    assert result == unharmed
    assert session.failures[0].startswith("127.0.0.1 was lost")
    assert session.n_workers == 2


@pytest.mark.parametrize(
    ("failure", "raised", "message"),
    [
        # it may be the machine: others are tried, and the error names it and the reason
        (
            ConnectionResetError("the cable is loose"),
            RuntimeError,
            r"given up after 3 failures: HOST failed \(the cable is loose\); HOST failed .*; HOST failed",
        ),
        # what a kernel says of numbers out of range is not taken for a failure of its machine
        (
            FloatingPointError("a step is too long"),
            FloatingPointError,
            r"diverged in epoch 1 of 1; .* a step is too long",
        ),
        # what would fail again, fails at once, with the name of the host
        (
            MemoryError("no room for the pairs"),
            RuntimeError,
            "The work failed on HOST: MemoryError: no room for the pairs",
        ),
    ],
    ids=["machine", "divergence", "memory"],
)
def test_an_error_that_comes_every_time_ends_training(lee_pairs, monkeypatch, failure, raised, message):
    """Each kind in its own way."""

    async def fail(self, epoch, step):
        raise failure

    monkeypatch.setattr(TrainingPeer, "run", fail)
    with in_process(1) as cluster:
        host = get_address_host(cluster.workers[0].address)
        with pytest.raises(raised, match=message.replace("HOST", re.escape(host))):
            WordRank.from_cooccurrence(lee_pairs, vector_size=SIZE, epochs=1, cluster=cluster)
