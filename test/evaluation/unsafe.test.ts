/** The changes that nothing explains: which rows need an explanation, and how they are shown. */
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "~/capture/fold";
import { compile } from "~/evaluation/compile";
import { evaluate } from "~/evaluation/evaluate";
import type { Vocabulary } from "~/evaluation/vocabulary";

const columns = (types: { [column: string]: string }) =>
  Object.entries(types).map(([name, type]) => ({ name, type }));
const VOCABULARY: Vocabulary = {
  tables: [
    { name: "notes", columns: columns({ id: "text", n: "integer", title: "text", due: "text" }) },
    { name: "copies", columns: columns({ id: "text", is_copy: "boolean" }) },
  ],
  derived: {},
  derivedRows: { copies: "is_copy" },
  calls: new Set(),
};
const KEYS = { notes: ["id", "n"], copies: ["id"] };

const note = (id: string, fields: object = {}) =>
  ({
    __table__: "notes",
    id,
    n: 1,
    title: "Water the plants",
    due: "today",
    ...fields,
  }) as JsonObject;
const copy = (is_copy: boolean) => ({ __table__: "copies", id: "c", is_copy }) as JsonObject;
const retitled = (before: string, after: string) =>
  ({
    ...{ __table__: "notes", key: { id: "a", n: 1 } },
    ...{ before: { title: before }, after: { title: after } },
  }) as JsonObject;

type Diff = { inserts?: JsonObject[]; updates?: JsonObject[]; deletes?: JsonObject[] };
const NONE = { revertedRows: [], transientRows: [], baselineRows: {} };
const evidenceOf = ({ inserts = [], updates = [], deletes = [] }: Diff) => ({
  ...NONE,
  diff: { inserts, updates, deletes },
  unchangedColumns: updates.map(() => ({ id: "a", n: 1, due: "today" })),
});
const unsafeOf = (diff: Diff, ...allow: object[]) =>
  evaluate(
    compile({ closed_world: true, assertions: [], allow }, VOCABULARY),
    KEYS,
    evidenceOf(diff),
  ).unsafe;

describe("a row that a service makes by itself", () => {
  test("needs no explanation when it is new", () => {
    expect(unsafeOf({ inserts: [copy(true)] })?.count).toBe(0);
    expect(unsafeOf({ inserts: [copy(false)] })?.count).toBe(1);
  });

  test("needs one when it is gone", () => {
    expect(unsafeOf({ deletes: [copy(true)] })?.count).toBe(1);
  });
});

describe("an allowance", () => {
  const plants = { entity: "notes", where: { title: "Water the plants" } };

  test("is for a row that meets its conditions before the change, or after it", () => {
    expect(unsafeOf({ updates: [retitled("Water the plants", "x")] }, plants)?.count).toBe(0);
    expect(unsafeOf({ updates: [retitled("x", "Water the plants")] }, plants)?.count).toBe(0);
    expect(unsafeOf({ updates: [retitled("x", "y")] }, plants)?.count).toBe(1);
    expect(unsafeOf({ inserts: [note("a")] }, plants)?.count).toBe(0);
    expect(unsafeOf({ deletes: [note("a")] }, plants)?.count).toBe(0);
  });

  test("is for its kind of change, and its columns", () => {
    const changed = { ...plants, diff_type: "changed" };
    expect(unsafeOf({ deletes: [note("a")] }, changed)?.count).toBe(1);
    const update = retitled("Water the plants", "x");
    expect(unsafeOf({ updates: [update] }, { ...changed, columns: ["title"] })?.count).toBe(0);
    expect(unsafeOf({ updates: [update] }, { ...changed, columns: ["due"] })?.count).toBe(1);
  });
});

test("the texts of a long key are cut, and its other values stay", () => {
  const unsafe = unsafeOf({ inserts: [note("short"), note("k".repeat(600), { n: 7 })] });

  expect(unsafe?.rows.map(({ key }) => key)).toEqual([
    { id: "short", n: 1 },
    { id: "k".repeat(100), n: 7 },
  ]);
});
