/** F33 to F46: runs, environments, the pool. */
import { eventually } from "../support/database";
import type { ServerProcess } from "../support/process";
import { holdResults, slotsOf } from "./capture";
import { type Fault, must, secondsOf } from "./fault";
import { memoryOf, WANTED } from "./postgres";
import { CLOCK } from "./processes";

const POST = { channel: "C01GENERAL", text: "hello" };

/** Statuses and codes of many calls, counted. */
function tally(answers: readonly { status: number; body: any }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = `${status} ${body?.error ?? ""}`.trim();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

async function chatAnswer(server: ServerProcess, environment: any) {
  const response = await fetch(`${server.url}${environment.environmentUrl}/chat.postMessage`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(POST),
  });
  return { status: response.status, body: (await response.json()) as any };
}

export const RUNS: readonly Fault[] = [
  {
    id: "F35",
    fault: "environments are deleted while six callers write into each",
    expected: "a call succeeds, or gets environment_not_found; never anything else",
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database);
      const other = await stage.server(database);
      const answers: { status: number; body: any }[] = [];
      for (let round = 0; round < 30; round++) {
        const environment = await server.environment();
        let gone = false;
        const writers = [server, other, server, other, server, other].map(async (by) => {
          while (!gone) answers.push(await chatAnswer(by, environment));
        });
        await Bun.sleep(20);
        const { status } = await server.call("DELETE", `/env/${environment.environmentId}`);
        gone = true;
        await Promise.all(writers);
        must(status === 200, status);
      }
      const counts = tally(answers);

      must(
        Object.keys(counts).every((name) => /^(200|404 environment_not_found)$/.test(name)),
        counts,
      );
      must((counts["200"] ?? 0) > 0, counts);
      return { happened: JSON.stringify(counts) };
    },
  },
  {
    id: "F36",
    fault: "kill -9 of a server that is building schemas",
    expected: "no half schema: the register and the catalog agree",
    async run(stage) {
      const database = await stage.database();
      const { sql } = database;
      const [template] = await sql<{ schema: string }[]>`
        select schema_name as schema from diorama.templates where name = 'chat_default'
      `;
      const settings = {
        ENVIRONMENT_POOL_TARGETS: "chat_default:40",
        MAINTENANCE_CYCLE_INTERVAL: "1",
      };
      const server = await stage.server(database, settings);
      const held = await sql.reserve();
      await eventually(async () => {
        const [row] = await sql`select count(*)::int as count from diorama.schemas`;
        if (!row?.["count"]) throw new Error("nothing is built");
      });
      await held`begin`;
      await held.unsafe(`lock table ${template?.schema}.users in access exclusive mode`);
      await eventually(async () => {
        const [waiting] = await sql`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and application_name = 'diorama builders' and wait_event_type = 'Lock'
        `;
        if (!waiting?.["count"]) throw new Error("nobody builds");
      });

      server.kill("SIGKILL");
      await server.exited;
      await held`rollback`;
      held.release();
      const sets = async () => {
        const [row] = await sql<{ schemas: string[]; known: string[] }[]>`
          select array(select nspname::text from pg_namespace where nspname like 'env\\_%' order by 1) as schemas,
            array(select schema_name from diorama.schemas order by 1) as known
        `;
        return row ?? { schemas: [], known: [] };
      };
      await eventually(async () => {
        const [open] = await sql`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and application_name = 'diorama builders'
        `;
        if (open?.["count"] !== 0) throw new Error("the builders' sessions are still there");
      });
      const { schemas, known } = await sets();
      must(JSON.stringify(schemas) === JSON.stringify(known), { schemas, known });

      const again = await stage.server(database, settings);
      const seconds = await secondsOf(async () => {
        await again.environment();
        await eventually(async () => must((await sets()).known.length > known.length, known));
      });
      return { happened: "nothing half was left; the next server went on building", seconds };
    },
  },
  {
    id: "F37",
    fault:
      "a schema that nobody knows, an entry without its schema, an environment without its schema",
    expected: "dropped after ten minutes; removed immediately; ended within a cycle (404)",
    async run(stage) {
      const database = await stage.database();
      const { sql } = database;
      const orphan = `env_${"0".repeat(32)}`;
      await sql.unsafe(`create schema ${orphan}`);
      await sql`
        insert into diorama.schemas (schema_name, template_schema, state, fresh_xid, fingerprint)
        values ('env_gone', 'none', 'ready', 1, '')
      `;
      const server = await stage.server(
        database,
        { MAINTENANCE_CYCLE_INTERVAL: "1" },
        { preload: CLOCK },
      );
      const environment = await server.environment();
      await sql.unsafe(`drop schema ${environment.schemaName} cascade`);
      const gone = await secondsOf(() =>
        eventually(async () => {
          const { status } = await chatAnswer(server, environment);
          must(status === 404, status);
        }),
      );
      await Bun.sleep(1_500); // a cycle has seen the orphan
      const [kept] = await sql`select nspname from pg_namespace where nspname = ${orphan}`;
      server.kill("SIGUSR1"); // ten minutes pass
      const seconds = await secondsOf(() =>
        eventually(async () => {
          const [left] = await sql`
            select (select count(*)::int from pg_namespace where nspname = ${orphan}) as schemas,
              (select count(*)::int from diorama.schemas
                where schema_name in ('env_gone', ${environment.schemaName})) as entries
          `;
          must(left?.["schemas"] === 0 && left["entries"] === 0, left);
        }, 20),
      );
      const next = await stage.story(database, server);
      await next.write(server, 2);
      await next.endWell(server);

      must(kept !== undefined, "the orphan was dropped immediately");
      return {
        happened: `the environment read 404 after ${gone.toFixed(1)} s; all cleaned up`,
        seconds,
      };
    },
  },
  {
    id: "F39",
    fault: "thousands of environments, each of them touched",
    expected: "calls stay as fast as before; memory of backends and server stays bounded",
    slow: true,
    async run(stage) {
      const count = Number(process.env["FAULTS_ENVIRONMENTS"] ?? 1_000);
      const database = await stage.database();
      const server = await stage.server(database, { ENVIRONMENT_POOL_TARGETS: "chat_default:0" });
      const first = await stage.story(database, server);
      await first.endWell(server);
      const environments: any[] = [];
      const made = await secondsOf(async () => {
        while (environments.length < count)
          environments.push(...(await Promise.all([server.environment(), server.environment()])));
      });
      const answers: number[] = [];
      for (let round = 0; round < 2; round++)
        for (let at = 0; at < count; at += 8)
          await Promise.all(
            environments.slice(at, at + 8).map(async (environment) => {
              const started = performance.now();
              must((await chatAnswer(server, environment)).status === 200, "a call failed");
              answers.push(performance.now() - started);
            }),
          );
      const backends = await database.sql<{ pid: number }[]>`
        select pid from pg_stat_activity where datname = current_database() and application_name like 'diorama%'
      `;
      const sizes = await Promise.all(backends.map(({ pid }) => memoryOf(pid).catch(() => 0)));
      const story = await stage.story(database, server);
      await story.write(server, 5);
      const seconds = await secondsOf(() => story.endWell(server));

      const p99 = answers.toSorted((a, b) => a - b)[Math.floor(answers.length * 0.99)] ?? 0;
      const rss = await memoryOf(server.pid);
      must(rss < 600 * 2 ** 20 && p99 < 1_000, { rss, p99 });
      return {
        happened: `${count} made at ${Math.round(count / made)}/s; calls p99 ${p99.toFixed(0)} ms; server ${Math.round(rss / 2 ** 20)} MB, largest backend ${Math.round(Math.max(...sizes) / 2 ** 20)} MB`,
        seconds,
      };
    },
  },
  {
    id: "F41",
    fault: "SIGTERM during diffRun; then twice",
    expected:
      "the call is finished and the exit is 0; a second signal exits with 1, and the run ends elsewhere",
    async run(stage) {
      const database = await stage.database();
      const polite = await stage.server(database);
      const story = await stage.story(database, polite);
      await story.write(polite, 3);
      const hold = await holdResults(database);
      const answer = polite.post("/diffRun", { runId: story.runId });
      await hold.waiting();
      polite.kill("SIGTERM");
      await Bun.sleep(200);
      await hold.release();
      const { status, body } = await answer;
      const code = await polite.exited;
      const slots = await slotsOf(database);
      await story.check(body);

      const hasty = await stage.server(database);
      const second = await stage.story(database, hasty);
      await second.write(hasty, 3);
      const again = await holdResults(database);
      const cut = hasty.post("/diffRun", { runId: second.runId }).catch(() => undefined);
      await again.waiting();
      hasty.kill("SIGTERM");
      await Bun.sleep(200);
      hasty.kill("SIGTERM");
      const hastyCode = await hasty.exited;
      await cut;
      await again.abort();
      await again.release();
      const other = await stage.server(database);
      const seconds = await secondsOf(async () => {
        const ended = await second.results(other);
        must(ended.status === "completed", ended);
        await second.check(ended);
      });

      must(status === 200 && code === 0 && hastyCode === 1, { status, code, hastyCode });
      must(slots.length === 0, slots);
      return { happened: "200 and exit 0; exit 1, and the other server ended the run", seconds };
    },
  },
  {
    id: "F42",
    fault: "callers go away in the middle of diffRun, hundreds of times",
    expected: "each run ends completely and can be read; memory and connections stay as they were",
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database);
      const environment = await server.environment();
      const connections = async () => {
        const [row] = await database.sql`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and application_name like 'diorama%'
        `;
        return Number(row?.["count"]);
      };
      let unfinished = 0;
      const round = async (wait: number) => {
        const run = await server.post("/startRun", { envId: environment.environmentId });
        await chatAnswer(server, environment);
        const gone = new AbortController();
        const call = fetch(`${server.url}/api/platform/diffRun`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ runId: run.body.runId }),
          signal: gone.signal,
        }).catch(() => undefined);
        await Bun.sleep(wait);
        gone.abort();
        await call;
        await eventually(async () => {
          const { body } = await server.get(`/results/${run.body.runId}`);
          if (body.status === "completed" && body.diff.inserts.length >= 1) return;
          // The call was closed before it was read: the run did not end.
          if (body.status === "running") {
            unfinished++;
            await server.post("/diffRun", { runId: run.body.runId });
          }
          throw new Error(JSON.stringify(body));
        });
      };
      for (let n = 0; n < 50; n++) await round(n % 4);
      const before = { rss: await memoryOf(server.pid), connections: await connections() };
      for (let n = 0; n < 250; n++) await round(n % 4);
      const after = { rss: await memoryOf(server.pid), connections: await connections() };

      must(after.connections <= before.connections + 2, { before, after });
      must(after.rss < before.rss + 60 * 2 ** 20, { before, after });
      return {
        happened: `300 runs, ${unfinished} calls closed unread; memory ${Math.round((after.rss - before.rss) / 2 ** 20)} MB more, connections ${before.connections} → ${after.connections}`,
      };
    },
  },
  {
    id: "F44",
    fault: "two templates whose names share 60 characters (Postgres cuts names at 63 bytes)",
    expected: "two schemas, and each environment uses its own",
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database);
      const names = ["a", "b"].map((last) => `${"t".repeat(60)}_${last}`);
      const locations: string[] = [];
      for (const name of names) {
        const source = await server.environment();
        await server.chat(source, "chat.postMessage", { channel: "C01GENERAL", text: name });
        const made = await server.post("/templates", {
          environmentId: source.environmentId,
          service: "chat",
          name,
        });
        must(made.status === 201, made);
        locations.push(made.body.location);
      }
      for (const templateName of names) {
        const environment = await server.environment({ templateName });
        const { messages } = await server.chat(environment, "conversations.history", {
          channel: "C01GENERAL",
        });
        must(messages[0].text === templateName, messages[0]);
      }

      must(new Set(locations).size === 2, locations);
      return { happened: "two schemas with names of their own; each copy holds its own rows" };
    },
  },
  {
    id: "F45",
    fault: "500 environments expire at the same time",
    expected: "all are dropped within a minute, one schema per transaction, without an error",
    slow: true,
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database, {
        ENVIRONMENT_POOL_TARGETS: "chat_default:0",
        MAINTENANCE_CYCLE_INTERVAL: "1",
      });
      const made: string[] = [];
      while (made.length < 500) {
        const answers = await Promise.all([0, 1, 2, 3].map(() => server.post("/initEnv", WANTED)));
        made.push(...answers.map(({ body }) => body.environmentId));
      }
      await database.sql`update diorama.environments set expires_at = now()`;
      const seconds = await secondsOf(() =>
        eventually(async () => {
          const [left] = await database.sql`
            select (select count(*)::int from diorama.environments where deleted_at is null) as live,
              (select count(*)::int from diorama.schemas where state in ('claimed', 'used')) as taken
          `;
          must(left?.["live"] === 0 && left["taken"] === 0, left);
        }, 60),
      );

      must(!server.output().includes('"level":"error"'), server.output());
      return { happened: "500 ended and recycled; no error in the log", seconds };
    },
  },
  {
    id: "F46",
    fault: "Postgres crashes after the answer of diffRun, before its result is on disk",
    expected:
      "the result is read from the log again, with the same bytes, though its environment is deleted",
    async run(stage) {
      // The disk gets the result only after this time.
      const { cluster, database } = await stage.cluster({ wal_writer_delay: "10s" });
      const server = await stage.server(database);
      const story = await stage.story(database, server);
      await story.write(server, 10);
      const { runId } = story;
      const envPath = `/env/${story.environment.environmentId}`;

      const answered = await server.post("/diffRun", { runId });
      await cluster.stop("immediate");
      server.kill("SIGKILL");
      await server.exited;
      await cluster.start();
      const status = () => database.sql`select status from diorama.runs where run_id = ${runId}`;
      const [lost] = await eventually(status);
      const next = await stage.server(database);
      const deleted = await eventually(async () => {
        const { status } = await next.call("DELETE", envPath);
        if (status !== 200) throw new Error(String(status));
        return status;
      });
      const outcome = await story.results(next);

      must(answered.status === 200 && deleted === 200, { answered, deleted });
      must(lost?.["status"] === "ending", lost);
      must(outcome.status === "completed", outcome);
      must(JSON.stringify(outcome.diff) === JSON.stringify(answered.body.diff), outcome);
      must(answered.body.diff.inserts.length === 10, answered.body);
      return { happened: "the result was lost and read again: the same diff" };
    },
  },
];
