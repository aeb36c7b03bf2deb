/** New environments are rejected by name where there is no room for them; those that exist go on. */
import { afterEach, describe, expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import {
  expectRefusal,
  expectStatus,
  startTestProgram,
  type TestProgram,
} from "../../support/program";

const database = useDatabase();
const WANTED = {
  templateService: "chat",
  templateName: "chat_default",
  impersonateUserId: "U01AGENTONE",
};
const MAX = 5;

let server: TestProgram;
afterEach(async () => {
  await database.sql`
    update diorama.environments set deleted_at = now() where deleted_at is null
  `;
  await server.program.stop();
});

const init = (fields: object = {}) => server.post("/initEnv", { ...WANTED, ...fields });
async function capacity() {
  const answer = await fetch(`${server.url}/readyz?capacity`);
  return { status: answer.status, capacity: ((await answer.json()) as any).capacity };
}

describe("with MAX_ENVIRONMENTS", () => {
  test("twenty calls at the same time get as many as the limit, and the others a 503", async () => {
    server = await startTestProgram(database, { MAX_ENVIRONMENTS: String(MAX) });

    const answers = await Promise.all(Array.from({ length: 20 }, () => init()));

    const made = answers.filter(({ status }) => status === 201);
    const rejected = answers.filter(({ status }) => status !== 201);
    expect(made).toHaveLength(MAX);
    for (const answer of rejected) {
      expectRefusal(
        answer,
        503,
        "capacity_exhausted",
        `There may be ${MAX} environments, the limit that MAX_ENVIRONMENTS sets; there are ${MAX}`,
      );
      expect(answer.headers.get("retry-after")).toBe("10");
    }
  });

  test("a deleted one makes room, and existing ones answer meanwhile", async () => {
    server = await startTestProgram(database, { MAX_ENVIRONMENTS: "1" });
    const environment = await server.environment();
    expectRefusal(await init(), 503, "capacity_exhausted");

    const message = { channel: "C01GENERAL", text: "hello" };
    expect((await server.chat(environment, "chat.postMessage", message)).ok).toBe(true);
    expectStatus(await server.call("DELETE", `/env/${environment.environmentId}`), 200);

    expectStatus(await init(), 201);
  });

  test("several are created together or not at all, forks too", async () => {
    server = await startTestProgram(database, { MAX_ENVIRONMENTS: "3" });
    const { environmentId } = await server.environment();

    expectRefusal(await init({ count: 3 }), 503, "capacity_exhausted");
    expectRefusal(
      await server.post(`/env/${environmentId}/fork`, { count: 3 }),
      503,
      "capacity_exhausted",
    );
    expectStatus(await server.post(`/env/${environmentId}/fork`, { count: 2 }), 200);

    expectRefusal(await init(), 503, "capacity_exhausted");
    expect((await capacity()).capacity.held).toBe(3);
  });

  test("a call that is sent again gets its answer, although there is no room for another one", async () => {
    server = await startTestProgram(database, { MAX_ENVIRONMENTS: "1" });
    const key = { "Idempotency-Key": "once" };
    const first = await server.post("/initEnv", WANTED, key);

    const again = await server.post("/initEnv", WANTED, key);

    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  test("one whose schema is built for it takes room once", async () => {
    const settings = { MAX_ENVIRONMENTS: "1", ENVIRONMENT_POOL_TARGETS: "chat_base:1" };
    server = await startTestProgram(database, settings);
    await database.sql`delete from diorama.schemas where state = 'ready'`;

    expectStatus(await init(), 201);
  });

  test("/readyz?capacity tells a balancer, with the ready schemas of each template", async () => {
    server = await startTestProgram(database, { MAX_ENVIRONMENTS: "2" });
    await server.environment();
    const before = await capacity();
    await server.environment();
    const after = await capacity();

    expect([before.status, before.capacity]).toMatchObject([
      200,
      { limit: 2, limitedBy: "MAX_ENVIRONMENTS", held: 1, free: 1 },
    ]);
    expect(Object.keys(before.capacity.ready)).toContain("chat_default");
    expect([after.status, after.capacity]).toMatchObject([503, { held: 2, free: 0 }]);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });
});

describe("by the disk", () => {
  test("a Postgres on this machine shows its own", async () => {
    server = await startTestProgram(database);

    const { disk, limit } = (await capacity()).capacity;

    expect(disk.totalBytes).toBeGreaterThan(2 ** 30);
    expect(disk.freeBytes).toBeWithin(1, disk.totalBytes);
    expect(limit).toBeGreaterThan(0);
  });

  test("one that is nearly full takes no environments, and the pool does not grow", async () => {
    server = await startTestProgram(database, { DATABASE_DISK: "1MB" });

    expectRefusal(
      await init(),
      503,
      "capacity_exhausted",
      "There are 0 environments, and the disk of Postgres has no room for another one",
    );
    expect(await capacity()).toMatchObject({
      status: 503,
      capacity: { free: 0, limitedBy: "disk", disk: { freeBytes: 0, totalBytes: 2 ** 20 } },
    });
    await database.sql`delete from diorama.schemas where state = 'ready'`;
    await server.program.maintenance.cycle();
    const [ready] = await database.sql`
      select count(*)::int as count from diorama.schemas where state = 'ready'
    `;
    expect(ready).toEqual({ count: 0 });
  });
});

test("what shows numbers needs a key where callers are not operators", async () => {
  server = await startTestProgram(database, { ENVIRONMENT: "production", ADMIN_PORT: "0" });

  const open = await fetch(`${server.url}/readyz?capacity`);
  const admin = await fetch(`${server.program.adminUrl}/readyz?capacity`);

  expect(open.status).toBe(401);
  expect([admin.status, await admin.json()]).toMatchObject([
    200,
    { status: "ready", capacity: { limit: 10_000 } },
  ]);
});
