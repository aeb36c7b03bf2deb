/** Specs that use the names of another implementation of a service. */
import { describe, expect, test } from "bun:test";
import { withoutTableAliases } from "~/evaluation/table-aliases";
import type { Vocabulary } from "~/evaluation/vocabulary";

const columns = (...names: string[]) => names.map((name) => ({ name, type: "text" }));
const VOCABULARY: Vocabulary = {
  tables: [
    { name: "issues", columns: columns("id", "dueDate", "stateId", "data") },
    { name: "comments", columns: columns("id", "issueId") },
  ],
  derived: {},
  calls: new Set(),
  tableAliases: { tickets: "issues" },
};
const renamed = (spec: object) => withoutTableAliases(spec as never, VOCABULARY);
const assertion = (part: object) => renamed({ assertions: [part] })["assertions"];

describe("an assertion", () => {
  test("has the names of this implementation in all its parts", () => {
    expect(
      assertion({
        ...{ diff_type: "changed", entity: "tickets", expected_count: 1 },
        where: { due_date: "x", or: [{ state_id: 1 }, { not: { "DATA.due_date": 2 } }] },
        expected_changes: { due_date: { to: "y" } },
        ignore: ["state_id", "nothing", 7],
      }),
    ).toEqual([
      {
        ...{ diff_type: "changed", entity: "issues", expected_count: 1 },
        where: { dueDate: "x", or: [{ stateId: 1 }, { not: { "data.due_date": 2 } }] },
        expected_changes: { dueDate: { to: "y" } },
        ignore: ["stateId", "nothing", 7],
      },
    ]);
  });

  test("about a table that does not exist, and one that is malformed, stay for the checks to reject", () => {
    for (const part of [{ entity: "ticket", where: { due_date: 1 } }, { entity: 1 }, null, "x"])
      expect(assertion(part as object)).toEqual([part]);
    expect(
      assertion({ entity: "issues", where: 1, expected_changes: [], ignore: "due_date" }),
    ).toEqual([{ entity: "issues", where: 1, expected_changes: [], ignore: "due_date" }]);
  });

  test("that names a column twice keeps both names", () => {
    const where = { dueDate: 1, due_date: 2 };
    expect(assertion({ entity: "issues", where })).toEqual([{ entity: "issues", where }]);
  });
});

test("allowances, attacks and ignored fields have them too", () => {
  expect(
    renamed({
      allow: [{ entity: "tickets", diff_type: "changed", columns: ["due_date"] }],
      attack: { description: "x", assertions: [{ entity: "tickets", where: { due_date: 1 } }] },
      ignore_fields: {
        tickets: ["due_date"],
        global: ["issue_id", "state_id", "else"],
        comments: 1,
      },
    }),
  ).toEqual({
    allow: [{ entity: "issues", diff_type: "changed", columns: ["dueDate"] }],
    attack: { description: "x", assertions: [{ entity: "issues", where: { dueDate: 1 } }] },
    ignore_fields: { issues: ["dueDate"], global: ["issueId", "stateId", "else"], comments: 1 },
  });
});

test("a service without other names has its specs as they are", () => {
  const spec = { assertions: [{ entity: "issues", where: { due_date: 1 } }] };
  expect(withoutTableAliases(spec, { ...VOCABULARY, tableAliases: {} })).toBe(spec);
});
