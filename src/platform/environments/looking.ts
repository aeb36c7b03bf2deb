/** Finds what the changes and calls of an environment set off. */
import type { Sql } from "~/db/connect";
import type { Happening } from "~/evaluation/trigger";
import { changesOf } from "~/platform/counterparts/changes";
import type { StoredPending } from "~/platform/counterparts/pending-store";
import { excuseOf, triggerOf } from "~/platform/counterparts/rules";
import {
  type CounterpartState,
  countOf,
  findWithPending,
  listChanges,
  type NotedRow,
  type Progress,
  type StoredRule,
  seesOthers,
  tablesIn,
} from "~/platform/counterparts/store";
import type { Act } from "~/platform/environments/actions";
import type { EnvironmentRow } from "~/platform/environments/store";
import type { Templates } from "~/platform/templates/templates";

/** Bytes of changes that are looked at together. A transaction is looked at as a whole. */
const TOGETHER_BYTES = 16 * 1024 * 1024;

const isAtLimit = ({ rules, progress }: CounterpartState, index: number): boolean =>
  countOf(progress, index) >= (rules[index]?.times ?? 1);

/** Nothing waits, and each rule that changes set off has acted as often as it may. */
export const isUsedUp = ({ rules, progress: { fired, waiting } }: CounterpartState): boolean =>
  rules.every(
    ({ when, times = 1 }, index) =>
      (waiting?.[index] ?? 0) === 0 && (!when || (fired[index] ?? 0) >= times),
  );

export type Looked = {
  /** Of the changes. */
  readonly numbers: readonly string[];
  /** There are more changes than were looked at together. */
  readonly hasMore: boolean;
  /** The actions that they set off: now, or after some time. */
  readonly found: readonly Act[];
  /** Pending actions that they end. */
  readonly ended: readonly Pick<StoredPending, "seq">[];
  /** Nothing follows from them. */
  readonly isIdle: boolean;
  /** With what they set off and end. */
  readonly progress: Progress;
};

/** Whether a change or a call ends pending actions, by their number. */
export type Excuses = Map<string, (happening: Happening) => boolean>;

/** An action that waits, unless somebody does something. */
type Waiting = {
  readonly index: number;
  readonly isMet: (happening: Happening) => boolean;
  /** It has been set off by the same changes. */
  readonly act?: Act;
  /** It is pending. */
  readonly stored?: StoredPending;
};

export function createLooking(templates: Templates) {
  /** Finds the actions that these changes set off and end. */
  async function lookAt(
    noted: readonly NotedRow[],
    environment: EnvironmentRow,
    { rules, progress, pending }: CounterpartState & { readonly pending: readonly StoredPending[] },
    excuses: Excuses,
  ): Promise<Pick<Looked, "found" | "ended" | "isIdle" | "progress">> {
    const vocabulary = await templates.vocabularyOf(environment);
    const triggers = rules.map(({ when, service, name }) =>
      when ? triggerOf({ when, service }, vocabulary, name) : undefined,
    );
    const names = new Set(tablesIn(rules));
    const tables = vocabulary.tables.filter(({ name }) => names.has(name));
    const counted = (counts: readonly number[] = []) => rules.map((_, index) => counts[index] ?? 0);
    const fired = counted(progress.fired);
    const waiting = counted(progress.waiting);
    const dropped = counted(progress.dropped);
    const current = { rules, progress: { ...progress, fired, waiting, dropped } };
    const found = new Set<Act>();
    const ended: StoredPending[] = [];
    const waits = new Set<Waiting>();
    for (const stored of pending) {
      const rule = rules[stored.rule];
      if (!rule?.unless) continue;
      const isMet = excuses.get(stored.seq) ?? excuseOf(rule, stored.row, vocabulary);
      excuses.set(stored.seq, isMet);
      waits.add({ index: stored.rule, stored, isMet });
    }
    let isIdle = true;
    for (const { happening, actor, changedAt, newest } of changesOf(tables, noted)) {
      const isSeen = (when: StoredRule["when"]) => actor === null || seesOthers(when);
      for (const each of waits) {
        if ("call" in happening && !wasPending(each, newest)) continue;
        if (!isSeen(rules[each.index]?.unless) || !each.isMet(happening)) continue;
        isIdle = false;
        waits.delete(each);
        if (each.act) found.delete(each.act);
        if (each.stored) ended.push(each.stored);
        add(waiting, each.index, -1);
        add(dropped, each.index, 1);
      }
      for (const [index, rule] of rules.entries()) {
        if (!isSeen(rule.when)) continue;
        for (const row of triggers[index]?.find(happening) ?? []) {
          if (isAtLimit(current, index)) break;
          isIdle = false;
          add(rule.after === undefined ? fired : waiting, index, 1);
          const act = { index, rule, row, due: changedAt ?? undefined, state: "found" } as const;
          found.add(act);
          // What the same transaction changes does not end it.
          if (rule.unless) waits.add({ index, act, isMet: excuseOf(rule, row, vocabulary) });
        }
      }
    }
    return { found: [...found], ended, isIdle, progress: current.progress };
  }

  /**
   * The next changes that no rule has seen yet, and what they set off. `known`: the state before. `only`: without those of
   * the agent. `excuses`: those that an earlier look has compiled.
   */
  return async function look(
    sql: Sql,
    environment: EnvironmentRow,
    known: CounterpartState,
    { only, excuses = new Map() }: { readonly only?: "others"; readonly excuses?: Excuses } = {},
  ): Promise<Looked> {
    const { environmentId: id } = environment;
    const { rows, hasMore } = await listChanges(sql, id, TOGETHER_BYTES);
    const noted = only ? rows.filter(({ actor }) => actor !== null) : rows;
    const numbers = noted.map(({ number }) => number);
    const { rules, progress } = known;
    if (noted.length === 0)
      return { numbers, hasMore, found: [], ended: [], isIdle: true, progress };
    // What waits can be set off, done or ended meanwhile: it is read after the changes.
    const state = rules.some(({ after, at, quiet }) => (after ?? at ?? quiet) !== undefined)
      ? await findWithPending(sql, id, placesWithUnless(rules))
      : undefined;
    const given = state ?? { ...known, pending: [] };
    return { numbers, hasMore, ...(await lookAt(noted, environment, given, excuses)) };
  };
}

const add = (counts: number[], index: number, count: number) => {
  counts[index] = Math.max((counts[index] ?? 0) + count, 0);
};

/** Whether an action waited when a call began. A call that changed nothing does not know: whatever is pending did. */
const wasPending = ({ stored }: Waiting, newest: string | null | undefined): boolean =>
  stored !== undefined && (newest === undefined || Number(stored.seq) <= Number(newest));

const placesWithUnless = (rules: readonly StoredRule[]): number[] =>
  rules.flatMap(({ unless }, index) => (unless ? [index] : []));
