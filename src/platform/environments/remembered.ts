/** Environments that were found lately: a call need not look up its environment. Their ends are heard from other servers. */
import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Pool } from "~/db/connect";
import type { SessionPool } from "~/db/session-pool";
import { CHANNEL, listEnded } from "~/platform/environments/ending-store";
import { type EnvironmentRow, find, findByToken, type Owner } from "~/platform/environments/store";

const SWEEP_MS = 5_000;
const SECONDS = 10;
/** Just before it expires, an environment is looked up on every call, by the database's clock. */
const EXPIRY_MARGIN_SECONDS = 1;
const ENVIRONMENTS_MAX = 20_000;

export function createRemembered({ pool, sessionPool }: { pool: Pool; sessionPool: SessionPool }) {
  /** Without a resolution it would set a timer when it finds one, which makes found ones slower than unknown ones. */
  const known = new LRUCache<string, EnvironmentRow>({ max: ENVIRONMENTS_MAX, ttlResolution: 0 });

  /** Handles the end of an environment, here or on another server. Resolves when none of its calls can run any more. */
  async function forget(environmentId: string): Promise<void> {
    known.delete(environmentId);
    await sessionPool.release(environmentId);
  }

  const listening = pool.listen(CHANNEL, (environmentId) => {
    forget(environmentId).catch(() => undefined);
  });

  /** Catches up on ended environments: notifications can be lost with a connection. */
  async function sweep(): Promise<void> {
    const held = sessionPool.held();
    if (held.length === 0) return;
    for (const environmentId of await listEnded(pool, held)) await forget(environmentId);
  }
  const sweeping = setInterval(() => sweep().catch(() => undefined), SWEEP_MS);

  /** The ids of remembered environments, by their tokens' hashes in hex. */
  const ids = new LRUCache<string, string>({ max: ENVIRONMENTS_MAX });

  function remember(environment: EnvironmentRow): void {
    const seconds = Math.min(SECONDS, environment.secondsLeft - EXPIRY_MARGIN_SECONDS);
    if (environment.state !== "live" || seconds <= 0) return;
    known.set(environment.environmentId, environment, { ttl: seconds * 1000 });
  }

  return {
    /**
     * Finds the owner's environment by its plain id, or anyone's without an owner, in any state; undefined if there is
     * none. It may be remembered for as long as it cannot expire: if it has ended meanwhile, the session pool rejects its
     * calls. A call by a stranger costs the same lookup as an unknown id, so that response times reveal nothing.
     */
    async find(environmentId: string, owner?: Owner): Promise<EnvironmentRow | undefined> {
      const remembered = known.get(environmentId);
      if (remembered && owns(owner, remembered)) return remembered;
      const environment = await find(pool, environmentId, owner);
      if (environment) remember(environment);
      return environment;
    },

    /** Finds the environment that a token opens, in any state; undefined if it opens none. */
    async findByToken(tokenHash: Buffer): Promise<EnvironmentRow | undefined> {
      const hash = tokenHash.toString("hex");
      const remembered = known.get(ids.get(hash) ?? "");
      if (remembered && owns({ tokenHash }, remembered)) return remembered;
      const environment = await findByToken(pool, tokenHash);
      if (environment) {
        ids.set(hash, environment.environmentId);
        remember(environment);
      }
      return environment;
    },

    remember,
    forget,

    async stop() {
      clearInterval(sweeping);
      await listening.then(({ unlisten }) => unlisten()).catch(() => undefined);
    },
  };
}

function owns(owner: Owner | undefined, { userId, tokenHash }: EnvironmentRow) {
  if (owner === undefined) return true;
  return "userId" in owner ? owner.userId === userId : timingSafeEqual(owner.tokenHash, tokenHash);
}
