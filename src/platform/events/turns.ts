/**
 * Turns of apps with addresses: how many may post at the same time, in all and of what they share. Who has fewer turns in
 * progress comes first, so that many apps of one user delay those of another by little.
 */

/** An app that may have something to post. */
type Waiting = {
  readonly key: string;
  readonly environmentId: string;
  readonly userId: string;
  /** The name of the host in its address. */
  readonly host: string;
};

type Entry<T> = {
  readonly app: T;
  /** The name of the user's share. */
  readonly user: string;
  readonly shares: readonly { readonly name: string; readonly max: number }[];
};

const LIMITS = { all: 64, host: 32, user: 16, environment: 8 };
/** More are found again by a later look. */
const WAITING_MAX = 2_000;

/** `take`: a turn of an app, which returns whether it needs another one. It does not throw. */
export function createTurns<T extends Waiting>(
  take: (app: T) => Promise<boolean>,
  limits: typeof LIMITS = LIMITS,
) {
  const waiting = new Map<string, Entry<T>>();
  const running = new Map<string, Promise<void>>();
  const held = new Map<string, number>();
  /** They have something new since their turn began. */
  const again = new Set<string>();
  let isStopping = false;

  const entryOf = (app: T): Entry<T> => ({
    app,
    user: `user ${app.userId}`,
    shares: [
      { name: `environment ${app.environmentId}`, max: limits.environment },
      { name: `user ${app.userId}`, max: limits.user },
      { name: `host ${app.host}`, max: limits.host },
    ],
  });
  const countOf = (name: string) => held.get(name) ?? 0;
  const isFree = ({ shares }: Entry<T>) =>
    running.size < limits.all && shares.every(({ name, max }) => countOf(name) < max);

  function add({ shares }: Entry<T>, change: 1 | -1): void {
    for (const { name } of shares) {
      const count = countOf(name) + change;
      if (count > 0) held.set(name, count);
      else held.delete(name);
    }
  }

  /** The app whose user has the fewest turns; of several, the one that waits longest. */
  function pick(): Entry<T> | undefined {
    let best: Entry<T> | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const entry of waiting.values()) {
      const count = countOf(entry.user);
      if (count >= fewest || !isFree(entry)) continue;
      best = entry;
      fewest = count;
      if (count === 0) break;
    }
    return best;
  }

  function begin(entry: Entry<T>): void {
    const { key } = entry.app;
    waiting.delete(key);
    add(entry, 1);
    running.set(key, run(entry));
  }

  async function run(entry: Entry<T>): Promise<void> {
    const { app } = entry;
    const hasMore = await take(app);
    add(entry, -1);
    running.delete(app.key);
    if (isStopping) return;
    // Behind those that wait.
    if (again.delete(app.key) || hasMore) waiting.set(app.key, entry);
    for (let next = pick(); next; next = pick()) begin(next);
  }

  /** Whatever waits may not begin yet: only a new one may. */
  function offer(app: T): void {
    if (isStopping) return;
    if (running.has(app.key)) {
      again.add(app.key);
      return;
    }
    if (waiting.has(app.key)) return;
    const entry = entryOf(app);
    if (isFree(entry)) begin(entry);
    else if (waiting.size < WAITING_MAX) waiting.set(app.key, entry);
  }

  return {
    /** Gives an app a turn, once it may have one. */
    offer,

    /** Resolves when the turns in progress have ended. */
    async stop(): Promise<void> {
      isStopping = true;
      waiting.clear();
      await Promise.all(running.values());
    },
  };
}
