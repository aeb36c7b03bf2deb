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

const LIMITS = { all: 64, host: 32, user: 16, environment: 8 };
/** More are found again by a later look. */
const WAITING_MAX = 2_000;

export type Turns<T extends Waiting> = ReturnType<typeof createTurns<T>>;

/** `take`: a turn of an app, which returns whether it needs another one. It does not throw. */
export function createTurns<T extends Waiting>(
  take: (app: T) => Promise<boolean>,
  limits: typeof LIMITS = LIMITS,
) {
  const waiting = new Map<string, T>();
  const running = new Map<string, Promise<void>>();
  const held = new Map<string, number>();
  /** They have something new since their turn began. */
  const again = new Set<string>();
  let isStopping = false;

  const sharesOf = ({ environmentId, userId, host }: Waiting) => [
    { name: `environment ${environmentId}`, max: limits.environment },
    { name: `user ${userId}`, max: limits.user },
    { name: `host ${host}`, max: limits.host },
  ];
  const countOf = (name: string) => held.get(name) ?? 0;
  const isFree = (app: Waiting) => sharesOf(app).every(({ name, max }) => countOf(name) < max);

  function add(app: Waiting, change: 1 | -1): void {
    for (const { name } of sharesOf(app)) {
      const count = countOf(name) + change;
      if (count > 0) held.set(name, count);
      else held.delete(name);
    }
  }

  /** The app whose user has the fewest turns; of several, the one that waits longest. */
  function pick(): T | undefined {
    let best: T | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const app of waiting.values()) {
      const count = countOf(`user ${app.userId}`);
      if (count >= fewest || !isFree(app)) continue;
      best = app;
      fewest = count;
      if (count === 0) break;
    }
    return best;
  }

  function begin(): void {
    while (!isStopping && running.size < limits.all) {
      const app = pick();
      if (!app) return;
      waiting.delete(app.key);
      add(app, 1);
      running.set(app.key, run(app));
    }
  }

  async function run(app: T): Promise<void> {
    const hasMore = await take(app);
    add(app, -1);
    running.delete(app.key);
    if (again.delete(app.key) || hasMore) offer(app);
    begin();
  }

  function offer(app: T): void {
    if (running.has(app.key)) again.add(app.key);
    else if (waiting.has(app.key) || waiting.size < WAITING_MAX) waiting.set(app.key, app);
    begin();
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
