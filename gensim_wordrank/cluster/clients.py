"""From what a user calls a cluster to machines that work."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from gensim_wordrank._utils import validation
from gensim_wordrank.cluster.hosts import Hosts

try:
    from distributed import Client
    from distributed.deploy import Cluster
except ImportError as error:
    raise ImportError(
        f"'cluster' needs {error.name}, which is not installed. Run: pip install 'gensim-wordrank[distributed]'"
    ) from error

from gensim_wordrank.cluster.team import Team

logger = logging.getLogger(__name__)


def check(cluster: Any) -> None:
    """Refuse what is not a cluster."""
    if not isinstance(cluster, (str, Client, Cluster, Hosts)):
        raise validation.parameter_error(
            "cluster", "a Dask client, cluster or address of a scheduler, or Hosts", cluster
        )


@contextmanager
def team_of(cluster: Any) -> Iterator[Team]:
    """Connect to a cluster, starting it if need be; what was made here ends here."""
    if isinstance(cluster, Team):
        yield cluster
    elif isinstance(cluster, Client):
        with closing(Team(cluster)) as team:
            yield team
    elif isinstance(cluster, Hosts):
        from gensim_wordrank.cluster.launch import launched  # asyncssh is not needed for other clusters

        with launched(cluster) as (client, restart), closing(Team(client, restart)) as team:
            yield team
    else:
        check(cluster)
        with Client(cluster, set_as_default=False) as client, closing(Team(client)) as team:
            logger.info("dashboard: %s", client.dashboard_link)
            yield team
