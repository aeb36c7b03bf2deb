# Written from _async/suite.py by scripts/clients/synchronous.ts.
"""A suite: runs an agent on each of its tests, and collects the verdicts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol

from .._error import DioramaError
from .._suite import (
    MARGIN_SECONDS,
    Attempt,
    Homes,
    Spending,
    SuiteOutcome,
    Surface,
    path_of,
    pause_after,
    require_same,
    solvable,
    status_of,
)
from .._waiting import briefly, each, finish, sleep
from ..models import Test, TestSuiteDetails
from .environment import Environment
from .http import Http
from .run import Run

# Of no interest in the traceback of a test.
__tracebackhide__ = True


@dataclass(frozen=True)
class Task:
    """One attempt of an agent at a test."""

    prompt: str
    environment: Environment
    """A fresh environment, in which a run has begun."""
    test: Test
    attempt: int
    """Counted from 1."""
    deadline: float
    """The time limit, by `time.monotonic()`."""
    spend: Spending = field(default_factory=Spending)
    """`spend(dollars)` adds to the price of the attempt: it is stored with the run."""


Agent = Callable[[Task], object]


class Creation(Protocol):
    def __call__(self, *, test_id: str, ttl_seconds: int) -> AbstractContextManager[Environment]: ...


class Suite:
    def __init__(self, http: Http, create: Creation, reference: str) -> None:
        self._http = http
        self._create = create
        self._reference = reference

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._reference}>"

    def details(self) -> TestSuiteDetails:
        """The suite with its tests. Raises DioramaError: `suite_not_found`, or `invalid_request` if several have the name."""
        return self._http.get(TestSuiteDetails, path_of(self._reference), {"expand": "true"})

    def run(
        self,
        agent: Agent,
        *,
        surface: Surface | None = None,
        parallel: int = 1,
        repeat: int = 1,
        timeout_seconds: int = 600,
        labels: Mapping[str, str] | None = None,
        others: Sequence[Suite] = (),
        retry_ungradable: int = 0,
        on_attempt: Callable[[Attempt], object] | None = None,
    ) -> SuiteOutcome:
        """
        Runs `agent` on each test, each attempt in its own environment. A failed attempt does not stop the others.
        `surface` is what the agent uses: "mcp" leaves out tests that the tools cannot solve. Without it, all tests run.
        `labels` are stored with each run, for instance `{"model": "…"}`. `others`: the same suite on other servers; the
        attempts are spread over all. An attempt that ends with "error" is made again up to `retry_ungradable` times, on
        another server if there is one. Raises ValueError if the suite is not the same on all servers.
        """
        homes = [(suite, suite.details()) for suite in (self, *others)]
        suites = [details for _, details in homes]
        require_same(suites)
        spread = Homes(homes)
        tests = suites[0].tests or []

        def attempt(planned: tuple[Test, int]) -> Attempt:
            test, number = planned
            place = tests.index(test)
            last, tries = None, 0
            while True:
                with spread.use(last) as last:
                    suite, details = last
                    there = (details.tests or [])[place]
                    made = suite._attempt(agent, details.id, there, number, timeout_seconds, labels)
                if made.status == "error":
                    spread.avoid(last)
                if made.status != "error" or tries >= retry_ungradable:
                    break
                sleep(pause_after(tries))
                tries += 1
            outcome = replace(made, test_id=test.id)
            if on_attempt is not None:
                on_attempt(outcome)
            return outcome

        planned = [(test, number + 1) for test in solvable(tests, surface) for number in range(repeat)]
        return SuiteOutcome(suites[0].name, each(parallel, planned, attempt))

    def _attempt(
        self,
        agent: Agent,
        suite_id: str,
        test: Test,
        number: int,
        timeout_seconds: int,
        labels: Mapping[str, str] | None,
    ) -> Attempt:
        try:
            with self._create(test_id=test.id, ttl_seconds=timeout_seconds + MARGIN_SECONDS) as environment:
                run = environment.run(test_id=test.id, test_suite_id=suite_id, labels=labels)
                deadline = time.monotonic() + timeout_seconds
                task = Task(environment.prompt or test.prompt, environment, test, number, deadline)
                try:
                    ending = finish(timeout_seconds, lambda: agent(task))
                except BaseException:
                    # The environment is deleted in any case.
                    briefly(lambda: run.evaluate(ending="interrupted"))
                    raise
                verdict = run.evaluate(ending=ending.kind, cost_usd=task.spend.dollars)
                reasons = None if verdict.passed else _reasons_of(run)
        except DioramaError as error:
            return Attempt(test.name, test.id, number, "error", error=error)
        return Attempt(
            *(test.name, test.id, number, status_of(verdict)),
            run_id=run.id,
            console_url=run.console_url,
            reasons=reasons or None,
            verdict=verdict,
            error=ending.error,
        )


def _reasons_of(run: Run) -> str | None:
    """None if they cannot be read: the verdict counts in any case."""
    try:
        return run.reasons()
    except DioramaError:
        return None
