/** Calls that are held elsewhere, and their participants. */
import { Json, Maybe, requireRoom, Text, Whole } from "~/replicas/chat/arguments";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import { type ChatCall, method } from "~/replicas/chat/method";
import { requireActor } from "~/replicas/chat/require";
import {
  type CallRow,
  endCall,
  findCall,
  insertCall,
  lockCall,
  updateCall,
} from "~/replicas/chat/store/calls";
import type { Json as JsonObject } from "~/replicas/chat/store/json";
import { findUsers } from "~/replicas/chat/store/users";
import { present } from "~/replicas/chat/views/wire";

const USERS_MAX = 1_000;
const SECONDS_MAX = 2 ** 31 - 1;

const callView = (call: CallRow) => ({
  call: present({
    id: call.id,
    date_start: call.date_start,
    date_end: call.date_end,
    duration: call.duration,
    external_unique_id: call.external_unique_id,
    external_display_id: call.external_display_id,
    join_url: call.join_url,
    desktop_app_join_url: call.desktop_app_join_url,
    title: call.title,
    created_by: call.created_by,
    users: call.users,
    channels: [],
  }),
});

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Members of the workspace by id, others by the app's own id. */
const keyOf = (user: JsonObject) => String(user["slack_id"] ?? `external ${user["external_id"]}`);

/** Participants without duplicates. Members of the workspace must exist. */
async function requireParticipants({ session }: ChatCall, given: unknown): Promise<JsonObject[]> {
  if (!Array.isArray(given) || given.length > USERS_MAX) throw new ChatError("bad_users");
  const users = given.map((user: JsonObject | null): JsonObject => {
    if (isText(user?.["slack_id"])) return { slack_id: user["slack_id"] };
    if (!isText(user?.["external_id"]) || !isText(user["display_name"]))
      throw new ChatError("bad_users");
    const { external_id, display_name, avatar_url } = user;
    return { external_id, display_name, ...(isText(avatar_url) ? { avatar_url } : {}) };
  });
  const ids = users.flatMap(({ slack_id: id }) => (typeof id === "string" ? [id] : []));
  const known = await findUsers(session, ids);
  if (ids.some((id) => !known.has(id))) throw new ChatError("user_not_found");
  return [...new Map(users.map((user) => [keyOf(user), user])).values()];
}

async function shown({ session }: ChatCall, id: string) {
  const found = await findCall(session, id);
  if (!found) throw new ChatError("invalid_call_id");
  return callView(found);
}

/** Changes the participants of a call that has not ended. */
async function changeParticipants(
  call: ChatCall,
  id: string,
  given: unknown,
  change: (users: ReadonlyMap<string, JsonObject>, named: readonly JsonObject[]) => JsonObject[],
) {
  if (given === undefined) throw new ChatError("missing_argument");
  const named = await requireParticipants(call, given);
  await call.session.transaction(async (session) => {
    const found = await lockCall(session, id);
    if (!found) throw new ChatError("invalid_call_id");
    if (found.date_end !== null) throw new ChatError("inactive_call");
    const users = change(new Map(found.users.map((user) => [keyOf(user), user])), named);
    requireRoom(users, "bad_users");
    await updateCall(session, id, { users });
  });
  return await shown(call, id);
}

const PARTICIPANTS_ARGS = {
  id: Text("Id of the call."),
  users: Maybe(Json<unknown>("bad_users", "Each with slack_id, or external_id and display_name.")),
};

export const calls = [
  method("calls.add", {
    tier: 3,
    summary: "Registers a call that is held elsewhere.",
    args: {
      external_unique_id: Text("The app's own id of the call."),
      join_url: Text(),
      created_by: Maybe(Text("The user who started it; for apps.")),
      date_start: Maybe(Whole("A Unix time.")),
      desktop_app_join_url: Maybe(Text()),
      external_display_id: Maybe(Text("The id shown to people.")),
      title: Maybe(Text()),
      users: Maybe(Json<unknown>("bad_users", "Who takes part.")),
    },
    async handle(args, call) {
      const { user } = await requireActor(call);
      const creator = args.created_by || user.id;
      const known = await findUsers(call.session, [creator]);
      if (!known.has(creator)) throw new ChatError("invalid_created_by");
      const start = args.date_start ?? null;
      if (start !== null && (start < 0 || start > SECONDS_MAX))
        throw new ChatError("invalid_start_time");
      const id = newId(call.session, "R");
      await insertCall(call.session, {
        id,
        created_by: creator,
        external_unique_id: args.external_unique_id,
        external_display_id: args.external_display_id || null,
        join_url: args.join_url,
        desktop_app_join_url: args.desktop_app_join_url || null,
        title: args.title || null,
        users: await requireParticipants(call, args.users ?? []),
        date_start: start,
      });
      return await shown(call, id);
    },
  }),

  method("calls.info", {
    tier: 3,
    summary: "Shows a call.",
    args: { id: Text() },
    async handle({ id }, call) {
      return await shown(call, id);
    },
  }),

  method("calls.update", {
    tier: 3,
    summary: "Changes a call.",
    args: {
      id: Text(),
      title: Maybe(Text()),
      join_url: Maybe(Text()),
      desktop_app_join_url: Maybe(Text()),
    },
    async handle({ id, ...change }, call) {
      await updateCall(call.session, id, change);
      return await shown(call, id);
    },
  }),

  method("calls.end", {
    tier: 3,
    summary: "Ends a call.",
    args: { id: Text(), duration: Maybe(Whole("In seconds; computed by default.")) },
    async handle({ id, duration }, call) {
      await shown(call, id);
      if (duration !== undefined && (duration < 0 || duration > SECONDS_MAX))
        throw invalidArguments("duration: must be a number of seconds from 0 to 2147483647");
      if (!(await endCall(call.session, id, duration ?? null)))
        throw new ChatError("inactive_call");
      return await shown(call, id);
    },
  }),

  method("calls.participants.add", {
    tier: 3,
    summary: "Adds people to a call.",
    args: PARTICIPANTS_ARGS,
    async handle({ id, users }, call) {
      return await changeParticipants(call, id, users, (present, named) => [
        ...new Map([...present, ...named.map((user) => [keyOf(user), user] as const)]).values(),
      ]);
    },
  }),

  method("calls.participants.remove", {
    tier: 3,
    summary: "Removes people from a call.",
    args: PARTICIPANTS_ARGS,
    async handle({ id, users }, call) {
      return await changeParticipants(call, id, users, (present, named) => {
        const gone = new Set(named.map(keyOf));
        return [...present].filter(([key]) => !gone.has(key)).map(([, user]) => user);
      });
    },
  }),
];
