"""Hosts files, which list the machines of a cluster."""

import pytest
from gensim_wordrank.cluster import Host, Hosts


def test_hosts_file_is_parsed(tmp_path):
    """Each line names a machine, optionally with user, port, threads and Python; comments are ignored."""
    path = tmp_path / "hosts.txt"
    path.write_text(
        "# my machines\nnode1\n\nme@node2:2222 threads=8  # the large one\n[::1]:22 python=/opt/bin/python3\n"
        "node3 scratch=/data/tmp ports=9000-9009\n"
    )
    assert Hosts.read(path).hosts == (
        Host("node1"),
        Host("node2", user="me", port=2222, threads=8),
        Host("::1", port=22, python="/opt/bin/python3"),
        Host("node3", scratch="/data/tmp", ports="9000-9009"),
    )


@pytest.mark.parametrize("line", ["a b", "a:port", "a threads=", "a cores=3", "@a", "a@b@c"])
def test_malformed_line_is_refused(line):
    """The error shows the format of a line."""
    with pytest.raises(ValueError, match=r"'hosts' must be lines like \[user@\]host\[:port\]"):
        Hosts([line])


@pytest.mark.parametrize("threads", ["0", "-1", "many"])
def test_threads_must_be_a_positive_integer(threads):
    """Zero, negative numbers and words are refused."""
    with pytest.raises(ValueError, match="'threads' must be a positive integer"):
        Host.parse(f"a threads={threads}")


@pytest.mark.parametrize("port", ["0", "65536", "9" * 30])
def test_port_must_be_in_range(port):
    """Ports below 1 and above 65535 are refused."""
    with pytest.raises(ValueError, match="'port' must be from 1 to 65535"):
        Host.parse(f"a:{port}")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("ports=9000", "'ports' must be FIRST-LAST"),
        ("ports=9-8", "'ports' must be"),
        ("scratch=tmp", "'scratch' must be"),
    ],
)
def test_malformed_ports_and_scratch_are_refused(option, message):
    """Ports are a range of at least two; the scratch directory is an absolute path."""
    with pytest.raises(ValueError, match=message):
        Host.parse(f"a {option}")


def test_hosts_must_not_be_empty_or_a_string(tmp_path):
    """A file without machines, and a file name instead of a list, are refused."""
    (tmp_path / "none").write_text("# nobody\n")
    with pytest.raises(ValueError, match="at least one machine"):
        Hosts.read(tmp_path / "none")
    with pytest.raises(ValueError, match="Use Hosts.read for the name of a file"):
        Hosts("hosts.txt")
