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
import { GraphQLError } from "graphql";
import { formatError } from "~/replicas/tracker/errors";
import { useSharedDatabase } from "../../support/database";
import { DES, ENG, JOHN, ROBIN, refusal, useTracker } from "../../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database);

describe("rejections become the official client's errors", () => {
  test("a missing row: invalid input", async () => {
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
        code: "INPUT_ERROR",
        statusCode: 400,
        userError: true,
        userPresentableMessage: "Could not find referenced Issue.",
      },
    });
  });

  test("a missing row of any type, by its id or its hash, is not found", async () => {
    const { __schema } = await tracker.data(
      `{ __schema { queryType { fields {
        name type { ofType { kind } } args { name }
      } } } }`,
    );
    const unknown = { id: "00000000-0000-4000-8000-00000000dead", hash: "0000dead" };
    const asked = __schema.queryType.fields.flatMap(({ name, type, args }: any) =>
      Object.entries(unknown)
        .filter(
          ([key]) => type.ofType?.kind === "OBJECT" && args.some((arg: any) => arg.name === key),
        )
        .map(([key, value]) => ({ key, call: `{ ${name}(${key}: "${value}") { __typename } }` })),
    );
    for (const { call } of asked) {
      const { data, errors } = await tracker.ask(call);
      expect([call, data]).toEqual([call, null]);
      expect(errors[0].message).toMatch(/^(Entity not found: [A-Z]|Feature not accessible: )/);
    }

    expect(asked.filter(({ key }: any) => key === "hash").length).toBe(2);
    expect(asked.length).toBeGreaterThan(50);
  });

  test("an invalid argument: the field and the rule", async () => {
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

  test("an operation that is impossible now: user error", async () => {
    const states = await tracker.linear.workflowStates({
      filter: { team: { id: { eq: ENG } }, type: { eq: "backlog" } },
    });

    expect(await refusal(states.nodes[0]!.archive())).toBeInstanceOf(UserLinearError);
  });

  test("an operation for admins only: forbidden", async () => {
    const error = await refusal(tracker.as(ROBIN).updateOrganization({ name: "Mine" }));
    const { errors } = await tracker.ask(
      `mutation { organizationUpdate(input: { name: "Mine" }) { success } }`,
      {},
      ROBIN,
    );

    expect(error).toBeInstanceOf(ForbiddenLinearError);
    expect(errors[0]).toMatchObject({
      message: "not allowed to take action",
      extensions: {
        ...{ type: "forbidden", code: "FORBIDDEN", statusCode: 403, userError: true },
        userPresentableMessage: "Only admins can do this.",
      },
    });
  });

  test("an operation that is not simulated: feature not accessible", async () => {
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

  describe("a response to a request that is not executed", () => {
    const post = async (query: string, headers = {}, variables = {}) => {
      const response = await fetch(tracker.url, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-API-Key": tracker.key, ...headers },
        body: JSON.stringify({ query, variables }),
      });
      return { status: response.status, body: (await response.json()) as any };
    };
    const LIST = "nodes { id }";

    test.each([
      ["{ issues(", "GRAPHQL_PARSE_FAILED", /^Syntax Error/],
      ["{ nothing }", "GRAPHQL_VALIDATION_FAILED", /^Cannot query field/],
      [`query($n: Int!) { issues(first: $n) { ${LIST} } }`, "BAD_USER_INPUT", /^Variable "\$n"/],
      [
        `query($n: String) { issues(first: $n) { ${LIST} } }`,
        "GRAPHQL_VALIDATION_FAILED",
        /used in position/,
      ],
      ["query($n: Issue) { viewer { id } }", "GRAPHQL_VALIDATION_FAILED", /non-input type/],
    ])("%s: status 400, no data, the service's extensions", async (query, code, message) => {
      const { status, body } = await post(query);

      expect([status, Object.keys(body)]).toEqual([400, ["errors"]]);
      expect(body.errors[0].message).toMatch(message);
      expect(body.errors[0].extensions).toEqual({
        http: { status: 400, headers: {} },
        code,
        type: "graphql error",
        userError: true,
      });
    });

    test("too complex: status 400, no data, an invalid input", async () => {
      const PAGES = `issues(first: 250) { nodes { children(first: 250) { ${LIST} } } }`;
      const { status, body } = await post(`{ ${PAGES} }`);

      expect(status).toBe(400);
      expect(body).toEqual({
        errors: [
          {
            message: "Query too complex. Complexity: 69000. Maximum allowed complexity: 10000.",
            extensions: {
              type: "invalid input",
              code: "INPUT_ERROR",
              statusCode: 400,
              userError: true,
              userPresentableMessage:
                "The query is too complex. Complexity: 69000. Maximum allowed complexity: 10000.",
              http: { status: 400 },
            },
          },
        ],
      });
    });

    test("as a user who is not allowed: status 401, no data", async () => {
      const { environmentUrl, token } = await tracker.program.environment({
        templateService: "tracker",
        templateName: "tracker_default",
        impersonateUserId: JOHN,
      });
      const response = await fetch(`${tracker.program.url}${environmentUrl}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-API-Key": token, Authorization: ROBIN },
        body: JSON.stringify({ query: "{ viewer { id } }" }),
      });
      const body = (await response.json()) as any;

      expect([response.status, Object.keys(body)]).toEqual([401, ["errors"]]);
      expect(body.errors[0].message).toBe("Authentication required, not authenticated");
      expect(body.errors[0].extensions).toMatchObject({
        type: "authentication error",
        code: "AUTHENTICATION_ERROR",
        statusCode: 401,
        userError: true,
        meta: {},
        http: { status: 401, headers: {} },
      });
    });
  });

  describe("an input that refers to a missing row", () => {
    const NOBODY = "00000000-0000-4000-8000-000000000000";
    const extensions = (userPresentableMessage: string) => ({
      type: "invalid input",
      code: "INPUT_ERROR",
      statusCode: 400,
      userError: true,
      userPresentableMessage,
    });

    test.each([
      ["stateId", NOBODY],
      ["assigneeId", NOBODY],
      ["delegateId", NOBODY],
      ["parentId", NOBODY],
      ["projectId", NOBODY],
      ["projectMilestoneId", NOBODY],
      ["cycleId", NOBODY],
      ["teamId", NOBODY],
      ["labelIds", [NOBODY]],
      ["addedLabelIds", [NOBODY]],
      ["subscriberIds", [NOBODY]],
    ])("by %s is rejected by the name of the field", async (field, value) => {
      const { data, errors } = await tracker.ask(
        `mutation($input: IssueUpdateInput!) { issueUpdate(id: "ENG-1", input: $input) { success } }`,
        { input: { [field]: value } },
      );

      expect([data, errors[0].message]).toEqual([
        null,
        `Entity not found in validateAccess: ${field}`,
      ]);
      expect(errors[0].extensions).toEqual(
        extensions(`${field} contained an entry that could not be found.`),
      );
    });

    test("or to a label of another team, or to a name or an id that is taken", async () => {
      const label = await tracker.data(
        `mutation { issueLabelCreate(input: { name: "Theirs", teamId: "${DES}" }) { issueLabel { id } } }`,
      );
      const { id } = label.issueLabelCreate.issueLabel;
      const again = (input: string) =>
        tracker.ask(
          `mutation { issueLabelCreate(input: { ${input}, teamId: "${DES}" }) { success } }`,
        );
      const foreign = await tracker.ask(
        `mutation { issueCreate(input: { title: "x", teamId: "${ENG}", labelIds: ["${id}"] }) { success } }`,
      );

      expect(foreign.errors[0]).toMatchObject({
        message: "LabelIds for incorrect team",
        extensions: extensions(
          "The label 'Theirs' is not associated with the same team as the issue.",
        ),
      });
      expect((await again(`name: "Theirs"`)).errors[0]).toMatchObject({
        message: "duplicate label name",
        extensions: { code: "INPUT_ERROR" },
      });
      expect((await again(`id: "${id}", name: "Other"`)).errors[0]).toMatchObject({
        message: "conflict on insert of IssueLabel",
        extensions: extensions(`Entity IssueLabel with id ${id} already exists.`),
      });
    });
  });

  test.each([
    ["createdAt", { gt: "0000" }],
    ["createdAt", { gt: "-P3000Y" }],
    ["createdAt", { gt: "P99999Y" }],
    ["createdAt", { in: [`P${"9".repeat(40)}D`] }],
    ["createdAt", { lt: "9999-12-31T23:59:59-12:00" }],
    ["dueDate", { eq: "0000-01-01" }],
    ["dueDate", { eq: "P9000Y" }],
  ])("an impossible date, for %s %o: graphql error", async (field, comparator) => {
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
    ["slaBreachesAt", "0001-01-01", "INPUT_ERROR"],
  ])("an issue's %s of %s is rejected", async (field, value, code) => {
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

  test("a violated constraint: invalid input", async () => {
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

  test("has a plain JSON response with its cost", async () => {
    const answer = await send({});

    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answer.headers.get("x-complexity")).toBe("2");
    expect(await answer.json()).toEqual({ data: { viewer: { id: JOHN } } });
  });

  test("goes to /graphql or to the service's root", async () => {
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
  ])("%s is rejected", async (_case, init: RequestInit, status) => {
    const answer = await send(init);

    expect(answer.status).toBe(status);
    expect(((await answer.json()) as any).errors[0].extensions.type).toBe("graphql error");
  });

  test("acts as the user in Authorization", async () => {
    expect((await tracker.as(ROBIN).viewer).id).toBe(ROBIN);
    expect((await tracker.as("any-key").viewer).id).toBe(JOHN);
  });
});

test.each([
  { code: "54000" },
  { code: "54001" },
  { code: "54011" },
  { code: "22P05" },
  { code: "XX000", routine: "pushOpStack" },
])("a value that Postgres cannot process is an invalid input: %p", (fields) => {
  const originalError = Object.assign(new Error("of Postgres"), fields);
  expect(formatError(new GraphQLError("x", { originalError }))?.extensions).toMatchObject({
    type: "invalid input",
    userPresentableMessage: "A value is more than one request can process.",
  });
});

test.each([{ code: "XX000", routine: "heap_fetch" }, { code: "42601" }])(
  "another error of Postgres is a bug: %p",
  (fields) => {
    const originalError = Object.assign(new Error("of Postgres"), fields);
    expect(formatError(new GraphQLError("x", { originalError }))).toBeUndefined();
  },
);
