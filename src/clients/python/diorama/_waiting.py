"""Waiting, concurrency and time limits: for asyncio, and with threads."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple, TypeVar

# Of no interest in the traceback of a test.
__tracebackhide__ = True

Item = TypeVar("Item")
Result = TypeVar("Result")

# How long interrupted work may take to clean up.
INTERRUPT_SECONDS = 10.0


class Ending(NamedTuple):
    """How the work of an agent ended."""

    kind: Literal["answered", "crashed", "timed_out"] = "answered"
    error: BaseException | None = None


async_sleep = asyncio.sleep
sleep = time.sleep


async def async_finish(seconds: float, work: Callable[[], Awaitable[object]]) -> Ending:
    """Waits for `work` up to a time limit, at which it is cancelled."""
    deadline = time.monotonic() + seconds
    try:
        await asyncio.wait_for(work(), seconds)
    except Exception as error:
        is_late = isinstance(error, asyncio.TimeoutError) and time.monotonic() >= deadline
        return Ending("timed_out" if is_late else "crashed", error)
    return Ending()


async def async_briefly(work: Callable[[], Awaitable[object]]) -> None:
    """Does what may fail, and must not take long: the whole is interrupted."""
    with suppress(Exception):
        await asyncio.wait_for(work(), INTERRUPT_SECONDS / 2)


async def async_each(parallel: int, items: Sequence[Item], work: Callable[[Item], Awaitable[Result]]) -> list[Result]:
    """Results in the order of the items, with `parallel` of them at a time."""
    places = asyncio.Semaphore(parallel)

    async def one(item: Item) -> Result:
        async with places:
            return await work(item)

    tasks = [asyncio.ensure_future(one(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


class Interrupted(BaseException):
    """Another thread has ended the whole."""


class _Round:
    """Threads that work on the items of one call of `each`."""

    def __init__(self) -> None:
        self.is_over = threading.Event()


_current = threading.local()


def finish(seconds: float, work: Callable[[], object]) -> Ending:
    """Waits for `work` up to a time limit. A thread cannot be cancelled: late work goes on until it fails."""
    result: list[Ending] = []
    done = threading.Event()
    round_: _Round | None = getattr(_current, "round", None)

    def run() -> None:
        try:
            work()
            result.append(Ending())
        except BaseException as error:
            result.append(Ending("crashed", error))
        done.set()

    threading.Thread(target=run, daemon=True).start()
    deadline = time.monotonic() + seconds
    while not done.wait(min(0.2, max(0.0, deadline - time.monotonic()))):
        if round_ is not None and round_.is_over.is_set():
            raise Interrupted
        if time.monotonic() >= deadline:
            return Ending("timed_out", TimeoutError(f"the agent took longer than {seconds} seconds"))
    return result[0]


def briefly(work: Callable[[], object]) -> None:
    """Does what may fail while the whole is interrupted. `each` limits the time."""
    with suppress(Exception):
        work()


def each(parallel: int, items: Sequence[Item], work: Callable[[Item], Result]) -> list[Result]:
    """Results in the order of the items, with `parallel` of them at a time. Ctrl-C ends all of them."""
    results: dict[int, Result] = {}
    failures: list[BaseException] = []
    round_ = _Round()
    queue: Iterator[tuple[int, Item]] = iter(list(enumerate(items)))
    lock = threading.Lock()

    def take() -> tuple[int, Item] | None:
        with lock:
            return None if round_.is_over.is_set() else next(queue, None)

    def run(ended: threading.Event) -> None:
        _current.round = round_
        try:
            while (taken := take()) is not None:
                place, item = taken
                results[place] = work(item)
        except BaseException as error:
            round_.is_over.set()
            if not isinstance(error, Interrupted):
                failures.append(error)
        ended.set()

    # Not join(): up to Python 3.12, a thread whose join was interrupted counts as ended.
    ends = [threading.Event() for _ in range(min(parallel, len(items)))]
    for ended in ends:
        threading.Thread(target=run, args=[ended], daemon=True).start()
    try:
        for ended in ends:
            ended.wait()
    except BaseException:
        round_.is_over.set()
        until = time.monotonic() + INTERRUPT_SECONDS
        for ended in ends:
            ended.wait(max(0.0, until - time.monotonic()))
        raise
    if failures:
        raise failures[0]
    return [results[place] for place in range(len(items))]
