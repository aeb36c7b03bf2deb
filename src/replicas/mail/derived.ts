/** Rows that follow from a call by themselves: copies of a message in the mailboxes that it is for, and automatic answers. */
export const DERIVED_ROWS = { messages: "isDelivered" };

/** Columns that the service computes. Those of history are all: it is the service's own account of changes. */
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
