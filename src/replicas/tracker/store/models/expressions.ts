/** SQL expressions that several entities share. */
import type { Expression, Order, SortOptions } from "~/graphql/model";
import { inVisibleIssue } from "~/replicas/tracker/store/models/visibility";

/** A value of one related row: `select name from users where id = …`. */
export const relatedValue =
  (of: string, key: string, column: string): Expression =>
  (row, { sql, table, alias }) => {
    const related = alias();
    return sql`(
      select ${sql(`${related}.${column}`)} from ${table(of)} as ${sql(related)}
      where ${sql(`${related}.id`)} = ${row(key)}
    )`;
  };

/** Whether the row's team, if it has one, is not archived. */
export const teamInUse: Expression = (row, { sql, table }) => sql`not exists (
  select from ${table("teams")} x where x.id = ${row("teamId")} and x."archivedAt" is not null
)`;

/** Orders by one expression. */
export const by = (expression: Expression) => (): readonly Order[] => [{ by: expression }];

const column =
  (name: string): Expression =>
  (row, { sql }) =>
    sql`${row(name)}`;

/** A column under another name. */
export const byColumn = (name: string) => by(column(name));

/** Urgent first; no priority counts as the lowest, unless it comes first in either direction. */
export const byPriority = (options: SortOptions): readonly Order[] => [
  {
    by: (row, { sql }) => sql`(${row("priority")} = 0)`,
    descending: options["noPriorityFirst"] === true && options.order !== "Descending",
  },
  { by: column("priority") },
  ...(options["usePrioritySortOrderTiebreaker"] ? [{ by: column("prioritySortOrder") }] : []),
];

/** The text that a search reads. */
export const textOf =
  (...columns: readonly string[]): Expression =>
  (row, { sql }) =>
    columns
      .map((name) => sql`coalesce(${row(name)}, '')`)
      .reduce((joined, text) => sql`${joined} || ' ' || ${text}`);

/** The viewer's favorite of this row. */
export const favoriteId =
  (key: string): Expression =>
  (row, { sql, table, actor }) =>
    sql`(select f.id from ${table("favorites")} f where f."ownerId" = ${actor}::uuid and ${sql(`f.${key}`)} = ${row("id")} order by f."createdAt", f.id limit 1)`;

/** Emoji and their users: `[{emoji, reactions: [{id, userId, reactedAt}]}]`, by first use. */
export const reactionData =
  (key: string): Expression =>
  (row, { sql, table }) =>
    sql`(
    select coalesce(jsonb_agg(jsonb_build_object('emoji', g.emoji, 'reactions', g.list) order by g.first, g.emoji), '[]')
    from (
      select r.emoji, min(r."createdAt") as first,
        jsonb_agg(jsonb_build_object('id', r.id, 'userId', r."userId", 'reactedAt',
          to_char(r."createdAt", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by r."createdAt", r.id) as list
      from ${table("reactions")} r where ${sql(`r.${key}`)} = ${row("id")} group by r.emoji
    ) g
  )`;

/** Ids of labels, in the order in which they were added. */
export const labelIds =
  (pairs: string, key: string): Expression =>
  (row, { sql, table }) =>
    sql`array(
    select a."labelId" from ${table(pairs)} a where ${sql(`a.${key}`)} = ${row("id")}
    order by a."createdAt", a."labelId"
  )`;

/** When a current label was last added. */
export const lastAppliedAt =
  (pairs: string): Expression =>
  (row, { sql, table }) =>
    sql`(select max(a."createdAt") from ${table(pairs)} a where a."labelId" = ${row("id")})`;

/** A value that is always null here. */
export const nothing =
  (type: "text" | "uuid" | "timestamptz" | "jsonb"): Expression =>
  (_row, { sql }) => {
    switch (type) {
      case "uuid":
        return sql`null::uuid`;
      case "timestamptz":
        return sql`null::timestamptz`;
      case "jsonb":
        return sql`null::jsonb`;
      default:
        return sql`null::text`;
    }
  };

/** A condition that is always false here. */
export const never: Expression = (_row, { sql }) => sql`false`;

/** Records that hold this row's id under a key. */
export const recordsOf =
  (type: string, key: string): Expression =>
  (row, { sql, table }) =>
    sql`from ${table("records")} c where c.type = ${type} and (c.data->>${key})::uuid = ${row("id")} and c."archivedAt" is null`;

export const countOf =
  (rows: Expression): Expression =>
  (row, scope) =>
    scope.sql`(select count(*)::int ${rows(row, scope)})`;

export const existsOf =
  (rows: Expression): Expression =>
  (row, scope) =>
    scope.sql`exists (select ${rows(row, scope)})`;

export const hasRelation =
  (type: string, key: "issueId" | "relatedIssueId"): Expression =>
  (row, scope) => {
    const { sql, table } = scope;
    const other = key === "issueId" ? "relatedIssueId" : "issueId";
    const visible = inVisibleIssue(other)((name) => sql(`r.${name}`), scope) ?? sql`true`;
    return sql`exists (
      select from ${table("issue_relations")} r
      where r.type = ${type} and ${sql(`r.${key}`)} = ${row("id")} and ${visible}
    )`;
  };

export const either =
  (one: Expression, other: Expression): Expression =>
  (row, scope) =>
    scope.sql`(${one(row, scope)} or ${other(row, scope)})`;
