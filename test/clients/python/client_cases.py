"""The Python client against a server; `client.test.ts` runs it with pytest."""

import asyncio
import contextlib
import io
import json
import os
import re
import shlex
import threading
import time
from collections.abc import Callable, Iterator
from email.message import Message
from http.server import BaseHTTPRequestHandler, HTTPServer

import diorama
import httpx
import pytest
from diorama.models import Diff
from diorama.testing import assert_diff
from googleapiclient.http import MediaIoBaseUpload
from slack_sdk.errors import SlackApiError

GREETING = {"channel": "C01GENERAL", "text": "Hello"}
SUITE = "Chat benchmark"


def active() -> set[str]:
    environments = diorama.call("GET", "/environments", query={"status": "active"})["environments"]
    return {environment["environmentId"] for environment in environments}


def test_an_environment_works_with_the_official_client_and_is_deleted_at_the_end_of_its_block() -> None:
    with diorama.env("chat_default", as_="U01AGENTONE") as env:
        assert env.slack().auth_test()["user_id"] == "U01AGENTONE"
        assert (env.service, env.template) == ("chat", "chat_default")
        assert env.expires_at.timestamp() > time.time()
        assert abs(env.now.timestamp() - time.time()) < 60
        assert env.prompt is None
        assert env.id in active()

    assert env.id not in active()


def test_an_environment_that_is_already_deleted_is_deleted_again_without_an_error() -> None:
    with diorama.env("chat_default", as_="agent@acme.test") as env:
        env.delete()


def test_a_run_gives_the_diff_and_the_calls() -> None:
    with diorama.env("chat_default", as_="U01AGENTONE") as env:
        with env.run(labels={"model": "none"}) as run:
            with pytest.raises(RuntimeError, match="not ended"):
                _ = run.diff
            env.slack().chat_postMessage(**GREETING)

        assert_diff(run.diff, inserts=[{"__table__": "messages", "text": "Hello"}])
        assert [(call.n, call.name, call.status) for call in run.calls] == [(1, "chat.postMessage", 200)]
        assert run.results().labels == {"model": "none"}
        assert run.end() == run.diff


def test_a_world_opens_each_of_its_services_and_has_one_diff() -> None:
    with diorama.env("acme", as_="agent@acme.test") as env:
        with env.run() as run:
            env.slack().chat_postMessage(**GREETING)
            create = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }"
            team = env.linear().execute("{ teams { nodes { id } } }")["teams"]["nodes"][0]["id"]
            env.linear().execute(create, {"input": {"teamId": team, "title": "Crash"}})

        tables = [row["__table__"] for row in run.diff.inserts]
        assert {"chat_messages", "tracker_issues"} <= {*tables}
        assert [*env.services] == ["chat", "tracker", "mail", "calendar"]
        assert env.mcp.url == f"{env.url.removesuffix('/services')}/mcp"


def test_a_run_ends_when_its_block_raises() -> None:
    with diorama.env("chat_default", as_="U01AGENTONE") as env:
        with pytest.raises(KeyError, match="broken"), env.run() as broken:
            env.slack().chat_postMessage(**GREETING)
            raise KeyError("broken")

        assert len(broken.diff.inserts) == 1
        with env.run():
            pass


def test_a_run_is_evaluated_once_and_graded_any_number_of_times() -> None:
    added = {"assertions": [{"diff_type": "added", "entity": "messages"}]}
    removed = {"assertions": [{"diff_type": "removed", "entity": "messages"}]}
    with diorama.env("chat_default", as_="U01AGENTONE") as env:
        with env.run() as run:
            env.slack().chat_postMessage(**GREETING)
            assert run.evaluate(added).passed
        assert run.evaluate().passed
        assert [run.grade(spec).passed for spec in (added, removed)] == [True, False]

        with env.run() as run:
            pass
        with pytest.raises(diorama.DioramaError, match=r"grade\(\)"):
            run.evaluate(added)


def test_an_environment_has_a_clock_and_faults_and_its_calls_are_counted() -> None:
    clock = {"now": "2026-03-11T09:00:00Z", "mode": "frozen"}
    faults = [{"fault": "lost_answer", "method": "chat.postMessage", "when": {"times": 1}}]
    retried = {"diff_type": "called", "entity": "chat.postMessage", "where": {"retry": 1}}
    with diorama.env("chat_default", as_="U01AGENTONE", clock=clock, seed=7, faults=faults) as env:
        with env.run() as run:
            for _ in range(2):
                with contextlib.suppress(SlackApiError):
                    env.slack().chat_postMessage(**GREETING)
            assert run.evaluate({"assertions": [{**retried, "expected_count": 1}]}).passed
        assert [row["ts"][:10] for row in run.diff.inserts] == ["1773219600"] * 2


def test_an_environment_returns_to_a_snapshot_and_to_its_template() -> None:
    def texts() -> list[str]:
        return [message["text"] for message in env.slack().conversations_history(channel="C01GENERAL")["messages"]]

    with diorama.env("chat_default", as_="U01AGENTONE") as env:
        before = texts()
        env.slack().chat_postMessage(**GREETING)
        snapshot = env.snapshot("greeted")
        env.reset()
        assert texts() == before
        env.restore(snapshot.snapshot_id)
        assert texts() == ["Hello", *before]
        assert snapshot.name == "greeted"
        assert env.id in repr(env)
        assert "chat_default" in repr(env)
        assert env.token not in repr(env)
        run = env.run()
        assert repr(run) == f"<Run {run.id}>"
        assert repr(diorama.suite(SUITE)) == f"<Suite {SUITE}>"


def test_forks_equal_their_parent_and_have_runs_of_their_own() -> None:
    with diorama.env("chat_default", as_="U01AGENTONE") as env:
        env.slack().chat_postMessage(**GREETING)
        first, second = env.fork(2, start_run=True)
        with first.environment as fork, second.environment:
            fork.slack().chat_postMessage(**GREETING)
            assert first.run is not None
            assert second.run is not None
            assert [len(run.end().inserts) for run in (first.run, second.run)] == [1, 0]
        (plain,) = env.fork()
        with plain.environment:
            assert plain.run is None


def test_an_environment_s_clock_moves_its_faults_are_replaced_and_its_life_is_extended() -> None:
    with diorama.env("chat_default", as_="U01AGENTONE", ttl_seconds=60) as env:
        before = env.clock()
        moved = env.move_clock(advance="P1D")
        assert (moved.now - before.now).total_seconds() >= 86_400
        assert env.faults([{"fault": "rate_limited", "method": "auth.test", "when": {"times": 1}}]).faults
        with pytest.raises(SlackApiError):
            env.slack().auth_test()
        assert [fault.injected for fault in env.faults().faults] == [1]
        assert env.faults([]).faults == []
        assert env.slack().auth_test()["ok"]
        assert env.extend(3_600).expires_at > env.expires_at


def test_the_tracker_reads_and_reports_errors() -> None:
    with diorama.env("tracker_default", as_="agent@acme.test") as env:
        linear = env.linear()

        assert linear.execute("query ($n: Int) { teams(first: $n) { nodes { key } } }", {"n": 1})["teams"]["nodes"]
        with pytest.raises(diorama.LinearError, match="nothing"):
            linear.execute("{ nothing }")
        with pytest.raises(TypeError, match="of the service tracker, not chat"):
            env.slack()


def test_googles_client_for_mail_makes_plain_calls_uploads_and_batches() -> None:
    with diorama.env("mail_default", as_="agent@acme.test") as env, env.mail() as mail:
        messages = mail.users().messages()
        content = b"To: john@acme.test\r\nSubject: Uploaded\r\n\r\nHello\r\n"
        with env.run() as run:
            media = MediaIoBaseUpload(io.BytesIO(content), mimetype="message/rfc822")
            messages.send(userId="me", media_body=media).execute()

        assert {row["mailbox"] for row in run.diff.inserts} == {"agent@acme.test", "john@acme.test"}
        ids = [each["id"] for each in messages.list(userId="me").execute()["messages"]]
        read: list[str] = []
        batch = mail.new_batch_http_request(callback=lambda _, message, __: read.append(message["id"]))
        for each in ids[:3]:
            batch.add(messages.get(userId="me", id=each))
        batch.execute()
        assert read == ids[:3]
        with pytest.raises(TypeError, match="of the service mail, not chat"):
            env.slack()


def test_googles_client_for_calendars_makes_calls_and_batches() -> None:
    with diorama.env("calendar_default", as_="agent@acme.test") as env, env.calendar() as calendar:
        events = calendar.events()
        times = {"start": {"dateTime": "2026-01-08T10:00:00Z"}, "end": {"dateTime": "2026-01-08T11:00:00Z"}}
        with env.run() as run:
            body = {"summary": "Sync", "attendees": [{"email": "john@acme.test"}], **times}
            created = events.insert(calendarId="primary", body=body).execute()

        assert {row["__table__"] for row in run.diff.inserts} == {"events", "event_attendees"}
        read: list[str] = []
        batch = calendar.new_batch_http_request(callback=lambda _, event, __: read.append(event["id"]))
        for each in (created["id"], "planning"):
            batch.add(events.get(calendarId="primary", eventId=each))
        batch.execute()
        assert read == [created["id"], "planning"]
        with pytest.raises(TypeError, match="of the service calendar, not mail"):
            env.mail()


def test_the_address_of_the_tools_answers_with_its_headers() -> None:
    with diorama.env("chat_default", as_="U01AGENTONE") as env:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        accept = {"Accept": "application/json, text/event-stream"}

        assert httpx.post(env.mcp.url, json=call, headers={**env.mcp.headers, **accept}).status_code == 200
        assert env.mcp.headers == {"Authorization": f"Bearer {env.token}"}


def test_an_error_has_the_code_and_the_status_of_the_server() -> None:
    with pytest.raises(diorama.DioramaError) as raised:
        diorama.env("no_such_template")

    assert (raised.value.code, raised.value.status) == ("template_not_found", 404)
    assert raised.value.request_id


def test_an_address_that_nothing_answers_is_unreachable() -> None:
    with pytest.raises(diorama.DioramaError) as raised:
        diorama.Diorama("http://127.0.0.1:9").env("chat_default")

    assert (raised.value.code, raised.value.status) == ("unreachable", 0)
    assert "refused" in str(raised.value)


@contextlib.contextmanager
def answering(answer: Callable[[Message], tuple[int, dict[str, str], object]]) -> Iterator[str]:
    """The address of a server whose answer to each call, from its headers, is a status, headers and JSON."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"] or 0))
            status, headers, content = answer(self.headers)
            body = json.dumps(content).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_DELETE = do_POST

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def busy() -> Iterator[tuple[str, list[str | None]]]:
    """A server that answers 503 twice, and the idempotency keys that it got."""
    keys: list[str | None] = []
    agent = {"templateService": "chat", "templateName": "chat_default", "impersonateUserId": "U01AGENTONE"}
    known = diorama.call("POST", "/initEnv", body=agent)
    # The answer of a newer server: a service and a field that this client does not know.
    created = {**known, "service": "newer", "field": "newer"}

    def answer(headers: Message) -> tuple[int, dict[str, str], object]:
        keys.append(headers["Idempotency-Key"])
        if len(keys) > 2:
            return 201, {}, created
        return 503, {"Retry-After": "1"} if len(keys) == 1 else {}, {"error": "service_unavailable"}

    with answering(answer) as url:
        yield url, keys
    diorama.call("DELETE", f"/env/{known['environmentId']}")


def test_a_call_that_is_answered_503_is_repeated_with_the_same_key(busy: tuple[str, list[str | None]]) -> None:
    url, keys = busy
    began = time.monotonic()
    with diorama.Diorama(url) as client:
        env = client.env(test_id="1")
        assert repr(client) == f"<Diorama {url}>"
    assert time.monotonic() - began >= 1

    assert (env.id in active(), env.service) == (True, "newer")
    assert len(keys) == 3 and len(set(keys)) == 1 and keys[0]


def test_a_call_that_has_reached_another_cell_is_repeated_for_its_own_once() -> None:
    seen: list[str | None] = []

    def answer(headers: Message) -> tuple[int, dict[str, str], object]:
        seen.append(headers["X-Diorama-Cell"])
        return 421, {"X-Diorama-Cell": "b2"}, {"error": "wrong_cell"}

    with answering(answer) as url, diorama.Diorama(url) as client:
        with pytest.raises(diorama.DioramaError) as raised:
            client.call("DELETE", "/env/1")

    assert (raised.value.code, seen) == ("wrong_cell", [None, "b2"])


def test_a_suite_gives_a_verdict_for_every_attempt_also_of_agents_that_crash_or_take_too_long() -> None:
    first, *others = [test.name for test in diorama.suite(SUITE).details().tests or []]
    seen: list[diorama.Attempt] = []

    def agent(task: diorama.Task) -> None:
        task.spend(0.25)
        task.spend(0.5)
        if task.test.name == first and task.attempt == 1:
            raise ValueError("broken")
        while task.test.name == first and time.monotonic() < task.deadline + 1:
            time.sleep(0.05)

    outcome = diorama.suite(SUITE).run(agent, parallel=4, repeat=2, timeout_seconds=2, on_attempt=seen.append)

    names = [attempt.test for attempt in outcome.attempts]
    assert names == [name for name in [first, *others] for _ in range(2)]
    crashed, late, failed, *_ = outcome.attempts
    assert (crashed.status, str(crashed.error), late.status, failed.status) == (
        *("crashed", "broken", "timed out", "failed"),
    )
    assert crashed.verdict and crashed.verdict.ending == "crashed" and crashed.verdict.state_verdict
    assert late.verdict and late.verdict.ending == "timed_out"
    assert failed.verdict and failed.verdict.ending == "answered" and failed.verdict.state_verdict is None
    assert failed.reasons
    with diorama.Diorama() as client:
        assert failed.console_url == f"{client.url}/console/runs/{failed.run_id}"
        assert client.call("GET", f"/runs/{failed.run_id}")["costUsd"] == 0.75
    assert (outcome.mean_reward, outcome.successful, outcome.unsafe) == (0, 0, 0)
    assert (outcome.passed, outcome.graded, len(seen)) == (0, len(names), len(names))
    assert not active()


def test_a_suite_leaves_out_tests_that_a_surface_cannot_solve() -> None:
    def agent(task: diorama.Task) -> None:
        pass

    tests = diorama.suite(SUITE).details().tests or []
    through_tools = [test.name for test in tests if test.surfaces is None or "mcp" in test.surfaces]
    outcome = diorama.suite(SUITE).run(agent, surface="mcp", parallel=4)

    assert 0 < len(through_tools) < len(tests)
    assert [attempt.test for attempt in outcome.attempts] == through_tools
    with pytest.raises(ValueError, match='one of "api", "mcp" is needed'):
        diorama.suite(SUITE).run(agent, surface="mpc")  # type: ignore[arg-type]


def test_a_suite_is_spread_over_servers_and_attempts_that_failed_for_one_are_made_on_another() -> None:
    def agent(task: diorama.Task) -> None:
        pass

    def refuse(**_: object) -> object:
        raise diorama.DioramaError("gone", code="template_not_found", status=404)

    with diorama.Diorama() as client:
        first, broken = diorama.suite("Chat benchmark"), client.suite("Chat benchmark")
        broken._create = refuse  # type: ignore[assignment]
        once = first.run(agent, surface="mcp", parallel=4, others=[broken])
        again = first.run(agent, surface="mcp", parallel=4, others=[broken], retry_ungradable=1)

        assert {attempt.status for attempt in once.attempts} == {"error", "failed"}
        assert {attempt.status for attempt in again.attempts} == {"failed"}
        with pytest.raises(ValueError, match='The suite "Tracker benchmark" is not the same on all servers'):
            first.run(agent, others=[client.suite("Tracker benchmark")])


def test_a_suite_is_interrupted_and_leaves_no_environment() -> None:
    def agent(task: diorama.Task) -> None:
        if task.test.name == first:
            time.sleep(0.5)
            os.kill(os.getpid(), 2)
        time.sleep(30)

    first = (diorama.suite(SUITE).details().tests or [])[0].name
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        diorama.suite(SUITE).run(agent, parallel=2)

    assert time.monotonic() - began < 15
    assert not active()
    newest = diorama.call("GET", "/runs?limit=2")["runs"]
    assert [(run["ending"], run["gradable"]) for run in newest] == [("interrupted", False)] * 2


def test_a_suite_is_found_by_id_name_slug_and_owner_and_several_of_one_name_are_an_error() -> None:
    body = {"templateService": "chat", "templateName": "chat_default"}
    first = diorama.call("POST", "/testSuites", body={**body, "name": "60 % / mine?"})["suiteId"]

    for reference in (first, "60 % / mine?", "60-mine", "development/60-mine"):
        assert diorama.suite(reference).details().id == first
    diorama.call("POST", "/testSuites", body={**body, "name": "60 mine"})
    with pytest.raises(diorama.DioramaError, match=first) as raised:
        diorama.suite("60-mine").details()
    assert raised.value.code == "invalid_request"


@pytest.mark.parametrize("reference", ["No such suite", "", "..", "stranger/Chat benchmark"])
def test_a_suite_that_does_not_exist_is_reported_by_its_name(reference: str) -> None:
    with pytest.raises(diorama.DioramaError, match=f'no suite "{reference}"') as raised:
        diorama.suite(reference).details()
    assert raised.value.code == "suite_not_found"


def test_asyncio_has_the_same() -> None:
    async def agent(task: diorama.AsyncTask) -> None:
        if task.attempt == 1:
            await asyncio.sleep(30)
        await task.environment.slack().auth_test()

    async def main() -> None:
        async with diorama.AsyncDiorama() as client:
            async with client.env("chat_default", as_="U01AGENTONE") as env:
                async with env.run() as run:
                    await env.slack().chat_postMessage(**GREETING)
                assert_diff(run.diff, inserts=[{"__table__": "messages", "text": "Hello"}])
            assert env.id not in active()

            env = await client.env("tracker_default", as_="agent@acme.test")
            assert (await env.linear().execute("{ viewer { active } }"))["viewer"]["active"]
            await env.delete()

            outcome = await client.suite(SUITE).run(agent, parallel=20, repeat=2, timeout_seconds=3)
            statuses = [attempt.status for attempt in outcome.attempts]
            assert statuses == ["timed out", "failed"] * (len(statuses) // 2)

    asyncio.run(main())
    assert not active()


def test_a_local_server_starts_works_and_stops() -> None:
    command = shlex.split(os.environ["SERVER"])
    with diorama.local(command, env={"DATABASE_URL": os.environ["SERVER_DATABASE"], "SHUTDOWN_DELAY": "0"}) as local:
        with local.env("chat_default", as_="U01AGENTONE") as env:
            assert env.url.startswith(local.url)

    with pytest.raises(httpx.ConnectError):
        httpx.get(local.url)


def test_a_local_server_that_does_not_start_is_reported_with_its_output() -> None:
    with pytest.raises(RuntimeError, match="sh did not start: no database"):
        diorama.local(["sh", "-c", "echo no database >&2; exit 3"])
    with pytest.raises(FileNotFoundError):
        diorama.local(["/no/such/program"])


ROWS = [{"__table__": "messages", "text": text, "edited": None} for text in ("Hello", "Lunch")]
CHANGE = {"__table__": "users", "key": {"id": "U1"}, "before": {"name": "A"}, "after": {"name": "B"}}
DIFF = Diff(inserts=ROWS, updates=[CHANGE], deletes=[])


@pytest.mark.parametrize(
    "expected",
    [
        {"inserts": ROWS, "updates": [CHANGE]},
        {"inserts": [{"text": "Lunch"}, {"text": re.compile("hell", re.I)}], "updates": [{"after": {"name": "B"}}]},
        # The first fits both rows, the second only the one that it would take.
        {"inserts": [{"text": ...}, {"text": "Hello"}], "updates": [{"key": {"id": "U1"}}]},
        {"inserts": [{"text": "Hello"}], "others": "allow"},
        {"inserts": ROWS, "ignore": ["users"]},
    ],
)
def test_a_diff_is_as_expected(expected: dict[str, object]) -> None:
    assert_diff(DIFF, **expected)


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({"inserts": ROWS}, r'not expected in updates: \{"__table__": "users"'),
        ({"inserts": [*ROWS, ROWS[0]], "updates": [CHANGE]}, r'missing in inserts: .*"Hello"'),
        ({"inserts": [{"__table__": "messages", "text": "Hi"}], "others": "allow"}, r'nearest has \{"text": "Hello"\}'),
        ({"deletes": [{"__table__": "messages"}], "others": "allow"}, "missing in deletes"),
        ({"inserts": [{"missing": None}], "others": "allow"}, "missing in inserts"),
        ({"updates": [{"after": {"name": re.compile("^A")}}], "others": "allow"}, "missing in updates"),
    ],
)
def test_a_diff_is_not_as_expected(expected: dict[str, object], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        assert_diff(DIFF, **expected)
