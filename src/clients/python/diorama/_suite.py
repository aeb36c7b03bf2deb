"""Outcomes of a suite."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from ._error import DioramaError
from .models import EvaluatedRun

# An environment outlives its agent by this.
MARGIN_SECONDS = 120
# References that cannot be the last part of an address.
UNADDRESSABLE = re.compile(r"\.{0,2}")


def path_of(reference: str) -> str:
    """Raises DioramaError for a reference that no suite has."""
    if UNADDRESSABLE.fullmatch(reference):
        raise DioramaError(f'There is no suite "{reference}"', code="suite_not_found", status=404)
    return f"/testSuites/{quote(reference, safe='')}"


@dataclass(frozen=True)
class Attempt:
    """One attempt of an agent at a test."""

    test: str
    test_id: str
    attempt: int
    """Counted from 1."""
    status: Literal["passed", "failed", "crashed", "timed out", "error"]
    """`crashed` and `timed out` are the agent's; `error` is not: it does not count."""
    run_id: str | None = None
    verdict: EvaluatedRun | None = None
    """The verdict on the state that the agent left, whatever `status` is."""
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
        return sum(attempt.status != "error" for attempt in self.attempts)
