/** The rows that a verdict shows. */
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "~/capture/fold";
import { compile } from "~/evaluation/compile";
import { findingsOf } from "~/evaluation/findings";
import type { Vocabulary } from "~/evaluation/vocabulary";

const VOCABULARY: Vocabulary = {
  tables: [{ name: "notes", columns: [{ name: "id", type: "text" }] }],
  derived: {},
  calls: new Set(),
};
const KEYS = { notes: ["id"] };
const note = (id: string) => ({ __table__: "notes", id }) as JsonObject;
const EVIDENCE = {
  ...{ revertedRows: [], transientRows: [], unchangedColumns: [] },
  diff: { inserts: [note("a"), note("b")], updates: [], deletes: [] },
  baselineRows: { notes: [note("c")] },
};

describe("what a verdict shows of its rows", () => {
  const found = (assertions: object[]) =>
    findingsOf(compile({ assertions }, VOCABULARY), KEYS, EVIDENCE).assertions;
  const still = (where: object) => ({ diff_type: "unchanged", entity: "notes", where });
  const added = { diff_type: "added", entity: "notes" };
  const keys = (of: readonly { readonly key: JsonObject }[] = []) => of.map(({ key }) => key["id"]);

  test("rows that stay as they are have nothing to show, unless they fail", () => {
    const [holding, failing] = found([still({ id: "c" }), still({ id: "x" })]);

    expect(holding).toMatchObject({ holds: true, count: 1, counted: [] });
    expect(failing).toMatchObject({ holds: false, count: 0 });
    expect(keys(failing?.nearest)).toEqual(["c"]);
  });

  test("the nearest of many rows are shown", () => {
    const inserts = Array.from({ length: 12 }, (_, index) => note(`n${index}`));
    const where = { id: { starts_with: "x" } };

    const { assertions } = findingsOf(
      compile({ assertions: [{ ...added, where }, added] }, VOCABULARY),
      KEYS,
      { ...EVIDENCE, diff: { ...EVIDENCE.diff, inserts } },
    );

    expect(assertions[0]).toMatchObject({ holds: false, count: 0, counted: [] });
    expect(assertions[0]?.nearest).toHaveLength(3);
    expect(assertions[1]).toMatchObject({ holds: true, count: 12, nearest: [] });
    expect(assertions[1]?.counted).toHaveLength(3);
  });

  test("new rows are shown, for the first fifty assertions", () => {
    const shown = found(Array.from({ length: 52 }, () => added)).map(({ counted }) =>
      keys(counted),
    );

    expect(shown.slice(0, 50)).toEqual(Array(50).fill(["a", "b"]));
    expect(shown.slice(50)).toEqual([[], []]);
  });
});
