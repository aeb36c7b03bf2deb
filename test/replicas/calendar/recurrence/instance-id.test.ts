import { expect, test } from "bun:test";
import { instanceId, readInstanceId } from "~/replicas/calendar/recurrence/instance-id";

const startMs = Date.parse("2026-03-09T08:30:00Z");

test.each([
  ["team_20260309T083000Z", { masterId: "team", start: startMs }],
  ["team_20260309", { masterId: "team", start: "2026-03-09" }],
  ["a_b_20260309", { masterId: "a_b", start: "2026-03-09" }],
])("%s is the id of an occurrence", (id, read) => {
  expect(readInstanceId(id)).toEqual(read);
  expect(instanceId(read.masterId, read.start)).toBe(id);
});

test.each([
  "team",
  "team_",
  "_20260309",
  "team_20260230",
  "team_20260309T083000",
  "team_20260309T253000Z",
])("%s is not", (id) => {
  expect(readInstanceId(id)).toBeUndefined();
});
