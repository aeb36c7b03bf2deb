"""Tests of a user of the pytest plugin, of which some fail; `plugin.test.ts` runs them."""

import os
import time

import pytest
from diorama import Diorama
from diorama.testing import assert_diff

agent = pytest.mark.diorama(template="chat_default", as_="U01AGENTONE")


def greet(environment, text="Hello"):
    environment.slack().chat_postMessage(channel="C01GENERAL", text=text)


@pytest.mark.diorama(template="chat_default", user="U01AGENTONE")
def test_has_a_misspelled_marker(diorama):
    raise AssertionError("never reached")


@pytest.mark.dioarma(template="chat_default", as_="U01AGENTONE")
def test_has_a_misspelled_name(diorama):
    raise AssertionError("never reached")


def test_reaches_no_server():
    Diorama("http://127.0.0.1:9").env("chat_default")


@agent
def test_passes(diorama):
    assert os.environ["DIORAMA_NOW"] == diorama.now.isoformat()
    greet(diorama)
    assert_diff(diorama.diff(), inserts=[{"__table__": "messages", "text": "Hello"}])


@pytest.mark.diorama(template="acme", as_="agent@acme.test", services=["tracker"])
def test_opens_some_services_of_a_world(diorama):
    assert list(diorama.services) == ["tracker"]


@pytest.mark.diorama(template="acme", as_="agent@acme.test")
def test_fails_in_a_world(diorama):
    diorama.slack().chat_postMessage(channel="C01GENERAL", text="Filed")
    issue = {"teamId": "c0000000-0000-4000-8000-000000000001", "title": "Crash"}
    query = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }"
    diorama.linear().execute(query, {"input": issue})
    filed = {"__table__": "tracker_issues", "__service__": "tracker", "title": "Crash"}
    assert_diff(diorama.diff(), inserts=[filed, {"__table__": "chat_messages", "text": "Other"}], others="allow")


@agent
@pytest.mark.parametrize("text", ["Hi", "Good morning"])
def test_fails(diorama, text):
    greet(diorama, text)
    assert_diff(diorama.diff(), inserts=[{"__table__": "messages", "text": "Hello"}])


@agent
def test_fails_its_expectation(diorama):
    greet(diorama)
    said = {"diff_type": "added", "entity": "messages", "where": {"text": "Bye"}, "expected_count": 1}
    assert diorama.evaluate({"assertions": [said]}).passed


@agent
def test_fails_before_the_run_has_ended(diorama):
    for number in range(12):
        greet(diorama, f"message {number}")
    assert [call.name for call in diorama.calls()] == []


@agent
def test_raises(diorama):
    diorama.slack().chat_postMessage(channel="nowhere", text="Hello")


@agent
def test_starts_a_run_of_its_own(diorama):
    greet(diorama)
    with diorama.run() as run:
        greet(diorama, "Hi")
    assert_diff(run.diff, inserts=[{"__table__": "messages", "text": "Hi"}])


@agent
def test_is_evaluated(diorama):
    greet(diorama)
    assert diorama.evaluate({"assertions": [{"diff_type": "added", "entity": "messages"}]}).passed


@agent
def test_has_lost_its_environment(diorama):
    diorama.delete()
    raise ValueError("lost")


@pytest.mark.diorama(template="no_such_template")
def test_errors(diorama):
    pass


def test_is_not_marked(diorama):
    pass


@agent
@pytest.mark.skipif("DIE" not in os.environ, reason="ends its process")
def test_dies(diorama):
    greet(diorama)
    os._exit(1)


@agent
@pytest.mark.skipif("HANG" not in os.environ, reason="never ends")
@pytest.mark.parametrize("number", [1, 2])
def test_hangs(diorama, number):
    time.sleep(600)
