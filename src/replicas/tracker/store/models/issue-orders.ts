/** Orders of issues by more than a column. */
import { type Expression, type Model, type Order, rowOf } from "~/graphql/model";
import { relatedValue } from "~/replicas/tracker/store/models/expressions";

const STATE_TYPES = [
  "triage",
  "backlog",
  "unstarted",
  "started",
  "completed",
  "canceled",
  "duplicate",
];

const stateRank: Expression = (row, { sql, table }) => sql`(
  select array_position(${STATE_TYPES}::text[], s.type::text) from ${table("workflow_states")} s
  where s.id = ${row("stateId")}
)`;

/** Open states by their position; closed ones too, unless the most recent comes first among them. */
export const byState = (recency: boolean): readonly Order[] => {
  const position = relatedValue("workflow_states", "stateId", "position");
  if (!recency) return [{ by: stateRank }, { by: position }];
  const closedAt: Expression = (row, { sql }) =>
    sql`coalesce(${row("completedAt")}, ${row("canceledAt")})`;
  return [{ by: stateRank }, { by: closedAt, descending: true, nulls: "last" }, { by: position }];
};

export const cycleStart = relatedValue("cycles", "cycleId", "startsAt");
export const isCurrentCycle: Expression = (row, { sql, table, now }) => sql`exists (
  select from ${table("cycles")} c where c.id = ${row("cycleId")}
    and c."startsAt" <= ${now}::timestamptz and c."endsAt" > ${now}::timestamptz and c."completedAt" is null
)`;

export const labelName: Expression = (row, { sql, table }) => sql`(
  select min(l.name) from ${table("issue_label_assignments")} a
  join ${table("issue_labels")} l on l.id = a."labelId" where a."issueId" = ${row("id")}
)`;
export const labelNameInGroup =
  (groupId: string): Expression =>
  (row, { sql, table }) =>
    sql`(
    select min(l.name) from ${table("issue_label_assignments")} a
    join ${table("issue_labels")} l on l.id = a."labelId" and l."parentId" = ${groupId}::uuid
    where a."issueId" = ${row("id")}
  )`;

export const ofCustomers = (what: "name" | "revenue"): Expression => {
  const value = (sql: Parameters<Expression>[1]["sql"]) =>
    what === "name" ? sql`min(c.data->>'name')` : sql`sum((c.data->>'revenue')::float8)`;
  return (row, { sql, table }) => sql`(
    select ${value(sql)} from ${table("records")} n
    join ${table("records")} c on c.id = (n.data->>'customerId')::uuid
    where n.type = 'CustomerNeed' and (n.data->>'issueId')::uuid = ${row("id")}
  )`;
};

/** The same order, of the root of the issue's tree. */
export const byRoot = (issue: Model, orders: readonly Order[]): readonly Order[] =>
  orders.map((order) => ({
    ...order,
    by: (row, scope) => {
      const { sql, table } = scope;
      const root = scope.alias();
      return sql`(
        select ${order.by(rowOf(issue, scope, root), scope)} from ${table("issues")} as ${sql(root)}
        where ${sql(`${root}.id`)} = (
          with recursive up as (
            select ${row("id")} as id, ${row("parentId")} as parent, 0 as depth union all
            select i.id, i."parentId", depth + 1 from ${table("issues")} i join up on i.id = up.parent
          ) select id from up order by depth desc limit 1
        )
      )`;
    },
  }));
