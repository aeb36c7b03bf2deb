/** Notes the changes of an environment of the tracker, and derives the events of its apps from them. */
import { expect } from "bun:test";
import { openSession, tablesOf } from "~/db/session";
import { startNoting } from "~/platform/outbox/store";
import type { EventApp, RowChange } from "~/replicas/events";
import { events } from "~/replicas/tracker/events/index";
import { TABLES, type TrackerSession } from "~/replicas/tracker/store/tables";
import type { TestDatabase } from "../../../support/database";
import { AGENT, JOHN, type Tracker } from "../../../support/tracker";
import { expectShape } from "./client-types";

const all = Object.keys(events.types);
/** The app of the agent, which is in every team. It subscribes to everything. */
export const MEMBER: EventApp = { id: AGENT, user: AGENT, events: all, scopes: null, domains: [] };

export type Seen = {
  readonly type: string;
  readonly action: string;
  readonly payload: any;
  readonly data: any;
  readonly missed: Readonly<Record<string, string>>;
};

/** Begins to note changes. The result does something, and returns the events that followed. */
export async function observe(database: TestDatabase, tracker: Tracker) {
  const { sql } = database;
  const { environmentId, schema } = tracker;
  await sql`insert into diorama.outboxes (environment_id) values (${environmentId})`;
  await startNoting(sql, { environmentId, schemaName: schema }, events.tables);
  const list = [...TABLES.keys()].map((name) => ({ name }));
  const session = openSession(sql, schema, tablesOf(sql, schema, list)) as TrackerSession;
  let last = 0;

  return async (
    act: () => Promise<unknown>,
    apps: readonly EventApp[] = [MEMBER],
  ): Promise<Seen[]> => {
    await act();
    const changes = await sql<RowChange[]>`
      select number::int, transaction::text, table_name as table, before, after, cause->>'user' as user,
        coalesce((cause->>'micros')::float8, extract(epoch from now()) * 1000000)::float8 as micros
      from diorama.changes where environment_id = ${environmentId} and number > ${last} order by number
    `;
    last = changes.at(-1)?.number ?? last;
    const found = await events.derive(session, changes, apps, async () => []);
    return found.map(({ type, payload, missed }) => {
      const shown: any = JSON.parse(JSON.stringify(payload));
      expectShape(type, shown);
      return { type, action: shown.action, payload: shown, data: shown.data, missed };
    });
  };
}

export const kindsOf = (seen: readonly Seen[]) =>
  seen.map(({ type, action }) => `${type} ${action}`);

/** The only event of a kind: `Issue create`. */
export function onlyOf(seen: readonly Seen[], kind: string): Seen {
  const found = seen.filter(({ type, action }) => `${type} ${action}` === kind);
  expect(found, kindsOf(seen).join(", ")).toHaveLength(1);
  return found[0] as Seen;
}

export const BY_JOHN = { id: JOHN, type: "user" };
