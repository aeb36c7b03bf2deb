/** Notes the changes of a scene's environment, and derives the events of its apps from them. */
import { expect } from "bun:test";
import { openSession, tablesOf } from "~/db/session";
import { startNoting } from "~/platform/outbox/store";
import { events } from "~/replicas/chat/events/index";
import { TYPES } from "~/replicas/chat/events/types";
import type { ChatSession } from "~/replicas/chat/method";
import ddl from "~/replicas/chat/tables.sql" with { type: "text" };
import type { EventApp, RowChange } from "~/replicas/events";
import { BOT, JOHN, type Scene, STRAY } from "../scene";
import { FIELDS } from "./fields";

export const TABLES = [...ddl.matchAll(/^create table (\w+)/gm)].map(([, name]) => name ?? "");

/** The app of the bot in general. It subscribes to everything. */
export const MEMBER: EventApp = {
  id: "A06BOT",
  user: BOT,
  events: Object.keys(TYPES),
  scopes: null,
  domains: [],
};
/** The app of a bot that is in no channel. */
export const OUTSIDER: EventApp = { ...MEMBER, id: "A07STRAY", user: STRAY };

export type Seen = {
  readonly type: string;
  readonly event: any;
  readonly payload: any;
  readonly missed: Readonly<Record<string, string>>;
};

export const environmentOf = ({ url }: Scene) => new URL(url).pathname.split("/")[3] ?? "";

/** Begins to note changes. The result does something, and returns the events that followed. */
export async function observe({ sql, schema, ...scene }: Scene) {
  const id = environmentOf({ sql, schema, ...scene });
  await sql`insert into diorama.outboxes (environment_id) values (${id})`;
  await startNoting(sql, { environmentId: id, schemaName: schema }, events.tables);
  const list = TABLES.map((name) => ({ name }));
  const session = openSession(sql, schema, tablesOf(sql, schema, list)) as ChatSession;
  let last = 0;

  return async (
    act: () => Promise<unknown>,
    apps: readonly EventApp[] = [MEMBER, OUTSIDER],
  ): Promise<Seen[]> => {
    await act();
    const changes = await sql<RowChange[]>`
      select number::int, transaction::text, table_name as table, before, after,
        coalesce((cause->>'micros')::float8, extract(epoch from now()) * 1000000)::float8 as micros
      from diorama.changes where environment_id = ${id} and number > ${last} order by number
    `;
    last = changes.at(-1)?.number ?? last;
    const rounded = changes.map((change) => ({ ...change, micros: Math.floor(change.micros) }));
    const found = await events.derive(session, rounded, apps, async () => []);
    return found.map(({ type, payload, missed }) => {
      const shown: any = JSON.parse(JSON.stringify(payload));
      expect(Object.keys(shown).sort()).toEqual(["event", "event_time", "team_id"]);
      expect(shown.event_time).toBeInteger();
      expect(shown.event.event_ts).toMatch(/^\d{10}\.\d{6}$/);
      const known = ["type", "event_ts", ...(FIELDS[type] ?? "").split(" ")];
      expect(Object.keys(shown.event).filter((name) => !known.includes(name))).toEqual([]);
      return { type, payload: shown, event: shown.event, missed };
    });
  };
}

export const typesOf = (seen: readonly Seen[]) => seen.map(({ type }) => type);

/** The only event of a type. */
export function onlyOf(seen: readonly Seen[], type: string): Seen {
  const found = seen.filter((one) => one.type === type);
  expect(found, typesOf(seen).join(" ")).toHaveLength(1);
  return found[0] as Seen;
}

/** A private channel with john and the agent in it. */
export async function secretChannel({ agent }: Scene, ...members: string[]): Promise<string> {
  const { channel } = await agent.conversations.create({ name: "secret", is_private: true });
  const id = channel?.id ?? "";
  await agent.conversations.invite({ channel: id, users: [JOHN, ...members].join(",") });
  return id;
}
