/** The cost of calls in a small and in a large state: it may grow with the answer only. */
import { growComments, growIssues, growMessages, ISSUES } from "./calls";
import { inTurn, type Measured, median, type Row, throughput } from "./measure";
import { knowsProcesses, postgresProcesses, spent, timesOf } from "./processes";
import { AGENT, type Answer, type Bench, CHANNEL, fullPool, TEAM } from "./server";

const SMALL = 100;
const LARGE = 100_000;
const ROUNDS = 3;
const SECONDS = 1;
const CLIENTS = 2;
const RATIO_MAX = 1.3;

type Probe = {
  readonly name: string;
  readonly call: (environment: Answer) => Promise<unknown>;
  /** A search reads all that it searches. */
  readonly mayGrow?: boolean;
};

const chatProbes = (bench: Bench): Probe[] => {
  const method = (name: string, args: object, mayGrow = false): Probe => ({
    name,
    call: (environment) => bench.chat(environment, name, args),
    mayGrow,
  });
  const root = "1790000050.000000";
  return [
    method("chat.postMessage", { channel: CHANNEL, text: "hello" }),
    method("conversations.history", { channel: CHANNEL, limit: 50 }),
    method("conversations.replies", { channel: CHANNEL, ts: root }),
    method("conversations.info", { channel: CHANNEL }),
    method("reactions.get", { channel: CHANNEL, timestamp: root }),
    { name: "chat.update", call: changeOwn(bench) },
    method("search.messages", { query: "message" }, true),
  ];
};

/** Changes the message that it has posted at its first call in the environment. */
function changeOwn(bench: Bench): Probe["call"] {
  const posted = new Map<Answer, Promise<Answer>>();
  return async (environment) => {
    const post = () =>
      bench.chat(environment, "chat.postMessage", { channel: CHANNEL, text: "new" });
    const message = posted.get(environment) ?? post();
    posted.set(environment, message);
    const { ts } = await message;
    return await bench.chat(environment, "chat.update", { channel: CHANNEL, ts, text: "changed" });
  };
}

const trackerProbes = (bench: Bench): Probe[] => {
  const request = (name: string, query: string, mayGrow = false): Probe => ({
    name,
    call: async (environment) => {
      const answer = await bench.post(`${environment["environmentUrl"]}/graphql`, { query });
      if (answer["errors"]) throw new Error(JSON.stringify(answer["errors"]));
    },
    mayGrow,
  });
  return [
    request("issues(first: 50)", ISSUES),
    request("issue(identifier)", `{ issue(id: "ENG-1") { id title state { name } } }`),
    request(
      "issue(identifier) { comments(first: 50) }",
      `{ issue(id: "ENG-1") { comments(first: 50) { nodes { id body } } } }`,
    ),
    request(
      "issueCreate",
      `mutation { issueCreate(input: { teamId: "${TEAM}", title: "hello" }) { issue { id } } }`,
    ),
    request(
      "issueUpdate",
      `mutation { issueUpdate(id: "ENG-1", input: { priority: 2 }) { issue { id } } }`,
    ),
    request(
      "commentCreate",
      `mutation { commentCreate(input: { issueId: "ENG-1", body: "hello" }) { comment { id } } }`,
    ),
    request("searchIssues", `{ searchIssues(term: "issue") { nodes { id } } }`, true),
  ];
};

async function growTracker(bench: Bench, environment: Answer, count: number): Promise<void> {
  await growIssues(bench, environment, count);
  await growComments(bench, environment, count);
}

export async function growth(bench: Bench): Promise<Measured[]> {
  if (!knowsProcesses)
    return [{ name: "cost by the size of the state", missing: "there is no /proc on this system" }];
  const rows: Measured[] = [];
  const both = async (make: () => Promise<Answer>, grow: typeof growMessages) => {
    const [small, large] = [await make(), await make()];
    await grow(bench, small, SMALL);
    await grow(bench, large, LARGE);
    // A pool that is being filled would count as the cost of these calls.
    await fullPool(bench);
    return { small, large };
  };
  const chat = await both(() => bench.environment(), growMessages);
  for (const probe of chatProbes(bench)) rows.push(await measure(bench, probe, chat));
  const tracker = await both(() => bench.environment("tracker_expanded", AGENT), growTracker);
  for (const probe of trackerProbes(bench)) rows.push(await measure(bench, probe, tracker));
  return rows;
}

async function measure(
  bench: Bench,
  { name, call, mayGrow }: Probe,
  environments: { readonly small: Answer; readonly large: Answer },
): Promise<Measured> {
  const label = `${name}, ${LARGE.toLocaleString("en")} rows: processor time`;
  const sql = bench.connect();
  const cost = async (environment: Answer) => {
    const read = async () => await timesOf([bench.pid, ...(await postgresProcesses(sql))]);
    const before = await read();
    const rate = await throughput(CLIENTS, SECONDS, () => call(environment));
    return [spent(before, await read()) / (rate * SECONDS)];
  };
  try {
    for (const environment of Object.values(environments))
      await throughput(CLIENTS, SECONDS, () => call(environment));
    const samples = await inTurn(ROUNDS, {
      large: () => cost(environments.large),
      small: () => cost(environments.small),
    });
    return {
      name: label,
      ours: median(samples.large),
      base: median(samples.small),
      unit: "ms",
      comparedWith: `${SMALL} rows`,
      bar: mayGrow ? {} : { most: RATIO_MAX },
    } satisfies Row;
  } catch (error) {
    return { name: label, missing: String(error) };
  } finally {
    await sql.end();
  }
}
