"""What every machine of a cluster can do, whatever its work: join the others, wait for them, and stop."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Sequence
from typing import Any

from gensim_wordrank.cluster import handshake

# a machine that needs so many times as long for the same work as the one that waits for it is given up
SLOWER = 10


class NoAnswerError(TimeoutError):
    """Another machine did not answer in time."""


class Member:
    """A Dask actor, one a machine.

    All methods are asynchronous: they run in the event loop of the Dask worker, and what takes long runs on a thread,
    so that other machines get answers meanwhile. All waiting has a limit.
    """

    machine: int
    threads: int
    patience: float

    def __init__(self) -> None:
        self.stopped = asyncio.Event()
        self._forget()

    def _forget(self) -> None:
        self.peers: Sequence[Any] = ()
        self.waiting: Counter[int] = Counter()  # for which machines

    async def facts(self) -> dict[str, str]:
        """Return what must be the same on all machines."""
        return handshake.facts()

    async def join(self, machine: int, peers: Sequence[Any], threads: int, patience: float) -> None:
        """Take a place among the actors of all machines."""
        self.machine, self.peers, self.threads, self.patience = machine, peers, threads, patience

    async def _ask(self, machine: int, method: str, *arguments: Any) -> Any:
        """Call a method of an actor, perhaps this one."""
        if machine == self.machine:
            return await getattr(self, method)(*arguments)
        return await self._wait(getattr(self.peers[machine], method)(*arguments), machine, 0.0)

    async def _wait(self, call: Awaitable[Any], machine: int, usual: float) -> Any:
        """Wait for another machine, but not for ever; `usual` is how long this one took for the same work."""
        limit = max(self.patience, SLOWER * usual)
        self.waiting[machine] += 1
        try:
            result = await asyncio.wait_for(self._or_stop(call), limit)
        except asyncio.TimeoutError:
            raise NoAnswerError(f"another machine did not answer within {limit:.0f} s") from None
        self.waiting[machine] -= 1
        return result

    async def _or_stop(self, call: Awaitable[Any]) -> Any:
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
        """Answer."""
        return True

    async def stop(self) -> list[int]:
        """Let everything that waits end with an error, and forget all; return the machines that this one waited for."""
        waited_for = list(+self.waiting)
        self.stopped.set()
        self._forget()
        return waited_for
