import { Type } from "@sinclair/typebox";
import { checkChange, formatOf, metadataHeaders } from "~/replicas/mail/api/messages";
import { post } from "~/replicas/mail/calls";
import { changeLabels, removeMessages } from "~/replicas/mail/delivery/storing";
import { notFound } from "~/replicas/mail/errors";
import { readId } from "~/replicas/mail/ids";
import type { LabelChange } from "~/replicas/mail/labels";
import { answersOf, type MailCall, NO_CONTENT, operation } from "~/replicas/mail/operation";
import { type Format, messageView, minimalView } from "~/replicas/mail/payload";
import { SEARCH } from "~/replicas/mail/search/arguments";
import { searchMail } from "~/replicas/mail/search/search";
import { type ListedMessage, listThreads } from "~/replicas/mail/store/messages";
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
export async function requireThread(
  { session, mailbox }: Pick<MailCall, "session" | "mailbox">,
  threadId: string,
  { withRaw }: { readonly withRaw: boolean },
): Promise<ListedMessage[]> {
  const rows = await listThreads(session, mailbox, [readId(threadId)], { withRaw });
  if (rows.length === 0) throw notFound();
  return rows;
}

const lastChange = (rows: readonly ListedMessage[]) =>
  `${Math.max(...rows.map(({ historyId }) => Number(historyId)))}`;

async function threadView(
  rows: readonly ListedMessage[],
  wanted: Format,
  headers?: readonly string[],
) {
  const [first] = rows;
  return {
    id: first?.threadId,
    historyId: lastChange(rows),
    messages: await Promise.all(rows.map((row) => messageView(row, wanted, headers))),
  };
}

const relabel = (call: MailCall, threadId: string, change: LabelChange) =>
  post(call, async (posting) => {
    const inside = { session: posting.session, mailbox: call.mailbox };
    const rows = await requireThread(inside, threadId, { withRaw: false });
    const changed = await changeLabels(
      posting,
      call.mailbox,
      rows.map((row) => row.id),
      change,
    );
    return { ...(await threadView(changed, "minimal")), messages: changed.map(minimalView) };
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
      const rows = await listThreads(call.session, call.mailbox, ids, { withRaw: false });
      const byThread = Map.groupBy(rows, ({ threadId }) => threadId);
      const listed = ids.map((threadId) => {
        const all = byThread.get(threadId) ?? [];
        return { id: threadId, snippet: all.at(-1)?.snippet ?? "", historyId: lastChange(all) };
      });
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
      const wanted = formatOf(query.format);
      const rows = await requireThread(call, path.id, { withRaw: wanted !== "minimal" });
      return await threadView(rows, wanted, query.metadataHeaders);
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
      return await relabel(call, path.id, body);
    },
  }),
  operation("threads.trash", "POST", "threads/{id}/trash", {
    summary: "Move a thread to the trash",
    description: "All of its messages.",
    path: { id },
    answers: answersOf(Thread),
    handle: ({ path }, call) => relabel(call, path.id, { addLabelIds: ["TRASH"] }),
  }),
  operation("threads.untrash", "POST", "threads/{id}/untrash", {
    summary: "Take a thread out of the trash",
    description: "All of its messages.",
    path: { id },
    answers: answersOf(Thread),
    handle: ({ path }, call) => relabel(call, path.id, { removeLabelIds: ["TRASH"] }),
  }),
  operation("threads.delete", "DELETE", "threads/{id}", {
    summary: "Delete a thread",
    description: "All of its messages, for good.",
    path: { id },
    answers: NO_CONTENT,
    async handle({ path }, call) {
      await post(call, async (posting) => {
        const inside = { session: posting.session, mailbox: call.mailbox };
        const rows = await requireThread(inside, path.id, { withRaw: false });
        await removeMessages(
          posting,
          call.mailbox,
          rows.map((row) => row.id),
        );
      });
    },
  }),
];
