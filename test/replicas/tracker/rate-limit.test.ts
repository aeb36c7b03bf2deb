/** The limits that clients read begin anew with each hour. */
import { expect, test } from "bun:test";
import { resetAt } from "~/replicas/tracker/rate-limit";

test.each([
  ["2026-01-13T11:00:00.000Z", "2026-01-13T12:00:00.000Z"],
  ["2026-01-13T11:00:00.001Z", "2026-01-13T12:00:00.000Z"],
  ["2026-01-13T11:59:59.999Z", "2026-01-13T12:00:00.000Z"],
  ["2026-12-31T23:30:00.000Z", "2027-01-01T00:00:00.000Z"],
])("at %s: %s", (now, reset) => {
  expect(new Date(resetAt(new Date(now))).toISOString()).toBe(reset);
});
