/** The numbers of the probes and metrics as JSON, for pages. Like the metrics, they have no id and no name of a user's own. */
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { failures } from "~/http/errors";
import { Count, Kind, Timestamp } from "~/http/model";
import { principalOf } from "~/http/principal";
import type { MetricsCollector } from "~/platform/metrics-collector";
import type { Probes } from "~/platform/probes";

const count = (description: string) => Type.Integer({ ...Count, description });
const bytes = (description: string) =>
  t.Number({ minimum: 0, description, examples: [16_777_216] });

const Overview = t.Object(
  {
    at: Timestamp,
    status: t.Union([t.Literal("ready"), t.Literal("unready")], {
      description: "Whether this server can serve: the checks of `/readyz`",
      examples: ["ready"],
    }),
    checks: t.Record(t.String(), t.Unknown(), {
      description: "What was checked, by name, as `/readyz` shows it",
      examples: [{ database: "ok", migrations: "applied", capture: "active" }],
    }),
    version: t.String({ description: "Of this server", examples: ["0.1.0"] }),
    postgres: t.Nullable(t.String(), {
      description: "Version of Postgres",
      examples: ["16.4"],
    }),
    own: t.Object(
      {
        environments: count("Live environments"),
        runs: count("Runs that have not ended"),
        verdicts: t.Object(
          {
            passed: count("Runs that passed"),
            failed: count("Runs that failed their test"),
            notGradable: count("Runs without a verdict of the agent's"),
          },
          { description: "Of runs that ended within the last 24 hours" },
        ),
      },
      { description: "The caller's own" },
    ),
    environments: t.Array(
      t.Object({
        service: Kind,
        state: t.String({
          description: "`live`, or `expired` until cleaned up",
          examples: ["live"],
        }),
        count: count("Their number"),
      }),
      { description: "Environments of all users that are not ended" },
    ),
    runs: t.Object(
      {
        running: count("Running"),
        ending: count("Whose changes are still being read"),
        evaluating: count("Whose verdict is still to come"),
      },
      { description: "Runs of all users that are not ended" },
    ),
    pool: t.Array(
      t.Object({
        template: t.String({
          description: "`private` sums up all private ones",
          examples: ["chat_default"],
        }),
        ready: count("Ready schemas"),
        target: count("Wanted ready schemas"),
      }),
      { description: "Ready schemas by template" },
    ),
    capture: t.Nullable(
      t.Object({
        lagBytes: bytes("Log written since the acknowledged position"),
        retainedBytes: bytes("Log retained by the slot"),
        budgetBytes: bytes("CAPTURE_WAL_BUDGET"),
        holdSeconds: t.Number({ minimum: 0, description: "Age of the oldest run", examples: [12] }),
        slot: t.Nullable(t.String(), {
          description: "Postgres' status of the slot; null without one",
          examples: ["reserved"],
        }),
      }),
      { description: "The reading of the log; null while nothing is known" },
    ),
    connections: t.Array(
      t.Object({
        state: t.String({ description: "As Postgres names it", examples: ["idle"] }),
        count: count("Their number"),
      }),
      { description: "Connections of all servers to the database" },
    ),
    calls: t.Object(
      {
        inFlight: count("Calls being answered"),
        errors: t.Array(
          t.Object({
            code: t.String({ description: "The code", examples: ["run_not_found"] }),
            count: count("Their number"),
          }),
          { description: "Rejected and failed calls, by code" },
        ),
        bucketSeconds: t.Array(t.Number({ examples: [0.005] }), {
          description: "Upper bounds of the buckets below",
        }),
        routes: t.Array(
          t.Object({
            route: t.String({ description: "The route", examples: ["/api/platform/initEnv"] }),
            count: count("Calls"),
            seconds: t.Number({
              minimum: 0,
              description: "Of all calls together",
              examples: [1.5],
            }),
            buckets: t.Array(Type.Integer(Count), {
              description: "Calls that took at most as long as each bound",
            }),
          }),
          { description: "Calls by route, with their times" },
        ),
      },
      { description: "Calls to this server since its start: differences of two answers are rates" },
    ),
  },
  { title: "Overview", description: "The state of the deployment in numbers" },
);

export const overviewRoutes = (collector: MetricsCollector, probes: Probes) =>
  new Elysia({ tags: ["health"] }).get(
    "/overview",
    async ({ request }) => {
      const [{ status, checks }, numbers] = await Promise.all([
        probes.check(),
        collector.overview(principalOf(request).userId),
      ]);
      return { at: new Date().toISOString(), status, checks, ...numbers };
    },
    {
      response: { 200: Overview, ...failures("invalid_request") },
      detail: {
        operationId: "getOverview",
        summary: "Show the state of the deployment in numbers",
        description:
          "What `/readyz` and `/metrics` know, as JSON, and the caller's own counts. Counters are of the answering server, everything else is of all.",
      },
    },
  );
