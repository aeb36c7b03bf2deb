/** Virtual users: life cycles of environments on any server. Every acknowledged write is checked. */
import type { Diff } from "~/capture/fold";
import { difference, keysOf, sorted, stateOf } from "../oracle";

type Pool = Parameters<typeof stateOf>[0];
type Body = Record<string, unknown>;

export type Tally = {
  lives: number;
  calls: number;
  acknowledged: number;
  /** Acknowledged writes that are missing in a diff. */
  lost: number;
  /** Diffs compared with the difference of two snapshots, and those that differed. */
  compared: number;
  wrong: number;
  /** Calls that were repeated after 503 or a lost connection. */
  retried: number;
  /** The same by call and detail. */
  readonly notNow: Record<string, number>;
  /** Starts whose answer was lost, so that the run is unknown. */
  ambiguous: number;
  /** Every other unexpected answer. */
  readonly errors: string[];
  readonly times: Record<string, number[]>;
};

export const newTally = (): Tally => ({
  lives: 0,
  calls: 0,
  acknowledged: 0,
  lost: 0,
  compared: 0,
  wrong: 0,
  retried: 0,
  notNow: {},
  ambiguous: 0,
  errors: [],
  times: {},
});

const WRITES = 10;
const READS = 5;
const RETRY_MS = 100;
const PATIENCE_MS = 60_000;
const TTL_SECONDS = 900;
const ERRORS_KEPT = 20;
const TIMES_KEPT = 20_000;

class Refused extends Error {
  readonly code: string;
  constructor(code: string, what: string) {
    super(what);
    this.code = code;
  }
}

export function createUsers(options: {
  /** URLs of the servers. */
  urls: readonly string[];
  sql: Pool;
  tally: Tally;
  /** Between two calls of a user. */
  thinkMs: number;
  /** Share of the diffs that are compared with snapshots. */
  compare: number;
  over: () => boolean;
}) {
  const { urls, sql, tally, thinkMs, compare, over } = options;

  const think = () => Bun.sleep(thinkMs * (0.5 + Math.random()));

  /** One call to any server. Throws Refused if a server rejects it; undefined for a 503 or a lost connection. */
  async function once(name: string, method: string, path: string, body?: object) {
    const url = urls[Math.floor(Math.random() * urls.length)];
    const started = performance.now();
    tally.calls++;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { "Content-Type": "application/json; charset=utf-8" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch(() => undefined);
    const answer = response && ((await response.json().catch(() => undefined)) as Body | undefined);
    if (!response || !answer || response.status === 503) {
      const what = `${name}: ${answer?.["detail"] ?? "cut off"}`;
      tally.notNow[what] = (tally.notNow[what] ?? 0) + 1;
      return undefined;
    }
    if (response.status >= 400 || answer["ok"] === false)
      throw new Refused(String(answer["error"]), `${name}: ${response.status} ${answer["error"]}`);
    tally.times[name] ??= [];
    const times = tally.times[name];
    if (times && times.length < TIMES_KEPT) times.push(performance.now() - started);
    return answer;
  }

  /** The same, repeated until it is answered. */
  async function call(name: string, method: string, path: string, body?: object): Promise<Body> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await once(name, method, path, body);
      if (answer) return answer;
      tally.retried++;
      if (performance.now() > deadline) throw new Refused("", `${name}: no answer in a minute`);
      await Bun.sleep(RETRY_MS);
    }
  }

  const platform = (name: string, method: string, path: string, body?: object) =>
    call(name, method, `/api/platform${path}`, body);

  async function endRun(runId: string): Promise<Body> {
    try {
      return await platform("diffRun", "POST", "/diffRun", { runId });
    } catch (error) {
      // An earlier attempt succeeded, but its answer was lost.
      if (!(error instanceof Refused) || error.code !== "run_already_completed") throw error;
    }
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const results = await platform("results", "GET", `/results/${runId}`);
      if (results["status"] !== "running") return results;
      if (performance.now() > deadline) throw new Refused("", "results: running for a minute");
      await Bun.sleep(RETRY_MS);
    }
  }

  async function write(environment: Body, n: number, acknowledged: string[]) {
    const text = `write ${n}`;
    const path = `${environment["environmentUrl"]}/chat.postMessage`;
    const answer = await once("postMessage", "POST", path, { channel: "C01GENERAL", text });
    if (!answer) {
      tally.retried++; // it may have succeeded
      await Bun.sleep(RETRY_MS);
      return;
    }
    acknowledged.push(text);
    tally.acknowledged++;
    if (n % 3 === 0)
      await once("reactions.add", "POST", `${environment["environmentUrl"]}/reactions.add`, {
        channel: "C01GENERAL",
        timestamp: answer["ts"],
        name: "tada",
      });
  }

  async function life(): Promise<void> {
    const environment = await platform("initEnv", "POST", "/initEnv", {
      templateService: "chat",
      templateName: "chat_default",
      impersonateUserId: "U01AGENTONE",
      ttlSeconds: TTL_SECONDS,
    });
    const schema = String(environment["schemaName"]);
    const isCompared = Math.random() < compare;
    const keys = isCompared ? await patiently(() => keysOf(sql, schema)) : {};
    const before = isCompared ? await patiently(() => stateOf(sql, schema, keys)) : undefined;
    let run: Body;
    try {
      run = await platform("startRun", "POST", "/startRun", {
        envId: environment["environmentId"],
      });
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "run_already_exists") throw error;
      tally.ambiguous++;
      await remove(environment);
      return;
    }
    const acknowledged: string[] = [];
    for (let n = 0; n < WRITES; n++) {
      await write(environment, n, acknowledged);
      if (n % Math.ceil(WRITES / READS) === 0)
        await call("history", "POST", `${environment["environmentUrl"]}/conversations.history`, {
          channel: "C01GENERAL",
        });
      await think();
    }
    const { diff, failures } = await endRun(String(run["runId"]));
    if (!diff) throw new Refused("", `diffRun: ${JSON.stringify(failures)}`);
    const captured = new Set((diff as Diff).inserts.map((row) => row["text"]));
    tally.lost += acknowledged.filter((text) => !captured.has(text)).length;
    if (before) {
      const after = await patiently(() => stateOf(sql, schema, keys));
      tally.compared++;
      if (sorted(diff as Diff) !== sorted(difference(before, after, keys))) tally.wrong++;
    }
    await remove(environment);
    tally.lives++;
  }

  async function remove(environment: Body) {
    await platform("delete", "DELETE", `/env/${environment["environmentId"]}`).catch((error) => {
      if (!(error instanceof Refused) || error.code !== "environment_already_deleted") throw error;
    });
  }

  return async function user(): Promise<void> {
    await think();
    while (!over())
      await life().catch((error) => {
        if (tally.errors.length < ERRORS_KEPT)
          tally.errors.push(error instanceof Error ? error.message : String(error));
        return Bun.sleep(RETRY_MS);
      });
  };
}

/** The soak's own queries on Postgres, which may be restarting. */
async function patiently<T>(read: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await Bun.sleep(RETRY_MS);
    }
  }
}
