import { expect, test } from "bun:test";
import { faultAnswers } from "~/replicas/kit/fault-answers";

const answer = faultAnswers(
  {
    rate_limited: { status: 429, error: "slow_down" },
    server_error: { status: 500, error: "broken" },
    token_expired: { status: 401, error: "expired" },
    unavailable: "away",
  },
  ({ status, error }) => ({ error, status }),
);

test.each([
  [{ kind: "server_error" } as const, 500, "broken"],
  [{ kind: "token_expired" } as const, 401, "expired"],
  [{ kind: "unavailable", status: 503 } as const, 503, "away"],
])("%j is reported as JSON", (problem, status, error) => {
  expect(answer(problem)).toEqual({
    status,
    error,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify({ error, status }),
  });
});

test("a rate limit has the time to wait", () => {
  expect(answer({ kind: "rate_limited", retryAfter: 7 })).toMatchObject({
    status: 429,
    headers: { "retry-after": "7" },
  });
});
