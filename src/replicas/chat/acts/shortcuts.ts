/** A person uses a shortcut of an app, or types a command of it. Which ones it has is not known here: any is sent. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { known, quoted } from "~/input/nearest";
import type { Act } from "~/replicas/acts";
import {
  channelName,
  commonFields,
  missedBy,
  requireForm,
  requirePerson,
  requireSeenChannel,
} from "~/replicas/chat/acts/person";
import { rejected } from "~/replicas/chat/acts/rejected";
import { stampOf } from "~/replicas/chat/events/change";
import type { ChatSession } from "~/replicas/chat/method";
import { findMessage } from "~/replicas/chat/store/messages";
import { messageView } from "~/replicas/chat/views/messages";
import type { EventApp } from "~/replicas/events";

const Text = Type.String({ maxLength: 255 });
const App = Type.Optional(Text);

const Shortcut = Type.Object({
  ...{ type: Type.Literal("shortcut"), user: Text, app: App },
  callback_id: Text,
});
const MessageAction = Type.Object({
  ...{ type: Type.Literal("message_action"), user: Text, app: App },
  ...{ callback_id: Text, channel: Text, message: Text },
});
const Command = Type.Object({
  ...{ type: Type.Literal("command"), user: Text, app: App },
  channel: Text,
  command: Type.String({ pattern: "^/[^\\sA-Z]{1,32}$", expected: "a name such as /deploy" }),
  text: Type.Optional(Type.String({ maxLength: 3_000 })),
});

/** The app that an act names; the only one need not be named. */
function requireApp(apps: readonly EventApp[], id: string | undefined): EventApp {
  const ids = apps.map((app) => app.id);
  const [only, another] = apps;
  if (id === undefined && another) throw rejected("app", `needed: one of ${ids.join(", ")}`);
  const found = id === undefined ? only : apps.find((app) => app.id === id);
  if (found) return found;
  throw rejected("app", `the environment has no app ${quoted(id ?? "")}${known(id ?? "", ids)}`);
}

async function begin<S extends TObject>(
  session: ChatSession,
  form: S,
  act: Act,
  apps: readonly EventApp[],
) {
  requireForm(form, act.given);
  const given = act.given as Static<S> & { readonly user: string; readonly app?: string };
  const person = await requirePerson(session, given.user);
  const receiver = requireApp(apps, given.app);
  const fields = commonFields(person, act, receiver);
  return { given, person, receiver, fields, missed: missedBy(apps, receiver) };
}

export async function shortcut(session: ChatSession, act: Act, apps: readonly EventApp[]) {
  const { given, fields, missed } = await begin(session, Shortcut, act, apps);
  const payload = {
    type: "shortcut",
    ...fields,
    action_ts: stampOf(act.micros),
    callback_id: given.callback_id,
  };
  return { type: "interactive.shortcut", payload, missed };
}

export async function messageAction(session: ChatSession, act: Act, apps: readonly EventApp[]) {
  const { given, person, fields, missed } = await begin(session, MessageAction, act, apps);
  const channel = await requireSeenChannel(session, person, given.channel);
  const message = await findMessage(session, person.user.id, channel.id, given.message);
  if (!message)
    throw rejected("message", `the person sees no message ${given.message} in ${channel.id}`);
  const payload = {
    type: "message_action",
    ...fields,
    action_ts: stampOf(act.micros),
    callback_id: given.callback_id,
    channel: { id: channel.id, name: channelName(channel) },
    message_ts: message.ts,
    message: messageView(message, { baseUrl: "" }),
  };
  return { type: "interactive.message_action", payload, missed };
}

export async function command(session: ChatSession, act: Act, apps: readonly EventApp[]) {
  const { given, person, receiver, fields, missed } = await begin(session, Command, act, apps);
  const { user, team } = person;
  const channel = await requireSeenChannel(session, person, given.channel);
  if (!channel.is_member) throw rejected("channel", "the person is not a member");
  const payload = {
    command: given.command,
    text: given.text ?? "",
    api_app_id: receiver.id,
    team_id: team.id,
    team_domain: team.domain,
    channel_id: channel.id,
    channel_name: channelName(channel),
    user_id: user.id,
    user_name: user.name,
    is_enterprise_install: "false",
    trigger_id: fields["trigger_id"],
  };
  return { type: "slash_commands", payload, missed };
}
