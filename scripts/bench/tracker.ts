/** The cost of the tracker's heaviest request in the server and the database together. */
import postgres from "postgres";
import { latencies, median, type Row, throughput } from "./measure";
import type { Bench } from "./server";

const CLIENTS = 8;
const SECONDS = 5;
const ROUNDS = 3;
const AGENT = "b0000000-0000-4000-8000-000000000001";
/** CPU time of the same request to an in-memory emulator in Node, on a machine of this kind. */
const EMULATOR_MS = 2.3;

const ISSUES = `query { issues(first: 50) { nodes {
  id identifier title priority createdAt team { id key name } state { id name type }
  assignee { id name displayName } labels { nodes { id name color } }
} pageInfo { hasNextPage endCursor } } }`;
const TICKS_PER_SECOND = 100;

/** Milliseconds of CPU that processes have used so far, children that have ended not counted. */
async function cpuMs(pids: readonly number[]): Promise<number> {
  let ticks = 0;
  for (const pid of pids) {
    const stat = await Bun.file(`/proc/${pid}/stat`)
      .text()
      .catch(() => "");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  }
  return (ticks * 1000) / TICKS_PER_SECOND;
}

export async function tracker(bench: Bench): Promise<Row> {
  const environment = await bench.environment("tracker_expanded", AGENT);
  const path = `${environment["environmentUrl"]}/graphql`;
  const issues = async () => {
    const { data } = await bench.post(path, { query: ISSUES });
    if (!data) throw new Error("the tracker rejected the request");
  };
  await latencies(CLIENTS, 200, issues);
  const sql = postgres(bench.databaseUrl, { max: 1, onnotice: () => {} });
  const pids = [bench.pid, ...(await sql`select pid from pg_stat_activity`).map(({ pid }) => pid)];
  await sql.end();
  const samples: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await cpuMs(pids);
    const rate = await throughput(CLIENTS, SECONDS, issues);
    samples.push(((await cpuMs(pids)) - before) / (rate * SECONDS));
  }
  return {
    name: "tracker issues(first: 50) with team, state, assignee, labels: CPU of server and database",
    ours: median(samples),
    base: EMULATOR_MS,
    unit: "ms",
    comparedWith: "an emulator in memory, measured elsewhere",
    bar: { most: 1 },
  };
}
