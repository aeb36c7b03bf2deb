import { Type } from "@sinclair/typebox";
import type { Media } from "~/replicas/kit/rest-body";
import { created, format, formatOf } from "~/replicas/mail/api/messages";
import {
  createDraft,
  removeDraft,
  requireDraft,
  type Stored,
  sendDraft,
  updateDraft,
} from "~/replicas/mail/drafts";
import { invalid } from "~/replicas/mail/errors";
import { answersOf, type MailCall, NO_CONTENT, operation } from "~/replicas/mail/operation";
import { messageView } from "~/replicas/mail/payload";
import { rawOf } from "~/replicas/mail/raw-argument";
import { QUERY } from "~/replicas/mail/search/arguments";
import { type Search, searchMail } from "~/replicas/mail/search/search";
import { listDraftsOf } from "~/replicas/mail/store/drafts";
import { Draft, DraftBody, DraftList, Message } from "~/replicas/mail/views";

const id = Type.String({ description: "Of the draft", examples: ["r-7276130"] });

type Body = { readonly message?: { readonly raw?: string; readonly threadId?: string } };

const contentOf = ({ message = {} }: Body, media: Media | undefined) => ({
  raw: rawOf(message, media, "draft.message.raw"),
  threadId: message.threadId,
});

const shown = ({ id: of, message }: Stored) => ({ id: of, message: created(message) });

/** A page of drafts, newest first. */
export async function searchDrafts(call: MailCall, query: Search) {
  const { entries, ...page } = await searchMail(call, { ...query, labelIds: ["DRAFT"] });
  const ids = entries.map((entry) => entry.id);
  const rows = await listDraftsOf(call.session, call.mailbox, ids);
  const byMessage = new Map(rows.map((row) => [row.messageId, row.id]));
  const drafts = entries.flatMap((message) => {
    const draft = byMessage.get(message.id);
    return draft === undefined ? [] : [{ id: draft, message }];
  });
  return { drafts, page };
}

export const drafts = [
  operation("drafts.list", "GET", "drafts", {
    summary: "List drafts",
    description: "Pages of ids, newest first.",
    query: QUERY,
    answers: answersOf(DraftList),
    async handle({ query }, call) {
      const { drafts: found, page } = await searchDrafts(call, query);
      return { ...(found.length > 0 && { drafts: found }), ...page };
    },
  }),
  operation("drafts.get", "GET", "drafts/{id}", {
    summary: "Show a draft",
    description: "With its message, in one of four formats.",
    path: { id },
    query: { format },
    answers: answersOf(Draft),
    async handle({ path, query }, call) {
      const wanted = formatOf(query.format);
      const withRaw = wanted !== "minimal";
      const { draft, message } = await requireDraft(call, path.id, { withRaw });
      return { id: draft.id, message: await messageView(message, wanted) };
    },
  }),
  operation("drafts.create", "POST", "drafts", {
    summary: "Create a draft",
    description: "It needs no recipients.",
    body: DraftBody,
    media: ["*"],
    answers: answersOf(Draft),
    async handle({ body, media }, call) {
      return shown(await createDraft(call, contentOf(body, media)));
    },
  }),
  operation("drafts.update", "PUT", "drafts/{id}", {
    summary: "Replace the message of a draft",
    description: "The message gets another id; the draft keeps its own.",
    path: { id },
    body: DraftBody,
    media: ["*"],
    answers: answersOf(Draft),
    async handle({ path, body, media }, call) {
      return shown(await updateDraft(call, path.id, contentOf(body, media)));
    },
  }),
  operation("drafts.delete", "DELETE", "drafts/{id}", {
    summary: "Delete a draft",
    description: "Permanently, with its message.",
    path: { id },
    answers: NO_CONTENT,
    handle: ({ path }, call) => removeDraft(call, path.id),
  }),
  operation("drafts.send", "POST", "drafts/send", {
    summary: "Send a draft",
    description: "As it is, or with the message of the call. The draft is deleted.",
    body: DraftBody,
    media: ["*"],
    answers: answersOf(Message),
    async handle({ body, media }, call) {
      if (body.id === undefined) throw invalid("Missing draft id");
      const content = media || body.message?.raw !== undefined ? contentOf(body, media) : undefined;
      return created(await sendDraft(call, body.id, content));
    },
  }),
];
