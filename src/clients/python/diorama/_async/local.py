"""A client of a server of one's own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from types import TracebackType

from .._entering import entering
from .._server import POLL_SECONDS, Server
from .._waiting import async_sleep
from .client import AsyncDiorama

# Of no interest in the traceback of a test.
__tracebackhide__ = True


class AsyncLocalDiorama(AsyncDiorama):
    """A server that this process has started. `async with` stops it."""

    def __init__(self, server: Server, key: str | None = None) -> None:
        super().__init__(server.url, key)
        self._server = server

    async def stop(self) -> None:
        """Stops the server."""
        await self.close()
        await asyncio.to_thread(self._server.stop)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


@entering
async def async_local(
    command: Sequence[str] = ("diorama",),
    *,
    env: Mapping[str, str] | None = None,
    start_seconds: float = 120,
    key: str | None = None,
) -> AsyncLocalDiorama:
    """
    Starts a server on a free port of this machine. `command` is the program and its arguments: by default the binary
    on the PATH; in a checkout, `["./scripts/start"]` also starts a Postgres. `env` has environment variables in
    addition to those of this process, such as `DATABASE_URL`. Raises RuntimeError with the server's output if it does
    not start.
    """
    server = Server(command, env, start_seconds)
    try:
        while not await asyncio.to_thread(server.is_ready):
            await async_sleep(POLL_SECONDS)
    except BaseException:
        await asyncio.to_thread(server.stop)
        raise
    return AsyncLocalDiorama(server, key)
