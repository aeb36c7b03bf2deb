import type { UserRow } from "~/replicas/chat/store/users";
import type { ViewRow } from "~/replicas/chat/store/views";
import { present, type Wire } from "~/replicas/chat/views/wire";

/** The app that people call through. No row stands for it. */
const PEOPLES_APP = "A00DIORAMA";

/** The app whose views a user opens. */
export const appOf = (user: Pick<UserRow, "app_id">) => user.app_id ?? PEOPLES_APP;

export const viewView = (view: ViewRow): Wire => ({
  id: view.id,
  team_id: view.team_id,
  type: view.type,
  blocks: view.blocks,
  private_metadata: view.private_metadata,
  callback_id: view.callback_id,
  state: { values: {} },
  hash: view.hash,
  title: view.title ?? { type: "plain_text", text: "View Title", emoji: true },
  clear_on_close: view.clear_on_close,
  notify_on_close: view.notify_on_close,
  close: view.close,
  submit: view.submit,
  previous_view_id: view.previous_view_id,
  root_view_id: view.root_view_id,
  app_id: view.app_id,
  external_id: view.external_id ?? "",
  app_installed_team_id: view.team_id,
  ...present({ bot_id: view.bot_id, submit_disabled: view.submit_disabled || null }),
});
