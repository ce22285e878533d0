"""The way to machines for modules that work without them too: their libraries are an extra."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gensim_wordrank._utils import checksummed, validation

if TYPE_CHECKING:
    from gensim_wordrank.cluster.distant import DistantCooccurrence, DistantCorpus
    from gensim_wordrank.cluster.team import Team


@contextmanager
def team_on(cluster: Any) -> Iterator[Team | None]:
    """Give the machines of a cluster, or None without one."""
    if cluster is None:
        yield None
        return
    from gensim_wordrank.cluster.clients import team_of

    with team_of(cluster) as team:
        yield team


def read_texts(team: Team, corpus_file: Any) -> DistantCorpus:
    """Let machines read texts: paths and addresses, or one of them."""
    from gensim_wordrank.cluster.distant import DistantCorpus

    sources = corpus_file if isinstance(corpus_file, (list, tuple)) else [corpus_file]
    for source in sources:
        if not isinstance(source, (str, os.PathLike)):
            raise validation.parameter_error(
                "corpus_file", "a path, an address or a list of these with a 'cluster'", source
            )
    # other machines have other current directories
    places = (source if checksummed.is_url(source) else Path(source).absolute() for source in sources)
    return DistantCorpus(team, [os.fspath(place) for place in places])


def read_pairs(team: Team, place: str) -> DistantCooccurrence:
    """Let machines read co-occurrences under an address."""
    from gensim_wordrank.cluster import distant

    return distant.read(team, place)
