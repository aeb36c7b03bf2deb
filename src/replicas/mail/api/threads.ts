import { Type } from "@sinclair/typebox";
import { checkChange, formatOf, metadataHeaders } from "~/replicas/mail/api/messages";
import { post } from "~/replicas/mail/calls";
import { changeLabels, removeMessages } from "~/replicas/mail/delivery/storing";
import { notFound } from "~/replicas/mail/errors";
import { readId } from "~/replicas/mail/ids";
import type { LabelChange } from "~/replicas/mail/labels";
import { answersOf, type MailCall, NO_CONTENT, operation } from "~/replicas/mail/operation";
import { type Format, messageView, minimalView } from "~/replicas/mail/payload";
import { viewsWithRaw } from "~/replicas/mail/raws";
import { SEARCH } from "~/replicas/mail/search/arguments";
import { searchMail } from "~/replicas/mail/search/search";
import {
  type ListedMessage,
  listThread,
  listThreadSummaries,
} from "~/replicas/mail/store/messages";
import { LabelChangeBody, Thread, ThreadList } from "~/replicas/mail/views";

const id = Type.String({ description: "Of the thread", examples: ["19b8d5a9c00003e9"] });
const format = Type.Optional(
  Type.String({
    pattern: "^(?:full|metadata|minimal|FULL|METADATA|MINIMAL)$",
    description:
      "The parts of messages to return: full, metadata or minimal, in small or capital letters",
    default: "full",
  }),
);

/** The messages of a thread, or the rejection. */
async function requireThread(
  { session, mailbox }: MailCall,
  threadId: string,
): Promise<ListedMessage[]> {
  const rows = await listThread(session, mailbox, readId(threadId));
  if (rows.length === 0) throw notFound();
  return rows;
}

const threadView = (rows: readonly ListedMessage[], messages: readonly object[]) => ({
  id: rows[0]?.threadId,
  historyId: `${Math.max(...rows.map(({ historyId }) => Number(historyId)))}`,
  messages,
});

const messageViews = async (
  call: MailCall,
  rows: readonly ListedMessage[],
  format: Format,
  headers?: readonly string[],
): Promise<object[]> =>
  format === "minimal"
    ? rows.map(minimalView)
    : await viewsWithRaw(call, rows, (row) => messageView(row, format, headers));

export const relabelThread = (call: MailCall, threadId: string, change: LabelChange) =>
  post(call, async (posting) => {
    const rows = await requireThread({ ...call, session: posting.session }, threadId);
    const changed = await changeLabels(
      posting,
      call.mailbox,
      rows.map((row) => row.id),
      change,
    );
    return threadView(changed, changed.map(minimalView));
  });

export const threads = [
  operation("threads.list", "GET", "threads", {
    summary: "List threads",
    description: "Threads with a message that fits, newest first.",
    query: SEARCH,
    answers: answersOf(ThreadList),
    async handle({ query }, call) {
      const { entries, ...page } = await searchMail(call, { ...query, byThread: true });
      const ids = entries.map(({ threadId }) => threadId);
      const rows = await listThreadSummaries(call.session, call.mailbox, ids);
      const byId = new Map(rows.map((row) => [row.id, row]));
      const listed = ids.flatMap((threadId) => byId.get(threadId) ?? []);
      return { ...(listed.length > 0 && { threads: listed }), ...page };
    },
  }),
  operation("threads.get", "GET", "threads/{id}", {
    summary: "Show a thread",
    description: "All messages of a thread, oldest first.",
    path: { id },
    query: { format, metadataHeaders },
    answers: answersOf(Thread),
    async handle({ path, query }, call) {
      const rows = await requireThread(call, path.id);
      const { metadataHeaders: headers } = query;
      return threadView(rows, await messageViews(call, rows, formatOf(query.format), headers));
    },
  }),
  operation("threads.modify", "POST", "threads/{id}/modify", {
    summary: "Change the labels of a thread",
    description: "Of every message that it has now.",
    path: { id },
    body: LabelChangeBody,
    answers: answersOf(Thread),
    async handle({ path, body }, call) {
      readId(path.id);
      await checkChange(call, body);
      return await relabelThread(call, path.id, body);
    },
  }),
  operation("threads.trash", "POST", "threads/{id}/trash", {
    summary: "Move a thread to the trash",
    description: "All of its messages.",
    path: { id },
    answers: answersOf(Thread),
    handle: ({ path }, call) => relabelThread(call, path.id, { addLabelIds: ["TRASH"] }),
  }),
  operation("threads.untrash", "POST", "threads/{id}/untrash", {
    summary: "Take a thread out of the trash",
    description: "All of its messages.",
    path: { id },
    answers: answersOf(Thread),
    handle: ({ path }, call) => relabelThread(call, path.id, { removeLabelIds: ["TRASH"] }),
  }),
  operation("threads.delete", "DELETE", "threads/{id}", {
    summary: "Delete a thread",
    description: "Permanently deletes all of its messages.",
    path: { id },
    answers: NO_CONTENT,
    async handle({ path }, call) {
      await post(call, async (posting) => {
        const rows = await requireThread({ ...call, session: posting.session }, path.id);
        await removeMessages(
          posting,
          call.mailbox,
          rows.map((row) => row.id),
        );
      });
    },
  }),
];
