/** The columns of the environment's tables, read from their DDL: what `tables.sql` says is said once. */
import type { Session } from "~/db/session";
import ddl from "~/replicas/tracker/tables.sql" with { type: "text" };

/** Postgres types by column. */
export type Columns = ReadonlyMap<string, string>;

const TABLE = /^create table (\w+) \(\n([\s\S]*?)^\);/gm;
const COLUMN = /^ {2}"?(\w+)"? ([a-z0-9]+(?:\(\d+\))?(?:\[\])?)/;

/** By table, in the order of the DDL. */
export const TABLES: ReadonlyMap<string, Columns> = new Map(
  [...ddl.matchAll(TABLE)].map(([, name = "", body = ""]) => [
    name,
    new Map(
      body.split("\n").flatMap((line) => {
        const [, column, type] = COLUMN.exec(line) ?? [];
        return column && type && !/^(primary|unique)$/.test(column)
          ? [[column, type] as const]
          : [];
      }),
    ),
  ]),
);

/** Columns of each table that are never null. */
export const REQUIRED: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...ddl.matchAll(TABLE)].map(([, name = "", body = ""]) => [
    name,
    new Set(
      body
        .split("\n")
        .flatMap((line) => (line.includes(" not null") ? (COLUMN.exec(line)?.[1] ?? []) : [])),
    ),
  ]),
);

export type TrackerSession = Session<
  | "organizations"
  | "users"
  | "teams"
  | "team_memberships"
  | "workflow_states"
  | "issues"
  | "issue_labels"
  | "issue_label_assignments"
  | "issue_subscribers"
  | "issue_relations"
  | "issue_history"
  | "comments"
  | "reactions"
  | "attachments"
  | "cycles"
  | "projects"
  | "project_teams"
  | "project_members"
  | "project_statuses"
  | "project_milestones"
  | "project_updates"
  | "project_labels"
  | "project_label_assignments"
  | "project_relations"
  | "initiatives"
  | "initiative_to_projects"
  | "initiative_relations"
  | "initiative_updates"
  | "initiative_labels"
  | "initiative_label_assignments"
  | "documents"
  | "custom_views"
  | "templates"
  | "favorites"
  | "entity_external_links"
  | "webhooks"
  | "notification_subscriptions"
  | "notifications"
  | "records"
  | "uploads"
>;
