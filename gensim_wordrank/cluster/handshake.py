"""What must be the same on all machines, for the vectors to be."""

from __future__ import annotations

from collections.abc import Mapping

from gensim_wordrank._utils.versions import versions

LEVEL = "CPU level"
SAME = ("gensim-wordrank", "Python", "numpy", LEVEL)


def facts() -> dict[str, str]:
    """Return versions, and the CPU level of the kernels, of this machine.

    Examples
    --------
    >>> from gensim_wordrank.cluster.handshake import facts
    >>> list(facts())
    ['gensim-wordrank', 'Python', 'numpy', 'CPU level']
    """
    found = versions()
    return {name: found[name] for name in SAME} | {"Python": found["Python"].rpartition(".")[0]}


def check(of_hosts: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse hosts that differ in versions from this machine, or in CPU level from one another.

    This machine, the driver, computes nothing, so its own CPU level does not matter.
    """
    wanted = facts() | {LEVEL: next(iter(of_hosts.values()))[LEVEL]}
    wrong = [
        f"{name} is {found[name]} on {host} and not {wanted[name]}"
        for host, found in of_hosts.items()
        for name in SAME
        if found[name] != wanted[name]
    ]
    if wrong:
        raise RuntimeError(
            f"The machines do not match: {'; '.join(wrong)}. Install the same versions, or leave them out."
        )
