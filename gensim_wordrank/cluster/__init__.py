"""Counting and training on several machines, with the same vectors as on one."""

from contextlib import AbstractContextManager
from typing import Any

from gensim_wordrank.cluster.hosts import Host, Hosts


def connect(cluster: Any) -> AbstractContextManager[Any]:
    """Connect to a cluster, to count there without training or to train several models.

    Use it as ``with connect(client) as backend``, and pass `backend` to :class:`~gensim_wordrank.WordRank` as `cluster`
    or to :meth:`Cooccurrence.from_corpus <gensim_wordrank.Cooccurrence.from_corpus>`. `cluster` is a Dask client, a
    Dask cluster, the address of a scheduler, or Hosts. Workers that this function started are stopped at the end.
    """
    from gensim_wordrank.cluster.backend import connect  # its libraries are an optional dependency

    return connect(cluster)


__all__ = ["Host", "Hosts", "connect"]
