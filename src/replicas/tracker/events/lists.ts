/** Lists of an entity: ids that tables of their own hold, and reactions. */
import type { EventRow } from "~/replicas/events";
import type { Wire } from "~/replicas/tracker/events/change";
import type { EntityType } from "~/replicas/tracker/events/types";
import type { List, View } from "~/replicas/tracker/events/view";
import type { TableName } from "~/replicas/tracker/store/tables";

/** Rows of a table that connects entities, in the order in which they were added. */
const connected = (
  { list }: View,
  { table, column, target }: IdList,
  id: unknown,
): readonly unknown[] =>
  list(table, column, id)
    .toSorted((a, b) => orderOf(a, target).localeCompare(orderOf(b, target)))
    .map((row) => row[target]);

const orderOf = (row: EventRow, key: string) => `${row["createdAt"] ?? ""} ${row[key]}`;

type IdList = List & {
  readonly entity: EntityType;
  /** The column with the ids. */
  readonly target: string;
  readonly name: string;
};

/** Lists of ids that are stored in tables of their own, by the table: whose they are, and their names. */
export const ID_LISTS: { readonly [table: string]: IdList } = Object.fromEntries(
  (
    [
      ["issue_label_assignments", "Issue", "issueId", "labelId", "labelIds"],
      ["project_label_assignments", "Project", "projectId", "labelId", "labelIds"],
      ["project_teams", "Project", "projectId", "teamId", "teamIds"],
      ["project_members", "Project", "projectId", "userId", "memberIds"],
      ["initiative_label_assignments", "Initiative", "initiativeId", "labelId", "labelIds"],
    ] as const satisfies readonly [TableName, EntityType, string, string, string][]
  ).map(([table, entity, column, target, name]) => [
    table,
    { table, entity, column, target, name },
  ]),
);

export const listsOf = (entity: EntityType) =>
  Object.values(ID_LISTS).filter((each) => each.entity === entity);

/** A list of ids of an entity. */
export const idsOf = (view: View, table: string, id: unknown): readonly unknown[] => {
  const found = ID_LISTS[table];
  if (!found) throw new Error(`${table} is no list of ids`);
  return connected(view, found, id);
};

export const idLists = (entity: EntityType, id: unknown, view: View): Wire =>
  Object.fromEntries(listsOf(entity).map((each) => [each.name, connected(view, each, id)]));

/** Emoji and their users, by first use. */
export function reactionData({ list }: View, column: string, id: unknown) {
  const rows = list("reactions", column, id).toSorted((a, b) =>
    orderOf(a, "id").localeCompare(orderOf(b, "id")),
  );
  return Array.from(
    Map.groupBy(rows, ({ emoji }) => emoji),
    ([emoji, reactions]) => ({
      emoji,
      reactions: reactions.map((row) => ({
        id: row["id"],
        userId: row["userId"],
        reactedAt: row["createdAt"],
      })),
    }),
  );
}

export const reactions = (column: string): List => ({ table: "reactions", column });
