import type { ChatSession } from "~/replicas/chat/method";
import { nowSeconds } from "~/replicas/chat/store/clock";
import { type Json, json } from "~/replicas/chat/store/json";
import type { Rows } from "~/replicas/chat/store/rows";

export type CallRow = Omit<Rows["calls"], "users"> & { readonly users: readonly Json[] };

type NewCall = Omit<CallRow, "date_start" | "date_end" | "duration"> & {
  /** Null: now. */
  readonly date_start: number | null;
};

export async function insertCall(session: ChatSession, call: NewCall): Promise<void> {
  const { sql, t } = session;
  await sql`
    insert into ${t.calls} (
      id, created_by, external_unique_id, external_display_id, join_url, desktop_app_join_url, title, users, date_start
    )
    values (${call.id}, ${call.created_by}, ${call.external_unique_id}, ${call.external_display_id}, ${call.join_url},
      ${call.desktop_app_join_url}, ${call.title}, ${json(session, call.users)},
      coalesce(${call.date_start}::int, ${nowSeconds(session)}))
  `;
}

export async function findCall({ sql, t }: ChatSession, id: string): Promise<CallRow | undefined> {
  const [call] = await sql<CallRow[]>`select * from ${t.calls} where id = ${id}`;
  return call;
}

/** Locked until the caller's transaction ends. */
export async function lockCall({ sql, t }: ChatSession, id: string): Promise<CallRow | undefined> {
  const [call] = await sql<CallRow[]>`select * from ${t.calls} where id = ${id} for update`;
  return call;
}

/** Changes the given columns. */
export async function updateCall(
  session: ChatSession,
  id: string,
  change: {
    join_url?: string | undefined;
    desktop_app_join_url?: string | undefined;
    title?: string | undefined;
    users?: readonly Json[];
  },
): Promise<void> {
  const { sql, t } = session;
  await sql`
    update ${t.calls} set join_url = coalesce(${change.join_url ?? null}, join_url), title = coalesce(${change.title ?? null}, title),
      desktop_app_join_url = coalesce(${change.desktop_app_join_url ?? null}, desktop_app_join_url),
      users = coalesce(${json(session, change.users)}::jsonb, users)
    where id = ${id}
  `;
}

/** Ends a call. A null duration is computed. False when the call has already ended. */
export async function endCall(
  session: ChatSession,
  id: string,
  duration: number | null,
): Promise<boolean> {
  const { sql, t } = session;
  const now = nowSeconds(session);
  const rows = await sql`
    update ${t.calls} set date_end = ${now}, duration = coalesce(${duration}::int, greatest(0, ${now} - date_start))
    where id = ${id} and date_end is null
  `;
  return rows.count === 1;
}
