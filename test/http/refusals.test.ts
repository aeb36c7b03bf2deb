/** Provokes every error code that the OpenAPI document lists for an operation of the platform. */
import { beforeAll, describe, expect, test } from "bun:test";
import { PLATFORM_BODY_MAX, SEED_BODY_MAX } from "~/wire/limits";
import { operationsOf, readDocument, wholePath } from "../support/contract";
import { useDatabase } from "../support/database";
import { expectRefusal, expectStatus, useProgram } from "../support/program";
import { JOHN } from "../support/tracker";

const database = useDatabase();
const program = useProgram(database);

/** The same for every operation: see below, and the tests of limits, capacity, keys and failing databases. */
const COMMON = [
  "not_authed",
  "request_timeout",
  "request_too_large",
  "request_headers_too_large",
  "internal_error",
  "service_unavailable",
  "capacity_exhausted",
];

const NONE = "0".repeat(32);
const TEST = {
  name: "t",
  prompt: "p",
  expectedOutput: { assertions: [{ diff_type: "added", entity: "messages" }] },
};
const TEMPLATE = { templateService: "chat", templateName: "chat_default" };
const SUITE = { name: "s", ...TEMPLATE };
const ENVIRONMENT = { ...TEMPLATE, impersonateUserId: "U01AGENTONE" };
const WRONG = { assertions: [{ diff_type: "added", entity: "mesages" }] };

/** Objects for the requests; created before the tests. */
const made = {
  environment: "",
  deleted: "",
  outdated: "",
  busy: "",
  ended: "",
  testless: "",
  suite: "",
  /** Has a test whose spec does not fit the tables of its service any more. */
  unfit: "",
  test: "",
  tracker: "",
  /** Its template does not exist any more. */
  moved: "",
  /** Its episode "gone" has lost its environment. */
  played: "",
};

const stepOf = (episode_id: string, type = "call_tool") => ({
  episode_id,
  action: { type, tool_name: "slack_read_user_profile" },
});

/** `[path, body]` of one request; a function where ids are needed. */
type Request = readonly [string, unknown?] | (() => readonly [string, unknown?]);

const PROVOKED: { readonly [operation: string]: { readonly [code: string]: Request } } = {
  "GET /overview": { invalid_request: ["/overview?a=1&a=2"] },
  "GET /events": { invalid_request: ["/events?a=1&a=2"] },
  "GET /environments": {
    invalid_request: ["/environments?limit=0"],
    invalid_service: ["/environments?service=billing"],
  },
  "POST /initEnv": {
    invalid_request: ["/initEnv", { ...ENVIRONMENT, ttlSeconds: 0 }],
    invalid_service: ["/initEnv", { ...ENVIRONMENT, templateService: "billing" }],
    missing_impersonate: ["/initEnv", TEMPLATE],
    impersonate_not_found: ["/initEnv", { ...ENVIRONMENT, impersonateUserId: "U99" }],
    template_not_found: ["/initEnv", { ...ENVIRONMENT, templateName: "nothing" }],
    test_not_found: ["/initEnv", { testId: NONE }],
  },
  "GET /env/{envId}": {
    invalid_request: ["/env/x?a=1&a=2"],
    invalid_environment_path: ["/env/nonsense"],
    environment_not_found: [`/env/${NONE}`],
  },
  "PATCH /env/{envId}": {
    invalid_request: () => [`/env/${made.environment}`, { ttlSeconds: 0 }],
    invalid_environment_path: ["/env/nonsense", { ttlSeconds: 60 }],
    environment_not_found: [`/env/${NONE}`, { ttlSeconds: 60 }],
  },
  "DELETE /env/{envId}": {
    invalid_request: ["/env/x?a=1&a=2"],
    invalid_environment_path: ["/env/nonsense"],
    environment_not_found: [`/env/${NONE}`],
    environment_already_deleted: () => [`/env/${made.deleted}`],
  },
  "POST /env/{envId}/triggers": {
    invalid_request: () => [`/env/${made.environment}/triggers`, { userId: 1 }],
    invalid_environment_path: ["/env/nonsense/triggers", { userId: "U02JOHNADOE" }],
    environment_not_found: [`/env/${NONE}/triggers`, { userId: "U02JOHNADOE" }],
    invalid_service: () => [`/env/${made.tracker}/triggers`, { userId: "U02JOHNADOE" }],
    impersonate_not_found: () => [`/env/${made.environment}/triggers`, { userId: "U99" }],
  },
  ...Object.fromEntries(
    ["reset", "snapshots", "fork"].map((verb) => [
      `POST /env/{envId}/${verb}`,
      {
        invalid_request: () =>
          [`/env/${made.environment}/${verb}`, { snapshotId: 1, name: 1, count: 0 }] as const,
        invalid_environment_path: [`/env/nonsense/${verb}`, {}],
        environment_not_found: [`/env/${NONE}/${verb}`, {}],
        template_not_found: () => [`/env/${made.outdated}/${verb}`, {}] as const,
      },
    ]),
  ),
  "POST /env/{envId}/clock": {
    invalid_request: () => [`/env/${made.environment}/clock`, { advance: "soon" }],
    invalid_environment_path: ["/env/nonsense/clock", { advance: "P1D" }],
    environment_not_found: [`/env/${NONE}/clock`, { advance: "P1D" }],
  },
  "PUT /env/{envId}/events": {
    invalid_request: [`/env/${NONE}/events`, { apps: [{ app: "A01AGENTBOT" }] }],
    invalid_environment_path: ["/env/nonsense/events", { apps: [] }],
    environment_not_found: [`/env/${NONE}/events`, { apps: [] }],
    invalid_service: () => [
      `/env/${made.environment}/events`,
      { apps: [{ app: "A01AGENTBOT", service: "tracker", events: [] }] },
    ],
  },
  "GET /env/{envId}/events": {
    invalid_request: [`/env/${NONE}/events?a=1&a=2`],
    invalid_environment_path: ["/env/nonsense/events"],
    environment_not_found: [`/env/${NONE}/events`],
  },
  "POST /env/{envId}/events": {
    invalid_request: [`/env/${NONE}/events`, { type: "team_join" }],
    invalid_environment_path: ["/env/nonsense/events", { type: "team_join", event: {} }],
    environment_not_found: [`/env/${NONE}/events`, { type: "team_join", event: {} }],
  },
  "POST /env/{envId}/webhooks": {
    invalid_request: [`/env/${NONE}/webhooks`, { app: "A01AGENTBOT" }],
    invalid_environment_path: [
      "/env/nonsense/webhooks",
      { app: "A01AGENTBOT", channel: "C01GENERAL" },
    ],
    environment_not_found: [`/env/${NONE}/webhooks`, { app: "A01AGENTBOT", channel: "C01GENERAL" }],
  },
  "POST /env/{envId}/deliveries/{n}/repeat": {
    invalid_request: [`/env/${NONE}/deliveries/x/repeat`, {}],
    invalid_environment_path: ["/env/nonsense/deliveries/1/repeat", {}],
    environment_not_found: [`/env/${NONE}/deliveries/1/repeat`, {}],
  },
  "POST /env/{envId}/wait": {
    invalid_request: [`/env/${NONE}/wait`, { quietMs: -1 }],
    invalid_environment_path: ["/env/nonsense/wait", {}],
    environment_not_found: [`/env/${NONE}/wait`, {}],
  },
  "GET /env/{envId}/deliveries": {
    invalid_request: [`/env/${NONE}/deliveries?limit=x`],
    invalid_environment_path: ["/env/nonsense/deliveries"],
    environment_not_found: [`/env/${NONE}/deliveries`],
  },
  "GET /env/{envId}/counterparts": {
    invalid_request: [`/env/${NONE}/counterparts?a=1&a=2`],
    invalid_environment_path: ["/env/nonsense/counterparts"],
    environment_not_found: [`/env/${NONE}/counterparts`],
  },
  "POST /env/{envId}/counterparts/act": {
    invalid_request: [`/env/${NONE}/counterparts/act`, { say: { text: "x" } }],
    invalid_environment_path: ["/env/nonsense/counterparts/act", { as: "U1" }],
    environment_not_found: [`/env/${NONE}/counterparts/act`, { as: "U1" }],
    invalid_service: () => [
      `/env/${made.environment}/counterparts/act`,
      { as: "U1", service: "mail", say: { channel: "C01GENERAL", text: "x" } },
    ],
  },
  "PUT /env/{envId}/counterparts": {
    invalid_request: [`/env/${NONE}/counterparts`, { counterparts: [{ name: "none" }] }],
    invalid_environment_path: ["/env/nonsense/counterparts", { counterparts: [] }],
    environment_not_found: [`/env/${NONE}/counterparts`, { counterparts: [] }],
    invalid_service: () => [
      `/env/${made.environment}/counterparts`,
      {
        counterparts: [
          {
            ...{ name: "john", as: "U02JOHNADOE", service: "tracker" },
            when: { diff_type: "added", entity: "messages" },
            say: { text: "Seen." },
          },
        ],
      },
    ],
  },
  "GET /env/{envId}/faults": {
    invalid_request: [`/env/${NONE}/faults?a=1&a=2`],
    invalid_environment_path: ["/env/nonsense/faults"],
    environment_not_found: [`/env/${NONE}/faults`],
  },
  "PUT /env/{envId}/faults": {
    invalid_request: [`/env/${NONE}/faults`, { faults: [{ fault: "none" }] }],
    invalid_environment_path: ["/env/nonsense/faults", { faults: [] }],
    environment_not_found: [`/env/${NONE}/faults`, { faults: [] }],
    invalid_service: () => [
      `/env/${made.environment}/faults`,
      { faults: [{ fault: "server_error", service: "tracker" }] },
    ],
  },
  "GET /env/{envId}/clock": {
    invalid_request: [`/env/${NONE}/clock?a=1&a=2`],
    invalid_environment_path: ["/env/nonsense/clock"],
    environment_not_found: [`/env/${NONE}/clock`],
  },
  "GET /env/{envId}/snapshots": {
    invalid_request: [`/env/${NONE}/snapshots?a=1&a=2`],
    invalid_environment_path: ["/env/nonsense/snapshots"],
    environment_not_found: [`/env/${NONE}/snapshots`],
  },
  "POST /startRun": {
    invalid_request: ["/startRun", {}],
    environment_not_found: ["/startRun", { envId: NONE }],
    run_already_exists: () => ["/startRun", { envId: made.busy }],
    test_not_found: () => ["/startRun", { envId: made.environment, testId: NONE }],
    suite_not_found: () => ["/startRun", { envId: made.environment, testSuiteId: NONE }],
  },
  "POST /diffRun": {
    invalid_request: ["/diffRun", { runId: 1 }],
    run_not_found: ["/diffRun", { runId: NONE }],
    run_already_completed: () => ["/diffRun", { runId: made.ended }],
  },
  "POST /evaluateRun": {
    invalid_request: ["/evaluateRun", { runId: null }],
    invalid_assertion: () => ["/evaluateRun", { runId: made.testless, expectedOutput: WRONG }],
    run_not_found: ["/evaluateRun", { runId: NONE }],
    run_already_completed: () => ["/evaluateRun", { runId: made.ended }],
    no_test_defined: () => ["/evaluateRun", { runId: made.testless }],
  },
  "GET /runs/{runId}": {
    invalid_request: ["/runs/x?a=1&a=2"],
    run_not_found: [`/runs/${NONE}`],
  },
  "GET /results/{runId}": {
    invalid_request: ["/results/x?a=1&a=2"],
    run_not_found: [`/results/${NONE}`],
  },
  "POST /runs/{runId}/evaluate": {
    invalid_request: () => [`/runs/${made.testless}/evaluate`, {}],
    invalid_assertion: () => [`/runs/${made.ended}/evaluate`, { expectedOutput: WRONG }],
    run_not_found: [`/runs/${NONE}/evaluate`, {}],
    test_not_found: () => [`/runs/${made.ended}/evaluate`, { testId: NONE }],
    no_test_defined: () => [`/runs/${made.ended}/evaluate`, {}],
  },
  "GET /runs/{runId}/evaluations": {
    invalid_request: ["/runs/x/evaluations?limit=0"],
    run_not_found: [`/runs/${NONE}/evaluations`],
  },
  "GET /runs": { invalid_request: ["/runs?cursor=nonsense"] },
  "PATCH /runs/{runId}": {
    invalid_request: () => [`/runs/${made.ended}`, { labels: { "": "x" } }],
    run_not_found: [`/runs/${NONE}`, { labels: {} }],
  },
  "GET /runs/{runId}/calls": {
    invalid_request: ["/runs/x/calls?limit=x"],
    run_not_found: [`/runs/${NONE}/calls`],
  },
  "GET /runs/{runId}/deliveries": {
    invalid_request: ["/runs/x/deliveries?limit=x"],
    run_not_found: [`/runs/${NONE}/deliveries`],
  },
  "GET /runs/{runId}/events": {
    invalid_request: ["/runs/x/events?a=1&a=2"],
    run_not_found: [`/runs/${NONE}/events`],
  },
  "GET /runs/{runId}/siblings": {
    invalid_request: ["/runs/x/siblings?a=1"],
    run_not_found: [`/runs/${NONE}/siblings`],
  },
  "GET /runs/{runId}/reasons": {
    invalid_request: ["/runs/x/reasons?a=1"],
    run_not_found: [`/runs/${NONE}/reasons`],
  },
  "GET /tests/{testId}/words": {
    invalid_request: ["/tests/x/words?a=1"],
    test_not_found: [`/tests/${NONE}/words`],
  },
  "GET /templates": {
    invalid_request: ["/templates?visibility=secret"],
    invalid_service: ["/templates?service=billing"],
  },
  "GET /templates/{id}": {
    invalid_request: ["/templates/x?a=1&a=2"],
    template_not_found: ["/templates/nothing"],
  },
  "PATCH /templates/{id}": {
    invalid_request: ["/templates/twin", { visibility: "secret" }],
    template_not_found: ["/templates/nothing", {}],
    template_name_exists: ["/templates/twin", { visibility: "public" }],
  },
  "DELETE /templates/{id}": {
    invalid_request: ["/templates/x?a=1&a=2"],
    template_not_found: ["/templates/nothing"],
  },
  "GET /templates/{id}/seed": {
    invalid_request: ["/templates/chat_base/seed?tables=userz"],
    template_not_found: ["/templates/nothing/seed"],
  },
  "POST /templates/import": {
    invalid_request: ["/templates/import", { service: "chat", name: "n", seed: {} }],
    invalid_service: ["/templates/import", { service: "billing", name: "n", seed: {} }],
    invalid_template_name: ["/templates/import", { service: "chat", name: "N", seed: {} }],
    template_name_exists: ["/templates/import", { service: "chat", name: "chat_base", seed: {} }],
  },
  ...Object.fromEntries(
    ["/templates", "/templates/from-environment"].map((path) => {
      const saving = (fields: object) => () =>
        [path, { environmentId: made.environment, service: "chat", name: "n", ...fields }] as const;
      return [
        `POST ${path}`,
        {
          invalid_request: saving({ visibility: "secret" }),
          invalid_service: saving({ service: "billing" }),
          invalid_template_name: saving({ name: "no spaces" }),
          template_name_exists: saving({ name: "chat_base" }),
          environment_not_found: saving({ environmentId: NONE }),
        },
      ];
    }),
  ),
  "GET /testSuites": { invalid_request: ["/testSuites?visibility=secret"] },
  "POST /testSuites": {
    invalid_request: ["/testSuites", { ...SUITE, name: 1 }],
    invalid_service: ["/testSuites", { ...SUITE, templateService: "billing" }],
    invalid_assertion: ["/testSuites", { ...SUITE, tests: [{ ...TEST, expectedOutput: WRONG }] }],
    template_not_found: ["/testSuites", { ...SUITE, templateName: "nothing" }],
    impersonate_not_found: ["/testSuites", { ...SUITE, impersonateUserId: "U99" }],
  },
  "GET /testSuites/{suiteId}": {
    invalid_request: () => [`/testSuites/${made.suite}?expand=perhaps`],
    suite_not_found: [`/testSuites/${NONE}`],
  },
  "PATCH /testSuites/{suiteId}": {
    invalid_request: () => [`/testSuites/${made.suite}`, { name: "" }],
    invalid_assertion: () => [`/testSuites/${made.unfit}`, { templateName: "chat_base" }],
    template_not_found: () => [`/testSuites/${made.suite}`, { templateName: "nothing" }],
    impersonate_not_found: () => [`/testSuites/${made.suite}`, { impersonateUserId: "U99" }],
    suite_not_found: [`/testSuites/${NONE}`, {}],
  },
  "DELETE /testSuites/{suiteId}": {
    invalid_request: ["/testSuites/x?a=1&a=2"],
    suite_not_found: [`/testSuites/${NONE}`],
  },
  "POST /testSuites/import": {
    invalid_request: ["/testSuites/import", { ...SUITE, name: "i", prune: "yes" }],
    invalid_service: ["/testSuites/import", { ...SUITE, name: "i", templateService: "billing" }],
    invalid_assertion: [
      "/testSuites/import",
      { ...SUITE, name: "i", tests: [{ ...TEST, expectedOutput: WRONG }] },
    ],
    template_not_found: ["/testSuites/import", { ...SUITE, name: "i", templateName: "nothing" }],
    impersonate_not_found: [
      "/testSuites/import",
      { ...SUITE, name: "i", impersonateUserId: "U99" },
    ],
  },
  "PATCH /tests/{testId}": {
    invalid_request: () => [`/tests/${made.test}`, { prompt: "" }],
    invalid_assertion: () => [`/tests/${made.test}`, { expectedOutput: WRONG }],
    template_not_found: () => [`/tests/${made.test}`, { templateName: "nothing" }],
    impersonate_not_found: () => [`/tests/${made.test}`, { impersonateUserId: "U99" }],
    test_not_found: [`/tests/${NONE}`, {}],
  },
  "DELETE /tests/{testId}": {
    invalid_request: ["/tests/x?a=1&a=2"],
    test_not_found: [`/tests/${NONE}`],
  },
  "GET /testSuites/{suiteId}/audit": {
    invalid_request: ["/testSuites/chat-benchmark/audit?runs=maybe"],
    suite_not_found: [`/testSuites/${NONE}/audit`],
    test_not_found: [`/testSuites/chat-benchmark/audit?testId=${NONE}`],
  },
  "GET /testSuites/{suiteId}/results": {
    invalid_request: ["/testSuites/x/results?a=1&a=2"],
    suite_not_found: [`/testSuites/${NONE}/results`],
  },
  "POST /testSuites/{suiteId}/tests": Object.fromEntries(
    Object.entries({
      invalid_request: { tests: [] },
      invalid_assertion: { tests: [{ ...TEST, expectedOutput: WRONG }] },
      template_not_found: { tests: [{ ...TEST, templateName: "nothing" }] },
      impersonate_not_found: { tests: [{ ...TEST, impersonateUserId: "U99" }] },
      suite_not_found: undefined,
    }).map(([code, body]) => [
      code,
      () => [`/testSuites/${body ? made.suite : NONE}/tests`, body ?? { tests: [TEST] }] as const,
    ]),
  ),
  "GET /tests/{testId}": {
    invalid_request: ["/tests/x?a=1&a=2"],
    test_not_found: [`/tests/${NONE}`],
  },
  "GET /assertion-schema": { invalid_request: ["/assertion-schema?a=1&a=2"] },
  "GET /health": {},
  ...Object.fromEntries(
    ["metadata", "health", "schema", "list_environments", "state"].map((path) => [
      `GET /openenv/{suite}/${path}`,
      {
        invalid_request: [`/openenv/x/${path}?a=1&a=2`],
        suite_not_found: [`/openenv/nothing/${path}`],
      } as const,
    ]),
  ),
  "GET /openenv/{suite}/openapi.json": {
    invalid_request: ["/openenv/x/openapi.json?a=1&a=2"],
    suite_not_found: ["/openenv/nothing/openapi.json"],
  },
  "POST /openenv/{suite}/mcp": {
    invalid_request: ["/openenv/x/mcp?a=1&a=2", {}],
    suite_not_found: ["/openenv/nothing/mcp", {}],
  },
  "POST /openenv/{suite}/reset": {
    invalid_request: () => [`/openenv/${made.suite}/reset`, { seed: -1 }],
    suite_not_found: ["/openenv/nothing/reset", {}],
    test_not_found: () => [`/openenv/${made.suite}/reset`, {}],
    template_not_found: () => [`/openenv/${made.moved}/reset`, {}],
    missing_impersonate: () => [`/openenv/${made.unfit}/reset`, {}],
  },
  "POST /openenv/{suite}/step": {
    invalid_request: () => [`/openenv/${made.played}/step`, stepOf("nobody's")],
    suite_not_found: ["/openenv/nothing/step", stepOf("gone")],
    environment_not_found: () => [`/openenv/${made.played}/step`, stepOf("gone")],
    run_already_completed: () => [`/openenv/${made.played}/step`, stepOf("gone", "submit")],
  },
  "GET /openenv/{suite}/{environment}/splits": {
    invalid_request: ["/openenv/x/x/splits?a=1&a=2"],
    suite_not_found: ["/openenv/nothing/nothing/splits"],
    not_found: () => [`/openenv/${made.suite}/another/splits`],
  },
  ...Object.fromEntries(
    ["tasks", "num_tasks", "task_range", "task"].map((path) => [
      `POST /openenv/{suite}/{environment}/${path}`,
      {
        invalid_request: [`/openenv/x/x/${path}`, { split: "train" }],
        suite_not_found: [`/openenv/nothing/nothing/${path}`, { split: "mcp", index: 0 }],
        not_found: () =>
          [`/openenv/${made.suite}/another/${path}`, { split: "mcp", index: 0 }] as const,
        ...(path === "task" && {
          test_not_found: () =>
            [`/openenv/${made.suite}/${made.suite}/task`, { split: "mcp", index: 0 }] as const,
        }),
      },
    ]),
  ),
};

const operations = async () =>
  operationsOf(await readDocument(program.url)).flatMap(({ path, ...rest }) =>
    [path.replace(/^\/api\/platform/, "")]
      .filter((own) => wholePath(own) === path)
      .map((own) => ({ ...rest, path: own })),
  );

beforeAll(async () => {
  const environment = async () => (await program.environment()).environmentId as string;
  const run = async (envId: string) =>
    (await program.post("/startRun", { envId })).body.runId as string;
  made.environment = await environment();
  made.deleted = await environment();
  const tracker = await program.environment({
    templateService: "tracker",
    templateName: "tracker_base",
    impersonateUserId: JOHN,
  });
  made.tracker = tracker.environmentId;
  await program.call("DELETE", `/env/${made.deleted}`);
  made.outdated = await environment();
  await database.sql`
    update diorama.schemas set template_schema = 'tpl_replaced'
    where schema_name = (select schema_name from diorama.environments where environment_id = ${made.outdated})
  `;
  made.busy = await environment();
  made.testless = await run(made.busy);
  made.ended = await run(await environment());
  await program.post("/diffRun", { runId: made.ended });
  const suite = await program.post("/testSuites", SUITE);
  expectStatus(suite, 201);
  made.suite = suite.body.suiteId;
  const twin = { environmentId: made.environment, service: "chat", name: "twin" };
  expectStatus(await program.post("/templates", twin), 201);
  await database.sql`
    insert into diorama.templates (template_id, name, service, visibility, user_id, schema_name, content_hash)
    select 'theirs', name, service, 'public', 'somebody else', 'tpl_theirs', '' from diorama.templates
    where name = 'twin'
  `;
  const filled = async (name: string) => {
    const { body } = await program.post("/testSuites", { ...SUITE, name, tests: [TEST] });
    const { tests } = (await program.get(`/testSuites/${body.suiteId}?expand=true`)).body;
    return { suiteId: body.suiteId, testId: tests[0].id };
  };
  made.test = (await filled("filled")).testId;
  made.moved = (await filled("moved")).suiteId;
  await database.sql`
    update diorama.suites set template_name = 'gone' where suite_id = ${made.moved}
  `;
  const wanted = { ...SUITE, name: "played", impersonateUserId: "U01AGENTONE", tests: [TEST] };
  made.played = (await program.post("/testSuites", wanted)).body.suiteId;
  const episode = await program.post(`/openenv/${made.played}/reset`, { episode_id: "gone" });
  expectStatus(episode, 200);
  await program.call("DELETE", `/env/${episode.body.metadata.environment_id}`);
  made.unfit = (await filled("unfit")).suiteId;
  await database.sql`
    update diorama.tests set expected_output = ${JSON.stringify(WRONG)}::text::json
    where suite_id = ${made.unfit}
  `;
});

test("the table has exactly the codes that the document lists for each operation", async () => {
  const listed = (await operations()).map(({ method, path, operation }) => {
    const codes = Object.values(operation.responses)
      .flatMap(
        ({ content }) => content?.["application/json"]?.schema["properties"]?.error?.enum ?? [],
      )
      .filter((code: string) => !COMMON.includes(code));
    return [`${method} ${path}`, codes.toSorted()];
  });
  const provoked = Object.entries(PROVOKED).map(([operation, codes]) => [
    operation,
    Object.keys(codes).toSorted(),
  ]);
  expect(Object.fromEntries(provoked)).toEqual(Object.fromEntries(listed));
});

for (const [operation, codes] of Object.entries(PROVOKED))
  describe(operation, () => {
    for (const [code, request] of Object.entries(codes))
      test(`rejects with ${code}`, async () => {
        const [path, body] = typeof request === "function" ? request() : request;
        const answer = await program.call(operation.split(" ")[0]!, path, body);
        const status = code.endsWith("not_found") && code !== "impersonate_not_found" ? 404 : 400;
        expectRefusal(answer, status, code);
      });
  });

const filled = (path: string) => path.replace(/\{\w+\}/g, NONE);

test("a body over the limit is rejected by every operation with a body", async () => {
  for (const { method, path, operation } of await operations())
    if (operation.requestBody) {
      const max = path === "/templates/import" ? SEED_BODY_MAX : PLATFORM_BODY_MAX;
      expectRefusal(
        await program.call(method, filled(path), { pad: "x".repeat(max) }),
        413,
        "request_too_large",
      );
    }
});

test("a wrong key gives no access", async () => {
  for (const { method, path, operation } of await operations())
    if (path !== "/health")
      expectRefusal(
        await program.call(method, filled(path), operation.requestBody && {}, {
          "X-API-Key": "diorama_k_wrong",
        }),
        401,
        "not_authed",
        "Invalid API key",
      );
});

test("an agent's token gives access to its environment's service, not to the platform", async () => {
  const { environmentUrl, environmentId, token } = await program.environment();
  const { environmentUrl: others } = await program.environment();
  const call = async (prefix: string) => {
    const response = await fetch(`${program.url}${prefix}/auth.test`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
    });
    return [response.status, ((await response.json()) as { ok: boolean }).ok];
  };
  expect(await call(environmentUrl)).toEqual([200, true]);
  expect(await call(others)).toEqual([401, false]);
  const own = (path: string) => path.replace("{envId}", environmentId).replace(/\{\w+\}/g, NONE);
  for (const { method, path, operation } of await operations())
    if (path !== "/health")
      expectRefusal(
        await program.call(method, own(path), operation.requestBody && {}, {
          "X-API-Key": token,
        }),
        401,
        "not_authed",
      );
  expect(await call(environmentUrl)).toEqual([200, true]);
});

describe("a query parameter that an operation does not have", () => {
  test("is rejected by every operation", async () => {
    const taken: string[] = [];
    for (const { path, method, at } of await operations()) {
      if (path === "/health") continue;
      const body = method === "GET" || method === "DELETE" ? undefined : {};
      const answer = await program.call(method, `${filled(path)}?limt=1`, body);
      const detail = String(answer.body.detail);
      if (answer.status !== 400 || !/^limt: there is no such parameter/.test(detail))
        taken.push(`${at}: ${answer.status} ${detail}`);
    }
    expect(taken).toEqual([]);
  });

  test("gets the nearest name", async () => {
    const detail = 'limt: there is no such parameter; the nearest is "limit"';
    expectRefusal(await program.get("/runs?limt=1"), 400, "invalid_request", detail);
  });

  test("may be a label", async () => {
    expectStatus(await program.get("/runs?labels[model]=x&limit=1"), 200);
    const detail = "label[model]: there is no such parameter";
    const answer = await program.get("/runs?label[model]=x");
    expect(answer.body.detail).toStartWith(detail);
  });
});

test.each([
  ["/runs?status=foo", undefined, "status: one of running, completed, passed, failed is needed"],
  ["/initEnv", [], "The body must be a JSON object"],
  ["/initEnv", { ttl: 60 }, 'ttl: there is no such field; the nearest is "ttlSeconds"'],
  [
    "/testSuites",
    { ...SUITE, test: [TEST] },
    'test: there is no such field; the nearest is "tests"',
  ],
  [
    "/testSuites",
    { ...SUITE, tests: [TEST, { ...TEST, promt: "p" }] },
    'tests[1].promt: there is no such field; the nearest is "prompt"',
  ],
  [
    "/templates/import",
    { name: "odd", service: "chat", seed: { extends: "chat_base", mesages: [] } },
    'seed: mesages: there is no such field; the nearest is "messages"',
  ],
  [
    "/templates/import",
    { name: "odd", service: "tracker", seed: { extends: "tracker_base", isues: [] } },
    'seed: isues: there is no such field; the nearest is "issues"',
  ],
  [
    "/templates/import",
    { name: "odd", service: "chat", seed: { rows: {}, sequence: {} } },
    'seed: sequence: there is no such field; the nearest is "sequences"',
  ],
  ...(["yesterday", 5, true, []] as const).map(
    (clock) =>
      ["/initEnv", { ...TEMPLATE, clock }, 'clock: "real" or an object is needed'] as const,
  ),
  ["/initEnv", { clock: "REAL" }, 'clock: "real" or an object is needed; the nearest is "real"'],
  ["/initEnv", { clock: { nowx: 1 } }, 'clock.nowx: there is no such field; the nearest is "now"'],
  [
    "/initEnv",
    { clock: { mode: "step", now: "2026-13-45" }, ttl: 1, faults: [{}] },
    [
      "clock.now: Expected string to match 'date-time' format",
      'ttl: there is no such field; the nearest is "ttlSeconds"',
      "faults[0].fault: is needed",
    ].join("\n"),
  ],
  ["/initEnv", null, "The body must be a JSON object"],
  [
    "/initEnv",
    { ...TEMPLATE, impersonateUserId: { toString: "x" } },
    "impersonateUserId: Expected string",
  ],
  [
    "/initEnv",
    String.raw`{"templateService":"chat","templateName":{"toStr\u0069ng":1}}`,
    "templateName: Expected string",
  ],
  [
    "/testSuites",
    { ...SUITE, tests: [{ name: "t", prompt: "p" }] },
    "tests[0].expectedOutput: is needed",
  ],
])("%s %j is rejected with the required format", async (path, body, detail) => {
  const answer = await program.call(body === undefined ? "GET" : "POST", path, body);
  expectRefusal(answer, 400, "invalid_request", detail);
});

test("an explicit null of an optional field reads as absent", async () => {
  const answer = await program.post("/initEnv", {
    ...ENVIRONMENT,
    testId: null,
    impersonateEmail: null,
    ttlSeconds: null,
  });
  expectStatus(answer, 201);
  const required = await program.post("/initEnv", { ...TEMPLATE, impersonateUserId: null });
  expectRefusal(required, 400, "missing_impersonate");
});

test("a field of another type is rejected in words that say what is needed", async () => {
  const unclear: string[] = [];
  const { components } = await readDocument(program.url);
  const ofName = ({ $ref }: { $ref?: string }) => $ref?.split("/").at(-1) ?? "";
  for (const { path, method, at, operation } of await operations()) {
    const schema = operation.requestBody?.content["application/json"]?.schema;
    const { properties = {} } = components["schemas"]?.[ofName(schema ?? {})] ?? {};
    for (const field of Object.keys(properties as object))
      for (const value of [5.5, "?", true, [], [[]], { "?": 1 }]) {
        const { status, body } = await program.call(method, filled(path), {
          [field]: value,
        });
        const detail = String(body.detail);
        const isClear = !/union value|required property|its shape/.test(detail);
        // A value that fits is rejected for what it names, or for another field that is missing.
        if (!/^(invalid_|.*_not_found$)/.test(body.error) || !isClear)
          unclear.push(`${at} ${field}: ${status} ${detail}`);
      }
  }
  expect(unclear).toEqual([]);
});

describe("what is not found is named, with the nearest and what there is", () => {
  test.each([
    [
      "a template of the service",
      "/initEnv",
      { ...ENVIRONMENT, templateName: "chat_defalt" },
      /^There is no chat template "chat_defalt"; the nearest is "chat_default"; there are .*chat_base, chat_bench_default, chat_default/,
    ],
    [
      "a template of the other service",
      "/initEnv",
      { ...ENVIRONMENT, templateService: "tracker" },
      /^There is no tracker template "chat_default": it is one of chat$/,
    ],
    [
      "a template",
      "/templates/chat_bas",
      undefined,
      /^There is no template "chat_bas"; the nearest is "chat_base"; there are /,
    ],
    [
      "a user",
      "/initEnv",
      { ...ENVIRONMENT, impersonateUserId: "U01AGENTON" },
      /^The template chat_default has no user "U01AGENTON"; the nearest is "U01AGENTONE"; there are U01AGENTONE \(\w+\), /,
    ],
    [
      "a user by email",
      "/initEnv",
      { ...TEMPLATE, impersonateEmail: "agnt@acme.test" },
      /^The template chat_default has no user "agnt@acme.test"; the nearest is "agent@acme.test"; there are /,
    ],
    [
      "a user of a tracker",
      "/initEnv",
      { templateService: "tracker", templateName: "tracker_base", impersonateUserId: "nobody" },
      /^The template tracker_base has no user "nobody"; there are [0-9a-f-]{36} \([^)]+\), /,
    ],
    [
      "a suite",
      "/testSuites/Chat%20benchmrk",
      undefined,
      /^There is no suite "Chat benchmrk"; the nearest is "Chat benchmark"; there are /,
    ],
    [
      "a test",
      "/tests/x",
      undefined,
      /^There is no test with this id; a suite has the ids of its tests$/,
    ],
    [
      "a run",
      "/runs/x",
      undefined,
      /^There is no run with this id; GET \/api\/platform\/runs lists yours$/,
    ],
    ["a journal", "/runs/x/calls", undefined, /^There is no run with this id; /],
    [
      "an environment",
      `/env/${NONE}`,
      undefined,
      new RegExp(
        `^There is no environment "${NONE}", or it has expired; GET /api/platform/environments lists yours$`,
      ),
    ],
  ])("%s", async (_, path, body, detail) => {
    const answer = await program.call(body === undefined ? "GET" : "POST", path, body);

    expect(answer.body.error).toMatch(/_not_found$/);
    expect(answer.body.detail).toMatch(detail);
  });

  test("in few words, however long the name and the list", async () => {
    const long = "x".repeat(5_000);
    const answer = await program.get(`/templates/${long}`);

    expect(answer.body.detail.length).toBeLessThan(1_000);
  });
});

describe("all mistakes are reported together", () => {
  const wrong = (name: string, where: object) => ({
    ...{ name, prompt: "p", impersonateUserId: "U09NOBODY" },
    expectedOutput: {
      assertions: [
        { diff_type: "added", entity: "messages", where },
        { diff_type: "added", entity: "mesages" },
      ],
    },
  });

  test("of a suite", async () => {
    const shape = {
      ...SUITE,
      tests: [
        { ...TEST, prompt: "" },
        { ...TEST, nme: 1, faults: [{}] },
      ],
    };
    const content = {
      ...SUITE,
      tests: [
        wrong("one", { txt: 1, text: { icontains: "x" } }),
        wrong("two", { ts: { gte: [] } }),
      ],
    };

    expect((await program.post("/testSuites", shape)).body.detail.split("\n")).toEqual([
      "tests[0].prompt: Expected string length greater or equal to 1",
      'tests[1].nme: there is no such field; the nearest is "name"',
      "tests[1].faults[0].fault: is needed",
    ]);
    for (const path of ["/testSuites", "/testSuites/import"]) {
      const answer = await program.post(path, content);
      expectRefusal(answer, 400, "impersonate_not_found");
      expect(answer.body.detail.split("\n")).toEqual([
        expect.stringMatching(/^The template chat_default has no user "U09NOBODY"; /),
        'test "one": assertion 1: where: messages has no column "txt"; the nearest is "text"',
        'test "one": assertion 1: where.text: there is no operator "icontains"; the nearest is "i_contains"',
        'test "one": assertion 2: entity: there is no table "mesages"; the nearest is "messages"',
        'test "two": assertion 1: where.ts.gte: gte takes another operand: a number or a string is needed',
        'test "two": assertion 2: entity: there is no table "mesages"; the nearest is "messages"',
      ]);
    }
  });

  test("of a seed", async () => {
    const seed = {
      extends: "chat_base",
      messages: [
        { channel: "genral", user: "john", ts: "2026-01-05T09:00:00Z", text: "x" },
        { channel: "general", user: "jon", ts: "2026-01-05T09:00:00Z", text: "x" },
      ],
    };
    const unfit = { ...seed, messages: [{ channel: 1, usr: "john", ts: "x", text: "x" }] };
    const importing = async (seed: object) =>
      (await program.post("/templates/import", { name: "odd", service: "chat", seed })).body.detail;

    expect((await importing(unfit)).split("\n")).toEqual([
      "seed: messages[0].channel: Expected string",
      'seed: messages[0].usr: there is no such field; the nearest is "user"',
      expect.stringMatching(/^seed: messages\[0\].ts: expected a moment in UTC/),
    ]);
    expect((await importing(seed)).split("\n")).toEqual([
      'seed: messages[0].channel: there is no channel "genral"; the nearest is "general"',
      'seed: messages[1].user: there is no user "jon"; the nearest is "john"',
    ]);
    expect(await importing({ extends: "chat_bas" })).toBe(
      'seed: extends: there is no seed "chat_bas" of chat to build on; the nearest is "chat_base"; there are chat_base, chat_bench_default',
    );
  });
});
