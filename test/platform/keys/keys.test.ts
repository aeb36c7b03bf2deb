import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Pool } from "~/db/connect";
import {
  credentialKind,
  DEVELOPMENT_KEY,
  hashCredential,
  newCredential,
} from "~/platform/keys/format";
import { createKey } from "~/platform/keys/keys";
import { revokeKey } from "~/platform/keys/store";
import { useDatabase } from "../../support/database";
import {
  type Answer,
  expectRefusal,
  expectStatus,
  startTestProgram,
  useProgram,
} from "../../support/program";
import { compareTimes } from "../../support/times";

const database = useDatabase();
const development = useProgram(database);
const production = useProgram(database, { ENVIRONMENT: "production", HOST: "127.0.0.1" });
let pool: Pool;

beforeAll(() => {
  pool = connect(database.url, { max: 2, name: "test", camel: true });
});
afterAll(() => pool.end());

const make = (days: number | null = null, plan: "free" | "pro" | "enterprise" = "free") =>
  createKey(pool, { userId: "someone", name: "", plan, expiresInDays: days });
const WANTED = {
  templateService: "chat",
  templateName: "chat_default",
  impersonateUserId: "U01AGENTONE",
};
const ask = (server: typeof production, key?: string) =>
  server.get("/results/none", key === undefined ? {} : { "X-API-Key": key });

/** A well-formed credential. */
const withChecksum = (body: string) => {
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let sum = "";
  for (let rest = Bun.hash.crc32(body); sum.length < 6; rest = Math.floor(rest / 62))
    sum = alphabet[rest % 62] + sum;
  return body + sum;
};

describe("a key", () => {
  test("has a checksum that a typing error breaks", () => {
    const key = newCredential("k");
    expect(key).toMatch(/^diorama_k_[0-9A-Za-z]{49}$/);
    expect(credentialKind(key)).toBe("k");
    expect(credentialKind(newCredential("e"))).toBe("e");
    const last = key.at(-1) === "A" ? "B" : "A";
    expect(credentialKind(key.slice(0, -1) + last)).toBeUndefined();
  });

  test("with a typing error is rejected without a query (S004)", async () => {
    const { key } = await make();
    const mistyped = key.slice(0, -1) + (key.endsWith("A") ? "B" : "A");
    await database.sql.begin(async (tx) => {
      await tx`lock table diorama.api_keys in access exclusive mode`;
      expectRefusal(await ask(production, mistyped), 401, "not_authed", "Invalid API key");
    });
  });

  test("cannot be replaced by its hash or id (S009)", async () => {
    const { key, keyId } = await make();
    const hash = hashCredential(key).toString("hex");
    for (const known of [keyId, hash, `\\x${hash}`, key.slice(0, 30)])
      expectRefusal(await ask(production, known), 401, "not_authed", "Invalid API key");
  });

  test("cannot be guessed by timing: response times do not depend on how much of it is right (S011)", async () => {
    const { key } = await make();
    const sharing = (characters: number) => {
      const rest = newCredential("k").slice("diorama_k_".length + characters, -6);
      return withChecksum(key.slice(0, "diorama_k_".length + characters) + rest);
    };
    for (const shared of [10, 30]) {
      const verdict = await compareTimes(
        () => ask(production, sharing(0)),
        () => ask(production, sharing(shared)),
      );
      expect(verdict).toBe("no difference");
    }
  });

  test("guessed at random a thousand times is rejected each time, and other calls are served meanwhile (S010)", async () => {
    const { key } = await make();
    let served = 0;
    const guesses = Array.from({ length: 20 }, async () => {
      for (let n = 0; n < 50; n++)
        expectRefusal(await ask(production, newCredential("k")), 401, "not_authed");
    });
    const others = Array.from({ length: 20 }, async () => {
      const started = performance.now();
      expectRefusal(await ask(production, key), 404, "run_not_found");
      if (performance.now() - started < 2_000) served++;
    });
    await Promise.all([...guesses, ...others]);
    expect(served).toBe(20);
  });

  test("is never stored", async () => {
    const { key, keyId } = await make();
    const [row] =
      await database.sql`select k::text as text from diorama.api_keys k where key_id = ${keyId}`;
    expect(row?.["text"]).not.toContain(key.slice(10));
  });

  test("opens the platform in production", async () => {
    expectRefusal(await ask(production, (await make()).key), 404, "run_not_found");
  });

  test("that expired a millisecond ago is rejected (S005)", async () => {
    const { key, keyId } = await make();
    await database.sql`
      update diorama.api_keys set expires_at = now() - interval '1 millisecond' where key_id = ${keyId}
    `;
    expectRefusal(await ask(production, key), 401, "not_authed", "API key has expired");
  });

  test("can be replaced without losing its user's objects (S034)", async () => {
    const [old, next] = [await make(), await make()];
    const environment = await production.environment({}, { "X-API-Key": old.key });
    const headers = { "X-API-Key": next.key };
    await revokeKey(pool, old.keyId);
    const started = await production.post(
      "/startRun",
      { envId: environment.environmentId },
      headers,
    );
    expectStatus(started, 201);
    expectStatus(await production.post("/diffRun", { runId: started.body.runId }, headers), 200);
    expectStatus(
      await production.call("DELETE", `/env/${environment.environmentId}`, undefined, headers),
      200,
    );
  });

  test("ends when it expires, and immediately when it is revoked (S005)", async () => {
    const brief = await make(0.5 / 86_400);
    expectRefusal(await ask(production, brief.key), 404, "run_not_found");
    await Bun.sleep(600);
    expectRefusal(await ask(production, brief.key), 401, "not_authed", "API key has expired");

    const revoked = await make();
    expectRefusal(await ask(production, revoked.key), 404, "run_not_found");
    await revokeKey(pool, revoked.keyId);
    expectRefusal(await ask(production, revoked.key), 401, "not_authed", "API key has expired");
  });

  test("that is revoked no longer opens a cached environment", async () => {
    const { key, keyId } = await make();
    const headers = { "X-API-Key": key };
    const environment = await production.environment({}, headers);
    const call = () =>
      fetch(`${production.url}${environment.environmentUrl}/api.test`, { headers });
    expect((await call()).status).toBe(200);
    await revokeKey(pool, keyId);
    expect((await call()).status).toBe(401);
  });
});

describe("without a good key", () => {
  const bad: [string, string | undefined, string][] = [
    ["none (S001)", undefined, "API key required"],
    ["an empty one (S002)", "", "API key required"],
    ["spaces (S002)", "   ", "API key required"],
    ["an unknown one (S003)", newCredential("k"), "Invalid API key"],
    ["SQL (S009)", "' OR '1'='1", "Invalid API key"],
    ["the development key (S013)", DEVELOPMENT_KEY, "Invalid API key"],
    ["an environment's token", newCredential("e"), "Invalid API key"],
  ];
  test.each(bad)("production rejects %s", async (_case, key, detail) => {
    expectRefusal(await ask(production, key), 401, "not_authed", detail);
  });

  test("nothing is revealed, not even whether a path exists (S001)", async () => {
    const routes = production.program.app.router.routes
      .filter(({ path }) => path.startsWith("/api/platform/") && !path.endsWith("/health"))
      .map(({ method, path }) => [method, path.slice("/api/platform".length)] as const);
    expect(routes.length).toBeGreaterThan(4);
    for (const [method, path] of [
      ...routes,
      ["GET", "/nope"],
      ["PATCH", "/initEnv"],
      ["GET", "/results/%00"],
    ] as const)
      expectRefusal(await production.call(method, path), 401, "not_authed", "API key required");
    const service = await fetch(`${production.url}/api/env/x/services/y/z`);
    expect([service.status, ((await service.json()) as { error: string }).error]).toEqual([
      401,
      "not_authed",
    ]);
  });

  test("health and the explorer are public", async () => {
    expectStatus(await production.get("/health"), 200);
    expect((await fetch(`${production.url}/docs`)).status).toBe(200);
    expect((await fetch(`${production.url}/docs/json`)).status).toBe(200);
  });

  test("development accepts a call without one, but rejects a wrong one", async () => {
    expectRefusal(await ask(development), 404, "run_not_found");
    expectRefusal(await ask(development, DEVELOPMENT_KEY), 404, "run_not_found");
    expectRefusal(await ask(development, newCredential("k")), 401, "not_authed", "Invalid API key");
  });

  test.each([
    ["query", "?api_key=KEY", {}],
    ["Authorization", "", { Authorization: "Bearer KEY" }],
    ["cookie", "", { Cookie: "X-API-Key=KEY" }],
  ])("a key in the %s is ignored (S007)", async (_where, query, headers) => {
    const { key } = await make();
    const filled = Object.fromEntries(
      Object.entries(headers as Record<string, string>).map(([name, value]) => [
        name,
        value.replace("KEY", key),
      ]),
    );
    expectRefusal(
      await production.get(`/results/x${query.replace("KEY", key)}`, filled),
      401,
      "not_authed",
      "API key required",
    );
  });
});

describe("limits", () => {
  const LIMITED = { ENVIRONMENT: "production", HOST: "127.0.0.1", RATE_LIMITS: "true" };
  const limited = useProgram(database, LIMITED);

  test("of a day admit exactly as many as they say, across two servers (S140, S141, S142)", async () => {
    const other = await startTestProgram(database, LIMITED);
    const { key, keyId } = await make(null, "enterprise");
    const headers = { "X-API-Key": key };
    const used = async (kind: string, count: number) => {
      await database.sql`
        insert into diorama.usage values (${keyId}, ${kind}, date_trunc('day', now()), ${count})
        on conflict (key_id, kind, window_start) do update set used = excluded.used
      `;
    };
    const together = async (count: number, call: (server: typeof limited) => Promise<Answer>) =>
      await Promise.all(
        Array.from({ length: count }, (_, index) => call(index % 2 ? limited : other)),
      );
    try {
      await used("environment/day", 180);
      const made = await together(40, (server) => server.post("/initEnv", WANTED, headers));
      expect(made.filter(({ status }) => status === 201)).toHaveLength(20);
      for (const { status, body } of made)
        if (status !== 201)
          expect([status, body]).toEqual([
            429,
            { valid: false, reason: "daily environment limit reached", limit: 200, current: 200 },
          ]);

      await used("request/day", 1_900);
      const asked = await together(150, (server) => ask(server, key));
      expect(asked.filter(({ status }) => status === 404)).toHaveLength(100);

      // Tomorrow, seen from today.
      await database.sql`
        update diorama.usage set window_start = window_start - interval '1 day' where key_id = ${keyId}
      `;
      expectRefusal(await ask(limited, key), 404, "run_not_found");
      expectStatus(await limited.post("/initEnv", WANTED, headers), 201);
    } finally {
      await other.program.stop();
    }
  });

  test("are restored when a creation fails (S140)", async () => {
    const { key, keyId } = await make(null, "enterprise");
    await database.sql`
      alter table diorama.environments add constraint nobody check (key_id <> ${database.sql.unsafe(`'${keyId}'`)}) not valid
    `;
    try {
      const refused = await limited.post("/initEnv", WANTED, { "X-API-Key": key });
      expect(refused.status).toBeGreaterThanOrEqual(500);
    } finally {
      await database.sql`alter table diorama.environments drop constraint nobody`;
    }
    const rows = await database.sql`
      select 1 from diorama.usage where key_id = ${keyId} and kind = 'environment/day'
    `;
    expect(rows).toHaveLength(0);
  });

  test("do not apply unless they are enabled (S143)", async () => {
    const { key } = await make();
    for (let n = 0; n < 25; n++) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => ask(production, key)));
      expect(answers.every(({ status }) => status === 404)).toBe(true);
    }
  });

  test("of an hour admit exactly as many as they say, across two servers (S141)", async () => {
    const other = await startTestProgram(database, LIMITED);
    const { key } = await make();
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, index) => ask(index % 2 ? limited : other, key)),
    );

    expect(answers.filter(({ status }) => status === 404)).toHaveLength(100);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({
      valid: false,
      reason: "hourly request limit reached",
      limit: 100,
      current: 100,
    });
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    await other.program.stop();
  });

  test("count environments that are alive at the same time", async () => {
    const { key } = await make();
    const headers = { "X-API-Key": key };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => limited.post("/initEnv", WANTED, headers)),
    );

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.find(({ status }) => status === 429)?.body).toEqual({
      valid: false,
      reason: "concurrent environment limit reached",
      limit: 5,
      current: 5,
    });
    const [used] = await database.sql`
      select used from diorama.usage where kind = 'environment/day' and key_id = (select key_id from diorama.environments order by created_at desc limit 1)
    `;
    expect(used?.["used"]).toBe(5);
  });

  test("count forks, of which all are made or none", async () => {
    const { key } = await make();
    const headers = { "X-API-Key": key };
    const { body: parent } = await limited.post("/initEnv", WANTED, headers);
    const fork = (count: number) =>
      limited.post(`/env/${parent.environmentId}/fork`, { count }, headers);

    const answers = [await fork(5), await fork(3), await fork(2), await fork(1), await fork(1)];

    expect(answers.map(({ status }) => status)).toEqual([429, 200, 429, 200, 429]);
    expect(answers[0]?.body).toMatchObject({
      reason: "concurrent environment limit reached",
      limit: 5,
    });
  });

  test("of a day have no Retry-After, which a client would honour until midnight", async () => {
    const { key, keyId } = await make(null, "enterprise");
    await database.sql`
      insert into diorama.usage values (${keyId}, 'environment/day', date_trunc('day', now()), 200), (${keyId}, 'request/day', date_trunc('day', now()), 1999)
    `;
    const environments = await limited.post("/initEnv", WANTED, { "X-API-Key": key });
    expect([environments.status, environments.body]).toEqual([
      429,
      { valid: false, reason: "daily environment limit reached", limit: 200, current: 200 },
    ]);
    const requests = await ask(limited, key);
    expect([requests.status, requests.body]).toEqual([
      429,
      { valid: false, reason: "daily request limit reached", limit: 2000, current: 2000 },
    ]);
    expect(requests.headers.get("retry-after")).toBeNull();
  });

  test("do not count rejected credentials (S141)", async () => {
    await Promise.all(Array.from({ length: 20 }, () => ask(limited, newCredential("k"))));
    const rows =
      await database.sql`select 1 from diorama.usage where key_id not in (select key_id from diorama.api_keys)`;
    expect(rows).toHaveLength(0);
  });
});

describe("a control plane", () => {
  type Mode = () => Response | Promise<Response>;
  let mode: Mode = () => Response.json({ valid: true, user_id: "planned" });
  let asked = 0;
  const plane = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      asked++;
      const { api_key: key } = (await request.json()) as { api_key?: string };
      expect([new URL(request.url).pathname, typeof key]).toEqual(["/plane/validate", "string"]);
      return await mode();
    },
  });
  afterAll(() => plane.stop(true));
  const planned = useProgram(database, {
    ENVIRONMENT: "production",
    HOST: "127.0.0.1",
    CONTROL_PLANE_URL: `http://127.0.0.1:${plane.port}/plane`,
  });

  test("identifies the holder of a key, and is called once for concurrent and later calls", async () => {
    mode = async () => {
      await Bun.sleep(50);
      return Response.json({ valid: true, user_id: "planned" });
    };
    asked = 0;
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(planned, "any-key")));
    for (const answer of [...answers, await ask(planned, "any-key")])
      expectRefusal(answer, 404, "run_not_found");
    expect(asked).toBe(1);
  });

  test("rejects a key", async () => {
    mode = () => Response.json({ valid: false });
    expectRefusal(await ask(planned, "refused"), 401, "not_authed", "Invalid API key");
  });

  test("may have keys of any form, in any header, which are not confused with a chat user's token", async () => {
    mode = () => Response.json({ valid: true, user_id: "planned" });
    const { environmentUrl } = await planned.environment({}, { "X-API-Key": "cp_live_1" });
    const whoCalls = async (
      headers: Record<string, string>,
      query = "",
      body?: string | FormData,
    ) => {
      const url = `${planned.url}${environmentUrl}/auth.test${query}`;
      const init = body === undefined ? { headers } : { method: "POST", headers, body };
      const answer = (await (await fetch(url, init)).json()) as Record<string, string>;
      return answer["user_id"] ?? answer["error"];
    };

    expect(await whoCalls({ Authorization: "Bearer cp_live_1" })).toBe("U01AGENTONE");
    expect(await whoCalls({ Authorization: "cp_live_1" })).toBe("U01AGENTONE");
    expect(await whoCalls({}, "?token=cp_live_1")).toBe("U01AGENTONE");
    const json = { "Content-Type": "Application/JSON" };
    expect(await whoCalls(json, "", '{"token":"cp_live_1"}')).toBe("U01AGENTONE");
    const form = new FormData();
    form.set("as_user", "true");
    form.set("token", "cp_live_1");
    expect(await whoCalls({}, "", form)).toBe("U01AGENTONE");
    const john = { Authorization: "Bearer xoxp-U02JOHNADOE" };
    expect(await whoCalls(john, "?token=cp_live_1")).toBe("U02JOHNADOE");
    expect(await whoCalls(john)).toBe("not_authed");
  });

  test("passes a used-up limit through", async () => {
    mode = () =>
      Response.json({ valid: false, reason: "daily request limit reached", limit: 9, current: 9 });
    const { status, body } = await ask(planned, "limited");
    expect([status, body]).toEqual([
      429,
      { valid: false, reason: "daily request limit reached", limit: 9, current: 9 },
    ]);
  });

  const failures: [string, Mode][] = [
    ["500", () => new Response("no", { status: 500 })],
    ["HTML", () => new Response("<html>", { headers: { "Content-Type": "text/html" } })],
    ["an empty object", () => Response.json({})],
    ['valid: "true"', () => Response.json({ valid: "true", user_id: "x" })],
    ["no user", () => Response.json({ valid: true })],
    ["a user that is a number", () => Response.json({ valid: true, user_id: 5 })],
    [
      "a redirect",
      () => new Response(null, { status: 307, headers: { Location: "http://127.0.0.1:1/" } }),
    ],
    ["3 MB", () => Response.json({ valid: true, user_id: "x", filler: "x".repeat(3_000_000) })],
  ];
  test.each(failures)(
    "that answers %s makes a 503, never a user and never a 401 (S014)",
    async (name, broken) => {
      mode = broken;
      const answer = await ask(planned, `broken ${name}`);
      expectRefusal(answer, 503, "service_unavailable");
      expect(answer.headers.get("retry-after")).toBe("1");
    },
  );
});
