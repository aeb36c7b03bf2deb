/** The cost of calls in a small and in a large state: it may grow with the answer only. */
import { growComments, growIssues, growMessages, ISSUES } from "./calls";
import {
  type Ask,
  COMPANY_USER,
  calendarCalls,
  growEvents,
  growMails,
  growSeries,
  MAILBOX,
  mailCalls,
} from "./google";
import { inTurn, type Measured, median, type Row, throughput } from "./measure";
import { knowsProcesses, postgresProcesses, spent, timesOf } from "./processes";
import { AGENT, type Answer, type Bench, CHANNEL, fullPool, TEAM, TEMPLATE } from "./server";

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

const probe = (name: string, call: Ask, mayGrow = false): Probe => ({ name, call, mayGrow });

function mailProbes(bench: Bench): Probe[] {
  const { send, get, list, threads, modify, search } = mailCalls(bench);
  return [
    probe("messages.send", send),
    probe("messages.get", get),
    probe("messages.list", list),
    probe("threads.list", threads),
    probe("messages.modify", modify),
    probe("messages.list with a search", search, true),
  ];
}

function calendarProbes(bench: Bench): Probe[] {
  const { insert, get, week } = calendarCalls(bench);
  return [
    probe("events.insert", insert),
    probe("events.get", get),
    probe("events.list of a week", week),
  ];
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
  const add = async (
    template: string,
    user: string,
    grow: typeof growMessages,
    probes: readonly Probe[],
  ) => {
    const environments = await both(() => bench.environment(template, user), grow);
    for (const each of probes) rows.push(await measure(bench, each, environments));
  };
  await add(TEMPLATE, "U01AGENTONE", growMessages, chatProbes(bench));
  await add("tracker_expanded", AGENT, growTracker, trackerProbes(bench));
  await add("mail_default", MAILBOX, growMails, mailProbes(bench));
  await add("calendar_default", MAILBOX, growEvents, calendarProbes(bench));
  return [...rows, ...(await bounded(bench))];
}

/** Processor time of one call, by calls for a second. */
async function costOf(bench: Bench, call: () => Promise<unknown>): Promise<number> {
  const sql = bench.connect();
  try {
    const read = async () => await timesOf([bench.pid, ...(await postgresProcesses(sql)).keys()]);
    const before = await read();
    const rate = await throughput(CLIENTS, SECONDS, call);
    return spent(before, await read()) / (rate * SECONDS);
  } finally {
    await sql.end();
  }
}

/** Calls whose cost has a limit of its own, in processor time, and a mail beside a message. */
async function bounded(bench: Bench): Promise<Measured[]> {
  const chat = await bench.environment();
  const mailbox = await bench.environment("mail_default", MAILBOX);
  await growMails(bench, mailbox, 10_000);
  const series = await bench.environment("calendar_default", MAILBOX);
  await growSeries(bench, series, 200);
  const company = await bench.environment("calendar_bench_default", COMPANY_USER);
  await fullPool(bench);
  const { send, search } = mailCalls(bench);
  const { week, freeBusy } = calendarCalls(bench);
  const calls = {
    send: () => send(mailbox),
    post: () => bench.chat(chat, "chat.postMessage", { channel: CHANNEL, text: "hello" }),
    search: () => search(mailbox),
    week: () => week(series),
    freeBusy: () => freeBusy(company),
  };
  for (const call of Object.values(calls)) await throughput(CLIENTS, SECONDS, call);
  const of = (call: () => Promise<unknown>) => async () => [await costOf(bench, call)];
  const samples = await inTurn(ROUNDS, {
    ...{ send: of(calls.send), post: of(calls.post), search: of(calls.search) },
    ...{ week: of(calls.week), freeBusy: of(calls.freeBusy) },
  });
  const row = (name: string, ours: readonly number[], most: number): Row => ({
    name: `${name}: processor time`,
    ...{ ours: median(ours), base: undefined, unit: "ms", comparedWith: "", bar: { most } },
  });
  return [
    {
      ...row("messages.send to one person", samples.send, 1.5),
      base: median(samples.post),
      comparedWith: "chat.postMessage",
    },
    row("messages.list, a search in 10,000 messages", samples.search, 50),
    row("events.list of a week, 200 series", samples.week, 20),
    row("freeBusy, 20 people for a month", samples.freeBusy, 30),
  ];
}

async function measure(
  bench: Bench,
  { name, call, mayGrow }: Probe,
  environments: { readonly small: Answer; readonly large: Answer },
): Promise<Measured> {
  const label = `${name}, ${LARGE.toLocaleString("en")} rows: processor time`;
  const cost = async (environment: Answer) => [await costOf(bench, () => call(environment))];
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
  }
}
