/** Direct messages: opening and closing them. */
import { Flag, List, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import { type ChatCall, method } from "~/replicas/chat/method";
import { requireChannel } from "~/replicas/chat/require";
import type { ChannelRow } from "~/replicas/chat/store/channels";
import { findDirect, openDirect } from "~/replicas/chat/store/directs";
import { setOpen } from "~/replicas/chat/store/members";
import { findUsers } from "~/replicas/chat/store/users";
import { channelView } from "~/replicas/chat/views/channels";

/** In addition to the caller. */
const USERS_MAX = 8;

/** A direct message between two people or in a group. */
async function requireDirect(call: ChatCall, id: string): Promise<ChannelRow> {
  const channel = await requireChannel(call, id);
  if (!channel.is_im && !channel.is_mpim)
    throw new ChatError("method_not_supported_for_channel_type");
  return channel;
}

/** The participants, the caller first. */
async function requireParties({ session, actor }: ChatCall, users: readonly string[]) {
  const parties = [...new Set([actor, ...users])];
  if (parties.length > USERS_MAX + 1) throw new ChatError("too_many_users");
  const found = await findUsers(session, parties);
  const people = parties.map((id) => found.get(id));
  if (people.includes(undefined)) throw new ChatError("user_not_found");
  if (people.some((person) => person?.deleted)) throw new ChatError("user_disabled");
  if (parties.length > 1 && people.every((person) => person?.is_bot))
    throw new ChatError("invalid_user_combination");
  return parties;
}

/** The id of the requested conversation, and whether it already existed and was open. */
async function open(
  call: ChatCall,
  given: { channel?: string; users?: readonly string[] },
  preventCreation: boolean,
): Promise<{ id: string; wasOpen: boolean }> {
  const { session, actor } = call;
  if (given.channel) {
    const { id } = await requireDirect(call, given.channel);
    return { id, wasOpen: !(await setOpen(session, id, actor, true)) };
  }
  if (given.users === undefined) throw new ChatError("users_list_not_supplied");
  if (given.users.length === 0) throw new ChatError("not_enough_users");
  const parties = await requireParties(call, given.users);
  const existing = await findDirect(session, parties);
  if (existing !== undefined)
    return { id: existing, wasOpen: !(await setOpen(session, existing, actor, true)) };
  if (preventCreation) throw new ChatError("channel_not_found");
  const id = await openDirect(session, newId(session, parties.length > 2 ? "C" : "D"), parties);
  if (id === undefined) throw new ChatError("user_not_found");
  return { id, wasOpen: false };
}

export const conversationsDirects = [
  method("conversations.open", {
    tier: 1,
    summary:
      "Opens the direct message with one or more people. The same people always get the same one.",
    args: {
      users: Maybe(List("Ids of one to eight users, without the caller.")),
      channel: Maybe(Text("Id of a direct message to reopen.")),
      return_im: Maybe(Flag("Return the whole conversation.")),
      prevent_creation: Maybe(Flag("Do not create a conversation.")),
    },
    async handle(args, call) {
      const { id, wasOpen } = await open(call, args, args.prevent_creation ?? false);
      const channel = args.return_im ? channelView(await requireChannel(call, id)) : { id };
      return { ...(wasOpen ? { no_op: true, already_open: true } : {}), channel };
    },
  }),

  method("conversations.close", {
    tier: 1,
    summary: "Hides a direct message from the caller's list; its history remains.",
    args: { channel: Text() },
    async handle({ channel: id }, call) {
      await requireDirect(call, id);
      const closed = await setOpen(call.session, id, call.actor, false);
      return closed ? {} : { no_op: true, already_closed: true };
    },
  }),
];
