import { describe, expect, test } from "bun:test";
import { fullReads, MANY, unboundedScans } from "../../scripts/plans";

const scan = (table: string, rows: object) => ({
  "Node Type": "Index Scan",
  "Relation Name": table,
  "Actual Loops": 1,
  ...rows,
});

/** Somewhere in a plan. */
const within = (node: object) => ({
  "Node Type": "Limit",
  Plans: [{ "Node Type": "Nested Loop", Plans: [node as ReturnType<typeof scan>] }],
});

describe("reads of a whole table", () =>
  test.each([
    ["all rows in one scan", scan("issues", { "Actual Rows": MANY }), 1],
    ["all rows for a few that fit", scan("issues", { "Rows Removed by Filter": MANY }), 1],
    ["as many in a loop", scan("messages", { "Actual Rows": 50, "Actual Loops": MANY / 50 }), 1],
    ["a page", scan("issues", { "Actual Rows": 50, "Rows Removed by Filter": 100 }), 0],
    ["a part that never ran", scan("issues", { "Actual Rows": MANY, "Actual Loops": 0 }), 0],
    ["a small table", scan("teams", { "Actual Rows": MANY }), 0],
  ])("%s", (_, node, count) => expect([...fullReads(within(node))]).toHaveLength(count)));

const INDEX = { "Index Name": "issues_created", Filter: "archivedAt is null" };

describe("plans that would read a whole table once it has grown", () =>
  test.each([
    ["the order of a list", scan("issues", INDEX), 1],
    ["a later column", scan("issues", { ...INDEX, "Index Cond": "(id = ANY ($1))" }), 1],
    ["no index", scan("issues", { "Node Type": "Seq Scan" }), 1],
    ["the first column", scan("issues", { ...INDEX, "Index Cond": '("createdAt" > $1)' }), 0],
    ["all of a list", scan("issues", { "Index Name": "issues_created" }), 0],
    ["a small table", scan("teams", { "Node Type": "Seq Scan" }), 0],
  ])("%s", (_, node, count) => expect([...unboundedScans(within(node))]).toHaveLength(count)));
