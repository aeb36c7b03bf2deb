/** Reports whether this server can serve. Public, and without any internal detail. */
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import type { Capture } from "~/capture/capture";
import type { Pool } from "~/db/connect";
import { Count } from "~/http/model";
import { VERSION } from "~/version";

const Health = t.Object(
  {
    status: t.Union([t.Literal("ok"), t.Literal("degraded")]),
    service: t.Literal("diorama"),
    version: t.String({ examples: ["0.1.0"] }),
    database: t.Union([t.Literal("ok"), t.Literal("unreachable")]),
    capture: t.Object(
      {
        state: t.Union(
          [t.Literal("streaming"), t.Literal("idle"), t.Literal("disabled"), t.Literal("unknown")],
          { description: "`idle` while no run needs it" },
        ),
        lagBytes: t.Optional(
          Type.Integer({
            ...Count,
            description: "Bytes of the log between the newest change and the last one read",
          }),
        ),
      },
      { description: "The reader of changes" },
    ),
  },
  { title: "Health", description: "Whether the server can serve" },
);

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
      detail: {
        operationId: "getHealth",
        summary: "Whether the server can serve",
        description: "Public; 503 with the same shape when it cannot.",
        security: [],
      },
    },
  );
