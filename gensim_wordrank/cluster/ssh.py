"""Dask workers on other machines, started and stopped over SSH. The scheduler runs here; all connections use TLS."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shlex
import sys
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any

from distributed import Client, Scheduler, SpecCluster
from distributed.comm import unparse_host_port
from distributed.deploy import ssh
from distributed.security import Security

from gensim_wordrank._utils.system import exit_on_sigterm
from gensim_wordrank.cluster.hosts import Host, Hosts

try:
    import asyncssh
except ImportError as error:
    raise ImportError(
        "Hosts need asyncssh, which is not installed. Run: pip install 'gensim-wordrank[distributed]'"
    ) from error

logger = logging.getLogger(__name__)

# seconds in which a host must answer
CONNECT_SECONDS = 20.0
# seconds to reach a host and stop its worker
SSH_SECONDS = 60.0
# seconds in which a worker must start: a busy host loads Python slowly
START_SECONDS = 120.0
# seconds after which a worker without a scheduler exits
DEATH_SECONDS = 60
# stops the process whose id is in the file, with SIGTERM and then SIGKILL, and removes its directory
STOP = """
read pid < {folder}/pid && grep -q dask_spec /proc/$pid/cmdline && {{
  kill $pid; i=0
  while [ $i -lt 50 ] && kill -0 $pid; do sleep 0.1; i=$((i+1)); done
  kill -9 $pid
}}
rm -rf {folder}
"""
# shows which package is missing; importing them instead would take seconds
HAS_PACKAGES = """
from importlib.metadata import version
print(version("gensim-wordrank"), version("distributed"))
"""


class SshWorker(ssh.Worker):  # type: ignore[misc]  # it has no type information
    """A Dask worker with a nanny, in a directory of its own that only its user can read.

    The directory holds `pem`, the key and certificate of the run, which are sent over SSH and appear in no command
    line. `port` is that of the scheduler on this machine, and `connect_options` are those of asyncssh.
    """

    def __init__(self, host: Host, port: int, pem: str, connect_options: dict[str, Any]) -> None:
        self.host, self.port, self.pem = host, port, pem
        self.folder, self.has_folder = f"{host.scratch}/wordrank-{secrets.token_hex(16)}", False
        self.python = shlex.quote(host.python or sys.executable)
        self.drain: asyncio.Future[None] | None = None
        super().__init__("", host.name, connect_options, {}, remote_python=self._command())

    def _command(self) -> str:
        """Return the command that starts Python with the run's key.

        The shell stores the process id of Python, and removes the directory when Python ends, however that happens.
        """
        pem = f"{self.folder}/run.pem"
        tls = {"CA_FILE": pem, "WORKER__CERT": pem, "WORKER__KEY": pem}
        variables = [f"DASK_DISTRIBUTED__COMM__TLS__{name}={value}" for name, value in tls.items()]
        variables += ["DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=True", "DASK_DISTRIBUTED__WORKER__HTTP__ROUTES='[]'"]
        # Dask hands the driver's log level on, but waits for the line in which the worker logs its address
        variables += ["DASK_LOGGING__DISTRIBUTED=info"]
        variables += [f"TMPDIR={self.folder}"]  # so all temporary files are removed, however the worker ends
        if level := os.environ.get("WORDRANK_CPU_LEVEL"):  # all machines at the same level
            variables += [f"WORDRANK_CPU_LEVEL={shlex.quote(level)}"]
        run = f'"$0" "$@" & echo $! > {self.folder}/pid; wait $!; rm -rf {self.folder}'
        return " ".join([*variables, "sh", "-c", shlex.quote(run), self.python])

    async def start(self) -> None:
        """Send the key, check that Python has the packages, and start the worker."""
        async with asyncssh.connect(self.host.name, **self.connect_options) as connection:
            here, there = (connection.get_extra_info(name)[0] for name in ("sockname", "peername"))
            save_key = f"umask 077 && mkdir {self.folder} && cat > {self.folder}/run.pem"
            self.has_folder = True
            saved = await connection.run(save_key, input=self.pem)
            if saved.exit_status:
                raise OSError(f"{self.folder} cannot be written: {str(saved.stderr).strip() or 'unknown reason'}")
            found = await connection.run(f"{self.python} -c {shlex.quote(HAS_PACKAGES)}")
            if found.exit_status:
                reason = str(found.stderr).strip().rpartition("\n")[2]
                raise ImportError(f"{self.python} lacks gensim-wordrank[distributed]: {reason}. Install it there.")
        self.scheduler = f"tls://{unparse_host_port(here, self.port)}"
        self.kwargs = {
            "host": there,
            "protocol": "tls://",
            "memory_limit": 0,  # the state of actors cannot be spilled to disk
            "death_timeout": DEATH_SECONDS,
            "dashboard_address": "127.0.0.1:0",
            "local_directory": self.folder,
            "name": self.folder,  # unique, and kept when its nanny restarts it
        } | ({} if self.host.threads is None else {"nthreads": self.host.threads})
        if self.host.ports is not None:  # of the nanny, and of the worker
            ports = self.host.ports.replace("-", ":")
            self.kwargs |= {"port": ports, "worker_port": ports}
        await super().start()
        self.drain = asyncio.ensure_future(self._drain())

    async def _drain(self) -> None:
        """Read the output of the worker; otherwise it would block when the pipe is full."""
        async for line in self.proc.stderr:
            logger.debug("%s: %s", self.host.name, line.rstrip())

    async def close(self) -> None:
        """Stop the worker and remove its directory; a host that cannot be reached is left alone."""
        if self.drain is not None:
            self.drain.cancel()
        if not self.has_folder:  # nothing was started
            await super().close()
            return
        try:
            await asyncio.wait_for(self._stop(), SSH_SECONDS)
        except (OSError, asyncssh.Error, asyncio.TimeoutError) as error:
            logger.warning(
                "%s cannot be reached to stop its worker (%s); it exits by itself within %i s",
                self.host.name, str(error) or "no answer", DEATH_SECONDS,
            )  # fmt: skip
        await super().close()

    async def _stop(self) -> None:
        async with asyncssh.connect(self.host.name, **self.connect_options) as connection:
            await connection.run(f"{{ {STOP.format(folder=self.folder)} }} 2> /dev/null")


@contextmanager
def launched(hosts: Hosts) -> Iterator[tuple[Client, Callable[[set[str]], None]]]:
    """Start workers on all hosts, and stop them at the end, whatever happens.

    Yields a client and a function that, given the addresses of lost workers, restarts the workers of all hosts that
    have no other. All ports that other machines can reach use TLS and require a certificate that is made for this run.
    The dashboard is served on the loopback interface only.
    """
    security = Security.temporary()
    options = {"security": security, "protocol": "tls://", "dashboard_address": "127.0.0.1:0"}
    scheduler = {"cls": Scheduler, "options": options | {"port": hosts.scheduler_port}}
    with exit_on_sigterm(), SpecCluster({}, scheduler, security=security) as cluster:
        port = int(cluster.scheduler_address.rpartition(":")[2])
        pem = security.tls_worker_key + security.tls_worker_cert
        workers = [SshWorker(host, port, pem, _connect_options(host, hosts)) for host in hosts.hosts]

        def restart(lost: Collection[str]) -> None:
            present = {each.name for address, each in cluster.scheduler.workers.items() if address not in lost}
            started, deadline = cluster.sync(_restart, workers, present), monotonic() + SSH_SECONDS
            # by name: the scheduler may still list lost workers, and drop them at any time
            while started - {each.name for each in cluster.scheduler.workers.values()} and monotonic() < deadline:
                sleep(0.1)

        try:
            cluster.sync(_for_all, workers, _start)  # the first error names its host
            with Client(cluster, set_as_default=False, direct_to_workers=True) as client:
                client.wait_for_workers(len(workers), timeout=SSH_SECONDS)
                logger.info("workers run on %i hosts; dashboard: %s", len(workers), client.dashboard_link)
                yield client, restart
        finally:
            cluster.sync(_for_all, workers, SshWorker.close)


async def _for_all(workers: list[SshWorker], action: Callable[[SshWorker], Awaitable[None]]) -> None:
    await asyncio.gather(*map(action, workers))


async def _start(worker: SshWorker) -> None:
    try:
        await asyncio.wait_for(worker, START_SECONDS)
    except Exception as error:
        reason = str(error) or type(error).__name__
        if isinstance(error, (TimeoutError, asyncio.TimeoutError)):
            reason = "it did not answer in time. Check its address and that no firewall is between"
        raise RuntimeError(f"No worker could be started on {worker.host.name}: {reason}") from error


async def _restart(workers: list[SshWorker], present: set[str]) -> set[str]:
    """Replace the workers that are not present; return the names of the new ones."""

    async def replace(place: int) -> str | None:
        old = workers[place]
        workers[place] = SshWorker(old.host, old.port, old.pem, old.connect_options)
        try:
            await old.close()
            await _start(workers[place])
            logger.info("the worker on %s was restarted", old.host.name)
        except RuntimeError as error:
            logger.warning("%s; continuing without it", error)
            return None
        return workers[place].folder

    started = await asyncio.gather(*(replace(i) for i, each in enumerate(workers) if each.folder not in present))
    return {name for name in started if name is not None}


def _connect_options(host: Host, hosts: Hosts) -> dict[str, Any]:
    """Return the options of asyncssh; host keys are always checked against the user's known hosts."""
    options: dict[str, Any] = {"username": host.user, "port": host.port}
    options |= {"connect_timeout": CONNECT_SECONDS, "login_timeout": CONNECT_SECONDS}
    options |= {} if hosts.ssh_config is None else {"config": [str(hosts.ssh_config)]}
    return {name: value for name, value in options.items() if value is not None}
