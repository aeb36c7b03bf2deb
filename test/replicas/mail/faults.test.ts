import { expect, test } from "bun:test";
import { expectStatus } from "../../support/program";
import { useScene } from "./scene";

const scene = useScene();

test.each([
  [
    { retryAfter: 7 },
    ...([429, "global", "Resource has been exhausted (e.g. check quota)."] as const),
  ],
  [
    { perUser: true },
    ...([403, "usageLimits", expect.stringMatching(/^Quota exceeded for quota metric/)] as const),
  ],
])(
  "a rate limit with %j strikes the calls of its method",
  async (fields, status, domain, message) => {
    const environment = await scene.environment();
    const answer = await scene.program.call("PUT", `/env/${environment.environmentId}/faults`, {
      faults: [{ method: "messages.list", fault: "rate_limited", ...fields }],
    });
    expectStatus(answer, 200);

    const errors = [{ domain, reason: "rateLimitExceeded", message }];
    expect(await scene.call(environment, "GET", "messages")).toMatchObject({
      status,
      body: { error: { code: status, status: "RESOURCE_EXHAUSTED", message, errors } },
    });
    expect(await scene.call(environment, "GET", "threads")).toMatchObject({ status: 200 });
  },
);
