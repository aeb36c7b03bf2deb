import { beforeAll, describe, expect, test } from "bun:test";
import { connect } from "~/db/connect";
import { createKey } from "~/platform/keys/keys";
import { eventually, useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, startTestProgram, useProgram } from "../../support/program";

const database = useDatabase();
const program = useProgram(database);
const WANTED = {
  templateService: "chat",
  templateName: "chat_default",
  impersonateUserId: "U01AGENT",
};

const keys: Record<string, string> = {};
beforeAll(async () => {
  const pool = connect(database.url, { max: 1, name: "test", camel: true });
  for (const userId of ["alice", "bob"])
    keys[userId] = (
      await createKey(pool, { userId, name: "", plan: "free", expiresInDays: null })
    ).key;
  await pool.end();
});
const as = (user: string) => ({ "X-API-Key": keys[user]! });

describe("initEnv", () => {
  test("answers with a copy of the template", async () => {
    const before = Date.now();
    const answer = await program.post("/initEnv", { ...WANTED, ttlSeconds: 60 });

    expectStatus(answer, 201);
    expect(answer.body).toEqual({
      environmentId: expect.stringMatching(/^[0-9a-f]{32}$/),
      environmentUrl: `/api/env/${answer.body.environmentId}/services/chat`,
      schemaName: expect.stringMatching(/^env_[0-9a-f]{32}$/),
      expiresAt: expect.stringMatching(/Z$/),
      templateSchema: "chat_default",
      service: "chat",
      token: expect.stringMatching(/^diorama_e_[0-9A-Za-z]{49}$/),
    });
    expect(Math.abs(Date.parse(answer.body.expiresAt) - before - 60_000)).toBeLessThan(5_000);
  });

  test("finds the user by email, whatever its case", async () => {
    const environment = await program.environment({
      impersonateUserId: undefined,
      impersonateEmail: "ROBIN@acme.test",
    });
    expect(await program.chat(environment, "auth.test")).toMatchObject({ user_id: "U03ROBIN" });
  });

  test.each([
    [{ templateService: "linear" }, 400, "invalid_service"],
    [{ templateService: "__proto__" }, 400, "invalid_service"],
    [{ templateService: undefined }, 400, "invalid_request"],
    [{ templateService: 5 }, 400, "invalid_request"],
    [{ templateName: "nope" }, 404, "template_not_found"],
    [{ templateName: "x'; drop schema public; --" }, 404, "template_not_found"],
    [{ impersonateUserId: undefined }, 400, "missing_impersonate"],
    [{ impersonateUserId: "U99" }, 400, "impersonate_not_found"],
    [{ impersonateUserId: "' OR 1=1" }, 400, "impersonate_not_found"],
    [{ impersonateUserId: undefined, impersonateEmail: "%" }, 400, "impersonate_not_found"],
    [{ impersonateUserId: ["U01AGENT"] }, 400, "invalid_request"],
    [{ testId: "0123" }, 404, "test_not_found"],
    [{ ttlSeconds: 0 }, 400, "invalid_request"],
    [{ ttlSeconds: -1 }, 400, "invalid_request"],
    [{ ttlSeconds: 604_801 }, 400, "invalid_request"],
    [{ ttlSeconds: "60" }, 400, "invalid_request"],
    [{ ttlSeconds: true }, 400, "invalid_request"],
  ])("refuses %p", async (fields, status, code) => {
    expectRefusal(await program.post("/initEnv", { ...WANTED, ...fields }), status, code);
  });

  test("names the field and what was expected", async () => {
    const answer = await program.post("/initEnv", { ...WANTED, ttlSeconds: "60" });
    expect(answer.body.detail).toMatch(/^ttlSeconds: .*number/i);
  });

  test("gives forty callers at once, on two servers, a schema of their own each", async () => {
    const other = await startTestProgram(database);
    try {
      const servers = [program, other];
      const environments = await Promise.all(
        Array.from({ length: 40 }, (_, index) => servers[index % 2]!.environment()),
      );

      expect(new Set(environments.map(({ schemaName }) => schemaName)).size).toBe(40);
      const posted = await Promise.all(
        environments.map((environment, index) =>
          program.chat(environment, "chat.postMessage", {
            channel: "C01GENERAL",
            text: `to ${index}`,
          }),
        ),
      );
      expect(posted.every(({ ok }) => ok)).toBe(true);
      const [sample] = await database.sql.unsafe(
        `select count(*)::int as count from "${environments[12].schemaName}".messages where text like 'to %'`,
      );
      expect(sample?.["count"]).toBe(1);
      await Promise.all(
        environments.map(({ environmentId }) => program.call("DELETE", `/env/${environmentId}`)),
      );
    } finally {
      await other.program.stop();
    }
  });
});

describe("an environment", () => {
  test("answers to its dashed id too", async () => {
    const { environmentId: id } = await program.environment();
    const dashed = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    expect(
      await program.chat({ environmentUrl: `/api/env/${dashed}/services/chat` }, "api.test"),
    ).toMatchObject({ ok: true });
  });

  test("is gone for every server as soon as it is deleted, and deleted only once", async () => {
    const other = await startTestProgram(database);
    try {
      const environment = await program.environment();
      const url = `${environment.environmentUrl}/users.info?user=U02JOHN`;
      for (const server of [program, other])
        expect((await fetch(server.url + url)).status).toBe(200);

      const [first, second] = await Promise.all([
        program.call("DELETE", `/env/${environment.environmentId}`),
        other.call("DELETE", `/env/${environment.environmentId}`),
      ]);

      const answers = [first, second].toSorted((a, b) => a.status - b.status);
      expect(answers[0]!.body).toEqual({
        environmentId: environment.environmentId,
        status: "deleted",
      });
      expectRefusal(answers[1]!, 400, "environment_already_deleted");
      for (const server of [program, other]) {
        const gone = await fetch(server.url + url);
        expect([gone.status, await gone.json()]).toMatchObject([
          404,
          { error: "environment_not_found" },
        ]);
      }
    } finally {
      await other.program.stop();
    }
  });

  test("ends exactly at its time, whether or not anything has tidied up", async () => {
    const environment = await program.environment({ ttlSeconds: 1.5 });
    const url = `${program.url}${environment.environmentUrl}/api.test`;
    const end = Date.parse(environment.expiresAt);

    let last = 200;
    while (last === 200) {
      const asked = Date.now();
      last = (await fetch(url)).status;
      if (last === 200) expect(asked).toBeLessThan(end + 5);
      else expect(Date.now()).toBeGreaterThanOrEqual(end - 5);
      await Bun.sleep(5);
    }

    expect(last).toBe(404);
    expectRefusal(
      await program.call("DELETE", `/env/${environment.environmentId}`),
      404,
      "environment_not_found",
    );
    expectRefusal(
      await program.post("/startRun", { envId: environment.environmentId }),
      404,
      "environment_not_found",
    );
  });

  test("leaves its schema to the pool, which nobody can tell from a new one", async () => {
    const environment = await program.environment();
    for (const text of ["a", "b", "c"])
      await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
    await program.call("DELETE", `/env/${environment.environmentId}`);

    await eventually(async () => {
      const rows = await database.sql`select 1 from diorama.schemas where state = 'used'`;
      expect(rows).toHaveLength(0);
    });
    const ready = await database.sql<
      { name: string }[]
    >`select schema_name as name from diorama.schemas where state = 'ready'`;
    for (const { name } of ready) {
      const [row] = await database.sql.unsafe(
        `select count(*)::int as count from "${name}".messages`,
      );
      expect(row?.["count"]).toBe(3);
    }
  });

  test.each([
    ["../../platform/health", 400],
    ["a%2Fb", 400],
    ["a%00b", 400],
    ["%zz", 400],
    ["x%22%3B%20DROP%20SCHEMA%20public%3B%20--", 400],
    ["0123456789ABCDEF0123456789ABCDEF", 400],
    ["0123456789abcdef0123456789abcdef0", 400],
    ["env_0123456789abcdef0123456789abcdef", 400],
    ["public", 400],
  ])("is not found under %p", async (id, status) => {
    const response = await fetch(`${program.url}/api/env/${id}/services/chat/api.test`);
    const body = (await response.json()) as { error: string };
    if (id.startsWith("..")) expect(body.error).toBe("not_found");
    else expect([response.status, body.error]).toEqual([status, "invalid_environment_path"]);
  });

  test.each(["tracker", "Chat", "chat%20", "__proto__", "constructor"])(
    "refuses the service %p",
    async (service) => {
      const { environmentId } = await program.environment();
      const response = await fetch(
        `${program.url}/api/env/${environmentId}/services/${service}/api.test`,
      );
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: "invalid_service" },
      ]);
    },
  );
});

describe("to another user", () => {
  test("nothing of it exists, in the same words as for what never was", async () => {
    const mine = await program.environment({}, as("alice"));
    const run = await program.post("/startRun", { envId: mine.environmentId }, as("alice"));
    const nobody = "0".repeat(32);
    const pairs = [
      [
        `/api/platform/env/${mine.environmentId}`,
        `/api/platform/env/${nobody}`,
        "DELETE",
        undefined,
      ],
      [
        `${mine.environmentUrl}/auth.test`,
        `/api/env/${nobody}/services/chat/auth.test`,
        "POST",
        undefined,
      ],
      [
        "/api/platform/startRun",
        "/api/platform/startRun",
        "POST",
        [{ envId: mine.environmentId }, { envId: nobody }],
      ],
      [
        "/api/platform/diffRun",
        "/api/platform/diffRun",
        "POST",
        [{ runId: run.body.runId }, { runId: nobody }],
      ],
      [
        `/api/platform/results/${run.body.runId}`,
        `/api/platform/results/${nobody}`,
        "GET",
        undefined,
      ],
    ] as const;

    for (const [theirs, none, method, bodies] of pairs) {
      const ask = async (path: string, body?: object) => {
        const response = await fetch(program.url + path, {
          method,
          headers: { ...as("bob"), ...(body ? { "Content-Type": "application/json" } : {}) },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
        return { status: response.status, body: await response.text() };
      };
      const foreign = await ask(theirs, bodies?.[0]);
      expect(foreign).toEqual(await ask(none, bodies?.[1]));
      expect(foreign.status).toBe(404);
    }
    expectStatus(await program.get(`/results/${run.body.runId}`, as("alice")), 200);
  });
});

describe("the agent's token", () => {
  test("opens this environment's service and nothing else", async () => {
    const [mine, other] = [await program.environment(), await program.environment()];
    const token = { "X-API-Key": mine.token };
    const call = async (url: string, headers: Record<string, string>) =>
      (await fetch(program.url + url, { method: "POST", headers })).status;

    expect(await call(`${mine.environmentUrl}/auth.test`, token)).toBe(200);
    expect(
      await call(`${mine.environmentUrl}/auth.test`, { Authorization: `Bearer ${mine.token}` }),
    ).toBe(200);
    expect(await call(`${mine.environmentUrl}/auth.test`, { Authorization: mine.token })).toBe(200);
    expect(await call(`${mine.environmentUrl}/auth.test?token=${mine.token}`, {})).toBe(200);
    expect(await call(`${other.environmentUrl}/auth.test`, token)).toBe(401);
    for (const [method, path] of [
      ["POST", "/initEnv"],
      ["POST", "/startRun"],
      ["POST", "/diffRun"],
      ["GET", "/results/x"],
      ["DELETE", `/env/${mine.environmentId}`],
      ["GET", "/nope"],
    ] as const)
      expectRefusal(
        await program.call(method, path, undefined, token),
        401,
        "not_authed",
        "Invalid API key",
      );
  });
});
