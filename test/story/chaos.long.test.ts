/**
 * Real faults on real processes: servers killed, walsenders killed, Postgres stopped and crashed, during runs. No
 * acknowledged write is missing from a diff; if that cannot be guaranteed, the run fails by name.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { connect } from "~/db/connect";
import {
  type Cluster,
  findPrograms,
  hasWal2json,
  type Source,
  startCluster,
} from "../../scripts/postgres";
import { eventually } from "../support/database";
import { type ServerProcess, startProcess } from "../support/process";

const FAULTS = [
  "none",
  "none",
  "walsender",
  "server",
  "backends",
  "postgres fast",
  "postgres immediate",
] as const;
type Fault = (typeof FAULTS)[number];
const ROUNDS = Number(process.env["CHAOS_ROUNDS"] ?? 8);

const found: { source: Source; plugin: string }[] = [];
for (const source of ["embedded", "system"] as const) {
  const bin = await findPrograms(source);
  if (bin) found.push({ source, plugin: hasWal2json(bin) ? "wal2json" : "pgoutput" });
}

describe.each(found)("with $plugin on $source", ({ source, plugin }) => {
  let cluster: Cluster;
  let servers: ServerProcess[];
  const settings = { CAPTURE_PLUGIN: plugin };
  const database = () => ({ url: cluster.url.replace(/\/postgres$/, "/chaos") });

  beforeAll(async () => {
    cluster = await startCluster({
      source,
      dir: join(import.meta.dir, `../../.diorama/chaos-${source}`),
      settings: { fsync: "off" },
    });
    const admin = connect(cluster.url, { max: 1, name: "test", patient: true });
    await admin.unsafe("drop database if exists chaos with (force)").catch(() => undefined);
    await admin.unsafe("create database chaos");
    await admin.end();
    servers = [await startProcess(database(), settings), await startProcess(database(), settings)];
  });
  afterAll(async () => {
    for (const server of servers) server.kill("SIGTERM");
    await Promise.all(servers.map(({ exited }) => exited));
    await cluster.remove();
  });

  const admin = async (statement: string) => {
    const sql = connect(cluster.url, { max: 1, name: "test", patient: true });
    await sql.unsafe(statement).catch(() => undefined);
    await sql.end({ timeout: 1 });
  };

  async function inflict(fault: Fault, victim: number): Promise<void> {
    if (fault === "walsender")
      await admin("select pg_terminate_backend(active_pid) from pg_replication_slots where active");
    else if (fault === "backends")
      await admin(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'chaos' and application_name in ('diorama replicas', 'diorama platform')",
      );
    else if (fault === "server") {
      servers[victim]!.kill("SIGKILL");
      await servers[victim]!.exited;
      servers[victim] = await startProcess(database(), settings);
    } else if (fault !== "none") {
      await cluster.stop(fault === "postgres fast" ? "fast" : "immediate");
      await cluster.start();
    }
  }

  /** Repeats a call until a server answers it with something other than 503. */
  async function ask(server: number, method: string, path: string, body?: object) {
    return await eventually(async () => {
      const answer = await servers[server]!.call(method, path, body);
      if (answer.status >= 500) throw new Error(JSON.stringify(answer.body));
      return answer;
    });
  }

  const step = fc.record({
    writes: fc.integer({ min: 1, max: 4 }),
    fault: fc.constantFrom(...FAULTS),
    server: fc.constantFrom(0, 1),
    victim: fc.constantFrom(0, 1),
  });

  test("no acknowledged write is missing, and none appears that was not sent", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0, 1),
        async (steps, ender) => {
          const { body: environment } = await ask(0, "POST", "/initEnv", {
            templateService: "chat",
            templateName: "chat_default",
            impersonateUserId: "U01AGENTONE",
          });
          const started = await ask(1, "POST", "/startRun", { envId: environment.environmentId });
          expect(started.status).toBe(201);
          const { runId } = started.body;

          const sent: string[] = [];
          const acknowledged: string[] = [];
          for (const { writes, fault, server, victim } of steps) {
            for (let n = 0; n < writes; n++) {
              const text = `write ${sent.length}`;
              sent.push(text);
              const answer = await servers[server]!.chat(environment, "chat.postMessage", {
                channel: "C01GENERAL",
                text,
              }).catch(() => undefined);
              if (answer?.ok) acknowledged.push(text);
            }
            await inflict(fault, victim);
          }

          await ask(ender, "POST", "/diffRun", { runId }).catch(() => undefined);
          const results = await eventually(async () => {
            const { body } = await ask(ender, "GET", `/results/${runId}`);
            if (body.status === "running") throw new Error("still running");
            return body;
          });

          expect({ status: results.status, failures: results.failures }).toEqual({
            status: "completed",
            failures: [],
          });
          const captured = results.diff.inserts.map(({ text }: { text: string }) => text);
          expect(captured.filter((text: string) => acknowledged.includes(text))).toEqual(
            acknowledged,
          );
          expect(captured.every((text: string) => sent.includes(text))).toBe(true);
          expect(results.diff.updates).toEqual([]);
          await ask(0, "DELETE", `/env/${environment.environmentId}`);
        },
      ),
      { numRuns: ROUNDS, endOnFailure: true },
    );
  }, 300_000);

  test("a stopping server finishes its calls, and the other continues with its runs", async () => {
    const { body: environment } = await ask(0, "POST", "/initEnv", {
      templateService: "chat",
      templateName: "chat_default",
      impersonateUserId: "U01AGENTONE",
    });
    const { body: run } = await ask(0, "POST", "/startRun", { envId: environment.environmentId });
    await servers[0]!.chat(environment, "chat.postMessage", {
      channel: "C01GENERAL",
      text: "before",
    });

    const ending = servers[0]!
      .chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "meanwhile" })
      .catch(() => undefined);
    servers[0]!.kill("SIGTERM");
    expect(await servers[0]!.exited).toBe(0);
    const meanwhile = await ending;

    const { body } = await ask(1, "POST", "/diffRun", { runId: run.runId });
    const texts = body.diff.inserts.map(({ text }: { text: string }) => text);
    expect(texts).toEqual(meanwhile?.ok ? ["before", "meanwhile"] : ["before"]);
    servers[0] = await startProcess(database(), settings);
  });
});
