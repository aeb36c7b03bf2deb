/** A server with minimal privileges, and the secrets that pass through it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "~/db/connect";
import { createKey } from "~/platform/keys/keys";
import { playStory } from "../../scripts/story";
import { eventually, useDatabase } from "../support/database";
import { type ServerProcess, startProcess } from "../support/process";

/** Part of every value that only its owner may see. */
const SECRET = "s3cr3tMark";
const ROLE = "least";

let server: ServerProcess;
let key: string;

afterAll(async () => {
  server.kill("SIGTERM");
  await server.exited;
});
const database = useDatabase({ empty: true });
afterAll(async () => {
  const admin = connect(database.cluster.url, { max: 1, name: "test", patient: true });
  await admin.unsafe(`drop role ${ROLE}`);
  await admin.end();
});

beforeAll(async () => {
  const name = new URL(database.url).pathname.slice(1);
  await database.sql.unsafe(`
    drop role if exists ${ROLE};
    create role ${ROLE} login replication password '${SECRET}';
    grant create on database ${name} to ${ROLE};
    revoke create on schema public from public
  `);
  const url = new URL(database.url);
  url.username = ROLE;
  url.password = SECRET;
  server = await startProcess(
    { url: url.href },
    { ENVIRONMENT: "production", HOST: "127.0.0.1", LOG_LEVEL: "debug" },
  );
  const pool = connect(url.href, { max: 1, name: "test", camel: true });
  const holder = {
    userId: "someone",
    name: SECRET,
    plan: "enterprise",
    expiresInDays: null,
  } as const;
  key = (await createKey(pool, holder)).key;
  await pool.end();
});
test("LOGIN, REPLICATION and CREATE on the database are enough for the whole story (S151)", async () => {
  const { diff } = await playStory(server.url, key);
  expect(diff.inserts.length).toBeGreaterThan(0);
  expect(server.output()).not.toContain("superuser");
});

test("no secret that passed through appears in a log or an error (S144)", async () => {
  const headers = { "X-API-Key": key };
  const refused: string[] = [];
  const call = async (method: string, path: string, body?: unknown, extra = {}) => {
    const answer = await server.call(method, path, body, { ...headers, ...extra });
    if (answer.status >= 400) refused.push(JSON.stringify(answer.body));
    return answer.body;
  };
  const environment = await server.environment({}, headers);
  const run = await call("POST", "/startRun", { envId: environment.environmentId });
  const chat = async (method: string, args: object) =>
    await (
      await fetch(`${server.url}${environment.environmentUrl}/${method}`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify(args),
      })
    ).json();
  expect(await chat("chat.postMessage", { channel: "C01GENERAL", text: SECRET })).toMatchObject({
    ok: true,
  });
  refused.push(JSON.stringify(await chat("chat.postMessage", { channel: SECRET, text: SECRET })));
  await call("POST", "/diffRun", { runId: run.runId });
  for (const [method, path, body] of [
    ["POST", "/initEnv", { templateService: "chat", templateName: "x", prompt: SECRET }],
    ["POST", "/initEnv", { templateService: SECRET, templateName: SECRET, ttlSeconds: SECRET }],
    ["POST", "/startRun", { envId: SECRET }],
    ["POST", "/startRun", `{"envId": "${SECRET}`],
    ["POST", "/diffRun", { runId: [SECRET] }],
    ["GET", `/results/${SECRET}`, undefined],
    ["GET", `/${SECRET}`, undefined],
    ["DELETE", `/env/${SECRET}`, undefined],
  ] as const)
    await call(method, path, body);
  await call("POST", "/startRun", {}, { "X-API-Key": `diorama_k_${SECRET}` });
  // Postgres rejects the statement and quotes the row.
  await database.sql.unsafe(
    `alter table "${environment.schemaName}".messages add check (text not like '%${SECRET}%') not valid`,
  );
  const broken = await chat("chat.postMessage", { channel: "C01GENERAL", text: SECRET });
  expect(broken).toMatchObject({ ok: false });
  refused.push(JSON.stringify(broken));

  // A line of the log may arrive after the answer of its request. This is the last one.
  await eventually(() => expect(server.output()).toContain('"sqlstate":"23514"'));
  for (const shown of [server.output(), ...refused]) {
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain(key.slice(0, 20));
    expect(shown).not.toContain(environment.token.slice(0, 20));
  }
  for (const text of refused)
    expect(text).not.toMatch(/postgres:|node_modules|\bat .*:\d+:\d+|select |insert /);
  expect(refused.length).toBeGreaterThan(8);
});

test("a line of the log is one line, whatever it contains (S145)", async () => {
  const lines = server.output().split("\n").slice(0, -1); // the last one may not be complete yet
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
});
