"""Outcomes of a suite."""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar
from urllib.parse import quote

from ._error import DioramaError
from .models import EvaluatedRun, Test, TestSuiteDetails

# An environment outlives its agent by this.
MARGIN_SECONDS = 120
RETRY_SECONDS = 0.5
RETRY_SECONDS_MAX = 30.0
AVOIDED_SECONDS = 10.0
# Of a rate that is rounded.
DIGITS = 10_000

Surface = Literal["api", "mcp"]
Status = Literal["passed", "failed", "crashed", "timed out", "error"]
# References that cannot be the last part of an address.
UNADDRESSABLE = re.compile(r"\.{0,2}")


def path_of(reference: str) -> str:
    """Raises DioramaError for a reference that no suite has."""
    if UNADDRESSABLE.fullmatch(reference):
        raise DioramaError(f'There is no suite "{reference}"', code="suite_not_found", status=404)
    return f"/testSuites/{quote(reference, safe='')}"


def solvable(tests: list[Test] | None, surface: Surface | None) -> list[Test]:
    """Without the tests that are known to have no solution through this surface."""
    if surface not in (None, "api", "mcp"):
        raise ValueError(f'surface: one of "api", "mcp" is needed, not {surface!r}')
    return [test for test in tests or [] if surface is None or test.surfaces is None or surface in test.surfaces]


Home = TypeVar("Home")


class Homes(Generic[Home]):
    """The servers that a suite is run on."""

    def __init__(self, homes: Sequence[Home]) -> None:
        self._homes = homes
        self._busy = [0] * len(homes)
        self._avoided_until = [0.0] * len(homes)
        self._lock = threading.Lock()

    def avoid(self, home: Home) -> None:
        """Notes that it has failed an attempt."""
        for place, other in enumerate(self._homes):
            if other is home:
                self._avoided_until[place] = time.monotonic() + AVOIDED_SECONDS

    @contextmanager
    def use(self, last: Home | None) -> Generator[Home, None, None]:
        """The one with the fewest attempts; `last`, and one that failed one a short time ago, only if there is no other."""
        now = time.monotonic()

        def rank(place: int) -> tuple[bool, bool, int]:
            return self._avoided_until[place] > now, self._homes[place] is last, self._busy[place]

        with self._lock:
            place = min(range(len(self._homes)), key=rank)
            self._busy[place] += 1
        try:
            yield self._homes[place]
        finally:
            with self._lock:
                self._busy[place] -= 1


def require_same(suites: Sequence[TestSuiteDetails]) -> None:
    """Raises ValueError unless the suite is the same on all servers."""
    for other in suites[1:]:
        if _contents(other) != _contents(suites[0]):
            message = f'The suite "{other.name}" is not the same on all servers; diorama suites copy brings it there'
            raise ValueError(message)


def _contents(suite: TestSuiteDetails) -> object:
    asked = [(test.name, test.prompt, test.expected_output, test.impersonate_user_id) for test in suite.tests or []]
    return suite.template_service, suite.template_name, asked


def pause_after(tries: int) -> float:
    """Seconds to wait after this many tries of an attempt."""
    return min(RETRY_SECONDS * 2**tries, RETRY_SECONDS_MAX)


class Spending:
    """The price of an attempt, as its agent reports it."""

    def __init__(self) -> None:
        self.dollars: float | None = None

    def __call__(self, dollars: float) -> None:
        """Adds to the price, in US dollars: it is stored with the run."""
        self.dollars = (self.dollars or 0) + dollars


@dataclass(frozen=True)
class Attempt:
    """One attempt of an agent at a test."""

    test: str
    test_id: str
    attempt: int
    """Counted from 1."""
    status: Status
    """The server's verdict in a word. `crashed` and `timed out` have not passed; `error` does not count."""
    run_id: str | None = None
    console_url: str | None = None
    """The page of its run."""
    reasons: str | None = None
    """Why it has not passed, in words: lines of text."""
    verdict: EvaluatedRun | None = None
    """Of an agent that did not finish, `state_verdict` is the one on the state that it left."""
    error: BaseException | None = None
    """Raised by the agent, or by Diorama."""


@dataclass(frozen=True)
class SuiteOutcome:
    suite: str
    attempts: list[Attempt]
    """In the order of the tests; attempts at a test beside each other."""

    @property
    def passed(self) -> int:
        return sum(attempt.status == "passed" for attempt in self.attempts)

    @property
    def graded(self) -> int:
        """Attempts that count: all but those with the status `error`."""
        return len(self._verdicts())

    @property
    def successful(self) -> int:
        """Graded attempts that did what was asked, whatever else they did."""
        return sum(verdict.success for _, verdict in self._verdicts())

    @property
    def unsafe(self) -> int:
        """Graded attempts that changed something that nothing in their test explains."""
        return sum(verdict.unsafe is not None and verdict.unsafe.count > 0 for _, verdict in self._verdicts())

    @property
    def mean_reward(self) -> float | None:
        """Of the graded attempts: the mean over the tests, rounded to four digits. None without any."""
        rewards: dict[str, list[float]] = {}
        for test_id, verdict in self._verdicts():
            rewards.setdefault(test_id, []).append(verdict.reward)
        means = [sum(each) / len(each) for each in rewards.values()]
        if not means:
            return None
        return math.floor(sum(means) / len(means) * DIGITS + 0.5) / DIGITS

    def _verdicts(self) -> list[tuple[str, EvaluatedRun]]:
        """Of the graded attempts, with the ids of their tests."""
        return [
            (attempt.test_id, attempt.verdict)
            for attempt in self.attempts
            if attempt.status != "error" and attempt.verdict is not None
        ]


def status_of(verdict: EvaluatedRun) -> Status:
    if verdict.gradable is not True:
        return "error"
    if verdict.ending == "crashed":
        return "crashed"
    if verdict.ending == "timed_out":
        return "timed out"
    return "passed" if verdict.passed else "failed"
