/** Rows of mailboxes. */
import { columnsOf, keyText, pick, textOf } from "~/console/rows";
import { readOwnRows } from "~/console/services/member";
import type { ServiceRecords } from "~/console/services/shape";

const KEY = ["mailbox", "id"];
const SHOWN = ["threadId", "labelIds", "internalDate", "from", "to", "subject", "snippet"];

export const mailRecords: ServiceRecords = {
  people: { table: "mailboxes", id: "emailAddress", includes: ({ type }) => type === "person" },
  identified: ["mailboxes", "labels"],
  subject: undefined,
  keys: {
    mailboxes: ["emailAddress"],
    messages: KEY,
    drafts: KEY,
    labels: KEY,
    filters: KEY,
    history: KEY,
  },
  /** Each mailbox is a place. */
  placeOf: (_table, row) => row["mailbox"] ?? row["emailAddress"],
  /** A draft is shown as its message. */
  ownersOf: (_table, { mailbox, messageId }) => [["messages", { mailbox, id: messageId }]],
  precedes: () => false,
  named: (_table, name) => name,
  membersOf: () => undefined,

  /** The owners of mailboxes, the names of labels, and the messages that the changes concern. */
  async base(ask, environment, events) {
    const tables = ["mailboxes", "labels", "messages"];
    const { mailboxes = [], labels, messages = [] } = await readOwnRows(ask, environment, tables);
    const changed = new Set(events.map(({ table, key }) => keyText(table, key)));
    const touched = messages.filter((row) => changed.has(keyText("messages", pick(row, KEY))));
    return {
      mailboxes: mailboxes.map(({ emailAddress, name }) => ({
        ...{ emailAddress, id: emailAddress },
        name: `${textOf(name)} <${textOf(emailAddress)}>`,
      })),
      labels: columnsOf(labels, [...KEY, "name"]),
      messages: columnsOf(touched, [...KEY, ...SHOWN]),
    };
  },
};
