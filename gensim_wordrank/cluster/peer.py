"""What every machine of a cluster can do: join the others, wait for them, and stop."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from gensim_wordrank._utils.versions import versions

CPU_LEVEL = "CPU level"
# what must agree on all machines for the vectors to be the same bytes
REPRODUCIBLE_WITH = ("gensim-wordrank", "Python", "numpy", CPU_LEVEL)
# a machine that takes this many times as long for the same work as one that waits for it is given up
STRAGGLER_FACTOR = 10


def environment() -> dict[str, str]:
    """Return the versions on this machine that must agree on all machines.

    Examples
    --------
    >>> from gensim_wordrank.cluster.peer import environment
    >>> list(environment())
    ['gensim-wordrank', 'Python', 'numpy', 'CPU level']
    """
    found = versions()
    return {name: found[name] for name in REPRODUCIBLE_WITH} | {"Python": found["Python"].rpartition(".")[0]}


def check_environments(of_hosts: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse hosts whose versions differ from those of this machine, or whose CPU levels differ from each other.

    This machine computes nothing, so its own CPU level does not matter.
    """
    wanted = environment() | {CPU_LEVEL: next(iter(of_hosts.values()))[CPU_LEVEL]}
    wrong = [
        f"{name} is {found[name]} on {host} and not {wanted[name]}"
        for host, found in of_hosts.items()
        for name in REPRODUCIBLE_WITH
        if found[name] != wanted[name]
    ]
    if wrong:
        raise RuntimeError(
            f"The machines do not match: {'; '.join(wrong)}. Install the same versions, or leave them out."
        )


class NoAnswerError(TimeoutError):
    """Another machine did not answer in time."""


class Peer:
    """A Dask actor, one per machine.

    All methods are asynchronous: they run in the event loop of the Dask worker, and long work runs on a thread, so that
    other machines get answers meanwhile. All waiting has a limit.
    """

    machine: int
    threads: int
    timeout: float

    def __init__(self) -> None:
        self.stopped = asyncio.Event()
        self._reset()

    def _reset(self) -> None:
        self.peers: Sequence[Any] = ()
        self.waiting: Counter[int] = Counter()  # for which machines

    async def environment(self) -> dict[str, str]:
        """Return what must agree on all machines."""
        return environment()

    async def join(self, machine: int, peers: Sequence[Any], threads: int, timeout: float) -> None:
        """Take a place among the actors of all machines."""
        self.machine, self.peers, self.threads, self.timeout = machine, peers, threads, timeout

    async def _ask(self, machine: int, method: str, *arguments: Any) -> Any:
        """Call a method of an actor, perhaps of this one."""
        if machine == self.machine:
            return await getattr(self, method)(*arguments)
        return await self._wait(getattr(self.peers[machine], method)(*arguments), machine, 0.0)

    async def _wait(self, call: Awaitable[Any], machine: int, own_seconds: float) -> Any:
        """Wait for another machine, for a limited time; `own_seconds` is how long this one took for the same work."""
        limit = max(self.timeout, STRAGGLER_FACTOR * own_seconds)
        self.waiting[machine] += 1
        try:
            result = await asyncio.wait_for(self._unless_stopped(call), limit)
        except asyncio.TimeoutError:
            raise NoAnswerError(f"another machine did not answer within {limit:.0f} s") from None
        self.waiting[machine] -= 1
        return result

    async def _unless_stopped(self, call: Awaitable[Any]) -> Any:
        """Wait for a call, or raise an error when the work is stopped."""
        waiting, stop = asyncio.ensure_future(call), asyncio.ensure_future(self.stopped.wait())
        try:
            await asyncio.wait({waiting, stop}, return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                raise InterruptedError("training was stopped")
            return waiting.result()
        finally:
            waiting.cancel()
            stop.cancel()

    async def alive(self) -> bool:
        """Answer, as a sign of life."""
        return True

    async def stop(self) -> list[int]:
        """End all waiting with an error and free all memory; return the machines that this one waited for."""
        waited_for = list(+self.waiting)
        self.stopped.set()
        self._reset()
        return waited_for
