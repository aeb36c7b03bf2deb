/** Rows that only the members of a private team see. */
import type { Fragment } from "~/db/connect";
import type { Model } from "~/graphql/model";

type Visible = NonNullable<Model["visible"]>;

/** Not in a team that the viewer must not see. */
export const inVisibleTeam =
  (column = "teamId"): Visible =>
  (row, { sql, hidden }) =>
    hidden.length === 0 ? undefined : sql`(${row(column)} = any(${hidden}::uuid[])) is not true`;

/** Not of a row of another table that the viewer must not see. */
export const inVisible =
  (column: string, other: string, visible: Visible): Visible =>
  (row, scope) => {
    const { sql, table } = scope;
    const alias = scope.alias();
    const condition = visible((name) => sql(`${alias}.${name}`), scope);
    return (
      condition &&
      sql`(${row(column)} is null or exists (
        select from ${table(other)} as ${sql(alias)}
        where ${sql(`${alias}.id`)} = ${row(column)} and ${condition}
      ))`
    );
  };

/** An issue in a visible team, or one that is shared with the viewer. */
export const visibleIssue: Visible = (row, scope) => {
  const { sql, actor } = scope;
  const condition = inVisibleTeam()(row, scope);
  return condition && sql`(${condition} or ${actor}::uuid = any(${row("sharedWithUserIds")}))`;
};

/** Not of an issue that the viewer must not see. */
export const inVisibleIssue = (column = "issueId"): Visible =>
  inVisible(column, "issues", visibleIssue);

/** Not of a project all of whose teams are hidden. */
export const inVisibleProject =
  (column = "projectId"): Visible =>
  (row, { sql, table, hidden }) =>
    hidden.length === 0
      ? undefined
      : sql`(${row(column)} is null or exists (
          select from ${table("project_teams")} p
          where p."projectId" = ${row(column)} and p."teamId" <> all(${hidden}::uuid[])
        ))`;

/** All of these. */
export const together =
  (...all: readonly Visible[]): Visible =>
  (row, scope) =>
    all
      .map((visible) => visible(row, scope))
      .filter((condition): condition is Fragment => condition !== undefined)
      .reduce<Fragment | undefined>(
        (joined, one) => (joined === undefined ? one : scope.sql`${joined} and ${one}`),
        undefined,
      );
