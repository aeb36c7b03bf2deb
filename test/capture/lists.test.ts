import { describe, expect, test } from "bun:test";
import { KEPT_LENGTH_MAX, RESULT_LENGTH_MAX } from "~/capture/limits";
import { createLists, evidenceLists } from "~/capture/lists";
import { Lost } from "~/capture/loss";

describe("lists written value by value", () => {
  test("are the JSON text of the whole", () => {
    const whole = { first: [{ a: 1 }, { b: 'ü\u0001"' }], second: [] as unknown[], third: [null] };

    const written = createLists(["first", "second", "third"], "diff_too_long");
    for (const value of whole.first) written.lists.first.push(value);
    written.lists.third.push(null);

    expect(written.text()).toBe(JSON.stringify(whole));
  });

  test("fail by name before their text is too large", () => {
    const { lists } = createLists(["rows"], "diff_too_long");
    const megabyte = "x".repeat(2 ** 20);
    const fill = () => {
      for (let length = 0; length <= RESULT_LENGTH_MAX; length += megabyte.length)
        lists.rows.push(megabyte);
    };
    expect(fill).toThrow(new Lost("diff_too_long"));
  });

  test("give up their content instead, when nothing waits for it", () => {
    const list = evidenceLists(false);
    const quarter = "x".repeat(KEPT_LENGTH_MAX / 4);
    for (let n = 0; n < 3; n++) list.lists.unchangedColumns.push(quarter);
    expect(list.isGivenUp).toBe(false);

    list.lists.unchangedColumns.push(quarter);

    expect({ isGivenUp: list.isGivenUp, length: list.length }).toEqual({
      isGivenUp: true,
      length: 0,
    });
  });
});
