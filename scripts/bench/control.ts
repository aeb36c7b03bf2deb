/** Reset, snapshots and forks of environments with 50 changed rows. */
import { readBlueprint } from "~/db/blueprint";
import { connect, inTransaction } from "~/db/connect";
import { createBuilders } from "~/db/origins";
import { refreshClone } from "~/db/recycling";
import { buildClone, dropSchema, newSchemaName } from "~/db/schemas";
import { inTurn, latencies, median, type Row, timed } from "./measure";
import { type Answer, type Bench, CHANNEL, poolOf, READY_SCHEMAS, TEMPLATE } from "./server";

const CLIENTS = 8;
const ROUNDS = 12;
const FORKS = 32;
const ROWS = 50;

const environmentPath = ({ environmentId }: Answer) => `/env/${environmentId}`;

export async function control(bench: Bench): Promise<Row[]> {
  const sql = bench.connect(CLIENTS);
  const change = (schema: unknown) =>
    sql.unsafe(
      `insert into "${schema}".messages (channel_id, ts, user_id, text)
       select '${CHANNEL}', (1000000000 + i)::text || '.000000', 'U02JOHNADOE', 'message ' || i
       from generate_series(1, ${ROWS}) i`,
    );
  try {
    return [await reset(bench, change), await snapshot(bench, change), await fork(bench, change)];
  } finally {
    await sql.end();
  }
}

type Change = (schema: unknown) => Promise<unknown>;

const environmentsOf = (bench: Bench) =>
  Promise.all(Array.from({ length: CLIENTS }, () => bench.environment()));

async function reset(bench: Bench, change: Change): Promise<Row> {
  // As many connections as the server has for recycling and resets.
  const max = navigator.hardwareConcurrency + 1;
  const pool = connect(bench.databaseUrl, { max, name: "bench", patient: true });
  const builders = createBuilders(pool, true);
  const [template] = await pool`select schema_name from diorama.templates where name = ${TEMPLATE}`;
  const blueprint = await readBlueprint(pool, template?.["schema_name"]);
  const environments = await environmentsOf(bench);
  const clones = await Promise.all(
    environments.map(async () => {
      const schema = newSchemaName();
      return { schema, ...(await inTransaction(pool, (tx) => buildClone(tx, blueprint, schema))) };
    }),
  );
  const samples = await inTurn(ROUNDS, {
    async ours() {
      await Promise.all(environments.map(({ schemaName }) => change(schemaName)));
      return await Promise.all(
        environments.map((environment) =>
          timed(() => bench.platform("POST", `${environmentPath(environment)}/reset`, {})),
        ),
      );
    },
    async base() {
      await Promise.all(clones.map(({ schema }) => change(schema)));
      return await Promise.all(
        clones.map((clone) =>
          timed(async () => {
            const fresh = await builders.transaction((tx) => refreshClone(tx, blueprint, clone));
            if (!fresh) throw new Error("the schema could not be refreshed");
            Object.assign(clone, fresh);
          }),
        ),
      );
    },
  });
  for (const { schema } of clones) await dropSchema(pool, schema);
  await pool.end();
  return {
    name: `reset after ${ROWS} changed rows, ${CLIENTS} clients, p50`,
    ours: median(samples.ours),
    base: median(samples.base),
    unit: "ms",
    comparedWith: "recycling the same",
    bar: { most: 1.3 },
  };
}

async function snapshot(bench: Bench, change: Change): Promise<Row> {
  const environments = await environmentsOf(bench);
  const each = (work: (environment: Answer, index: number) => Promise<unknown>) =>
    Promise.all(environments.map((environment, index) => timed(() => work(environment, index))));
  let runs: unknown[] = [];
  const samples = await inTurn(ROUNDS, {
    async diff() {
      await each((environment) =>
        bench.platform("POST", `${environmentPath(environment)}/reset`, {}),
      );
      const started = await Promise.all(
        environments.map(({ environmentId }) =>
          bench.platform("POST", "/startRun", { envId: environmentId }),
        ),
      );
      runs = started.map(({ runId }) => runId);
      await Promise.all(environments.map(({ schemaName }) => change(schemaName)));
      return await each((_, index) => bench.platform("POST", "/diffRun", { runId: runs[index] }));
    },
    snapshot: () =>
      each((environment) =>
        bench.platform("POST", `${environmentPath(environment)}/snapshots`, {}),
      ),
  });
  return {
    name: `snapshot of ${ROWS} changed rows, ${CLIENTS} clients, p50`,
    ours: median(samples.snapshot),
    base: median(samples.diff),
    unit: "ms",
    comparedWith: "diffRun of the same",
    bar: { most: 2 },
  };
}

async function fork(bench: Bench, change: Change): Promise<Row> {
  const parent = await bench.environment();
  await change(parent["schemaName"]);
  const remove = (made: readonly Answer[]) =>
    Promise.all(made.map((each) => bench.platform("DELETE", environmentPath(each))));
  const samples = await inTurn(ROUNDS, {
    async ours() {
      await poolOf(bench, TEMPLATE, READY_SCHEMAS);
      let made: Answer[] = [];
      const took = await timed(async () => {
        const path = `${environmentPath(parent)}/fork`;
        const answer = await bench.platform("POST", path, { count: FORKS });
        made = answer["environments"] as Answer[];
      });
      await remove(made);
      return [took / FORKS];
    },
    async base() {
      await poolOf(bench, TEMPLATE, READY_SCHEMAS);
      const made: Answer[] = [];
      const taken = await latencies(CLIENTS, FORKS, async () =>
        made.push(await bench.environment()),
      );
      await remove(made);
      return taken;
    },
  });
  return {
    name: `fork with ${ROWS} changed rows, each of ${FORKS} in a call, p50`,
    ours: median(samples.ours),
    base: median(samples.base),
    unit: "ms",
    comparedWith: `initEnv, ${CLIENTS} clients`,
    bar: { most: 2 },
  };
}
