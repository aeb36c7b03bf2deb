import { expect, test } from "bun:test";
import { faultAnswers } from "~/replicas/kit/fault-answers";

const answer = faultAnswers(({ kind }) => ({ status: 418, error: kind, body: { kind } }));

test("a report is JSON", () => {
  expect(answer({ kind: "server_error" })).toEqual({
    status: 418,
    error: "server_error",
    headers: { "content-type": "application/json; charset=utf-8" },
    body: '{"kind":"server_error"}',
  });
});

test("a rate limit has the time to wait", () => {
  expect(answer({ kind: "rate_limited", retryAfter: 7 })).toMatchObject({
    headers: { "retry-after": "7" },
  });
});
