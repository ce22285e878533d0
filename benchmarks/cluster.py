"""Train over machines that are network namespaces, and measure bytes on the wire and time spent waiting.

    python benchmarks/cluster.py PAIRS [--text TEXT] [--hosts 2] [--mbit 0] [--vector-size 100]
    python benchmarks/cluster.py PAIRS --cut SECONDS

PAIRS is a directory that `wordrank cooccur` wrote; with TEXT, what it was counted from, counting over the machines is
measured too, and its result compared. With SECONDS, the network of one machine is cut off in the middle of an epoch,
and mended after so many; the vectors are compared with those of an undisturbed run. Needs root, iproute2 and sshd. The
namespaces have no default route and are removed at the end.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import asyncssh
import click
import numpy as np
from gensim_wordrank import Cooccurrence, Objective
from gensim_wordrank.cluster import Hosts
from gensim_wordrank.cluster.backend import FETCH_EVERY, DaskBackend
from gensim_wordrank.cluster.session import Session, Timeouts
from gensim_wordrank.cluster.ssh import launched
from gensim_wordrank.training.backend import LocalBackend
from gensim_wordrank.training.partition import Partition
from gensim_wordrank.training.sampled import TrainingConfig
from gensim_wordrank.training.schedule import SchedulePoint
from gensim_wordrank.training.state import State, initial_accumulator, initial_bias, initial_vectors

SWITCH = f"wr{os.getpid()}"  # the namespace of the driver, with the bridge
PORT = 22422
POINT = SchedulePoint(0.15)
USUAL, CUT_OFF = Timeouts(), Timeouts(answer=5.0)  # the latter for a machine that is cut off


def ip(*arguments: str, check: bool = True) -> None:
    """Run the command ip."""
    subprocess.run(["ip", *arguments], check=check, capture_output=not check)


def address(i: int) -> str:
    """Return the address of a machine; the driver is number 0."""
    return f"10.77.0.{i + 1}"


@contextmanager
def network(n_hosts: int, mbit: int) -> Iterator[list[str]]:
    """Make a namespace a machine, joined by a bridge in that of the driver; yield their names."""
    hosts = [f"{SWITCH}h{i}" for i in range(1, n_hosts + 1)]
    try:
        for name in (SWITCH, *hosts):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("-n", SWITCH, "link", "add", "bridge", "type", "bridge")
        ip("-n", SWITCH, "addr", "add", f"{address(0)}/24", "dev", "bridge")
        ip("-n", SWITCH, "link", "set", "bridge", "up")
        for i, host in enumerate(hosts, 1):
            ip("-n", SWITCH, "link", "add", f"port{i}", "type", "veth", "peer", "name", "eth0", "netns", host)
            ip("-n", SWITCH, "link", "set", f"port{i}", "master", "bridge", "up")
            ip("-n", host, "addr", "add", f"{address(i)}/24", "dev", "eth0")
            ip("-n", host, "link", "set", "eth0", "up")
            if mbit:
                limit = ["tbf", "rate", f"{mbit}mbit", "burst", "256kb", "latency", "50ms"]
                command = ["tc", "-n", host, "qdisc", "add", "dev", "eth0", "root", *limit]
                subprocess.run(command, check=True)
        yield hosts
    finally:
        for name in (SWITCH, *hosts):
            left = subprocess.run(["ip", "netns", "pids", name], check=False, capture_output=True, text=True).stdout
            for pid in left.split():  # an SSH server that was cut off does not see that its client has gone
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            ip("netns", "del", name, check=False)


def write_keys(folder: Path, n_hosts: int) -> None:
    """Write the keys and configurations of the SSH servers and of their client."""
    for name in ("host", "user"):
        key = asyncssh.generate_private_key("ssh-ed25519")
        key.write_private_key(folder / name)
        key.write_public_key(folder / f"{name}.pub")
        (folder / name).chmod(0o600)
    Path("/run/sshd").mkdir(exist_ok=True)
    public = (folder / "host.pub").read_text()
    (folder / "known").write_text("".join(f"[{address(i + 1)}]:{PORT} {public}" for i in range(n_hosts)))
    (folder / "ssh_config").write_text(
        f"Port {PORT}\nUser root\nIdentityFile {folder}/user\nUserKnownHostsFile {folder}/known\n"
    )
    (folder / "sshd_config").write_text(
        f"Port {PORT}\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\nPidFile none\n"
        "PasswordAuthentication no\nUsePAM no\nStrictModes no\n"
    )


@contextmanager
def servers(folder: Path, hosts: list[str]) -> Iterator[None]:
    """Run an SSH server in every namespace."""
    program = shutil.which("sshd", path="/usr/sbin") or "sshd"
    with ExitStack() as stack:
        for host in hosts:
            command = ["ip", "netns", "exec", host, program, "-D", "-f", str(folder / "sshd_config")]
            stack.callback(stack.enter_context(subprocess.Popen(command)).terminate)
        time.sleep(1)
        yield


@contextmanager
def session_on(n_hosts: int, folder: Path, timeouts: Timeouts = USUAL) -> Iterator[Session]:
    """Start a worker with one thread on every machine."""
    hosts = Hosts([f"{address(i + 1)} threads=1" for i in range(n_hosts)], folder / "ssh_config")
    with launched(hosts) as (client, restart), closing(Session(client, restart, timeouts)) as session:
        yield session


def received(n_hosts: int) -> int:
    """Return the bytes that all machines have received, headers included; called in the namespace of the driver."""
    shown = subprocess.run(["ip", "-s", "-j", "link"], check=True, capture_output=True, text=True).stdout
    sent = {link["ifname"]: int(link["stats64"]["tx"]["bytes"]) for link in json.loads(shown)}
    return sum(sent[f"port{i + 1}"] for i in range(n_hosts))


def least(partition: Partition, size: int, n_hosts: int) -> float:
    """Return the bytes that an epoch must move: vectors, bias and accumulators of contexts.

    In every stratum but the last a block comes to each machine; between epochs all contexts go to another
    machine but one in n_hosts.
    """
    matrix = partition.n_contexts * (size + 2) * 4
    around = n_hosts * (partition.n_blocks - 1) / partition.n_blocks if n_hosts > 1 else 0
    return matrix * (around + (n_hosts - 1) / n_hosts)


def least_in_any_order(partition: Partition, size: int, n_hosts: int) -> float:
    """Return the same if the order in which blocks meet were free: then a context would visit every machine once."""
    return partition.n_contexts * (size + 2) * 4 * (n_hosts - 1) * (1 + 1 / n_hosts)


def start(counts: Cooccurrence, size: int) -> State:
    """Return where training starts."""
    n = counts.shape[0]
    bias, accumulator = initial_bias(counts.summarize().context_sums), initial_accumulator(counts.counts)
    return State(initial_vectors(n, size, 1, 0), initial_vectors(n, size, 1, 1), bias, accumulator, accumulator)


def config_of(counts: Cooccurrence, size: int) -> TrainingConfig:
    """Return the configuration of a run with the default objective."""
    return TrainingConfig.of(counts.summarize(), Objective(), size, seed=1)


def here(counts: Cooccurrence, size: int, threads: int) -> float:
    """Return the seconds of an epoch on this machine alone."""
    seconds = []
    results = LocalBackend(threads).run_epochs(config_of(counts, size), counts, start(counts, size), [POINT] * 3)
    for _ in range(3):
        began = time.perf_counter()
        next(results)
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def measure(counts: Cooccurrence, size: int, folder: Path, n_hosts: int) -> dict[str, Any]:
    """Train; return what an epoch moved and took, by the median of those in which the driver fetches no vectors."""
    config = config_of(counts, size)
    moved, seconds, waited = [], [], []
    with session_on(n_hosts, folder) as session:
        backend = DaskBackend(session, LocalBackend())
        results = backend.run_epochs(config, counts, start(counts, size), [POINT] * FETCH_EVERY)
        next(results)  # the first epoch brings pairs and vectors to the machines
        for _ in range(FETCH_EVERY - 2):
            before, began = received(n_hosts), time.perf_counter()
            next(results)
            seconds.append(time.perf_counter() - began)
            moved.append(received(n_hosts) - before)
            waited.append(float(np.mean([each.waited / each.seconds for each in backend.reports])))
    partition = config.partition
    minimum = least(partition, size, n_hosts)
    return {
        "hosts": n_hosts,
        "blocks": partition.n_blocks,
        "MB moved": round(float(np.median(moved)) / 1e6, 1),
        "MB at least": round(minimum / 1e6, 1),
        "ratio": round(float(np.median(moved)) / minimum, 3) if minimum else None,
        "MB in any order": round(least_in_any_order(partition, size, n_hosts) / 1e6, 1),
        "seconds": round(float(np.median(seconds)), 2),
        "share waiting": round(float(np.median(waited)), 3),
    }


def count(text: str, counts: Cooccurrence, folder: Path, n_hosts: int) -> dict[str, Any]:
    """Count over the machines, with the words of counts from this machine; return what it moved and took."""
    with session_on(n_hosts, folder) as session:
        before, began = received(n_hosts), time.perf_counter()
        backend = DaskBackend(session, LocalBackend())
        found = backend.read(None, text, {word: i for i, word in enumerate(counts.words)})
        there = backend.count(found, 15, True, True)
        seconds, moved = time.perf_counter() - began, received(n_hosts) - before
        sums = there.summarize().context_sums == counts.summarize().context_sums
        same = bool(sums.all() and (there.indptr == counts.indptr).all())
    return {"seconds, counting": round(seconds, 1), "MB, counting": round(moved / 1e6), "same pairs": same}


def cut(counts: Cooccurrence, size: int, folder: Path, n_hosts: int, lasting: float) -> dict[str, Any]:
    """Cut off the last machine in an epoch; return what came of it, and whether the vectors are the right ones."""
    config, points = config_of(counts, size), [POINT] * FETCH_EVERY
    port, seconds = f"port{n_hosts}", list[float]()
    with session_on(n_hosts, folder, CUT_OFF) as session:
        results = DaskBackend(session, LocalBackend()).run_epochs(config, counts, start(counts, size), points)
        for epoch in range(FETCH_EVERY):
            if epoch == 2:
                for wait, state_of_link in ((seconds[-1] / 2, "down"), (seconds[-1] / 2 + lasting, "up")):
                    timer = threading.Timer(wait, ip, ("link", "set", port, state_of_link))
                    timer.daemon = True
                    timer.start()
            began = time.perf_counter()
            result = next(results)
            seconds.append(time.perf_counter() - began)
        state = result.state()
    *_, right = LocalBackend(2).run_epochs(config, counts, start(counts, size), points)
    return {
        "hosts": n_hosts,
        "hosts in the end": session.n_workers,
        "failures": session.failures,
        "seconds of epochs": [round(each, 2) for each in seconds],
        "same vectors": all(
            np.array_equal(one, other)
            for one, other in zip(vars(state).values(), vars(right.state()).values(), strict=True)
        ),
    }


@click.command()
@click.argument("pairs", type=click.Path(exists=True))
@click.option("--text", type=click.Path(exists=True), help="To count over the machines.")
@click.option("--hosts", "n_hosts", default=2, show_default=True)
@click.option("--mbit", default=0, help="Speed of every machine's network; 0 for as fast as it goes.")
@click.option("--vector-size", default=100, show_default=True)
@click.option("--cut", "lasting", type=float, help="Seconds for which a machine is cut off, in an epoch.")
@click.option("--folder", hidden=True, help="Of keys: says that this runs in the namespace of the driver.")
def main(
    pairs: str, text: str | None, n_hosts: int, mbit: int, vector_size: int, lasting: float | None, folder: str | None
) -> None:
    """Measure an epoch over several machines."""
    counts = Cooccurrence.load(pairs, mmap="r")
    if folder and lasting is not None:
        print(json.dumps(cut(counts, vector_size, Path(folder), n_hosts, lasting)))
        return
    if folder:
        result = measure(counts, vector_size, Path(folder), n_hosts)
        result |= count(text, counts, Path(folder), n_hosts) if text else {}
        alone = {f"alone, {n} threads": round(here(counts, vector_size, n), 2) for n in (1, 2)}
        print(json.dumps(result | {"Mbit": mbit or None} | alone))
        return
    with tempfile.TemporaryDirectory() as keys, network(n_hosts, mbit) as hosts:
        write_keys(Path(keys), n_hosts)
        with servers(Path(keys), hosts):
            command = [sys.executable, __file__, *sys.argv[1:], "--folder", keys]
            subprocess.run(["ip", "netns", "exec", SWITCH, *command], check=True, timeout=900)


if __name__ == "__main__":
    main()
