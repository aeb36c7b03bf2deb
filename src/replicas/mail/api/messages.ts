import { Type } from "@sinclair/typebox";
import { base64url } from "~/replicas/mail/base64";
import { post, requireMailbox, requireMessage } from "~/replicas/mail/calls";
import { sendMail } from "~/replicas/mail/delivery/sending";
import { changeLabels, removeMessages } from "~/replicas/mail/delivery/storing";
import { invalid, notFound } from "~/replicas/mail/errors";
import { partOfAttachment, readId } from "~/replicas/mail/ids";
import { importMail, insertMail } from "~/replicas/mail/imports";
import { type LabelChange, requireChange } from "~/replicas/mail/labels";
import { allParts, type Part, parseMail } from "~/replicas/mail/mime/parse";
import { answersOf, type MailCall, NO_CONTENT, operation } from "~/replicas/mail/operation";
import { messageView, minimalView } from "~/replicas/mail/payload";
import { rawOf } from "~/replicas/mail/raw-argument";
import { SEARCH } from "~/replicas/mail/search/arguments";
import { searchMail } from "~/replicas/mail/search/search";
import { listLabels } from "~/replicas/mail/store/labels";
import type { MessageRow } from "~/replicas/mail/store/messages";
import {
  AttachmentBody,
  BatchDeleteBody,
  BatchModifyBody,
  Message,
  MessageBody,
  MessageChangeBody,
  MessageList,
} from "~/replicas/mail/views";

const IDS_MAX = 1_000;
const CHANGES_MAX = 100;

export const id = Type.String({ description: "Of the message", examples: ["19b8d5a9c00003e9"] });
export const format = Type.Optional(
  Type.String({
    pattern: "^(?:full|metadata|minimal|raw|FULL|METADATA|MINIMAL|RAW)$",
    description:
      "The parts of a message to return: full, metadata, minimal or raw, in small or capital letters",
    default: "full",
  }),
);
export const metadataHeaders = Type.Optional(
  Type.Array(Type.String(), { description: "Headers to return with the format metadata" }),
);
const insertion = {
  deleted: Type.Optional(Type.Boolean({ description: "Ignored" })),
  internalDateSource: Type.Optional(
    Type.Union([Type.Literal("receivedTime"), Type.Literal("dateHeader")], {
      description: "The source of the message's date",
    }),
  ),
};

/** The answer to a client that has just sent or inserted a message. */
export const created = ({ id: of, threadId, labelIds }: MessageRow) => ({
  ...{ id: of, threadId },
  ...(labelIds.length > 0 && { labelIds }),
});

/** Throws unless the labels of a change exist. */
export async function checkChange(call: MailCall, change: LabelChange): Promise<void> {
  const lists = [change.addLabelIds ?? [], change.removeLabelIds ?? []];
  if (lists.some(({ length }) => length > CHANGES_MAX)) throw invalid("Too many label ids");
  requireChange(change, await listLabels(call.session, call.mailbox));
}

export const relabelMessage = (call: MailCall, of: string, change: LabelChange) =>
  post(call, async (posting) => {
    const [row] = await changeLabels(posting, call.mailbox, [readId(of)], change);
    if (!row) throw notFound();
    return minimalView(row);
  });

function idsOf(ids: readonly string[]): string[] {
  if (ids.length > IDS_MAX) throw invalid(`Too many ids: at most ${IDS_MAX}`);
  return ids.map((each) => readId(each, "Invalid ids value"));
}

export const messages = [
  operation("messages.list", "GET", "messages", {
    summary: "List messages",
    description: "Pages of ids, newest first.",
    query: SEARCH,
    answers: answersOf(MessageList),
    async handle({ query }, call) {
      const { entries, ...page } = await searchMail(call, query);
      return { ...(entries.length > 0 && { messages: entries }), ...page };
    },
  }),
  operation("messages.get", "GET", "messages/{id}", {
    summary: "Show a message",
    description: "One message, in one of four formats.",
    path: { id },
    query: { format, metadataHeaders },
    answers: answersOf(Message),
    async handle({ path, query }, call) {
      const wanted = formatOf(query.format);
      const row = await requireMessage(call, path.id, { withRaw: wanted !== "minimal" });
      return await messageView(row, wanted, query.metadataHeaders);
    },
  }),
  operation("messages.send", "POST", "messages/send", {
    summary: "Send a message",
    description: "Delivers it to every mailbox of the environment that it is for.",
    body: MessageBody,
    media: ["*"],
    answers: answersOf(Message),
    async handle({ body, media }, call) {
      const raw = rawOf(body, media);
      const sender = await requireMailbox(call);
      return created(
        await post(call, (posting) => sendMail(posting, sender, { raw, threadId: body.threadId })),
      );
    },
  }),
  operation("messages.insert", "POST", "messages", {
    summary: "Insert a message",
    description: "Puts it into the own mailbox without delivery.",
    query: insertion,
    body: MessageBody,
    media: ["*"],
    answers: answersOf(Message),
    handle: async ({ body, query, media }, call) =>
      created(await insertMail(call, rawOf(body, media), { ...body, ...query })),
  }),
  operation("messages.import", "POST", "messages/import", {
    summary: "Import a message",
    description: "Puts it into the own mailbox as if it had arrived.",
    query: {
      ...insertion,
      neverMarkSpam: Type.Optional(
        Type.Boolean({ description: "Ignored: no message is marked as spam" }),
      ),
      processForCalendar: Type.Optional(Type.Boolean({ description: "Ignored" })),
    },
    body: MessageBody,
    media: ["*"],
    answers: answersOf(Message),
    async handle({ body, query, media }, call) {
      const { id: of } = await importMail(call, rawOf(body, media), { ...body, ...query });
      return { id: of };
    },
  }),
  operation("messages.modify", "POST", "messages/{id}/modify", {
    summary: "Change the labels of a message",
    description: "A label that excludes another one removes it.",
    path: { id },
    body: MessageChangeBody,
    answers: answersOf(Message),
    async handle({ path, body }, call) {
      readId(path.id);
      await checkChange(call, body);
      return await relabelMessage(call, path.id, body);
    },
  }),
  operation("messages.batchModify", "POST", "messages/batchModify", {
    summary: "Change the labels of messages",
    description: "Unknown ids are skipped.",
    body: BatchModifyBody,
    answers: NO_CONTENT,
    async handle({ body: { ids, ...change } }, call) {
      const known = idsOf(ids);
      await checkChange(call, change);
      await post(call, (posting) => changeLabels(posting, call.mailbox, known, change));
    },
  }),
  operation("messages.batchDelete", "POST", "messages/batchDelete", {
    summary: "Delete messages",
    description: "Permanently. Unknown ids are skipped.",
    body: BatchDeleteBody,
    answers: NO_CONTENT,
    async handle({ body }, call) {
      const known = idsOf(body.ids);
      await post(call, (posting) => removeMessages(posting, call.mailbox, known));
    },
  }),
  operation("messages.trash", "POST", "messages/{id}/trash", {
    summary: "Move a message to the trash",
    description: "It keeps its other labels, apart from the inbox.",
    path: { id },
    answers: answersOf(Message),
    handle: ({ path }, call) => relabelMessage(call, path.id, { addLabelIds: ["TRASH"] }),
  }),
  operation("messages.untrash", "POST", "messages/{id}/untrash", {
    summary: "Take a message out of the trash",
    description: "It does not get the label of the inbox again.",
    path: { id },
    answers: answersOf(Message),
    handle: ({ path }, call) => relabelMessage(call, path.id, { removeLabelIds: ["TRASH"] }),
  }),
  operation("messages.delete", "DELETE", "messages/{id}", {
    summary: "Delete a message",
    description: "Permanently.",
    path: { id },
    answers: NO_CONTENT,
    async handle({ path }, call) {
      const known = readId(path.id);
      const removed = await post(call, (posting) => removeMessages(posting, call.mailbox, [known]));
      if (removed.length === 0) throw notFound();
    },
  }),
  operation("messages.attachments.get", "GET", "messages/{messageId}/attachments/{id}", {
    summary: "Show an attachment",
    description: "The content of a part that has a file name.",
    path: { messageId: id, id: Type.String({ description: "`attachmentId` of the part" }) },
    answers: answersOf(AttachmentBody),
    async handle({ path }, call) {
      const row = await requireMessage(call, path.messageId, { withRaw: true });
      const part = await attachedPart(row, path.id);
      return { size: part.bytes.byteLength, data: base64url(part.bytes) };
    },
  }),
];

/** Formats are written in any case. */
export function formatOf(text: string | undefined) {
  const name = (text ?? "full").toLowerCase();
  return name === "metadata" || name === "minimal" || name === "raw" ? name : "full";
}

/** The part of a message that an attachment id names. Throws for any other id. */
async function attachedPart(
  { id: messageId, raw = new Uint8Array() }: { readonly id: string; readonly raw?: Uint8Array },
  attachmentId: string,
): Promise<Part> {
  const partId = partOfAttachment(attachmentId, messageId);
  const part = allParts(await parseMail(raw)).find((each) => each.partId === partId);
  if (!part) throw invalid("Invalid attachment token");
  return part;
}
