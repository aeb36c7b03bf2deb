import type { ChatSession } from "~/replicas/chat/method";
import { nowMicros } from "~/replicas/chat/store/clock";
import { messageAt } from "~/replicas/chat/store/lookup";
import { type MessageRow, messageColumns } from "~/replicas/chat/store/messages";

const PINS_MAX = 100;

/** Pins a message, unless it is already pinned or its channel has too many pins. */
export async function insertPin(
  session: ChatSession,
  { channel, ts, user }: { channel: string; ts: string; user: string },
): Promise<"pinned" | "already_pinned" | "too_many_pins"> {
  const { sql, t } = session;
  const [outcome] = await sql<{ pinned: boolean; pins: number }[]>`
    with present as (select count(*)::int as pins from ${t.pins} where channel_id = ${channel}),
      pinned as (
        insert into ${t.pins} (channel_id, ts, created_by, created_at)
        select ${channel}, ${ts}, ${user}, ${nowMicros(session)} from present where pins < ${PINS_MAX}
        on conflict do nothing returning ts
      )
    select pins, exists (select from pinned) as pinned from present
  `;
  if (outcome?.pinned) return "pinned";
  return (outcome?.pins ?? 0) < PINS_MAX ? "already_pinned" : "too_many_pins";
}

/** Returns false when the message was not pinned. */
export async function deletePin(
  { sql, t }: ChatSession,
  channel: string,
  ts: string,
): Promise<boolean> {
  const rows = await sql`delete from ${t.pins} where channel_id = ${channel} and ts = ${ts}`;
  return rows.count === 1;
}

type PinRow = {
  readonly created_by: string;
  readonly created_at: string;
  readonly message: MessageRow;
};

/** The pins of a channel, newest first. There are at most 100. */
export async function listPins(
  session: ChatSession,
  viewer: string,
  channel: string,
): Promise<PinRow[]> {
  const { sql, t } = session;
  return await sql<PinRow[]>`
    select p.created_by, p.created_at, to_json(w) as message
    from ${t.pins} p
    join lateral (
      select ${messageColumns(session, viewer)}
      from ${messageAt(session, sql`p.channel_id`, sql`p.ts`)} m
    ) w on true
    where p.channel_id = ${channel} order by p.created_at desc, p.ts desc
  `;
}
