import { expect, test } from "bun:test";
import { expectStatus } from "../../support/program";
import { useScene } from "./scene";

const scene = useScene();

test("a fault strikes the calls of its method", async () => {
  const environment = await scene.environment();
  const answer = await scene.program.call("PUT", `/env/${environment.environmentId}/faults`, {
    faults: [{ method: "messages.list", fault: "rate_limited", retryAfter: 7 }],
  });
  expectStatus(answer, 200);

  expect(await scene.call(environment, "GET", "messages")).toMatchObject({
    status: 429,
    body: { error: { code: 429, status: "RESOURCE_EXHAUSTED" } },
  });
  expect(await scene.call(environment, "GET", "threads")).toMatchObject({ status: 200 });
});
