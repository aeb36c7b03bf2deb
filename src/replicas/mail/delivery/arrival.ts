/** A message arrives in a mailbox: filters change its labels and forward it, and an automatic reply is written. */
import type { Content } from "~/replicas/mail/delivery/content";
import { effectOf } from "~/replicas/mail/delivery/filters";
import { storeMessage } from "~/replicas/mail/delivery/storing";
import { answeredThread } from "~/replicas/mail/delivery/threads";
import { vacationAnswer } from "~/replicas/mail/delivery/vacation";
import { canonicalAddress } from "~/replicas/mail/mime/addresses";
import { field, joinRaw, mailDate, type RawMail, withFirst } from "~/replicas/mail/mime/raw";
import type { Posting } from "~/replicas/mail/operation";
import { type Destination, listDestinations } from "~/replicas/mail/store/mailboxes";

export type Mail = {
  readonly mail: RawMail;
  readonly content: Content;
  /** In milliseconds. */
  readonly at: number;
  /** The address that bounces would go to; empty for a bounce. */
  readonly from: string;
  /** The thread, whatever its subject. */
  readonly threadId?: string;
  /** Times it was forwarded. */
  readonly hops?: number;
};

const HOPS_MAX = 3;

/** An automatic reply that is not sent yet. */
export type Answer = { readonly sender: Destination; readonly raw: Uint8Array };

/** Stores a message in a mailbox and in those that it is forwarded to. Returns the automatic replies to it. */
export async function arrive(
  posting: Posting,
  mailbox: Destination,
  sent: Mail,
): Promise<Answer[]> {
  const { session } = posting;
  const { mail, at, from, threadId, hops = 0 } = sent;
  const address = mailbox.emailAddress;
  const raw = joinRaw(
    withFirst(
      mail,
      field("Delivered-To", address),
      field("Received", `by mx.google.com with ESMTPS for <${address}>; ${mailDate(at)}`),
      field("Return-Path", `<${from}>`),
    ),
  );
  const content = { ...sent.content, bcc: null, raw, sizeEstimate: raw.byteLength };
  const { labelIds, forwardTo } = effectOf(mailbox.filters, content, {
    mailbox: address,
    labelIds: ["UNREAD", "INBOX", "CATEGORY_PERSONAL"],
    at,
  });
  const forwarding = forwardingOf(mailbox);
  await storeMessage(posting, {
    ...{ mailbox: address, content, internalDate: at, isDelivered: true },
    labelIds: forwarding ? forwarded(labelIds, forwarding.disposition) : labelIds,
    threadId: threadId ?? (await answeredThread(session, address, content)),
  });
  const answers: Answer[] = [];
  const answer = labelIds.includes("SPAM")
    ? undefined
    : await vacationAnswer(session, mailbox, content, at);
  if (answer) answers.push({ sender: mailbox, raw: answer });
  const targets = [...forwardTo, ...(forwarding ? [forwarding.emailAddress] : [])];
  if (targets.length > 0 && hops < HOPS_MAX)
    for (const target of await listDestinations(session, targets.map(canonicalAddress)))
      if (target.type === "person" && target.emailAddress !== address)
        answers.push(
          ...(await arrive(posting, target, { mail, content, at, from, hops: hops + 1 })),
        );
  return answers;
}

type Forwarding = { readonly emailAddress: string; readonly disposition: string };

function forwardingOf({ autoForwarding }: Destination): Forwarding | undefined {
  const setting = autoForwarding as (Forwarding & { readonly enabled?: boolean }) | null;
  return setting?.enabled ? setting : undefined;
}

function forwarded(labelIds: readonly string[], disposition: string): string[] {
  switch (disposition) {
    case "archive":
      return labelIds.filter((id) => id !== "INBOX");
    case "trash":
      return [...labelIds.filter((id) => id !== "INBOX"), "TRASH"];
    case "markRead":
      return labelIds.filter((id) => id !== "UNREAD");
    default:
      return [...labelIds];
  }
}
