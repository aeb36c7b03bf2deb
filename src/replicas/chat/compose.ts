/** Shared by the posting methods: content from a client → stored content. */

import { isObject } from "~/input/json";
import { Choice, Flag, Json, Maybe, requireRoom, Text } from "~/replicas/chat/arguments";
import { findBlockProblems, type Problem, toStoredBlocks } from "~/replicas/chat/blocks";
import { ChatError } from "~/replicas/chat/errors";
import type { ChatCall } from "~/replicas/chat/method";
import { findLinks } from "~/replicas/chat/store/links";
import { findLinkable, linker, markdownToMrkdwn, normalizeText } from "~/replicas/chat/text";
import type { Sourced } from "~/source";

type Item = Readonly<Record<string, unknown>>;

export const MESSAGE_TEXT = { max: 40_000, tooLong: "msg_too_long" };
export const MARKDOWN_TEXT = { max: 12_000, tooLong: "msg_too_long" };
/** Escaping and linking make a text longer. */
const STORED_TEXT_MAX = 2 * MESSAGE_TEXT.max;
/** Characters of JSON in the blocks, and in the attachments, of one message. The service accepts 13,000. */
const GATHERED_MAX = 50_000;
const ATTACHMENTS_MAX = 100;
const METADATA_BYTES_MAX = 16 * 1024;

/** The arguments for a message's content. */
export const CONTENT_ARGS = {
  text: Maybe(
    Text("Text of the message, in mrkdwn. With blocks: what notifications show.", MESSAGE_TEXT),
  ),
  blocks: Maybe(
    Json<unknown>("invalid_blocks_format", "Blocks of Block Kit.", {
      max: GATHERED_MAX,
      tooLong: "msg_blocks_too_long",
    }),
  ),
  attachments: Maybe(
    Json<unknown>("invalid_attachments", "Secondary attachments.", {
      max: GATHERED_MAX,
      tooLong: "attachment_payload_limit_exceeded",
    }),
  ),
  markdown_text: Maybe(Text("Text in Markdown; instead of text and blocks.", MARKDOWN_TEXT)),
  parse: Maybe(Choice("full", "none")),
  link_names: Maybe(Flag("Link the handles of user groups.")),
};

export const METADATA_ARG = {
  metadata: Maybe(
    Json<unknown>("invalid_metadata_format", "An event type and its payload.", {
      tooLong: "metadata_too_large",
    }),
  ),
};

/** The arguments that show another author for a message. */
export const AUTHOR_ARGS = {
  username: Maybe(Text("Name to post under.")),
  icon_emoji: Maybe(Text("Emoji for a picture.")),
  icon_url: Maybe(Text("Address of a picture.")),
};

type Given = {
  readonly text?: string;
  readonly blocks?: unknown;
  readonly attachments?: unknown;
  readonly markdown_text?: string;
  readonly metadata?: unknown;
  readonly parse?: "full" | "none";
  readonly link_names?: boolean;
};

export type Content = {
  readonly text: string | undefined;
  readonly blocks: Item[] | undefined;
  readonly attachments: Item[] | undefined;
  readonly metadata: Item | undefined;
};

/** Validates content and converts it to its stored form. Throws the service's codes. Content may be empty. */
export async function readContent(call: ChatCall, given: Given): Promise<Content> {
  const { text, markdown_text: markdown } = given;
  const blocks = readBlocks(call.session, given.blocks);
  const attachments = readAttachments(call.session, given.attachments);
  if (markdown !== undefined && (text !== undefined || blocks !== undefined))
    throw new ChatError("markdown_text_conflict");
  const plain = markdown === undefined ? text : markdownToMrkdwn(markdown);
  const metadata = readMetadata(given.metadata);
  const stored =
    plain === undefined ? undefined : normalizeText(plain, await readLinker(call, given));
  if (stored !== undefined && stored.length > STORED_TEXT_MAX) throw new ChatError("msg_too_long");
  return {
    text: stored,
    blocks: markdown?.trim()
      ? toStoredBlocks(call.session, [{ type: "markdown", text: markdown }])
      : blocks,
    attachments,
    metadata,
  };
}

/** Content that must not be empty. Throws `no_text`. */
export async function requireContent(call: ChatCall, given: Given): Promise<Content> {
  const content = await readContent(call, given);
  const { text, blocks, attachments } = content;
  if (!text?.trim() && !blocks?.length && !attachments?.length) throw new ChatError("no_text");
  if (!text?.trim()) call.warn("missing_text_in_message");
  return content;
}

/** The columns of a message that hold its content. */
export const contentColumns = ({ text, blocks, attachments, metadata }: Content) => ({
  text: text ?? "",
  blocks: blocks ?? null,
  attachments: attachments ?? null,
  metadata: metadata && Object.keys(metadata).length > 0 ? metadata : null,
});

/** The linker of names, if the call requests it: it costs a query. */
async function readLinker({ session, actor }: ChatCall, given: Given) {
  const groups = given.link_names === true || given.parse === "full";
  if (!groups || given.text === undefined) return undefined;
  const { handles, channels } = findLinkable(given.text);
  const found = await findLinks(session, actor, {
    handles,
    channels: given.parse === "full" ? channels : [],
  });
  return linker(found.groups, found.channels);
}

const blockErrors = (problems: readonly Problem[]) =>
  problems.map(({ what, pointer }) => `${what} [json-pointer:${pointer}]`);

export function readBlocks(sourced: Sourced, blocks: unknown): Item[] | undefined {
  if (blocks === undefined || blocks === null) return undefined;
  if (!Array.isArray(blocks)) throw new ChatError("invalid_blocks_format");
  const problems = findBlockProblems(blocks);
  if (problems.length === 0) return toStoredBlocks(sourced, blocks);
  const errors = blockErrors(problems);
  throw new ChatError("invalid_blocks", {
    errors,
    response_metadata: { messages: errors.map((error) => `[ERROR] ${error}`) },
  });
}

function readAttachments(sourced: Sourced, attachments: unknown): Item[] | undefined {
  if (attachments === undefined || attachments === null) return undefined;
  const items = Array.isArray(attachments) ? attachments : [attachments];
  if (!items.every(isObject)) throw new ChatError("invalid_attachments");
  if (items.length > ATTACHMENTS_MAX) throw new ChatError("too_many_attachments");
  return items.map((item: Item, index) => {
    const blocks = readBlocks(sourced, item["blocks"]);
    return { id: index + 1, ...item, ...(blocks ? { blocks } : {}) };
  });
}

/** Checks the content that several calls have added to a message. Throws the service's codes if there is too much. */
export function requireShort({ blocks = [], attachments = [] }: Gathered): void {
  requireRoom(blocks, "msg_blocks_too_long", GATHERED_MAX);
  if (attachments.length > ATTACHMENTS_MAX) throw new ChatError("too_many_attachments");
  requireRoom(attachments, "attachment_payload_limit_exceeded", GATHERED_MAX);
}
type Gathered = { readonly blocks?: readonly Item[]; readonly attachments?: readonly Item[] };

export function readMetadata(metadata: unknown): Item | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  if (!isObject(metadata)) throw new ChatError("invalid_metadata_format");
  const item = metadata as Item;
  if (Object.keys(item).length === 0) return {};
  const { event_type: type, event_payload: payload, entities } = item;
  const isEvent = typeof type === "string" && type !== "" && isObject(payload);
  if (!isEvent && !Array.isArray(entities)) throw new ChatError("invalid_metadata_format");
  if (Buffer.byteLength(JSON.stringify(metadata)) > METADATA_BYTES_MAX)
    throw new ChatError("metadata_too_large");
  return {
    ...(isEvent ? { event_type: type, event_payload: payload } : {}),
    ...(entities === undefined ? {} : { entities }),
  };
}

/** The columns of a message that is posted under another name or picture. */
export function readAuthor(given: { username?: string; icon_emoji?: string; icon_url?: string }) {
  const { username = null, icon_emoji: emoji, icon_url: url } = given;
  const icons = { ...(emoji ? { emoji } : {}), ...(url ? { image_48: url } : {}) };
  const hasIcons = Object.keys(icons).length > 0;
  return {
    subtype: username !== null || hasIcons ? "bot_message" : null,
    username,
    icons: hasIcons ? icons : null,
  };
}
