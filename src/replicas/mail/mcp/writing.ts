/** Tools that write messages and drafts. */
import { created } from "~/replicas/mail/api/messages";
import { post, requireMailbox, requireMessage } from "~/replicas/mail/calls";
import { sendMail } from "~/replicas/mail/delivery/sending";
import {
  createDraft,
  removeDraft,
  requireDraft,
  sendDraft,
  updateDraft,
} from "~/replicas/mail/drafts";
import { notFound } from "~/replicas/mail/errors";
import { readId } from "~/replicas/mail/ids";
import {
  answering,
  checkAddresses,
  filesOf,
  forwarding,
  quoting,
  rawWith,
  replySubject,
  subjectOf,
} from "~/replicas/mail/mcp/composing";
import { requireHead } from "~/replicas/mail/mcp/reading";
import { DONE, type Fields, type Tools } from "~/replicas/mail/mcp/tool";
import { canonicalAddress, readAddresses } from "~/replicas/mail/mime/addresses";
import { headerOf, type Part, parseMail } from "~/replicas/mail/mime/parse";
import { bodyHtml, bodyText } from "~/replicas/mail/mime/text";
import type { MailCall } from "~/replicas/mail/operation";
import { addressesOf } from "~/replicas/mail/send-as";
import { listHeads } from "~/replicas/mail/store/heads";
import { lockMailbox } from "~/replicas/mail/store/mailboxes";

/** A message that the caller can answer or forward, and its thread. */
type Original = { readonly root: Part; readonly threadId: string };

async function requireOriginal(call: MailCall, messageId: string): Promise<Original> {
  const { threadId } = await requireHead(call, messageId);
  const { raw } = await requireMessage(call, messageId, { withRaw: true });
  return { root: await parseMail(raw ?? new Uint8Array()), threadId };
}

/** The newest message of a thread that is no draft. */
async function newestOf({ session, mailbox }: MailCall, threadId: string): Promise<string> {
  const rows = await listHeads(session, mailbox, { threadIds: [readId(threadId)] });
  const newest = rows.findLast(({ labelIds }) => !labelIds.includes("DRAFT"));
  if (!newest) throw notFound();
  return newest.id;
}

type Content = { readonly raw: Uint8Array; readonly threadId?: string };

async function contentOf(call: MailCall, fields: Fields, messageId?: string): Promise<Content> {
  checkAddresses(fields);
  if (messageId === undefined) return { raw: await rawWith(call, fields) };
  const { root, threadId } = await requireOriginal(call, messageId);
  const whole = { subject: replySubject(root), ...fields, ...quoting(fields, root) };
  return { raw: await rawWith(call, whole, answering(root)), threadId };
}

async function send(call: MailCall, content: Content): Promise<object> {
  const sender = await requireMailbox(call);
  return created(await post(call, (posting) => sendMail(posting, sender, content)));
}

/** Runs `work` while no other call can change the drafts of the mailbox. */
const alone = <T>(call: MailCall, work: (inside: MailCall) => Promise<T>): Promise<T> =>
  post(call, async ({ session }) => {
    await lockMailbox(session, call.mailbox);
    return await work({ ...call, session });
  });

/** The bytes of a draft after fields of it are replaced. */
async function changedDraft(call: MailCall, draftId: string, fields: Fields): Promise<Buffer> {
  checkAddresses(fields);
  const { message } = await requireDraft(call, draftId, { withRaw: true });
  const root = await parseMail(message.raw ?? new Uint8Array());
  const written = (name: string) => {
    const value = headerOf(root, name);
    return value === undefined ? [] : [value];
  };
  const hasText = fields.body !== undefined || fields.htmlBody !== undefined;
  const references = headerOf(root, "references");
  const whole: Fields = {
    ...{ to: written("to"), cc: written("cc"), bcc: written("bcc"), subject: subjectOf(root) },
    ...(hasText ? {} : textsOf(root)),
    ...fields,
  };
  return await rawWith(call, whole, {
    inReplyTo: headerOf(root, "in-reply-to"),
    references: references === undefined ? undefined : [references],
    files: fields.attachments ? [] : filesOf(root),
  });
}

function textsOf(root: Part): Fields {
  const htmlBody = bodyHtml(root);
  return { body: bodyText(root), ...(htmlBody !== undefined && { htmlBody }) };
}

type Sent = Fields & {
  readonly draftId?: string;
  readonly replyThreadId?: string;
  readonly replyToMessageId?: string;
};

async function sendMessage(args: Sent, call: MailCall): Promise<object> {
  const { draftId, replyThreadId, replyToMessageId, ...fields } = args;
  if (draftId !== undefined) {
    const isChanged = Object.keys(fields).length > 0;
    return await alone(call, async (inside) =>
      created(
        await sendDraft(
          inside,
          draftId,
          isChanged ? { raw: await changedDraft(inside, draftId, fields) } : undefined,
        ),
      ),
    );
  }
  const answered =
    replyToMessageId ?? (replyThreadId && (await newestOf(call, replyThreadId))) ?? undefined;
  return await send(call, await contentOf(call, fields, answered));
}

type Reply = Fields & { readonly messageId: string; readonly replyAll?: boolean };

/** Those who get an answer: the author, or for an own message its recipients. */
async function answerTo(call: MailCall, root: Part, all: boolean) {
  const owner = await requireMailbox(call);
  const own = addressesOf(owner).map(({ sendAsEmail }) => sendAsEmail);
  const isOwn = (address: string) => own.includes(canonicalAddress(address));
  const listed = (name: string) =>
    readAddresses(headerOf(root, name)).flatMap(({ address }) =>
      address.includes("@") ? [address] : [],
    );
  const author = listed(headerOf(root, "reply-to") === undefined ? "from" : "reply-to");
  const isMine = author.every(isOwn);
  const to = isMine ? listed("to") : author;
  const others = [...(isMine ? [] : listed("to")), ...listed("cc")];
  const cc = others.filter((address) => !isOwn(address) && !to.includes(address));
  return { to, cc: all ? cc : [] };
}

async function reply(args: Reply, call: MailCall): Promise<object> {
  const { messageId, replyAll = false, ...fields } = args;
  const { root } = await requireOriginal(call, messageId);
  const found = await answerTo(call, root, replyAll);
  const to = fields.to ?? found.to;
  const cc = [...new Set([...found.cc, ...(fields.cc ?? [])])].filter((each) => !to.includes(each));
  return await send(call, await contentOf(call, { ...fields, to, cc }, messageId));
}

type Forward = Fields & { readonly messageId: string; readonly forwardText?: string };

async function forward({ messageId, forwardText, ...fields }: Forward, call: MailCall) {
  checkAddresses(fields);
  const { root, threadId } = await requireOriginal(call, messageId);
  const whole = forwarding(
    { ...fields, ...(forwardText !== undefined && { body: forwardText }) },
    root,
  );
  const raw = await rawWith(call, whole, { ...answering(root), files: filesOf(root) });
  return await send(call, { raw, threadId });
}

type NewDraft = Fields & { readonly replyToMessageId?: string };
type Stored = { readonly id: string; readonly message: { readonly threadId: string } };
const draftShape = ({ id, message }: Stored) => ({ id, threadId: message.threadId });

export const writing: Tools = {
  send_message: sendMessage,
  reply,
  forward,
  create_draft: async ({ replyToMessageId, ...fields }: NewDraft, call) =>
    draftShape(await createDraft(call, await contentOf(call, fields, replyToMessageId))),
  update_draft: ({ draftId, ...fields }: Fields & { readonly draftId: string }, call) =>
    alone(call, async (inside) =>
      draftShape(
        await updateDraft(inside, draftId, { raw: await changedDraft(inside, draftId, fields) }),
      ),
    ),
  async delete_draft({ draftId }: { readonly draftId: string }, call) {
    await removeDraft(call, draftId);
    return DONE;
  },
};
