/**
 * How long environments have been quiet, on any server. Each server knows of its own calls; one that wants to know of all
 * asks the others, and takes silence for quiet.
 */
import { LRUCache } from "lru-cache";
import type { Pool } from "~/db/connect";
import { announce } from "~/db/unflushed";

export type Activity = ReturnType<typeof createActivity>;

/** Questions of servers about the calls of environments, and the answers of others. */
const ACTIVITY_CHANNEL = "diorama_activity";
/** Twice as many names: one for calls, and one for deliveries. */
const ENVIRONMENTS_MAX = 20_000;
/** Before the id of an environment: the name of its deliveries. */
const DELIVERIES = "deliveries/";
/** How long the others have to answer. */
const ANSWER_MS = 150;

export function createActivity({ pool }: { pool: Pool }) {
  const server = crypto.randomUUID();
  /** Calls in progress, and performance.now() of the end of the last one; by environment, or the name of its deliveries. */
  const known = new LRUCache<string, { calls: number; at: number }>({ max: 2 * ENVIRONMENTS_MAX });
  /** The shortest time that was answered, by question. */
  const questions = new Map<string, number>();
  let count = 0;

  /** Since the last call, or delivery, on this server. */
  function ownQuiet(name: string): number {
    const own = known.get(name);
    if (!own) return Number.POSITIVE_INFINITY;
    return own.calls > 0 ? 0 : Math.round(performance.now() - own.at);
  }

  const listening = pool.listen(ACTIVITY_CHANNEL, (payload) => {
    const [verb, question = "", value = ""] = payload.split(" ");
    if (verb === "ask" && !question.startsWith(server)) {
      const quiet = ownQuiet(value);
      if (Number.isFinite(quiet))
        announce(pool, ACTIVITY_CHANNEL, `answer ${question} ${quiet}`).catch(() => undefined);
    }
    const shortest = questions.get(question);
    if (verb === "answer" && shortest !== undefined)
      questions.set(question, Math.min(shortest, Number(value)));
  });

  /** Since the last activity under a name, on any server. */
  async function quietOf(name: string): Promise<number> {
    const question = `${server}-${count++}`;
    questions.set(question, Number.POSITIVE_INFINITY);
    try {
      await announce(pool, ACTIVITY_CHANNEL, `ask ${question} ${name}`);
      await Bun.sleep(ANSWER_MS);
      const others = questions.get(question) ?? Number.POSITIVE_INFINITY;
      return Math.min(ownQuiet(name), others);
    } finally {
      questions.delete(question);
    }
  }

  return {
    /** Does the work of a call, which is noted. */
    async during<T>(environmentId: string, work: () => Promise<T>): Promise<T> {
      const own = known.get(environmentId) ?? { calls: 0, at: 0 };
      known.set(environmentId, own);
      own.calls++;
      try {
        return await work();
      } finally {
        own.calls--;
        own.at = performance.now();
      }
    },

    /** Something is sent to an app of an environment. */
    noteDelivery(environmentId: string): void {
      known.set(DELIVERIES + environmentId, { calls: 0, at: performance.now() });
    },

    /** Milliseconds since the last call of an environment, on any server: 0 while there is one, infinite without any. */
    quietMs: quietOf,

    /** Milliseconds since something was last sent to an app of an environment, by any server; infinite without that. */
    undeliveredMs: (environmentId: string) => quietOf(DELIVERIES + environmentId),

    async stop(): Promise<void> {
      await listening.then(({ unlisten }) => unlisten()).catch(() => undefined);
    },
  };
}
