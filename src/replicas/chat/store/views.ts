/** Views: the home tab of an app for one user, and stacks of modals. */
import type { ChatSession } from "~/replicas/chat/method";
import { nowMicros } from "~/replicas/chat/store/clock";
import { json } from "~/replicas/chat/store/json";
import type { ViewContent } from "~/replicas/chat/view-payload";

export type ViewRow = ViewContent & {
  readonly id: string;
  readonly user_id: string;
  readonly app_id: string;
  readonly bot_id: string | null;
  readonly hash: string;
  readonly previous_view_id: string | null;
  readonly root_view_id: string;
  readonly team_id: string;
};

export type NewView = Omit<ViewRow, "team_id" | keyof ViewContent> & {
  readonly content: ViewContent;
  readonly trigger_id: string | null;
};

/** Inserts a view. */
export async function insertView(session: ChatSession, view: NewView): Promise<void> {
  const { sql, t } = session;
  const { content } = view;
  await sql`
    insert into ${t.views} (
      id, type, user_id, app_id, bot_id, external_id, trigger_id, callback_id, private_metadata, title, submit, close,
      blocks, clear_on_close, notify_on_close, submit_disabled, hash, previous_view_id, root_view_id, created_at
    )
    values (
      ${view.id}, ${content.type}, ${view.user_id}, ${view.app_id}, ${view.bot_id}, ${content.external_id},
      ${view.trigger_id}, ${content.callback_id}, ${content.private_metadata}, ${json(session, content.title)},
      ${json(session, content.submit)}, ${json(session, content.close)}, ${json(session, content.blocks)},
      ${content.clear_on_close}, ${content.notify_on_close}, ${content.submit_disabled}, ${view.hash},
      ${view.previous_view_id}, ${view.root_view_id}, ${nowMicros(session)}
    )
  `;
}

/** Replaces the content of a view. False when its hash is not `expected`, if that is given. */
export async function updateView(
  session: ChatSession,
  id: string,
  content: ViewContent,
  { hash, expected }: { hash: string; expected: string | null },
): Promise<boolean> {
  const { sql, t } = session;
  const rows = await sql`
    update ${t.views} set external_id = ${content.external_id}, callback_id = ${content.callback_id},
      private_metadata = ${content.private_metadata}, title = ${json(session, content.title)},
      submit = ${json(session, content.submit)}, close = ${json(session, content.close)},
      blocks = ${json(session, content.blocks)}, clear_on_close = ${content.clear_on_close},
      notify_on_close = ${content.notify_on_close}, submit_disabled = ${content.submit_disabled}, hash = ${hash}
    where id = ${id} and hash = coalesce(${expected}, hash)
  `;
  return rows.count === 1;
}

/** By its id, or by the app's external id. */
export async function findView(
  { sql, t }: ChatSession,
  app: string,
  by: { id: string } | { externalId: string },
): Promise<ViewRow | undefined> {
  const [view] = await sql<ViewRow[]>`
    select v.*, (select id from ${t.teams} limit 1) as team_id from ${t.views} v
    where v.app_id = ${app} and ${"id" in by ? sql`v.id = ${by.id}` : sql`v.external_id = ${by.externalId}`}
  `;
  return view;
}

/** A view that a user sees: a home tab, or a modal with no other one on top of it. */
export async function findSeenView(
  { sql, t }: ChatSession,
  user: string,
  id: string,
): Promise<ViewRow | undefined> {
  const [view] = await sql<ViewRow[]>`
    select v.*, (select id from ${t.teams} limit 1) as team_id from ${t.views} v
    where v.id = ${id} and v.user_id = ${user}
      and not exists (select from ${t.views} w where w.previous_view_id = v.id)
  `;
  return view;
}

/** Closes a modal; with `isStack`, all of its stack. */
export async function deleteView(
  { sql, t }: ChatSession,
  { id, root_view_id: root }: Pick<ViewRow, "id" | "root_view_id">,
  { isStack }: { readonly isStack: boolean },
): Promise<void> {
  await sql`
    delete from ${t.views} where ${isStack ? sql`root_view_id = ${root}` : sql`id = ${id}`} and type = 'modal'
  `;
}

/** The modal that an app shows to a user on top of the stack it opened last, with the height of that stack. */
export async function findTopModal(
  { sql, t }: ChatSession,
  app: string,
  user: string,
): Promise<{ id: string; root_view_id: string; height: number } | undefined> {
  const [top] = await sql<{ id: string; root_view_id: string; height: number }[]>`
    select v.id, v.root_view_id,
      (select count(*)::int from ${t.views} w where w.root_view_id = v.root_view_id) as height
    from ${t.views} v join ${t.views} r on r.id = v.root_view_id
    where v.app_id = ${app} and v.user_id = ${user} and v.type = 'modal'
    order by r.created_at desc, v.created_at desc, v.id limit 1
  `;
  return top;
}

/** Whether the external id belongs to another view than this. */
export async function isExternalIdTaken(
  { sql, t }: ChatSession,
  externalId: string,
  id: string,
): Promise<boolean> {
  const rows = await sql`select from ${t.views} where external_id = ${externalId} and id <> ${id}`;
  return rows.length > 0;
}

export async function isTriggerUsed({ sql, t }: ChatSession, trigger: string): Promise<boolean> {
  const rows = await sql`select from ${t.views} where trigger_id = ${trigger}`;
  return rows.length > 0;
}
