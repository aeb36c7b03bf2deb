/** One environment in detail, and the extension of its time. */
import { errorCode, inTransaction, type Pool, UNDEFINED_TABLE } from "~/db/connect";
import { asUnknown, countDifferences } from "~/db/deltas";
import { ApiError } from "~/errors";
import { viewClock } from "~/platform/environments/clock";
import * as store from "~/platform/environments/details-store";
import { notFound, requireId } from "~/platform/environments/id";
import { type Extension, TTL_SECONDS_MAX } from "~/platform/environments/model";
import { viewListed } from "~/platform/environments/view";
import type { Templates } from "~/platform/templates/templates";

export type Details = ReturnType<typeof createDetails>;

export function createDetails({ pool, templates }: { pool: Pool; templates: Templates }) {
  /** Counts the rows that differ from the template; null if it cannot be compared any more. */
  async function countChanges(row: store.EnvironmentDetailRow): Promise<number | null> {
    if (row.state !== "live" || row.templateSchema === null) return null;
    const { baseSchema, templateSchema } = row;
    const blueprint = await templates
      .blueprint(baseSchema ?? templateSchema)
      .catch(() => undefined);
    if (!blueprint) return null;
    try {
      // One snapshot: the schema is this environment's, not that of the next one.
      const mode = "isolation level repeatable read read only";
      const count = async (tx: Parameters<typeof countDifferences>[0]) => {
        const used = await store.findUsed(tx, row.environmentId);
        if (!used) return null;
        return await countDifferences(tx, blueprint, baseSchema ? asUnknown(used) : used);
      };
      return await inTransaction(pool, count, mode);
    } catch (error) {
      // The environment or its template has just been dropped.
      if (errorCode(error) === UNDEFINED_TABLE) return null;
      throw error;
    }
  }

  async function describe(userId: string, id: string) {
    const row = await store.find(pool, id, userId);
    if (!row) throw notFound(id);
    const { allowImpersonation, parentEnvironmentId, atCall } = row;
    return {
      ...viewListed(row),
      allowImpersonation,
      parentEnvironmentId,
      atCall,
      clock: viewClock(row.timing),
      ageSeconds: row.ageSeconds,
      secondsLeft: row.secondsLeft,
      calls: row.calls,
      changedRows: await countChanges(row),
    };
  }

  return {
    /** Describes an environment of this user, also after its end. Throws `environment_not_found`. */
    describe: async (userId: string, id: string) => await describe(userId, requireId(id)),

    /**
     * Lets a live environment live longer, and describes it. It never lives longer than TTL_SECONDS_MAX altogether, and
     * never expires earlier than before: servers may remember it until then.
     */
    async extend(userId: string, id: string, { ttlSeconds: seconds }: Extension) {
      const plain = requireId(id);
      const limits = { seconds, secondsMax: TTL_SECONDS_MAX };
      const most = await store.extend(pool, plain, userId, limits);
      if (most === undefined) throw notFound(id);
      if (most < seconds)
        throw new ApiError(
          "invalid_request",
          `ttlSeconds: an environment lives at most ${TTL_SECONDS_MAX} seconds altogether, this one ${Math.max(0, Math.floor(most))} more`,
        );
      return await describe(userId, plain);
    },
  };
}
