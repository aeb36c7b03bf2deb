/** Actions of counterparts that are due when the clock of their environment is moved. */
import type { Actor } from "~/capture/actor";
import type { Pool, Tx } from "~/db/connect";
import type { Log } from "~/log";
import * as pending from "~/platform/counterparts/pending-store";
import * as store from "~/platform/counterparts/store";
import { actsOf, performAll, postpone } from "~/platform/environments/actions";
import { aheadOf } from "~/platform/environments/clock";
import type { Timing } from "~/platform/environments/clock-model";
import { createPerforming } from "~/platform/environments/performing";
import type { EnvironmentRow } from "~/platform/environments/store";
import type { Templates } from "~/platform/templates/templates";
import type { DueEffect } from "~/replicas/replica";

/** Things that are due at some time. Times are milliseconds since 1970, by the clock of the environment. */
export type Queue = {
  readonly actor: Actor;
  /** When something is due: after `after`, or still pending from before, and not after `last`. Undefined: nothing is. */
  readonly next: (after: number, last: number) => Promise<number | undefined>;
  /** Does what is due then. */
  readonly fire: (at: number) => Promise<readonly DueEffect[]>;
};

/** The effect that an action of a counterpart is when a clock is moved. */
const ACTED = "counterpart_acted";

export function createDueActions(deps: { pool: Pool; templates: Templates; log: Log }) {
  const { pool } = deps;
  const performing = createPerforming(deps);

  return {
    /** Reads what actions need, before a transaction holds a connection. Returns whether there are counterparts. */
    async prepareCounterparts(environment: EnvironmentRow): Promise<boolean> {
      const state = await store.find(pool, environment.environmentId);
      if (state) await performing.prepare(environment, state.rules);
      return state !== null;
    },

    /** The actions of counterparts while the clock of their environment is moved. Undefined: it has none. */
    async counterpartsIn(
      tx: Tx,
      environment: EnvironmentRow,
      timing: Timing,
      areExpected: boolean,
    ) {
      const { environmentId: id } = environment;
      const state = areExpected ? await store.find(tx, id) : null;
      if (!state) return undefined;
      const { last } = await pending.findLeft(tx, id);
      const { rules } = state;
      let { progress } = state;
      const done: pending.StoredPending[] = [];

      return {
        /** Changes have not been looked at that may set off or end actions. */
        isUnsettled: last !== null,

        /** The first actions that are pending, one more than `max`. */
        async queue(max: number): Promise<Queue> {
          const all = Number.MAX_SAFE_INTEGER;
          let left = await pending.list(tx, id, { until: all, limit: max + 1 });
          return {
            actor: "counterpart",
            next: async (_, until) => left.find(({ due }) => due <= until)?.due,
            async fire() {
              const first = left.splice(0, 1);
              done.push(...first);
              const means = { environment, baseUrl: "", timing };
              const acts = actsOf(rules, first);
              const performed = await performAll(performing, tx, means, { rules, progress }, acts);
              ({ progress } = performed);
              const { following } = performed;
              if (following.length > 0) {
                progress = await postpone(tx, id, timing, { rules, progress }, following);
                await pending.remove(tx, id, done.splice(0));
                left = await pending.list(tx, id, { until: all, limit: max + 1 });
              }
              return performed.done.map(({ rule }) => ({ kind: ACTED, id: rule.name }));
            },
          };
        },

        /** Notes what they have done, and that the clock was moved. */
        async end(moved: Timing): Promise<void> {
          await pending.remove(tx, id, done);
          await store.setProgress(tx, id, progress);
          await pending.setWaking(tx, id, aheadOf(moved));
        },
      };
    },
  };
}
