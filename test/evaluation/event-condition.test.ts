/** Conditions on an event: its columns, and the types that their values have. */
import { expect, test } from "bun:test";
import { compileEventCondition } from "~/evaluation/event-condition";

const EVENT = { n: 3, service: "chat", cause: { by: "call" }, payload: { event: { text: "Hi" } } };

test.each([
  [{ n: { gte: 3 }, service: "chat" }, true],
  [{ n: { lt: 3 } }, false],
  [{ "cause.by": "call", "payload.event.text": { i_eq: "hi" } }, true],
  [{ "payload.event.user": "U1" }, false],
])("%j is met: %p", (where, isMet) => {
  expect(compileEventCondition(where, "where")(EVENT)).toBe(isMet);
});

test.each([
  [{ n: "x" }, "where.n: the column is integer, so its value is a whole number"],
  [{ service: 5 }, "where.service: the column is text, so its value is text"],
  [{ "service.name": "x" }, "where.service.name: service is text, which has no parts"],
  [{ payloads: 1 }, 'where: an event has no column "payloads"; the nearest is "payload"'],
  [{ service: { regex: "a+" } }, "where: conditions on events take no regex"],
])("%j is rejected", (where, message) => {
  expect(() => compileEventCondition(where, "where")).toThrow(message);
});
