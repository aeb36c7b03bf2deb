"""Results that are awaited, or entered without an `await`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Generator
from types import TracebackType
from typing import Any, Generic, ParamSpec, Protocol, TypeVar


class Enterable(Protocol):
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


Result = TypeVar("Result", bound=Enterable)
Parameters = ParamSpec("Parameters")


class Entering(Generic[Result]):
    """Both `await env(…)` and `async with env(…)`."""

    def __init__(self, coroutine: Coroutine[Any, Any, Result]) -> None:
        self._coroutine = coroutine
        self._entered: Result | None = None

    def __await__(self) -> Generator[Any, Any, Result]:
        return self._coroutine.__await__()

    async def __aenter__(self) -> Result:
        self._entered = await self._coroutine
        return self._entered

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._entered is not None:
            await self._entered.__aexit__(kind, error, trace)


def entering(
    function: Callable[Parameters, Coroutine[Any, Any, Result]],
) -> Callable[Parameters, Entering[Result]]:
    @functools.wraps(function)
    def enter(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Entering[Result]:
        return Entering(function(*args, **kwargs))

    return enter
