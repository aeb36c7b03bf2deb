import { ENTITY_ARGS, grantAccess, LEVEL_ARG, revokeAccess } from "~/replicas/chat/access";
import { COLUMN_MAX, CONTENT_MAX, Json, Maybe, requireRoom, Text } from "~/replicas/chat/arguments";
import {
  applyChange,
  type Change,
  findSections,
  isSectionType,
  newSectionId,
  type Section,
  toMarkdown,
  toSections,
} from "~/replicas/chat/canvas";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import { type ChatCall, method } from "~/replicas/chat/method";
import { requireChannel, requireFullMember, requireMembership } from "~/replicas/chat/require";
import {
  findCanvas,
  insertCanvas,
  lockCanvas,
  renameCanvas,
  updateSections,
} from "~/replicas/chat/store/canvases";
import { buryFile } from "~/replicas/chat/store/files";

/** Room for Markdown of CONTENT_MAX, escaped as JSON. */
const DOCUMENT = { max: COLUMN_MAX };
const TITLE_MAX = 255;
const CHANGES_MAX = 1;
const LEVELS = ["read", "write", "owner"];

const sizeOf = (sections: readonly Section[]) => Buffer.byteLength(toMarkdown(sections));

/** The Markdown of a `document_content`. Throws `code` when it is malformed. */
function readMarkdown(content: unknown, code: string): string {
  if (content === undefined || content === null) return "";
  const { type, markdown } = content as { type?: unknown; markdown?: unknown };
  if (type !== "markdown" || typeof markdown !== "string" || markdown.length > CONTENT_MAX)
    throw new ChatError(code);
  return markdown;
}

/** A canvas that the caller may read, write or own. Without read access it does not exist. */
export async function requireCanvas(
  { session, actor }: ChatCall,
  id: string,
  level: "read" | "write" | "owner",
  deleted = "canvas_not_found",
) {
  const canvas = await findCanvas(session, actor, id);
  if (canvas?.is_deleted) throw new ChatError(deleted);
  if (!canvas?.access) throw new ChatError("canvas_not_found");
  if (LEVELS.indexOf(canvas.access) < LEVELS.indexOf(level))
    throw new ChatError("restricted_action");
  return canvas;
}

async function createCanvas(
  call: ChatCall,
  given: { title?: string; document_content?: unknown },
  channel: string | null,
): Promise<string> {
  const markdown = readMarkdown(given.document_content, "canvas_creation_failed");
  const sections = toSections(markdown, () => newSectionId(call.session));
  requireRoom(sections, "canvas_creation_failed");
  const title = given.title || "Untitled";
  if (title.length > TITLE_MAX) throw new ChatError("canvas_creation_failed");
  const id = newId(call.session, "F");
  const canvas = { id, user: call.actor, title, channel, sections, size: sizeOf(sections) };
  if (!(await call.session.transaction((session) => insertCanvas(session, canvas))))
    throw new ChatError("channel_canvas_already_exists");
  return id;
}

/**
 * Makes changes to a canvas that the caller may write, in order, and returns its sections. Throws
 * `canvas_editing_failed`. `renew`: what is stored of the changed sections.
 */
export async function writeCanvas(
  call: ChatCall,
  id: string,
  changes: readonly Change[],
  renew: (sections: readonly Section[]) => readonly Section[] = (sections) => sections,
) {
  return await call.session.transaction(async (session) => {
    await lockCanvas(session, id);
    const canvas = await requireCanvas({ ...call, session }, id, "write");
    let sections: readonly Section[] | undefined = canvas.sections;
    for (const change of changes) {
      if (change.operation === "rename") {
        if (change.markdown === "" || change.markdown.length > TITLE_MAX) throw failed();
        await renameCanvas(session, id, change.markdown);
      } else sections = applyChange(session, sections, change);
      if (!sections) throw failed();
    }
    if (sections === canvas.sections) return sections;
    const stored = renew(sections);
    if (sizeOf(stored) > CONTENT_MAX) throw failed();
    requireRoom(stored, "canvas_editing_failed");
    await updateSections(session, id, {
      sections: stored,
      size: sizeOf(stored),
      user: call.actor,
    });
    return stored;
  });
}

const CONTENT_ARGS = {
  title: Maybe(Text()),
  document_content: Maybe(
    Json<unknown>("canvas_creation_failed", "Type markdown, and markdown.", DOCUMENT),
  ),
};

const OPERATIONS =
  "insert_at_start insert_at_end insert_before insert_after replace delete rename".split(" ");
const failed = () => new ChatError("canvas_editing_failed");

function readChange(changes: unknown) {
  if (!Array.isArray(changes) || changes.length === 0)
    throw invalidArguments("must be a valid array of changes [json-pointer:/changes]");
  if (changes.length > CHANGES_MAX) throw failed();
  const change = (changes[0] ?? {}) as Record<string, unknown>;
  const {
    operation,
    section_id: section,
    document_content: content,
    title_content: title,
  } = change;
  if (typeof operation !== "string" || !OPERATIONS.includes(operation)) throw failed();
  if (section !== undefined && typeof section !== "string") throw failed();
  const isNeeded = operation !== "delete" && operation !== "rename";
  if (isNeeded && content === undefined) throw failed();
  const isTitle = operation === "rename";
  return {
    operation,
    ...(section === undefined ? {} : { section_id: section }),
    markdown: readMarkdown(isTitle ? (title ?? content) : content, "canvas_editing_failed"),
  };
}

function readCriteria(criteria: unknown) {
  const { section_types: types = [], contains_text: text } = (criteria ?? {}) as Record<
    string,
    unknown
  >;
  const isValid =
    Array.isArray(types) &&
    types.every((type) => typeof type === "string" && isSectionType(type)) &&
    (text === undefined || typeof text === "string");
  if (!isValid || (types.length === 0 && text === undefined))
    throw invalidArguments("must be valid criteria [json-pointer:/criteria]");
  return { types: types as string[], text: text as string | undefined };
}

export const canvases = [
  method("canvases.create", {
    tier: 2,
    summary: "Creates a canvas; with a channel, its members can write it.",
    args: { ...CONTENT_ARGS, channel_id: Maybe(Text()) },
    async handle({ channel_id: channel, ...given }, call) {
      await requireFullMember(call);
      if (channel) await requireMembership(call, channel, "restricted_action");
      return { canvas_id: await createCanvas(call, given, channel || null) };
    },
  }),

  method("conversations.canvases.create", {
    tier: 2,
    summary: "Creates the canvas of a channel. Each channel has one at most.",
    args: { channel_id: Text(), ...CONTENT_ARGS },
    async handle({ channel_id: channel, ...given }, call) {
      await requireFullMember(call);
      const { is_archived: isArchived } = await requireChannel(call, channel);
      if (isArchived) throw new ChatError("canvas_creation_failed");
      await requireMembership(call, channel, "restricted_action");
      return { canvas_id: await createCanvas(call, given, channel) };
    },
  }),

  method("canvases.edit", {
    tier: 2,
    summary: "Changes a canvas: its title, one section, or by inserting sections.",
    args: {
      canvas_id: Text(),
      changes: Json<unknown>("invalid_arguments", "One change.", DOCUMENT),
    },
    async handle({ canvas_id: id, changes }, call) {
      const change = readChange(changes);
      await writeCanvas(call, id, [change]);
      return {};
    },
  }),

  method("canvases.delete", {
    tier: 2,
    summary: "Deletes a canvas.",
    args: { canvas_id: Text() },
    async handle({ canvas_id: id }, call) {
      await requireCanvas(call, id, "owner");
      await buryFile(call.session, id);
      return {};
    },
  }),

  method("canvases.access.set", {
    tier: 2,
    summary: "Grants users or the members of channels access to a canvas.",
    args: { canvas_id: Text(), ...LEVEL_ARG, ...ENTITY_ARGS },
    async handle({ canvas_id: id, access_level: level, ...entities }, call) {
      await requireCanvas(call, id, "write");
      return await grantAccess(call, id, level, entities);
    },
  }),

  method("canvases.access.delete", {
    tier: 2,
    summary: "Revokes access to a canvas.",
    args: { canvas_id: Text(), ...ENTITY_ARGS },
    async handle({ canvas_id: id, ...entities }, call) {
      await requireCanvas(call, id, "write");
      return await revokeAccess(call, id, entities);
    },
  }),

  method("canvases.sections.lookup", {
    tier: 2,
    summary: "Finds the sections of a canvas by kind and text.",
    args: {
      canvas_id: Text(),
      criteria: Json<unknown>("invalid_arguments", "section_types and contains_text."),
    },
    async handle({ canvas_id: id, criteria }, call) {
      const { types, text } = readCriteria(criteria);
      const canvas = await requireCanvas(call, id, "read", "canvas_deleted");
      return {
        sections: findSections(canvas.sections, types, text).map((found) => ({ id: found.id })),
      };
    },
  }),
];
