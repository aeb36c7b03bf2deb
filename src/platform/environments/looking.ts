/** Finds what the changes of an environment set off. */
import type { Sql } from "~/db/connect";
import { changesOf } from "~/platform/counterparts/changes";
import { triggerOf } from "~/platform/counterparts/rules";
import {
  type CounterpartState,
  countOf,
  find,
  listChanges,
  type NotedRow,
  type Progress,
} from "~/platform/counterparts/store";
import type { Act } from "~/platform/environments/actions";
import type { EnvironmentRow } from "~/platform/environments/store";
import type { Templates } from "~/platform/templates/templates";

/** Bytes of changes that are looked at together. A transaction is looked at as a whole. */
const TOGETHER_BYTES = 16 * 1024 * 1024;

const isAtLimit = ({ rules, progress }: CounterpartState, index: number): boolean =>
  countOf(progress, index) >= (rules[index]?.times ?? 1);

/** Each rule has acted as often as it may. */
export const isUsedUp = ({ rules, progress: { fired } }: CounterpartState): boolean =>
  rules.every((rule, index) => (fired[index] ?? 0) >= (rule.times ?? 1));

export type Looked = {
  /** Of the changes. */
  readonly numbers: readonly string[];
  /** There are more changes than were looked at together. */
  readonly hasMore: boolean;
  /** The actions that they set off: now, or after some time. */
  readonly found: readonly Act[];
  /** With what they set off. */
  readonly progress: Progress;
};

export function createLooking(templates: Templates) {
  /** Finds the actions that these changes set off. */
  async function lookAt(
    noted: readonly NotedRow[],
    environment: EnvironmentRow,
    { rules, progress }: CounterpartState,
  ): Promise<Pick<Looked, "found" | "progress">> {
    const vocabulary = await templates.vocabularyOf(environment);
    const triggers = rules.map((rule) => triggerOf(rule, vocabulary, rule.name));
    const tables = vocabulary.tables.filter(({ name }) =>
      rules.some(({ table }) => table === name),
    );
    const fired = rules.map((_, index) => progress.fired[index] ?? 0);
    const waiting = rules.map((_, index) => progress.waiting?.[index] ?? 0);
    const current = { rules, progress: { ...progress, fired, waiting } };
    const found: Act[] = [];
    for (const rows of changesOf(tables, noted))
      for (const [index, rule] of rules.entries())
        for (const row of triggers[index]?.find(rows) ?? []) {
          if (isAtLimit(current, index)) break;
          const counts = rule.after === undefined ? fired : waiting;
          counts[index] = (counts[index] ?? 0) + 1;
          found.push({ index, rule, row });
        }
    return { found, progress: current.progress };
  }

  /** The next changes that no rule has seen yet, and what they set off. `known`: the state before. */
  return async function look(
    sql: Sql,
    environment: EnvironmentRow,
    known: CounterpartState,
  ): Promise<Looked> {
    const { environmentId: id } = environment;
    const { rows: noted, hasMore } = await listChanges(sql, id, TOGETHER_BYTES);
    const numbers = noted.map(({ number }) => number);
    if (noted.length === 0) return { numbers, hasMore, found: [], progress: known.progress };
    const waits = known.rules.some(({ after }) => after !== undefined);
    // The number of pending actions can fall meanwhile, so that a rule may act again: read after the changes.
    const state = (waits && (await find(sql, id))) || known;
    return { numbers, hasMore, ...(await lookAt(noted, environment, state)) };
  };
}
