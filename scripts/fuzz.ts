/**
 * Calls the server with whatever its OpenAPI document and its GraphQL schema allow, and what they do not.
 *
 *   bun run fuzz [--minutes N] [--seed N --path P]
 *
 * Sequences of up to 30 calls with own, foreign, deleted and expired ids. What failed once stands in
 * scripts/fuzz/corpus.json and is played first; a new failure is made small, told, and added there.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import fc from "fast-check";
import {
  type Call,
  chatCall,
  type Document,
  encodePart,
  operationsOf,
  platformCall,
  trackerCall,
} from "./fuzz/calls";
import { faultOf, restFault, SLOW_MS } from "./fuzz/checks";
import { type GraphqlSchema, INTROSPECTION, readSchema } from "./fuzz/graphql";
import { startTarget } from "./fuzz/server";
import { World } from "./fuzz/world";

const CORPUS = join(import.meta.dir, "fuzz/corpus.json");
const CALLS_MAX = 30;
/** Sequences between two looks at the server at rest. */
const REST_EVERY = 20;
const MARK = "what only the foreign user may see";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string" },
    path: { type: "string" },
  },
});

type Entry = { readonly fault: string; readonly calls: readonly Call[] };
// biome-ignore lint/suspicious/noExplicitAny: answers of a server under attack have no type.
type Json = Record<string, any>;

const target = await startTarget();
const secrets = [target.password, target.keys.foreign, MARK];
let sent = 0;
let sequences = 0;
const outcomes = new Map<number, number>();

/** A call that must succeed. */
async function must(key: string, method: string, path: string, body?: object): Promise<Json> {
  const response = await fetch(target.url + path, {
    method,
    headers: { "X-API-Key": key, "Content-Type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = (await response.json()) as Json;
  if (!response.ok || answer["ok"] === false)
    throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

const SERVICES = [
  { service: "chat", templateName: "chat_default", impersonateUserId: "U01AGENT" },
  { service: "tracker", templateName: "tracker_default", impersonateUserId: undefined },
];

async function environment(key: string, service: string, ttlSeconds: number): Promise<Json> {
  const known = SERVICES.find((one) => one.service === service);
  if (!known) throw new Error(`no service ${service}`);
  const { templateName, impersonateUserId } = known;
  return await must(key, "POST", "/api/platform/initEnv", {
    templateService: service,
    templateName,
    impersonateUserId: impersonateUserId ?? agent,
    ttlSeconds,
  });
}

const document = (await (await fetch(`${target.url}/docs/json`)).json()) as Document;
const operations = operationsOf(document);
const services = new Set(operations.flatMap(({ path }) => /services\/(\w+)/.exec(path)?.[1] ?? []));
/** A user of the tracker's templates. */
let agent = "";
const world = await prepare();
const graphql = await introspect();
const calls = fc.array(anyCall(), { minLength: 1, maxLength: CALLS_MAX, size: "max" });

/** What every sequence can name: things of both users, and things that are over. */
async function prepare(): Promise<World> {
  const prepared = new World();
  const { own, foreign } = target.keys;
  if (services.has("tracker")) {
    const [row] = await target.sql`
      select schema_name as name from diorama.templates where name = 'tracker_default'
    `;
    const [user] = await target.sql.unsafe(`select id from "${row?.["name"]}".users limit 1`);
    agent = user?.["id"];
  }
  for (const service of services) {
    const theirs = await environment(foreign, service, 600_000);
    secrets.push(theirs["schemaName"], theirs["token"]);
    const gone = await environment(own, service, 600);
    await must(own, "DELETE", `/api/platform/env/${gone["environmentId"]}`);
    const brief = await environment(own, service, 0.2);
    for (const kind of ["environment", `${service}Environment`]) {
      prepared.add(kind, "foreign", theirs["environmentId"]);
      prepared.add(kind, "deleted", gone["environmentId"]);
      prepared.add(kind, "expired", brief["environmentId"]);
    }
    if (service === "chat")
      await must(foreign, "POST", `${theirs["environmentUrl"]}/chat.postMessage`, {
        channel: "C01GENERAL",
        text: MARK,
      });
    const run = await must(foreign, "POST", "/api/platform/startRun", {
      envId: theirs["environmentId"],
    });
    prepared.add("run", "foreign", run["runId"]);
  }
  if (operations.some(({ path }) => path === "/api/platform/testSuites")) {
    const suite = await must(foreign, "POST", "/api/platform/testSuites", {
      name: MARK,
      templateService: "chat",
      templateName: "chat_default",
      tests: [{ name: MARK, prompt: MARK, expectedOutput: { assertions: [] } }],
    });
    prepared.add("suite", "foreign", suite["suiteId"]);
  }
  for (const name of ["chat_default", "chat_base", "tracker_default"])
    prepared.add("template", "own", name);
  for (const user of ["U01AGENT", "U02JOHN", agent]) prepared.add("user", "own", user);
  for (const channel of ["C01GENERAL", "C02RANDOM"]) prepared.add("channel", "own", channel);
  return prepared;
}

async function introspect(): Promise<GraphqlSchema | undefined> {
  if (!services.has("tracker")) return undefined;
  const { environmentUrl } = await environment(target.keys.own, "tracker", 60);
  const { data } = await must(target.keys.own, "POST", `${environmentUrl}/graphql`, {
    query: INTROSPECTION,
  });
  return readSchema(data["__schema"]);
}

function anyCall(): fc.Arbitrary<Call> {
  const platform = operations.filter(({ path }) => path.startsWith("/api/platform"));
  const chat = operations.filter(({ path, body }) => body && path.includes("/services/chat/"));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...platform).chain(platformCall) },
    ...(chat.length > 0
      ? [{ weight: 3, arbitrary: fc.constantFrom(...chat).chain(chatCall) }]
      : []),
    ...(graphql ? [{ weight: 4, arbitrary: trackerCall(graphql) }] : []),
  );
}

function credential(caller: Call["caller"], token: string): Record<string, string> {
  switch (caller) {
    case "own":
      return { "X-API-Key": target.keys.own };
    case "foreign":
      return { "X-API-Key": target.keys.foreign };
    case "token":
      return { Authorization: `Bearer ${token}` };
    case "wrong":
      return { "X-API-Key": "wrong" };
    case "none":
      return {};
  }
}

const jsonPart = (id: string) => JSON.stringify(id).slice(1, -1);

async function send(call: Call, token: string, place: World) {
  const filledPath = place.fill(call.path, encodePart);
  const body =
    call.body === undefined || call.method === "GET" || call.method === "HEAD"
      ? undefined
      : place.fill(call.body, call.type?.includes("form") ? encodePart : jsonPart);
  const started = performance.now();
  const response = await fetch(target.url + filledPath, {
    method: call.method,
    headers: {
      ...credential(call.caller, token),
      ...(call.type === undefined ? {} : { "Content-Type": call.type }),
    },
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
  });
  const text = await response.text();
  const { status, headers } = response;
  sent++;
  outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
  const milliseconds = performance.now() - started;
  const whole = {
    ...call,
    filledPath,
    sent: decodeURIComponentLeniently(filledPath) + (body ?? ""),
  };
  return { call: whole, answered: { status, headers, text, milliseconds } };
}

function decodeURIComponentLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Plays calls in environments of their own. Throws with the first fault. */
async function play(sequence: readonly Call[]): Promise<void> {
  const place = world.copy();
  const tokens = new Map<string, string>();
  const made: string[] = [];
  for (const service of services) {
    const mine = await environment(target.keys.own, service, 600);
    made.push(mine["environmentId"]);
    tokens.set(service, mine["token"]);
    for (const kind of ["environment", `${service}Environment`])
      place.add(kind, "own", mine["environmentId"]);
    const run = await must(target.keys.own, "POST", "/api/platform/startRun", {
      envId: mine["environmentId"],
    });
    place.add("run", "own", run["runId"]);
  }
  for (const one of sequence) {
    // What is foreign has to stay there, and its schema nobody else's.
    if (one.caller === "foreign" && one.method === "DELETE") continue;
    const token = tokens.get(one.path.includes("/tracker") ? "tracker" : "chat") ?? "";
    let { call, answered } = await send(one, token, place);
    // A busy machine is slow once.
    if (answered.milliseconds > SLOW_MS) ({ call, answered } = await send(one, token, place));
    const told = one.caller === "foreign" ? [target.password] : secrets;
    const fault = await faultOf(target.url, call, answered, told);
    if (fault) throw new Error(`${call.method} ${call.filledPath.slice(0, 200)} ${fault}`);
    if (!target.alive()) throw new Error(`${call.method} ${call.filledPath} ended the server`);
    if (answered.status < 300 && one.caller !== "foreign") learn(place, answered.text);
  }
  for (const id of made)
    await fetch(`${target.url}/api/platform/env/${id}`, {
      method: "DELETE",
      headers: credential("own", ""),
    });
  if (sequences++ % REST_EVERY === 0) {
    const fault = await restFault(target.url, target.sql);
    if (fault) throw new Error(`at rest: ${fault}`);
  }
}

function learn(place: World, text: string): void {
  try {
    place.learn(JSON.parse(text));
  } catch {
    // A download.
  }
}

async function replayCorpus(): Promise<void> {
  const entries = (await Bun.file(CORPUS).json()) as Entry[];
  for (const { fault, calls: past } of entries)
    await play(past).catch((error) => {
      throw new Error(`what failed before fails again (${fault}): ${error.message}`);
    });
  console.log(`${entries.length} past failures replayed`);
}

async function keep(entry: Entry): Promise<void> {
  const entries = (await Bun.file(CORPUS).json()) as Entry[];
  await Bun.write(CORPUS, `${JSON.stringify([...entries, entry], null, 2)}\n`);
}

async function search(): Promise<boolean> {
  const details = await fc.check(fc.asyncProperty(calls, play), {
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: Number(values.minutes) * 60_000,
    ...(values.seed ? { seed: Number(values.seed) } : {}),
    ...(values.path ? { path: values.path } : {}),
  });
  console.log(`seed ${details.seed}, ${details.numRuns} sequences`);
  if (!details.failed || details.counterexample === null) return true;
  const fault = details.errorInstance instanceof Error ? details.errorInstance.message : "failed";
  await keep({ fault, calls: details.counterexample[0] });
  console.log(`path ${details.counterexamplePath}\n${fault}`);
  console.log(JSON.stringify(details.counterexample[0], null, 2).slice(0, 4_000));
  return false;
}

const memoryBefore = await target.memory();
let passed = false;
try {
  await replayCorpus();
  passed = await search();
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
} finally {
  const memory = [memoryBefore, await target.memory()].map((bytes) => Math.round(bytes / 2 ** 20));
  console.log(`${sent} calls in ${sequences} sequences; memory ${memory.join(" → ")} MiB`);
  console.log(JSON.stringify(Object.fromEntries([...outcomes].sort(([a], [b]) => a - b))));
  if (!passed) console.log(target.output().trimEnd().split("\n").at(-1)?.slice(0, 1_500));
  await target.stop();
}
console.log(passed ? "1 passed, 0 failed" : "0 passed, 1 failed");
process.exit(passed ? 0 : 1);
