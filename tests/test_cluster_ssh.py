"""Workers started over SSH, here on loopback addresses, with a server and keys that are made for the tests."""

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
from gensim_wordrank.cli import train
from gensim_wordrank.cli.main import main
from gensim_wordrank.cluster import Host, Hosts, ssh
from gensim_wordrank.cluster.session import Session, Timeouts
from gensim_wordrank.cluster.ssh import SshWorker, launched
from gensim_wordrank.training.backend import StoppedError

from clusters import EPOCHS, SIZE, find_program, fingerprint, train_disturbed, train_undisturbed

pytestmark = pytest.mark.cluster
ADDRESSES = ("127.0.0.2", "127.0.0.3")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Run an SSH server on two loopback addresses; yield its process and the client's configuration directory."""
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
    """Return both addresses as Hosts."""
    return Hosts([f"{address} {options}" for address in ADDRESSES], server[1] / config)


def python_processes(server):
    """Return the Python processes that were started through the server."""
    children = psutil.Process(server[0].pid).children(recursive=True)
    return [child for child in children if "python" in child.name()]


def greeting(address, key=None):
    """Connect to a port with a key; return the first byte of the answer, or the reason for the refusal."""
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
    """Inspects the processes, files and ports of a cluster after the first epoch."""

    def __init__(self, server, foreign):
        self.server, self.foreign = server, foreign
        self.processes, self.greetings = [], {}

    def on_epoch_end(self, model):
        """Inspect the cluster, once."""
        if self.processes:
            return
        self.processes = python_processes(self.server)
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
            if port.ip != "127.0.0.1":  # where the dashboard is served
                reachable = ("127.0.0.1", port.port) if port.ip in ("0.0.0.0", "::") else port[:2]
                keys = {"none": None, "foreign": self.foreign, "right": next(iter(self.keys))}
                self.greetings[port] = {name: greeting(reachable, key) for name, key in keys.items()}


@pytest.fixture(scope="module")
def texts(lee, tmp_path_factory):
    """Return a corpus as two files."""
    place = tmp_path_factory.mktemp("texts")
    for name, sentences in (("one", lee[:100]), ("two", lee[100:])):
        (place / name).write_text("\n".join(map(" ".join, sentences)))
    return [str(place / "one"), str(place / "two")]


@pytest.fixture(scope="module")
def run(server, texts, tmp_path_factory):
    """Count and train over SSH; return the model and the inspector."""
    foreign = tmp_path_factory.mktemp("foreign") / "foreign.pem"
    security = Security.temporary()
    foreign.write_text(security.tls_worker_key + security.tls_worker_cert)
    inspector = Inspector(server, foreign)
    model = WordRank(corpus_file=texts, vector_size=SIZE, epochs=EPOCHS, cluster=hosts(server), callbacks=[inspector])
    return model, inspector


def test_vectors_are_those_of_one_machine(run, texts):
    """Counting and training on hosts over SSH gives the same bytes as one machine."""
    assert fingerprint(run[0]) == fingerprint(WordRank(corpus_file=texts, vector_size=SIZE, epochs=EPOCHS))


def test_hosts_are_cleaned_up(run):
    """After training, the processes on the hosts have ended, and their directories and keys are removed."""
    _, inspector = run
    assert len(inspector.processes) >= 4  # a nanny and a worker each
    _, alive = psutil.wait_procs(inspector.processes, timeout=10)
    assert not alive
    assert inspector.temporary == {key.parent for key in inspector.keys}
    assert not [place for place in inspector.temporary if place.exists()]


def test_keys_are_private(run):
    """Only the user can read the key of a run, and it appears in no command line or environment variable."""
    _, inspector = run
    assert len(inspector.keys) == 2
    assert inspector.modes == {0o600, 0o700}
    secret = inspector.secret.splitlines()[1]
    assert len(secret) > 50
    assert not [command for command in inspector.commands if secret in "".join(command)]
    assert secret not in inspector.environment


def test_ports_require_the_certificate(run):
    """Scheduler, nannies and workers refuse clients without a certificate or with a foreign one."""
    _, inspector = run
    assert len(inspector.greetings) >= 5
    for answers in inspector.greetings.values():
        assert answers["none"] == "TLSV13_ALERT_CERTIFICATE_REQUIRED"
        assert answers["foreign"] == "TLSV1_ALERT_UNKNOWN_CA"
        assert len(answers["right"]) == 1


def test_worker_of_a_killed_nanny_is_restarted(server, lee_pairs):
    """If the nanny of a host is killed, a new one is started over SSH, and the vectors are the same."""
    with launched(hosts(server)) as (client, restart):
        nannies, session = client.run(os.getppid), Session(client, restart, Timeouts(answer=20, replacement=0.5))
        result = train_disturbed(session, lee_pairs, lambda address: os.kill(nannies[address], signal.SIGKILL))
        processes = python_processes(server)
    assert result == train_undisturbed(lee_pairs)
    assert len(session.failures) == 1
    assert session.failures[0].startswith("127.0.0.3 was lost")
    assert session.n_workers == 2
    assert not psutil.wait_procs(processes, timeout=10)[1]


def test_host_that_cannot_be_restarted_is_left_out(caplog):
    """The log names the host, and training does not wait for it."""
    with socket.create_server((ADDRESSES[0], 0)) as free:
        port = free.getsockname()[1]
    worker = SshWorker(Host(ADDRESSES[0]), 1, "no key", {"port": port})
    assert asyncio.run(ssh._restart([worker], present=set())) == set()
    assert f"No worker could be started on {ADDRESSES[0]}" in caplog.text


def test_unknown_host_key_is_refused(server):
    """No worker is started on a host whose key is not in the known hosts file."""
    with (
        pytest.raises(RuntimeError, match=r"No worker could be started on 127.0.0.[23]: Host key is not trusted"),
        launched(hosts(server, "unknown_config")),
    ):
        pass
    assert not python_processes(server)


def test_host_without_the_package_is_named(server, tmp_path):
    """The error names the host, its Python and the missing package, and no process is left on the host."""
    python = tmp_path / "bare-python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    message = (
        r"started on 127.0.0.[23]: .*bare-python lacks gensim-wordrank\[distributed\]: .*found for gensim-wordrank"
    )
    with pytest.raises(RuntimeError, match=message), launched(hosts(server, options=f"python={python}")):
        pass
    assert not python_processes(server)


def test_command_line_trains_on_hosts(server, texts, tmp_path):
    """`wordrank train` gives the same vectors with and without `--hosts`."""
    (tmp_path / "hosts").write_text("127.0.0.3 threads=1\n")
    there = ["--hosts", str(tmp_path / "hosts"), "--ssh-config", str(server[1] / "known_config")]
    common = ["train", *texts, "--epochs", "2", "--vector-size", str(SIZE), "-q", "-o"]
    results = []
    for name, options in (("here", []), ("there", there)):
        result = CliRunner().invoke(main, [*common, str(tmp_path / name), *options])
        assert result.exit_code == 0, result.output
        results.append(fingerprint(WordRank.load(tmp_path / name)))
    assert results[0] == results[1]


def free_ports(n):
    """Return the first of n ports in a row that nobody uses."""
    for first in range(20_000, 30_000, n):
        try:
            for port in range(first, first + n):
                socket.create_server(("", port)).close()
            return first
        except OSError:
            continue
    raise AssertionError("no free ports")


def test_ports_and_scratch_directory_can_be_chosen(server, tmp_path):
    """Workers listen on the ports of their host, the scheduler on its own, and all files are in `scratch`."""
    first = free_ports(9)
    chosen = Hosts(
        [f"{ADDRESSES[0]} threads=1 scratch={tmp_path} ports={first}-{first + 3}"],
        server[1] / "known_config", scheduler_port=first + 8,
    )  # fmt: skip
    with launched(chosen) as (client, _):
        assert len(list(tmp_path.glob("wordrank-*/run.pem"))) == 1
        assert client.scheduler.address.endswith(f":{first + 8}")
        listening = {
            connection.laddr.port
            for process in python_processes(server)
            for connection in process.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN and connection.laddr.ip != "127.0.0.1"
        }
        assert len(listening) == 2
        assert listening <= set(range(first, first + 4))
    assert not list(tmp_path.glob("wordrank-*"))


@pytest.mark.parametrize("kill", [signal.SIGTERM, signal.SIGKILL])
def test_killed_driver_leaves_nothing_on_its_hosts(server, texts, tmp_path, kill):
    """SIGTERM stops the workers; after SIGKILL they stop by themselves. Either way their directories are removed.

    The driver logs errors only, as with ``wordrank train -q``: workers start all the same.
    """
    quiet = os.environ | {"DASK_LOGGING__DISTRIBUTED": "error"}
    script = (
        "from gensim_wordrank.cluster import Hosts, ssh\n"
        "import time\n"
        "ssh.DEATH_SECONDS = 20\n"
        f"with ssh.launched(Hosts(['{ADDRESSES[0]} threads=1 scratch={tmp_path}'], '{server[1]}/known_config')):\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(100)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=quiet) as driver:
        assert driver.stdout.readline() == b"ready\n"
        assert list(tmp_path.glob("wordrank-*/run.pem"))
        driver.send_signal(kill)
        driver.wait(timeout=60)
    if kill == signal.SIGTERM:
        assert driver.returncode == 128 + kill
        assert not list(tmp_path.glob("wordrank-*"))
    for _ in range(600):
        if not list(tmp_path.glob("wordrank-*")):
            break
        time.sleep(0.1)
    assert not list(tmp_path.glob("wordrank-*"))


def test_scratch_directory_that_cannot_be_written_is_named(server, caplog):
    """The error says why, and no worker is said to be left."""
    with (
        pytest.raises(RuntimeError, match=r"started on 127.0.0.2: /proc/wordrank-\w+ cannot be written: mkdir: .*"),
        launched(Hosts([f"{ADDRESSES[0]} scratch=/proc"], server[1] / "known_config")),
    ):
        pass
    assert not [record for record in caplog.records if record.name.startswith("gensim_wordrank")]


def test_silent_host_is_named_soon(server, monkeypatch, caplog):
    """A host that accepts connections and says nothing is named with a remedy, and nothing is stopped there."""
    monkeypatch.setattr(ssh, "CONNECT_SECONDS", 0.5)
    with socket.create_server((ADDRESSES[0], 0)) as silent:
        started = time.monotonic()
        with (
            pytest.raises(RuntimeError, match=r"started on 127.0.0.2: .*[Ll]ogin timeout|it did not answer in time"),
            launched(Hosts([f"{ADDRESSES[0]}:{silent.getsockname()[1]}"], server[1] / "known_config")),
        ):
            pass
    assert time.monotonic() - started < 20
    assert not [record for record in caplog.records if "cannot be reached" in record.message]


def test_command_line_keeps_the_last_vectors(tmp_path, monkeypatch, lee):
    """When a cluster gives up, the vectors that were fetched last are written, and the command fails."""
    model = WordRank(lee, vector_size=SIZE, epochs=2)

    def give_up(texts, options):
        raise StoppedError("Training was given up after 3 failures.", None, model)

    monkeypatch.setattr(train, "train_model", give_up)
    output, text = tmp_path / "model", tmp_path / "text"
    text.write_text("a b\n")
    result = CliRunner().invoke(main, ["train", str(text), "-o", str(output), "-q"])
    assert result.exit_code == 1
    assert f"after 3 failures. Wrote the vectors after 2 of 2 epochs to {output}" in result.output
    assert fingerprint(WordRank.load(output)) == fingerprint(model)


def test_quiet_applies_to_dask():
    """`-q` sets the level of Dask's log, which Dask would set when it is imported."""
    code = (
        "import logging\nfrom click.testing import CliRunner\nfrom gensim_wordrank.cli.main import main\n"
        "CliRunner().invoke(main, ['info', 'nothing', '-q'])\n"
        "import distributed\nprint(logging.getLogger('distributed').level == logging.ERROR)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"True\n"


def test_cpu_level_is_that_of_the_driver(monkeypatch):
    """WORDRANK_CPU_LEVEL of this machine applies to all workers that are started over SSH."""
    monkeypatch.setenv("WORDRANK_CPU_LEVEL", "3")
    assert " WORDRANK_CPU_LEVEL=3 " in ssh.SshWorker(Host("node1"), 1, "", {}).remote_python
