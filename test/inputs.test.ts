/**
 * The list of bad inputs, S001 to S152: each has a test whose name ends with its id, or is listed here with the reason
 * why it cannot have one.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** First and last number of each part. */
const PARTS = {
  "keys and authentication": [1, 16],
  "objects and tenants": [20, 36],
  "transport and JSON": [40, 64],
  "ids, names, SQL identifiers, paths": [70, 81],
  chat: [90, 97],
  tracker: [100, 114],
  "evaluation and suites": [120, 131],
  "limits, logs and the rest": [140, 152],
} as const;

/** Inputs without a test, with the reason. */
const NOT_TESTED: Readonly<Record<string, string>> = {};

const idOf = (number: number) => `S${String(number).padStart(3, "0")}`;
const ids = ([first, last]: readonly [number, number]) =>
  Array.from({ length: last - first + 1 }, (_, index) => idOf(first + index));

const FILES = readdirSync(import.meta.dir, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".test.ts") && file !== "inputs.test.ts",
);

/** Ends a name, `… (S001, S002)`, or is in a row of a table whose name ends with `(%s)`. */
const NAMED = /\((S\d{3}(?:, S\d{3})*)\)["'`]|["'](S\d{3})["']/g;

const tested = new Set(
  FILES.flatMap((file) =>
    [...readFileSync(join(import.meta.dir, file), "utf8").matchAll(NAMED)].flatMap(
      ([, list, single]) => (list ?? single ?? "").split(", "),
    ),
  ),
);

describe("bad inputs", () => {
  test.each(Object.entries(PARTS))("on %s are all tested", (_part, range) => {
    expect(ids(range).filter((id) => !tested.has(id) && !(id in NOT_TESTED))).toEqual([]);
  });

  test("have no test with an id outside the list", () => {
    const known = new Set(Object.values(PARTS).flatMap(ids));
    expect([...tested].filter((id) => !known.has(id))).toEqual([]);
  });

  test("are not listed as untested if they have a test", () => {
    expect(Object.keys(NOT_TESTED).filter((id) => tested.has(id))).toEqual([]);
  });
});
