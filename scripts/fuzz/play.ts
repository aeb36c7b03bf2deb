/** Plays sequences of calls against the server, each in separate environments, and checks every effect. */
import { type Call, type Document, encodePart, operationsOf } from "./calls";
import { faultOf, isService, LIVE_MS, restFault, SLOW_MS } from "./checks";
import {
  actingFault,
  authorsFault,
  CHAT_AGENT,
  lengthsFault,
  plantPrivate,
  TRACKER_AGENT,
  TRACKER_MARIA,
} from "./privacy";
import { type GraphqlSchema, INTROSPECTION, readSchema } from "./schema";
import type { Target } from "./server";
import { createWirePlayer, isWire, type Wire } from "./wire";
import { World } from "./world";

/** Sequences between two checks of the idle server. */
const REST_EVERY = 20;
const MARK = "what only the foreign user may see";
/** Most calls are done before the first probe. */
const PROBE_EVERY_MS = 20;
/** Ending a run waits for the log. */
const DIFF_MS = 10_000;

// biome-ignore lint/suspicious/noExplicitAny: answers of a server under attack have no type.
type Json = Record<string, any>;
type Stage = { readonly service: string; readonly environmentId: string; readonly runId: string };

const SERVICES = [
  { service: "chat", templateName: "chat_default", impersonateUserId: CHAT_AGENT },
  { service: "tracker", templateName: "tracker_expanded", impersonateUserId: TRACKER_AGENT },
] as const;

/** One call, or one connection by hand. */
export type Step = Call | Wire;

export type Player = Awaited<ReturnType<typeof createPlayer>>;

export async function createPlayer(target: Target) {
  const secrets = [target.password, target.keys.foreign, MARK];
  const outcomes = new Map<number, number>();
  let sequences = 0;

  /** A call that must succeed. */
  async function must(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = { "X-API-Key": target.keys.own },
  ): Promise<Json> {
    const response = await fetch(target.url + path, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as Json;
    if (!response.ok || answer["ok"] === false || answer["errors"])
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  const environment = ({ service, ...rest }: (typeof SERVICES)[number], ttlSeconds: number) =>
    must("POST", "/api/platform/initEnv", {
      templateService: service,
      clock: "real", // messages are found by their time
      ...rest,
      ttlSeconds,
    });

  const foreign = { "X-API-Key": target.keys.foreign };
  const document = (await (await fetch(`${target.url}/docs/json`)).json()) as Document;
  const operations = operationsOf(document);
  const world = await prepare();
  const graphql = await introspect();
  const wires = createWirePlayer({
    url: target.url,
    place: (await environment(SERVICES[0], 600_000)) as { environmentUrl: string; token: string },
  });

  /** Ids for every sequence: of both users, and of deleted or ended objects. */
  async function prepare(): Promise<World> {
    const prepared = new World();
    for (const one of SERVICES) {
      const { service, ...rest } = one;
      const body = { templateService: service, ...rest, ttlSeconds: 600_000 };
      const theirs = await must("POST", "/api/platform/initEnv", body, foreign);
      secrets.push(theirs["schemaName"], theirs["token"]);
      const gone = await environment(one, 600);
      await must("DELETE", `/api/platform/env/${gone["environmentId"]}`);
      const brief = await environment(one, 0.2);
      for (const kind of ["environment", `${service}Environment`]) {
        prepared.add(kind, "foreign", theirs["environmentId"]);
        prepared.add(kind, "deleted", gone["environmentId"]);
        prepared.add(kind, "expired", brief["environmentId"]);
      }
      prepared.add(`${service}Token`, "foreign", theirs["token"]);
      if (service === "chat")
        await must(
          "POST",
          `${theirs["environmentUrl"]}/chat.postMessage`,
          { channel: "C01GENERAL", text: MARK },
          foreign,
        );
      const wanted = { envId: theirs["environmentId"] };
      const run = await must("POST", "/api/platform/startRun", wanted, foreign);
      prepared.add("run", "foreign", run["runId"]);
      prepared.add("user", "own", rest.impersonateUserId);
    }
    const suite = {
      name: MARK,
      templateService: "chat",
      templateName: "chat_default",
      tests: [
        {
          name: MARK,
          prompt: MARK,
          expectedOutput: { assertions: [{ diff_type: "added", entity: "messages" }] },
        },
      ],
    };
    const { suiteId } = await must("POST", "/api/platform/testSuites", suite, foreign);
    prepared.add("suite", "foreign", suiteId);
    prepared.add("key", "own", target.keys.own);
    prepared.add("key", "foreign", target.keys.foreign);
    for (const name of ["chat_default", "chat_base", "tracker_expanded"])
      prepared.add("template", "own", name);
    prepared.add("user", "own", "U02JOHNADOE");
    prepared.add("user", "other", TRACKER_MARIA);
    for (const channel of ["C01GENERAL", "C02RANDOM"]) prepared.add("channel", "own", channel);
    return prepared;
  }

  async function introspect(): Promise<GraphqlSchema> {
    const { environmentUrl } = await environment(SERVICES[1], 60);
    const { data } = await must("POST", `${environmentUrl}/graphql`, { query: INTROSPECTION });
    return readSchema(data["__schema"]);
  }

  function credential({ caller, path }: Call, place: World): Record<string, string> {
    switch (caller) {
      case "own":
        return { "X-API-Key": target.keys.own };
      case "foreign":
        return { "X-API-Key": target.keys.foreign };
      case "token":
        return {
          Authorization: `Bearer ${place.first(path.includes("/tracker") ? "trackerToken" : "chatToken")}`,
        };
      case "wrong":
        return { "X-API-Key": "wrong" };
      default:
        return {};
    }
  }

  async function send(call: Call, place: World) {
    const filledPath = place.fill(call.path, encodePart);
    const body =
      call.body === undefined || call.method === "GET" || call.method === "HEAD"
        ? undefined
        : place.fill(call.body, call.type?.includes("form") ? encodePart : jsonPart);
    const headers = (call.headers ?? []).map(([name, value]): [string, string] => [
      name,
      place.fill(value, headerPart),
    ]);
    const started = performance.now();
    const response = await fetch(target.url + filledPath, {
      method: call.method,
      headers: {
        ...credential(call, place),
        ...(call.type === undefined ? {} : { "Content-Type": call.type }),
        ...Object.fromEntries(headers),
      },
      ...(body === undefined ? {} : { body }),
      redirect: "manual",
    });
    const text = await response.text();
    const { status } = response;
    const milliseconds = performance.now() - started;
    outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
    return {
      call: {
        ...call,
        filledPath,
        sent: [decodeLeniently(filledPath), body, ...headers.map(([, value]) => value)].join("\n"),
      },
      answered: { status, headers: response.headers, text, milliseconds },
    };
  }

  /** Probes while `work` is in progress; resolves with the longest wait, in milliseconds. */
  async function probeBeside(work: Promise<unknown>): Promise<number> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    let longest = 0;
    for (;;) {
      await Promise.race([done, Bun.sleep(PROBE_EVERY_MS)]);
      if (isDone) return longest;
      const started = performance.now();
      const { status } = await fetch(`${target.url}/livez`);
      if (status !== 200) throw new Error(`/livez answered ${status}`);
      longest = Math.max(longest, performance.now() - started);
    }
  }

  async function sendProbed(call: Call, place: World) {
    const sending = send(call, place);
    const [waited, sentCall] = await Promise.all([probeBeside(sending), sending]);
    return { ...sentCall, waited };
  }

  /** Plays one call. `isPrivate`: only their own user acts in the environments. */
  async function playCall(one: Call, place: World, isPrivate: boolean): Promise<void> {
    let { call, answered, waited } = await sendProbed(one, place);
    // A busy machine may be slow once.
    if (answered.milliseconds > SLOW_MS || waited > LIVE_MS)
      ({ call, answered, waited } = await sendProbed(unfamiliar(one), place));
    const known = one.caller === "foreign" ? [target.password] : secrets;
    const fault =
      (await faultOf(target.url, call, answered, known)) ??
      (isPrivate && isService(call.filledPath) && one.caller !== "foreign"
        ? actingFault(call.filledPath, answered.text)
        : undefined) ??
      (waited > LIVE_MS ? `kept a probe waiting for ${Math.round(waited)} ms` : undefined);
    if (fault) throw new Error(`${call.method} ${call.filledPath.slice(0, 200)} ${fault}`);
    if (!target.alive()) throw new Error(`${call.method} ${call.filledPath} ended the server`);
    if (answered.status < 300 && one.caller !== "foreign") learn(place, answered.text);
  }

  async function playWire(wire: Wire): Promise<void> {
    const playing = wires.play(wire);
    const [waited, fault] = await Promise.all([probeBeside(playing), playing]);
    if (fault) throw new Error(`a connection: ${fault}`);
    if (waited > LIVE_MS) throw new Error(`a connection kept a probe waiting for ${waited} ms`);
    if (!target.alive()) throw new Error("a connection ended the server");
  }

  /** Environments of this sequence, each with a run, and their ids. */
  async function stage(place: World, hasNames: boolean): Promise<readonly Stage[]> {
    const made = await Promise.all(SERVICES.map((one) => environment(one, 600)));
    const [chat, tracker] = made.map((one) => one["environmentUrl"]);
    if (hasNames)
      await plantPrivate(
        (path, body, headers) => must("POST", path, body, headers),
        place,
        target.keys.own,
        { chat, tracker },
      );
    const stages: Stage[] = [];
    for (const { environmentId, token, service } of made) {
      for (const kind of ["environment", `${service}Environment`])
        place.add(kind, "own", environmentId);
      place.add(`${service}Token`, "own", token);
      const { runId } = await must("POST", "/api/platform/startRun", { envId: environmentId });
      place.add("run", "own", runId);
      stages.push({ service, environmentId, runId });
    }
    return stages;
  }

  /** Ends a run and checks its diff, unless the sequence has ended it. */
  async function end({ service, runId }: Stage, isPrivate: boolean): Promise<string | undefined> {
    const started = performance.now();
    const path = "/api/platform/diffRun";
    const response = await fetch(target.url + path, {
      method: "POST",
      headers: { "X-API-Key": target.keys.own, "Content-Type": "application/json" },
      body: JSON.stringify({ runId }),
    });
    const answer = (await response.json()) as Json;
    const milliseconds = performance.now() - started;
    if (milliseconds > DIFF_MS) return `diffRun took ${Math.round(milliseconds)} ms`;
    if (response.status === 400) return undefined;
    if (response.status !== 200) return `diffRun: ${response.status} ${JSON.stringify(answer)}`;
    const { diff } = answer;
    return lengthsFault(diff, service) ?? (isPrivate ? authorsFault(diff) : undefined);
  }

  return {
    operations,
    graphql,
    sequences: () => sequences,
    connections: wires.connections,
    /** The faults of stalled connections, once all have ended. */
    settle: wires.settle,
    outcomes: () => [...outcomes].sort(([a], [b]) => a - b),

    /** Throws with the first fault. */
    async play(sequence: readonly Step[]): Promise<void> {
      const place = world.copy();
      const callers = new Set(sequence.map((one) => !isWire(one) && one.caller));
      const isPrivate = !callers.has("user");
      const stages = await stage(place, callers.has("agent"));
      for (const one of sequence) {
        if (isWire(one)) {
          await playWire(one);
          continue;
        }
        if (changesForeign(one)) continue;
        await playCall(one, place, isPrivate);
      }
      for (const one of stages) {
        const fault = await end(one, isPrivate);
        if (fault) throw new Error(`at the end: ${one.service}: ${fault}`);
        await fetch(`${target.url}/api/platform/env/${one.environmentId}`, {
          method: "DELETE",
          headers: { "X-API-Key": target.keys.own },
        });
      }
      if (sequences++ % REST_EVERY === 0) {
        const fault = await restFault(target.url, target.sql);
        if (fault) throw new Error(`at rest: ${fault}`);
      }
    },
  };
}

/** Foreign data must stay as it is, and private: its owner could publish a suite. Its schema must keep its owner. */
const changesForeign = ({ caller, method, path }: Call): boolean =>
  caller === "foreign" &&
  (method === "DELETE" || (method === "PATCH" && path.includes(".foreign.")));

/** The same call with a different document text, so that it is not cached. */
const unfamiliar = (call: Call): Call =>
  call.body === undefined
    ? call
    : {
        ...call,
        body: call.body.replace(
          /("query":"[^"\\])/,
          (begin) => `${begin.slice(0, -1)} ${begin.at(-1)}`,
        ),
      };

const jsonPart = (id: string) => JSON.stringify(id).slice(1, -1);
/** Skips header values that a client cannot send. */
const headerPart = (id: string) => id.replace(/[^\x21-\x7e]/g, "x");

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function learn(place: World, text: string): void {
  try {
    place.learn(JSON.parse(text));
  } catch {
    // A download.
  }
}
