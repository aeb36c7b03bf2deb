# Written from _async/local.py by scripts/clients/synchronous.ts.
"""A client of a server of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType

from .._server import POLL_SECONDS, Server
from .._waiting import sleep
from .client import Diorama

# Of no interest in the traceback of a test.
__tracebackhide__ = True


class LocalDiorama(Diorama):
    """A server that this process has started. `with` stops it."""

    def __init__(self, server: Server, key: str | None = None) -> None:
        super().__init__(server.url, key)
        self._server = server

    def stop(self) -> None:
        """Stops the server."""
        self.close()
        self._server.stop()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def local(
    command: Sequence[str] = ("diorama",),
    *,
    env: Mapping[str, str] | None = None,
    start_seconds: float = 120,
    key: str | None = None,
) -> LocalDiorama:
    """
    Starts a server on a free port of this machine. `command` is the program and its arguments: by default the binary
    on the PATH; in a checkout, `["./scripts/start"]` also starts a Postgres. `env` has environment variables in
    addition to those of this process, such as `DATABASE_URL`. Raises RuntimeError with the server's output if it does
    not start.
    """
    server = Server(command, env, start_seconds)
    try:
        while not server.is_ready():
            sleep(POLL_SECONDS)
    except BaseException:
        server.stop()
        raise
    return LocalDiorama(server, key)
