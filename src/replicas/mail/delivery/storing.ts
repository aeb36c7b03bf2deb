/** Stores messages, changes their labels and deletes them, with a history record of each change. */
import type { Content } from "~/replicas/mail/delivery/content";
import { changedLabels, type LabelChange } from "~/replicas/mail/labels";
import type { Posting } from "~/replicas/mail/operation";
import { deleteDraftsOf } from "~/replicas/mail/store/drafts";
import { type HistoryRecord, insertHistory } from "~/replicas/mail/store/history";
import {
  deleteMessages,
  insertMessage,
  type ListedMessage,
  lockMessages,
  type MessageRow,
  updateLabels,
} from "~/replicas/mail/store/messages";

type NewMessage = {
  readonly mailbox: string;
  readonly content: Content;
  readonly labelIds: readonly string[];
  /** In milliseconds. */
  readonly internalDate: number;
  /** Undefined: it begins a thread. */
  readonly threadId: string | undefined;
  /** The service creates it because of a call: a delivered copy, or an automatic reply. */
  readonly isDelivered?: boolean;
};

export async function storeMessage(
  posting: Posting,
  { content, internalDate, isDelivered = false, ...place }: NewMessage,
): Promise<MessageRow> {
  const { root, references, ...columns } = content;
  const row = { ...place, ...columns, internalDate: `${internalDate}`, isDelivered };
  return { ...row, ...(await insertMessage(posting, row)), labelIds: [...place.labelIds] };
}

type Recorded = Pick<MessageRow, "id" | "threadId" | "labelIds">;

const recordOf = (
  id: number,
  type: HistoryRecord["type"],
  message: Recorded,
  labelIds: readonly string[],
): HistoryRecord => ({
  ...{ id, type, labelIds, messageId: message.id, threadId: message.threadId },
  messageLabelIds: message.labelIds,
});

/** Changes the labels of messages, and returns them as they are then. Unknown ids are left out. */
export async function changeLabels(
  { session, next }: Posting,
  mailbox: string,
  ids: readonly string[],
  change: LabelChange,
): Promise<ListedMessage[]> {
  const messages = await lockMessages(session, mailbox, ids);
  const changes = messages.flatMap((message) => {
    const after = changedLabels(message.labelIds, change);
    const added = after.filter((id) => !message.labelIds.includes(id));
    const removed = message.labelIds.filter((id) => !after.includes(id));
    return added.length + removed.length > 0 ? [{ message, after, added, removed }] : [];
  });
  const numbers = [...(await next(changes.length * 2))];
  const records: HistoryRecord[] = [];
  const changed = new Map<string, ListedMessage>();
  for (const { message, after, added, removed } of changes) {
    const now = { ...message, labelIds: after };
    for (const [type, labels] of [
      ["labelAdded", added],
      ["labelRemoved", removed],
    ] as const)
      if (labels.length > 0) records.push(recordOf(numbers.shift() ?? 0, type, now, labels));
    changed.set(message.id, { ...now, historyId: `${records.at(-1)?.id}` });
  }
  await updateLabels(
    session,
    mailbox,
    [...changed.values()].map(({ id, labelIds, historyId }) => ({
      ...{ id, labelIds, historyId: Number(historyId) },
    })),
  );
  await insertHistory(session, mailbox, records);
  return messages.map((message) => changed.get(message.id) ?? message);
}

/** Deletes messages, and the drafts that they are of. Returns the ids of those that existed. */
export async function removeMessages(
  { session, next }: Posting,
  mailbox: string,
  ids: readonly string[],
): Promise<string[]> {
  const messages = await lockMessages(session, mailbox, ids);
  const known = messages.map(({ id }) => id);
  if (known.length === 0) return [];
  const numbers = await next(known.length);
  await deleteDraftsOf(session, mailbox, known);
  await deleteMessages(session, mailbox, known);
  await insertHistory(
    session,
    mailbox,
    messages.map((message, at) => recordOf(numbers[at] ?? 0, "messageDeleted", message, [])),
  );
  return known;
}
