"""Machines reached by SSH: here addresses of the loopback interface, with a server and keys made for the tests."""

import asyncio
import getpass
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path

import asyncssh
import psutil
import pytest
from click.testing import CliRunner
from distributed.security import Security
from gensim.models.callbacks import CallbackAny2Vec
from gensim_wordrank import WordRank
from gensim_wordrank.cli.main import main
from gensim_wordrank.cluster import Host, Hosts, ssh
from gensim_wordrank.cluster.session import Session, Timeouts
from gensim_wordrank.cluster.ssh import SshWorker, launched

from clusters import EPOCHS, SIZE, disturbed, find_program, fingerprint, undisturbed

pytestmark = pytest.mark.cluster
ADDRESSES = ("127.0.0.2", "127.0.0.3")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """An SSH server on two loopback addresses; yields its process and a directory with the client's configuration."""
    program = find_program("sshd")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    folder = tmp_path_factory.mktemp("ssh")
    for name in ("host", "user"):
        key = asyncssh.generate_private_key("ssh-ed25519")
        key.write_private_key(folder / name)
        key.write_public_key(folder / f"{name}.pub")
        (folder / name).chmod(0o600)
    with socket.create_server((ADDRESSES[0], 0)) as free:
        port = free.getsockname()[1]
    (folder / "sshd_config").write_text(
        "".join(f"ListenAddress {address}:{port}\n" for address in ADDRESSES)
        + f"HostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\nPidFile none\n"
        + "PasswordAuthentication no\nUsePAM no\nStrictModes no\n"
    )
    public = (folder / "host.pub").read_text()
    (folder / "known_hosts").write_text("".join(f"[{address}]:{port} {public}" for address in ADDRESSES))
    (folder / "unknown_hosts").write_text("")
    for known in ("known", "unknown"):
        (folder / f"{known}_config").write_text(
            f"Port {port}\nUser {getpass.getuser()}\nIdentityFile {folder}/user\n"
            f"UserKnownHostsFile {folder}/{known}_hosts\n"
        )
    with subprocess.Popen([program, "-D", "-e", "-f", folder / "sshd_config"], stderr=subprocess.DEVNULL) as process:
        wait_for_port(port)
        yield process, folder
        process.terminate()


def wait_for_port(port):
    """Wait until the server answers."""
    for _ in range(100):
        try:
            with socket.create_connection((ADDRESSES[0], port), timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("sshd does not start")


def hosts(server, config="known_config", options="threads=1"):
    """Both addresses as machines."""
    return Hosts([f"{address} {options}" for address in ADDRESSES], server[1] / config)


def pythons(server):
    """The Python processes that were started through the server."""
    children = psutil.Process(server[0].pid).children(recursive=True)
    return [child for child in children if "python" in child.name()]


def greeting(address, key=None):
    """What a port says to a client with some key: a byte, or why it refuses."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if key is not None:
        context.load_cert_chain(key)
    try:
        with (
            socket.create_connection(address, timeout=5) as plain,
            context.wrap_socket(plain) as connection,
        ):
            return connection.recv(1)
    except ssl.SSLError as error:
        return error.reason


class Inspector(CallbackAny2Vec):
    """Looks at the processes, files and ports of a cluster while it trains."""

    def __init__(self, server, foreign):
        self.server, self.foreign = server, foreign
        self.processes, self.greetings = [], {}

    def on_epoch_end(self, model):
        """Look once."""
        if self.processes:
            return
        self.processes = pythons(self.server)
        self.commands = [process.cmdline() for process in self.processes]
        environment = self.processes[0].environ()
        self.keys = {Path(process.environ()["DASK_DISTRIBUTED__COMM__TLS__CA_FILE"]) for process in self.processes}
        self.temporary = {Path(process.environ()["TMPDIR"]) for process in self.processes}
        self.secret = next(iter(self.keys)).read_text()
        self.environment = "".join(environment.values())
        self.modes = {path.stat().st_mode & 0o777 for key in self.keys for path in (key, key.parent)}
        owners = [*self.processes, psutil.Process()]
        ports = {c.laddr for p in owners for c in p.net_connections("tcp") if c.status == psutil.CONN_LISTEN}
        for port in ports:
            if port.ip != "127.0.0.1":  # where pages for people are
                reachable = ("127.0.0.1", port.port) if port.ip in ("0.0.0.0", "::") else port[:2]
                keys = {"none": None, "foreign": self.foreign, "right": next(iter(self.keys))}
                self.greetings[port] = {name: greeting(reachable, key) for name, key in keys.items()}


@pytest.fixture(scope="module")
def texts(lee, tmp_path_factory):
    """A corpus in two files."""
    place = tmp_path_factory.mktemp("texts")
    for name, sentences in (("one", lee[:100]), ("two", lee[100:])):
        (place / name).write_text("\n".join(map(" ".join, sentences)))
    return [str(place / "one"), str(place / "two")]


@pytest.fixture(scope="module")
def run(server, texts, tmp_path_factory):
    """Counting and training over SSH, looked at from inside; the model and the inspector."""
    foreign = tmp_path_factory.mktemp("foreign") / "foreign.pem"
    security = Security.temporary()
    foreign.write_text(security.tls_worker_key + security.tls_worker_cert)
    inspector = Inspector(server, foreign)
    model = WordRank(corpus_file=texts, vector_size=SIZE, epochs=EPOCHS, cluster=hosts(server), callbacks=[inspector])
    return model, inspector


def test_the_vectors_are_those_of_one_machine(run, texts):
    """Hosts that are reached by SSH, and that count the texts, give the same bytes."""
    assert fingerprint(run[0]) == fingerprint(WordRank(corpus_file=texts, vector_size=SIZE, epochs=EPOCHS))


def test_nothing_is_left_behind(run):
    """After training the processes on the hosts have ended, and their keys are gone."""
    _, inspector = run
    assert len(inspector.processes) >= 4  # a nanny and a worker each
    _, alive = psutil.wait_procs(inspector.processes, timeout=10)
    assert not alive
    assert inspector.temporary == {key.parent for key in inspector.keys}
    assert not [place for place in inspector.temporary if place.exists()]


def test_keys_are_private(run):
    """Only the user can read the key of a run, which stands in no command line and no variable."""
    _, inspector = run
    assert len(inspector.keys) == 2
    assert inspector.modes == {0o600, 0o700}
    secret = inspector.secret.splitlines()[1]
    assert len(secret) > 50
    assert not [command for command in inspector.commands if secret in "".join(command)]
    assert secret not in inspector.environment


def test_no_port_answers_without_the_certificate(run):
    """Scheduler, nannies and workers refuse clients without a certificate and with another one."""
    _, inspector = run
    assert len(inspector.greetings) >= 5
    for answers in inspector.greetings.values():
        assert answers["none"] == "TLSV13_ALERT_CERTIFICATE_REQUIRED"
        assert answers["foreign"] == "TLSV1_ALERT_UNKNOWN_CA"
        assert len(answers["right"]) == 1


def test_a_host_whose_processes_are_killed_is_started_again(server, lee_pairs):
    """After its nanny was killed a host gets another one by SSH, and training ends with the same vectors."""
    with launched(hosts(server)) as (client, restart):
        nannies, session = client.run(os.getppid), Session(client, restart, Timeouts(answer=20, replacement=0.5))
        result = disturbed(session, lee_pairs, lambda address: os.kill(nannies[address], signal.SIGKILL))
        processes = pythons(server)
    assert result == undisturbed(lee_pairs)
    assert len(session.failures) == 1
    assert session.failures[0].startswith("127.0.0.3 was lost")
    assert session.n_workers == 2
    assert not psutil.wait_procs(processes, timeout=10)[1]


def test_a_host_that_cannot_be_started_again_is_left_out(caplog):
    """The log names it, and it is not waited for."""
    with socket.create_server((ADDRESSES[0], 0)) as free:
        port = free.getsockname()[1]
    worker = SshWorker(Host(ADDRESSES[0]), 1, "no key", {"port": port})
    assert asyncio.run(ssh._restart([worker], present=set())) == set()
    assert f"No worker could be started on {ADDRESSES[0]}" in caplog.text


def test_an_unknown_host_key_is_refused(server):
    """A host that is not among the known ones gets no key, and no worker."""
    with (
        pytest.raises(RuntimeError, match=r"No worker could be started on 127.0.0.[23]: Host key is not trusted"),
        launched(hosts(server, "unknown_config")),
    ):
        pass
    assert not pythons(server)


def test_a_host_without_the_package_is_named(server, tmp_path):
    """The error says which Python lacks what, and nothing is left on the host."""
    python = tmp_path / "bare-python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    message = (
        r"started on 127.0.0.[23]: .*bare-python lacks gensim-wordrank\[distributed\]: .*found for gensim-wordrank"
    )
    with pytest.raises(RuntimeError, match=message), launched(hosts(server, options=f"python={python}")):
        pass
    assert not pythons(server)


def test_the_command_line_trains_on_hosts(server, texts, tmp_path):
    """`wordrank train --hosts` gives the vectors that it gives without, from two texts."""
    (tmp_path / "hosts").write_text("127.0.0.3 threads=1\n")
    there = ["--hosts", str(tmp_path / "hosts"), "--ssh-config", str(server[1] / "known_config")]
    common = ["train", *texts, "--epochs", "2", "--vector-size", str(SIZE), "-q", "-o"]
    results = []
    for name, options in (("here", []), ("there", there)):
        result = CliRunner().invoke(main, [*common, str(tmp_path / name), *options])
        assert result.exit_code == 0, result.output
        results.append(fingerprint(WordRank.load(tmp_path / name)))
    assert results[0] == results[1]
