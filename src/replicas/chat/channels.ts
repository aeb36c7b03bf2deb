/** Channel names and channel types. */
import { Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import type { ChannelType } from "~/replicas/chat/store/channels";

const NAME_MAX = 80;
export const NAME_ARG = Text(undefined, { tooLong: "invalid_name_maxlength" });
const TYPES: readonly ChannelType[] = ["public_channel", "private_channel", "mpim", "im"];
const RESERVED_NAMES = new Set([
  "here",
  "channel",
  "everyone",
  "group",
  "all",
  "slack",
  "archive",
  "archived",
]);

/** The types of conversations to list; public channels by default. */
export function requireTypes(types: readonly string[] | undefined): ChannelType[] {
  const wanted = types === undefined || types.length === 0 ? ["public_channel"] : types;
  if (!wanted.every((type): type is ChannelType => TYPES.some((known) => known === type)))
    throw new ChatError("invalid_types");
  return [...wanted] as ChannelType[];
}

/** A channel's name as stored. Throws the service's code for each kind of mistake. */
export function requireName(given: string): string {
  const name = given.replace(/^#/, "");
  if (name === "") throw new ChatError("invalid_name_required");
  if (/\p{C}/u.test(name)) throw new ChatError("invalid_name");
  if ([...name].length > NAME_MAX) throw new ChatError("invalid_name_maxlength");
  if (/^[\p{P}\p{S}]+$/u.test(name)) throw new ChatError("invalid_name_punctuation");
  if (!/^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}_-]+$/u.test(name))
    throw new ChatError("invalid_name_specials");
  if (RESERVED_NAMES.has(name)) throw new ChatError("name_taken");
  return name;
}
