/** Actions of counterparts that are due when the clock of their environment is moved. */
import type { Actor } from "~/capture/actor";
import type { Pool, Tx } from "~/db/connect";
import type { Log } from "~/log";
import * as pending from "~/platform/counterparts/pending-store";
import * as store from "~/platform/counterparts/store";
import {
  type Act,
  actsOf,
  performAll,
  postpone,
  togetherIn,
} from "~/platform/environments/actions";
import { aheadOf } from "~/platform/environments/clock";
import type { Timing } from "~/platform/environments/clock-model";
import { createLooking, type Excuses } from "~/platform/environments/looking";
import { type Acts, createPerforming } from "~/platform/environments/performing";
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

export function createDueActions(deps: { pool: Pool; templates: Templates; acts: Acts; log: Log }) {
  const { pool } = deps;
  const performing = createPerforming(deps);
  const lookFor = createLooking(deps.templates);

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
      const { rules } = state;
      const areOthersSeen = store.areOthersSeen(rules);
      let { progress } = state;
      const done: pending.StoredPending[] = [];
      const excuses: Excuses = new Map();
      const limit = togetherIn(rules);
      const list = () => pending.list(tx, id, { until: Number.MAX_SAFE_INTEGER, limit });
      let left = await list();
      let isMore = left.length === limit;

      /** Notes what was done so far. */
      async function note(): Promise<void> {
        await pending.remove(tx, id, done.splice(0));
        await store.setProgress(tx, id, progress);
      }

      async function wait(acts: readonly Act[]): Promise<void> {
        progress = await postpone(tx, id, timing, { rules, progress }, acts);
        await readNext();
      }

      async function readNext(): Promise<void> {
        await note();
        left = await list();
        isMore = left.length === limit;
      }

      /** Lets what somebody has changed during the move set off and end actions. */
      async function look(): Promise<void> {
        if (!areOthersSeen) return;
        await note();
        const given = { only: "others", excuses } as const;
        const looked = await lookFor(tx, environment, { rules, progress }, given);
        if (looked.numbers.length === 0) return;
        ({ progress } = looked);
        await pending.remove(tx, id, looked.ended);
        await store.deleteChanges(tx, id, looked.numbers);
        await wait(looked.found);
        if (looked.hasMore) await look();
      }

      return {
        areOthersSeen,
        look,

        queue: {
          actor: "counterpart",
          async next(_, until) {
            if (left.length === 0 && isMore) await readNext();
            return left.find(({ due }) => due <= until)?.due;
          },
          async fire() {
            const first = left.splice(0, 1);
            done.push(...first);
            const means = { environment, baseUrl: "", timing };
            const acts = actsOf(rules, first);
            const performed = await performAll(performing, tx, means, { rules, progress }, acts);
            ({ progress } = performed);
            // What an action itself has changed does not end what follows it.
            await look();
            if (performed.following.length > 0) await wait(performed.following);
            return performed.done.map(({ rule }) => ({ kind: ACTED, id: rule.name }));
          },
        } satisfies Queue,

        /** Notes what they have done, and that the clock was moved. */
        async end(moved: Timing): Promise<void> {
          await note();
          await pending.setWaking(tx, id, aheadOf(moved));
        },
      };
    },
  };
}
