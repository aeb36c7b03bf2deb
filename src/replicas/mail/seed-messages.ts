/** The messages of a seed. */

import { SeedError } from "~/replicas/kit/seed-mistakes";
import { readContent } from "~/replicas/mail/delivery/content";
import { deliverMail, sendMail } from "~/replicas/mail/delivery/sending";
import { storeMessage } from "~/replicas/mail/delivery/storing";
import { answeredThread } from "~/replicas/mail/delivery/threads";
import { draftIdOf, newMessageId } from "~/replicas/mail/ids";
import { isAddress, readAddresses } from "~/replicas/mail/mime/addresses";
import { composeMail } from "~/replicas/mail/mime/compose";
import type { Posting } from "~/replicas/mail/operation";
import type { SeedMessage, SeedNames } from "~/replicas/mail/seed-shape";
import { putDraft } from "~/replicas/mail/store/drafts";
import { findMailbox } from "~/replicas/mail/store/mailboxes";
import { findByMessageIds, updateLabels } from "~/replicas/mail/store/messages";
import { hexOf, millisOf } from "~/source";

/** A message that others may answer: its Message-ID, and those of the messages before it. */
type Known = { readonly messageId: string; readonly references: readonly string[] };

export function createPost({ users, addressOf, labelOf }: SeedNames) {
  const known = new Map<string, Known>();
  const nameOf = new Map(users.map(({ name, email }) => [email.toLowerCase(), name]));

  /** An address with the name that it has in the seed. */
  const written = (person: string, path: string): string => {
    const [{ name, address } = { name: "", address: "" }] = readAddresses(person);
    const isGiven = isAddress(address);
    const email = isGiven ? address : addressOf(person, path);
    const shown = isGiven && name !== "" ? name : nameOf.get(email.toLowerCase());
    return shown === undefined ? email : `"${shown}" <${email}>`;
  };

  return async (posting: Posting, message: SeedMessage, path: string): Promise<void> => {
    const { session } = posting;
    const { from, to = [], cc = [], bcc = [], replyTo, attachments = [] } = message;
    const at = millisOf(session.source);
    const answered = replyTo === undefined ? undefined : known.get(replyTo);
    if (replyTo !== undefined && !answered)
      throw new SeedError(`${path}.replyTo`, `no earlier message has the key ${replyTo}`);
    const references = answered ? [...answered.references, answered.messageId] : [];
    const all = (people: readonly string[], field: string) =>
      people.map((person, place) => written(person, `${path}.${field}[${place}]`));
    const author = written(from, `${path}.from`);
    const [{ address: own } = { address: "" }] = readAddresses(author);
    const raw = await composeMail({
      ...{ from: author, to: all(to, "to"), cc: all(cc, "cc"), bcc: all(bcc, "bcc") },
      ...{ subject: message.subject, text: message.body, html: message.html, date: at },
      messageId: newMessageId(`seed ${hexOf(session.source, 8)} ${path}`),
      ...(answered && { inReplyTo: answered.messageId, references }),
      attachments: attachments.map((file) => ({
        ...{ filename: file.filename, mimeType: file.mimeType, isInline: file.inline ?? false },
        content: Buffer.from(file.base64 ?? file.text ?? "", file.base64 ? "base64" : "utf8"),
      })),
      headers: message.headers ?? {},
    });
    const messageId = await place(posting, own, raw, message);
    if (message.key !== undefined) known.set(message.key, { messageId, references });
    for (const [user, labels] of Object.entries(message.labels ?? {})) {
      const mailbox = addressOf(user, `${path}.labels`);
      const ids = labels.map((name) => labelOf(mailbox, name, `${path}.labels.${user}`));
      const rows = await findByMessageIds(session, mailbox, [messageId]);
      if (rows.length === 0)
        throw new SeedError(`${path}.labels.${user}`, "it is not in this mailbox");
      const [historyId = 0] = await posting.next(1);
      await updateLabels(
        session,
        mailbox,
        rows.map(({ id }) => ({ id, labelIds: ids, historyId })),
      );
    }
  };
}

/** Sends it if its author has a mailbox, keeps it as a draft, or delivers it from outside. Returns its Message-ID. */
async function place(
  posting: Posting,
  from: string,
  raw: Uint8Array,
  { draft = false }: SeedMessage,
): Promise<string> {
  const { session } = posting;
  const owner = await findMailbox(session, from.toLowerCase());
  if (owner && !draft) return (await sendMail(posting, owner, { raw })).messageId ?? "";
  const content = await readContent(raw);
  if (!owner) {
    const people = [content.to, content.cc, content.bcc].flatMap((text) => readAddresses(text));
    await deliverMail(
      posting,
      raw,
      people.map(({ address }) => address),
    );
    return content.messageId ?? "";
  }
  const mailbox = owner.emailAddress;
  const row = await storeMessage(posting, {
    ...{ mailbox, content, labelIds: ["DRAFT"], internalDate: millisOf(session.source) },
    threadId: await answeredThread(session, mailbox, content),
  });
  await putDraft(session, { mailbox, id: draftIdOf(row.historyId), messageId: row.id });
  return content.messageId ?? "";
}
