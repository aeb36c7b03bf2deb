/** sslmode means the same as in libpq, for every kind of connection. Each outcome was compared with psql's. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { tryStream } from "~/capture/replication";
import { readConfig } from "~/config";
import { connect, isUnavailable } from "~/db/connect";
import { PreflightError } from "~/program/check";
import { checkDatabase } from "~/program/doctor";
import { overTcp, type TestDatabase, useDatabase } from "../support/database";
import { expectStatus, startTestProgram } from "../support/program";
import { startTlsCluster, type TlsCluster } from "../support/tls";

const DIR = join(import.meta.dir, "../../.diorama/test-tls");
const database = useDatabase();
let tls: TlsCluster;
beforeAll(async () => {
  tls = await startTlsCluster(DIR);
});
afterAll(() => tls?.remove());

type Outcome = boolean | string;

/** Whether a pool's session is encrypted, or the error. */
async function pooled(url: string): Promise<Outcome> {
  const pool = connect(url, { max: 1, name: "test" });
  try {
    const [row] = await pool`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    return row?.["ssl"];
  } catch (error) {
    return reason(error);
  } finally {
    await pool.end({ timeout: 1 });
  }
}

/** The same for the connection that streams the log. */
async function streamed(url: string, encrypted: boolean): Promise<Outcome> {
  try {
    await tryStream(url, async () => "pgoutput");
    return encrypted;
  } catch (error) {
    return reason(error);
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  expect([error.message, isUnavailable(error)]).toEqual([error.message, true]);
  return error.message;
}

async function outcomes(url: string): Promise<[Outcome, Outcome]> {
  const pool = await pooled(url);
  return [pool, await streamed(url, pool === true)];
}

const both = (outcome: boolean | RegExp): any => {
  const expected = outcome instanceof RegExp ? expect.stringMatching(outcome) : outcome;
  return [expected, expected];
};

describe("a server with a private authority", () => {
  const UNTRUSTED = /^sslmode=[a-z-]+: the server's certificate is not trusted \(\w+\)/;

  test.each([
    ["", "", true],
    ["sslmode=disable", "", false],
    ["sslmode=allow", "", false],
    ["sslmode=prefer", "", true],
    ["sslmode=require", "", true],
    ["sslmode=require", "ca.pem", true],
    ["sslmode=require", "other.pem", UNTRUSTED],
    ["sslmode=prefer", "other.pem", false],
    ["sslmode=verify-ca", "ca.pem", true],
    ["sslmode=verify-ca", "other.pem", UNTRUSTED],
    ["sslmode=verify-full", "ca.pem", true],
    ["sslmode=verify-full", "other.pem", UNTRUSTED],
    ["sslmode=verify-full", "", UNTRUSTED],
    ["sslmode=require", "none.pem", /^sslrootcert: .*none\.pem cannot be read \(ENOENT\)/],
  ] as const)(
    "answers to %p and the authority %p the same each time",
    async (mode, ca, outcome) => {
      const root = ca === "" ? "" : `sslrootcert=${tls.file(ca)}`;

      expect(await outcomes(tls.url(`${mode}&${root}`))).toEqual(both(outcome));
    },
  );

  test.each([
    ["verify-full", /is not for 127\.0\.0\.1/],
    ["verify-ca", true],
  ] as const)("under another name answers to %s", async (mode, outcome) => {
    const query = `sslmode=${mode}&sslrootcert=${tls.file("ca.pem")}`;

    expect(await outcomes(tls.url(query, { host: "127.0.0.1" }))).toEqual(both(outcome));
  });

  test.each([
    ["allow", "only_encrypted", true],
    ["prefer", "only_encrypted", true],
    ["allow", "only_plain", false],
    ["prefer", "only_plain", false],
  ] as const)("gets %s the other way if it rejects %s the first", async (mode, user, outcome) => {
    expect(await outcomes(tls.url(`sslmode=${mode}`, { user }))).toEqual(both(outcome));
  });

  test("accepts a client's certificate instead of a password", async () => {
    const files = `sslcert=${tls.file("client.pem")}&sslkey=${tls.file("client.key")}`;

    const url = tls.url(`sslmode=require&${files}`, { user: "certified" });

    expect(await outcomes(url)).toEqual([true, true]);
  });

  test.each([
    ["require", ""],
    ["verify-full", "ca.pem"],
  ])("has a whole run by %s, with every connection encrypted", async (mode, ca) => {
    const root = ca === "" ? "" : `&sslrootcert=${tls.file(ca)}`;
    const url = tls.url(`sslmode=${mode}${root}`);
    const server = await startTestProgram({ url, beforeDrop: [] } as unknown as TestDatabase);
    const environment = await server.environment();
    const { runId } = (await server.post("/startRun", { envId: environment.environmentId })).body;

    await server.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "By TLS" });

    const sql = connect(url, { max: 1, name: "watch" });
    const sessions = await sql`
      select application_name as name, ssl from pg_stat_ssl join pg_stat_activity using (pid)
      where application_name like 'diorama %'
    `;
    await sql.end();
    expect(sessions.map(({ name }) => name)).toContain("diorama capture");
    expect(sessions.filter(({ ssl }) => !ssl)).toEqual([]);
    const ended = await server.post("/diffRun", { runId });
    expectStatus(ended, 200);
    expect(ended.body.diff.inserts).toEqual([expect.objectContaining({ text: "By TLS" })]);
    await server.program.stop();
  });

  test("is reported by doctor if its certificate is not trusted", async () => {
    const url = tls.url(`sslmode=verify-full&sslrootcert=${tls.file("other.pem")}`);
    const pool = connect(url, { max: 1, name: "doctor", camel: true });

    const problems = await checkDatabase(pool, readConfig({ DATABASE_URL: url })).catch((error) =>
      error instanceof PreflightError ? [error.unreachable, ...error.problems] : [error],
    );

    await pool.end({ timeout: 1 });
    expect(problems).toEqual([
      false,
      expect.stringMatching(/^DATABASE_URL: sslmode=verify-full: the server's certificate is not/),
    ]);
  });
});

describe("a server without TLS", () => {
  test.each([
    ["allow", false],
    ["prefer", false],
    ["require", /^sslmode=require: the server does not offer TLS$/],
    ["verify-full", /^sslmode=verify-full: the server does not offer TLS$/],
  ] as const)("answers to %s", async (mode, outcome) => {
    const { href } = overTcp(`${database.url}?sslmode=${mode}`);
    expect(await outcomes(href)).toEqual(both(outcome));
  });
});
