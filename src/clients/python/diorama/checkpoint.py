"""
Checkpoints of a trainer: environments stop at snapshots, and continue as forks of them, in another process too.

    participant = CheckpointParticipant()
    participant.enter("rollout-1", 0, env)
    with participant.call("rollout-1", 0) as session:
        agent_calls(session.environment)

    deadline = time.time() + 60
    participant.prepare("step-40", deadline)
    participant.commit("step-40", directory, deadline)
    participant.resume("step-40")

A new process begins with `restore`, which brings each execution back under its next attempt, and `resume`. The phases
are idle, preparing, prepared, committed; and idle, restoring, restored. `resume` leads back to idle from each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from . import _checkpoint as files
from ._admission import GRACE_SECONDS, NAMED_MAX, Admission, Session
from ._checkpoint import CheckpointError, Manifest, Record
from ._error import DioramaError
from ._sync.environment import GONE, Environment, Forked
from ._sync.http import Http
from .models import EnvironmentDetail, FaultList, Snapshot
from .models import Run as Results

__all__ = ["CheckpointError", "CheckpointParticipant", "Report", "Session"]

Item = TypeVar("Item")
Result = TypeVar("Result")

# Calls of the server at the same time.
PARALLEL = 8
ONE_DAY = 86_400
# Of an environment: seven days, and a minute for the way to the server.
LIFE_SECONDS_MAX = 7 * ONE_DAY - 60


@dataclass(frozen=True)
class Report:
    """The outcome of `prepare`."""

    captured: list[str]
    """The executions that the checkpoint has."""
    restarts: dict[str, str]
    """Executions that a snapshot cannot continue, with the reason: after a restore, they begin anew."""


class CheckpointParticipant(Admission):
    """The environments of a process that takes part in checkpoints. Its methods may be called from any thread."""

    def __init__(self, url: str | None = None, key: str | None = None, *, keep_seconds: int = ONE_DAY) -> None:
        """`keep_seconds`: how long a checkpoint can be restored. An environment lives for seven days at most."""
        super().__init__()
        self._http = Http(url, key)
        self._keep_seconds = keep_seconds
        self._report = Report([], {})
        self._records: list[Record] = []
        self._committed: tuple[Path, Manifest] | None = None

    def prepare(self, checkpoint_id: str, deadline: float) -> Report:
        """
        Closes admission, waits for the calls in progress, and takes a snapshot of each environment. `deadline` is a
        time in seconds since 1970. After an error, admission is open again.
        """
        with self._changed:
            if self._is(checkpoint_id, "prepared", "committed"):
                return self._report
        with self._transition(checkpoint_id, deadline, "preparing"):
            with self._changed:
                if not self._changed.wait_for(lambda: not self._busy(), deadline - time.time()):
                    message = f"Calls are in progress: {', '.join(self._busy()[:NAMED_MAX])}"
                    raise CheckpointError("deadline_exceeded", message)
                sessions = [session for _, session in sorted(self._sessions.items()) if not session.is_retired]
            frozen = self._each(lambda session: self._freeze(session, checkpoint_id), sessions, deadline)
            outcomes = list(zip(sessions, [future.result() for future in frozen], strict=True))
            with self._changed:
                self._finish(checkpoint_id, deadline, "preparing", "prepared")
                self._records = [outcome for _, outcome in outcomes if isinstance(outcome, Record)]
                restarts = {session.execution: reason for session, reason in outcomes if isinstance(reason, str)}
                self._report = Report([record.execution for record in self._records], restarts)
                return self._report

    def commit(self, checkpoint_id: str, directory: str | Path, deadline: float) -> Manifest:
        """Writes the checkpoint into a folder, its manifest last."""
        folder = Path(directory)
        with self._changed:
            if self._committed and self._is(checkpoint_id, "committed"):
                if self._committed[0] != folder:
                    message = f"{checkpoint_id} has been written to {self._committed[0]}"
                    raise CheckpointError("checkpoint_conflict", message)
                return self._committed[1]
            self._admit(checkpoint_id, deadline, "prepared")
            manifest = files.write(folder, checkpoint_id, self._records)
            for record in self._records:
                self._sessions[record.execution].is_kept = True
            self._phase, self._committed = "committed", (folder, manifest)
            self._resumes_at = max(self._resumes_at, deadline + GRACE_SECONDS)
            return manifest

    def restore(
        self,
        checkpoint_id: str,
        directory: str | Path,
        deadline: float,
        *,
        executions: Collection[str] | None = None,
    ) -> list[Session]:
        """
        Continues a checkpoint, or some of its executions, each in a fork and under its next attempt: all or none.
        Their calls wait for `resume`.
        """
        with self._transition(checkpoint_id, deadline, "restoring"):
            if self._newest:
                raise CheckpointError("invalid_phase", "A participant that has had executions cannot restore")
            records = files.read(Path(directory))
            if executions is not None:
                unknown = {*executions} - {record.execution for record in records}
                if unknown:
                    raise CheckpointError("unknown_execution", f"Not in {directory}: {', '.join(sorted(unknown))}")
                records = [record for record in records if record.execution in executions]
            for future in self._each(self._find, records, deadline):
                future.result()
            forks: list[Future[Session]] = []
            try:
                self._each(self._fork, records, deadline, forks)
                sessions = [fork.result() for fork in forks]
                with self._changed:
                    self._finish(checkpoint_id, deadline, "restoring", "restored")
                    self._sessions = {session.execution: session for session in sessions}
                    self._newest = {session.execution: session.attempt for session in sessions}
            except BaseException:
                for fork in forks:
                    fork.add_done_callback(self._undo)
                raise
            return sessions

    def retire(self, execution: str, attempt: int) -> None:
        """
        Rejects the attempt and earlier ones from now on, and deletes the environment; one of a checkpoint lives until
        it expires. Repeat it after an error.
        """
        with self._changed:
            self._check_lease()
            if attempt < self._newest.get(execution, -1):
                raise self._stale(execution, attempt)
            if self._phase not in ("idle", "restored"):
                raise CheckpointError("invalid_phase", f"{self._checkpoint_id} is {self._phase}: resume first")
            self._newest[execution] = attempt
            session = self._sessions.get(execution)
            if session is None:
                return
            session.is_retired = True
        if not session.is_kept:
            self._delete(session.environment)
        with self._changed:
            if self._sessions.get(execution) is session:
                del self._sessions[execution]

    def close(self) -> None:
        """Closes the connections. The environments stay."""
        self._http.close()

    def _freeze(self, session: Session, checkpoint_id: str) -> Record | str:
        """Takes the snapshot, or returns the reason why it would not be enough."""
        path = f"/env/{session.environment.id}"
        try:
            detail = self._http.get(EnvironmentDetail, path)
            seconds = int(min(self._keep_seconds, LIFE_SECONDS_MAX - detail.age_seconds))
            if seconds > detail.seconds_left:
                self._http.call("PATCH", path, body={"ttlSeconds": seconds})
            last = detail.run
            is_active = last is not None and last.status == "running"
            if last and is_active and self._http.get(Results, f"/results/{last.run_id}").test_id:
                return "its run has a test, whose verdict needs all changes"
            if self._http.call("GET", f"{path}/counterparts")["counterparts"]:
                return "it has counterparts, which begin anew in a fork of a snapshot"
            if any(fault.matched for fault in self._http.get(FaultList, f"{path}/faults").faults):
                return "it has had faults, whose counts begin anew in a fork of a snapshot"
            taken = self._http.call("POST", f"{path}/snapshots", body={"name": checkpoint_id}, has_key=True)
        except DioramaError as error:
            if error.code in {*GONE, "template_not_found"}:
                return f"it cannot be copied: {error}"
            raise
        runs = (*session.runs, *([last.run_id] if last and last.run_id not in session.runs else []))
        return Record(
            execution=session.execution,
            attempt=session.attempt,
            environment_id=session.environment.id,
            snapshot_id=Snapshot.model_validate(taken).snapshot_id,
            runs=runs,
            starts_run=is_active,
        )

    def _find(self, record: Record) -> None:
        try:
            answer = self._http.call("GET", f"/env/{record.environment_id}/snapshots")
            found = [Snapshot.model_validate(each).snapshot_id for each in answer["snapshots"]]
        except DioramaError as error:
            if error.code not in GONE:
                raise
            found = []
        if record.snapshot_id not in found:
            message = f"The server has no snapshot of {record.execution} any more: it ended with its environment"
            raise CheckpointError("snapshot_missing", message)

    def _fork(self, record: Record) -> Session:
        body = {
            "snapshotId": record.snapshot_id,
            "startRun": record.starts_run,
            "ttlSeconds": self._keep_seconds,
        }
        answer = self._http.call("POST", f"/env/{record.environment_id}/fork", body=body, has_key=True)
        forked = Forked(self._http, answer["environments"][0])
        return Session(record.execution, record.attempt + 1, forked.environment, forked.run, record.runs)

    def _undo(self, fork: Future[Session]) -> None:
        if not fork.cancelled() and fork.exception() is None:
            with suppress(DioramaError):  # it expires
                self._delete(fork.result().environment)

    def _delete(self, environment: Environment) -> None:
        try:
            self._http.call("DELETE", f"/env/{environment.id}")
        except DioramaError as error:
            if error.code not in GONE:
                raise

    @staticmethod
    def _each(
        work: Callable[[Item], Result],
        items: Sequence[Item],
        deadline: float,
        futures: list[Future[Result]] | None = None,
    ) -> list[Future[Result]]:
        """Does the work for all items, which are done when it returns. `futures` gets them before an error."""
        futures = [] if futures is None else futures
        pool = ThreadPoolExecutor(PARALLEL)
        try:
            futures += [pool.submit(work, item) for item in items]
            if wait(futures, max(0.0, deadline - time.time())).not_done:
                raise CheckpointError("deadline_exceeded", "The server took longer than the deadline allows")
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        return futures
