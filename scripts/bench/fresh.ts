/** Fresh environments: the first call of each kind, and a burst of them. */
import { CREATE_COMMENT, CREATE_ISSUE, ISSUES, UPDATE_ISSUE } from "./calls";
import { latencies, type Measured, median, quantile, type Row, timed } from "./measure";
import {
  AGENT,
  type Answer,
  type Bench,
  CHANNEL,
  EMPTY_SCHEMAS,
  fullPool,
  poolOf,
  READY_SCHEMAS,
  TEAM,
  TEMPLATE,
} from "./server";

const ENVIRONMENTS = 12;
/** The bar of a first call, in milliseconds. That of an environment's very first call includes the lock of its schema. */
const FIRST_CALL_MS = 6;
/** Environments that make the calls before, so that the server knows their statements. */
const KNOWN = 2;
const READY_OF_TRACKER = 20;
const QUIET_SECONDS = 6;
const BURST = 256;
const BURST_SECONDS = 2;

type Kind = (environment: Answer) => Promise<unknown>;

export async function firstCalls(bench: Bench): Promise<Row[]> {
  const ask = (query: string, variables?: object) => async (environment: Answer) => {
    const answer = await bench.post(`${environment["environmentUrl"]}/graphql`, {
      query,
      variables,
    });
    if (answer["errors"]) throw new Error(JSON.stringify(answer["errors"]));
  };
  const chat: Record<string, Kind> = {
    "chat.postMessage": (environment) =>
      bench.chat(environment, "chat.postMessage", { channel: CHANNEL, text: "hello" }),
    "conversations.history": (environment) =>
      bench.chat(environment, "conversations.history", { channel: CHANNEL }),
    "users.list": (environment) => bench.chat(environment, "users.list", {}),
    "conversations.list": (environment) => bench.chat(environment, "conversations.list", {}),
  };
  let title = 0;
  const tracker: Record<string, Kind> = {
    "issues(first: 50)": ask(ISSUES),
    issueCreate: ask(CREATE_ISSUE, { team: TEAM }),
    issueUpdate: (environment) =>
      ask(UPDATE_ISSUE, { id: "ENG-1", title: `title ${title++}`, priority: 1 })(environment),
    commentCreate: ask(CREATE_COMMENT, { id: "ENG-1" }),
  };
  const ofChat = () => bench.environment();
  const ofTracker = () => bench.environment("tracker_expanded", AGENT);
  await bench.restart({
    ENVIRONMENT_POOL_TARGETS: `${TEMPLATE}:${READY_SCHEMAS},tracker_expanded:${READY_OF_TRACKER}`,
  });
  await poolOf(bench, "tracker_expanded", READY_OF_TRACKER);
  await firstOfEach(ofChat, chat, KNOWN);
  await firstOfEach(ofTracker, tracker, KNOWN);
  await quietMoment(bench);
  const rows = [...(await firstOfEach(ofChat, chat)), ...(await firstOfEach(ofTracker, tracker))];
  await bench.restart();
  return rows;
}

/** Waits until nothing is built: a build makes sessions discard what they know of the catalog. */
async function quietMoment(bench: Bench): Promise<void> {
  const sql = bench.connect();
  let builds: unknown;
  for (let quiet = 0; quiet < QUIET_SECONDS; quiet++) {
    await Bun.sleep(1_000);
    const [row] = await sql`select max(oid)::int as builds from pg_namespace`;
    if (row?.["builds"] !== builds) quiet = 0;
    builds = row?.["builds"];
  }
  await sql.end();
}

async function firstOfEach(
  make: () => Promise<Answer>,
  kinds: Record<string, Kind>,
  environments = ENVIRONMENTS,
): Promise<Row[]> {
  const first: Record<string, number[]> = {};
  for (let n = 0; n < environments; n++) {
    const environment = await make();
    for (const [name, call] of Object.entries(kinds))
      first[name] = [...(first[name] ?? []), await timed(() => call(environment))];
  }
  return Object.keys(kinds).map((name) => ({
    name: `${name}: the first call in a fresh environment, p50`,
    ours: median(first[name] ?? []),
    base: undefined,
    unit: "ms",
    comparedWith: "",
    bar: { most: FIRST_CALL_MS },
  }));
}

/** A group of rollouts that starts at the same moment, from a pool that is smaller. */
export async function burst(bench: Bench): Promise<Measured[]> {
  await fullPool(bench);
  let rejected = 0;
  const made: Answer[] = [];
  const samples = await latencies(BURST, BURST, async () => {
    await bench.environment().then(
      (environment) => made.push(environment),
      () => rejected++,
    );
  });
  for (const { environmentId } of made) await bench.platform("DELETE", `/env/${environmentId}`);
  await fullPool(bench);
  const name = `${BURST} initEnv at the same moment, from ${READY_SCHEMAS} ready and ${EMPTY_SCHEMAS} empty schemas`;
  if (rejected > 0) return [{ name, missing: `${rejected} were rejected` }];
  return [
    {
      name: `${name}, p99`,
      ours: quantile(samples, 0.99) / 1000,
      base: undefined,
      unit: "s",
      comparedWith: "none rejected",
      bar: { most: BURST_SECONDS },
    },
  ];
}
