/** Views as apps send them: home tabs and modals. */

import { isObject } from "~/input/json";
import { findBlockProblems, toStoredBlocks } from "~/replicas/chat/blocks";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import type { Json } from "~/replicas/chat/store/json";
import type { Sourced } from "~/source";

export const VIEW_BLOCKS_MAX = 100;
export const VIEW_BYTES_MAX = 250_000;
const TITLE_MAX = 24;
const METADATA_MAX = 3_000;
const ID_MAX = 255;

export type ViewContent = {
  readonly type: "home" | "modal" | "workflow_step";
  readonly callback_id: string;
  readonly external_id: string | null;
  readonly private_metadata: string;
  readonly title: Json | null;
  readonly submit: Json | null;
  readonly close: Json | null;
  readonly blocks: readonly Json[];
  readonly clear_on_close: boolean;
  readonly notify_on_close: boolean;
  readonly submit_disabled: boolean;
};

/** A valid view of one of these types. Throws `view_too_large`, or `invalid_arguments` with every mistake in it. */
export function readView(sourced: Sourced, given: unknown, types: readonly string[]): ViewContent {
  if (!isObject(given)) throw invalidArguments("must be a valid view [json-pointer:/view]");
  const view = given as Record<string, unknown>;
  if (Buffer.byteLength(JSON.stringify(view)) > VIEW_BYTES_MAX)
    throw new ChatError("view_too_large");
  const problems: string[] = [];
  const complain = (what: string, field: string) =>
    problems.push(`${what} [json-pointer:/view/${field}]`);

  if (!types.includes(view["type"] as string))
    complain(`must be one of: ${types.join(", ")}`, "type");
  const text = (field: string, max: number) => {
    const value = view[field] ?? "";
    if (typeof value !== "string") complain("must be a string", field);
    else if (value.length > max) complain(`must be less than ${max + 1} characters`, field);
    return String(value);
  };
  const label = (field: string): Json | null => {
    const value = view[field] as Json | null | undefined;
    if (value === undefined || value === null) return null;
    const { type, text: words } = value;
    if (type !== "plain_text" || typeof words !== "string" || words === "")
      complain("must be a plain_text object", field);
    else if (words.length > TITLE_MAX)
      complain(`must be less than ${TITLE_MAX + 1} characters`, field);
    return { emoji: true, ...value };
  };
  const title = label("title");
  if (view["type"] === "modal" && !title) complain("missing required field: title", "title");
  const blocks = view["blocks"];
  if (!Array.isArray(blocks)) complain("missing required field: blocks", "blocks");
  else
    for (const { what, pointer } of findBlockProblems(blocks, VIEW_BLOCKS_MAX))
      problems.push(`${what} [json-pointer:/view${pointer}]`);
  const content = {
    type: view["type"] as ViewContent["type"],
    callback_id: text("callback_id", ID_MAX),
    external_id: text("external_id", ID_MAX) || null,
    private_metadata: text("private_metadata", METADATA_MAX),
    title,
    submit: label("submit"),
    close: label("close"),
    clear_on_close: view["clear_on_close"] === true,
    notify_on_close: view["notify_on_close"] === true,
    submit_disabled: view["submit_disabled"] === true,
  };
  if (problems.length > 0) throw invalidArguments(...problems);
  return { ...content, blocks: toStoredBlocks(sourced, blocks as Json[]) };
}
