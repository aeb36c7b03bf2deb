/** Whether this server can serve. Open to everybody, and says nothing that is not theirs to know. */
import { Elysia, t } from "elysia";
import type { Capture } from "~/capture/capture";
import type { Pool } from "~/db/connect";
import { Count } from "~/http/model";
import { VERSION } from "~/version";

const Health = t.Object({
  status: t.Union([t.Literal("ok"), t.Literal("degraded")]),
  service: t.Literal("diorama"),
  version: t.String(),
  database: t.Union([t.Literal("ok"), t.Literal("unreachable")]),
  capture: t.Object({
    state: t.Union([
      t.Literal("streaming"),
      t.Literal("idle"),
      t.Literal("disabled"),
      t.Literal("unknown"),
    ]),
    lagBytes: t.Optional(Count),
  }),
});

const PROBE_MS = 1_000;

export const healthRoutes = (pool: Pool, capture: Capture) =>
  new Elysia({ tags: ["health"] }).get(
    "/health",
    async ({ status }) => {
      const probe = Promise.all([capture.status(), pool`select 1`]).then(([state]) => state);
      const state = await Promise.race([probe, Bun.sleep(PROBE_MS)]).catch(() => undefined);
      const about = { service: "diorama" as const, version: VERSION };
      return state
        ? { status: "ok" as const, ...about, database: "ok" as const, capture: state }
        : status(503, {
            status: "degraded" as const,
            ...about,
            database: "unreachable" as const,
            capture: { state: "unknown" as const },
          });
    },
    {
      response: { 200: Health, 503: Health },
      detail: { summary: "Whether the server can serve", security: [] },
    },
  );
