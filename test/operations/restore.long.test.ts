/** The guide's backup and restore, exactly as written; and `diorama capture`, which its runbooks use. */
import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "~/db/connect";
import { startClusters, type TestCluster } from "../support/clusters";
import { createDatabase, dropDatabase, eventually, useDatabase } from "../support/database";
import { expectRefusal, expectStatus, startTestProgram, useProgram } from "../support/program";

const ROOT = join(import.meta.dir, "../..");
const guide = await Bun.file(join(ROOT, "src/docs/backup.md")).text();
const commands = [...guide.matchAll(/```sh\n([^`]+)```/g)].map(([, text]) => text ?? "");

async function run(command: string[], env: Record<string, string>, cwd = ROOT) {
  const child = Bun.spawn(command, {
    cwd,
    env: { ...process.env, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

type Server = Awaited<ReturnType<typeof startTestProgram>>;

/** One run that has ended and an active one, then a backup and a second server on the restored database. */
async function restore(
  cluster: TestCluster,
  commands: readonly string[],
  use: (made: {
    before: Server;
    after: Server;
    environment: any;
    ended: any;
    open: any;
  }) => Promise<void>,
) {
  const folder = await mkdtemp(join(tmpdir(), "diorama-backup-"));
  const original = await createDatabase(cluster);
  const admin = connect(cluster.url, { max: 1, name: "test", patient: true });
  await admin.unsafe("drop database if exists diorama_restored");
  const restored = { ...original, url: original.url.replace(/\/[^/]*$/, "/diorama_restored") };
  const env = {
    DATABASE_URL: original.url,
    RESTORED_DATABASE_URL: restored.url,
    PATH: `${cluster.cluster.bin}:${process.env["PATH"]}`,
  };
  const servers: Server[] = [];
  try {
    const before = await startTestProgram(original);
    servers.push(before);
    const environment = await before.environment();
    const { body: ended } = await before.post("/startRun", { envId: environment.environmentId });
    await before.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "kept" });
    await before.post("/diffRun", { runId: ended.runId });
    const { body: open } = await before.post("/startRun", { envId: environment.environmentId });

    for (const command of commands) {
      const { code, err } = await run(["sh", "-e", "-c", command], env, folder);
      expect({ code, err }).toEqual({ code: 0, err: "" });
    }
    const after = await startTestProgram(restored);
    servers.push(after);

    const results = await before.get(`/results/${ended.runId}`);
    expect((await after.get(`/results/${ended.runId}`)).body).toEqual(results.body);
    await use({ before, after, environment, ended, open });
    // The original is not affected.
    expectStatus(await before.post("/diffRun", { runId: open.runId }), 200);
  } finally {
    for (const { program } of servers) await program.stop();
    await rm(folder, { recursive: true, force: true });
    const slots = await admin`
      select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = 'diorama_restored'
    `;
    expect(slots.length).toBeLessThan(2);
    await admin.unsafe("drop database if exists diorama_restored with (force)");
    await admin.end();
    await dropDatabase(original);
  }
}

const LOST = {
  status: "failed",
  passed: false,
  failures: ["capture_lost: database changed"],
  diff: null,
};

async function expectWholeLife(server: Server, environment: any) {
  const { body } = await server.post("/startRun", { envId: environment.environmentId });
  await server.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "new" });
  const ended = await server.post("/diffRun", { runId: body.runId });
  expect(ended.body.diff.inserts).toMatchObject([{ text: "new" }]);
}

// pg_dump must not be older than the server.
const cluster = (await startClusters()).find(({ name }) => name === "system");
if (cluster) {
  test("the guide's backup, restored into another database, serves again", async () => {
    expect(commands).toHaveLength(2);
    await restore(cluster, commands, async ({ after, environment, open }) => {
      expect((await after.get(`/results/${open.runId}`)).body).toMatchObject(LOST);
      const gone = await after.post("/startRun", { envId: environment.environmentId });
      expectRefusal(gone, 404, "environment_not_found");
      await expectWholeLife(after, await after.environment());
    });
  });

  test("a full backup does too, with its environments", async () => {
    const everything = commands.map((text) => text.replaceAll(/--schema=\S+ /g, ""));
    await restore(cluster, everything, async ({ after, environment, open }) => {
      await eventually(async () =>
        expect((await after.get(`/results/${open.runId}`)).body).toMatchObject(LOST),
      );
      await expectWholeLife(after, environment);
      const gone = await after.call("DELETE", `/env/${environment.environmentId}`);
      expectStatus(gone, 200);
      await expectWholeLife(after, await after.environment());
    });
  });
}

describe("diorama capture", () => {
  const database = useDatabase();
  const program = useProgram(database, { REPLICATION_IDLE_TIMEOUT: "3600" });
  const capture = (...args: string[]) =>
    run(["bun", "src/main.ts", "capture", ...args], { DATABASE_URL: database.url });

  // For all tests: the slot stays while there is a run.
  beforeAll(async () => {
    const environment = await program.environment();
    await program.post("/startRun", { envId: environment.environmentId });
  });

  test("status shows the slot, its leader, and the retained log", async () => {
    const { code, out } = await capture("status");

    expect(code).toBe(0);
    expect(out).toMatch(/^slot: +diorama_\d+, (wal2json|pgoutput), being read$/m);
    expect(out).toMatch(/^leader: +\w+, epoch \d+, streaming$/m);
    expect(out).toMatch(/^runs: +1 running, 0 ending$/m);
    expect(out).toMatch(/^behind: +\d+\.\d MB of 2048\.0 MB$/m);
  });

  test("drop-slot fails while a server reads the slot, and while a run needs it", async () => {
    const reading = await capture("drop-slot");
    expect([reading.code, reading.err]).toEqual([69, expect.stringContaining("is being read")]);

    await program.program.stop();
    const needed = await capture("drop-slot");
    expect([needed.code, needed.err]).toEqual([69, expect.stringContaining("--force")]);
  });

  test("drop-slot --force drops it, and the run says why it failed", async () => {
    const dropped = await eventually(async () => {
      const result = await capture("drop-slot", "--force");
      expect(result.code).toBe(0);
      return result;
    });

    expect(dropped.err).toContain("is dropped");
    expect((await capture("drop-slot")).err).toContain("there is no slot");
    const [run] = await database.sql`select status, failures from diorama.runs`;
    expect(run).toEqual({ status: "failed", failures: ["capture_lost: slot dropped"] });
  });

  test.each([[[]], [["nonsense"]], [["status", "extra"]]])("rejects %p", async (args) => {
    expect((await capture(...args)).code).toBe(64);
  });
});
