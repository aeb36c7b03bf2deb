/** A person uses an interactive element of a message or a view. */
import { type Static, Type } from "@sinclair/typebox";
import type { Act } from "~/replicas/acts";
import {
  actionOf,
  chosenBy,
  chosenIn,
  type Element,
  elementsOf,
  requireElement,
  type State,
  stateOf,
} from "~/replicas/chat/acts/elements";
import { type Item, itemsIn } from "~/replicas/chat/acts/kinds";
import {
  channelName,
  choicesOf,
  commonFields,
  missedBy,
  type Person,
  requireForm,
  requirePerson,
  requireReceiver,
  requireSeenChannel,
} from "~/replicas/chat/acts/person";
import { rejected } from "~/replicas/chat/acts/rejected";
import { requireSeenView, viewPayload } from "~/replicas/chat/acts/seen-view";
import { stampOf } from "~/replicas/chat/events/change";
import type { ChatSession } from "~/replicas/chat/method";
import { findEphemeral } from "~/replicas/chat/store/ephemeral";
import { findMessage } from "~/replicas/chat/store/messages";
import { findUser } from "~/replicas/chat/store/users";
import { messageView } from "~/replicas/chat/views/messages";
import type { Wire } from "~/replicas/chat/views/wire";
import type { EventApp } from "~/replicas/events";

const Text = Type.String({ maxLength: 255 });
/** A choice by its value; an option of an app as the app has answered it. */
const Choice = Type.Union([
  Type.String({ maxLength: 3_000 }),
  Type.Record(Type.String(), Type.Unknown()),
]);
const Value = Type.Union([
  Choice,
  Type.Number(),
  Type.Array(Choice, { maxItems: 100 }),
  Type.Null(),
]);
/** By block, and by element in it. */
export const Values = Type.Record(Type.String(), Type.Record(Type.String(), Value));

/** Who uses which element of a message or a view. */
export const Place = Type.Object({
  user: Text,
  channel: Type.Optional(Text),
  message: Type.Optional(Text),
  view: Type.Optional(Text),
  block_id: Type.Optional(Text),
  action_id: Text,
});
const Form = Type.Object({
  ...Place.properties,
  type: Type.Literal("block_actions"),
  value: Type.Optional(Value),
  values: Type.Optional(Values),
});

/** Where the elements are that a person sees. */
type Source = {
  readonly elements: readonly Element[];
  readonly receiver: EventApp;
  readonly container: (element: Element) => Wire;
  /** `state.values`: of all elements of the source. */
  readonly fields: (state: State) => Wire;
};

/** Messages that only one person sees have no `message` in payloads. */
const container = (
  { attachment }: Element,
  where: { ts: string; channel: string; thread: string | null; isEphemeral: boolean },
): Wire => ({
  type: attachment === undefined ? "message" : "message_attachment",
  message_ts: where.ts,
  ...(attachment === undefined ? {} : { attachment_id: attachment }),
  channel_id: where.channel,
  is_ephemeral: where.isEphemeral,
  is_app_unfurl: attachment === undefined ? undefined : false,
  thread_ts: where.thread ?? undefined,
});

const elementsOfContent = (content: {
  readonly blocks: readonly Item[] | null;
  readonly attachments: readonly Item[] | null;
}) => [
  ...elementsOf(content.blocks ?? []),
  ...(content.attachments ?? []).flatMap(({ id, blocks }) =>
    elementsOf(itemsIn(blocks), Number(id)),
  ),
];

/** A message that the person sees. Throws `invalid_request`. */
async function messageSource(
  session: ChatSession,
  person: Person,
  place: { readonly channel: string; readonly ts: string },
  apps: readonly EventApp[],
): Promise<Source> {
  const channel = await requireSeenChannel(session, person, place.channel);
  const named = { channel: { id: channel.id, name: channelName(channel) } };
  const message = await findMessage(session, person.user.id, channel.id, place.ts);
  if (message) {
    const { ts, thread_ts: thread } = message;
    const where = { ts, channel: channel.id, thread, isEphemeral: false };
    const author = { id: message.app_id, user: message.user_id };
    return {
      elements: elementsOfContent(message),
      receiver: requireReceiver(apps, author, "the message"),
      container: (element) => container(element, where),
      fields: (values) => ({
        ...named,
        message: messageView(message, { baseUrl: "" }),
        state: { values },
      }),
    };
  }
  const own = await findEphemeral(session, { ...place, user: person.user.id });
  if (!own) throw rejected("message", `the person sees no message ${place.ts} in ${channel.id}`);
  const where = { ...place, thread: own.thread_ts, isEphemeral: true };
  const author = await findUser(session, own.author_id);
  const from = { id: author?.app_id ?? null, user: own.author_id };
  return {
    elements: elementsOfContent(own),
    receiver: requireReceiver(apps, from, "the message"),
    container: (element) => container(element, where),
    fields: (values) => ({ ...named, state: { values } }),
  };
}

async function viewSource(
  session: ChatSession,
  person: Person,
  id: string,
  apps: readonly EventApp[],
): Promise<Source> {
  const { view, receiver } = await requireSeenView(session, person, id, apps);
  return {
    elements: elementsOf(view.blocks),
    receiver,
    container: () => ({ type: "view", view_id: view.id }),
    fields: (values) => ({ view: viewPayload(view, values) }),
  };
}

/** Where the element is that a person uses. Throws `invalid_request`. */
export async function sourceOf(
  session: ChatSession,
  person: Person,
  { channel, message: ts, view }: Static<typeof Place>,
  apps: readonly EventApp[],
): Promise<Source> {
  const isInMessage = channel !== undefined || ts !== undefined;
  if (isInMessage === (view !== undefined))
    throw rejected("view", "either a view is needed, or a channel and a message");
  if (view !== undefined) return await viewSource(session, person, view, apps);
  if (channel === undefined || ts === undefined)
    throw rejected(ts === undefined ? "message" : "channel", "needed");
  return await messageSource(session, person, { channel, ts }, apps);
}

export async function blockActions(session: ChatSession, act: Act, apps: readonly EventApp[]) {
  requireForm(Form, act.given);
  const given = act.given as Static<typeof Form>;
  const person = await requirePerson(session, given.user);
  const source = await sourceOf(session, person, given, apps);
  const { elements, receiver } = source;
  const element = requireElement(elements, given);
  if (!element.isDispatched)
    throw rejected("action_id", "its app learns nothing of this input: it has no dispatch_action");
  const choices = choicesOf(session, person);
  const choice = await chosenIn(element, given.value, choices, "value");
  const chosen = await chosenBy(elements, given.values ?? {}, choices);
  chosen.set(element, choice);
  return {
    type: "interactive.block_actions",
    payload: {
      type: "block_actions",
      ...commonFields(person, act, receiver),
      container: source.container(element),
      ...source.fields(stateOf(elements, chosen)),
      actions: [actionOf(element, choice, stampOf(act.micros))],
    },
    missed: missedBy(apps, receiver),
  };
}
