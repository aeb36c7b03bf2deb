/** The events of runs: listed while a run goes on, and kept with it, as they were at its end. */
import type { Pool } from "~/db/connect";
import { runNotFound } from "~/errors";
import type { DeliveriesWanted, RunDelivery } from "~/evaluation/deliveries";
import { readLimit } from "~/http/page";
import { errorFields, type Log } from "~/log";
import type { Derivation } from "~/platform/events/derivation";
import * as store from "~/platform/events/kept-store";
import { makerOf, pageOf } from "~/platform/events/listing";
import { listKeptEvents, listRunEvents } from "~/platform/events/listing-store";
import type { DeliveryQuery, RunDeliveryPage } from "~/platform/events/model";
import type { EventSockets } from "~/platform/events/sockets";
import { WILDCARD } from "~/replicas/faults";

/** The server that ends a run keeps its events within this time, unless it dies. */
const OVERDUE_SECONDS = 30;
const OVERDUE_MAX = 20;
/** Those of a run that could not be kept in this time are lost, so that they do not take space forever. */
const GIVEN_UP_SECONDS = 3_600;
/** Deliveries that a verdict counts, and characters of their payloads. */
const COUNTED = { limit: 50_000, lengthMax: 32 * 1024 * 1024 };

/** A pattern of types, for `like`. */
function likeOf(pattern: string): string {
  const isPrefix = pattern.endsWith(WILDCARD);
  const literal = (isPrefix ? pattern.slice(0, -WILDCARD.length) : pattern).replace(
    /[\\%_]/g,
    "\\$&",
  );
  return isPrefix ? `${literal}%` : literal;
}

export type KeptEvents = ReturnType<typeof createKeptEvents>;

export function createKeptEvents({
  pool,
  derivation,
  sockets,
  log,
}: {
  pool: Pool;
  derivation: Derivation;
  sockets: Pick<EventSockets, "settle">;
  log: Log;
}) {
  /** Keeps the events of a run that has ended, with everything that was committed before. */
  async function keep(
    runId: string,
    known?: store.RunOfEvents,
  ): Promise<store.RunOfEvents | undefined> {
    const run = known ?? (await store.findRun(pool, runId));
    if (!run?.hasEvents || !run.isOver || run.kept !== null) return run;
    await derivation.now(run.environmentId);
    await sockets.settle(run.environmentId);
    await store.keep(pool, runId);
    return await store.findRun(pool, runId);
  }

  return {
    keep,

    /** Keeps what servers that have died have not kept. */
    async keepOverdue(): Promise<void> {
      // One that cannot be kept holds up neither the others nor the rest of the maintenance.
      for (const runId of await store.listUnkept(pool, OVERDUE_SECONDS, OVERDUE_MAX))
        await keep(runId).catch((error) =>
          log.warn("events not kept yet", { runId, ...errorFields(error) }),
        );
      await store.giveUp(pool, GIVEN_UP_SECONDS);
    },

    /** Whether the environment of a run had apps when it began. */
    hasEvents: async (runId: string) => (await store.findRun(pool, runId))?.hasEvents === true,

    /**
     * Returns deliveries of a run that has ended. `own`: the run itself caused more than are kept, or than fit in memory;
     * `lost`: they are not known for another reason.
     */
    async deliveriesOf(
      runId: string,
      { types, hasPayloads }: DeliveriesWanted,
    ): Promise<readonly RunDelivery[] | "own" | "lost"> {
      const run = await keep(runId);
      if (!run?.hasEvents || run.kept === null || run.kept === "lost") return "lost";
      if (run.kept === "limited") return "own";
      const asked = { patterns: types.map(likeOf), hasPayloads, ...COUNTED };
      const found = await store.listDeliveries(pool, runId, asked);
      if (found.length < (found[0]?.among ?? 0)) return "own";
      return found.map(({ among: _, cause, ...delivery }) => ({
        ...delivery,
        cause: cause && makerOf(cause),
      }));
    },

    /** Lists the events of a run, in order. Throws `invalid_request` or `run_not_found`. */
    async list(userId: string, runId: string, query: DeliveryQuery): Promise<RunDeliveryPage> {
      const limit = readLimit(query.limit);
      const owned = await store.findRun(pool, runId);
      const run = owned?.userId === userId ? await keep(runId, owned) : undefined;
      if (!run) throw runNotFound(runId);
      if (run.hasEvents && !run.isOver) await derivation.now(run.environmentId);
      const read = run.isOver ? listKeptEvents : listRunEvents;
      const page = await pageOf(Number(query.after ?? 0), limit, (wanted) =>
        read(pool, runId, wanted),
      );
      const isComplete = run.kept === "whole" || !run.hasEvents || !run.isOver;
      return { runId, complete: isComplete, ...page };
    },
  };
}
