/** The events that the apps of a workspace receive of its changes: the Events API, delivered by Socket Mode. */
import {
  type Change,
  changesOf,
  type Derived,
  EVERYONE,
  secondsOf,
  stampOf,
} from "~/replicas/chat/events/change";
import { channels, members } from "~/replicas/chat/events/channels";
import { type Context, readContext } from "~/replicas/chat/events/context";
import { canvases, files, shares } from "~/replicas/chat/events/files";
import { pins, reactions, stars } from "~/replicas/chat/events/items";
import { messages } from "~/replicas/chat/events/messages";
import { emoji, usergroups, users } from "~/replicas/chat/events/people";
import { request } from "~/replicas/chat/events/request";
import { socket } from "~/replicas/chat/events/socket";
import { RAISED_TYPES, TYPES } from "~/replicas/chat/events/types";
import { isAppId } from "~/replicas/chat/ids";
import type { TableName } from "~/replicas/chat/method";
import { findBotOfApp } from "~/replicas/chat/store/events";
import { findTeam } from "~/replicas/chat/store/team";
import type { EventApp, Events, RowChange } from "~/replicas/events";

const MINUTE_MS = 60_000;

const DERIVERS = {
  users,
  channels,
  channel_members: members,
  messages,
  reactions,
  pins,
  stars,
  files,
  file_shares: shares,
  canvases,
  usergroups,
  emoji,
} satisfies { [N in TableName]?: (change: Change<N>, context: Context) => Derived[] };

type Given = readonly RowChange<TableName>[];
type Deriver = (change: RowChange<TableName>, context: Context) => Derived[];

const ALL_TYPES: { readonly [type: string]: readonly string[] } = { ...TYPES, ...RAISED_TYPES };

/** Why an app cannot receive a type of event at all. */
function obstacle({ events: subscribed, scopes }: EventApp, type: string): string | undefined {
  if (!subscribed.includes(type)) return "not subscribed";
  const needed = ALL_TYPES[type] ?? [];
  if (scopes === null || needed.length === 0) return undefined;
  if (needed.some((scope) => scopes.includes(scope))) return undefined;
  return `needs the scope ${needed.join(" or ")}`;
}

const missedBy = (
  apps: readonly EventApp[],
  { type, audience }: Pick<Derived, "audience"> & { readonly type: string },
) =>
  Object.fromEntries(
    apps.flatMap((app) => {
      const reason = obstacle(app, type) ?? audience(app);
      return reason === undefined ? [] : [[app.id, reason] as const];
    }),
  );

export const events: Events<TableName> = {
  tables: Object.keys(DERIVERS) as (keyof typeof DERIVERS)[],
  types: ALL_TYPES,
  isAppId,
  appIdExample: "A01AGENTBOT",
  haveDomains: true,
  findBot: findBotOfApp,
  schedule: {
    acknowledgeMs: 3_000,
    retryMs: [0, MINUTE_MS, 5 * MINUTE_MS],
    connectionsMax: 10,
  },
  socket,
  request,

  async raise(session, { type, event, micros }, apps) {
    const { id } = await findTeam(session);
    const [named] = type.split("."); // `message.channels` is a message
    return {
      type,
      payload: {
        team_id: id,
        event_time: secondsOf(micros),
        event: { event_ts: stampOf(micros), ...event, type: named },
      },
      missed: missedBy(apps, { type, audience: EVERYONE }),
    };
  },

  async derive(session, changes, apps, later) {
    const given = changes as Given;
    const context = await readContext(session, given, apps, async (table) =>
      changesOf((await later(table)) as Given, table),
    );
    const derivers = DERIVERS as { readonly [table: string]: unknown } as Readonly<
      Record<string, Deriver | undefined>
    >;
    return changes.flatMap((change) =>
      (derivers[change.table]?.(change as RowChange<TableName>, context) ?? []).map((found) => ({
        change: change.number,
        type: found.type,
        payload: {
          team_id: context.team.id,
          event_time: secondsOf(change.micros),
          event: found.event,
        },
        missed: missedBy(apps, found),
      })),
    );
  },
};
