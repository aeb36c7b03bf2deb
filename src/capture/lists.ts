import { RESULT_LENGTH_MAX } from "~/capture/limits";
import { type Loss, Lost } from "~/capture/loss";

/**
 * Builds the JSON text of an object of lists, value by value. Throws `tooLong` as soon as it exceeds RESULT_LENGTH_MAX.
 */
export function createLists<const Name extends string>(names: readonly Name[], tooLong: Loss) {
  const parts = new Map<Name, string[]>(names.map((name) => [name, []]));
  let length = 0;
  const listOf = (list: string[]) => ({
    push(value: unknown): void {
      const text = JSON.stringify(value);
      length += text.length + 1;
      if (length > RESULT_LENGTH_MAX) throw new Lost(tooLong);
      list.push(text);
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

    text: (): string =>
      `{${[...parts].map(([name, list]) => `"${name}":[${list.join(",")}]`).join(",")}}`,
  };
}

export const diffLists = () => createLists(["inserts", "updates", "deletes"], "diff_too_long");
export const evidenceLists = () =>
  createLists(["unchangedColumns", "revertedRows", "transientRows"], "evidence_too_long");
