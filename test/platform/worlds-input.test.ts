/** Wrong requests for worlds: each is rejected with what there is, and leaves nothing behind. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { useDatabase } from "../support/database";
import { expectRefusal, startTestProgram, type TestProgram } from "../support/program";

const database = useDatabase();
let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram(database, { ENVIRONMENT_POOL_TARGETS: "" });
});
afterAll(() => program.program.stop());

/** Everything that a request can create. Maintenance builds the schemas of the pool meanwhile. */
async function left() {
  const [row] = await database.sql<object[]>`
    select (select count(*)::int from diorama.environments) as environments,
      (select count(*)::int from diorama.templates) as templates,
      (select count(*)::int from diorama.suites) as suites,
      (select count(*)::int from pg_namespace where nspname ~ '^(env|tpl|state)_'
        and nspname not in (select schema_name from diorama.schemas)) as schemas
  `;
  return row;
}

type Case = readonly [
  what: string,
  body: object,
  status: number,
  code: string,
  ...says: readonly string[],
];

/** A test for each case, whose request must change nothing. */
const rejects = (path: string, cases: readonly Case[]) =>
  test.each(cases.map((each) => [each[0], each] as const))("with %s", async (_what, each) => {
    const [, body, status, code, ...says] = each;
    const before = await left();

    const answer = await program.post(path, body);

    expectRefusal(answer, status, code);
    for (const said of says) expect(answer.body.detail).toContain(said);
    expect(await left()).toEqual(before);
  });

describe("an environment is rejected", () => {
  const wanted = (fields: object) => ({
    ...{ templateService: "world", templateName: "acme", impersonateEmail: "agent@acme.test" },
    ...fields,
  });
  const as = (impersonateUserId: string) =>
    wanted({ impersonateUserId, impersonateEmail: undefined });
  rejects("/initEnv", [
    [
      "an unknown service",
      wanted({ services: ["billing"] }),
      400,
      "invalid_service",
      "billing",
      "chat, tracker",
    ],
    [
      "a service twice",
      wanted({ services: ["chat", "chat"] }),
      400,
      "invalid_request",
      "chat is named twice",
    ],
    ["no service", wanted({ services: [] }), 400, "invalid_request", "services"],
    [
      "an address that nobody has",
      wanted({ impersonateEmail: "agnet@acme.test" }),
      400,
      "impersonate_not_found",
      "agent@acme.test",
    ],
    ["an id that nobody has", as("U01AGENTTWO"), 400, "impersonate_not_found", "U01AGENTONE"],
    [
      "nobody",
      wanted({ impersonateEmail: undefined }),
      400,
      "missing_impersonate",
      "impersonateEmail",
    ],
    [
      "a template of a service",
      wanted({ templateName: "chat_default" }),
      404,
      "template_not_found",
      "it is one of chat",
    ],
    [
      "a world as a service's template",
      wanted({ templateService: "chat" }),
      404,
      "template_not_found",
      "it is one of world",
    ],
    [
      "a template that is not there",
      wanted({ templateName: "acmee" }),
      404,
      "template_not_found",
      "acme",
    ],
    [
      "a fault of no service",
      wanted({ faults: [{ fault: "server_error" }] }),
      400,
      "invalid_request",
      "service",
    ],
    [
      "a fault of a service that it leaves out",
      wanted({ services: ["chat"], faults: [{ service: "tracker", fault: "server_error" }] }),
      400,
      "invalid_service",
      "chat",
    ],
  ]);
});

describe("a suite is rejected", () => {
  const suite = (assertion: object, fields: object = {}) => ({
    ...{ name: "Wrong", templateService: "world", templateName: "acme" },
    tests: [{ name: "one", prompt: "Do it.", expectedOutput: { assertions: [assertion] } }],
    ...fields,
  });
  const added = { diff_type: "added" };
  rejects("/testSuites", [
    [
      "an assertion on an unknown service",
      suite({ ...added, service: "wiki", entity: "events" }),
      400,
      "invalid_assertion",
      "there is chat, tracker",
    ],
    [
      "an assertion on a table that the world lacks",
      suite({ ...added, entity: "wiki_pages" }),
      400,
      "invalid_assertion",
      "wiki_pages",
    ],
    [
      "an assertion on a table of the other service",
      suite({ ...added, service: "tracker", entity: "messages" }),
      400,
      "invalid_assertion",
      "messages",
    ],
    [
      "an assertion on a table without its service",
      suite({ ...added, entity: "messages" }),
      400,
      "invalid_assertion",
      "chat_messages",
    ],
    [
      "an assertion on calls of an unknown service",
      suite({ diff_type: "called", service: "wiki", entity: "*" }),
      400,
      "invalid_assertion",
      "chat, tracker",
    ],
    [
      "a template of another kind",
      suite({ ...added, entity: "chat_messages" }, { templateName: "chat_default" }),
      404,
      "template_not_found",
      "it is one of chat",
    ],
  ]);
});

describe("a seed is rejected", () => {
  const person = { id: "U09SAM", name: "sam", real_name: "Sam Lee", email: "sam@acme.test" };
  const other = {
    ...{ id: "b0000000-0000-4000-8000-00000000000a", displayName: "sam" },
    ...{ name: "Sam Lee", email: "sam@acme.test" },
  };
  const seed = (members: object) => ({ service: "world", name: "tried", seed: { members } });
  const withSam = (chat: object, tracker: object) =>
    seed({
      chat: { extends: "chat_base", users: [{ ...person, ...chat }] },
      tracker: { extends: "tracker_base", users: [{ ...other, ...tracker }] },
    });
  rejects("/templates/import", [
    [
      "no members",
      { service: "world", name: "tried", seed: {} },
      400,
      "invalid_request",
      "members",
    ],
    [
      "one member",
      seed({ chat: "chat_default" }),
      400,
      "invalid_request",
      "a world has several services",
    ],
    [
      "an unknown member",
      seed({ chat: "chat_default", billing: {} }),
      400,
      "invalid_request",
      "members.billing",
      "tracker",
    ],
    [
      "a member twice",
      { service: "world", name: "tried", seed: { services: ["chat", "chat"], rows: {} } },
      400,
      "invalid_request",
      "services[1]",
      "chat is named twice",
    ],
    [
      "a seed that is not there",
      seed({ chat: "chat_x", tracker: "tracker_base" }),
      400,
      "invalid_request",
      "members.chat",
    ],
    [
      "a seed of another service",
      seed({ chat: "tracker_base", tracker: "tracker_base" }),
      400,
      "invalid_request",
      "members.chat",
    ],
    [
      "a mistake inside",
      withSam({ tz: 7 }, {}),
      400,
      "invalid_request",
      "members.chat.users[3].tz",
    ],
    [
      "another full name",
      withSam({}, { name: "Samuel Lee" }),
      400,
      "invalid_request",
      "members.tracker.users",
      "Samuel Lee",
      "Sam Lee",
    ],
    [
      "another time zone",
      withSam({ tz: "Asia/Tokyo" }, { timezone: "Asia/Seoul" }),
      400,
      "invalid_request",
      "members.tracker.users",
      "Asia/Seoul",
    ],
    [
      "an unknown field",
      {
        service: "world",
        name: "tried",
        seed: { members: { chat: "chat_default", tracker: "tracker_default" }, menbers: {} },
      },
      400,
      "invalid_request",
      "menbers",
    ],
  ]);
});

test("an environment with a part of a world names the services that it has", async () => {
  const { body } = await program.post("/initEnv", {
    ...{ templateService: "world", templateName: "acme", impersonateEmail: "agent@acme.test" },
    services: ["chat"],
  });
  const call = async (path: string) => {
    const response = await fetch(`${program.url}/api/env/${body.environmentId}/services/${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${body.token}`, "Content-Type": "application/json" },
      body: "{}",
    });
    return { status: response.status, body: await response.json(), headers: response.headers };
  };
  for (const path of ["tracker/graphql", "mail/send"]) {
    const answer = await call(path);
    expectRefusal(answer, 400, "invalid_service");
    expect((answer.body as { detail: string }).detail).toContain("chat");
  }
  const saved = { environmentId: body.environmentId, service: "chat", name: "a_part" };
  expectRefusal(await program.post("/templates", saved), 400, "invalid_service");
});
