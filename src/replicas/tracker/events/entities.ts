/** Events of entities: created, updated or removed. */
import type { EventRow } from "~/replicas/events";
import { audienceOf } from "~/replicas/tracker/events/audience";
import {
  type Derived,
  isoTime,
  type Transition,
  type Wire,
} from "~/replicas/tracker/events/change";
import { asChild, shapedRow } from "~/replicas/tracker/events/children";
import type { Context } from "~/replicas/tracker/events/context";
import { DATA } from "~/replicas/tracker/events/data";
import { ID_LISTS, idsOf } from "~/replicas/tracker/events/lists";
import { pageOf } from "~/replicas/tracker/events/pages";
import type { EntityType } from "~/replicas/tracker/events/types";
import { related, relationOf, type View } from "~/replicas/tracker/events/view";
import { MICROS } from "~/source";

/** Relations to the owners of an entity: removed together with one of them, it goes without an event. */
const OWNERS: { readonly [entity: string]: readonly string[] } = {
  Attachment: ["issue"],
  Comment: ["issue", "parent", "project", "projectUpdate", "initiative", "initiativeUpdate"],
  Reaction: ["issue", "comment", "projectUpdate", "initiativeUpdate"],
};

const isOwnerGone = (entity: EntityType, row: EventRow, before: View, after: View): boolean =>
  (OWNERS[entity] ?? []).some((field) => {
    const { to, key } = relationOf(entity, field);
    const owner = related(entity, row, field, before);
    return owner !== undefined && after.row(to, row[key]) === undefined;
  });

/** The user that made a change; null: nobody did. */
export function actorOf({ user }: Transition, view: View): Wire | null {
  const row = user === undefined ? undefined : view.row("User", user);
  return row ? { ...asChild("User", row, view), type: "user" } : null;
}

/** The earlier values of the columns and lists that have changed. */
function updatedFrom(
  entity: EntityType,
  { before, after, lists, start }: Transition,
  context: Context,
  id: string,
): Wire {
  const columns = before && after ? DATA[entity].columns : [];
  const changed = columns.filter((name) => !Bun.deepEquals(before?.[name], after?.[name]));
  const earlier = context.viewAt(start);
  return {
    ...Object.fromEntries(changed.map((name) => [name, before?.[name] ?? null])),
    ...Object.fromEntries(
      [...new Set(lists)].map((table) => [ID_LISTS[table]?.name, idsOf(earlier, table, id)]),
    ),
  };
}

const isTrashed = (row: EventRow | null | undefined) => row?.["trashed"] === true;

export function entityEvent(
  type: EntityType,
  transition: Transition,
  context: Context,
): Derived | undefined {
  const { id, before, after, number, start, end, micros } = transition;
  const [earlier, later] = [context.viewAt(start), context.viewAt(end)];
  const isNew = before === null;
  const isGone = after === null;
  if (isNew && isGone) return undefined;
  const view = isGone ? earlier : later;
  const row = (isGone ? before : after) ?? view.row(type, id);
  if (!row || (isGone && isOwnerGone(type, row, earlier, later))) return undefined;
  const isRemoved = isGone || (isTrashed(after) && !isTrashed(before));
  const values = isNew || isRemoved ? undefined : updatedFrom(type, transition, context, id);
  if (values && Object.keys(values).every((name) => name === "updatedAt")) return undefined;
  const url = pageOf(type, row, view);
  const changed = values ? "update" : "remove";
  return {
    change: number,
    type,
    fields: {
      action: isNew ? "create" : changed,
      actor: actorOf(transition, later),
      createdAt: isoTime(micros / MICROS),
      data: shapedRow(DATA[type], type, row, view),
      ...(values && { updatedFrom: values }),
      ...(url !== undefined && { url }),
    },
    audience: audienceOf(type, row, view),
  };
}
