/** The rows of each table of tables.sql. Written by `bun run rows`. */
export type Rows = {
  readonly mailboxes: {
    readonly emailAddress: string;
    readonly name: string;
    readonly type: string;
    readonly members: readonly string[];
    readonly historyId: string;
    readonly labelSequence: number;
    readonly watch: unknown;
    readonly vacation: unknown;
    readonly autoForwarding: unknown;
    readonly forwardingAddresses: unknown;
    readonly sendAs: unknown;
    readonly delegates: unknown;
    readonly imap: unknown;
    readonly pop: unknown;
    readonly language: unknown;
  };
  readonly messages: {
    readonly mailbox: string;
    readonly id: string;
    readonly threadId: string;
    readonly labelIds: readonly string[];
    readonly historyId: string;
    readonly internalDate: string;
    readonly snippet: string;
    readonly sizeEstimate: number;
    readonly isDelivered: boolean;
    readonly from: string;
    readonly to: string;
    readonly cc: string | null;
    readonly bcc: string | null;
    readonly subject: string;
    readonly messageId: string | null;
    readonly inReplyTo: string | null;
    readonly body: string;
    readonly attachments: unknown;
    readonly raw: Uint8Array;
  };
  readonly drafts: {
    readonly mailbox: string;
    readonly id: string;
    readonly messageId: string;
  };
  readonly labels: {
    readonly mailbox: string;
    readonly id: string;
    readonly name: string;
    readonly messageListVisibility: string;
    readonly labelListVisibility: string;
    readonly color: unknown;
  };
  readonly filters: {
    readonly mailbox: string;
    readonly id: string;
    readonly criteria: unknown;
    readonly action: unknown;
  };
  readonly history: {
    readonly mailbox: string;
    readonly id: string;
    readonly type: string;
    readonly messageId: string;
    readonly threadId: string;
    readonly labelIds: readonly string[];
    readonly messageLabelIds: readonly string[];
  };
};
