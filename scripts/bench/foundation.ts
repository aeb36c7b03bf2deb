/** Environments, runs, capture, start, memory. */
import { type Blueprint, readBlueprint, withoutRows } from "~/db/blueprint";
import { connect, inTransaction } from "~/db/connect";
import { buildClone, dropSchema, fillClone, newSchemaName } from "~/db/schemas";
import { type Clone, recycled } from "./clones";
import { drain } from "./drain";
import { inTurn, latencies, median, type Row, throughput, timed } from "./measure";
import { residentMegabytes } from "./processes";
import {
  type Bench,
  CHANNEL,
  connectTo,
  fullPool,
  healthy,
  poolOf,
  READY_SCHEMAS,
  TEMPLATE,
  withDatabase,
} from "./server";

const CLIENTS = 8;

/** The cost of a commit. One row per client, so that they do not wait for each other. */
async function bareCommits(bench: Bench) {
  const sql = bench.connect(CLIENTS);
  await sql`create table if not exists public.bare (id int primary key, n int not null)`;
  await sql`insert into public.bare select i, 0 from generate_series(0, ${CLIENTS}) i on conflict do nothing`;
  return {
    commit: (client: number) =>
      sql`update public.bare set n = n + 1 where id = ${client} returning n`,
    end: () => sql.end(),
  };
}

export async function initEnv(bench: Bench): Promise<Row> {
  const bare = await bareCommits(bench);
  const PER_ROUND = 40;
  const samples = await inTurn(8, {
    async ours() {
      await poolOf(bench, TEMPLATE, READY_SCHEMAS);
      const made: Record<string, unknown>[] = [];
      const taken = await latencies(CLIENTS, PER_ROUND, async () =>
        made.push(await bench.environment(TEMPLATE)),
      );
      await Promise.all(
        made.map(({ environmentId }) => bench.platform("DELETE", `/env/${environmentId}`)),
      );
      return taken;
    },
    base: () => latencies(CLIENTS, 400, (client) => bare.commit(client)),
  });
  await bare.end();
  return {
    name: "initEnv from a warm pool, 8 clients, p50",
    ours: median(samples.ours),
    base: median(samples.base),
    unit: "ms",
    comparedWith: "`update … returning` with commit, 8 clients",
    bar: { most: 3 },
  };
}

/** 20 tables with keys and indexes, 500 rows: the size of a service. */
const DDL = Array.from(
  { length: 20 },
  (_, i) =>
    `create table t${i} (id int primary key, name text not null, data jsonb, parent int, at timestamptz default now());
     create index on t${i} (name);
     insert into t${i} select n, 'name ' || n, '{"a":1}', ${i > 0 ? "n" : "null"} from generate_series(1, 25) n;`,
).join("\n");

export async function schemas(bench: Bench): Promise<Row[]> {
  await fullPool(bench);
  const sql = connect(bench.databaseUrl, { max: 2, name: "bench", patient: true });
  await sql.unsafe(
    `create schema tpl_bench; set search_path to tpl_bench; ${DDL}; set search_path to ''`,
  );
  const blueprint = await readBlueprint(sql, "tpl_bench");
  const admin = connectTo(bench.cluster.url);
  await admin.unsafe("drop database if exists bench_template with (force)");
  await admin.unsafe("create database bench_template");
  const inTemplate = connectTo(withDatabase(bench.databaseUrl, "bench_template"));
  await inTemplate.unsafe(`set search_path to public; ${DDL}`);
  await inTemplate.end();

  let used: Clone | undefined;
  const build = async (of: Blueprint = blueprint) => {
    const schema = newSchemaName();
    return { schema, built: await inTransaction(sql, (tx) => buildClone(tx, of, schema)) };
  };
  let databases = 0;
  const samples = await inTurn(12, {
    async build() {
      if (used) await dropSchema(sql, used.schema);
      return [await timed(async () => (used = await build()))];
    },
    async refresh() {
      if (!used) throw new Error("nothing was built");
      const { schema } = used;
      for (let table = 0; table < 10; table++)
        await sql.unsafe(
          `update "${schema}".t${table} set name = name || '!' where id <= 3; insert into "${schema}".t${table} (id, name) values (100, 'x'), (101, 'y')`,
        );
      const { took, clone } = await recycled(sql, blueprint, used);
      used = clone;
      return [took];
    },
    async fill() {
      const { schema } = await build(withoutRows(blueprint));
      const took = await timed(() => inTransaction(sql, (tx) => fillClone(tx, blueprint, schema)));
      await dropSchema(sql, schema);
      return [took];
    },
    async database() {
      const name = `bench_copy_${databases++}`;
      const took = await timed(() =>
        admin.unsafe(`create database ${name} template bench_template`),
      );
      await admin.unsafe(`drop database ${name}`);
      return [took];
    },
  });
  await admin.unsafe("drop database bench_template");
  await Promise.all([sql.end(), admin.end()]);
  return [
    {
      name: "new schema from a template (20 tables, 500 rows)",
      ours: median(samples.build),
      base: median(samples.database),
      unit: "ms",
      comparedWith: "`create database … template` of the same",
      bar: { most: 1 },
    },
    {
      name: "empty schema filled with a template's 500 rows",
      ours: median(samples.fill),
      base: median(samples.database),
      unit: "ms",
      comparedWith: "`create database … template` of the same",
      bar: { most: 1 },
    },
    {
      name: "used schema restored after 50 changed rows",
      ours: median(samples.refresh),
      base: median(samples.build),
      unit: "ms",
      comparedWith: "building a new one",
      bar: { most: 0.1 },
    },
  ];
}

export async function wholeLives(bench: Bench): Promise<Row> {
  const sql = connect(bench.databaseUrl, { max: 2, name: "bench", patient: true });
  const [template] = await sql`select schema_name from diorama.templates where name = ${TEMPLATE}`;
  const blueprint = await readBlueprint(sql, template?.["schema_name"]);
  await poolOf(bench, TEMPLATE, READY_SCHEMAS);
  const samples = await inTurn(4, {
    async ours() {
      return [
        await throughput(CLIENTS, 4, async () => {
          const environment = await bench.environment(TEMPLATE);
          const { runId } = await bench.platform("POST", "/startRun", {
            envId: environment["environmentId"],
          });
          for (let call = 0; call < 10; call++)
            await bench.chat(environment, "chat.postMessage", {
              channel: CHANNEL,
              text: `call ${call}`,
            });
          await bench.platform("POST", "/diffRun", { runId });
          await bench.platform("DELETE", `/env/${environment["environmentId"]}`);
        }),
      ];
    },
    async base() {
      return [
        await throughput(2, 3, async () => {
          const schema = newSchemaName();
          await inTransaction(sql, (tx) => buildClone(tx, blueprint, schema));
          await dropSchema(sql, schema);
        }),
      ];
    },
  });
  await sql.end();
  return {
    name: "environment life cycles (init, run, 10 calls, diff, delete), 8 clients",
    ours: median(samples.ours),
    base: median(samples.base),
    unit: "/s",
    comparedWith: "dropping and building the schema alone",
    bar: { least: 6 },
  };
}

export async function runs(bench: Bench): Promise<Row[]> {
  const bare = await bareCommits(bench);
  const sql = bench.connect();
  const small = await bench.environment(TEMPLATE);
  const large = await bench.environment(TEMPLATE);
  const grow = (environment: Record<string, unknown>, rows: number) =>
    sql.unsafe(
      `insert into "${environment["schemaName"]}".messages (channel_id, ts, user_id, text)
       select '${CHANNEL}', (1000000000 + i)::text || '.000000', 'U02JOHNADOE', 'message ' || i from generate_series(1, ${rows}) i`,
    );
  await grow(small, 500);
  await grow(large, 1_000_000);
  await sql.unsafe(`vacuum analyze "${large["schemaName"]}".messages`);

  const ROUNDS = 12;
  const PER_ROUND = 8;
  const starts: Record<string, number[]> = { small: [], large: [] };
  const ends: Record<string, number[]> = { small: [], large: [] };
  const oneRun = async (size: "small" | "large") => {
    const environment = size === "small" ? small : large;
    for (let n = 0; n < PER_ROUND; n++) {
      let runId: unknown;
      starts[size]?.push(
        await timed(async () => {
          ({ runId } = await bench.platform("POST", "/startRun", {
            envId: environment["environmentId"],
          }));
        }),
      );
      for (let call = 0; call < 10; call++)
        await bench.chat(environment, "chat.postMessage", {
          channel: CHANNEL,
          text: `call ${call}`,
        });
      ends[size]?.push(await timed(() => bench.platform("POST", "/diffRun", { runId })));
    }
    return [];
  };
  const samples = await inTurn(ROUNDS, {
    small: () => oneRun("small"),
    bare: () => latencies(1, 50, () => bare.commit(0)),
    large: () => oneRun("large"),
  });
  await Promise.all([bare.end(), sql.end()]);
  const commit = median(samples.bare);
  const against = {
    base: commit,
    unit: "ms",
    comparedWith: "a bare commit, 1 client",
  } as const;
  const sizes = (what: string, of: Record<string, number[]>): Row => ({
    name: `${what}, in a state of 1,000,000 rows, p50`,
    ours: median(of["large"] ?? []),
    base: median(of["small"] ?? []),
    unit: "ms",
    comparedWith: "the same in a state of 500 rows",
    bar: { least: 0.75, most: 1.25 },
  });
  return [
    { name: "startRun, p50", ours: median(starts["small"] ?? []), ...against, bar: { most: 2 } },
    {
      name: "diffRun of 10 changes, p50",
      ours: median(ends["small"] ?? []),
      ...against,
      bar: { most: 5 },
    },
    sizes("startRun", starts),
    sizes("diffRun", ends),
  ];
}

export async function captureDrain(bench: Bench): Promise<Row> {
  const samples = await drain(bench);
  return {
    name: "capture drain, changes recorded",
    ours: median(samples.ours),
    base: median(samples.bare),
    unit: "/s",
    comparedWith: "a consumer that parses the same stream and does nothing",
    bar: { least: 0.8 },
  };
}

export async function start(bench: Bench): Promise<Row> {
  const samples: number[] = [];
  for (let round = 0; round < 5; round++) samples.push((await timed(() => bench.restart())) / 1000);
  return {
    name: "start of the binary to the first healthy answer, including the previous stop",
    ours: median(samples),
    base: undefined,
    unit: "s",
    comparedWith: "on a seeded database",
    bar: { most: 0.5 },
  };
}

const REST_MS = 20_000;

export async function memory(bench: Bench): Promise<Row[]> {
  await bench.restart();
  await healthy(bench.url);
  const environments = await Promise.all(
    Array.from({ length: 100 }, () => bench.environment(TEMPLATE)),
  );
  const calls = (count: number) =>
    latencies(CLIENTS, count, (_, index) =>
      bench.chat(
        environments[index % environments.length] ?? {},
        index % 2 ? "chat.postMessage" : "conversations.history",
        {
          channel: CHANNEL,
          text: "hello",
          limit: 20,
        },
      ),
    );
  await calls(10_000);
  const after = await residentMegabytes(bench.pid);
  // Under load memory depends on the garbage collector; at rest it is what is retained.
  const rested = async () => {
    await Bun.sleep(REST_MS);
    return await residentMegabytes(bench.pid);
  };
  const before = await rested();
  await calls(20_000);
  const later = await rested();
  return [
    {
      name: "resident memory after 10,000 calls in 100 environments",
      ours: after,
      base: undefined,
      unit: "MB",
      comparedWith: "",
      bar: { most: 160 },
    },
    {
      name: "resident memory after 20,000 more, at rest",
      ours: later,
      base: before,
      unit: "MB",
      comparedWith: "after the first 10,000, at rest",
      bar: { most: 1.1 },
    },
  ];
}
