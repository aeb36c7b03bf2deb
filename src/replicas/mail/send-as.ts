/** The addresses that a person may send as. */
import type { MailboxRow } from "~/replicas/mail/store/mailboxes";

export type SendAs = {
  readonly sendAsEmail: string;
  readonly displayName?: string;
  readonly isPrimary?: boolean;
  readonly isDefault?: boolean;
};

/** Those of a mailbox; the primary one first. */
export function addressesOf({ emailAddress, sendAs }: MailboxRow): readonly SendAs[] {
  const stored = (sendAs as readonly SendAs[] | null) ?? [];
  if (stored.length > 0) return stored;
  return [{ sendAsEmail: emailAddress, displayName: "", isPrimary: true, isDefault: true }];
}
