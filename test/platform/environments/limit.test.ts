/** How many environments a Postgres carries, by its settings and its disk. */
import { expect, test } from "bun:test";
import { limitOf, reservedOf } from "~/platform/environments/limit";

const GB = 2 ** 30;
const settings = { autovacuum: true, locks: 6_400, sessions: 100, walBytes: GB };
const usual = { wanted: undefined, settings, disk: undefined, walBudgetBytes: 2 * GB, held: 0 };
const large = { freeBytes: 500 * GB, totalBytes: 1_000 * GB };

test.each([
  ["usual settings", {}, 10_000, "catalog"],
  ["a large disk", { disk: large }, 10_000, "catalog"],
  ["a setting", { wanted: 25_000, disk: large }, 25_000, "MAX_ENVIRONMENTS"],
  ["a setting of none", { wanted: 0 }, 0, "MAX_ENVIRONMENTS"],
  ["no autovacuum", { settings: { ...settings, autovacuum: false } }, 1_000, "settings"],
  ["few locks", { settings: { ...settings, locks: 1_000 } }, 1_000, "settings"],
  // 2 GB of them are reserved for the log.
  ["little disk", { disk: { ...large, freeBytes: 2 * GB + 160_000_000 } }, 100, "disk"],
  [
    "little disk beside some",
    { held: 7, disk: { ...large, freeBytes: 2 * GB + 160_000_000 } },
    107,
    "disk",
  ],
  ["a full disk", { held: 7, disk: { ...large, freeBytes: GB } }, 7, "disk"],
  [
    "a full disk and a setting",
    { wanted: 9, held: 7, disk: { ...large, freeBytes: 0 } },
    7,
    "disk",
  ],
] as const)("%s", (_case, facts, limit, limitedBy) => {
  expect(limitOf({ ...usual, ...facts })).toEqual({ limit, limitedBy });
});

test("a small disk reserves a twentieth, a large one the budget of the log", () => {
  expect(reservedOf({ freeBytes: GB, totalBytes: 10 * GB }, 2 * GB)).toBe(GB / 2);
  expect(reservedOf({ freeBytes: GB, totalBytes: 1_000 * GB }, 2 * GB)).toBe(2 * GB);
});
