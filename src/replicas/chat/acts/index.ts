/** Acts of people that change nothing: a click, a choice. The app that is meant learns of them. */

import { known, quoted } from "~/input/nearest";
import type { Act, Acts } from "~/replicas/acts";
import { blockActions } from "~/replicas/chat/acts/block-actions";
import { rejected } from "~/replicas/chat/acts/rejected";
import type { ChatSession, TableName } from "~/replicas/chat/method";
import type { EventApp } from "~/replicas/events";

type Performing = (
  session: ChatSession,
  act: Act,
  apps: readonly EventApp[],
) => ReturnType<Acts["perform"]>;

const ACTS: Readonly<Record<string, Performing>> = { block_actions: blockActions };

export const acts: Acts<TableName> = {
  types: Object.keys(ACTS).map((type) => `interactive.${type}`),

  async perform(session, act, apps) {
    const { type } = act.given;
    const name = typeof type === "string" ? type : "";
    const perform = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
    if (!perform)
      throw rejected("type", `there is no act ${quoted(name)}${known(name, Object.keys(ACTS))}`);
    return await perform(session, act, apps);
  },
};
