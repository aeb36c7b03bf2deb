/** Calls of both services beside the in-memory emulator: rate, and processor time of server and Postgres per call. */
import type { Sql } from "~/db/connect";
import { type Emulator, emulatorIsMissing, startEmulator } from "./emulator";
import { latencies, type Measured, median, type Row, throughput } from "./measure";
import { knowsProcesses, postgresProcesses, spent, timesOf } from "./processes";
import {
  AGENT,
  type Answer,
  type Bench,
  CHANNEL,
  poolOf,
  READY_SCHEMAS,
  TEAM,
  TEMPLATE,
} from "./server";

const CLIENTS = 8;
const SECONDS = 2;
const ROUNDS = 4;
/** Both engines compile hot code during the first thousands of calls: each side makes so many, or for so long. */
const WARM_UP_CALLS = 10_000;
const WARM_UP_SECONDS = 10;
/** Issues of an environment above which clients share environments. */
const LARGE = 10_000;

type Call = (client: number) => Promise<unknown>;
type Bars = { readonly rate?: number; readonly cpuMs?: number };

/** Rate and cost of `call`, alternating with the emulator's of the same kind. */
async function beside(
  bench: Bench,
  name: string,
  ours: Call,
  theirs: { readonly emulator: Emulator; readonly call: Call } | undefined,
  bars: Bars,
): Promise<Row[]> {
  const sql = bench.connect();
  const read = async () => ({
    server: await timesOf([bench.pid]),
    database: await timesOf((await postgresProcesses(sql)).keys()),
  });
  // A pool that is being filled would count as the cost of these calls.
  await poolOf(bench, TEMPLATE, READY_SCHEMAS);
  await warmUp(ours);
  if (theirs) await warmUp(theirs.call);
  const rates: number[] = [];
  const costs: { server: number; database: number }[] = [];
  const base = { rates: [] as number[], costs: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const before = await read();
    const rate = await throughput(CLIENTS, SECONDS, ours);
    const after = await read();
    rates.push(rate);
    costs.push({
      server: spent(before.server, after.server) / (rate * SECONDS),
      database: spent(before.database, after.database) / (rate * SECONDS),
    });
    if (!theirs) continue;
    const idle = await timesOf([theirs.emulator.pid]);
    const theirRate = await throughput(CLIENTS, SECONDS, theirs.call);
    base.rates.push(theirRate);
    base.costs.push(spent(idle, await timesOf([theirs.emulator.pid])) / (theirRate * SECONDS));
  }
  await sql.end();
  const server = median(costs.map((cost) => cost.server));
  const database = median(costs.map((cost) => cost.database));
  return [
    {
      name: `${name}: rate, ${CLIENTS} clients`,
      ours: median(rates),
      base: theirs && median(base.rates),
      unit: "/s",
      comparedWith: theirs ? "the emulator in memory" : "",
      bar: theirs && bars.rate !== undefined ? { least: bars.rate } : {},
    },
    ...(knowsProcesses
      ? [
          {
            name: `${name}: processor time of server and Postgres`,
            ours: server + database,
            base: undefined,
            unit: "ms" as const,
            comparedWith: theirs ? `the emulator: ${median(base.costs).toPrecision(3)} ms` : "",
            bar: bars.cpuMs === undefined ? {} : { most: bars.cpuMs },
            note: `server ${server.toPrecision(3)}, Postgres ${database.toPrecision(3)}`,
          },
        ]
      : []),
  ];
}

async function warmUp(call: Call): Promise<void> {
  const end = performance.now() + WARM_UP_SECONDS * 1000;
  await latencies(CLIENTS, WARM_UP_CALLS, async (client) => {
    if (performance.now() < end) await call(client);
  });
}

/** Runs `work` with an emulator, or without one where it cannot run: the rows then lack their reference. */
async function withEmulator(
  service: "slack" | "linear",
  work: (emulator: Emulator | undefined) => Promise<Row[]>,
): Promise<Measured[]> {
  const missing = emulatorIsMissing();
  if (missing !== undefined)
    return [...(await work(undefined)), { name: `beside the emulator (${service})`, missing }];
  const emulator = await startEmulator(service);
  try {
    return await work(emulator);
  } finally {
    await emulator.stop();
  }
}

async function inDatabase<T>(bench: Bench, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = bench.connect();
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** Fills the channel with `count` messages, as far as history shows them the latest. */
export const growMessages = (bench: Bench, environment: Answer, count: number) =>
  inDatabase(bench, async (sql) => {
    const schema = `"${environment["schemaName"]}"`;
    await sql.unsafe(`
      insert into ${schema}.messages (channel_id, ts, user_id, text)
      select '${CHANNEL}', (1790000000 + i)::text || '.000000', 'U02JOHNADOE', 'message ' || i
      from generate_series(1, ${count}) i
    `);
    await sql.unsafe(`vacuum analyze ${schema}.messages`);
  });

/** Copies one row until the table has `count`. `source` selects it; `changes`: SQL of keys and values, for copy `n`. */
async function copyRow(
  sql: Sql,
  table: string,
  count: number,
  source: string,
  changes: string,
): Promise<void> {
  await sql.unsafe(`
    insert into ${table}
    select copy.* from (select * from ${table} where ${source} limit 1) one,
      generate_series(1, ${count} - (select count(*)::int from ${table})) n,
      jsonb_populate_record(null::${table}, to_jsonb(one) || jsonb_build_object(
        'id', gen_random_uuid(), 'createdAt', one."createdAt" + n * interval '1 second', ${changes}
      )) copy
  `);
  const [row] = await sql.unsafe(`select count(*)::int as count from ${table}`);
  if (row?.["count"] < count) throw new Error(`${table} has no row to copy`);
  await sql.unsafe(`vacuum analyze ${table}`);
}

/** Copies an issue of the team until there are `count`. */
export const growIssues = (bench: Bench, environment: Answer, count: number) =>
  inDatabase(bench, (sql) =>
    copyRow(
      sql,
      `"${environment["schemaName"]}".issues`,
      count,
      `"teamId" = '${TEAM}' order by number`,
      `'number', 100000 + n, 'identifier', 'ENG-' || (100000 + n), 'title', 'issue ' || n,
       'documentContentId', gen_random_uuid(), 'sortOrder', -n`,
    ),
  );

/** Copies a comment to one issue until there are `count`. */
export const growComments = (bench: Bench, environment: Answer, count: number) => {
  const schema = `"${environment["schemaName"]}"`;
  return inDatabase(bench, (sql) =>
    copyRow(
      sql,
      `${schema}.comments`,
      count,
      `"issueId" is not null`,
      `'parentId', null, 'issueId', (select id from ${schema}.issues where identifier = 'ENG-1')`,
    ),
  );
};

const perClient = <T>(make: (client: number) => Promise<T>, count = CLIENTS): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, client) => make(client)));

const answered = (answer: Answer) => {
  if (!answer["data"] || answer["errors"])
    throw new Error(`the tracker rejected a request: ${JSON.stringify(answer["errors"])}`);
  return answer["data"] as Record<string, { readonly issue: { readonly id: string } }>;
};

/** One channel of the emulator with `count` messages. */
async function emulatedChannel({ post }: Emulator, count: number): Promise<string> {
  const { channels } = (await post("/api/conversations.list", {})) as {
    channels: { id: string }[];
  };
  const channel = channels[0]?.id ?? "";
  let left = count;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (left-- > 0) await post("/api/chat.postMessage", { channel, text: "hello" });
    }),
  );
  return channel;
}

export async function postMessage(bench: Bench): Promise<Measured[]> {
  const environments = await perClient(() => bench.environment());
  return await withEmulator("slack", async (emulator) => {
    const channel = emulator && (await emulatedChannel(emulator, 0));
    return await beside(
      bench,
      "chat.postMessage",
      (client) =>
        bench.chat(environments[client] ?? {}, "chat.postMessage", {
          channel: CHANNEL,
          text: "hello",
        }),
      emulator && {
        emulator,
        call: () => emulator.post("/api/chat.postMessage", { channel, text: "hello" }),
      },
      { rate: 0.75 },
    );
  });
}

/** Pages of 50 messages of a channel with `count`. */
const historyOf = (count: number, bars: Bars) => async (bench: Bench) => {
  const environment = await bench.environment();
  await growMessages(bench, environment, count);
  return await withEmulator("slack", async (emulator) => {
    const channel = emulator && (await emulatedChannel(emulator, count));
    return await beside(
      bench,
      `conversations.history, 50 of ${count.toLocaleString("en")}`,
      () => bench.chat(environment, "conversations.history", { channel: CHANNEL, limit: 50 }),
      emulator && {
        emulator,
        call: () => emulator.post("/api/conversations.history", { channel, limit: 50 }),
      },
      bars,
    );
  });
};

export async function history(bench: Bench): Promise<Measured[]> {
  const small = await historyOf(100, { rate: 1 })(bench);
  return [...small, ...(await historyOf(10_000, { rate: 3 })(bench))];
}

/** The floor of a call: no statement. */
export async function floor(bench: Bench): Promise<Row[]> {
  const environments = await perClient(() => bench.environment());
  return await beside(
    bench,
    "api.test",
    (client) => bench.chat(environments[client] ?? {}, "api.test", {}),
    undefined,
    {},
  );
}

export const ISSUES = `query { issues(first: 50) { nodes {
  id identifier title priority createdAt team { id key name } state { id name type }
  assignee { id name displayName } labels { nodes { id name color } }
} pageInfo { hasNextPage endCursor } } }`;
export const CREATE_ISSUE = `mutation ($team: String!) {
  issueCreate(input: { teamId: $team, title: "hello" }) { success issue { id identifier } }
}`;
export const UPDATE_ISSUE = `mutation ($id: String!, $title: String!, $priority: Int!) {
  issueUpdate(id: $id, input: { title: $title, priority: $priority }) { success issue { id title } }
}`;
export const CREATE_COMMENT = `mutation ($id: String!) {
  commentCreate(input: { issueId: $id, body: "hello" }) { success comment { id } }
}`;

async function trackers(bench: Bench, issues: number): Promise<Answer[]> {
  // Making many large ones takes minutes.
  const count = issues > LARGE ? 2 : CLIENTS;
  const environments = await perClient(() => bench.environment("tracker_expanded", AGENT), count);
  for (const environment of environments) await growIssues(bench, environment, issues);
  return environments;
}

const asker =
  (bench: Bench, environments: readonly Answer[]) =>
  async (client: number, query: string, variables = {}) =>
    answered(
      await bench.post(
        `${environments[client % environments.length]?.["environmentUrl"]}/graphql`,
        {
          query,
          variables,
        },
      ),
    );

/** The emulator's team, with `count` issues. */
async function emulatedTeam({ post }: Emulator, count: number): Promise<string> {
  const { data } = await post("/graphql", { query: "{ teams(first: 1) { nodes { id } } }" });
  const [{ id: team }] = (data as { teams: { nodes: [{ id: string }] } }).teams.nodes;
  let left = count;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (left-- > 0) await post("/graphql", { query: CREATE_ISSUE, variables: { team } });
    }),
  );
  return team;
}

export async function issues(bench: Bench): Promise<Measured[]> {
  const rows: Measured[] = [];
  for (const [count, rate] of [
    [100, 1.5],
    [10_000, 3],
  ] as const) {
    const ask = asker(bench, await trackers(bench, count));
    rows.push(
      ...(await withEmulator("linear", async (emulator) => {
        if (emulator) await emulatedTeam(emulator, count);
        return await beside(
          bench,
          `issues(first: 50) of ${count.toLocaleString("en")}`,
          (client) => ask(client, ISSUES),
          emulator && { emulator, call: () => emulator.post("/graphql", { query: ISSUES }) },
          { rate },
        );
      })),
    );
  }
  return rows;
}

/** Writes at 10 and at 100,000 issues: the cost may not depend on the state. */
export async function issueWrites(bench: Bench): Promise<Measured[]> {
  const rows: Measured[] = [];
  for (const count of [10, 100_000]) {
    const environments = await trackers(bench, count);
    const ask = asker(bench, environments);
    const of = (name: string) => `${name}, ${count.toLocaleString("en")} issues`;
    const ids = await perClient(async (client) => {
      const { issueCreate } = await ask(client, CREATE_ISSUE, { team: TEAM });
      return issueCreate?.issue.id;
    });
    rows.push(
      ...(await withEmulator("linear", async (emulator) => {
        const team = emulator && (await emulatedTeam(emulator, 0));
        return await beside(
          bench,
          of("issueCreate"),
          (client) => ask(client, CREATE_ISSUE, { team: TEAM }),
          emulator && {
            emulator,
            call: () => emulator.post("/graphql", { query: CREATE_ISSUE, variables: { team } }),
          },
          { rate: 0.6, cpuMs: 2 },
        );
      })),
    );
    let edits = 0;
    const edit: Call = (client) =>
      ask(client, UPDATE_ISSUE, {
        id: ids[client],
        title: `hello ${edits++}`,
        priority: 1 + (edits % 4),
      });
    rows.push(...(await beside(bench, of("issueUpdate"), edit, undefined, { cpuMs: 2 })));
    const comment: Call = (client) => ask(client, CREATE_COMMENT, { id: ids[client] });
    rows.push(...(await beside(bench, of("commentCreate"), comment, undefined, { cpuMs: 2 })));
  }
  return rows;
}
