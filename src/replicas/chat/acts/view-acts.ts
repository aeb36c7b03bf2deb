/** A person submits or closes a modal. */
import { type Static, Type } from "@sinclair/typebox";
import { isObject } from "~/input/json";
import { known, quoted } from "~/input/nearest";
import type { AcknowledgedAct, Act } from "~/replicas/acts";
import { Values } from "~/replicas/chat/acts/block-actions";
import {
  chosenBy,
  type Element,
  elementsOf,
  type State,
  stateOf,
} from "~/replicas/chat/acts/elements";
import {
  choicesOf,
  commonFields,
  missedBy,
  requireForm,
  requirePerson,
} from "~/replicas/chat/acts/person";
import { rejected } from "~/replicas/chat/acts/rejected";
import { requireSeenView, viewPayload } from "~/replicas/chat/acts/seen-view";
import { replaceView, STACK_MAX, showModal } from "~/replicas/chat/api/views";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import type { ChatCall, ChatSession } from "~/replicas/chat/method";
import { requireActor } from "~/replicas/chat/require";
import { deleteView, findSeenView, findTopModal, type ViewRow } from "~/replicas/chat/store/views";
import { readView } from "~/replicas/chat/view-payload";
import type { EventApp } from "~/replicas/events";

const Text = Type.String({ maxLength: 255 });
const Submission = Type.Object({
  type: Type.Literal("view_submission"),
  user: Text,
  view: Text,
  values: Type.Optional(Values),
});

async function requireModal(
  session: ChatSession,
  person: Parameters<typeof requireSeenView>[1],
  id: string,
  apps: readonly EventApp[],
) {
  const found = await requireSeenView(session, person, id, apps);
  if (found.view.type !== "modal") throw rejected("view", `${quoted(id)} is not a modal`);
  return found;
}

const isEmpty = (value: unknown) => value === null || value === "" || [value].flat().length === 0;

/** The person's client does not submit a form that lacks something. */
function requireFilled(elements: readonly Element[], view: ViewRow, state: State): void {
  for (const { isInput, blockId, actionId } of elements) {
    const block = view.blocks.find((each) => each["block_id"] === blockId);
    if (!isInput || block?.["optional"] === true) continue;
    const { type: _, ...value } = state[blockId]?.[actionId] ?? {};
    if (Object.values(value).every(isEmpty))
      throw rejected(`values.${blockId}.${actionId}`, "needed, as the input is not optional");
  }
}

export async function viewSubmission(session: ChatSession, act: Act, apps: readonly EventApp[]) {
  requireForm(Submission, act.given);
  const given = act.given as Static<typeof Submission>;
  const person = await requirePerson(session, given.user);
  const { view, receiver } = await requireModal(session, person, given.view, apps);
  if (view.submit_disabled || view.submit === null)
    throw rejected("view", "the modal cannot be submitted");
  const elements = elementsOf(view.blocks);
  const chosen = await chosenBy(elements, given.values ?? {}, choicesOf(session, person));
  const state = stateOf(elements, chosen);
  requireFilled(elements, view, state);
  return {
    type: "interactive.view_submission",
    payload: {
      type: "view_submission",
      ...commonFields(person, act, receiver),
      view: viewPayload(view, state),
      response_urls: [],
    },
    missed: missedBy(apps, receiver),
  };
}

const Closing = Type.Object({
  type: Type.Literal("view_closed"),
  user: Text,
  view: Text,
  is_cleared: Type.Optional(Type.Boolean()),
});

/** A modal that its user closes without submitting it; with `is_cleared`, all of its stack. */
export async function viewClosed(session: ChatSession, act: Act, apps: readonly EventApp[]) {
  requireForm(Closing, act.given);
  const given = act.given as Static<typeof Closing>;
  const person = await requirePerson(session, given.user);
  const { view, receiver } = await requireModal(session, person, given.view, apps);
  if (!view.notify_on_close)
    throw rejected("view", "its app does not learn that it is closed: notify_on_close is not set");
  const isStack = given.is_cleared ?? view.clear_on_close;
  const { trigger_id: _, ...fields } = commonFields(person, act, receiver);
  return {
    type: "interactive.view_closed",
    payload: { type: "view_closed", ...fields, view: viewPayload(view, {}), is_cleared: isStack },
    missed: missedBy(apps, receiver),
    change: (inside: ChatSession) => deleteView(inside, view, { isStack }),
  };
}

/** The answers to a submission: the modal closes, unless one of these says otherwise. */
const ACTIONS = ["clear", "errors", "push", "update"];

/** Throws ChatError for an answer that the service does not accept. */
export async function answerSubmission(
  call: ChatCall,
  { payload, answer }: AcknowledgedAct,
): Promise<void> {
  const { session } = call;
  const submitted = payload as { readonly view: ViewRow; readonly user: { readonly id: string } };
  const person = submitted.user.id;
  const view = await findSeenView(session, person, submitted.view.id);
  if (!view) throw new ChatError("not_found");
  const { response_action: action, view: next } = answer;
  const content = () => readView(session, next, ["modal"]);
  if (action === undefined) return await deleteView(session, view, { isStack: false });
  if (action === "clear") return await deleteView(session, view, { isStack: true });
  if (action === "errors") return requireErrors(view, answer["errors"]);
  if (action === "update") return await replaceView(call, view.id, content());
  if (action !== "push")
    throw invalidArguments(
      `response_action: there is none ${quoted(String(action))}${known(String(action), ACTIONS)}`,
    );
  const { user: app } = await requireActor(call);
  const top = await findTopModal(session, view.app_id, person);
  if (top && top.height >= STACK_MAX) throw new ChatError("push_limit_reached");
  const modal = { content: content(), trigger_id: null, user_id: person };
  await showModal(call, { ...app, app_id: view.app_id }, modal, view);
}

/** Errors are shown beside inputs, so that each names one. */
function requireErrors(view: ViewRow, errors: unknown): void {
  const inputs = view.blocks
    .filter(({ type }) => type === "input")
    .map((block) => block["block_id"]);
  const isText = (text: unknown) => typeof text === "string" && text !== "";
  if (!isObject(errors) || Object.keys(errors).length === 0 || !Object.values(errors).every(isText))
    throw invalidArguments("errors: a text for each input with a mistake is needed");
  const wrong = Object.keys(errors).find((block) => !inputs.includes(block));
  if (wrong !== undefined)
    throw invalidArguments(
      `errors: there is no input ${quoted(wrong)}${known(wrong, inputs.map(String))}`,
    );
}
