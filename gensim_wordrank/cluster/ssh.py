"""One Dask worker on another machine, started and ended by SSH."""

from __future__ import annotations

import asyncio
import logging
import secrets
import shlex
import sys
from typing import Any

from distributed.deploy import ssh

from gensim_wordrank.cluster.hosts import Host

try:
    import asyncssh
except ImportError as error:
    raise ImportError(
        "Hosts need asyncssh, which is not installed. Run: pip install 'gensim-wordrank[distributed]'"
    ) from error

logger = logging.getLogger(__name__)

# seconds for reaching a host and ending its worker
SSH_SECONDS = 60.0
# a worker without a scheduler ends after so many seconds
DEATH_SECONDS = 60
# ends the process whose number is in the file, at first politely, and removes what it had
END = """
read pid < {folder}/pid && grep -q dask_spec /proc/$pid/cmdline && {{
  kill $pid; i=0
  while [ $i -lt 50 ] && kill -0 $pid; do sleep 0.1; i=$((i+1)); done
  kill -9 $pid
}}
rm -rf {folder}
"""


# says which package is missing, without the seconds that it takes to load them
HAS_PACKAGES = """
from importlib.metadata import version
print(version("gensim-wordrank"), version("distributed"))
"""


class SshWorker(ssh.Worker):  # type: ignore[misc]  # it has no type information
    """A Dask worker under a nanny, in a directory of its own that holds the run's key and that only its user can read.

    Parameters
    ----------
    host : Host
        Where to start it.
    port : int
        Of the scheduler on this machine; the worker is told the address by which it sees this machine.
    pem : str
        Key and certificate of the run. It goes through SSH to a file, and to no command line.
    connect_options : dict
        How to reach the host, for asyncssh.
    """

    def __init__(self, host: Host, port: int, pem: str, connect_options: dict[str, Any]) -> None:
        self.host, self.port, self.pem = host, port, pem
        self.folder = f"/tmp/wordrank-{secrets.token_hex(16)}"
        self.python = shlex.quote(host.python or sys.executable)
        self.drain: asyncio.Future[None] | None = None
        super().__init__("", host.name, connect_options, {}, remote_python=self._command())

    def _command(self) -> str:
        """Return what starts Python with the run's key, after the shell has noted the number of the process."""
        settings = {
            "CA_FILE": f"{self.folder}/run.pem",
            "WORKER__CERT": f"{self.folder}/run.pem",
            "WORKER__KEY": f"{self.folder}/run.pem",
        }
        variables = " ".join(f"DASK_DISTRIBUTED__COMM__TLS__{name}={value}" for name, value in settings.items())
        variables += f" TMPDIR={self.folder}"  # so that nothing is left behind, whatever ends the worker
        no_pages = "DASK_DISTRIBUTED__WORKER__HTTP__ROUTES='[]' DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=True"
        note = f"""sh -c 'echo $$ > {self.folder}/pid; exec "$0" "$@"'"""
        return f"{variables} {no_pages} {note} {self.python}"

    async def start(self) -> None:
        """Bring the key there, see that Python has what it needs, and start the worker."""
        async with asyncssh.connect(self.host.name, **self.connect_options) as connection:
            here, there = (connection.get_extra_info(name)[0] for name in ("sockname", "peername"))
            save_key = f"umask 077 && mkdir {self.folder} && cat > {self.folder}/run.pem"
            await connection.run(save_key, input=self.pem, check=True)
            found = await connection.run(f"{self.python} -c {shlex.quote(HAS_PACKAGES)}")
            if found.exit_status:
                reason = str(found.stderr).strip().rpartition("\n")[2]
                raise ImportError(f"{self.python} lacks gensim-wordrank[distributed]: {reason}. Install it there.")
        self.scheduler = f"tls://{_bracketed(here)}:{self.port}"
        self.kwargs = {
            "host": there,
            "protocol": "tls://",
            "memory_limit": 0,  # the state cannot be spilled
            "death_timeout": DEATH_SECONDS,
            "dashboard_address": "127.0.0.1:0",
            "local_directory": self.folder,
            "name": self.folder,  # by which the scheduler tells it from others, also when its nanny has restarted it
        } | ({} if self.host.threads is None else {"nthreads": self.host.threads})
        await super().start()
        self.drain = asyncio.ensure_future(self._drain())

    async def _drain(self) -> None:
        """Read what the worker says, or it would wait one day for someone to read it."""
        async for line in self.proc.stderr:
            logger.debug("%s: %s", self.host.name, line.rstrip())

    async def close(self) -> None:
        """End the worker and remove its directory; a host that cannot be reached is left to itself."""
        if self.drain is not None:
            self.drain.cancel()
        try:
            await asyncio.wait_for(self._end(), SSH_SECONDS)
        except (OSError, asyncssh.Error, asyncio.TimeoutError) as error:
            logger.warning(
                "%s cannot be reached to end its worker (%s); it ends by itself within %i s, and leaves %s there",
                self.host.name, error, DEATH_SECONDS, self.folder,
            )  # fmt: skip
        await super().close()

    async def _end(self) -> None:
        async with asyncssh.connect(self.host.name, **self.connect_options) as connection:
            await connection.run(f"{{ {END.format(folder=self.folder)} }} 2> /dev/null")


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address
