/** Access to canvases and lists: the same two methods under two names. */
import { List, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import type { Answer, ChatCall } from "~/replicas/chat/method";
import { deleteAccess, findEntities, setAccess } from "~/replicas/chat/store/canvases";

export const ENTITY_ARGS = { channel_ids: Maybe(List()), user_ids: Maybe(List()) };
export const LEVEL_ARG = { access_level: Text("read, write or owner.") };

const LEVELS: readonly string[] = ["read", "write", "owner"];

type Entities = { channel_ids?: string[]; user_ids?: string[] };

/** Either channels or users, all of which must exist. */
async function requireEntities(call: ChatCall, file: string, given: Entities) {
  const { channel_ids: channels = [], user_ids: users = [] } = given;
  if ((channels.length === 0) === (users.length === 0)) throw new ChatError("invalid_parameters");
  const entities = await findEntities(call.session, call.actor, file, { channels, users });
  if (entities.some(({ exists }) => !exists))
    throw new ChatError(channels.length > 0 ? "channel_not_found" : "user_not_found");
  return entities;
}

export async function grantAccess(
  call: ChatCall,
  file: string,
  level: string,
  given: Entities,
): Promise<Answer> {
  if (!LEVELS.includes(level)) throw new ChatError("invalid_parameters");
  // Channels cannot be owners.
  if (level === "owner" && given.channel_ids?.length) throw new ChatError("invalid_parameters");
  const entities = await requireEntities(call, file, given);
  await setAccess(
    call.session,
    file,
    entities.map(({ id }) => id),
    level,
  );
  return {};
}

/** The answer names those who had no access. */
export async function revokeAccess(call: ChatCall, file: string, given: Entities): Promise<Answer> {
  const entities = await requireEntities(call, file, given);
  await deleteAccess(
    call.session,
    file,
    entities.map(({ id }) => id),
  );
  const failed = entities.filter(({ has_access: had }) => !had).map(({ id }) => id);
  if (failed.length === 0) return {};
  return {
    [given.user_ids?.length ? "failed_to_update_user_ids" : "failed_to_update_channel_ids"]: failed,
  };
}
