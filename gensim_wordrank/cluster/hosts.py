"""The machines of a cluster that are reached over SSH, and the file that lists them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from gensim_wordrank._utils import atomic_files, validation

LINE = "[user@]host[:port] [threads=N] [python=PATH] [scratch=DIR] [ports=FIRST-LAST]"


@dataclass(frozen=True)
class Host:
    """A machine: its name or address and, unless the defaults apply, how to reach it and what it may use.

    Examples
    --------
    >>> from gensim_wordrank.cluster import Host
    >>> Host.parse("me@node7:2222 threads=8 python=/opt/venv/bin/python")
    Host(name='node7', user='me', port=2222, threads=8, python='/opt/venv/bin/python', scratch='/tmp', ports=None)
    """

    name: str
    user: str | None = None
    port: int | None = None
    threads: int | None = None  # by default one per core of that machine
    python: str | None = None  # by default the path of the interpreter that runs here
    scratch: str = "/tmp"  # where the worker makes its directory
    ports: str | None = None  # "FIRST-LAST", at least two, on which other machines reach it; by default any

    def __post_init__(self) -> None:
        if not re.fullmatch(r"/[\w./+-]*", self.scratch):  # it is part of shell commands
            raise validation.parameter_error("scratch", "an absolute path without spaces or quotes", self.scratch)
        first, _, last = (self.ports or "1-2").partition("-")
        if not (first.isdecimal() and last.isdecimal() and 0 < int(first) < int(last) < 1 << 16):
            raise validation.parameter_error("ports", "FIRST-LAST, two or more from 1 to 65535", self.ports)

    @classmethod
    def parse(cls, line: str) -> Host:
        """Parse a line of a hosts file."""
        place, *words = line.split()
        found = re.fullmatch(r"(?:(?P<user>[^@:\s]+)@)?(?P<name>[^@:\[\]]+|\[[^\]]+\])(?::(?P<port>\d+))?", place)
        options = dict(word.partition("=")[::2] for word in words)
        if not found or not options.keys() <= {"threads", "python", "scratch", "ports"} or not all(options.values()):
            raise validation.parameter_error("hosts", f"lines like {LINE}", line)
        threads, port = options.get("threads"), found["port"]
        if port is not None and not 0 < int(port) < 1 << 16:
            raise validation.parameter_error("port", "from 1 to 65535", port)
        if threads is not None and not threads.isdecimal():
            raise validation.parameter_error("threads", "a positive integer", threads)
        return cls(
            found["name"].strip("[]"), found["user"], None if port is None else int(port),
            None if threads is None else validation.positive_integer("threads", int(threads)), options.get("python"),
            options.get("scratch", cls.scratch), options.get("ports"),
        )  # fmt: skip


@dataclass(frozen=True)
class Hosts:
    """Machines on which :class:`~gensim_wordrank.WordRank` starts workers over SSH, for one training run.

    Parameters
    ----------
    hosts : iterable of str or Host
        The machines, written as in a hosts file.
    ssh_config : path, optional
        SSH configuration file, as for ``ssh -F`` (default: ~/.ssh/config).
    scheduler_port : int
        Port of this machine that all others must be able to reach; by default any free port.

    Examples
    --------
    >>> from gensim_wordrank.cluster import Hosts
    >>> len(Hosts(["node1", "node2 threads=4"]).hosts)
    2
    """

    hosts: tuple[Host, ...]
    ssh_config: str | os.PathLike[str] | None = field(default=None)
    scheduler_port: int = 0

    def __init__(
        self,
        hosts: Iterable[str | Host],
        ssh_config: str | os.PathLike[str] | None = None,
        scheduler_port: int = 0,
    ) -> None:
        if isinstance(hosts, str):
            raise validation.parameter_error("hosts", "a list", hosts, "Use Hosts.read for the name of a file.")
        parsed = tuple(host if isinstance(host, Host) else Host.parse(host) for host in hosts)
        if not parsed:
            raise ValueError("'hosts' must name at least one machine. Got none.")
        object.__setattr__(self, "hosts", parsed)
        object.__setattr__(self, "ssh_config", ssh_config)
        object.__setattr__(self, "scheduler_port", scheduler_port)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        ssh_config: str | os.PathLike[str] | None = None,
        scheduler_port: int = 0,
    ) -> Hosts:
        """Read a hosts file: one ``[user@]host[:port] [threads=N] [python=PATH] ...`` per line; # begins a comment."""
        with atomic_files.describe_read_errors(path):
            text = Path(path).read_text(encoding="utf-8")
        lines = (line.partition("#")[0].strip() for line in text.splitlines())
        try:
            return cls(filter(None, lines), ssh_config, scheduler_port)
        except ValueError as error:
            raise ValueError(f"'{path}' is no file of hosts: {error}") from error
