/** Sends a message: the sender's copy, and one for each mailbox of the environment that it is for. */
import { type Answer, arrive, type Mail } from "~/replicas/mail/delivery/arrival";
import { bounceOf } from "~/replicas/mail/delivery/bounces";
import { readContent, recipientsOf } from "~/replicas/mail/delivery/content";
import { storeMessage } from "~/replicas/mail/delivery/storing";
import { threadFor } from "~/replicas/mail/delivery/threads";
import { invalid } from "~/replicas/mail/errors";
import { newMessageId } from "~/replicas/mail/ids";
import { canonicalAddress, domainOf, readAddresses } from "~/replicas/mail/mime/addresses";
import {
  field,
  hasField,
  joinRaw,
  mailDate,
  type RawMail,
  receivedAt,
  splitRaw,
  withFields,
  withFirst,
  withoutFields,
} from "~/replicas/mail/mime/raw";
import type { Posting } from "~/replicas/mail/operation";
import { addressesOf } from "~/replicas/mail/send-as";
import {
  type Destination,
  listDestinations,
  listDomains,
  type MailboxRow,
} from "~/replicas/mail/store/mailboxes";
import type { MessageRow } from "~/replicas/mail/store/messages";
import { hexOf, millisOf } from "~/source";

type Outgoing = {
  readonly raw: Uint8Array;
  /** As the client gave it. */
  readonly threadId?: string | undefined;
  /** The thread, whatever its subject: of a draft. */
  readonly fixedThread?: string | undefined;
  /** It is an automatic reply. */
  readonly isAutomatic?: boolean;
};

/** Addresses of one message. */
const RECIPIENTS_MAX = 500;
/** Levels of groups inside groups. */
const EXPANSIONS_MAX = 5;

/** Sends as the owner of a mailbox. Throws if it cannot be sent. */
export async function sendMail(
  posting: Posting,
  sender: MailboxRow,
  { raw, threadId, fixedThread, isAutomatic = false }: Outgoing,
): Promise<MessageRow> {
  const { session } = posting;
  const mailbox = sender.emailAddress;
  const at = millisOf(session.source);
  const mail = stamped(splitRaw(raw), sender, at, hexOf(session.source, 16));
  const received = withFirst(mail, receivedAt(at));
  const content = await readContent(joinRaw(received));
  const addresses = recipientsOf(content.root, (name) => invalid(`Invalid ${name} header`));
  if (addresses.length === 0) throw invalid("Recipient address required");
  if (addresses.length > RECIPIENTS_MAX) throw invalid("Too many recipients");
  const thread = fixedThread ?? (await threadFor(session, mailbox, content, threadId));
  const { mailboxes, bouncing } = await destinationsOf(posting, addresses);
  const isToSelf = mailboxes.some(({ emailAddress }) => emailAddress === mailbox);
  const row = await storeMessage(posting, {
    ...{ mailbox, content, internalDate: at, threadId: thread, isDelivered: isAutomatic },
    labelIds: isToSelf ? ["SENT", "INBOX", "UNREAD"] : ["SENT"],
  });
  const sent: Mail = { mail: withoutFields(mail, ["bcc"]), content, at, from: mailbox };
  const others = mailboxes.filter(({ emailAddress }) => emailAddress !== mailbox);
  const answers = await arriveAll(posting, others, sent);
  for (const address of bouncing) {
    const bounce = await bounceOf(received, content.messageId, { address, to: mailbox, at });
    await arrive(posting, { ...sender, filters: [] }, { ...bounce, threadId: row.threadId });
  }
  await sendAnswers(posting, answers);
  return row;
}

/** Delivers a message from outside to the mailboxes of the environment that it is for. */
export async function deliverMail(
  posting: Posting,
  raw: Uint8Array,
  addresses: readonly string[],
): Promise<void> {
  const at = millisOf(posting.session.source);
  const content = await readContent(raw);
  const [author] = readAddresses(content.from);
  const { mailboxes } = await destinationsOf(posting, addresses);
  const mail = withoutFields(splitRaw(raw), ["bcc"]);
  const answers = await arriveAll(posting, mailboxes, {
    ...{ mail, content, at, from: author?.address ?? "" },
  });
  await sendAnswers(posting, answers);
}

async function arriveAll(
  posting: Posting,
  mailboxes: readonly Destination[],
  mail: Mail,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const mailbox of mailboxes) answers.push(...(await arrive(posting, mailbox, mail)));
  return answers;
}

/** Automatic replies get no replies, so that this ends. */
async function sendAnswers(posting: Posting, answers: readonly Answer[]): Promise<void> {
  for (const { sender, raw } of answers)
    await sendMail(posting, sender, { raw, isAutomatic: true });
}

/** The headers that the service sets. `seed`: of the Message-ID. */
export function stamped(mail: RawMail, owner: MailboxRow, at: number, seed: string): RawMail {
  const from = mail.fields.find(({ name }) => name.toLowerCase() === "from");
  const value = from?.text.slice(from.text.indexOf(":") + 1).replace(/\r\n/g, " ");
  const [author] = readAddresses(value);
  const own = addressesOf(owner);
  const isOwn = author && own.some(({ sendAsEmail }) => sendAsEmail === canonical(author.address));
  const [primary] = own;
  return withFields(
    mail,
    ...(isOwn ? [] : [field("From", authorOf(primary?.displayName ?? "", owner.emailAddress))]),
    ...(hasField(mail, "mime-version") ? [] : [field("MIME-Version", "1.0")]),
    field("Date", mailDate(at)),
    field("Message-ID", newMessageId(seed)),
  );
}

const canonical = (address: string) => (address.includes("@") ? canonicalAddress(address) : "");

/** ASCII as it is; other names are encoded. */
export function authorOf(name: string, address: string): string {
  if (name === "") return address;
  const isPlain = /^[\x20-\x7e]*$/.test(name);
  const shown = isPlain ? quotedName(name) : `=?UTF-8?B?${Buffer.from(name).toString("base64")}?=`;
  return `${shown} <${address}>`;
}

const quotedName = (name: string) =>
  /^[\w !#$%&'*+/=?^`{|}~-]*$/.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;

type Destinations = {
  readonly mailboxes: readonly Destination[];
  /** Addresses that do not exist, where the environment knows all that do. */
  readonly bouncing: readonly string[];
};

/** One entry for each mailbox, however often the message is addressed to it. */
async function destinationsOf(
  { session }: Posting,
  addresses: readonly string[],
): Promise<Destinations> {
  const mailboxes = new Map<string, Destination>();
  const bouncing = new Set<string>();
  const unknown = new Set<string>();
  const asked = new Set<string>();
  let pending = [...new Set(addresses.map(canonicalAddress))];
  for (let round = 0; pending.length > 0 && round < EXPANSIONS_MAX; round++) {
    for (const address of pending) asked.add(address);
    const found = new Map(
      (await listDestinations(session, pending)).map((row) => [row.emailAddress, row]),
    );
    const members: string[] = [];
    for (const address of pending) {
      const row = found.get(address);
      if (!row) unknown.add(address);
      else if (row.type === "person") mailboxes.set(address, row);
      else if (row.type === "bounces") bouncing.add(address);
      else members.push(...row.members.map(canonicalAddress));
    }
    pending = [...new Set(members)].filter((address) => !asked.has(address));
  }
  if (unknown.size > 0) {
    const domains = await listDomains(session);
    for (const address of unknown) if (domains.includes(domainOf(address))) bouncing.add(address);
  }
  return { mailboxes: [...mailboxes.values()], bouncing: [...bouncing] };
}
