"""From what a user calls a cluster to a Dask client."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gensim_wordrank import checks
from gensim_wordrank.cluster.hosts import Hosts

try:
    from distributed import Client
    from distributed.deploy import Cluster
except ImportError as error:
    raise ImportError(
        f"'cluster' needs {error.name}, which is not installed. Run: pip install 'gensim-wordrank[distributed]'"
    ) from error

logger = logging.getLogger(__name__)


def check(cluster: Any) -> None:
    """Refuse what is not a cluster."""
    if not isinstance(cluster, (str, Client, Cluster, Hosts)):
        raise checks.refuse("cluster", "a Dask client, cluster or address of a scheduler, or Hosts", cluster)


@contextmanager
def client_of(cluster: Any) -> Iterator[Client]:
    """Connect to a cluster, starting it if need be; what was made here ends here."""
    if isinstance(cluster, Client):
        yield cluster
        return
    if isinstance(cluster, Hosts):
        from gensim_wordrank.cluster.launch import launched  # asyncssh is not needed for other clusters

        with launched(cluster) as client:
            yield client
        return
    with Client(cluster, set_as_default=False) as client:
        logger.info("dashboard: %s", client.dashboard_link)
        yield client
