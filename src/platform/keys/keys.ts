/** API keys: their owners and their limits. */
import { timingSafeEqual } from "node:crypto";
import type { Config } from "~/config";
import type { Pool, Sql } from "~/db/connect";
import { LimitExceeded, NotAuthed } from "~/errors";
import { isLocal } from "~/http/origin";
import { isLoopback } from "~/input/settings";
import type { Log } from "~/log";
import type { Metrics } from "~/metrics";
import { createControlPlane } from "~/platform/keys/control-plane";
import {
  credentialKind,
  DEVELOPMENT_KEY,
  hashCredential,
  newCredential,
} from "~/platform/keys/format";
import * as store from "~/platform/keys/store";
import type { Principal } from "~/principal";
import { ABOUTS } from "~/replicas/services";
import { randomId } from "~/source";
import type { IncomingRequest } from "~/wire/incoming";

export type Keys = ReturnType<typeof createKeys>;

const DEVELOPER: Principal = {
  userId: "development",
  keyId: "development",
  plan: "enterprise",
};

/** The server itself, for the test or the suite that it exists for. Nobody has a key of it. */
export const SERVER: Principal = {
  userId: "diorama task",
  keyId: "diorama task",
  plan: "enterprise",
};

const REQUESTS_PER_DAY = 2_000;
const ENVIRONMENTS_PER_DAY = 200;
const REQUESTS_PER_HOUR = { free: 100, pro: 1_000, enterprise: Number.POSITIVE_INFINITY };
export const CONCURRENT_ENVIRONMENTS = { free: 5, pro: 50, enterprise: Number.POSITIVE_INFINITY };

const USER_TOKENS = ABOUTS.flatMap(({ userToken = [] }) => userToken);

export function createKeys(pool: Pool, config: Config, log: Log, metrics: Metrics) {
  const controlPlane =
    config.CONTROL_PLANE_URL && createControlPlane(config.CONTROL_PLANE_URL, log, metrics);

  /** For calls from other machines, and from the host of a container: known to those who see the output of the start. */
  const developerKey =
    config.development && !isLoopback(config.HOST) ? newCredential("k") : undefined;
  const developerHash = developerKey && hashCredential(developerKey);
  const isDeveloperKey = (key: string | undefined) =>
    key && developerHash && timingSafeEqual(hashCredential(key), developerHash);

  async function lookUp(key: string | undefined): Promise<Principal> {
    if (key === undefined) throw new NotAuthed("missing");
    if (config.development && key === DEVELOPMENT_KEY) return DEVELOPER;
    if (controlPlane) {
      const verdict = await controlPlane.validate(key);
      if (verdict instanceof LimitExceeded) throw verdict;
      if (!verdict) throw new NotAuthed("invalid");
      return verdict;
    }
    if (credentialKind(key) !== "k") throw new NotAuthed("invalid");
    const hash = hashCredential(key);
    const row = await store.findKey(pool, hash);
    if (!row || !timingSafeEqual(row.keyHash, hash)) throw new NotAuthed("invalid");
    if (!row.usable) throw new NotAuthed("expired");
    return { userId: row.userId, keyId: row.keyId, plan: row.plan };
  }

  return {
    /**
     * Returns the holder of `key`. Without a key, or with the public development key, it is the developer of a
     * development server, who must be on its machine; with the key that this start has generated, from anywhere. Throws
     * `not_authed`.
     */
    async authenticate(key: string | undefined, request: IncomingRequest): Promise<Principal> {
      if (isDeveloperKey(key)) return DEVELOPER;
      const principal = key === undefined && config.development ? DEVELOPER : await lookUp(key);
      if (principal === DEVELOPER && !isLocal(request, config.CORS_ORIGINS))
        throw new NotAuthed("remote");
      return principal;
    },

    developerKey,

    /** Whether a text may be a key. A control plane's keys have any form except that of a user's token of a service. */
    mayBeOne: (text: string) =>
      text.startsWith("diorama_") ||
      (Boolean(controlPlane) && !USER_TOKENS.some((form) => form.test(text))),

    /**
     * Counts one request of a key, or of an environment made with it. Throws LimitExceeded. Does nothing unless limits
     * apply.
     */
    async countRequest(
      by: { readonly keyId: string; readonly plan?: Principal["plan"] } | undefined,
    ): Promise<void> {
      if (!config.RATE_LIMITS || !by) return;
      const { keyId } = by;
      const plan = by.plan ?? (await store.findPlan(pool, keyId)) ?? "enterprise";
      const perHour = REQUESTS_PER_HOUR[plan];
      if (Number.isFinite(perHour)) {
        const hour = await store.use(pool, {
          keyId,
          kind: "request/hour",
          period: "hour",
          limit: perHour,
        });
        if (!hour.admitted)
          throw new LimitExceeded("hourly request", perHour, hour.used, hour.secondsLeft);
      }
      const day = await store.use(pool, {
        keyId,
        kind: "request/day",
        period: "day",
        limit: REQUESTS_PER_DAY,
      });
      if (!day.admitted) throw new LimitExceeded("daily request", REQUESTS_PER_DAY, day.used);
    },

    /** Counts one environment in the caller's transaction; a rollback reverts it. Throws LimitExceeded. */
    async countEnvironment(sql: Sql, { keyId }: Principal): Promise<void> {
      const day = await store.use(sql, {
        keyId,
        kind: "environment/day",
        period: "day",
        limit: ENVIRONMENTS_PER_DAY,
      });
      if (!day.admitted)
        throw new LimitExceeded("daily environment", ENVIRONMENTS_PER_DAY, day.used);
    },

    limited: config.RATE_LIMITS,
  };
}

export type NewKey = {
  userId: string;
  name: string;
  plan: Principal["plan"];
  expiresInDays: number | null;
};

/** Creates a key. Only this answer ever shows it. */
export async function createKey(sql: Sql, key: NewKey): Promise<{ keyId: string; key: string }> {
  const keyId = randomId();
  const secret = newCredential("k");
  await store.insertKey(sql, { ...key, keyId, hash: hashCredential(secret) });
  return { keyId, key: secret };
}
