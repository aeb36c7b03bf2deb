/** Streams: messages that arrive in chunks of text, blocks and the tasks of a plan. */

import { toStoredBlocks } from "~/replicas/chat/blocks";
import { MARKDOWN_TEXT, MESSAGE_TEXT, readBlocks, requireShort } from "~/replicas/chat/compose";
import { ChatError } from "~/replicas/chat/errors";
import type { Json } from "~/replicas/chat/store/json";
import { markdownToMrkdwn, normalizeText } from "~/replicas/chat/text";
import type { Sourced } from "~/source";

export type Chunk = Readonly<Record<string, unknown>> & { readonly type: string };
export type Streamed = { readonly text: string; readonly blocks: readonly Json[] };

const CHUNKS_MAX = 100;
const BLOCKS_MAX = 50;
const LABEL_MAX = 255;
const STATUSES: readonly unknown[] = ["pending", "in_progress", "complete", "error"];

const isLabel = (value: unknown) =>
  typeof value === "string" && value !== "" && value.length <= LABEL_MAX;
const isNote = (value: unknown) =>
  value === undefined ||
  value === null ||
  (typeof value === "string" && value.length <= MARKDOWN_TEXT.max);

const VALID: Readonly<Record<string, (chunk: Json) => boolean>> = {
  markdown_text: ({ text }) => typeof text === "string" && text.length <= MARKDOWN_TEXT.max,
  plan_update: ({ title }) => isLabel(title),
  task_update: ({ id, title, status, details, output }) =>
    isLabel(id) && isLabel(title) && STATUSES.includes(status) && isNote(details) && isNote(output),
  blocks: ({ blocks }) => Array.isArray(blocks),
};

const isChunk = (chunk: unknown): chunk is Chunk => {
  const type = (chunk as Json | null)?.["type"];
  return typeof type === "string" && (VALID[type]?.(chunk as Json) ?? false);
};

/** The chunks that a call adds to a stream; undefined when there are none. Throws `invalid_chunks`. */
export function readChunks(given: {
  chunks?: unknown;
  markdown_text?: string;
}): readonly Chunk[] | undefined {
  const { chunks, markdown_text: markdown } = given;
  const text = markdown ? [{ type: "markdown_text", text: markdown }] : [];
  if (chunks === undefined) return markdown === undefined ? undefined : text;
  if (!Array.isArray(chunks) || chunks.length > CHUNKS_MAX || !chunks.every(isChunk))
    throw new ChatError("invalid_chunks");
  return [...text, ...chunks];
}

const paragraph = (text: unknown) => ({
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }],
});

function taskCard({ id, title, status, details, output, sources }: Chunk): Json {
  return {
    type: "task_card",
    task_id: id,
    title,
    status,
    ...(details ? { details: paragraph(details) } : {}),
    ...(output ? { output: paragraph(output) } : {}),
    ...(Array.isArray(sources) ? { sources } : {}),
  };
}

/** Streamed Markdown in the stored form of messages. Markup may begin in one chunk and end in another. */
export const finishText = (text: string) => normalizeText(markdownToMrkdwn(text));

/** A stream with these chunks appended. A task that it already has is updated in place. */
export function appendChunks(
  sourced: Sourced,
  stream: Streamed,
  chunks: readonly Chunk[],
): Streamed {
  let { text } = stream;
  const blocks = [...stream.blocks];
  const put = (fresh: Json, isSame: (block: Json) => boolean) => {
    const place = blocks.findIndex(isSame);
    const [known] = place < 0 ? [] : blocks.slice(place);
    const [block] = toStoredBlocks(sourced, [{ ...fresh, block_id: known?.["block_id"] }]);
    blocks.splice(place < 0 ? blocks.length : place, 1, { ...known, ...block });
  };
  for (const chunk of chunks)
    switch (chunk.type) {
      case "markdown_text":
        text += String(chunk["text"]);
        break;
      case "plan_update":
        put({ type: "plan", title: chunk["title"] }, ({ type }) => type === "plan");
        break;
      case "task_update":
        put(taskCard(chunk), ({ task_id: id }) => id === chunk["id"]);
        break;
      default:
        blocks.push(...(readBlocks(sourced, chunk["blocks"]) ?? []));
    }
  if (text.length > MESSAGE_TEXT.max) throw new ChatError("msg_too_long");
  if (blocks.length > BLOCKS_MAX) throw new ChatError("msg_blocks_too_many");
  requireShort({ blocks });
  return { text, blocks };
}
