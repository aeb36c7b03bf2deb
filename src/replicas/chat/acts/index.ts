/** Acts of people: a click, a choice, a command. The app that is meant learns of them, and answers some. */

import { known, quoted } from "~/input/nearest";
import type { AcknowledgedAct, Act, Acts, AnswerCall } from "~/replicas/acts";
import { blockActions } from "~/replicas/chat/acts/block-actions";
import { rejected } from "~/replicas/chat/acts/rejected";
import { command, messageAction, shortcut } from "~/replicas/chat/acts/shortcuts";
import { answerSuggestion, blockSuggestion } from "~/replicas/chat/acts/suggestions";
import { answerSubmission, viewClosed, viewSubmission } from "~/replicas/chat/acts/view-acts";
import { requireRejection } from "~/replicas/chat/answer";
import { isAnswered } from "~/replicas/chat/events/sent";
import type { ChatCall, ChatSession, TableName } from "~/replicas/chat/method";
import { originOf } from "~/replicas/chat/responses/address";
import { readResponse, sendResponse } from "~/replicas/chat/responses/message";
import type { EventApp } from "~/replicas/events";

type Performing = (
  session: ChatSession,
  act: Act,
  apps: readonly EventApp[],
) => ReturnType<Acts<TableName>["perform"]>;

const ACTS: Readonly<Record<string, Performing>> = {
  block_actions: blockActions,
  block_suggestion: blockSuggestion,
  command,
  message_action: messageAction,
  shortcut,
  view_closed: viewClosed,
  view_submission: viewSubmission,
};
const TYPES = Object.keys(ACTS).map((type) =>
  type === "command" ? "slash_commands" : `interactive.${type}`,
);

/** Does what an app answers to a command: it shows a message, for the person alone unless the answer says otherwise. */
async function answerCommand(call: ChatCall, { payload, answer }: AcknowledgedAct): Promise<void> {
  const origin = originOf(payload);
  const { message } = readResponse(new Map(Object.entries(answer)));
  if (origin) await sendResponse(call, origin, message);
}

function answering({ payload, answer }: AcknowledgedAct): typeof answerCommand | undefined {
  const { type, command: name } = payload as { readonly type?: string; readonly command?: string };
  if (type === "view_submission") return answerSubmission;
  if (type === "block_suggestion") return answerSuggestion;
  return name !== undefined && Object.keys(answer).length > 0 ? answerCommand : undefined;
}

/** Runs the effect of an answer. Returns why it is rejected, with what is wrong in it. */
async function rejectionOf(
  { session, user, secret }: AnswerCall<TableName>,
  work: (call: ChatCall) => Promise<void>,
): Promise<string | undefined> {
  const call = {
    ...{ actor: user, app: undefined, raw: new Map(), baseUrl: "", secret },
    ...{ aliases: new Map(), warn: () => undefined },
  };
  try {
    await session.transaction((inside) => work({ ...call, session: inside }));
    return undefined;
  } catch (error) {
    const { code, fields } = requireRejection(error);
    const { response_metadata: details } = fields as {
      readonly response_metadata?: { readonly messages?: readonly string[] };
    };
    return [code, ...(details?.messages ?? [])].join(" ");
  }
}

export const acts: Acts<TableName> = {
  names: Object.keys(ACTS),
  types: TYPES,

  async perform(session, act, apps) {
    const { type } = act.given;
    const name = typeof type === "string" ? type : "";
    const perform = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
    if (!perform)
      throw rejected("type", `there is no act ${quoted(name)}${known(name, Object.keys(ACTS))}`);
    return await perform(session, act, apps);
  },

  effectOf(act) {
    const work = answering(act);
    return work && ((call) => rejectionOf(call, (inside) => work(inside, act)));
  },

  isAnswered: ({ type }) => isAnswered(type),
  isChange: ({ type }) => type === "view_closed",
};
