/**
 * Random calls to the services of a world on two servers, one of which is killed in the middle of calls: the diff is the
 * difference of two dumps, each change belongs to one call, and the schema equals its template once it is recycled.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { difference, keysOf, sorted, stateOf } from "../../scripts/oracle";
import { eventually, useDatabase } from "../support/database";
import { type ServerProcess, startProcess, useServers } from "../support/process";
import { expectStatus } from "../support/program";
import {
  bare,
  expectOwners,
  type Made,
  origin,
  perform,
  prepare,
  type Step,
  step,
  templateOf,
  type World,
} from "../support/worlds";

const ROUNDS = Number(process.env["KILL_ROUNDS"] ?? 8);
const SETTINGS = { ENVIRONMENT_POOL_TARGETS: "acme:2", MAINTENANCE_CYCLE_INTERVAL: "1" };
const SECONDS = 60;

const database = useDatabase();
const servers = useServers(database, SETTINGS);
/** Calls that a kill left without an answer. */
let unanswered = 0;

/** Repeats a call to the platform until a server is ready for it. */
const ask = (server: ServerProcess, method: string, path: string, body?: object) =>
  eventually(async () => {
    const answer = await server.call(method, path, body);
    if (answer.status >= 500) throw new Error(JSON.stringify(answer.body));
    return answer;
  }, SECONDS);

/** Kills a server while it answers calls, and waits until Postgres has ended what it had begun. */
async function killDuring(
  victim: number,
  delay: number,
  world: World,
  calls: readonly Step[],
  made: Made,
): Promise<void> {
  const server = servers[victim]!;
  const pending = calls.map((each) => perform(server, world, each, made));
  await Bun.sleep(delay);
  server.kill("SIGKILL");
  const outcomes = await Promise.allSettled(pending);
  unanswered += outcomes.filter(({ status }) => status === "rejected").length;
  await server.exited;
  await eventually(async () => {
    const [row] = await database.sql<{ open: number }[]>`
      select count(*)::int as open from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and xact_start is not null
        and pid <> pg_backend_pid()
    `;
    if (row?.open !== 0) throw new Error("transactions are open");
  }, SECONDS);
  servers[victim] = await startProcess(database, SETTINGS);
}

const writes = fc
  .record({
    kind: fc.constantFrom("post", "create", "comment", "update", "edit", "mail", "draft"),
    n: fc.nat(1_000),
  })
  .map((each): Step => each);
const kill = fc.record({
  victim: fc.constantFrom(0, 1),
  delay: fc.integer({ min: 1, max: 30 }),
  calls: fc.array(writes, { minLength: 4, maxLength: 8 }),
});
const steps = fc.array(fc.record({ step, server: fc.constantFrom(0, 1) }), {
  minLength: 1,
  maxLength: 8,
});

test("a kill in the middle of calls leaves the diff of a world exact", async () => {
  await fc.assert(
    fc.asyncProperty(
      ...[origin, steps, steps, kill, steps, fc.constantFrom(0, 1)],
      async (how, before, during, killed, after, ender) => {
        const past = before.map((each) => each.step);
        const { world, made } = await prepare(servers[ender]!, how, past);
        const { schemaName: schema, environmentId: envId } = world;
        const keys = await keysOf(database.sql, schema);
        const old = await stateOf(database.sql, schema, keys);
        const started = await ask(servers[ender]!, "POST", "/startRun", {
          envId,
          journal: "calls",
        });
        const { runId } = started.body;

        for (const each of during) await perform(servers[each.server]!, world, each.step, made);
        await killDuring(killed.victim, killed.delay, world, killed.calls, made);
        for (const each of after) await perform(servers[each.server]!, world, each.step, made);
        const now = await stateOf(database.sql, schema, keys);
        const ended = await ask(servers[ender]!, "POST", "/diffRun", { runId, include: ["clock"] });

        expectStatus(ended, 200);
        expect(sorted(bare(ended.body.diff))).toBe(sorted(difference(old, now, keys)));
        await expectOwners(servers[ender]!, runId);
        const acknowledged = made.posts.map(({ ts }) => ts);
        const posts = [...now]
          .filter(([, { table }]) => table === "chat_messages")
          .map(([at]) => at);
        for (const ts of acknowledged)
          expect(posts.some((at) => at.includes(`"${ts}"`))).toBe(true);
        const mails = [...now].filter(([, { table }]) => table === "mail_messages");
        for (const id of made.mails)
          expect(mails.some(([at]) => at.includes(`"${id}"`))).toBe(true);

        expectStatus(await ask(servers[ender]!, "DELETE", `/env/${envId}`), 200);
        await eventually(async () => {
          const [row] = await database.sql<{ state: string }[]>`
            select state from diorama.schemas where schema_name = ${schema}
          `;
          if (row?.state !== "ready") throw new Error(`the schema is ${row?.state}`);
        }, SECONDS);
        expect(await stateOf(database.sql, schema, keys)).toEqual(
          await templateOf(database.sql, schema, keys),
        );
      },
    ),
    { numRuns: ROUNDS, endOnFailure: true },
  );
  // Otherwise no kill came in the middle of a call.
  expect(unanswered).toBeGreaterThan(0);
}, 600_000);
