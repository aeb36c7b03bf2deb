/** The README's backup and restore, as it stands there; and `diorama capture`, which its runbooks need. */
import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "~/db/connect";
import { startClusters } from "../support/clusters";
import { createDatabase, dropDatabase, eventually, useDatabase } from "../support/database";
import { expectRefusal, expectStatus, startTestProgram, useProgram } from "../support/program";

const ROOT = join(import.meta.dir, "../..");
const README = await Bun.file(join(ROOT, "README.md")).text();
const [, section = ""] = /<!-- backup -->([\s\S]*)<!-- \/backup -->/.exec(README) ?? [];
const commands = [...section.matchAll(/```sh\n([^`]+)```/g)].map(([, text]) => text ?? "");

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

// pg_dump is never older than the server it came with.
const cluster = (await startClusters()).find(({ name }) => name === "system");
if (cluster)
  test("a backup restored into another database serves again; what ran then has failed by name", async () => {
    expect(commands).toHaveLength(2);
    const folder = await mkdtemp(join(tmpdir(), "diorama-backup-"));
    const original = await createDatabase(cluster);
    const admin = connect(cluster.url, { max: 1, name: "test", patient: true });
    await admin.unsafe("drop database if exists diorama_restored");
    const restored = {
      ...original,
      url: original.url.replace(/\/[^/]*$/, "/diorama_restored"),
    };
    const env = {
      DATABASE_URL: original.url,
      RESTORED_DATABASE_URL: restored.url,
      PATH: `${cluster.cluster.bin}:${process.env["PATH"]}`,
    };
    try {
      const before = await startTestProgram(original);
      const environment = await before.environment();
      const ended = await before.post("/startRun", { envId: environment.environmentId });
      await before.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "kept" });
      const diff = await before.post("/diffRun", { runId: ended.body.runId });
      const open = await before.post("/startRun", { envId: environment.environmentId });

      for (const command of commands) {
        const { code, err } = await run(["sh", "-e", "-c", command], env, folder);
        expect({ code, err }).toEqual({ code: 0, err: "" });
      }
      const after = await startTestProgram(restored);

      const kept = await after.get(`/results/${ended.body.runId}`);
      expect(kept.body.diff).toEqual(diff.body.diff);
      const failed = await after.get(`/results/${open.body.runId}`);
      expect(failed.body).toMatchObject({
        status: "failed",
        passed: false,
        failures: ["capture_lost: database changed"],
        diff: null,
      });
      expectRefusal(
        await after.post("/startRun", { envId: environment.environmentId }),
        404,
        "environment_not_found",
      );
      const fresh = await after.environment();
      const run2 = await after.post("/startRun", { envId: fresh.environmentId });
      await after.chat(fresh, "chat.postMessage", { channel: "C01GENERAL", text: "new" });
      const again = await after.post("/diffRun", { runId: run2.body.runId });
      expect(again.body.diff.inserts).toMatchObject([{ text: "new" }]);
      // The original has not noticed.
      expectStatus(await before.post("/diffRun", { runId: open.body.runId }), 200);
      await after.program.stop();
      await before.program.stop();
    } finally {
      await rm(folder, { recursive: true, force: true });
      await admin.unsafe("drop database if exists diorama_restored with (force)");
      await admin.end();
      await dropDatabase(original);
    }
  }, 60_000);

describe("diorama capture", () => {
  const database = useDatabase();
  const program = useProgram(database, { REPLICATION_IDLE_TIMEOUT: "3600" });
  const capture = (...args: string[]) =>
    run(["bun", "src/main.ts", "capture", ...args], { DATABASE_URL: database.url });

  test("status tells of the slot, its leader, and what it keeps", async () => {
    const environment = await program.environment();
    await program.post("/startRun", { envId: environment.environmentId });

    const { code, out } = await capture("status");

    expect(code).toBe(0);
    expect(out).toMatch(/^slot: +diorama_\d+, (wal2json|pgoutput), being read$/m);
    expect(out).toMatch(/^leader: +\w+, epoch \d+, streaming$/m);
    expect(out).toMatch(/^runs: +1 running, 0 ending$/m);
    expect(out).toMatch(/^behind: +\d+\.\d MB of 2048\.0 MB$/m);
  });

  test("drop-slot refuses while a server reads it, and while a run needs it", async () => {
    const reading = await capture("drop-slot");
    expect([reading.code, reading.err]).toEqual([69, expect.stringContaining("is being read")]);

    await program.program.stop();
    const needed = await capture("drop-slot");
    expect([needed.code, needed.err]).toEqual([69, expect.stringContaining("--force")]);
  });

  test("drop-slot --force drops it, and the run says why it has failed", async () => {
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

  test.each([[[]], [["nonsense"]], [["status", "extra"]]])("refuses %p", async (args) => {
    expect((await capture(...args)).code).toBe(64);
  });
});
