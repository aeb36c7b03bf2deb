/** Messages that are put into a mailbox without being sent. */
import { post } from "~/replicas/mail/calls";
import { readContent } from "~/replicas/mail/delivery/content";
import { storeMessage } from "~/replicas/mail/delivery/storing";
import { answeredThread, threadFor } from "~/replicas/mail/delivery/threads";
import { invalid } from "~/replicas/mail/errors";
import { isSystemLabel, requireLabels } from "~/replicas/mail/labels";
import { headerOf } from "~/replicas/mail/mime/parse";
import { joinRaw, receivedAt, splitRaw, withFirst } from "~/replicas/mail/mime/raw";
import type { MailCall } from "~/replicas/mail/operation";
import { listLabels } from "~/replicas/mail/store/labels";
import type { MessageRow } from "~/replicas/mail/store/messages";
import { isShown, millisOf } from "~/source";

type Placement = {
  readonly threadId?: string | undefined;
  readonly labelIds?: readonly string[] | undefined;
  readonly internalDateSource?: "receivedTime" | "dateHeader" | undefined;
};

/** With the labels that the client gives, and no others. */
export async function insertMail(
  call: MailCall,
  raw: Uint8Array,
  { threadId, labelIds = [], internalDateSource = "receivedTime" }: Placement,
): Promise<MessageRow> {
  await checkLabels(call, labelIds);
  const read = await received(call, raw, internalDateSource);
  return await post(call, async (posting) =>
    storeMessage(posting, {
      ...{ ...read, labelIds: [...new Set(labelIds)], mailbox: call.mailbox },
      threadId: await threadFor(posting.session, call.mailbox, read.content, threadId),
    }),
  );
}

/** As if it had arrived. It joins a thread also by its subject alone. */
export async function importMail(
  call: MailCall,
  raw: Uint8Array,
  { threadId, labelIds = ["INBOX", "UNREAD"], internalDateSource = "dateHeader" }: Placement,
): Promise<MessageRow> {
  if (threadId !== undefined) throw invalid("threadId not allowed");
  await checkLabels(call, labelIds);
  const read = await received(call, raw, internalDateSource);
  return await post(call, async (posting) =>
    storeMessage(posting, {
      ...{ ...read, labelIds: [...new Set(labelIds)], mailbox: call.mailbox },
      threadId: await answeredThread(posting.session, call.mailbox, read.content, {
        bySubject: true,
      }),
    }),
  );
}

async function checkLabels({ session, mailbox }: MailCall, ids: readonly string[]): Promise<void> {
  requireLabels(ids, ids.every(isSystemLabel) ? [] : await listLabels(session, mailbox));
}

async function received({ session }: MailCall, raw: Uint8Array, source: string) {
  const now = millisOf(session.source);
  const content = await readContent(joinRaw(withFirst(splitRaw(raw), receivedAt(now))));
  const written = Date.parse(headerOf(content.root, "date") ?? "");
  return { content, internalDate: source === "dateHeader" && isShown(written) ? written : now };
}
