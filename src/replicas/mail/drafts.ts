/** The rules of drafts. Every change of a draft is another message; the draft keeps its id. */
import { post, requireMailbox } from "~/replicas/mail/calls";
import { readContent } from "~/replicas/mail/delivery/content";
import { sendMail, stamped } from "~/replicas/mail/delivery/sending";
import { removeMessages, storeMessage } from "~/replicas/mail/delivery/storing";
import { threadFor } from "~/replicas/mail/delivery/threads";
import { notFound } from "~/replicas/mail/errors";
import { draftIdOf } from "~/replicas/mail/ids";
import { joinRaw, splitRaw } from "~/replicas/mail/mime/raw";
import type { MailCall, Posting } from "~/replicas/mail/operation";
import { type DraftRow, findDraft, putDraft } from "~/replicas/mail/store/drafts";
import { lockMailbox, type MailboxRow } from "~/replicas/mail/store/mailboxes";
import {
  countThread,
  findMessage,
  type ListedMessage,
  type MessageRow,
} from "~/replicas/mail/store/messages";
import { hexOf, millisOf } from "~/source";

type DraftContent = {
  readonly raw: Uint8Array;
  readonly threadId?: string | undefined;
};

type Kept = { readonly draft: DraftRow; readonly message: ListedMessage };

/** The draft and its message, or the rejection. */
export async function requireDraft(
  { session, mailbox }: MailCall,
  id: string,
  { withRaw }: { readonly withRaw: boolean },
): Promise<Kept> {
  const draft = await findDraft(session, mailbox, id);
  const message = draft && (await findMessage(session, mailbox, draft.messageId, { withRaw }));
  if (!draft || !message) throw notFound();
  return { draft, message };
}

/** `kept`: the thread that a draft stays in. */
async function storeDraft(
  posting: Posting,
  owner: MailboxRow,
  { raw, threadId }: DraftContent,
  kept?: string,
) {
  const { session } = posting;
  const mailbox = owner.emailAddress;
  const at = millisOf(session.source);
  const content = await readContent(
    joinRaw(stamped(splitRaw(raw), owner, at, hexOf(session.source, 16))),
  );
  const thread = kept ?? (await threadFor(session, mailbox, content, threadId));
  return await storeMessage(posting, {
    ...{ mailbox, content, internalDate: at, threadId: thread, labelIds: ["DRAFT"] },
  });
}

export type Stored = { readonly id: string; readonly message: MessageRow };

export async function createDraft(call: MailCall, content: DraftContent): Promise<Stored> {
  const owner = await requireMailbox(call);
  return await post(call, async (posting) => {
    const message = await storeDraft(posting, owner, content);
    const id = draftIdOf(message.historyId);
    await putDraft(posting.session, { mailbox: call.mailbox, id, messageId: message.id });
    return { id, message };
  });
}

export async function updateDraft(
  call: MailCall,
  id: string,
  content: DraftContent,
): Promise<Stored> {
  const owner = await requireMailbox(call);
  return await post(call, async (posting) => {
    const inside = { ...call, session: posting.session };
    await lockMailbox(posting.session, call.mailbox);
    const { message: former } = await requireDraft(inside, id, { withRaw: false });
    const shared = await sharedThread(inside, former);
    const named = namedBeside(former, shared, content);
    await removeMessages(posting, call.mailbox, [former.id]);
    const message = await storeDraft(
      posting,
      owner,
      { ...content, threadId: named },
      named === undefined ? shared : undefined,
    );
    await putDraft(posting.session, { mailbox: call.mailbox, id, messageId: message.id });
    return { id, message };
  });
}

/** The thread of a message, unless the message is alone in it. */
async function sharedThread(
  { session, mailbox }: MailCall,
  { threadId }: ListedMessage,
): Promise<string | undefined> {
  return (await countThread(session, mailbox, threadId)) > 1 ? threadId : undefined;
}

/**
 * The thread that a client names. Undefined if it is the draft's own and the draft is alone in it: clients send back what
 * they read, and the thread ends with the former message.
 */
const namedBeside = (
  { threadId }: ListedMessage,
  shared: string | undefined,
  content: DraftContent,
): string | undefined =>
  shared === undefined && content.threadId?.toLowerCase() === threadId
    ? undefined
    : content.threadId;

export async function removeDraft(call: MailCall, id: string): Promise<void> {
  await post(call, async (posting) => {
    const inside = { ...call, session: posting.session };
    await lockMailbox(posting.session, call.mailbox);
    const { draft } = await requireDraft(inside, id, { withRaw: false });
    await removeMessages(posting, call.mailbox, [draft.messageId]);
  });
}

/** `content`: sent in place of the draft's own. */
export async function sendDraft(
  call: MailCall,
  id: string,
  content: DraftContent | undefined,
): Promise<MessageRow> {
  const owner = await requireMailbox(call);
  return await post(call, async (posting) => {
    const inside = { ...call, session: posting.session };
    await lockMailbox(posting.session, call.mailbox);
    const { message } = await requireDraft(inside, id, { withRaw: content === undefined });
    const named = content && namedBeside(message, await sharedThread(inside, message), content);
    await removeMessages(posting, call.mailbox, [message.id]);
    return await sendMail(posting, owner, {
      raw: content?.raw ?? message.raw ?? new Uint8Array(),
      ...(named === undefined ? { fixedThread: message.threadId } : { threadId: named }),
    });
  });
}
