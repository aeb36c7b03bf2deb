/** Reports of addresses that do not exist. */
import type { Mail } from "~/replicas/mail/delivery/arrival";
import { readContent } from "~/replicas/mail/delivery/content";
import { newMessageId } from "~/replicas/mail/ids";
import { mailDate, type RawMail, splitRaw } from "~/replicas/mail/mime/raw";

type Failure = {
  /** That does not exist. */
  readonly address: string;
  /** The sender. */
  readonly to: string;
  /** In milliseconds. */
  readonly at: number;
};

const DAEMON = "Mail Delivery Subsystem <mailer-daemon@googlemail.com>";
const CODE = "550 5.1.1 The email account that you tried to reach does not exist.";

/** The report of a message that could not be delivered. */
export async function bounceOf(
  { fields }: RawMail,
  messageId: string | null,
  { address, to, at }: Failure,
): Promise<Mail> {
  const head = fields.map((one) => `${one.text}\r\n`).join("");
  const text = reportOf({ address, to, at }, messageId ?? "", head);
  const content = await readContent(Buffer.from(text, "latin1"));
  return { mail: splitRaw(content.raw), content, at, from: "" };
}

function reportOf({ address, to, at }: Failure, messageId: string, head: string): string {
  const seed = `${messageId} ${address}`;
  const boundary = `bounce_${newMessageId(seed).slice(3, 27)}`;
  const references =
    messageId === "" ? [] : [`In-Reply-To: ${messageId}`, `References: ${messageId}`];
  return [
    `From: ${DAEMON}`,
    `To: ${to}`,
    "Auto-Submitted: auto-replied",
    "Subject: Delivery Status Notification (Failure)",
    ...references,
    `X-Failed-Recipients: ${address}`,
    `Message-ID: ${newMessageId(seed).replace("@mail.gmail.com", ".bounce@mx.google.com")}`,
    `Date: ${mailDate(at)}`,
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; boundary="${boundary}"; report-type=delivery-status`,
    "",
    `--${boundary}`,
    'Content-Type: text/plain; charset="UTF-8"',
    "",
    "** Address not found **",
    "",
    `Your message wasn't delivered to ${address} because the address couldn't be found, or is unable to receive mail.`,
    "",
    "The response was:",
    "",
    CODE,
    `--${boundary}`,
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; googlemail.com",
    `Arrival-Date: ${mailDate(at)}`,
    "",
    `Final-Recipient: rfc822; ${address}`,
    "Action: failed",
    "Status: 5.1.1",
    `Diagnostic-Code: smtp; ${CODE}`,
    `--${boundary}`,
    "Content-Type: message/rfc822",
    "",
    head,
    `--${boundary}--`,
    "",
  ].join("\r\n");
}
