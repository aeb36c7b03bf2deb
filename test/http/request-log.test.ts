/** Metrics count rejections by the reasons that errors carry as data. */
import { describe, expect, test } from "bun:test";
import { LimitExceeded, NotAuthed } from "~/errors";
import { createRequestLog } from "~/http/request-log";
import { createLog } from "~/log";
import { createMetrics } from "~/metrics";

/** The labels and values of a counter after one call that failed with `error`. */
async function counted(error: Error, status: number, code: string, counter: string) {
  const metrics = createMetrics();
  const requests = createRequestLog(createLog({ level: "error", write: () => {} }), metrics);
  const route = { name: "other", kind: "debug" } as const;
  const started = requests.begin();
  requests.end({ requestId: "r", route, started, status, error, code });
  const { values } = (await metrics.registry.getSingleMetric(counter)?.get()) ?? { values: [] };
  return values.map(({ labels, value }): Record<string, unknown> => ({ ...labels, value }));
}

describe("a rejection is counted by its reason, not by its message", () => {
  test.each(["missing", "invalid", "expired", "remote"] as const)("%s key", async (reason) => {
    const error = new NotAuthed(reason);
    error.message = "in other words";

    expect(await counted(error, 401, "not_authed", "diorama_auth_failures_total")).toEqual([
      { reason, value: 1 },
    ]);
  });

  test.each(["hourly request", "daily environment", "other"] as const)(
    "%s limit",
    async (limit) => {
      const error = new LimitExceeded(limit === "other" ? { other: "too much" } : limit, 5, 5);
      error.message = "in other words";

      expect(await counted(error, 429, "limit", "diorama_limit_rejections_total")).toEqual([
        { limit, value: 1 },
      ]);
    },
  );
});
