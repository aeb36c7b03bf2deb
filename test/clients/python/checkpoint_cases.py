"""
A participant in checkpoints against a server, and a controller in the manner of NeMo Gym's: `checkpoint.test.ts` runs
it with pytest. As a program, it is the process of a trainer.
"""

import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import diorama
import pytest
from diorama.checkpoint import CheckpointError, CheckpointParticipant, Session

CLOCK = {"now": "2026-03-11T09:00:00Z", "mode": "step"}


class Controller:
    """Takes a checkpoint of all participants, and publishes its own manifest last."""

    def __init__(self, participants: dict[str, CheckpointParticipant], folder: Path) -> None:
        self.participants = participants
        self.folder = folder

    def checkpoint(self, checkpoint_id: str) -> list[str]:
        deadline = time.time() + 60
        participants = self.participants
        try:
            reports = [each.prepare(checkpoint_id, deadline) for each in participants.values()]
            digests: dict[str, str] = {}
            for name, each in participants.items():
                each.commit(checkpoint_id, self.folder / name, deadline)
                digests[name] = hashlib.sha256((self.folder / name / "manifest.json").read_bytes()).hexdigest()
            (self.folder / "manifest.json").write_text(json.dumps(digests))
        finally:
            for each in participants.values():
                each.resume(checkpoint_id)
        return [execution for report in reports for execution in report.captured]

    def restore(self, checkpoint_id: str) -> list[Session]:
        deadline = time.time() + 60
        digests = json.loads((self.folder / "manifest.json").read_text())
        for name in self.participants:
            assert hashlib.sha256((self.folder / name / "manifest.json").read_bytes()).hexdigest() == digests[name]
        try:
            restored = [
                each.restore(checkpoint_id, self.folder / name, deadline) for name, each in self.participants.items()
            ]
        finally:
            for each in self.participants.values():
                each.resume(checkpoint_id)
        return [session for sessions in restored for session in sessions]


def say(session: Session, text: str) -> dict[str, str]:
    """Everything that the answer of a post says."""
    answer = session.environment.slack().chat_postMessage(channel="C01GENERAL", text=text)
    return {"ts": answer["ts"], "message": answer["message"]}


def texts(session: Session) -> list[str]:
    answer = session.environment.slack().conversations_history(channel="C01GENERAL")
    return [message["text"] for message in answer["messages"]]


def active() -> set[str]:
    listed = diorama.call("GET", "/environments", query={"status": "active"})["environments"]
    return {environment["environmentId"] for environment in listed}


def first_process(folder: str) -> None:
    """Checkpoints after several changes, continues, and is lost."""
    participant = CheckpointParticipant()
    env = diorama.env("chat_default", as_="U01AGENTONE", seed=7, clock=CLOCK)
    env.run()
    participant.enter("rollout-1", 0, env)
    with participant.call("rollout-1", 0) as session:
        session.environment.slack().conversations_create(name="plans")
        first = say(session, "One")
        session.environment.slack().chat_update(channel="C01GENERAL", ts=first["ts"], text="First")
        say(session, "Two")
    captured = Controller({"diorama": participant}, Path(folder)).checkpoint("step-1")
    with participant.call("rollout-1", 0) as session:
        print(json.dumps([captured, env.id, say(session, "Three"), texts(session)]), flush=True)
    os._exit(9)


def next_process(folder: str) -> None:
    participant = CheckpointParticipant()
    (session,) = Controller({"diorama": participant}, Path(folder)).restore("restore-1")
    with participant.call("rollout-1", 1):
        said = [say(session, "Three"), texts(session)]
    run = session.run
    assert run is not None
    inserts = [row["text"] for row in run.end().inserts if row["__table__"] == "messages"]
    print(json.dumps([session.attempt, session.environment.id, *said, inserts, session.runs]))


@pytest.fixture
def new() -> Iterator[Callable[[], CheckpointParticipant]]:
    with ExitStack() as stack:

        def create() -> CheckpointParticipant:
            participant = CheckpointParticipant(keep_seconds=7 * 86_400)
            stack.callback(participant.close)
            return participant

        yield create


@pytest.fixture
def participant(new) -> CheckpointParticipant:
    return new()


@pytest.fixture
def opened() -> Iterator[Callable[..., diorama.Environment]]:
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(diorama.env("chat_default", as_="U01AGENTONE", **options))


def soon(seconds: float = 60) -> float:
    """A deadline."""
    return time.time() + seconds


def checkpoint(participant: CheckpointParticipant, folder: Path, name: str = "step-1") -> None:
    Controller({"diorama": participant}, folder).checkpoint(name)


def test_another_process_continues_as_if_nothing_had_happened(tmp_path: Path) -> None:
    def play(process: str, code: int) -> list:
        child = subprocess.run([sys.executable, __file__, process, str(tmp_path)], stdout=subprocess.PIPE)
        assert child.returncode == code
        return json.loads(child.stdout)

    captured, before, *uninterrupted = play("first_process", 9)
    attempt, after, said, listed, inserts, runs = play("next_process", 0)
    assert captured == ["rollout-1"]
    assert (attempt, [said, listed]) == (1, uninterrupted)
    assert before != after
    assert listed[:3] == ["Three", "Two", "First"]
    assert inserts == ["Three"]
    assert len(runs) == 1
    for environment in (before, after):
        diorama.call("DELETE", f"/env/{environment}")


@pytest.mark.parametrize("damage", ["records", "manifest", "half", "snapshot"])
def test_a_checkpoint_that_is_not_whole_activates_nothing(
    participant, new, opened, tmp_path: Path, damage: str
) -> None:
    for execution in ("a", "b"):
        participant.enter(execution, 0, opened())
    checkpoint(participant, tmp_path)
    folder = tmp_path / "diorama"
    (records,) = folder.glob("records-*")
    if damage == "records":
        records.write_bytes(records.read_bytes().replace(b'"attempt":0', b'"attempt":1', 1))
    elif damage == "manifest":
        (folder / "manifest.json").unlink()
    elif damage == "half":
        records.write_bytes(records.read_bytes()[:-20])
    else:
        with participant.call("b", 0) as session:
            session.environment.delete()
    before = active()

    replacement = new()
    code = "snapshot_missing" if damage == "snapshot" else "invalid_checkpoint"
    with pytest.raises(CheckpointError) as error:
        replacement.restore("restore-1", folder, soon())
    assert error.value.code == code
    assert (replacement.status()["phase"], replacement.status()["executions"]) == ("idle", 0)
    assert active() == before
    if damage == "snapshot":
        (session,) = replacement.restore("restore-1", folder, soon(), executions=["a"])
        session.environment.delete()


def test_a_fork_that_fails_takes_the_others_with_it(participant, new, opened, tmp_path: Path, monkeypatch) -> None:
    for execution in ("a", "b"):
        participant.enter(execution, 0, opened())
    checkpoint(participant, tmp_path)
    before = active()
    replacement = new()
    fork = replacement._fork

    def fails_for_b(record):
        if record.execution == "b":
            raise diorama.DioramaError("full", code="capacity_exhausted", status=503)
        return fork(record)

    monkeypatch.setattr(replacement, "_fork", fails_for_b)
    with pytest.raises(diorama.DioramaError, match="full"):
        replacement.restore("restore-1", tmp_path / "diorama", soon())
    assert active() == before
    assert replacement.status()["phase"] == "idle"


def test_forks_that_are_late_are_deleted(participant, new, opened, tmp_path: Path, monkeypatch) -> None:
    participant.enter("a", 0, opened())
    checkpoint(participant, tmp_path)
    before = active()
    replacement = new()
    fork = replacement._fork
    made: list[str] = []

    def slow(record) -> Session:
        session = fork(record)
        made.append(session.environment.id)
        time.sleep(2)
        return session

    monkeypatch.setattr(replacement, "_fork", slow)
    with pytest.raises(CheckpointError, match="longer than the deadline"):
        replacement.restore("restore-1", tmp_path / "diorama", soon(1.5))
    assert replacement.status() == {**participant.status(), "executions": 0}
    until = soon(20)
    while (not made or active() != before) and time.time() < until:
        time.sleep(0.1)
    assert (len(made), active()) == (1, before)


def test_an_attempt_can_neither_change_nor_retire_the_next_one(participant, new, opened, tmp_path: Path) -> None:
    env = opened()
    old = participant.enter("a", 0, env)
    checkpoint(participant, tmp_path)
    replacement = new()
    (session,) = replacement.restore("restore-1", tmp_path / "diorama", soon())
    replacement.resume("restore-1")
    before = texts(session)

    say(old, "Late")
    assert texts(session) == before
    for late in (
        lambda: replacement.call("a", 0).__enter__(),
        lambda: replacement.retire("a", 0),
        lambda: replacement.enter("a", 2, env),
    ):
        with pytest.raises(CheckpointError, match=r"Attempt 0 of a is rejected: the newest one is 1|Retire the"):
            late()
    assert session.environment.id in active()

    replacement.retire("a", 1)
    replacement.retire("a", 1)
    assert session.environment.id not in active()
    for attempt in (1, 0):
        with pytest.raises(CheckpointError) as error, replacement.call("a", attempt):
            pass
        assert error.value.code == "stale_attempt"
    with pytest.raises(CheckpointError, match="it is retired"):
        replacement.enter("a", 1, env)
    assert replacement.enter("a", 2, env).attempt == 2


def test_the_environment_of_a_checkpoint_outlives_its_attempt(participant, new, opened, tmp_path: Path) -> None:
    env = opened()
    participant.enter("a", 0, env)
    checkpoint(participant, tmp_path)
    participant.retire("a", 0)
    participant.forget("a")

    replacement = new()
    (session,) = replacement.restore("restore-1", tmp_path / "diorama", soon())
    replacement.retire("a", 1)
    assert session.environment.id not in active()
    assert env.id in active()
    assert diorama.call("GET", f"/env/{env.id}")["secondsLeft"] > 6 * 86_400


def test_a_checkpoint_of_a_restored_execution_continues_it_again(participant, new, opened, tmp_path: Path) -> None:
    env = opened()
    first_run = env.run()
    participant.enter("a", 0, env)
    checkpoint(participant, tmp_path / "one")
    second = new()
    (session,) = second.restore("restore-1", tmp_path / "one" / "diorama", soon())
    say(session, "Again")
    second.resume("restore-1")
    checkpoint(second, tmp_path / "two", "step-2")
    third = new()
    (last,) = third.restore("restore-2", tmp_path / "two" / "diorama", soon())
    assert session.run is not None
    assert (last.attempt, last.runs) == (2, (first_run.id, session.run.id))
    assert texts(last)[0] == "Again"
    for each in (session, last):
        each.environment.delete()


def test_a_deadline_that_passes_leaves_everything_open(participant, opened, tmp_path: Path, monkeypatch) -> None:
    participant.enter("a", 0, opened())
    with participant.call("a", 0):
        began = time.time()
        with pytest.raises(CheckpointError, match="in progress: a") as error:
            participant.prepare("step-1", soon(0.3))
        assert error.value.code == "deadline_exceeded"
        assert time.time() - began < 5
    with pytest.raises(CheckpointError, match="is idle, not prepared"):
        participant.commit("step-1", tmp_path, soon())

    monkeypatch.setattr(participant, "_freeze", lambda *_: time.sleep(2))
    began = time.time()
    with pytest.raises(CheckpointError, match="longer than the deadline"):
        participant.prepare("step-1", soon(0.3))
    assert time.time() - began < 1.5
    with participant.call("a", 0) as session:
        say(session, "Go on")
    monkeypatch.undo()
    for operation in (
        lambda: participant.prepare("step-1", time.time() - 1),
        lambda: participant.restore("step-1", tmp_path, time.time() - 1),
    ):
        with pytest.raises(CheckpointError, match="has passed"):
            operation()
    assert [*tmp_path.iterdir()] == []
    assert participant.prepare("step-1", soon()).captured == ["a"]
    participant.abort("step-1")


def test_calls_wait_while_a_checkpoint_is_open_and_until_its_controller_is_gone(
    participant, opened, monkeypatch
) -> None:
    participant.enter("a", 0, opened())
    participant.prepare("step-1", soon())
    done = threading.Event()

    def call() -> None:
        with participant.call("a", 0):
            done.set()

    threading.Thread(target=call).start()
    assert not done.wait(0.3)
    participant.resume("step-1")
    assert done.wait(5)

    monkeypatch.setattr("diorama._admission.GRACE_SECONDS", 0)
    participant.prepare("step-2", soon(3))
    with participant.call("a", 0):
        pass
    assert participant.status()["phase"] == "idle"
    with pytest.raises(CheckpointError, match="step-2 has been resumed"):
        participant.prepare("step-2", soon())


def test_operations_can_be_repeated_and_others_are_rejected(participant, opened, tmp_path: Path) -> None:
    participant.enter("a", 0, opened())
    report = participant.prepare("step-1", soon())
    assert participant.prepare("step-1", soon()) is report
    assert participant.commit("step-1", tmp_path / "one", soon()) == participant.commit(
        "step-1", tmp_path / "one", soon()
    )
    rejected = {
        "checkpoint_conflict": [
            lambda: participant.prepare("step-2", soon()),
            lambda: participant.resume("step-2"),
            lambda: participant.commit("step-1", tmp_path / "two", soon()),
        ],
        "invalid_phase": [
            lambda: participant.retire("a", 0),
            lambda: participant.restore("step-1", tmp_path / "one", soon()),
        ],
    }
    for code, operations in rejected.items():
        for operation in operations:
            with pytest.raises(CheckpointError) as error:
                operation()
            assert error.value.code == code
    assert participant.status()["phase"] == "committed"
    participant.resume("step-1")
    participant.resume("step-1")
    participant.abort("never")
    for name in ("step-1", "never"):
        with pytest.raises(CheckpointError) as error:
            participant.prepare(name, soon())
        assert error.value.code == "stale_checkpoint"
    with pytest.raises(CheckpointError, match="cannot restore"):
        participant.restore("step-3", tmp_path / "one", soon())
    participant.prepare("step-3", soon())
    with pytest.raises(CheckpointError, match="belongs to another checkpoint"):
        participant.commit("step-3", tmp_path / "one", soon())
    assert participant.commit("step-3", tmp_path / "three", soon()).record_count == 1
    participant.resume("step-3")


def test_what_a_snapshot_cannot_continue_is_no_part_of_a_checkpoint(participant, opened, tmp_path: Path) -> None:
    faulty = opened(faults=[{"fault": "rate_limited", "method": "auth.test", "when": {"times": 1}}])
    people = opened()
    rule = {
        "name": "greet",
        "as": "U02JOHNADOE",
        "when": {"diff_type": "added", "entity": "messages"},
        "say": {"channel": "C01GENERAL", "text": "Hi"},
    }
    diorama.call("PUT", f"/env/{people.id}/counterparts", body={"counterparts": [rule]})
    gone = opened()
    test_id = diorama.suite("Chat benchmark").details().tests[0].id
    with diorama.env(test_id=test_id) as tested:
        tested.run(test_id=test_id)
        sessions = {"faulty": faulty, "gone": gone, "people": people, "plain": opened(), "tested": tested}
        for execution, env in sessions.items():
            participant.enter(execution, 0, env)
        with pytest.raises(Exception, match="ratelimited"):
            faulty.slack().auth_test()
        gone.delete()

        report = participant.prepare("step-1", soon())
        assert report.captured == ["plain"]
        assert {execution: reason[:20] for execution, reason in report.restarts.items()} == {
            "faulty": "it has had faults, w",
            "gone": "it cannot be copied:",
            "people": "it has counterparts,",
            "tested": "its run has a test, ",
        }
        assert participant.commit("step-1", tmp_path, soon()).record_count == 1
        participant.resume("step-1")


if __name__ == "__main__":
    {"first_process": first_process, "next_process": next_process}[sys.argv[1]](sys.argv[2])
