"""A run: the recording of everything that changes in an environment."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Literal

from .._error import DioramaError
from ..models import Call, CallPage, Diff, EvaluatedRun, Evaluation
from ..models import Run as Results
from .http import AsyncHttp

# Of no interest in the traceback of a test.
__tracebackhide__ = True

Ending = Literal["answered", "crashed", "timed_out", "interrupted"]

# A page of the list of calls.
CALLS_PER_PAGE = 1_000


class AsyncRun:
    """A run. `async with` ends it, also if the block raises."""

    def __init__(self, http: AsyncHttp, id: str) -> None:
        self._http = http
        self.id = id
        self._diff: Diff | None = None
        self._calls: list[Call] = []

    @property
    def console_url(self) -> str:
        """The page of the run in the console."""
        return f"{self._http.url}/console/runs/{self.id}"

    @property
    def diff(self) -> Diff:
        """The net effect of everything that committed in the run. Raises RuntimeError before its end."""
        if self._diff is None:
            raise RuntimeError("The run has not ended")
        return self._diff

    @property
    def calls(self) -> list[Call]:
        """The calls that the environment received, in order. Raises RuntimeError before the end of the run."""
        if self._diff is None:
            raise RuntimeError("The run has not ended")
        return self._calls

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"

    async def end(self) -> Diff:
        """
        Ends the run and returns its diff. Afterwards `diff` and `calls` are set. Raises DioramaError with the code
        `run_failed` if the run has no diff.
        """
        if self._diff is None:
            answer = await self._end("/diffRun", {})
            if answer.get("diff") is None:
                message = f"Run {self.id} has no diff: {answer.get('cause', 'it failed')}"
                raise DioramaError(message, code="run_failed", status=200)
            calls = await self.list_calls()
            self._diff = Diff.model_validate(answer["diff"])
            self._calls = calls
        return self._diff

    async def evaluate(
        self,
        expected_output: Mapping[str, Any] | None = None,
        *,
        ending: Ending | None = None,
        exit_code: int | None = None,
        cost_usd: float | None = None,
    ) -> EvaluatedRun:
        """
        Ends the run and returns the verdict of its test, or of `expected_output`. `ending` is how the attempt ended:
        one that `crashed` or `timed_out` has not passed. `cost_usd` is its price in US dollars.
        """
        options = {
            "expectedOutput": expected_output,
            "ending": ending,
            "exitCode": exit_code,
            "costUsd": cost_usd,
        }
        given = {name: value for name, value in options.items() if value is not None}
        answer = await self._end("/evaluateRun", given)
        if answer["passed"] is None:
            message = f"Run {self.id} ended without a verdict; grade() gives one"
            raise DioramaError(message, code="run_already_completed", status=400)
        # A run that ended with its environment has no explanations, and no numbers if it is not gradable.
        numbers = {"success": answer["success"] or False, "reward": answer["reward"] or 0}
        return EvaluatedRun.model_validate({"explanations": [], **answer, **numbers})

    async def grade(
        self, expected_output: Mapping[str, Any] | None = None, *, test_id: str | None = None
    ) -> Evaluation:
        """Checks the diff of a run that has ended, any number of times."""
        body = {"expectedOutput": expected_output, "testId": test_id}
        answer = await self._http.call("POST", f"/runs/{self.id}/evaluate", body=body)
        return Evaluation.model_validate(answer)

    async def results(self) -> Results:
        """The run, with its results once it has ended."""
        return await self._http.get(Results, f"/results/{self.id}")

    async def reasons(self) -> str:
        """Why the run has its verdict, in words with names: lines of text, none if there is nothing to explain."""
        answer = await self._http.call("GET", f"/runs/{self.id}/reasons")
        return str(answer["text"])

    async def list_calls(self) -> list[Call]:
        """The calls until now, or until the end of the run."""
        calls: list[Call] = []
        after: int | None = 0
        while after is not None:
            query = {"after": after, "limit": CALLS_PER_PAGE}
            page = await self._http.get(CallPage, f"/runs/{self.id}/calls", query)
            calls += page.calls
            # While the run goes on, the last page has no next one either.
            after = page.next
        return calls

    async def _end(self, path: str, options: Mapping[str, Any]) -> Any:
        """Repeatable: a run that has ended, perhaps because an answer was lost, answers its results."""
        body = {**options, "runId": self.id}
        try:
            return await self._http.call("POST", path, body=body, is_repeatable=True)
        except DioramaError as error:
            if error.code != "run_already_completed":
                raise
            return await self._http.call("GET", f"/results/{self.id}")

    async def __aenter__(self) -> AsyncRun:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.end()
        except DioramaError:
            if error is None:
                raise
