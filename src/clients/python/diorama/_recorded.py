"""An environment in which a run has begun, for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ._error import DioramaError
from ._sync.environment import Environment
from ._sync.run import Run
from .models import Call, Diff, EvaluatedRun

# Of no interest in the traceback of a test.
__tracebackhide__ = True

# Shown in the report of a failed test.
CALLS_MAX = 10
ROWS_MAX = 50
LINE_MAX = 1_000


class RecordedEnvironment(Environment):
    """The value of the fixture `diorama`."""

    def __init__(self, environment: Environment, labels: Mapping[str, str] | None = None) -> None:
        super().__init__(environment._http, environment._created)
        self._labels = labels
        self.recording: Run = environment.run(labels=labels)
        """The run that has begun before the test, or the one that `run` has started since."""

    def run(self, **options: Any) -> Run:
        """Ends the recording and starts another run."""
        self.recording.end()
        options.setdefault("labels", self._labels)
        self.recording = super().run(**options)
        return self.recording

    def diff(self) -> Diff:
        """Ends the recording. Returns the net effect of everything that committed in it."""
        return self.recording.end()

    def calls(self) -> list[Call]:
        """The calls until now, or until the end of the recording."""
        return self.recording.list_calls()

    def evaluate(self, expected_output: Mapping[str, Any], **end: Any) -> EvaluatedRun:
        """Ends the recording. Returns the verdict of an expectation. `end`: as of `Run.evaluate`."""
        return self.recording.evaluate(expected_output, **end)

    def report(self) -> list[tuple[str, str]]:
        """The run with the reasons of its verdict, the diff and the last calls: titles and texts."""
        try:
            diff, calls = self.recording.end(), self.recording.calls
            run = f"{self.recording.console_url}\n{self.recording.reasons()}".rstrip()
        except DioramaError as error:
            return [("Diorama", f"The run has no diff: {error}")]
        return [("Diorama run", run), ("Diorama diff", _diff_text(diff)), ("Diorama calls", _calls_text(calls))]


def _diff_text(diff: Diff) -> str:
    """Without empty columns."""
    signs = {"+": diff.inserts, "~": diff.updates, "-": diff.deletes}
    lines = [
        _cut(f"{sign} {row['__table__']} {_json({name: row[name] for name in row if _is_shown(name, row[name])})}")
        for sign, rows in signs.items()
        for row in rows
    ]
    if not lines:
        return "nothing changed"
    more = [f"… and {len(lines) - ROWS_MAX} more"] if len(lines) > ROWS_MAX else []
    return "\n".join(lines[:ROWS_MAX] + more)


def _is_shown(name: str, value: object) -> bool:
    return name != "__table__" and value is not None


def _calls_text(calls: list[Call]) -> str:
    if not calls:
        return "no calls"
    lines = [
        _cut(f"{call.n}. {call.name} {_json(call.arguments)} → {call.error or call.status}")
        for call in calls[-CALLS_MAX:]
    ]
    earlier = [f"… {len(calls) - CALLS_MAX} calls before"] if len(calls) > CALLS_MAX else []
    return "\n".join(earlier + lines)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(line: str) -> str:
    return line if len(line) <= LINE_MAX else f"{line[:LINE_MAX]}…"
