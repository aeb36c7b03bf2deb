/** The thread that a message belongs to, in one mailbox. */
import type { Content } from "~/replicas/mail/delivery/content";
import { notFound } from "~/replicas/mail/errors";
import { readId } from "~/replicas/mail/ids";
import type { MailSession } from "~/replicas/mail/operation";
import {
  countThread,
  findByMessageIds,
  findBySubject,
  listSubjects,
} from "~/replicas/mail/store/messages";

/** Messages of a thread. A further one begins another. */
const THREAD_MAX = 100;

const PREFIX = /^(?:(?:re|fwd|fw|aw|sv)\s*:|\[[^\]]*\])\s*/i;

/** A subject without the prefixes of replies and the tags of lists. */
function baseSubject(subject: string): string {
  let text = subject.trim();
  while (PREFIX.test(text)) text = text.replace(PREFIX, "");
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}

/** The thread that a client names, or else that of the message which this one answers. */
export const threadFor = (
  session: MailSession,
  mailbox: string,
  content: Content,
  threadId: string | undefined,
): Promise<string | undefined> =>
  threadId === undefined
    ? answeredThread(session, mailbox, content)
    : namedThread(session, mailbox, threadId, content.subject);

/** The thread that the client names, if the subject fits. Throws for one that does not exist. */
async function namedThread(
  session: MailSession,
  mailbox: string,
  threadId: string,
  subject: string,
): Promise<string | undefined> {
  const id = readId(threadId, "Invalid thread_id value");
  const subjects = await listSubjects(session, mailbox, id);
  if (subjects.length === 0) throw notFound();
  const base = baseSubject(subject);
  const isAlike = subjects.some((each) => baseSubject(each) === base);
  return isAlike && subjects.length < THREAD_MAX ? id : undefined;
}

/** The thread of the nearest message that this one answers. `bySubject`: or of one with the same subject. */
export async function answeredThread(
  session: MailSession,
  mailbox: string,
  { references, subject }: Pick<Content, "references" | "subject">,
  { bySubject = false } = {},
): Promise<string | undefined> {
  const named = references.length === 0 ? [] : await findByMessageIds(session, mailbox, references);
  const nearest = named.toSorted(
    (a, b) => references.indexOf(a.messageId ?? "") - references.indexOf(b.messageId ?? ""),
  );
  const base = baseSubject(subject);
  const alike = bySubject && base !== "" ? await findBySubject(session, mailbox, base) : [];
  const found = [...nearest, ...alike].find(
    (place) => !place.labelIds.includes("SPAM") && baseSubject(place.subject) === base,
  );
  if (!found) return undefined;
  const count = await countThread(session, mailbox, found.threadId);
  return count < THREAD_MAX ? found.threadId : undefined;
}
