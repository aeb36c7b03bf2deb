/** Reads the bytes of many messages, few at a time. */
import type { MailCall } from "~/replicas/mail/operation";
import { type ListedMessage, listRaws } from "~/replicas/mail/store/messages";

/** Bytes of messages that are read together; a larger message is read alone. */
const TOGETHER_MAX = 16 * 1024 * 1024;

function groupsOf<Row extends ListedMessage>(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    size += row.sizeEstimate;
    if (size <= TOGETHER_MAX) groups.at(-1)?.push(row);
    else {
      groups.push([row]);
      size = row.sizeEstimate;
    }
  }
  return groups;
}

/** A view of each message with its bytes, without those that another call has deleted since. */
export async function viewsWithRaw<Row extends ListedMessage, View>(
  { session, mailbox }: MailCall,
  rows: readonly Row[],
  view: (row: Row & { readonly raw: Uint8Array }) => Promise<View>,
): Promise<View[]> {
  const views: View[] = [];
  for (const group of groupsOf(rows)) {
    const ids = group.map(({ id }) => id);
    const raws = await listRaws(session, mailbox, ids);
    for (const row of group) {
      const raw = raws.get(row.id);
      if (raw) views.push(await view({ ...row, raw }));
    }
  }
  return views;
}
