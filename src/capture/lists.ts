import type { JsonObject } from "~/capture/fold";
import { KEPT_LENGTH_MAX, RESULT_LENGTH_MAX } from "~/capture/limits";
import { type Loss, Lost } from "~/capture/loss";

/**
 * Builds the JSON text of an object of lists, value by value. Throws `tooLong` as soon as it exceeds RESULT_LENGTH_MAX;
 * without `tooLong` it gives up its content beyond KEPT_LENGTH_MAX.
 */
export function createLists<const Name extends string>(
  names: readonly Name[],
  tooLong: Loss | undefined,
) {
  const parts = new Map<Name, string[]>(names.map((name) => [name, []]));
  const max = tooLong === undefined ? KEPT_LENGTH_MAX : RESULT_LENGTH_MAX;
  let length = 0;
  let isGivenUp = false;
  const giveUp = () => {
    if (tooLong !== undefined) throw new Lost(tooLong);
    isGivenUp = true;
    length = 0;
    for (const list of parts.values()) list.length = 0;
  };
  const listOf = (list: string[]) => ({
    push(value: unknown): void {
      if (isGivenUp) return;
      const text = JSON.stringify(value);
      length += text.length + 1;
      if (length > max) giveUp();
      else list.push(text);
    },
  });
  return {
    lists: Object.fromEntries([...parts].map(([name, list]) => [name, listOf(list)])) as Record<
      Name,
      { push(value: unknown): void }
    >,

    get length() {
      return length;
    },

    /** Whether its content was too long. */
    get isGivenUp() {
      return isGivenUp;
    },

    text: (): string =>
      `{${[...parts].map(([name, list]) => `"${name}":[${list.join(",")}]`).join(",")}}`,
  };
}

export const diffLists = () => createLists(["inserts", "updates", "deletes"], "diff_too_long");
const clockLists = () =>
  createLists(["inserts", "updates", "deletes", "unchangedColumns"], "diff_too_long");

/** Receives net changes by the clock, and names their actor. `text`: see ClockChanges; undefined if there are none. */
export function clockChanges() {
  const { lists, text } = clockLists();
  let count = 0;
  const into = (list: { push(value: unknown): void }) => ({
    push(row: JsonObject): void {
      count++;
      list.push({ __table__: row["__table__"], __actor__: "clock", ...row });
    },
  });
  return {
    diff: {
      inserts: into(lists.inserts),
      updates: into(lists.updates),
      deletes: into(lists.deletes),
    },
    evidence: {
      unchangedColumns: lists.unchangedColumns,
      revertedRows: { push: () => undefined },
      transientRows: { push: () => undefined },
    },
    text: () => (count === 0 ? undefined : text()),
  };
}

/** `isNeeded`: a verdict waits for it. Otherwise it is kept, if it is not long, so that the run can be graded again. */
export const evidenceLists = (isNeeded: boolean) =>
  createLists(
    ["unchangedColumns", "revertedRows", "transientRows"],
    isNeeded ? "evidence_too_long" : undefined,
  );
