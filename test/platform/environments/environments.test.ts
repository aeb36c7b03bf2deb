import { describe, expect, test } from "bun:test";
import { eventually, useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, startTestProgram, useProgram } from "../../support/program";
import { AGENT as TRACKER_AGENT } from "../../support/tracker";
import { ask } from "../../support/wire";

const database = useDatabase();
const program = useProgram(database);
const WANTED = {
  templateService: "chat",
  templateName: "chat_default",
  impersonateUserId: "U01AGENTONE",
};

describe("initEnv", () => {
  test("answers with a copy of the template", async () => {
    const before = Date.now();
    const answer = await program.post("/initEnv", { ...WANTED, ttlSeconds: 60 });

    expectStatus(answer, 201);
    const { environmentUrl } = answer.body;
    expect(answer.body).toEqual({
      environmentId: expect.stringMatching(/^[0-9a-f]{32}$/),
      environmentUrl: `/api/env/${answer.body.environmentId}/services/chat`,
      mcpUrl: `/api/env/${answer.body.environmentId}/services/chat/mcp`,
      schemaName: expect.stringMatching(/^env_[0-9a-f]{32}$/),
      expiresAt: expect.stringMatching(/Z$/),
      templateSchema: "chat_default",
      service: "chat",
      services: {
        chat: { url: environmentUrl, mcpUrl: `${environmentUrl}/mcp`, userId: "U01AGENTONE" },
      },
      clock: { mode: "real", now: expect.stringMatching(/^\d{4}-.*Z$/) },
      token: expect.stringMatching(/^diorama_e_[0-9A-Za-z]{49}$/),
    });
    expect(Math.abs(Date.parse(answer.body.expiresAt) - before - 60_000)).toBeLessThan(5_000);
  });

  test.each(["xoxp", "xoxb"])("hands the token out as %s if wanted", async (tokenStyle) => {
    const environment = await program.environment({ tokenStyle });
    expect(environment.token).toMatch(new RegExp(`^${tokenStyle}-diorama_e_[0-9A-Za-z]{49}$`));
    const response = await fetch(`${program.url}${environment.environmentUrl}/auth.test`, {
      headers: { Authorization: `Bearer ${environment.token}` },
    });
    expect(await response.json()).toMatchObject({ ok: true, user_id: "U01AGENTONE" });
  });

  test("knows no other style of token, and none for the tracker", async () => {
    const tracker = {
      templateService: "tracker",
      templateName: "tracker_default",
      impersonateUserId: TRACKER_AGENT,
      tokenStyle: "xoxp",
    };
    for (const body of [{ ...WANTED, tokenStyle: "xoxe" }, tracker]) {
      const answer = await program.post("/initEnv", body);
      expectRefusal(answer, 400, "invalid_request", expect.stringContaining("tokenStyle") as never);
    }
  });

  test("finds the user by email, whatever its case", async () => {
    const environment = await program.environment({
      impersonateUserId: undefined,
      impersonateEmail: "ROBIN@acme.test",
    });
    expect(await program.chat(environment, "auth.test")).toMatchObject({ user_id: "U03ROBINRAY" });
  });

  test.each([
    [{ impersonateUserId: "U99" }, 400, "impersonate_not_found", "S032"],
    [{ ttlSeconds: "60" }, 400, "invalid_request", "S056"],
    [{ ttlSeconds: true }, 400, "invalid_request", "S056"],
    [{ ttlSeconds: -0 }, 400, "invalid_request", "S056"],
    [{ ttlSeconds: 2 ** 53 }, 400, "invalid_request", "S056"],
    [{ ttlSeconds: 0 }, 400, "invalid_request", "S057"],
    [{ ttlSeconds: -1 }, 400, "invalid_request", "S057"],
    [{ ttlSeconds: 604_801 }, 400, "invalid_request", "S057"],
    [{ ttlSeconds: 1e18 }, 400, "invalid_request", "S057"],
    [{ ttlSeconds: "NaN" }, 400, "invalid_request", "S057"],
    [{ templateName: "x'; drop schema public; --" }, 404, "template_not_found", "S072"],
    [{ templateService: "jira" }, 400, "invalid_service", "S076"],
    [{ templateService: "Chat" }, 400, "invalid_service", "S076"],
    [{ templateService: "chat " }, 400, "invalid_service", "S076"],
    [{ templateService: "__proto__" }, 400, "invalid_service", "S076"],
    [{ templateService: "constructor" }, 400, "invalid_service", "S076"],
    [{ templateService: "toString" }, 400, "invalid_service", "S076"],
    [{ templateService: undefined }, 400, "invalid_request", "S076"],
    [{ templateService: 5 }, 400, "invalid_request", "S076"],
    [{ templateName: "nope" }, 404, "template_not_found", "S076"],
    [{ impersonateUserId: undefined }, 400, "missing_impersonate", "S078"],
    [{ impersonateUserId: "' OR 1=1" }, 400, "impersonate_not_found", "S078"],
    [{ impersonateUserId: "U01\u0000" }, 400, "invalid_request", "S078"],
    [{ impersonateUserId: 5 }, 400, "invalid_request", "S078"],
    [{ impersonateUserId: ["U01AGENTONE"] }, 400, "invalid_request", "S078"],
    [{ impersonateUserId: { id: "U01AGENTONE" } }, 400, "invalid_request", "S078"],
    [{ testId: "0123" }, 404, "test_not_found", "S078"],
    ...["%", "_@_", "%@acme.test", "robin@acme.tes_", "robin@acme.test%"].map(
      (impersonateEmail) =>
        [
          { impersonateUserId: undefined, impersonateEmail },
          400,
          "impersonate_not_found",
          "S079",
        ] as const,
    ),
  ] as const)("rejects %p with %d %s (%s)", async (fields, status, code) => {
    expectRefusal(await program.post("/initEnv", { ...WANTED, ...fields }), status, code);
  });

  test.each(["templateName", "impersonateUserId", "impersonateEmail", "testId"])(
    "takes no megabyte for a %s (S058, S078)",
    async (field) => {
      const answer = await program.post("/initEnv", { ...WANTED, [field]: "x".repeat(1_000_000) });
      expectRefusal(answer, 400, "invalid_request");
      expect(answer.body.detail.length).toBeLessThan(200);
    },
  );

  test("rejects a number that JSON cannot represent as a time (S056)", async () => {
    const body = JSON.stringify(WANTED).replace("}", ',"ttlSeconds":1e999}');
    expectRefusal(await program.post("/initEnv", body), 400, "invalid_request");
  });

  test("rejects a user of another environment, however it was created (S032)", async () => {
    const { schemaName } = await program.environment();
    await database.sql.unsafe(
      `update "${schemaName}".users set id = 'U77ELSE' where id = 'U03ROBINRAY'`,
    );
    expectRefusal(
      await program.post("/initEnv", { ...WANTED, impersonateUserId: "U77ELSE" }),
      400,
      "impersonate_not_found",
    );
  });

  test("names the field and what was expected", async () => {
    const answer = await program.post("/initEnv", { ...WANTED, ttlSeconds: "60" });
    expect(answer.body.detail).toMatch(/^ttlSeconds: .*number/i);
  });

  test("gives each of forty concurrent callers on two servers a separate schema", async () => {
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

  test("is created and called by the name of the real service, and answers with our own", async () => {
    const { environmentId, service } = await program.environment({ templateService: "slack" });
    const alias = { environmentUrl: `/api/env/${environmentId}/services/slack/api` };
    const { ok, url } = await program.chat(alias, "auth.test");
    const wrong = await program.chat(
      { environmentUrl: `/api/env/${environmentId}/services/linear` },
      "api.test",
    );
    const listed = await program.get("/environments?service=slack&limit=1");

    expect({ ok, service, url }).toMatchObject({ ok: true, service: "chat" });
    expect(wrong).toMatchObject({ error: "invalid_service" });
    expect(listed.body.environments).toMatchObject([{ environmentId, service: "chat" }]);
  });

  test("ends on every server as soon as it is deleted, and is deleted only once", async () => {
    const other = await startTestProgram(database);
    try {
      const environment = await program.environment();
      const url = `${environment.environmentUrl}/users.info?user=U02JOHNADOE`;
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

  test("ends exactly when it expires, whether or not maintenance has run", async () => {
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

  test("returns its schema to the pool, equal to a new one", async () => {
    const environment = await program.environment();
    for (const text of ["a", "b", "c"])
      await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
    await program.call("DELETE", `/env/${environment.environmentId}`);

    // Maintenance may drop a ready schema between the two reads.
    await eventually(async () => {
      const [states] = await database.sql<{ used: number; ready: string[] }[]>`
        select (count(*) filter (where state = 'used'))::int as used,
          array_agg(schema_name) filter (where state = 'ready') as ready
        from diorama.schemas
      `;
      expect(states?.used).toBe(0);
      expect(states?.ready.length).toBeGreaterThan(0);
      for (const name of states?.ready ?? []) {
        const [row] = await database.sql.unsafe(
          `select count(*)::int as count from "${name}".messages`,
        );
        expect(row?.["count"]).toBe(3);
      }
    });
  });

  const MALFORMED = [
    ["a%2Fb", "S070"],
    ["a%00b", "S070"],
    ["%zz", "S070"],
    ["%ff", "S070"],
    ["0123456789ABCDEF0123456789ABCDEF", "S071"],
    ["0123456789abcdef0123456789abcdef0", "S071"],
    ["0123456789abcdef 0123456789abcdef", "S071"],
    ["env_0123456789abcdef0123456789abcdef", "S071"],
    ["public", "S071"],
    ["pg_catalog", "S071"],
    ["x%22%3B%20DROP%20SCHEMA%20public%3B%20--", "S072"],
  ] as const;
  test.each(MALFORMED)("cannot have the id %p (%s)", async (id) => {
    for (const [method, path] of [
      ["POST", `/api/env/${id}/services/chat/api.test`],
      ["DELETE", `/api/platform/env/${id}`],
    ] as const) {
      const response = await fetch(program.url + path, { method });
      expect([path, response.status, await response.json()]).toMatchObject([
        path,
        400,
        { ok: false, error: "invalid_environment_path" },
      ]);
    }
  });

  test("an environment's token gets the same error for a malformed id", async () => {
    const { token } = await program.environment();
    const response = await fetch(`${program.url}/api/env/zzz/services/chat/api.test`, {
      headers: { "X-API-Key": token },
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: "invalid_environment_path" },
    ]);
  });

  test("an empty id is malformed, or no path at all (S071)", async () => {
    const service = await fetch(`${program.url}/api/env//services/chat/api.test`);
    expect([service.status, await service.json()]).toMatchObject([
      400,
      { error: "invalid_environment_path" },
    ]);
    expectRefusal(await program.call("DELETE", "/env/"), 404, "not_found");
  });

  test.each([
    ["/api/env/../../platform/health", "S070"],
    ["/api/env/%2e%2e/services/chat/api.test", "S070"],
    ["/api/env/ID/services/chat/../../../platform/results/x", "S077"],
    ["/api/env/ID/services/chat/..%2f..%2f..%2fplatform/results/x", "S077"],
    ["/api/env/ID/services/chat/%2e%2e/tracker/graphql", "S077"],
  ])("leads nowhere else by %s (%s)", async (path) => {
    const { environmentId } = await program.environment();
    const { status, body } = await ask(
      program.url,
      `GET ${path.replace("ID", environmentId)} HTTP/1.1`,
    );
    expect([status, JSON.parse(body).error]).not.toEqual([404, "run_not_found"]);
    expect(JSON.parse(body)).toMatchObject({ ok: false });
  });

  test("loses no schema to a name with SQL in it (S072)", async () => {
    const attack = `x"; DROP SCHEMA public CASCADE; DROP SCHEMA diorama CASCADE; --`;
    for (const body of [{ envId: attack }, { ...WANTED, templateName: attack }])
      await program.post("envId" in body ? "/startRun" : "/initEnv", body);
    const schemas = await database.sql`
      select 1 from pg_namespace where nspname in ('public', 'diorama')
    `;
    expect(schemas).toHaveLength(2);
  });

  test.each(["tracker", "Chat", "chat%20", "linear", "__proto__", "constructor", "toString"])(
    "rejects the service %p (S031, S076)",
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

describe("a trigger", () => {
  const issue = (envId: string, body: object) => program.post(`/env/${envId}/triggers`, body);

  test("is issued for the environment's user or another one, and expires", async () => {
    const { environmentId } = await program.environment();

    const own = await issue(environmentId, {});
    const other = await issue(environmentId, { userId: "U02JOHNADOE", ttlSeconds: 60 });

    expectStatus(own, 200);
    expect(own.body.userId).toBe("U01AGENTONE");
    expect(other.body).toEqual({
      triggerId: expect.any(String),
      userId: "U02JOHNADOE",
      expiresAt: expect.stringMatching(/Z$/),
    });
    expect(own.body.expiresAt < other.body.expiresAt).toBe(true);
  });

  test("is rejected where nobody could click", async () => {
    const { environmentId } = await program.environment();
    const tracker = await program.environment({
      templateService: "tracker",
      templateName: "tracker_default",
      impersonateUserId: TRACKER_AGENT,
    });
    expectRefusal(await issue("x", {}), 400, "invalid_environment_path");
    expectRefusal(await issue("0".repeat(32), {}), 404, "environment_not_found");
    expectRefusal(await issue(tracker.environmentId, {}), 400, "invalid_service");
    expectRefusal(await issue(environmentId, { userId: "U99" }), 400, "impersonate_not_found");
    expectRefusal(await issue(environmentId, { ttlSeconds: 3_601 }), 400, "invalid_request");
    await program.call("DELETE", `/env/${environmentId}`);
    expectRefusal(await issue(environmentId, {}), 404, "environment_not_found");
  });
});
