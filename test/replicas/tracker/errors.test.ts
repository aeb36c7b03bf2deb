import { describe, expect, test } from "bun:test";
import {
  AuthenticationLinearError,
  FeatureNotAccessibleLinearError,
  ForbiddenLinearError,
  GraphqlLinearError,
  InvalidInputLinearError,
  LinearClient,
  UserLinearError,
} from "@linear/sdk";
import { useDatabase } from "../../support/database";
import { ENG, JOHN, ROBIN, refusal, useTracker } from "../../support/tracker";

const database = useDatabase();
const tracker = useTracker(database);

describe("refusals become the official client's errors", () => {
  test("what there is not: invalid input", async () => {
    const error = await refusal(tracker.linear.issue("ENG-999"));
    const [first] = (await tracker.ask(`{ issue(id: "ENG-999") { id } }`)).errors;

    expect(error).toBeInstanceOf(InvalidInputLinearError);
    expect(error.message).toContain("Could not find referenced Issue.");
    expect(first).toEqual({
      message: "Entity not found: Issue",
      path: ["issue"],
      locations: [{ line: 1, column: 3 }],
      extensions: {
        type: "invalid input",
        code: "INVALID_INPUT",
        statusCode: 400,
        userError: true,
        userPresentableMessage: "Could not find referenced Issue.",
      },
    });
  });

  test("an argument that does not fit names the field and the rule", async () => {
    const answer = await tracker.ask(
      `mutation { issueCreate(input: { teamId: "ENG", title: "x" }) { success } }`,
    );

    expect(answer.data).toBeNull();
    expect(answer.errors[0].message).toBe("Argument Validation Error");
    expect(answer.errors[0].extensions).toMatchObject({
      userPresentableMessage: "teamId must be a UUID.",
      validationErrors: [
        {
          property: "teamId",
          value: "ENG",
          constraints: { isUuid: "teamId must be a UUID" },
          children: [],
        },
      ],
    });
  });

  test("what is not possible now: user error", async () => {
    const states = await tracker.linear.workflowStates({
      filter: { team: { id: { eq: ENG } }, type: { eq: "backlog" } },
    });

    expect(await refusal(states.nodes[0]!.archive())).toBeInstanceOf(UserLinearError);
  });

  test("what only admins may: forbidden", async () => {
    const error = await refusal(tracker.as(ROBIN).updateOrganization({ name: "Mine" }));

    expect(error).toBeInstanceOf(ForbiddenLinearError);
  });

  test("what is not simulated: feature not accessible", async () => {
    const error = await refusal(tracker.linear.createCsvExportReport());

    expect(error).toBeInstanceOf(FeatureNotAccessibleLinearError);
  });

  test.each([
    ["a syntax error", "{ issue(", "GRAPHQL_PARSE_FAILED"],
    ["an unknown field", "{ nothing }", "GRAPHQL_VALIDATION_FAILED"],
    [
      "an unknown key of a filter",
      `{ issues(filter: { colour: { eq: "x" } }) { nodes { id } } }`,
      "GRAPHQL_VALIDATION_FAILED",
    ],
    [
      "a variable of another type",
      "query($n: Int!) { issues(first: $n) { nodes { id } } }",
      "BAD_USER_INPUT",
    ],
  ])("%s: graphql error", async (_case, query, code) => {
    const answer = await tracker.ask(query, { n: "x" });

    expect(answer.errors[0].extensions).toMatchObject({ type: "graphql error", code });
  });

  test.each([
    ["createdAt", { gt: "0000" }],
    ["createdAt", { gt: "-P3000Y" }],
    ["createdAt", { gt: "P99999Y" }],
    ["createdAt", { in: [`P${"9".repeat(40)}D`] }],
    ["createdAt", { lt: "9999-12-31T23:59:59-12:00" }],
    ["dueDate", { eq: "0000-01-01" }],
    ["dueDate", { eq: "P9000Y" }],
  ])("a moment that no calendar has, for %s %o: graphql error", async (field, comparator) => {
    const answer = await tracker.ask(
      "query($filter: IssueFilter) { issues(filter: $filter) { nodes { id } } }",
      { filter: { [field]: comparator } },
    );

    expect(answer.errors[0].message).toContain("A moment must be in the years 1 to 9999.");
    expect(answer.errors[0].extensions.code).toBe("BAD_USER_INPUT");
  });

  test.each([
    ["dueDate", "P9000Y", "GRAPHQL_VALIDATION_FAILED"],
    ["dueDate", "0000-12-31", "GRAPHQL_VALIDATION_FAILED"],
    ["slaBreachesAt", "0001-01-01", "INVALID_INPUT"],
  ])("an issue's %s of %s is refused", async (field, value, code) => {
    const answer = await tracker.ask(
      `mutation { issueUpdate(id: "ENG-1", input: { ${field}: "${value}" }) { success } }`,
    );

    expect(answer.errors[0].extensions.code).toBe(code);
  });

  test("an unknown key in a variable: graphql error", async () => {
    const filter = { colour: { eq: "red" } } as object;

    expect(await refusal(tracker.linear.issues({ filter }))).toBeInstanceOf(GraphqlLinearError);
  });

  test("a user who has been suspended: authentication error", async () => {
    await tracker.linear.suspendUser(ROBIN);

    const error = await refusal(tracker.as(ROBIN).viewer as Promise<unknown>);
    expect(error).toBeInstanceOf(AuthenticationLinearError);
    await tracker.linear.unsuspendUser(ROBIN);
    expect((await tracker.as(ROBIN).viewer).active).toBe(true);
  });

  test("a wrong key of the platform: authentication error", async () => {
    const headers = { "X-API-Key": "diorama_x" };
    const client = new LinearClient({ apiKey: "x", apiUrl: tracker.url, headers });

    expect(await refusal(client.viewer as Promise<unknown>)).toBeInstanceOf(
      AuthenticationLinearError,
    );
  });

  test("what the tables refuse: invalid input", async () => {
    const error = await refusal(
      tracker.linear.createIssueLabel({ name: "Long", color: "#".padEnd(99, "f") }),
    );

    expect(error).toBeInstanceOf(InvalidInputLinearError);
    expect(error.message).toContain("too long");
  });
});

describe("a request", () => {
  const send = (init: RequestInit, path = "") =>
    fetch(`${tracker.url}${path}`, {
      method: "POST",
      body: JSON.stringify({ query: "{ viewer { id } }" }),
      ...init,
      headers: { "X-API-Key": tracker.key, "Content-Type": "application/json", ...init.headers },
    });

  test("is answered as plain JSON, with its cost", async () => {
    const answer = await send({});

    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answer.headers.get("x-complexity")).toBe("2");
    expect(await answer.json()).toEqual({ data: { viewer: { id: JOHN } } });
  });

  test("goes to /graphql or to the service itself", async () => {
    for (const url of [tracker.url, `${tracker.url}/`, tracker.url.replace(/\/graphql$/, "")]) {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "X-API-Key": tracker.key, "Content-Type": "application/json" },
        body: JSON.stringify({ query: "{ viewer { id } }" }),
      });
      expect(answer.status).toBe(200);
    }
  });

  test.each([
    ["with no JSON", { body: "query" }, 400],
    ["without a query", { body: "{}" }, 400],
    ["that is a list", { body: "[]" }, 400],
    [
      "with variables that are a list",
      { body: `{"query":"{ viewer { id } }","variables":[]}` },
      400,
    ],
    ["of another type", { headers: { "Content-Type": "text/plain" } }, 415],
    [
      "with NUL in a string",
      { body: String.raw`{"query":"{ issue(id: \"\\u0000\") { id } }"}` },
      400,
    ],
  ])("%s is refused", async (_case, init: RequestInit, status) => {
    const answer = await send(init);

    expect(answer.status).toBe(status);
    expect(((await answer.json()) as any).errors[0].extensions.type).toBe("graphql error");
  });

  test("acts as the user whom Authorization names", async () => {
    expect((await tracker.as(ROBIN).viewer).id).toBe(ROBIN);
    expect((await tracker.as("any-key").viewer).id).toBe(JOHN);
  });
});
