/** Finds what the changes of an environment set off. */
import type { Sql } from "~/db/connect";
import { changesOf } from "~/platform/counterparts/changes";
import { triggerOf } from "~/platform/counterparts/rules";
import { type CounterpartState, listChanges } from "~/platform/counterparts/store";
import type { SetOff } from "~/platform/environments/performing";
import type { EnvironmentRow } from "~/platform/environments/store";
import type { Templates } from "~/platform/templates/templates";

/** Bytes of changes that are looked at together. A transaction is looked at as a whole. */
const TOGETHER_BYTES = 16 * 1024 * 1024;

/** Each rule has acted as often as it may. */
export const isUsedUp = ({ rules, progress: { fired } }: CounterpartState): boolean =>
  rules.every((rule, index) => (fired[index] ?? 0) >= (rule.times ?? 1));

export function createLooking(templates: Templates) {
  /** The next changes that no rule has seen yet, and what they set off; undefined: there are none. */
  return async function look(
    sql: Sql,
    environment: EnvironmentRow,
    { rules, progress }: CounterpartState,
  ) {
    const { rows: noted, hasMore } = await listChanges(
      sql,
      environment.environmentId,
      TOGETHER_BYTES,
    );
    if (noted.length === 0) return undefined;
    const vocabulary = await templates.vocabularyOf(environment);
    const triggers = rules.map((rule) => triggerOf(rule, vocabulary, rule.name));
    const tables = vocabulary.tables.filter(({ name }) =>
      rules.some(({ table }) => table === name),
    );
    const fired = [...progress.fired];
    const found: (SetOff & { readonly index: number })[] = [];
    for (const rows of changesOf(tables, noted))
      for (const [index, rule] of rules.entries())
        for (const row of triggers[index]?.find(rows) ?? []) {
          if ((fired[index] ?? 0) >= (rule.times ?? 1)) break;
          fired[index] = (fired[index] ?? 0) + 1;
          found.push({ index, rule, row });
        }
    const numbers = noted.map(({ number }) => number);
    return { numbers, hasMore, found, progress: { ...progress, fired } };
  };
}
