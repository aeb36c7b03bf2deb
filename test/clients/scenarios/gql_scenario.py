"""The tracker through gql, with the schema fetched from the server. Prints the number of calls."""

import os

from gql import Client, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.requests import RequestsHTTPTransport

transport = RequestsHTTPTransport(
    url=f"{os.environ['URL']}/graphql", headers={"Authorization": os.environ["TOKEN"]}
)
client = Client(transport=transport, fetch_schema_from_transport=True)
calls = 0


def ask(document, **variables):
    global calls
    calls += 1
    return client.execute(gql(document), variable_values=variables)


def refused(document, **variables):
    try:
        ask(document, **variables)
    except TransportQueryError as error:
        return error.errors[0]
    raise AssertionError("an error was expected")


viewer = ask("{ viewer { id name email } }")["viewer"]
organization = ask("{ organization { name urlKey } }")["organization"]
assert organization["urlKey"]
teams = ask("{ teams { nodes { id key states { nodes { id name type } } } } }")["teams"]["nodes"]
team = next(one for one in teams if one["key"] == "ENG")
states = {state["type"]: state["id"] for state in team["states"]["nodes"]}
CREATE = """mutation($input: IssueCreateInput!) {
  issueCreate(input: $input) { success issue { id identifier title state { type } } } }"""
issues = [
    ask(CREATE, input={"teamId": team["id"], "title": f"From gql {n}"})["issueCreate"]["issue"]
    for n in range(5)
]
assert [one["title"] for one in issues] == [f"From gql {n}" for n in range(5)]
UPDATE = """mutation($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { issue { title priority state { type } assignee { id } } } }"""
changed = ask(
    UPDATE,
    id=issues[0]["identifier"],
    input={"title": "Renamed", "priority": 2, "stateId": states["completed"], "assigneeId": viewer["id"]},
)["issueUpdate"]["issue"]
assert changed == {
    "title": "Renamed",
    "priority": 2,
    "state": {"type": "completed"},
    "assignee": {"id": viewer["id"]},
}, changed
COMMENT = """mutation($input: CommentCreateInput!) {
  commentCreate(input: $input) { comment { id body user { id } } } }"""
comments = [
    ask(COMMENT, input={"issueId": issues[1]["id"], "body": f"Comment {n}"})["commentCreate"]["comment"]
    for n in range(3)
]
assert all(one["user"]["id"] == viewer["id"] for one in comments)
edited = ask(
    "mutation($id: String!) { commentUpdate(id: $id, input: {body: \"Edited\"}) { comment { body } } }",
    id=comments[0]["id"],
)
assert edited["commentUpdate"]["comment"]["body"] == "Edited"
ask("mutation($id: String!) { commentDelete(id: $id) { success } }", id=comments[1]["id"])
read = ask("query($id: String!) { issue(id: $id) { comments { nodes { body } } } }", id=issues[1]["id"])
assert {one["body"] for one in read["issue"]["comments"]["nodes"]} == {"Edited", "Comment 2"}
label = ask(
    "mutation($input: IssueLabelCreateInput!) { issueLabelCreate(input: $input) { issueLabel { id } } }",
    input={"name": "gql", "teamId": team["id"], "color": "#ff0000"},
)["issueLabelCreate"]["issueLabel"]["id"]
for one in issues[:3]:
    ask(
        "mutation($id: String!, $labelId: String!) { issueAddLabel(id: $id, labelId: $labelId) { success } }",
        id=one["id"],
        labelId=label,
    )
FILTERED = """query($filter: IssueFilter, $after: String) {
  issues(filter: $filter, first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }"""
found, after = [], None
while True:
    page = ask(FILTERED, filter={"labels": {"name": {"eq": "gql"}}}, after=after)["issues"]
    found += [one["id"] for one in page["nodes"]]
    if not page["pageInfo"]["hasNextPage"]:
        break
    after = page["pageInfo"]["endCursor"]
assert sorted(found) == sorted(one["id"] for one in issues[:3])
ask(
    "mutation($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { success } }",
    input={"issueId": issues[0]["id"], "relatedIssueId": issues[1]["id"], "type": "blocks"},
)
relations = ask("query($id: String!) { issue(id: $id) { relations { nodes { type } } } }", id=issues[0]["id"])
assert relations["issue"]["relations"]["nodes"] == [{"type": "blocks"}]
project = ask(
    "mutation($input: ProjectCreateInput!) { projectCreate(input: $input) { project { id name } } }",
    input={"name": "gql", "teamIds": [team["id"]]},
)["projectCreate"]["project"]
moved = ask(
    "mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { issue { project { name } } } }",
    id=issues[2]["id"],
    input={"projectId": project["id"]},
)
assert moved["issueUpdate"]["issue"]["project"]["name"] == "gql"
searched = ask("query($term: String!) { searchIssues(term: $term) { nodes { title } } }", term="Renamed")
assert "Renamed" in [one["title"] for one in searched["searchIssues"]["nodes"]]
history = ask("query($id: String!) { issue(id: $id) { history { nodes { fromTitle toTitle } } } }", id=issues[0]["id"])
assert {"fromTitle": "From gql 0", "toTitle": "Renamed"} in history["issue"]["history"]["nodes"]
ask("mutation($id: String!) { issueArchive(id: $id) { success } }", id=issues[4]["id"])
listed = ask("{ issues(first: 50) { nodes { id } } }")["issues"]["nodes"]
assert issues[4]["id"] not in [one["id"] for one in listed]
missing = refused("query { issue(id: \"ENG-99999\") { id } }")
assert missing["extensions"]["code"] == "INPUT_ERROR", missing
bad = refused(CREATE, input={"teamId": "ENG", "title": "x"})
assert bad["extensions"]["code"] == "INVALID_INPUT", bad
nobody = "00000000-0000-4000-8000-000000000000"
state = refused(UPDATE, id=issues[0]["id"], input={"stateId": nobody})
assert state["message"] == "Entity not found in validateAccess: stateId", state
users = ask("{ users { nodes { displayName } } }")["users"]["nodes"]
assert len(users) >= 3
cycles = ask("{ cycles { nodes { id number } } }")["cycles"]["nodes"]
assert isinstance(cycles, list)
print(calls)
