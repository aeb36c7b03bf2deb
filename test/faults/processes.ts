/** F50 to F66: processes, clocks, limits, other environments. */
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { connect } from "~/db/connect";
import { findPrograms, freePort } from "../../scripts/postgres";
import { eventually, overTcp } from "../support/database";
import { limitMemory, memoryLimitObstacle } from "../support/memory-limit";
import type { ServerProcess } from "../support/process";
import type { Story } from "../support/stage";
import { type Fault, must, secondsOf } from "./fault";
import { memoryOf, shell, WANTED } from "./postgres";

export const CLOCK = join(import.meta.dir, "clock.ts");
const SIGNALS = join(import.meta.dir, "signals.ts");
/** Where pg_dump is: only the system's Postgres has it. */
const SYSTEM = await findPrograms("system");
const PGBOUNCER = Bun.which("pgbouncer", { PATH: `${process.env["PATH"]}:/usr/sbin` });

const expiryOf = (environment: any) => Date.parse(environment.expiresAt) - Date.now();

export const PROCESSES: readonly Fault[] = [
  {
    id: "F50",
    fault: "two servers are restarted one after the other under load",
    expected: "no call fails for good; runs that start on one end on the other",
    slow: true,
    async run(stage) {
      const database = await stage.database();
      const servers = [await stage.server(database), await stage.server(database)];
      const strange: string[] = [];
      let stories = 0;
      let over = false;
      /** Any server that answers; a 503 is retried. */
      const ask = async (method: string, path: string, body?: object) =>
        await eventually(async () => {
          const server = servers[Math.floor(Math.random() * servers.length)]!;
          const answer = await server.call(method, path, body);
          if (answer.status === 503) throw new Error(JSON.stringify(answer.body));
          if (answer.status >= 400) strange.push(`${path} ${answer.status} ${answer.body.error}`);
          return answer.body;
        });
      const user = async () => {
        while (!over) {
          const environment = await ask("POST", "/initEnv", WANTED);
          const { runId } = await ask("POST", "/startRun", { envId: environment.environmentId });
          const acknowledged: string[] = [];
          for (let n = 0; n < 5; n++) {
            const text = `write ${n}`;
            await eventually(async () => {
              const server = servers[Math.floor(Math.random() * servers.length)]!;
              const answer = await server.chat(environment, "chat.postMessage", {
                channel: "C01GENERAL",
                text,
              });
              if (!answer.ok) throw new Error(answer.error);
              acknowledged.push(text);
            }, 30);
          }
          await ask("POST", "/diffRun", { runId }).catch(() => undefined);
          const ended = await eventually(async () => {
            const results = await ask("GET", `/results/${runId}`);
            if (results.status === "running") throw new Error("running");
            return results;
          });
          const texts = (ended.diff?.inserts ?? []).map(({ text }: any) => text);
          stage.ledger.acknowledged += acknowledged.length;
          stage.ledger.diffs++;
          const missing = acknowledged.filter((text) => !texts.includes(text));
          stage.ledger.lost += missing.length;
          if (missing.length > 0) strange.push(JSON.stringify(ended));
          await ask("DELETE", `/env/${environment.environmentId}`);
          stories++;
        }
      };
      const users = [0, 1, 2, 3, 4, 5].map(user);
      let longest = 0;
      for (const victim of [0, 1]) {
        await Bun.sleep(4_000);
        servers[victim]!.kill("SIGTERM");
        must((await servers[victim]!.exited) === 0, "the exit was not 0");
        longest = Math.max(
          longest,
          await secondsOf(async () => {
            servers[victim] = await stage.server(database);
          }),
        );
      }
      await Bun.sleep(4_000);
      over = true;
      await Promise.all(users);

      // An end whose answer was lost with its server reads as ended on a retry.
      const real = strange.filter((what) => !what.includes("run_already_completed"));
      must(real.length === 0, real);
      return { happened: `${stories} stories went on as if nothing were`, seconds: longest };
    },
  },
  {
    id: "F51",
    fault: "the clock of one server is an hour ahead",
    expected: "expiry follows the database's clock",
    async run(stage) {
      const database = await stage.database();
      const ahead = await stage.server(database, { CLOCK_SECONDS: "3600" }, { preload: CLOCK });
      const other = await stage.server(database);
      const environment = await ahead.environment({ ttlSeconds: 10 });
      const left = expiryOf(environment);
      const onBoth = () =>
        Promise.all([ahead, other].map((each) => each.chat(environment, "auth.test")));
      const early = await onBoth();
      const story = await stage.story(database, ahead);
      await story.write(ahead, 3);
      await story.endWell(other);
      await Bun.sleep(Math.max(0, expiryOf(environment)) + 200);
      const late = await onBoth();

      must(left > 1_000 && left < 11_000, { left });
      must(
        early.every(({ ok }) => ok === true),
        early,
      );
      must(
        late.every(({ error }) => error === "environment_not_found"),
        late,
      );
      return { happened: `it lived ${(left / 1000).toFixed(1)} s on both servers` };
    },
  },
  {
    id: "F52",
    fault: "the wall clock jumps back by an hour in the middle of a run",
    expected: "nothing stops or waits; execution_time is not negative",
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database, {}, { preload: CLOCK });
      const story = await stage.story(database, server);
      await story.write(server, 3);

      server.kill("SIGUSR2");
      await story.write(server, 3);
      const seconds = await secondsOf(() => story.endWell(server));
      const { body } = await server.get(`/results/${story.runId}`);

      must(story.acknowledged.length === 6 && seconds < 5, seconds);
      must(body.execution_time > 0 && body.execution_time < 60, body.execution_time);
      return { happened: `execution_time ${body.execution_time.toFixed(2)} s`, seconds };
    },
  },
  {
    id: "F53",
    fault: "all connections of an environment's calls are waiting for a lock",
    expected: "the next call gets 503 within 6 s; other environments continue",
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database);
      const stuck = await stage.story(database, server);
      const other = await stage.story(database, server);
      const held = await database.sql.reserve();
      await held`begin`;
      await held.unsafe(`lock table ${stuck.schema}.messages in access exclusive mode`);

      const calls = Array.from({ length: 20 }, async () => {
        const started = performance.now();
        const response = await fetch(
          `${server.url}${stuck.environment.environmentUrl}/chat.postMessage`,
          {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ channel: "C01GENERAL", text: "waits" }),
          },
        );
        return { status: response.status, seconds: (performance.now() - started) / 1000 };
      });
      const refused = await Promise.race([
        Promise.any(
          calls.map(async (call) => {
            const answer = await call;
            if (answer.status !== 503) throw new Error("not rejected");
            return answer;
          }),
        ),
        Bun.sleep(7_000),
      ]);
      const wrote = await other.write(server, 3);
      await held`rollback`;
      held.release();
      await Promise.all(calls);
      const seconds = await secondsOf(async () => {
        must((await stuck.write(server, 1)) === 1, "still stuck");
      });
      await other.endWell(server);

      must(refused !== undefined && refused.seconds < 6, refused);
      must(wrote === 3, wrote);
      return {
        happened: `503 after ${refused.seconds.toFixed(1)} s; the other environment kept writing`,
        seconds,
      };
    },
  },
  {
    id: "F54",
    fault: "Postgres has no connection left for us (53300)",
    expected: "503, no crash; recovers by itself",
    async run(stage) {
      const { cluster, database } = await stage.cluster({ max_connections: "40" });
      const server = await stage.server(database);
      const story = await stage.story(database, server);
      await story.write(server, 3);

      const greedy = connect(cluster.url, { max: 45, name: "greedy", patient: true });
      const hogs: Promise<unknown>[] = [];
      await database.sql`select 1`;
      const admin = await database.sql.reserve();
      const fill = () => {
        for (let n = 0; n < 45; n++) hogs.push(greedy`select pg_sleep(4)`.catch(() => undefined));
      };
      await admin`
        select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'diorama%' and pid <> pg_backend_pid()
      `;
      fill();
      await Bun.sleep(1_000);
      // One of them may have got a connection, and the other none.
      const answer = await server.post("/initEnv", WANTED);
      const waited = await secondsOf(() => story.write(server));
      await greedy.end({ timeout: 0 });
      await Promise.all(hogs);
      await admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'diorama greedy'`;
      admin.release();
      const seconds = await secondsOf(() =>
        eventually(async () => {
          if ((await story.write(server)) === 0) throw new Error("not written");
        }, 20),
      );
      await story.endWell(server);

      must((answer.status === 503 || answer.status === 201) && waited < 10, { answer, waited });
      const isLogged = (text: string) => server.output().includes(text);
      await eventually(() => must(isLogged("53300"), server.output().slice(-2_000)));
      must(!isLogged('"status":500'), server.output().slice(-2_000));
      return { happened: `${answer.status} meanwhile; the run was complete`, seconds };
    },
  },
  {
    id: "F55",
    fault: "a statement waits for ever",
    expected:
      "it is ended after 15 s (statement_timeout) and answered with 503; nothing is left of it",
    slow: true,
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database);
      const story = await stage.story(database, server);
      const held = await database.sql.reserve();
      await held`begin`;
      await held.unsafe(`lock table ${story.schema}.messages in access exclusive mode`);

      const waited = await secondsOf(async () => {
        must((await story.write(server)) === 0, "it was written");
      });
      await held`rollback`;
      held.release();
      const wrote = await story.write(server, 2);
      const seconds = await secondsOf(() => story.endWell(server));

      must(waited > 10 && waited < 20 && wrote === 2, { waited, wrote });
      return {
        happened: `503 after ${waited.toFixed(1)} s; the diff has only the others`,
        seconds,
      };
    },
  },
  {
    id: "F58",
    fault: "a rejection that nobody waits for",
    expected: "logged; the process lives",
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database, {}, { preload: SIGNALS });
      const story = await stage.story(database, server);

      server.kill("SIGUSR2");
      await eventually(() =>
        must(server.output().includes("unhandled rejection"), server.output()),
      );
      await story.write(server, 3);
      await story.endWell(server);

      must(!server.output().includes('"message":"a floating rejection","user'), server.output());
      return { happened: "one line in the log; the run was complete" };
    },
  },
  {
    id: "F59",
    fault: "the loop of a server is blocked for two seconds",
    expected: "the stream continues in its thread; the run is complete",
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database, {}, { preload: SIGNALS });
      const story = await stage.story(database, server);
      await story.write(server, 3);
      const reader = async () => {
        const [slot] = await database.sql`
          select active_pid from pg_replication_slots where database = current_database()
        `;
        return slot?.["active_pid"];
      };
      const before = await reader();

      server.kill("SIGUSR1");
      await Bun.sleep(200);
      const seconds = await secondsOf(() => server.get("/health"));
      await story.write(server, 3);
      await story.endWell(server);
      const after = await reader();

      must(before !== undefined && before === after, { before, after });
      must(seconds > 1 && seconds < 4, seconds);
      return { happened: "the same walsender all along; the run was complete", seconds };
    },
  },
  {
    id: "F60",
    fault: "a limit of 512 MB of memory",
    expected: "not reached under load",
    slow: true,
    obstacle: memoryLimitObstacle,
    async run(stage) {
      const database = await stage.database();
      const limit = await limitMemory(512 * 2 ** 20, stage.onEnd);
      const server = await stage.server(database, {}, limit.launch);
      const rounds = Number(process.env["FAULTS_ROUNDS"] ?? 40);
      for (let round = 0; round < rounds; round++)
        await Promise.all(
          Array.from({ length: 8 }, async () => {
            const story = await stage.story(database, server);
            await story.write(server, 10);
            await story.endWell(server);
            await server.call("DELETE", `/env/${story.environment.environmentId}`);
          }),
        );
      const [peak, failures] = [await limit.peak(), await limit.failures()];
      const rss = await memoryOf(server.pid);

      must(failures === 0, { failures, peak });
      return {
        happened: `peak ${Math.round(peak / 2 ** 20)} MB, then ${Math.round(rss / 2 ** 20)} MB, limit never hit`,
      };
    },
  },
  {
    id: "F61",
    fault: "file descriptors are used up (128, with 300 connections)",
    expected: "connections are rejected or wait; the server recovers",
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(
        database,
        {},
        {
          prefix: ["sh", "-c", 'ulimit -n 128; exec "$@"', "sh"],
        },
      );
      const story = await stage.story(database, server);
      await story.write(server, 3);
      const { port } = new URL(server.url);
      const sockets: Socket[] = Array.from({ length: 300 }, () => {
        const socket = createConnection(Number(port), "127.0.0.1");
        socket.on("error", () => undefined);
        return socket;
      });
      await Bun.sleep(1_000);
      const meanwhile = await fetch(`${server.url}/api/platform/health`, {
        signal: AbortSignal.timeout(2_000),
      }).then(
        ({ status }) => String(status),
        () => "no answer",
      );
      for (const socket of sockets) socket.destroy();
      const seconds = await secondsOf(async () => {
        await server.ready();
        await eventually(async () => {
          if ((await story.write(server)) === 0) throw new Error("not written");
        });
      });
      await story.endWell(server);
      return { happened: `${meanwhile} meanwhile; the run was complete`, seconds };
    },
  },
  {
    id: "F62",
    fault: "kill -9 in the middle of a migration",
    expected: "nothing of it remains; the next start completes it",
    async run(stage) {
      const database = await stage.database(true);
      const { sql } = database;
      // Stops the migration half way, with a lock that it waits for.
      await sql.unsafe(`
        create function public.hold() returns event_trigger language plpgsql as
          $$ begin if to_regclass('diorama.environments') is not null then perform pg_advisory_xact_lock(1); end if; end $$;
        create event trigger hold on ddl_command_end when tag in ('CREATE TABLE') execute function public.hold();
      `);
      const held = await sql.reserve();
      await held`select pg_advisory_lock(1)`;
      const first = await stage.launch(database);
      const waiters = () => sql<{ pid: number }[]>`
        select l.pid from pg_locks l join pg_stat_activity a using (pid)
        where locktype = 'advisory' and not granted and a.datname = current_database()
      `;
      await eventually(async () => must((await waiters()).length > 0, first.output()));

      first.kill("SIGKILL");
      await first.exited;
      for (const { pid } of await waiters()) await sql`select pg_terminate_backend(${pid})`;
      await held`select pg_advisory_unlock(1)`;
      held.release();
      await sql.unsafe("drop event trigger hold; drop function public.hold()");
      const [left] = await sql`select to_regclass('diorama.environments') as half`;
      let server: ServerProcess | undefined;
      const seconds = await secondsOf(async () => {
        server = await stage.server(database);
      });
      const story = await stage.story(database, server!);
      await story.write(server!, 2);
      await story.endWell(server!);

      must(left?.["half"] === null, left);
      return { happened: "rolled back whole; the next start made all of it", seconds };
    },
  },
  {
    id: "F63",
    fault: "the next version migrates the database while this one serves",
    expected: "this version runs and starts beside it, unless the database says it is too old",
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database);
      const story = await stage.story(database, server);
      await story.write(server, 2);
      await database.sql.unsafe(`
        insert into diorama.schema_migrations (version, name, checksum) values (9999, 'next', '');
        create table diorama.next (id int primary key);
        alter table diorama.environments add column next text not null default '';
        alter table diorama.runs add column next text not null default '';
        alter table diorama.schemas add column next text;
      `);
      await story.write(server, 2);
      await story.endWell(server);
      const next = await stage.story(database, server);
      await next.write(server, 2);
      await next.endWell(server);
      await server.call("DELETE", `/env/${next.environment.environmentId}`);
      // Restarted, it runs beside the next one, until a version needs more than it knows.
      const beside = await stage.server(database);
      const third = await stage.story(database, beside);
      await third.write(beside, 2);
      await third.endWell(beside);
      await database.sql`update diorama.schema_migrations set requires = 9999 where version = 9999`;
      const refused = await stage.launch(database);
      const code = await refused.exited;

      must(code !== 0 && /needs a program that knows 9999/.test(refused.output()), {
        code,
        said: refused.output(),
      });
      return { happened: "both served; a version that needs more is not started beside, by name" };
    },
  },
  {
    id: "F64",
    fault: "a backup is restored on another cluster",
    expected:
      "runs that were running fail as capture_lost: database changed; environments are usable",
    obstacle: () => (SYSTEM ? undefined : "pg_dump comes with the Postgres of the system only"),
    async run(stage) {
      const from = await stage.cluster({}, { source: "system" });
      const to = await stage.cluster({}, { source: "system" });
      const first = await stage.server(from.database);
      const story: Story = await stage.story(from.database, first);
      await story.write(first, 5);
      const dump = `/tmp/diorama-${crypto.randomUUID()}.dump`;
      stage.onEnd(() => rm(dump, { force: true }));
      await shell(join(SYSTEM ?? "", "pg_dump"), "-Fc", "-f", dump, from.database.url);
      first.kill("SIGKILL");
      await first.exited;
      await shell(join(SYSTEM ?? "", "pg_restore"), "--no-owner", "-d", to.database.url, dump);

      const server = await stage.server(to.database);
      const seconds = await secondsOf(() => story.endLost(server, "database_changed"));
      const wrote = await story.write(server, 2);
      const removed = await server.call("DELETE", `/env/${story.environment.environmentId}`);
      const next = await stage.story(to.database, server);
      await next.write(server, 3);
      await next.endWell(server);

      must(wrote === 2 && removed.status === 200, { wrote, removed });
      return {
        happened: "failed by name; the environment accepted writes; the next run was complete",
        seconds,
      };
    },
  },
  {
    id: "F65",
    fault: "DATABASE_URL leads through pgbouncer in transaction mode",
    expected: "the start fails (69) with a line that says so",
    obstacle: () => (PGBOUNCER ? undefined : "pgbouncer is not installed"),
    async run(stage) {
      const database = await stage.database();
      const target = overTcp(database.url);
      const dir = `/tmp/diorama-bouncer-${crypto.randomUUID().slice(0, 8)}`;
      await mkdir(dir);
      await chmod(dir, 0o777);
      const said: string[] = [];
      for (const ignore of [
        "",
        "replication,extra_float_digits,search_path,options,IntervalStyle,bytea_output,jit,statement_timeout,idle_in_transaction_session_timeout,plan_cache_mode,enable_seqscan",
      ]) {
        const port = await freePort();
        await writeFile(
          join(dir, "bouncer.ini"),
          `[databases]\n* = host=${target.hostname} port=${target.port} user=postgres password=${target.password}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\nignore_startup_parameters = ${ignore}\n`,
        );
        // Postgres does not run as root.
        const nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"];
        const child = Bun.spawn(
          [...(process.getuid?.() === 0 ? nobody : []), PGBOUNCER ?? "", join(dir, "bouncer.ini")],
          { stdout: "ignore", stderr: "ignore", cwd: "/" },
        );
        stage.onEnd(async () => {
          child.kill();
          await child.exited;
        });
        const url = overTcp(database.url);
        url.port = String(port);
        await Bun.sleep(500);
        const server = await stage.launch({ url: url.toString() });
        const code = await Promise.race([server.exited, Bun.sleep(30_000)]);
        said.push(server.output());
        must(code === 69 && /DATABASE_URL.*pooler/.test(server.output()), {
          code,
          said: server.output(),
        });
      }
      stage.onEnd(() => rm(dir, { recursive: true, force: true }));
      return { happened: "exit 69, and the message asks for a direct connection in DATABASE_URL" };
    },
  },
];
