/** Rows of the chat. */
import { columnsOf, textOf } from "~/console/rows";
import { readOwnRows } from "~/console/services/member";
import { type ServiceRecords, USERS } from "~/console/services/shape";

export const chatRecords: ServiceRecords = {
  people: USERS,
  identified: ["users", "channels", "files"],
  subject: "channels",
  keys: { messages: ["channel_id", "ts"] },
  placeOf: (table, row) => row["channel_id"] ?? (table === "channels" ? row["id"] : undefined),
  /** A reaction is shown with its message. */
  ownersOf: (_table, row) => [["messages", row]],
  precedes: (table, row, key) => table !== "messages" || textOf(row["ts"]) <= textOf(key["ts"]),
  named: (table, name) => (table === "channels" ? `#${name}` : name),
  /** A direct conversation is named after its members. */
  membersOf: (table, row) =>
    table === "channels" ? textOf(row["member_key"]).split(",").filter(Boolean) : undefined,

  /** The template's users, conversations and messages, with the columns that are shown. */
  async base(ask, environment) {
    const tables = ["users", "channels", "messages"];
    const { users, channels, messages } = await readOwnRows(ask, environment, tables);
    return {
      users: columnsOf(users, ["id", "name", "real_name"]),
      channels: columnsOf(channels, ["id", "name", "member_key"]),
      messages: columnsOf(messages, [
        "channel_id",
        "ts",
        "thread_ts",
        "user_id",
        "username",
        "text",
      ]),
    };
  },
};
