import { Flag, List, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import { type Answer, type ChatCall, type ChatSession, method } from "~/replicas/chat/method";
import { requireFullMember } from "~/replicas/chat/require";
import { findChannels } from "~/replicas/chat/store/channels";
import { lockWorkspace } from "~/replicas/chat/store/team";
import {
  findTaken,
  findUsergroup,
  insertUsergroup,
  replaceUsers,
  setDisabled,
  type UsergroupRow,
  updateUsergroup,
} from "~/replicas/chat/store/usergroups";
import { findUsers } from "~/replicas/chat/store/users";
import { usergroupView } from "~/replicas/chat/views/usergroups";

const NAME = { max: 80, tooLong: "name_too_long" };
const CHANNELS_MAX = 100;
const HANDLE = /^[a-z0-9][a-z0-9._-]{0,79}$/;

const WHICH_ARGS = {
  usergroup: Text("Id of the group."),
  include_count: Maybe(Flag()),
  team_id: Maybe(Text()),
};
const ABOUT_ARGS = {
  handle: Maybe(Text("Its handle, without @.")),
  description: Maybe(Text(undefined, { tooLong: "description_too_long" })),
  channels: Maybe(List("Default channels of its members.")),
  additional_channels: Maybe(List("More default channels.")),
  enable_section: Maybe(Flag("Ignored: there are no sidebar sections.")),
};
type About = { channels?: string[]; additional_channels?: string[] };

/** A group, for a caller who may change groups. */
async function requireUsergroup(call: ChatCall, id: string): Promise<UsergroupRow> {
  await requireFullMember(call, "permission_denied");
  const group = await findUsergroup(call.session, id);
  if (!group) throw new ChatError("no_such_subteam");
  return group;
}

async function shown(
  call: ChatCall,
  id: string,
  view: Parameters<typeof usergroupView>[1],
): Promise<Answer> {
  const group = await findUsergroup(call.session, id);
  if (!group) throw new ChatError("no_such_subteam");
  return { usergroup: usergroupView(group, view) };
}

/** Undefined when none is given. */
function readHandle(given: string | undefined): string | undefined {
  if (!given) return undefined;
  const handle = given.replace(/^@/, "");
  if (!HANDLE.test(handle)) throw new ChatError("bad_handle");
  return handle;
}

/** Null when no channels are given. */
async function readPrefs({ session, actor }: ChatCall, given: About) {
  if (given.channels === undefined && given.additional_channels === undefined) return null;
  const ids = [...new Set([...(given.channels ?? []), ...(given.additional_channels ?? [])])];
  if (ids.length > CHANNELS_MAX) throw new ChatError("too_many_linked_channels");
  const channels = await findChannels(session, actor, ids);
  if (channels.length < ids.length || channels.some(({ is_direct: isDirect }) => isDirect))
    throw new ChatError("invalid_channel_provided");
  const of = (isPrivate: boolean) =>
    channels.filter((channel) => channel.is_private === isPrivate).map(({ id }) => id);
  return { channels: of(false), groups: of(true) };
}

/** Runs a write that sets a group's name and handle. The error names the one that is taken. */
async function withFreeNames(
  call: ChatCall,
  group: { id: string; name: string | null; handle: string | null },
  write: (session: ChatSession) => Promise<void>,
): Promise<void> {
  await call.session.transaction(async (session) => {
    await lockWorkspace(session);
    const taken = await findTaken(session, group);
    if (taken) throw new ChatError(`${taken}_already_exists`);
    await write(session);
  });
}

export const usergroupsEditing = [
  method("usergroups.create", {
    tier: 2,
    summary: "Creates a user group.",
    args: {
      name: Maybe(Text(undefined, NAME)),
      ...ABOUT_ARGS,
      include_count: Maybe(Flag()),
      team_id: Maybe(Text()),
    },
    async handle(args, call) {
      const { user } = await requireFullMember(call, "permission_denied");
      if (!args.name?.trim()) throw new ChatError("missing_argument");
      const name = args.name.trim();
      const slug = name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, "");
      const handle = readHandle(args.handle) ?? readHandle(slug) ?? name;
      const prefs = (await readPrefs(call, args)) ?? { channels: [], groups: [] };
      const id = newId(call.session, "S");
      const description = args.description ?? "";
      await withFreeNames(call, { id, name, handle }, (session) =>
        insertUsergroup(session, { id, name, handle, description, prefs, user: user.id }),
      );
      return await shown(call, id, { count: args.include_count, users: true });
    },
  }),

  method("usergroups.update", {
    tier: 2,
    summary: "Changes a user group.",
    args: {
      ...WHICH_ARGS,
      usergroup: Maybe(Text()),
      name: Maybe(Text(undefined, NAME)),
      ...ABOUT_ARGS,
    },
    async handle({ usergroup: id, ...args }, call) {
      if (!id) throw new ChatError("missing_argument");
      await requireUsergroup(call, id);
      const name = args.name?.trim() || null;
      const handle = readHandle(args.handle) ?? null;
      const prefs = await readPrefs(call, args);
      const description = args.description ?? null;
      await withFreeNames(call, { id, name, handle }, (session) =>
        updateUsergroup(session, id, { name, handle, description, prefs, user: call.actor }),
      );
      return await shown(call, id, { count: args.include_count, users: true });
    },
  }),

  method("usergroups.enable", {
    tier: 2,
    summary: "Enables a user group again.",
    args: WHICH_ARGS,
    async handle({ usergroup: id, include_count: count }, call) {
      await requireUsergroup(call, id);
      if (!(await setDisabled(call.session, id, false, call.actor)))
        throw new ChatError("already_enabled");
      return await shown(call, id, { count });
    },
  }),

  method("usergroups.disable", {
    tier: 2,
    summary: "Disables a user group.",
    args: WHICH_ARGS,
    async handle({ usergroup: id, include_count: count }, call) {
      await requireUsergroup(call, id);
      if (!(await setDisabled(call.session, id, true, call.actor)))
        throw new ChatError("already_disabled");
      return await shown(call, id, { count });
    },
  }),

  method("usergroups.users.update", {
    tier: 2,
    summary: "Replaces the members of a user group.",
    args: {
      ...WHICH_ARGS,
      users: Maybe(List("The new members.")),
      additional_channels: Maybe(List("More default channels of its members.")),
      is_shared: Maybe(Flag()),
    },
    async handle(args, call) {
      const { usergroup: id, include_count: count, additional_channels: more } = args;
      const { prefs } = await requireUsergroup(call, id);
      const ids = [...new Set(args.users ?? [])];
      if (ids.length === 0) throw new ChatError("no_users_provided");
      const users = await findUsers(call.session, ids);
      if (ids.some((user) => users.get(user)?.deleted !== false))
        throw new ChatError("invalid_users");
      const channels =
        more &&
        (await readPrefs(call, { channels: [...prefs.channels, ...prefs.groups, ...more] }));
      await call.session.transaction(async (session) => {
        await replaceUsers(session, id, ids, call.actor);
        if (channels)
          await updateUsergroup(session, id, {
            name: null,
            handle: null,
            description: null,
            prefs: channels,
            user: call.actor,
          });
      });
      return await shown(call, id, { count, users: true });
    },
  }),
];
