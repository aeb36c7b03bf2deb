/** Shapes of the calls that control an environment: reset, snapshots, forks, the clock. */
import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Count, Id, IdRef, Timestamp } from "~/http/model";
import { ClockView } from "~/platform/environments/clock-model";
import { BATCH_MAX, Environment, NewEnvironment } from "~/platform/environments/model";
import { TokenStyle } from "~/platform/environments/token-model";
import { ABOUTS } from "~/replicas/services";

const SnapshotRef = t.String({
  ...IdRef,
  description: "A snapshot of the environment, or of one of its family",
});

export const Reset = t.Object(
  { snapshotId: t.Optional(SnapshotRef) },
  {
    title: "Reset",
    description: "The state to return to: a snapshot, else the template",
    examples: [{}],
  },
);
export type Reset = Static<typeof Reset>;

export const ResetEnvironment = t.Object(
  {
    environmentId: Id,
    snapshotId: t.Nullable(Id, { description: "The snapshot; null for the template" }),
    closedRunId: t.Nullable(Id, {
      description: "The running run, which has ended as failed; null if there was none",
    }),
  },
  { title: "ResetEnvironment", description: "The environment is as it was, with the same token" },
);

const AtCall = Type.Integer({
  ...Count,
  description:
    "Calls of the environment until then, by the journals of its runs. Calls that another server has answered within the last quarter of a second may be missing",
  examples: [12],
});

export const NewForks = t.Object(
  {
    count: t.Optional(
      Type.Integer({ minimum: 1, maximum: BATCH_MAX, default: 1, description: "Number of forks" }),
    ),
    snapshotId: t.Optional({ ...SnapshotRef, description: "Of the state; else the current one" }),
    ttlSeconds: NewEnvironment.properties.ttlSeconds,
    tokenStyle: t.Optional(TokenStyle),
    startRun: t.Optional(
      t.Boolean({ default: false, description: "Starts a run in each fork, without a test" }),
    ),
  },
  {
    title: "NewForks",
    description: "The state of the forks, and their number",
    examples: [{ count: 8 }],
  },
);
export type NewForks = Static<typeof NewForks>;

export const Fork = t.Object(
  {
    ...Environment.properties,
    parentEnvironmentId: { ...Id, description: "The environment that it is a fork of" },
    atCall: { ...AtCall, description: `${AtCall.description}. Of a snapshot: until that` },
    runId: t.Optional({ ...Id, description: "Its run, if the request has `startRun`" }),
  },
  { title: "Fork", description: "An environment that begins with the state of another" },
);
export type Fork = Static<typeof Fork>;

export const Forks = t.Object(
  { environments: t.Array(Fork, { description: "In no particular order" }) },
  { title: "Forks", description: "The new environments" },
);

export const NewSnapshot = t.Object(
  {
    name: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 255,
        description: "A note",
        examples: ["before triage"],
      }),
    ),
  },
  { title: "NewSnapshot", description: "A name for the snapshot", examples: [{}] },
);
export type NewSnapshot = Static<typeof NewSnapshot>;

export const Snapshot = t.Object(
  {
    snapshotId: Id,
    environmentId: { ...Id, description: "The environment that it was taken of" },
    parent: t.Nullable(Id, {
      description: "The snapshot that the environment's state came from; null: the template",
    }),
    name: t.Optional(t.String({ examples: ["before triage"] })),
    at: Timestamp,
    atCall: AtCall,
    rows: Type.Integer({ ...Count, description: "Rows that differ from the template" }),
  },
  { title: "Snapshot", description: "A state that an environment can return to" },
);

export const SnapshotList = t.Object(
  { snapshots: t.Array(Snapshot, { description: "Oldest first; `parent` makes them a tree" }) },
  { title: "SnapshotList", description: "The snapshots of an environment and its family" },
);

export const ClockMove = t.Object(
  {
    to: t.Optional(
      t.Union(
        [
          t.String({
            format: "date-time",
            description: "A time, not before the current one, in the years 2002 to 2037",
            examples: ["2026-03-12T09:00:00Z"],
          }),
          t.Literal("next", {
            description: "The next time at which something is due; the clock stays if nothing is",
          }),
        ],
        { description: "Where to", examples: ["next"] },
      ),
    ),
    advance: t.Optional(
      t.String({
        minLength: 2,
        maxLength: 64,
        description: "In place of `to`: an ISO 8601 duration",
        examples: ["P1D"],
      }),
    ),
  },
  {
    title: "ClockMove",
    description: "How far to move the clock",
    examples: [{ advance: "P1D" }],
  },
);
export type ClockMove = Static<typeof ClockMove>;

const EFFECTS = [
  ...ABOUTS.flatMap(({ effects }) => Object.entries(effects)),
  ["counterpart_acted", "a counterpart acts that has waited for this time"] as const,
];

const Effect = t.Object(
  {
    at: { ...Timestamp, description: "When it was due, by the environment's clock" },
    kind: t.String({
      enum: EFFECTS.map(([kind]) => kind),
      title: "EffectKind",
      description: EFFECTS.map(([kind, says]) => `\`${kind}\`: ${says}`).join("; "),
      examples: ["message_posted"],
    }),
    id: t.String({
      description: "Of the row; of a counterpart, the name of the rule",
      examples: ["Q18F2A9C0E7B1D4E6"],
    }),
  },
  { title: "ClockEffect", description: "Something that was due" },
);

export const MovedClock = t.Object(
  {
    ...ClockView.properties,
    effects: t.Array(Effect, { description: "What was due until then, in order" }),
  },
  { title: "MovedClock", description: "The clock, and what has happened meanwhile" },
);
