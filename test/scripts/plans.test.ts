import { expect, test } from "bun:test";
import { fullReads } from "../../scripts/plans";
import { ROWS } from "../support/large";

const scan = (table: string, rows: object) => ({
  "Node Type": "Index Scan",
  "Relation Name": table,
  "Actual Loops": 1,
  ...rows,
});

test.each([
  ["all rows in one scan", scan("issues", { "Actual Rows": ROWS }), 1],
  ["all rows for a few that fit", scan("issues", { "Rows Removed by Filter": ROWS }), 1],
  ["as many in a loop", scan("messages", { "Actual Rows": 50, "Actual Loops": ROWS / 50 }), 1],
  ["a page", scan("issues", { "Actual Rows": 50, "Rows Removed by Filter": 100 }), 0],
  ["a part that never ran", scan("issues", { "Actual Rows": ROWS, "Actual Loops": 0 }), 0],
  ["a small table", scan("teams", { "Actual Rows": ROWS }), 0],
])("%s", (_, node, count) => {
  const plan = { "Node Type": "Limit", Plans: [{ "Node Type": "Nested Loop", Plans: [node] }] };

  expect([...fullReads(plan)]).toHaveLength(count);
});
