/** A view that a person sees. */
import { quoted } from "~/input/nearest";
import type { State } from "~/replicas/chat/acts/elements";
import { type Person, requireReceiver } from "~/replicas/chat/acts/person";
import { rejected } from "~/replicas/chat/acts/rejected";
import type { ChatSession } from "~/replicas/chat/method";
import { findUsers } from "~/replicas/chat/store/users";
import { findSeenView, type ViewRow } from "~/replicas/chat/store/views";
import { appOf, viewView } from "~/replicas/chat/views/views";
import type { Wire } from "~/replicas/chat/views/wire";
import type { EventApp } from "~/replicas/events";

/** A home tab, or the top of a stack of modals. Throws `invalid_request`. */
export async function requireSeenView(
  session: ChatSession,
  { user }: Person,
  id: string,
  apps: readonly EventApp[],
): Promise<{ readonly view: ViewRow; readonly receiver: EventApp }> {
  const view = await findSeenView(session, user.id, id);
  if (!view) throw rejected("view", `the person sees no view ${quoted(id)}`);
  const users = await findUsers(
    session,
    apps.map((app) => app.user),
  );
  const author = users.values().find((each) => appOf(each) === view.app_id)?.id;
  return { view, receiver: requireReceiver(apps, { id: view.app_id, user: author }, "the view") };
}

export const viewPayload = (view: ViewRow, values: State): Wire => ({
  ...viewView(view),
  state: { values },
});
