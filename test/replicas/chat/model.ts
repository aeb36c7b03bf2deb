/** A second implementation of channels, messages and what hangs on them: small, slow, and only from the documentation. */

export type Message = {
  ts: string;
  thread: string | null;
  subtype: string | null;
  user: string;
  text: string;
  editor: string | null;
  /** In the order in which they were added. */
  reactions: { name: string; user: string }[];
  pinnedBy: string | null;
};
export type Channel = {
  id: string;
  name: string;
  isPrivate: boolean;
  isGeneral: boolean;
  isArchived: boolean;
  topic: string;
  members: string[];
  messages: Message[];
};
export type Person = { id: string; isAdmin?: true; isGuest?: true; isBot?: true; isGone?: true };
export type Notice = { event: string; user: string; text: string };

/** `notices`: what the service itself writes in the channel. */
type Done = { ok: true; notices?: Notice[]; done?: (answer: any) => void };
export type Outcome = Done | string;

type Args = Record<string, any>;
const OK: Done = { ok: true };
const DELETED = "This message was deleted.";
export const SLACKBOT = "USLACKBOT";

export class ChatModel {
  readonly channels: Channel[];
  readonly people: readonly Person[];
  readonly emoji: readonly string[];

  constructor(channels: Channel[], people: readonly Person[], emoji: readonly string[]) {
    this.channels = channels;
    this.people = people;
    this.emoji = emoji;
  }

  /** The answer to a call; with `ok`, the model has changed, except for what only the answer says. */
  call(method: string, actor: string, args: Args): Outcome {
    const person = this.people.find(({ id }) => id === actor) ?? { id: actor };
    if (method === "conversations.create") return this.create(person, args);
    if (method === "chat.postMessage" && args["text"] === "") return "no_text";
    if (method.startsWith("reactions.") && !this.emoji.includes(args["name"]))
      return "invalid_name";
    const channel = this.channels.find(
      ({ id, isPrivate, members }) =>
        id === args["channel"] && (!isPrivate || members.includes(actor)),
    );
    if (!channel) return "channel_not_found";
    const place = { person, channel, isMember: channel.members.includes(actor) };
    const message = channel.messages.find(({ ts }) => ts === (args["ts"] ?? args["timestamp"]));
    switch (method) {
      case "chat.postMessage":
        return post(place, args);
      case "conversations.join":
        return join(place);
      case "conversations.leave":
        return leave(place);
      case "conversations.invite":
        return this.invite(place, args);
      case "conversations.kick":
        return this.kick(place, args);
      case "conversations.archive":
        return archive(place);
      case "conversations.unarchive":
        return unarchive(place);
      case "conversations.setTopic":
        return setTopic(place, args);
      case "pins.add":
        if (!place.isMember) return "not_in_channel";
    }
    if (!message) return "message_not_found";
    const target = { ...place, message };
    switch (method) {
      case "chat.update":
        return update(target, args);
      case "chat.delete":
        return remove(target);
      case "pins.add":
        if (isDeleted(message)) return "not_pinnable";
        if (message.pinnedBy !== null) return "already_pinned";
        message.pinnedBy = actor;
        return OK;
      case "pins.remove":
        if (message.pinnedBy === null) return "no_pin";
        message.pinnedBy = null;
        return OK;
      case "reactions.add":
        return react(target, args);
      case "reactions.remove":
        return unreact(target, args);
    }
    throw new Error(`the model has no ${method}`);
  }

  private create({ id: actor, isGuest }: Person, { name, is_private: isPrivate }: Args): Outcome {
    if (isGuest) return "restricted_action";
    if (this.channels.some((channel) => channel.name === name)) return "name_taken";
    const done = ({ channel }: any) =>
      void this.channels.push({
        ...{ id: channel.id, name, isPrivate, isGeneral: false, isArchived: false },
        ...{ topic: "", members: [actor], messages: [] },
      });
    return { ok: true, done };
  }

  private invite({ person, channel, isMember }: Place, { users, force }: Args): Outcome {
    if (!isMember) return "not_in_channel";
    if (channel.isArchived) return "is_archived";
    const wanted: string[] = [...new Set<string>(users.split(","))];
    const obstacle = (id: string) => {
      const invited = this.people.find((one) => one.id === id);
      if (id === person.id) return "cant_invite_self";
      if (!invited) return "user_not_found";
      if (channel.members.includes(id)) return "already_in_channel";
      return invited.isGone ? "cant_invite" : undefined;
    };
    const added = wanted.filter((id) => obstacle(id) === undefined);
    const first = wanted.map(obstacle).find((code) => code !== undefined);
    if (first !== undefined && (!force || added.length === 0)) return first;
    channel.members.push(...added);
    return { ok: true, notices: added.map((id) => joined(channel, id)) };
  }

  private kick({ person, channel, isMember }: Place, { user }: Args): Outcome {
    if (!isMember) return "not_in_channel";
    if (channel.isArchived) return "is_archived";
    if (user === person.id) return "cant_kick_self";
    if (!this.people.some(({ id }) => id === user)) return "user_not_found";
    if (!channel.members.includes(user)) return "not_in_channel";
    if (channel.isGeneral) return "cant_kick_from_general";
    if (person.isGuest) return "restricted_action";
    return left(channel, user);
  }
}

type Place = { person: Person; channel: Channel; isMember: boolean };
type Target = Place & { message: Message };

const isDeleted = ({ subtype }: Message) => subtype === "tombstone";
const isNotice = ({ subtype }: Message) => subtype !== null && /^(channel|group)_/.test(subtype);
const noun = ({ isPrivate }: Channel) => (isPrivate ? "group" : "channel");

export const newMessage = (given: Pick<Message, "ts" | "user" | "text">): Message => ({
  ...{ thread: null, subtype: null, editor: null, reactions: [], pinnedBy: null },
  ...given,
});

function post({ person, channel, isMember }: Place, args: Args): Outcome {
  if (channel.isArchived) return "is_archived";
  if (!isMember && !person.isBot) return "not_in_channel";
  const { text, thread_ts: replyTo, reply_broadcast: isBroadcast = false } = args;
  const named = channel.messages.find(({ ts }) => ts === replyTo);
  if (replyTo !== undefined && !named) return "thread_not_found";
  if (named && isNotice(named)) return "cannot_reply_to_message";
  const thread = named ? (named.thread ?? named.ts) : null;
  const subtype = thread !== null && isBroadcast ? "thread_broadcast" : null;
  const done = ({ ts }: any) =>
    void channel.messages.push({ ...newMessage({ ts, user: person.id, text }), thread, subtype });
  return { ok: true, done };
}

function update(
  { person, channel, message }: Target,
  { text, reply_broadcast: show }: Args,
): Outcome {
  if (message.user !== person.id || isNotice(message)) return "cant_update_message";
  if (channel.isArchived) return "is_inactive";
  if (text === "") return "no_text";
  message.text = text;
  message.editor = person.id;
  if (show && message.thread !== null) message.subtype = "thread_broadcast";
  return OK;
}

function remove({ person, channel, message }: Target): Outcome {
  const isOwn = message.user === person.id;
  if ((!isOwn && !person.isAdmin) || isDeleted(message)) return "cant_delete_message";
  const repliesTo = (ts: string) => channel.messages.filter(({ thread }) => thread === ts);
  const drop = (gone: Message) => channel.messages.splice(channel.messages.indexOf(gone), 1);
  if (repliesTo(message.ts).length > 0) {
    const { ts, thread } = message;
    const tombstone = { thread, subtype: "tombstone" };
    Object.assign(message, newMessage({ ts, user: SLACKBOT, text: DELETED }), tombstone);
    return OK;
  }
  drop(message);
  const root = channel.messages.find(({ ts }) => ts === message.thread);
  if (root && isDeleted(root) && repliesTo(root.ts).length === 0) drop(root);
  return OK;
}

function react({ person, channel, message }: Target, { name }: Args): Outcome {
  if (channel.isArchived) return "is_archived";
  if (isDeleted(message)) return "not_reactable";
  if (message.reactions.some((one) => one.name === name && one.user === person.id))
    return "already_reacted";
  message.reactions.push({ name, user: person.id });
  return OK;
}

function unreact({ person, message }: Target, { name }: Args): Outcome {
  const at = message.reactions.findIndex((one) => one.name === name && one.user === person.id);
  if (at < 0) return "no_reaction";
  message.reactions.splice(at, 1);
  return OK;
}

const joined = (channel: Channel, user: string): Notice => ({
  event: "join",
  user,
  text: `<@${user}> has joined the ${noun(channel)}`,
});

function left(channel: Channel, user: string): Done {
  channel.members.splice(channel.members.indexOf(user), 1);
  const text = `<@${user}> has left the ${noun(channel)}`;
  return { ok: true, notices: [{ event: "leave", user, text }] };
}

function join({ person, channel, isMember }: Place): Outcome {
  if (channel.isPrivate) return "method_not_supported_for_channel_type";
  if (channel.isArchived) return "is_archived";
  if (isMember) return OK;
  channel.members.push(person.id);
  return { ok: true, notices: [joined(channel, person.id)] };
}

function leave({ person, channel, isMember }: Place): Outcome {
  if (!isMember) return OK;
  if (channel.isArchived) return "is_archived";
  if (channel.isGeneral) return "cant_leave_general";
  if (channel.isPrivate && channel.members.length === 1) return "last_member";
  return left(channel, person.id);
}

function archive({ person, channel, isMember }: Place): Outcome {
  if (!isMember) return "not_in_channel";
  if (person.isGuest) return "restricted_action";
  if (channel.isGeneral) return "cant_archive_general";
  if (channel.isArchived) return "already_archived";
  channel.isArchived = true;
  const text = `<@${person.id}> archived the channel`;
  return { ok: true, notices: [{ event: "archive", user: person.id, text }] };
}

function unarchive({ person, channel }: Place): Outcome {
  if (!channel.isArchived) return "not_archived";
  channel.isArchived = false;
  const text = `<@${person.id}> un-archived the channel`;
  return { ok: true, notices: [{ event: "unarchive", user: person.id, text }] };
}

function setTopic({ person, channel, isMember }: Place, { topic }: Args): Outcome {
  if (!isMember) return "not_in_channel";
  if (channel.isArchived) return "is_archived";
  if (person.isGuest) return "user_is_restricted";
  if (channel.topic === topic) return OK;
  channel.topic = topic;
  const done = topic === "" ? "cleared the channel topic" : `set the channel topic: ${topic}`;
  return {
    ok: true,
    notices: [{ event: "topic", user: person.id, text: `<@${person.id}> ${done}` }],
  };
}

/** The subtype of a notice. */
export const subtypeOf = (channel: Channel, { event }: Notice) => `${noun(channel)}_${event}`;
