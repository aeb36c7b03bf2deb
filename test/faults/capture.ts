/** F01 to F14: the leader, the stream, the slot. */
import { eventually } from "../support/database";
import { type Link, startProxy } from "../support/proxy";
import type { Database, Stage } from "../support/stage";
import { type Fault, must, secondsOf } from "./fault";

const TAKEOVER_SECONDS = 5;

export const slotsOf = async ({ sql }: Database) =>
  await sql<{ slot: string; pid: number | null; status: string; retained: number; lag: number }[]>`
    select slot_name as slot, active_pid as pid, wal_status as status,
      pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 as retained,
      pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::float8 as lag
    from pg_replication_slots where database = current_database()
  `;

const killStream = async ({ sql }: Database) =>
  await sql`
    select pg_terminate_backend(active_pid) from pg_replication_slots where active and database = current_database()
  `;

/** Two servers, and a story recorded by the first. */
async function pair(stage: Stage, settings: Record<string, string> = {}) {
  const database = await stage.database();
  const leader = await stage.server(database, settings);
  const story = await stage.story(database, leader);
  const other = await stage.server(database, settings);
  return { database, leader, other, story };
}

const LOCK = 4_242;

/**
 * Holds each session that stores a result, until `release`: a failpoint in the database instead of one in the program.
 * `waiting` resolves once a session is held.
 */
export async function holdResults({ sql }: Database) {
  await sql.unsafe(`
    create function public.hold() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(${LOCK}); return new; end $$;
    create trigger hold before update on diorama.runs for each row
      when (new.status = 'completed') execute function public.hold();
  `);
  const held = await sql.reserve();
  await held`select pg_advisory_lock(${LOCK})`;
  const waiters = () => sql<{ pid: number }[]>`
    select pid from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted
  `;
  return {
    waiting: () =>
      eventually(async () => {
        if ((await waiters()).length === 0) throw new Error("nobody stores a result");
      }),
    /** Ends the sessions that are held: their results are not stored. */
    async abort() {
      for (const { pid } of await waiters()) await sql`select pg_terminate_backend(${pid})`;
    },
    async release() {
      await held`select pg_advisory_unlock(${LOCK})`;
      held.release();
      await sql`drop function public.hold() cascade`;
    },
  };
}

export const CAPTURE: readonly Fault[] = [
  {
    id: "F01",
    fault: "kill -9 of the leader in the middle of a run",
    expected: "another server resumes at the start of the run, within 5 s",
    async run(stage) {
      const { leader, other, story } = await pair(stage);
      await story.write(leader, 50);

      leader.kill("SIGKILL");
      await leader.exited;
      const wrote = await story.write(other, 50);
      const seconds = await secondsOf(() => story.endWell(other));

      must(wrote === 50 && seconds < TAKEOVER_SECONDS, { wrote, seconds });
      return { happened: "the other server took over; 100 writes in the diff", seconds };
    },
  },
  {
    id: "F02",
    fault: "kill -9 of the leader between the end mark and the stored result",
    expected: "the next leader stores it; a second diffRun is rejected; results has the diff",
    async run(stage) {
      const { database, leader, other, story } = await pair(stage);
      await story.write(leader, 5);
      const hold = await holdResults(database);
      const cut = leader.post("/diffRun", { runId: story.runId }).catch(() => undefined);
      await hold.waiting();

      leader.kill("SIGKILL");
      await Promise.all([leader.exited, cut]);
      await hold.abort();
      await hold.release();
      const again = await other.post("/diffRun", { runId: story.runId });
      const seconds = await secondsOf(async () => {
        const ended = await story.results(other);
        must(ended.status === "completed", ended);
        await story.check(ended);
      });

      must(again.body.error === "run_already_completed", again);
      return { happened: "the other server read the run again and stored its result", seconds };
    },
  },
  {
    id: "F03",
    fault: "kill -9 of the leader after the result is stored, before Postgres hears of it",
    expected: "the next leader reads the run again and does not change the result",
    async run(stage) {
      const database = await stage.database();
      const wires: Link[] = [];
      const proxy = await startProxy(database.url, (link) => {
        if (link.replication && !wires.includes(link)) wires.push(link);
      });
      stage.onEnd(proxy.stop);
      const leader = await stage.server({ url: proxy.url });
      const running = await stage.story(database, leader); // because of it the slot outlives the leader
      const story = await stage.story(database, leader);
      await running.write(leader, 5);
      await story.write(leader, 5);

      for (const wire of wires) wire.mute();
      await story.endWell(leader);
      const stored = async () => {
        const [row] = await database.sql`
          select diff::text as diff from diorama.runs where run_id = ${story.runId}
        `;
        return row?.["diff"];
      };
      const before = await stored();
      const [slot] = await slotsOf(database);
      leader.kill("SIGKILL");
      await leader.exited;
      const other = await stage.server(database, { LOG_LEVEL: "info" });
      await running.write(other, 5);
      const seconds = await secondsOf(() => running.endWell(other));
      const after = await stored();

      must((slot?.lag ?? 0) > 0 && wires.length > 0, slot);
      must(before === after && typeof before === "string", { before, after });
      await eventually(() =>
        must(other.output().includes("result was not needed"), other.output()),
      );
      return { happened: "the run was read a second time; its stored result stayed", seconds };
    },
  },
  {
    id: "F04",
    fault: "the walsender is terminated in the middle of a run, again and again",
    expected: "the leader reconnects and continues; the diff is complete",
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database);
      const story = await stage.story(database, server);
      for (let round = 0; round < 10; round++) {
        await story.write(server, 3);
        await killStream(database);
      }

      const seconds = await secondsOf(() => story.endWell(server));

      must(seconds < TAKEOVER_SECONDS && story.acknowledged.length === 30, seconds);
      return { happened: "10 times connected again; 30 writes in the diff", seconds };
    },
  },
  {
    id: "F08",
    fault: "no run for REPLICATION_IDLE_TIMEOUT",
    expected: "the stream ends and its slot is dropped; the next run finds both again",
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database, { REPLICATION_IDLE_TIMEOUT: "1" });
      const first = await stage.story(database, server);
      await first.endWell(server);
      await eventually(async () => {
        const slots = await slotsOf(database);
        if (slots.length > 0) throw new Error(JSON.stringify(slots));
      });

      const second = await stage.story(database, server);
      await second.write(server, 3);
      const seconds = await secondsOf(() => second.endWell(server));
      return { happened: "the slot went; the next run had one again", seconds };
    },
  },
  {
    id: "F09",
    fault: "startRun without a slot, while another database has a transaction open",
    expected:
      "503 that names open transactions, within 25 s; no run, no mark; works after the commit",
    slow: true,
    async run(stage) {
      const database = await stage.database();
      const { sql: other } = await stage.database(true);
      const server = await stage.server(database);
      const environment = await server.environment();
      const open = await other.reserve();
      await open`begin`;
      await open`select pg_current_xact_id()`;

      const started = performance.now();
      const refused = await server.post("/startRun", { envId: environment.environmentId });
      const waited = (performance.now() - started) / 1000;
      const [runs] = await database.sql`select count(*)::int as count from diorama.runs`;
      await open`commit`;
      open.release();
      let story: Awaited<ReturnType<Stage["story"]>> | undefined;
      const seconds = await secondsOf(async () => {
        story = await stage.story(database, server);
      });
      await story?.write(server, 2);
      await story?.endWell(server);

      must(refused.status === 503 && refused.headers.has("retry-after"), refused);
      must(refused.body.detail.includes("waiting for open transactions"), refused.body);
      must(waited < 25 && runs?.["count"] === 0, { waited, runs });
      return { happened: `503 after ${waited.toFixed(1)} s, and no run; then it started`, seconds };
    },
  },
  {
    id: "F10",
    fault: "the slot is dropped while no server runs, in the middle of a run",
    expected: "the run fails as capture_lost: slot dropped; new runs work",
    async run(stage) {
      const database = await stage.database();
      const first = await stage.server(database);
      const story = await stage.story(database, first);
      await story.write(first, 3);
      first.kill("SIGKILL");
      await first.exited;
      await eventually(
        () => database.sql`
          select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database()
        `,
      );

      const server = await stage.server(database);
      const seconds = await secondsOf(() => story.endLost(server, "slot_dropped"));
      const next = await stage.story(database, server);
      await next.write(server, 3);
      await next.endWell(server);
      return { happened: "the run failed by name; the next one was complete", seconds };
    },
  },
  {
    id: "F11",
    fault: "pg_drop_replication_slot on the slot that is being read",
    expected: "Postgres rejects it (55006); nothing happens",
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database);
      const story = await stage.story(database, server);

      const refusal = await database.sql`
        select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database()
      `.catch((error: { code: string }) => error.code);
      await story.write(server, 3);
      await story.endWell(server);

      must(refusal === "55006", refusal);
      return { happened: "rejected; the run was complete" };
    },
  },
  {
    id: "F12",
    fault: "Postgres removes log that the slot still needs (max_slot_wal_keep_size)",
    expected: "the run fails by that name; the slot is created again; new runs work",
    async run(stage) {
      const { database } = await stage.cluster(
        { max_slot_wal_keep_size: "4MB", max_wal_size: "8MB", min_wal_size: "2MB" },
        { initdb: ["--wal-segsize=1"] },
      );
      const first = await stage.server(database);
      const story = await stage.story(database, first);
      await story.write(first, 3);
      // Not merely stopped: a checkpoint would wait for its walsender, which waits for its socket.
      first.kill("SIGKILL");
      await first.exited;
      await database.sql`create table public.bulk (body text)`;
      for (let round = 0; round < 4; round++) {
        await database.sql`insert into public.bulk select repeat(md5(i::text), 60) from generate_series(1, 4000) i`;
        await database.sql`checkpoint`;
      }
      const [slot] = await slotsOf(database);
      const server = await stage.server(database);
      const seconds = await secondsOf(() => story.endLost(server, "slot_invalidated"));
      const next = await stage.story(database, server);
      await next.write(server, 3);
      await next.endWell(server);
      const [after] = await slotsOf(database);

      must(slot?.status === "lost" && after?.status === "reserved", { slot, after });
      return { happened: "wal_status lost; failed by name; a new slot, a complete run", seconds };
    },
  },
  {
    id: "F14",
    fault: "our database is idle while another one of the cluster writes",
    expected: "the slot keeps up: under 16 MB behind",
    async run(stage) {
      const database = await stage.database();
      const { sql: other } = await stage.database(true);
      const server = await stage.server(database);
      await (await stage.story(database, server)).endWell(server);

      await other`create table public.bulk (body text)`;
      for (let round = 0; round < 5; round++)
        await other`insert into public.bulk select repeat(md5(i::text), 60) from generate_series(1, 10000) i`;
      const started = performance.now();
      const lag = await eventually(async () => {
        const [slot] = await slotsOf(database);
        if (!slot || slot.lag > 16 * 2 ** 20) throw new Error(JSON.stringify(slot));
        return slot.lag;
      });
      return {
        happened: `${Math.round(lag / 1024)} kB behind after 100 MB in another database`,
        seconds: (performance.now() - started) / 1000,
      };
    },
  },
];
