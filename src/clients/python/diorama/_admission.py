"""Which calls of which attempts are admitted, and the phases of a checkpoint."""

from __future__ import annotations

import re
import threading
import time
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from ._checkpoint import EXECUTIONS_MAX, CheckpointError
from ._sync.environment import Environment
from ._sync.run import Run

Phase = Literal["idle", "preparing", "prepared", "committed", "restoring", "restored"]

# After a deadline: then a participant whose controller is gone resumes by itself.
GRACE_SECONDS = 30.0
# Checkpoints that have been resumed and that a late controller cannot open again.
RESUMED_MAX = 64
# Executions that a message or a status names.
NAMED_MAX = 20


@dataclass
class Session:
    """An attempt of an execution, and its environment."""

    execution: str
    attempt: int
    environment: Environment
    run: Run | None = None
    """The run that began with the restore, in place of one that was active at the checkpoint."""
    runs: tuple[str, ...] = ()
    """The runs of earlier attempts, oldest first."""
    calls: int = 0
    """In progress."""
    is_kept: bool = False
    """A checkpoint has a snapshot of its environment, which ends with it."""
    is_retired: bool = False


class Admission:
    """The executions of a process: which of their attempts may call now."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._phase: Phase = "idle"
        self._checkpoint_id: str | None = None
        self._resumes_at = 0.0
        self._resumed: deque[str] = deque(maxlen=RESUMED_MAX)
        self._sessions: dict[str, Session] = {}
        # Of each execution: its newest attempt. Earlier ones are rejected.
        self._newest: dict[str, int] = {}

    def enter(self, execution: str, attempt: int, environment: Environment) -> Session:
        """Binds an attempt to its environment. Waits while a checkpoint is open."""
        with self._changed:
            self._wait_open()
            if not 0 < len(execution) <= 255 or attempt < 0:
                raise CheckpointError("invalid_request", "An execution has a name, and attempts count from 0")
            if execution in self._sessions:
                raise CheckpointError("invalid_request", f"Retire the attempt of {execution} that is active")
            if attempt <= self._newest.get(execution, -1):
                raise self._stale(execution, attempt)
            if len(self._sessions) >= EXECUTIONS_MAX:
                raise CheckpointError("invalid_request", f"At most {EXECUTIONS_MAX} executions at a time")
            session = Session(execution, attempt, environment)
            self._sessions[execution] = session
            self._newest[execution] = attempt
            return session

    @contextmanager
    def call(self, execution: str, attempt: int) -> Generator[Session, None, None]:
        """Admits calls of an attempt, for the block. Waits while a checkpoint is open."""
        with self._changed:
            self._require(execution, attempt)
            self._wait_open()
            session = self._require(execution, attempt)
            session.calls += 1
        try:
            yield session
        finally:
            with self._changed:
                session.calls -= 1
                self._changed.notify_all()

    def resume(self, checkpoint_id: str) -> None:
        """Opens admission again, from any phase. The id cannot be used any more, also if it never was."""
        with self._changed:
            self._check_lease()
            if checkpoint_id in self._resumed:
                return
            if self._checkpoint_id not in (None, checkpoint_id):
                raise CheckpointError("checkpoint_conflict", f"{self._checkpoint_id} is {self._phase}")
            self._resumed.append(checkpoint_id)
            self._open()

    abort = resume

    def forget(self, execution: str) -> None:
        """Drops what is known of an execution that is retired and of which no call can arrive any more."""
        with self._changed:
            if execution in self._sessions:
                raise CheckpointError("invalid_request", f"{execution} is not retired")
            self._newest.pop(execution, None)

    def status(self) -> dict[str, Any]:
        with self._changed:
            self._check_lease()
            return {
                "phase": self._phase,
                "checkpoint_id": self._checkpoint_id,
                "resumes_at": self._resumes_at if self._checkpoint_id else None,
                "executions": len(self._sessions),
                "busy": self._busy()[:NAMED_MAX],
            }

    @contextmanager
    def _transition(self, checkpoint_id: str, deadline: float, during: Phase) -> Generator[None, None, None]:
        with self._changed:
            self._admit(checkpoint_id, deadline, "idle")
            self._phase, self._checkpoint_id = during, checkpoint_id
            self._resumes_at = deadline + GRACE_SECONDS
        try:
            yield
        except BaseException:
            with self._changed:
                if self._is(checkpoint_id, during):
                    self._open()
            raise

    def _finish(self, checkpoint_id: str, deadline: float, during: Phase, after: Phase) -> None:
        if not self._is(checkpoint_id, during):
            raise CheckpointError("stale_checkpoint", f"{checkpoint_id} was resumed meanwhile")
        in_time(checkpoint_id, deadline)
        self._phase = after

    def _admit(self, checkpoint_id: str, deadline: float, phase: Phase) -> None:
        self._check_lease()
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", checkpoint_id):
            raise CheckpointError("invalid_request", "The id of a checkpoint has up to 128 letters, digits and ._-")
        if checkpoint_id in self._resumed:
            raise CheckpointError("stale_checkpoint", f"{checkpoint_id} has been resumed")
        if self._checkpoint_id not in (None, checkpoint_id):
            raise CheckpointError("checkpoint_conflict", f"{self._checkpoint_id} is {self._phase}")
        if self._phase != phase:
            raise CheckpointError("invalid_phase", f"{checkpoint_id} is {self._phase}, not {phase}")
        in_time(checkpoint_id, deadline)

    def _is(self, checkpoint_id: str, *phases: Phase) -> bool:
        self._check_lease()
        return self._checkpoint_id == checkpoint_id and self._phase in phases

    def _check_lease(self) -> None:
        if self._checkpoint_id is not None and time.time() >= self._resumes_at:
            self._resumed.append(self._checkpoint_id)
            self._open()

    def _open(self) -> None:
        self._phase, self._checkpoint_id = "idle", None
        self._changed.notify_all()

    def _wait_open(self) -> None:
        self._check_lease()
        while self._phase != "idle":
            self._changed.wait(max(0.0, self._resumes_at - time.time()))
            self._check_lease()

    def _busy(self) -> list[str]:
        return sorted(session.execution for session in self._sessions.values() if session.calls)

    def _require(self, execution: str, attempt: int) -> Session:
        newest = self._newest.get(execution)
        if newest is None or attempt > newest:
            raise CheckpointError("unknown_execution", f"{execution} has no attempt {attempt}")
        session = self._sessions.get(execution)
        if attempt < newest or session is None or session.is_retired:
            raise self._stale(execution, attempt)
        return session

    def _stale(self, execution: str, attempt: int) -> CheckpointError:
        newest = self._newest[execution]
        why = "it is retired" if attempt == newest else f"the newest one is {newest}"
        return CheckpointError("stale_attempt", f"Attempt {attempt} of {execution} is rejected: {why}")


def in_time(checkpoint_id: str, deadline: float) -> None:
    if time.time() >= deadline:
        raise CheckpointError("deadline_exceeded", f"The deadline of {checkpoint_id} has passed")
