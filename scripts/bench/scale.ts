/**
 * Many live environments on one Postgres, of chat and tracker alike: what a call, a life, a restart and the memory cost
 * among a hundred of them, and among all.
 *
 * The short form has hundreds. `--environments 10000 --minutes 60` is the long one: it needs 10 GB of disk and a machine
 * of its own.
 */
import type { Pool } from "~/db/connect";
import { ISSUES } from "./calls";
import { latencies, type Measured, quantile, type Row, timed } from "./measure";
import {
  knowsProcesses,
  postgresProcesses,
  privateMegabytes,
  residentMegabytes,
} from "./processes";
import { AGENT, type Answer, type Bench, CHANNEL, poolOf } from "./server";

export type Size = { readonly environments: number; readonly minutes: number };
export const SHORT: Size = { environments: 400, minutes: 0 };

const SMALL = 100;
const READY = 50;
const TTL_SECONDS = 86_400;
const BUILDERS = 2;
const CLIENTS = 4;
/** Of each kind, in a round. */
const SAMPLES = 120;
const RATIO_MAX = 1.5;
const FIRST_CALL_MS = 15;
const SERVER_MB = 250;
const BACKEND_MB = 300;
const SERVER_START_S = 2;
const POSTGRES_START_S = 10;
const CYCLE_S = 5;

const TEMPLATES = ["chat_default", "tracker_default"] as const;
type Environment = { readonly template: (typeof TEMPLATES)[number]; readonly answer: Answer };

/** The samples of one size, in milliseconds. */
type Samples = Record<"initEnv" | "first" | "second" | "life", number[]>;
const none = (): Samples => ({ initEnv: [], first: [], second: [], life: [] });

/** Megabytes, the most of all rounds, and which backend it was. */
type Memory = { server: number; backend: number; backendName: string };

export async function scale(bench: Bench, { environments, minutes }: Size): Promise<Measured[]> {
  await bench.restart({
    ENVIRONMENT_POOL_TARGETS: TEMPLATES.map((name) => `${name}:${READY}`).join(),
    MAINTENANCE_IDLE_TIMEOUT: "3600",
    // Beside those that stay, samples come and go.
    MAX_ENVIRONMENTS: String(environments + SAMPLES),
  });
  const sql = bench.connect(1);
  const live: Environment[] = [];
  const memory: Memory = { server: 0, backend: 0, backendName: "" };
  try {
    await grow(bench, live, SMALL);
    const few = none();
    for (let round = 0; round < 3; round++) await takeSamples(bench, live, few);
    const grown = await timed(() => grow(bench, live, environments));
    const many = none();
    const until = performance.now() + minutes * 60_000;
    let rounds = 0;
    do {
      await takeSamples(bench, live, many);
      await noteMemory(bench, sql, memory);
      rounds++;
    } while (rounds < 3 || performance.now() < until);
    const cycle = await cycleSeconds(bench);
    // What is written between two checkpoints is a question of time, not of the number of environments.
    await sql.unsafe("checkpoint");
    await takeSamples(bench, live, many);
    const weight = await weigh(sql);
    const open = await bench.platform("POST", "/startRun", {
      envId: live[0]?.answer["environmentId"],
    });
    const restart = await timed(() => bench.restart());
    const recovery = await crash(bench, live);
    await bench.platform("POST", "/diffRun", { runId: open["runId"] });
    const size = `among ${environments} environments`;
    const of = (what: string, samples: keyof Samples): Row => ({
      name: `${what}, p99, ${size}`,
      ours: quantile(many[samples], 0.99),
      base: quantile(few[samples], 0.99),
      unit: "ms",
      comparedWith: `the same among ${SMALL}`,
      bar: { most: RATIO_MAX },
      note: `p50 ${quantile(few[samples], 0.5).toFixed(1)} → ${quantile(many[samples], 0.5).toFixed(1)} ms`,
    });
    const alone = (name: string, ours: number, unit: Row["unit"], most?: number): Row => ({
      name: `${name}, ${size}`,
      ours,
      base: undefined,
      unit,
      comparedWith: "",
      bar: most === undefined ? {} : { most },
    });
    return [
      of("initEnv from the pool", "initEnv"),
      of("second call of a kind", "second"),
      alone("first call of a kind, p99", quantile(many.first, 0.99), "ms", FIRST_CALL_MS),
      of("a life: init, run, two calls, diff, delete", "life"),
      alone("initEnv while it grew", grown / (environments - SMALL), "ms"),
      ...(knowsProcesses
        ? [
            alone("memory of the server", memory.server, "MB", SERVER_MB),
            {
              ...alone("memory of the largest backend", memory.backend, "MB", BACKEND_MB),
              note: memory.backendName,
            },
          ]
        : []),
      alone("maintenance cycle", cycle, "s", CYCLE_S),
      alone("restart of the server", restart / 1000, "s", SERVER_START_S),
      alone("crash of Postgres to the first answer", recovery / 1000, "s", POSTGRES_START_S),
      alone("disk for each environment", weight.disk / (environments + 2 * READY), "MB"),
      {
        ...alone("of that, catalog", weight.catalog / (environments + 2 * READY), "MB"),
        note: `${weight.relations} relations`,
      },
    ];
  } finally {
    for (const { answer } of live)
      await bench.platform("DELETE", `/env/${answer["environmentId"]}`).catch(() => undefined);
    await sql.end();
    await bench.restart();
  }
}

async function create(bench: Bench, place: number): Promise<Environment> {
  const template = TEMPLATES[place % 2] ?? TEMPLATES[0];
  const user = template === "tracker_default" ? AGENT : undefined;
  return { template, answer: await bench.environment(template, user, { ttlSeconds: TTL_SECONDS }) };
}

/** Grows to a number of live environments, faster than the pool is filled. */
async function grow(bench: Bench, live: Environment[], count: number): Promise<void> {
  const missing = count - live.length;
  await latencies(BUILDERS, missing, async (_, index) => {
    live.push(await create(bench, index));
  });
}

/** One round: every sample is of an environment of its own, all of them take their turn. */
async function takeSamples(bench: Bench, live: Environment[], into: Samples): Promise<void> {
  for (const name of TEMPLATES) await poolOf(bench, name, READY);
  const half = READY / 2;
  const fresh: Environment[] = [];
  into.initEnv.push(
    ...(await latencies(1, READY, async (_, index) => {
      fresh.push(await create(bench, index));
    })),
  );
  // The oldest go: their schemas are recycled for others.
  live.push(...fresh);
  const gone = live.splice(0, READY);
  for (const { answer } of gone) await bench.platform("DELETE", `/env/${answer["environmentId"]}`);
  const kinds = fresh.flatMap((one) => callsOf(bench, one).map((call) => ({ call })));
  for (const { call } of kinds) {
    into.first.push(await timed(call));
    into.second.push(await timed(call));
  }
  // And of those that have been called before, as far as sessions remember them.
  await latencies(CLIENTS, SAMPLES, async (_, index) => {
    const one = live[(index * 7919) % live.length];
    for (const call of one ? callsOf(bench, one) : []) await call();
  });
  into.life.push(
    ...(await latencies(1, half, async (_, index) => {
      const one = await create(bench, index);
      const envId = one.answer["environmentId"];
      const { runId } = await bench.platform("POST", "/startRun", { envId });
      for (const call of callsOf(bench, one)) await call();
      await bench.platform("POST", "/diffRun", { runId });
      await bench.platform("DELETE", `/env/${envId}`);
    })),
  );
}

/** A write and a read of a service, or two reads of the other. */
function callsOf(bench: Bench, { template, answer }: Environment): (() => Promise<unknown>)[] {
  if (template === "chat_default")
    return [
      () => bench.chat(answer, "chat.postMessage", { channel: CHANNEL, text: "hello" }),
      () => bench.chat(answer, "conversations.history", { channel: CHANNEL }),
    ];
  const ask = async (query: string) => {
    const said = await bench.post(`${answer["environmentUrl"]}/graphql`, { query });
    if (said["errors"]) throw new Error(JSON.stringify(said["errors"]));
  };
  return [
    () => ask(ISSUES),
    () => ask(`mutation { issueUpdate(id: "ENG-1", input: { priority: 1 }) { success } }`),
  ];
}

async function noteMemory(bench: Bench, sql: Pool, memory: Memory): Promise<void> {
  if (!knowsProcesses) return;
  memory.server = Math.max(memory.server, await residentMegabytes(bench.pid));
  for (const [pid, name] of await postgresProcesses(sql)) {
    const own = await privateMegabytes(pid).catch(() => 0);
    if (own > memory.backend) Object.assign(memory, { backend: own, backendName: name });
  }
}

async function cycleSeconds(bench: Bench): Promise<number> {
  const text = await fetch(`${bench.url}/metrics`).then((answer) => answer.text());
  return Number(/^diorama_maintenance_seconds (\S+)/m.exec(text)?.[1]);
}

/** Stops Postgres as a crash does, with an open run. Returns the milliseconds to the first answer of an environment. */
async function crash(bench: Bench, live: readonly Environment[]): Promise<number> {
  const [one] = live;
  if (!one) throw new Error("there is no environment");
  await bench.cluster.stop("immediate");
  return await timed(async () => {
    await bench.cluster.start();
    const deadline = performance.now() + 120_000;
    for (;;) {
      const [call] = callsOf(bench, one);
      const isAnswered = await call?.().then(
        () => true,
        () => false,
      );
      if (isAnswered) return;
      if (performance.now() > deadline) throw new Error("no answer after the crash");
      await Bun.sleep(20);
    }
  });
}

/** Megabytes on disk, those of the catalog, and the number of relations of environments. */
async function weigh(sql: Pool) {
  const [row] = await sql<{ disk: number; catalog: number; relations: number }[]>`
    select pg_database_size(current_database())::float8 / 1e6 as disk,
      (select sum(pg_total_relation_size(oid))::float8 / 1e6 from pg_class
        where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r') as catalog,
      (select count(*)::int from pg_class where relkind in ('r', 'i', 'S', 't')) as relations
  `;
  if (!row) throw new Error("a query without a row");
  return row;
}
