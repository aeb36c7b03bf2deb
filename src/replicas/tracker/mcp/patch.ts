/** Edits of a text by anchors: each operation applies to the text that the one before it left. */

import type { Optional } from "~/replicas/tracker/change";
import { CONTENT_MAX } from "~/replicas/tracker/lengths";
import { invalid, Rejected, type Work } from "~/replicas/tracker/mcp/tool";
import { lockWorkspace } from "~/replicas/tracker/store/write";

export type Edit = {
  readonly op:
    | "replace"
    | "insert_before"
    | "insert_after"
    | "prepend"
    | "append"
    | "replace_range";
  readonly old_string?: string;
  readonly new_string?: string;
  readonly replace_all?: boolean;
  readonly anchor?: string;
  readonly text?: string;
  readonly from?: string;
  readonly to?: string;
};

/** The text of `field` after all edits. Throws Rejected when an anchor is missing or ambiguous, or the text too long. */
export function applyEdits(before: string, edits: readonly Edit[], field = "text"): string {
  return edits.reduce((text, edit, index) => {
    const name = `patch[${index}]`;
    // A few edits can multiply a short text to gigabytes, so the length is known before the text is built.
    if (edit.op === "replace" && edit.replace_all) return replaceAll(text, edit, name, field);
    return requireLength(applyEdit(text, edit, name), field);
  }, before);
}

function replaceAll(
  text: string,
  { old_string: old = "", new_string: replacement = "" }: Edit,
  name: string,
  field: string,
): string {
  const parts = text.split(old);
  const count = parts.length - 1;
  if (count === 0) throw new Rejected(`${name}: old_string not found`);
  const grown = text.length + count * (replacement.length - old.length);
  if (grown > CONTENT_MAX) throw tooLong(field);
  return parts.join(replacement);
}

function requireLength(text: string, field: string): string {
  if (text.length > CONTENT_MAX) throw tooLong(field);
  return text;
}

const tooLong = (field: string) =>
  invalid(`${field} must be shorter than or equal to ${CONTENT_MAX} characters`);

function applyEdit(text: string, edit: Edit, name: string): string {
  const added = edit.text ?? "";
  const replacement = edit.new_string ?? "";
  switch (edit.op) {
    case "prepend":
      return added + text;
    case "append":
      return text + added;
    case "insert_before":
    case "insert_after": {
      const anchor = edit.anchor ?? "";
      const start = only(text, anchor, `${name}: anchor`);
      const at = edit.op === "insert_before" ? start : start + anchor.length;
      return text.slice(0, at) + added + text.slice(at);
    }
    case "replace": {
      const old = edit.old_string ?? "";
      return splice(text, only(text, old, `${name}: old_string`), old.length, replacement);
    }
    case "replace_range": {
      const from = edit.from ?? "";
      const start = only(text, from, `${name}: from`);
      const rest = text.slice(start + from.length);
      const length = from.length + only(rest, edit.to ?? "", `${name}: to`);
      return splice(text, start, length, replacement);
    }
  }
}

const splice = (text: string, start: number, length: number, replacement: string) =>
  text.slice(0, start) + replacement + text.slice(start + length);

/** The position of a part that occurs exactly once. */
function only(text: string, part: string, name: string): number {
  const count = text.split(part).length - 1;
  if (count === 0) throw new Rejected(`${name} not found`);
  if (count > 1) throw new Rejected(`${name} matches ${count} times`);
  return text.indexOf(part);
}

/** A full text, or edits of the current one. */
type Revision = {
  readonly id?: Optional<string>;
  readonly patch?: readonly Edit[];
};

/**
 * The new text; undefined when it does not change. `lock` keeps other edits out until the end of the transaction, and
 * `read` returns the text then: no concurrent edit is lost.
 */
export async function revise(
  { context }: Work,
  { id, patch }: Revision,
  [field, text]: readonly [field: string, text: string | undefined],
  read: () => Promise<string | null | undefined>,
  lock: () => Promise<unknown> = () => lockWorkspace(context.session),
): Promise<string | undefined> {
  if (!patch) return text;
  if (id === undefined) throw new Rejected("patch can only be used when updating");
  if (text !== undefined) throw new Rejected(`provide either ${field} or patch, not both`);
  await lock();
  context.read.clear();
  return applyEdits((await read()) ?? "", patch, field);
}
