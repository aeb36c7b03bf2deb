"""
The client of Diorama: environments, runs and suites.

    import diorama

    with diorama.env("chat_default", as_="U01AGENTONE") as env:
        with env.run() as run:
            env.slack().chat_postMessage(channel="C01GENERAL", text="Hello")
        print(run.diff.inserts)

The functions of this module use the server that `DIORAMA_URL` and `DIORAMA_API_KEY` name. `Diorama` is a client of any
server, and `AsyncDiorama` the same for asyncio.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._api import *  # noqa: F403
else:

    def __getattr__(name):
        """
        Loads the client when one of its names is first used: pytest imports this package in every session, for its
        plugin.
        """
        from importlib import import_module

        return getattr(import_module("._api", __name__), name)

    def __dir__():
        return __getattr__("__all__")
