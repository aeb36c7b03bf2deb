/** Mail between the services of a world: one transaction, one call, one diff. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { useDatabase } from "../support/database";
import { launch, type ServerProcess } from "../support/process";
import { expectRefusal, expectStatus } from "../support/program";

const database = useDatabase();
let server: ServerProcess;

const usersOf = (id: string) => [{ id, email: "ann@acme.test" }];
const bell = { users: usersOf("bell-ann") };
const members = { bell, post: { users: usersOf("ann") } };

beforeAll(async () => {
  const preload = join(import.meta.dir, "../support/mailing.ts");
  server = await launch(database, { EVALUATION_TIMEOUT: "5s" }, { preload });
  await server.ready();
  const wanted = { service: "world", name: "ringing", seed: { members } };
  expectStatus(await server.post("/templates/import", wanted), 201);
});
afterAll(async () => {
  server.kill("SIGTERM");
  await server.exited;
});

async function create(fields: object = {}) {
  const answer = await server.post("/initEnv", {
    ...{ templateService: "world", templateName: "ringing", impersonateEmail: "ann@acme.test" },
    ...fields,
  });
  expectStatus(answer, 201);
  return answer.body;
}

test("an id of two people names neither of them", async () => {
  const twins = { users: [...usersOf("ann"), { id: "bob", email: "bob@acme.test" }] };
  const seed = {
    members: { bell: { users: [{ id: "bob", email: "rob@acme.test" }] }, post: twins },
  };
  expectStatus(
    await server.post("/templates/import", { service: "world", name: "twins", seed }),
    201,
  );
  const wanted = { templateService: "world", templateName: "twins" };

  const answer = await server.post("/initEnv", { ...wanted, impersonateUserId: "bob" });

  expectRefusal(
    answer,
    400,
    "invalid_request",
    'impersonateUserId: "bob" is a user of bell and of post; name the person by impersonateEmail',
  );
  const [row] = await database.sql`select from diorama.environments where template_name = 'twins'`;
  expect(row).toBeUndefined();
});

type Environment = { environmentId: string; token: string; schemaName: string };

async function call({ environmentId, token }: Environment, path: string, body: object) {
  const response = await fetch(`${server.url}/api/env/${environmentId}/services/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.status;
}

const start = async ({ environmentId: envId }: Environment) =>
  (await server.post("/startRun", { envId, journal: "calls" })).body.runId as string;
const diffOf = async (runId: string, more: object = {}) =>
  (await server.post("/diffRun", { runId, ...more })).body.diff;

const RING = { to: "ann@acme.test", text: "Door" };
const delivered = { __table__: "post_letters", userId: "ann", text: "Door" };

describe("a mail of one service to another", () => {
  test("is in the diff with the change that caused it", async () => {
    const environment = await create();
    const runId = await start(environment);

    expect(await call(environment, "bell/ring", RING)).toBe(200);

    const { inserts, updates, deletes } = await diffOf(runId);
    expect({ updates, deletes }).toEqual({ updates: [], deletes: [] });
    expect(inserts).toHaveLength(3);
    expect(inserts).toContainEqual(
      expect.objectContaining({ __table__: "bell_rings", text: "Door" }),
    );
    expect(inserts).toContainEqual(expect.objectContaining(delivered));
  });

  test("belongs to the call that sent it", async () => {
    const environment = await create();
    const runId = await start(environment);
    await call(environment, "post/read", { id: "none" });
    await call(environment, "bell/ring", RING);
    await diffOf(runId);

    const { calls } = (await server.get(`/runs/${runId}/calls`)).body;
    const { events } = (await server.get(`/runs/${runId}/events`)).body;

    expect(calls.map(({ service, changes }: any) => [service, changes])).toEqual([
      ["post", []],
      ["bell", [1, 2, 3]],
    ]);
    expect(events.map(({ table }: any) => table)).toEqual([
      "bell_rings",
      "post_letters",
      "post_boxes",
    ]);
    expect(new Set(events.map(({ transaction }: any) => transaction)).size).toBe(1);
  });

  test("is gone with the transaction that sent it", async () => {
    const environment = await create();
    const runId = await start(environment);

    expect(await call(environment, "bell/ring", { ...RING, fails: true })).toBe(500);

    expect(await diffOf(runId)).toEqual({ inserts: [], updates: [], deletes: [] });
  });

  test("takes back what caused it, if it cannot be delivered", async () => {
    const environment = await create();
    await call(environment, "bell/ring", RING);
    const runId = await start(environment);

    // The letter has the same key.
    expect(await call(environment, "bell/ring", RING)).toBe(500);

    expect(await diffOf(runId)).toEqual({ inserts: [], updates: [], deletes: [] });
  });

  test("is not sent outside of a transaction", async () => {
    const environment = await create();
    const runId = await start(environment);

    expect(await call(environment, "bell/outside", RING)).toBe(500);

    const { inserts } = await diffOf(runId);
    expect(inserts.map((row: any) => row.__table__)).toEqual(["bell_rings"]);
  });

  test("to an address that nobody has is no error", async () => {
    const environment = await create();

    expect(await call(environment, "bell/ring", { ...RING, to: "zoe@acme.test" })).toBe(200);
  });

  test("does not reach a service that the environment leaves out", async () => {
    const environment = await create({ services: ["bell"] });
    const runId = await start(environment);

    expect(await call(environment, "bell/ring", RING)).toBe(200);

    const { inserts } = await diffOf(runId);
    expect(inserts.map((row: any) => row.__table__)).toEqual(["bell_rings"]);
  });

  test("leaves no trace in an environment of one service", async () => {
    const wanted = { service: "bell", name: "bell_alone", seed: bell };
    expectStatus(await server.post("/templates/import", wanted), 201);
    const environment = await create({ templateService: "bell", templateName: "bell_alone" });
    const runId = await start(environment);

    expect(await call(environment, "bell/ring", RING)).toBe(200);

    const { inserts } = await diffOf(runId);
    expect(inserts.map((row: any) => row.__table__)).toEqual(["rings"]);
  });
});

describe("a mail that the clock sends", () => {
  const at = "2026-03-01T09:00:00Z";
  const clock = { mode: "frozen", now: "2026-03-01T08:00:00Z" };

  async function moved(fields: object) {
    const environment = await create({ clock, ...fields });
    await call(environment, "bell/ring", { ...RING, at });
    const runId = await start(environment);
    const path = `/env/${environment.environmentId}/clock`;
    expectStatus(await server.post(path, { advance: "PT2H" }), 200);
    return runId;
  }

  test("is the clock's change", async () => {
    const runId = await moved({});

    const { inserts } = await diffOf(runId, { include: ["clock"] });
    expect(inserts).toContainEqual(expect.objectContaining({ ...delivered, __actor__: "clock" }));
  });

  test("does not happen in a service that the environment leaves out", async () => {
    const runId = await moved({ services: ["post"] });

    expect(await diffOf(runId, { include: ["clock"] })).toEqual({
      ...{ inserts: [], updates: [], deletes: [] },
    });
  });
});

describe("a delivered copy in a closed world", () => {
  const ring = { diff_type: "added", service: "bell", entity: "rings", where: { text: "Door" } };

  async function judged(assertions: object[], more: readonly (readonly [string, object])[] = []) {
    const suite = await server.post("/testSuites", {
      ...{ name: "Rings", templateService: "world", templateName: "ringing" },
      impersonateUserId: "ann",
      tests: [
        { name: "ring", prompt: "Ring.", expectedOutput: { assertions, closed_world: true } },
      ],
    });
    expectStatus(suite, 201);
    const { body: whole } = await server.get(`/testSuites/${suite.body.suiteId}?expand=true`);
    const testId = whole.tests[0].id;
    const environment = await create({
      ...{ testId, templateService: undefined, templateName: undefined },
      impersonateEmail: undefined,
    });
    const { environmentId: envId } = environment;
    const { runId } = (await server.post("/startRun", { envId, testId })).body;
    await call(environment, "bell/ring", RING);
    for (const [path, body] of more) await call(environment, path, body);
    return (await server.post("/evaluateRun", { runId })).body;
  }

  test("needs no assertion", async () => {
    expect(await judged([ring])).toMatchObject({
      ...{ passed: true, failures: [], unsafe: { count: 0 } },
    });
  });

  test("may have one", async () => {
    const letter = { diff_type: "added", service: "post", entity: "letters" };

    expect(await judged([ring, { ...letter, where: { userId: "ann" } }])).toMatchObject({
      passed: true,
    });
    expect(await judged([ring, { ...letter, expected_count: 0 }])).toMatchObject({
      passed: false,
    });
  });

  test("needs one once a call has changed it", async () => {
    const verdict = await judged([ring], [["post/read", { id: "Door" }]]);

    expect(verdict).toMatchObject({ passed: false, unsafe: { count: 1 } });
    expect(verdict.failures).toEqual([expect.stringContaining("post_letters")]);
  });
});
