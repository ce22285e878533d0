"""A Dask cluster for one training: a scheduler here, workers by SSH, and a key that only they know."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any

from distributed import Client, Scheduler, SpecCluster
from distributed.security import Security

from gensim_wordrank.cluster.hosts import Host, Hosts
from gensim_wordrank.cluster.ssh import SSH_SECONDS, SshWorker

logger = logging.getLogger(__name__)

# seconds in which a worker must run: a host that is busy with other work loads Python slowly
START_SECONDS = 120.0


@contextmanager
def launched(hosts: Hosts) -> Iterator[tuple[Client, Callable[[set[str]], None]]]:
    """Start workers on all hosts; whatever happens, end them at the end.

    Yields a client, and a function that starts workers again on the hosts that have none any more, or whose address is
    among those given.

    All ports that other machines reach speak TLS and ask for a certificate that is made for this run. Pages for people
    are served on the loopback interface only.
    """
    security = Security.temporary()
    options = {"security": security, "protocol": "tls://", "port": 0, "dashboard_address": "127.0.0.1:0"}
    scheduler = {"cls": Scheduler, "options": options}
    with SpecCluster({}, scheduler, security=security) as cluster:
        port = int(cluster.scheduler_address.rpartition(":")[2])
        pem = security.tls_worker_key + security.tls_worker_cert
        workers: list[SshWorker] = []

        def restart(lost: Collection[str]) -> None:
            present = {each.name for address, each in cluster.scheduler.workers.items() if address not in lost}
            started, deadline = cluster.sync(_restart, workers, present), monotonic() + SSH_SECONDS
            # by name: the scheduler may still count those that are lost, and forget them at any time
            while started - {each.name for each in cluster.scheduler.workers.values()} and monotonic() < deadline:
                sleep(0.1)

        try:
            cluster.sync(_start, workers, hosts, port, pem)
            with Client(cluster, set_as_default=False, direct_to_workers=True) as client:
                client.wait_for_workers(len(workers), timeout=SSH_SECONDS)
                logger.info("workers run on %i hosts; dashboard: %s", len(workers), client.dashboard_link)
                yield client, restart
        finally:
            cluster.sync(_close, workers)


async def _start(workers: list[SshWorker], hosts: Hosts, port: int, pem: str) -> None:
    """Start a worker on every host, at once; the first error names its host."""
    workers += [SshWorker(host, port, pem, _connect_options(host, hosts)) for host in hosts.hosts]
    await asyncio.gather(*map(_start_one, workers))


async def _start_one(worker: SshWorker) -> None:
    try:
        await asyncio.wait_for(worker, START_SECONDS)
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise RuntimeError(f"No worker could be started on {worker.host.name}: {reason}") from error


async def _restart(workers: list[SshWorker], present: set[str]) -> set[str]:
    """End the workers that are not present, as far as they live, and start others in their place; return names."""

    async def replace(place: int) -> str | None:
        old = workers[place]
        workers[place] = SshWorker(old.host, old.port, old.pem, old.connect_options)
        try:
            await old.close()
            await _start_one(workers[place])
            logger.info("a worker was started again on %s", old.host.name)
        except RuntimeError as error:
            logger.warning("%s; going on without it", error)
            return None
        return workers[place].folder

    started = await asyncio.gather(*(replace(i) for i, each in enumerate(workers) if each.folder not in present))
    return {name for name in started if name is not None}


async def _close(workers: list[SshWorker]) -> None:
    await asyncio.gather(*(worker.close() for worker in workers))


def _connect_options(host: Host, hosts: Hosts) -> dict[str, Any]:
    """Return what asyncssh must know; host keys are checked against the user's known hosts, always."""
    options: dict[str, Any] = {"username": host.user, "port": host.port}
    options |= {} if hosts.ssh_config is None else {"config": [str(hosts.ssh_config)]}
    return {name: value for name, value in options.items() if value is not None}
