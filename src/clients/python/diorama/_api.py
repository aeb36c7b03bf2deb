"""The names of the package."""

from __future__ import annotations

import atexit

from . import models
from ._async.client import AsyncDiorama
from ._async.environment import AsyncEnvironment, AsyncForked
from ._async.linear import AsyncLinear
from ._async.local import AsyncLocalDiorama, async_local
from ._async.run import AsyncRun
from ._async.suite import AsyncAgent, AsyncSuite, AsyncTask
from ._clients import Mcp
from ._error import DioramaError
from ._linear import LinearError
from ._suite import Attempt, SuiteOutcome
from ._sync.client import Diorama
from ._sync.environment import Environment, Forked
from ._sync.linear import Linear
from ._sync.local import LocalDiorama, local
from ._sync.run import Run
from ._sync.suite import Agent, Suite, Task

__all__ = [
    "Agent",
    "AsyncAgent",
    "AsyncDiorama",
    "AsyncEnvironment",
    "AsyncForked",
    "AsyncLinear",
    "AsyncLocalDiorama",
    "AsyncRun",
    "AsyncSuite",
    "AsyncTask",
    "Attempt",
    "Diorama",
    "DioramaError",
    "Environment",
    "Forked",
    "Linear",
    "LinearError",
    "LocalDiorama",
    "Mcp",
    "Run",
    "Suite",
    "SuiteOutcome",
    "Task",
    "async_local",
    "call",
    "env",
    "local",
    "models",
    "suite",
]


_default = Diorama()
atexit.register(_default.close)
call = _default.call
env = _default.env
suite = _default.suite
