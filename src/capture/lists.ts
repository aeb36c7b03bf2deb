import type { Actor } from "~/capture/actor";
import type { JsonObject } from "~/capture/fold";
import type { Folds } from "~/capture/folds";
import { KEPT_LENGTH_MAX, RESULT_LENGTH_MAX } from "~/capture/limits";
import { type Loss, Lost } from "~/capture/loss";

/**
 * Builds the JSON text of an object of lists, value by value. `exceeded` is called as soon as it is longer than `max`;
 * if that does not throw, the content is given up.
 */
function listsUpTo<const Name extends string>(
  names: readonly Name[],
  max: number,
  exceeded: () => void,
) {
  const parts = new Map<Name, string[]>(names.map((name) => [name, []]));
  let length = 0;
  let isGivenUp = false;
  const giveUp = () => {
    exceeded();
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

/** Lists that are needed: beyond RESULT_LENGTH_MAX they throw `tooLong`. */
export const createLists = <const Name extends string>(names: readonly Name[], tooLong: Loss) =>
  listsUpTo(names, RESULT_LENGTH_MAX, () => {
    throw new Lost(tooLong);
  });

/** Lists that are kept if they are not long: beyond KEPT_LENGTH_MAX they give up their content. */
const createOptionalLists = <const Name extends string>(names: readonly Name[]) =>
  listsUpTo(names, KEPT_LENGTH_MAX, () => undefined);

const EVIDENCE = ["unchangedColumns", "revertedRows", "transientRows"] as const;

export const diffLists = () => createLists(["inserts", "updates", "deletes"], "diff_too_long");
const otherLists = () =>
  createLists(["inserts", "updates", "deletes", "unchangedColumns"], "diff_too_long");

/**
 * Receives the net changes of others than the agent, and names their actor. `text`: see OtherChanges; undefined if there
 * are none.
 */
export function otherChanges() {
  const { lists, text } = otherLists();
  const evidence = {
    unchangedColumns: lists.unchangedColumns,
    revertedRows: { push: () => undefined },
    transientRows: { push: () => undefined },
  };
  let count = 0;
  const into = (list: { push(value: unknown): void }, actor: Actor) => ({
    push(row: JsonObject): void {
      count++;
      list.push({ __table__: row["__table__"], __actor__: actor, ...row });
    },
  });
  return {
    add({ others }: Folds): void {
      for (const [actor, fold] of others) {
        const inserts = into(lists.inserts, actor);
        const updates = into(lists.updates, actor);
        const deletes = into(lists.deletes, actor);
        fold.drain({ inserts, updates, deletes }, evidence);
      }
    },
    text: () => (count === 0 ? undefined : text()),
  };
}

/** `isNeeded`: a verdict waits for it. Otherwise it is kept, if it is not long, so that the run can be graded again. */
export const evidenceLists = (isNeeded: boolean) =>
  isNeeded ? createLists(EVIDENCE, "evidence_too_long") : createOptionalLists(EVIDENCE);
