/** Edits by anchors: their effects in order, and their rejections. */
import { describe, expect, test } from "bun:test";
import { applyEdits, type Edit } from "~/replicas/tracker/mcp/patch";

const TEXT = "one two three two";

describe("an edit", () => {
  const effects: readonly (readonly [Edit, string])[] = [
    [{ op: "replace", old_string: "one", new_string: "" }, " two three two"],
    [{ op: "replace", old_string: "one", new_string: "$& $1" }, "$& $1 two three two"],
    [
      { op: "replace", old_string: "two", new_string: "$&2", replace_all: true },
      "one $&2 three $&2",
    ],
    [{ op: "insert_before", anchor: "three", text: "<" }, "one two <three two"],
    [{ op: "insert_after", anchor: "three", text: ">" }, "one two three> two"],
    [{ op: "prepend", text: "zero " }, "zero one two three two"],
    [{ op: "append", text: " end" }, "one two three two end"],
    [{ op: "replace_range", from: "one", to: "three", new_string: "1 2 " }, "1 2 three two"],
    // The end is searched after the beginning only.
    [{ op: "replace_range", from: "three", to: "two", new_string: "3 " }, "one two 3 two"],
  ];

  test.each(effects)("%j", (edit, after) => {
    expect(applyEdits(TEXT, [edit])).toBe(after);
  });

  const rejections: readonly (readonly [Edit, string])[] = [
    [{ op: "replace", old_string: "four", new_string: "" }, "old_string not found"],
    [{ op: "replace", old_string: "two", new_string: "" }, "old_string matches 2 times"],
    [
      { op: "replace", old_string: "four", new_string: "", replace_all: true },
      "old_string not found",
    ],
    [{ op: "insert_before", anchor: "two", text: "x" }, "anchor matches 2 times"],
    [{ op: "insert_after", anchor: "four", text: "x" }, "anchor not found"],
    [{ op: "replace_range", from: "two", to: "three", new_string: "" }, "from matches 2 times"],
    [{ op: "replace_range", from: "three", to: "one", new_string: "" }, "to not found"],
    [{ op: "replace_range", from: "one", to: "two", new_string: "" }, "to matches 2 times"],
  ];

  test.each(rejections)("%j is rejected", (edit, problem) => {
    expect(() => applyEdits(TEXT, [{ op: "append", text: "" }, edit])).toThrow(
      `patch[1]: ${problem}`,
    );
  });

  const tooLong = "description must be shorter than or equal to 250000 characters";
  const max = "x".repeat(250_000);
  const longer: readonly Edit[] = [
    { op: "append", text: "y" },
    { op: "prepend", text: "y" },
    { op: "insert_before", anchor: max, text: "y" },
    { op: "insert_after", anchor: max, text: "y" },
    { op: "replace", old_string: max, new_string: `${max}y` },
    { op: "replace", old_string: "xx", new_string: "xxx", replace_all: true },
  ];

  test.each(longer)("%#: is rejected as soon as the text is too long", (edit) => {
    expect(() =>
      applyEdits(max, [edit, { op: "replace", old_string: "z" }], "description"),
    ).toThrow(tooLong);
  });

  test("of every occurrence may leave the longest text", () => {
    const edit: Edit = { op: "replace", old_string: "a", new_string: "bb", replace_all: true };

    expect(applyEdits("a".repeat(125_000), [edit])).toBe("b".repeat(250_000));
  });

  test("that multiplies a text is rejected before the text is built", () => {
    const edit: Edit = {
      op: "replace",
      old_string: "a",
      new_string: "a".repeat(10),
      replace_all: true,
    };
    const before = process.cpuUsage();

    expect(() => applyEdits("a", Array(8).fill(edit), "description")).toThrow(tooLong);
    expect(() =>
      applyEdits("a".repeat(1_000), [{ ...edit, new_string: max }], "description"),
    ).toThrow(tooLong);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(200);
  });

  test("applies to the text that the one before it left", () => {
    const edits: readonly Edit[] = [
      { op: "replace", old_string: "one two", new_string: "1" },
      { op: "insert_after", anchor: "two", text: "!" },
    ];

    expect(applyEdits(TEXT, edits)).toBe("1 three two!");
  });
});
