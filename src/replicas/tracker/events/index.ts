/** The events that the apps of a workspace receive of its changes: webhooks, as those of an OAuth application. */
import { isUuid } from "~/graphql/uuid";
import type { EventApp, EventRow, Events } from "~/replicas/events";
import { sessionCreated, sessionPrompted } from "~/replicas/tracker/events/agents";
import {
  type Audience,
  type Change,
  type Derived,
  isoTime,
  onlyOf,
  shownChange,
  type Transition,
} from "~/replicas/tracker/events/change";
import { shapedRow } from "~/replicas/tracker/events/children";
import { type Context, readContext } from "~/replicas/tracker/events/context";
import { entityEvent } from "~/replicas/tracker/events/entities";
import { ID_LISTS } from "~/replicas/tracker/events/lists";
import { NOTIFICATION } from "~/replicas/tracker/events/notifications";
import { request } from "~/replicas/tracker/events/request";
import { transitionsOf } from "~/replicas/tracker/events/transitions";
import { ENTITY_TYPES, type EntityType, TYPES } from "~/replicas/tracker/events/types";
import { webhooks } from "~/replicas/tracker/events/webhooks";
import { type Entity, TABLE_OF } from "~/replicas/tracker/store/entities";
import { findAppUser, findWorkspace } from "~/replicas/tracker/store/events";
import type { TableName } from "~/replicas/tracker/store/tables";
import { MICROS } from "~/source";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const isEntityType = (entity: string): entity is EntityType =>
  (ENTITY_TYPES as readonly string[]).includes(entity);

const tableOf = (entity: Entity): TableName =>
  (TABLE_OF as { readonly [entity: string]: TableName })[entity] ?? "records";

const tables = [
  ...new Set<TableName>([
    ...ENTITY_TYPES.map(tableOf),
    ...(Object.keys(ID_LISTS) as TableName[]),
    "notifications",
    "team_memberships",
    webhooks.table,
  ]),
];

const isOfApp = ({ apps }: Context, row: EventRow): boolean =>
  apps.some(({ user }) => user === row["userId"]);

/** A new notification of an app's user. The service reports those of other users to nobody. */
function notified(transition: Transition, context: Context): Derived | undefined {
  const { before, after, number, end, micros } = transition;
  if (before !== null || !after || !isOfApp(context, after)) return undefined;
  const notification = shapedRow(NOTIFICATION, "Notification", after, context.viewAt(end));
  return {
    change: number,
    type: "AppUserNotification",
    fields: { action: after["type"], createdAt: isoTime(micros / MICROS), notification },
    audience: onlyOf(after["userId"]),
  };
}

/** An app's user who joins or leaves a private team. */
function admitted(transition: Transition, { workspace, ...context }: Context): Derived | undefined {
  const { before, after, number, micros } = transition;
  const row = after ?? before;
  const isMoved = (before === null) !== (after === null);
  if (!row || !isMoved || !isOfApp({ workspace, ...context }, row)) return undefined;
  const teamId = String(row["teamId"]);
  if (!workspace.privateTeamIds.includes(teamId)) return undefined;
  return {
    change: number,
    type: "PermissionChange",
    fields: {
      action: "teamAccessChanged",
      createdAt: isoTime(micros / MICROS),
      canAccessAllPublicTeams: true,
      addedTeamIds: after ? [teamId] : [],
      removedTeamIds: after ? [] : [teamId],
    },
    audience: onlyOf(row["userId"]),
  };
}

function eventOf(transition: Transition, context: Context): Derived | undefined {
  const { entity } = transition;
  if (isEntityType(entity)) return entityEvent(entity, transition, context);
  if (entity === "AgentSession") return sessionCreated(transition, context);
  if (entity === "AgentActivity") return sessionPrompted(transition, context);
  if (entity === "Notification") return notified(transition, context);
  return entity === "TeamMembership" ? admitted(transition, context) : undefined;
}

const missedBy = (apps: readonly EventApp[], type: string, audience: Audience) =>
  Object.fromEntries(
    apps.flatMap((app) => {
      const reason = app.events.includes(type) ? audience(app) : "not subscribed";
      return reason === undefined ? [] : [[app.id, reason] as const];
    }),
  );

export const events: Events<TableName> = {
  tables,
  types: TYPES,
  isAppId: (text) => isUuid(text) && text === text.toLowerCase(),
  appIdExample: "b0000000-0000-4000-8000-000000000001",
  findBot: findAppUser,
  webhooks,
  schedule: {
    acknowledgeMs: 5_000,
    retryMs: [MINUTE_MS, HOUR_MS, 6 * HOUR_MS],
    connectionsMax: 10,
  },
  request,

  async raise(session, { type, event, micros }, apps) {
    const { id } = await findWorkspace(session);
    const createdAt = isoTime(micros / MICROS);
    return {
      type,
      payload: { createdAt, ...event, type, organizationId: id },
      missed: missedBy(apps, type, () => undefined),
    };
  },

  async derive(session, changes, apps, later) {
    const shown = (changes as Change[])
      .filter(({ table }) => table !== webhooks.table)
      .map(shownChange);
    const named = apps.filter(({ webhook }) => !webhook);
    const context = await readContext(session, shown, named, async (table) =>
      ((await later(table)) as Change[]).map(shownChange),
    );
    return transitionsOf(shown)
      .flatMap((transition) => eventOf(transition, context) ?? [])
      .map(({ change, type, fields, audience }) => ({
        change,
        type,
        payload: { ...fields, type, organizationId: context.workspace.id },
        missed: missedBy(apps, type, audience),
      }));
  },
};
