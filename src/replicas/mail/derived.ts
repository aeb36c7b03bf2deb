/** Rows that the service creates because of a call: delivered copies of a message, and automatic replies. */
export const DERIVED_ROWS = { messages: "isDelivered" };

/** Columns that the service computes. In history these are all: only the service writes it. */
export const DERIVED: { readonly [table: string]: readonly string[] } = {
  mailboxes: ["historyId", "labelSequence"],
  messages: [
    "historyId",
    "internalDate",
    "snippet",
    "sizeEstimate",
    "messageId",
    "isDelivered",
    "raw",
  ],
  history: ["mailbox", "id", "type", "messageId", "threadId", "labelIds", "messageLabelIds"],
};
