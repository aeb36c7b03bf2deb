/** Tools for canvases and files. */

import { createHash } from "node:crypto";
import { requireCanvas, writeCanvas } from "~/replicas/chat/api/canvases";
import { CONTENT_MAX } from "~/replicas/chat/arguments";
import {
  type Change,
  newSectionId,
  type Section,
  sectionId,
  toMarkdown,
} from "~/replicas/chat/canvas";
import { ChatError } from "~/replicas/chat/errors";
import { runMethod } from "~/replicas/chat/mcp/run";
import { type Arguments, atomically, type Tools, withCodes } from "~/replicas/chat/mcp/tool";
import type { ChatCall } from "~/replicas/chat/method";
import { requireFile } from "~/replicas/chat/require";
import type { CanvasRow } from "~/replicas/chat/store/canvases";
import { findContent, findPlainText } from "~/replicas/chat/store/contents";
import { findTeam } from "~/replicas/chat/store/team";
import { findUsers } from "~/replicas/chat/store/users";
import type { Sourced } from "~/source";

const FILE_BYTES_MAX = 10 * 1024 * 1024;
const TITLE_BYTES_MAX = 255;
const EDITS_MAX = 100;

const hash = (text: string) => createHash("md5").update(text).digest("hex");

/** The title is the first section. Its id changes with the title. */
const titleId = ({ id, title }: CanvasRow) => sectionId(hash(`${id} ${title}`));

const PERSON = /^\(@([A-Z0-9]+)\)/;

/** The people that a text mentions, as canvases do: `![](@U02JOHNADOE)`. Linear in the text, whatever it contains. */
export function peopleIn(markdown: string): string[] {
  const parts = markdown.split("]");
  return parts.flatMap((part, index) => {
    const id = part.includes("![") ? PERSON.exec(parts[index + 1] ?? "")?.[1] : undefined;
    return id === undefined ? [] : [id];
  });
}

async function requirePeople({ session }: ChatCall, markdown: string): Promise<void> {
  if (markdown.length > CONTENT_MAX) throw new ChatError("canvas_creation_failed");
  const ids = peopleIn(markdown);
  const found = await findUsers(session, ids);
  if (ids.some((id) => !found.has(id))) throw new ChatError("user_not_found");
}

const withTitle = (title: string, sections: readonly Section[]) =>
  [`# ${title}`, toMarkdown(sections)].filter(Boolean).join("\n\n");

async function addressOf(call: ChatCall, id: string) {
  const { id: team, url } = await findTeam(call.session);
  return { canvas_id: id, canvas_url: `${url}docs/${team}/${id}` };
}

type Edit = {
  readonly edit_type: "append" | "prepend" | "replace" | "delete";
  readonly section_id?: string;
  readonly content?: string;
};

/** The edits of either form of the call. */
function readEdits({ sections, action, content, section_id: id }: Arguments): readonly Edit[] {
  if (sections !== undefined && action !== undefined) throw new ChatError("invalid_arguments");
  const edits: readonly Edit[] = sections ?? [
    { edit_type: action, content, ...(id === undefined ? {} : { section_id: id }) },
  ];
  const isWhole = ({ edit_type: type, section_id: section, content: text }: Edit) =>
    type === "delete" ? section !== undefined : type !== undefined && text !== undefined;
  if (edits.length === 0 || edits.length > EDITS_MAX || !edits.every(isWhole))
    throw new ChatError("invalid_arguments");
  return edits;
}

const OPERATIONS = {
  append: ["insert_at_end", "insert_after"],
  prepend: ["insert_at_start", "insert_before"],
  replace: ["replace", "replace"],
  delete: ["delete", "delete"],
} as const;

function toChange(edit: Edit, canvas: CanvasRow): Change {
  const { edit_type: type, section_id: id, content = "" } = edit;
  if (content.length > CONTENT_MAX) throw new ChatError("canvas_editing_failed");
  if (id === titleId(canvas)) return titleChange(edit);
  if (id !== undefined && !canvas.sections.some((section) => section.id === id))
    throw new ChatError("section_not_found");
  const [anywhere, beside] = OPERATIONS[type];
  return id === undefined
    ? { operation: anywhere, markdown: content }
    : { operation: beside, section_id: id, markdown: content };
}

/** An edit of the first section: replacing it renames the canvas, and what follows it comes first. */
function titleChange({ edit_type: type, content = "" }: Edit): Change {
  if (type === "append") return { operation: "insert_at_start", markdown: content };
  const title = content.trim().replace(/^#\s+/, "");
  const isTitle =
    title !== "" && !title.includes("\n") && Buffer.byteLength(title) <= TITLE_BYTES_MAX;
  if (type !== "replace" || !isTitle) throw new ChatError("invalid_arguments");
  return { operation: "rename", markdown: title };
}

const withNewIds = (sourced: Sourced) => (sections: readonly Section[]) =>
  sections.map((section) => ({ ...section, id: newSectionId(sourced) }));

async function contentOf(call: ChatCall, id: string, isCanvas: boolean): Promise<object> {
  const suffix = hash(id).slice(0, 8);
  const tagged = (text: string) => ({
    content: `<file_content_${suffix}>\n${text}\n</file_content_${suffix}>`,
  });
  if (isCanvas) {
    const { title, sections } = await requireCanvas(call, id, "read", "file_deleted");
    return tagged(withTitle(title, sections));
  }
  const text = await findPlainText(call.session, id);
  if (text !== undefined) return tagged(text);
  const stored = await findContent(call.session, id);
  return { content_base64: Buffer.from(stored?.content ?? []).toString("base64") };
}

export const documents: Tools = {
  slack_create_canvas: ({ title, content }, call) =>
    withCodes(
      {
        canvas_creation_failed: "invalid_rich_text_content",
        restricted_action: "permission_denied",
      },
      async () => {
        await requirePeople(call, content);
        const { canvas_id: id } = await runMethod(call, "canvases.create", {
          title,
          document_content: { type: "markdown", markdown: content },
        });
        return await addressOf(call, String(id));
      },
    ),

  slack_update_canvas: (args, call) =>
    withCodes(
      {
        canvas_editing_failed: "invalid_rich_text_content",
        restricted_action: "permission_denied",
      },
      () =>
        atomically(call, async (inside) => {
          const id = args["canvas_id"];
          const edits = readEdits(args);
          const canvas = await requireCanvas(inside, id, "write");
          const changes = edits.map((edit) => toChange(edit, canvas));
          await writeCanvas(inside, id, changes, withNewIds(call.session));
          return await addressOf(inside, id);
        }),
    ),

  async slack_read_canvas({ canvas_id: id }, call) {
    const canvas = await requireCanvas(call, id, "read");
    const { title, sections } = canvas;
    const entries = [
      [titleId(canvas), `# ${title}`],
      ...sections.map((section) => [section.id, section.markdown]),
    ];
    return {
      canvas_id: id,
      markdown_content: withTitle(title, sections),
      section_id_mapping: Object.fromEntries(entries),
    };
  },

  async slack_read_file({ file_id: id }, call) {
    const { mode, size, name, mimetype } = await requireFile(call, id, { deleted: "file_deleted" });
    if (size > FILE_BYTES_MAX) throw new ChatError("file_too_large");
    return { file_id: id, name, mimetype, ...(await contentOf(call, id, mode === "quip")) };
  },
};
