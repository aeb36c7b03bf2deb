/** A call that is sent again has its effect once: one after the other, at the same time, on two servers. */
import { describe, expect, test } from "bun:test";
import { connect } from "~/db/connect";
import { ApiError } from "~/errors";
import { nativeOf } from "~/http/native";
import { setPrincipal } from "~/http/principal";
import { createIdempotency, type Once } from "~/platform/idempotency/idempotency";
import { readDocument } from "../../support/contract";
import { useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, startTestProgram, useProgram } from "../../support/program";

const database = useDatabase();
const program = useProgram(database);
const other = useProgram(database);

const RULE = "1 to 255 visible ASCII characters";
const key = () => ({ "Idempotency-Key": crypto.randomUUID() });
const wanted = {
  templateService: "chat",
  templateName: "chat_default",
  impersonateUserId: "U01AGENTONE",
};
const countEnvironments = async () =>
  (await database.sql`select count(*)::int as count from diorama.environments`)[0]?.["count"];

describe("initEnv", () => {
  test("answers the same call with the same environment and token, which opens it", async () => {
    const headers = key();

    const first = await program.post("/initEnv", wanted, headers);
    const again = await program.post("/initEnv", wanted, headers);

    expectStatus(first, 201);
    expectStatus(again, 201);
    expect(again.body).toEqual(first.body);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const call = await fetch(`${program.url}${again.body.environmentUrl}/auth.test`, {
      method: "POST",
      headers: { Authorization: `Bearer ${again.body.token}` },
    });
    expect(await call.json()).toMatchObject({ ok: true });
  });

  test("rejects a key that was sent with another call, also one of another address", async () => {
    const [one, two] = [await program.environment(), await program.environment()];
    const headers = key();
    const fork = (of: { environmentId: string }, body = {}) =>
      program.post(`/env/${of.environmentId}/fork`, body, headers);

    const first = await fork(one);
    expectStatus(first, 200);
    const detail = "Idempotency-Key: was sent with another call";
    expectRefusal(await fork(two), 400, "invalid_request", detail);
    expectRefusal(await fork(one, { count: 2 }), 400, "invalid_request", detail);
    expect((await fork(one)).body).toEqual(first.body);
  });

  test("treats fields in another order as the same call", async () => {
    const headers = key();

    const first = await program.post("/initEnv", wanted, headers);
    const reordered = Object.fromEntries(Object.entries(wanted).toReversed());
    const again = await other.post("/initEnv", reordered, headers);

    expect(again.body.environmentId).toBe(first.body.environmentId);
  });

  test("creates one environment for fifty concurrent calls on two servers", async () => {
    const headers = key();
    const before = await countEnvironments();

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        (n % 2 ? program : other).post("/initEnv", wanted, headers),
      ),
    );

    for (const answer of answers) expectStatus(answer, 201);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await countEnvironments()).toBe(before + 1);
  });

  test("counts a repeated call once against the limit of environments", async () => {
    const limited = await startTestProgram(database, { RATE_LIMITS: "true" });
    const headers = key();
    await limited.post("/initEnv", wanted, headers);
    await limited.post("/initEnv", wanted, headers);

    const [row] = await database.sql`
      select used from diorama.usage where kind = 'environment/day' and key_id = 'development'
    `;
    await limited.program.stop();
    expect(row?.["used"]).toBe(1);
  });

  test("rejects a key that was sent with another body, or to another path", async () => {
    const headers = key();
    const { body: environment } = await program.post("/initEnv", wanted, headers);

    const detail = "Idempotency-Key: was sent with another call";
    const otherBody = await program.post("/initEnv", { ...wanted, ttlSeconds: 60 }, headers);
    expectRefusal(otherBody, 400, "invalid_request", detail);
    const otherPath = await program.post(
      "/startRun",
      { envId: environment.environmentId },
      headers,
    );
    expectRefusal(otherPath, 400, "invalid_request", detail);
  });

  test.each([
    ["empty", ""],
    ["with a space", "a b"],
    ["too long", "x".repeat(256)],
  ])("rejects a key that is %s", async (_case, text) => {
    const answer = await program.post("/initEnv", wanted, { "Idempotency-Key": text });
    expectRefusal(answer, 400, "invalid_request", `Idempotency-Key: ${RULE}`);
  });

  test("takes a key that is not a UUID", async () => {
    const headers = { "Idempotency-Key": `order#7/${"x".repeat(247)}` };

    const first = await program.post("/initEnv", wanted, headers);
    const again = await program.post("/initEnv", wanted, headers);

    expectStatus(first, 201);
    expect(again.body).toEqual(first.body);
  });

  test("a rejected call leaves its key free for another try", async () => {
    const headers = key();

    const refused = await program.post("/initEnv", { ...wanted, templateName: "nope" }, headers);
    const then = await program.post("/initEnv", wanted, headers);

    expectRefusal(refused, 404, "template_not_found");
    expectStatus(then, 201);
  });

  test("keeps users apart", async () => {
    const shared = key();
    const { createKey } = await import("~/platform/keys/keys");
    const { connect } = await import("~/db/connect");
    const pool = connect(database.url, { max: 1, name: "test", camel: true });
    const alice = await createKey(pool, {
      userId: "alice",
      name: "",
      plan: "enterprise",
      expiresInDays: null,
    });
    await pool.end();

    const mine = await program.post("/initEnv", wanted, shared);
    const hers = await program.post("/initEnv", wanted, { ...shared, "X-API-Key": alice.key });

    expectStatus(hers, 201);
    expect(hers.body.environmentId).not.toBe(mine.body.environmentId);
  });

  test("expires after a day", async () => {
    const headers = key();
    const first = await program.post("/initEnv", wanted, headers);
    await database.sql`update diorama.idempotent_answers set created_at = now() - interval '25 hours'`;

    const later = await program.post("/initEnv", wanted, headers);
    expectStatus(later, 201);
    expect(later.body.environmentId).not.toBe(first.body.environmentId);

    await database.sql`update diorama.idempotent_answers set created_at = now() - interval '25 hours'`;
    await program.program.maintenance.cycle();
    await other.program.maintenance.cycle();
    const [left] =
      await database.sql`select count(*)::int as count from diorama.idempotent_answers`;
    expect(left?.["count"]).toBe(0);
  });

  test("stores neither the key nor the token in the clear", async () => {
    const headers = { "Idempotency-Key": "a-key-to-look-for" };
    const { body } = await program.post("/initEnv", wanted, headers);

    const rows = await database.sql`select * from diorama.idempotent_answers`;
    const stored = rows
      .flatMap((row) => Object.values(row))
      .map((value) => (Buffer.isBuffer(value) ? value.toString("latin1") : String(value)))
      .join("\n");

    expect(rows.length).toBeGreaterThan(0);
    expect(stored).not.toContain("a-key-to-look-for");
    expect(stored).not.toContain(body.token);
    expect(stored).not.toContain("environmentId");
  });
});

test("only a rejection after its own effect releases a key", async () => {
  const pool = connect(database.url, { max: 4, name: "test", camel: true });
  const { answerOnce } = createIdempotency(pool);
  const rejection = new ApiError("invalid_request", "the environment is gone");
  const failure = new Error("the connection broke after the commit");
  const send = async (headers: Record<string, string>, work: (once?: Once) => Promise<object>) => {
    const request: any = {
      method: "POST",
      url: new URL("http://host/startRun"),
      headers: new Headers(headers),
    };
    setPrincipal(request, { userId: "carol", keyId: "key" } as any);
    return await answerOnce({ request: nativeOf(request), body: {}, set: { headers: {} } }, work);
  };
  const performs = (answer: object, then?: Error) => async (once?: Once) => {
    await pool.begin(async (tx) => {
      await once?.take(tx);
      await once?.keep(tx, answer);
    });
    if (then) throw then;
    return answer;
  };
  const first = { n: 1 };
  const second = performs({ n: 2 });

  const rejected = key();
  await expect(send(rejected, performs(first, rejection))).rejects.toBe(rejection);
  expect(await send(rejected, second)).toEqual({ n: 2 });
  const failed = key();
  await expect(send(failed, performs(first, failure))).rejects.toBe(failure);
  expect(await send(failed, second)).toEqual(first);
  const overtaken = key();
  const late = send(overtaken, async () => {
    await send(overtaken, performs(first));
    throw rejection;
  });
  await expect(late).rejects.toBe(rejection);
  expect(await send(overtaken, second)).toEqual(first);
  await pool.end();
});

test("the OpenAPI document describes the header where it applies", async () => {
  const { paths } = await readDocument(program.url);
  const description = expect.stringMatching(new RegExp(`${RULE}.* 24 hours`));
  for (const path of ["/api/platform/initEnv", "/api/platform/startRun"])
    expect(paths[path]?.["post"]?.parameters).toMatchObject([
      { in: "header", name: "idempotency-key", description },
    ]);
  expect(paths["/api/platform/diffRun"]?.["post"]?.parameters ?? []).toEqual([]);
});

describe.each([
  ["the log", {}],
  ["snapshots", { LOGICAL_REPLICATION_ENABLED: "false" }],
] as [string, Record<string, string>][])("startRun with %s", (_way, settings) => {
  const server = useProgram(database, settings);

  test("answers the same call with the same run, and with no second one", async () => {
    const environment = await server.environment();
    const headers = key();
    const body = { envId: environment.environmentId };

    const first = await server.post("/startRun", body, headers);
    const again = await server.post("/startRun", body, headers);
    const another = await server.post("/startRun", body, key());

    expectStatus(first, 201);
    expect(again.body).toEqual(first.body);
    expectRefusal(another, 400, "run_already_exists");
    await server.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "hello" });
    const ended = await server.post("/diffRun", { runId: again.body.runId });
    expect(ended.body.diff.inserts).toHaveLength(1);
  });

  test("starts one run for twenty concurrent calls", async () => {
    const environment = await server.environment();
    const headers = key();

    const calls = () => server.post("/startRun", { envId: environment.environmentId }, headers);
    const answers = await Promise.all(Array.from({ length: 20 }, calls));

    for (const answer of answers) expectStatus(answer, 201);
    expect(new Set(answers.map(({ body }) => body.runId)).size).toBe(1);
  });
});
