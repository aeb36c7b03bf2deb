/** Worlds of several services beside environments of one: creation, recycling, calls, and both in large numbers. */
import { readBlueprint } from "~/db/blueprint";
import { connect, inTransaction, type Pool } from "~/db/connect";
import { buildClone, dropSchema, newSchemaName } from "~/db/schemas";
import { type Clone, recycled } from "./clones";
import { inTurn, latencies, median, quantile, type Row } from "./measure";
import { knowsProcesses, residentMegabytes } from "./processes";
import { AGENT, type Answer, type Bench, CHANNEL, poolOf, TEMPLATE } from "./server";

const WORLD = "acme";
const LARGE = "chat_bench_default";
const TRACKER = "tracker_default";
const TARGETS = { [TEMPLATE]: 60, [WORLD]: 60, [LARGE]: 1, [TRACKER]: 1 };
const CLIENTS = 8;
const PER_ROUND = 40;
const TTL_SECONDS = 86_400;
const ISSUE = `mutation { issueUpdate(id: "ENG-1", input: { priority: 1 }) { success } }`;

/** `environments`: half of them worlds. */
export async function worlds(
  bench: Bench,
  { environments }: { environments: number },
): Promise<Row[]> {
  const targets = Object.entries(TARGETS).map((target) => target.join(":"));
  await bench.restart({
    ENVIRONMENT_POOL_TARGETS: targets.join(),
    MAINTENANCE_IDLE_TIMEOUT: "3600",
  });
  try {
    return [
      await creation(bench),
      await recycling(bench),
      ...(await calls(bench)),
      ...(await many(bench, environments / 2)),
    ];
  } finally {
    await bench.restart();
  }
}

const filled = async (bench: Bench) => {
  for (const [name, count] of Object.entries(TARGETS)) await poolOf(bench, name, count);
};

const create = (bench: Bench, template: string): Promise<Answer> =>
  bench.environment(template, template === TRACKER ? AGENT : undefined, {
    ...(template === WORLD && { templateService: "world" }),
    ttlSeconds: TTL_SECONDS,
  });

const remove = (bench: Bench, all: readonly Answer[]) =>
  latencies(CLIENTS, all.length, (_, index) =>
    bench.platform("DELETE", `/env/${all[index]?.["environmentId"]}`),
  );

async function creation(bench: Bench): Promise<Row> {
  const sample = async (template: string) => {
    await filled(bench);
    const made: Answer[] = [];
    const taken = await latencies(CLIENTS, PER_ROUND, async () =>
      made.push(await create(bench, template)),
    );
    await remove(bench, made);
    return taken;
  };
  const samples = await inTurn(8, {
    world: () => sample(WORLD),
    single: () => sample(TEMPLATE),
  });
  return {
    name: "initEnv of a world of two, 8 clients, p50",
    ours: median(samples.world),
    base: median(samples.single),
    unit: "ms",
    comparedWith: `the same of ${TEMPLATE}`,
    bar: { most: 1.15 },
  };
}

const posts = (schema: string, table: string, count: number) =>
  `insert into "${schema}".${table} (channel_id, ts, user_id, text)
   select '${CHANNEL}', (2000000000 + i)::text || '.000000', 'U02JOHNADOE', 'text ' || i from generate_series(1, ${count}) i`;
const comments = (schema: string, count: number) =>
  `insert into "${schema}".tracker_comments (id, "createdAt", "updatedAt", body, "bodyData")
   select gen_random_uuid(), now(), now(), 'text ' || i, '{}' from generate_series(1, ${count}) i`;

/** A schema of a template that is used and recycled, again and again. Returns how long each recycling took. */
async function recycler(sql: Pool, name: string, use: (schema: string) => string) {
  const [template] = await sql`select schema_name from diorama.templates where name = ${name}`;
  const blueprint = await readBlueprint(sql, template?.["schema_name"]);
  const schema = newSchemaName();
  const built = await inTransaction(sql, (tx) => buildClone(tx, blueprint, schema));
  let used: Clone = { schema, built };
  return {
    end: () => dropSchema(sql, schema),
    async sample() {
      await sql.unsafe(use(schema));
      const { took, clone } = await recycled(sql, blueprint, used);
      used = clone;
      return [took];
    },
  };
}

async function recycling(bench: Bench): Promise<Row> {
  const sql = connect(bench.databaseUrl, { max: 2, name: "bench", patient: true });
  const world = await recycler(
    sql,
    WORLD,
    (schema) => `${posts(schema, "chat_messages", 25)}; ${comments(schema, 25)}`,
  );
  const single = await recycler(sql, LARGE, (schema) => posts(schema, "messages", 50));
  const samples = await inTurn(30, { world: world.sample, single: single.sample });
  await Promise.all([world.end(), single.end()]);
  await sql.end();
  return {
    name: "recycling a world after 50 changed rows in two services, p50",
    ours: median(samples.world),
    base: median(samples.single),
    unit: "ms",
    comparedWith: `the same of ${LARGE}`,
    bar: { most: 1.5 },
  };
}

/** The environment as one of a service. */
const memberOf = ({ services }: Answer, service: "chat" | "tracker"): Answer => ({
  environmentUrl: (services as Record<string, { url: string }>)[service]?.url,
});

const post = (bench: Bench, environment: Answer) =>
  bench.chat(environment, "chat.postMessage", { channel: CHANNEL, text: "hello" });

async function update(bench: Bench, { environmentUrl }: Answer): Promise<void> {
  const said = await bench.post(`${environmentUrl}/graphql`, { query: ISSUE });
  if (said["errors"]) throw new Error(JSON.stringify(said["errors"]));
}

async function calls(bench: Bench): Promise<Row[]> {
  const eight = (template: string) =>
    Promise.all(Array.from({ length: CLIENTS }, () => create(bench, template)));
  const [world, chat, tracker] = await Promise.all([eight(WORLD), eight(TEMPLATE), eight(TRACKER)]);
  await filled(bench);
  const sample = (
    call: typeof post | typeof update,
    all: readonly Answer[],
    service: "chat" | "tracker",
  ) => latencies(CLIENTS, 400, (client) => call(bench, memberOf(all[client] ?? {}, service)));
  const samples = await inTurn(12, {
    postInWorld: () => sample(post, world, "chat"),
    post: () => sample(post, chat, "chat"),
    updateInWorld: () => sample(update, world, "tracker"),
    update: () => sample(update, tracker, "tracker"),
  });
  await remove(bench, [...world, ...chat, ...tracker]);
  const row = (name: string, ours: readonly number[], base: readonly number[]): Row => ({
    name: `${name} in a world, 8 clients, p50`,
    ours: median(ours),
    base: median(base),
    unit: "ms",
    comparedWith: "the same in an environment of its own",
    bar: { most: 1.05 },
  });
  return [
    row("chat.postMessage", samples.postInWorld, samples.post),
    row("issueUpdate", samples.updateInWorld, samples.update),
  ];
}

const SAMPLES = 4_000;

/** The latencies of messages that are posted in all environments in turn. */
const postInAll = (bench: Bench, all: readonly Answer[], times = SAMPLES) =>
  latencies(CLIENTS, times, (_, index) =>
    post(bench, memberOf(all[(index * 7919) % all.length] ?? {}, "chat")),
  );

async function many(bench: Bench, count: number): Promise<Row[]> {
  const sql = bench.connect(1);
  const grow = async (template: string) => {
    const all: Answer[] = [];
    await latencies(2, count, async () => all.push(await create(bench, template)));
    await filled(bench);
    // A first call takes longer than those that follow.
    await postInAll(bench, all, count);
    return all;
  };
  await filled(bench);
  const empty = await weigh(bench, sql);
  const singles = await grow(TEMPLATE);
  const alone = await postInAll(bench, singles);
  const half = await weigh(bench, sql);
  const all = await grow(WORLD);
  const both = await inTurn(2, {
    singles: () => postInAll(bench, singles),
    worlds: () => postInAll(bench, all),
  });
  const whole = await weigh(bench, sql);
  const [relations] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_class
    where relnamespace = ${`${all[0]?.["schemaName"]}`}::regnamespace
  `;
  await remove(bench, singles);
  const worldsAlone = await postInAll(bench, all);
  await remove(bench, all);
  await sql.end();
  const beside = (what: string, ours: readonly number[], base: readonly number[]): Row => ({
    name: `chat.postMessage in ${count} ${what}, p99`,
    ours: quantile(ours, 0.99),
    base: quantile(base, 0.99),
    unit: "ms",
    comparedWith: "the same without the others",
    bar: { most: 1.2 },
    note: `p50 ${median(base).toFixed(1)} → ${median(ours).toFixed(1)} ms`,
  });
  const each = (what: "disk" | "memory", name: string, note = ""): Row => ({
    name: `${name} for each of ${count} worlds`,
    ours: (whole[what] - half[what]) / count,
    base: (half[what] - empty[what]) / count,
    unit: "MB",
    comparedWith: `of ${TEMPLATE}`,
    bar: {},
    note,
  });
  return [
    beside(`environments beside ${count} worlds`, both.singles, alone),
    beside(`worlds beside ${count} environments`, both.worlds, worldsAlone),
    each("disk", "disk", `${relations?.count} relations in its schema`),
    ...(knowsProcesses ? [each("memory", "memory of the server")] : []),
  ];
}

async function weigh(bench: Bench, sql: Pool) {
  const [row] = await sql<{ disk: number }[]>`
    select pg_database_size(current_database())::float8 / 1e6 as disk
  `;
  return {
    disk: row?.disk ?? Number.NaN,
    memory: knowsProcesses ? await residentMegabytes(bench.pid) : Number.NaN,
  };
}
