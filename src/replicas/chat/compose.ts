/** What the posting methods share: content as the client gave it → content as it is stored. */
import { Choice, Flag, Json, Maybe, Text } from "~/replicas/chat/arguments";
import { findBlockProblems, withBlockIds } from "~/replicas/chat/blocks";
import { ChatError } from "~/replicas/chat/errors";
import { normalizeText } from "~/replicas/chat/text";

type Item = Record<string, unknown>;

export const TEXT_MAX = 40_000;
const MARKDOWN_MAX = 12_000;
const ATTACHMENTS_MAX = 100;
const METADATA_BYTES_MAX = 16 * 1024;

/** The arguments that say what a message holds. */
export const CONTENT_ARGS = {
  text: Maybe(Text("Text of the message, in mrkdwn. With blocks: what notifications show.")),
  blocks: Maybe(Json<unknown>("invalid_blocks_format", "Blocks of Block Kit.")),
  attachments: Maybe(Json<unknown>("invalid_attachments", "Secondary attachments.")),
  markdown_text: Maybe(Text("Text in Markdown; instead of text and blocks.")),
  parse: Maybe(Choice("full", "none")),
  link_names: Maybe(Flag("Link the handles of user groups.")),
};

export const METADATA_ARG = {
  metadata: Maybe(Json<unknown>("invalid_metadata_format", "An event type and its payload.")),
};

type Given = {
  readonly text?: string;
  readonly blocks?: unknown;
  readonly attachments?: unknown;
  readonly markdown_text?: string;
  readonly metadata?: unknown;
};

export type Content = {
  readonly text: string | undefined;
  readonly blocks: Item[] | undefined;
  readonly attachments: Item[] | undefined;
  readonly metadata: Item | undefined;
};

/** Validates content and brings it into its stored form. Throws the service's codes; does not ask for any content. */
export function readContent(given: Given): Content {
  const { text, markdown_text: markdown } = given;
  const blocks = readBlocks(given.blocks);
  const attachments = readAttachments(given.attachments);
  if (markdown !== undefined && (text !== undefined || blocks !== undefined))
    throw new ChatError("markdown_text_conflict");
  if (markdown !== undefined && markdown.length > MARKDOWN_MAX) throw new ChatError("msg_too_long");
  const plain = markdown ?? text;
  if (plain !== undefined && plain.length > TEXT_MAX) throw new ChatError("msg_too_long");
  return {
    text: plain === undefined ? undefined : normalizeText(plain),
    blocks,
    attachments,
    metadata: readMetadata(given.metadata),
  };
}

/** True when there is something to post. */
export const hasContent = ({ text, blocks, attachments }: Content) =>
  Boolean(text?.trim()) || Boolean(blocks?.length) || Boolean(attachments?.length);

export function readBlocks(blocks: unknown): Item[] | undefined {
  if (blocks === undefined || blocks === null) return undefined;
  if (!Array.isArray(blocks)) throw new ChatError("invalid_blocks_format");
  const problems = findBlockProblems(blocks);
  if (problems.length === 0) return withBlockIds(blocks);
  const errors = problems.map(({ what, pointer }) => `${what} [json-pointer:${pointer}]`);
  throw new ChatError("invalid_blocks", {
    errors,
    response_metadata: { messages: errors.map((error) => `[ERROR] ${error}`) },
  });
}

function readAttachments(attachments: unknown): Item[] | undefined {
  if (attachments === undefined || attachments === null) return undefined;
  const items = Array.isArray(attachments) ? attachments : [attachments];
  if (!items.every((item) => typeof item === "object" && item !== null && !Array.isArray(item)))
    throw new ChatError("invalid_attachments");
  if (items.length > ATTACHMENTS_MAX) throw new ChatError("too_many_attachments");
  return items.map((item: Item, index) => {
    if (item["blocks"] !== undefined) readBlocks(item["blocks"]);
    return { id: index + 1, ...item };
  });
}

function readMetadata(metadata: unknown): Item | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  const item = metadata as Item;
  const isEmpty =
    typeof item === "object" && !Array.isArray(item) && Object.keys(item).length === 0;
  if (isEmpty) return {};
  const { event_type: type, event_payload: payload } = item;
  if (typeof type !== "string" || type === "" || typeof payload !== "object" || payload === null)
    throw new ChatError("invalid_metadata_format");
  if (Buffer.byteLength(JSON.stringify(metadata)) > METADATA_BYTES_MAX)
    throw new ChatError("metadata_too_large");
  return { event_type: type, event_payload: payload };
}
