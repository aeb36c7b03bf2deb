/** Shapes of the calls that control an environment: reset, snapshots, forks. */
import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Count, Id, IdRef, Timestamp } from "~/http/model";

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
    rows: Type.Integer({ ...Count, description: "Rows that differ from the template" }),
  },
  { title: "Snapshot", description: "A state that an environment can return to" },
);

export const SnapshotList = t.Object(
  { snapshots: t.Array(Snapshot, { description: "Oldest first; `parent` makes them a tree" }) },
  { title: "SnapshotList", description: "The snapshots of an environment and its family" },
);
