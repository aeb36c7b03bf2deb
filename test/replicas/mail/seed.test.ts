import { describe, expect, test } from "bun:test";
import { inTransaction } from "~/db/connect";
import { importSeed } from "~/platform/templates/seed-store";
import { modelOf } from "~/replicas/world";
import { useDatabase } from "../../support/database";

const database = useDatabase({ empty: true });
const build = (schema: string, seed: object) =>
  inTransaction(database.sql, (tx) => importSeed(tx, modelOf("mail", ["mail"]), schema, seed));

const users = [
  { name: "Ann", email: "ann@acme.test" },
  { name: "Bo", email: "bo@acme.test" },
];
const hello = { at: "2026-01-05T09:00:00Z", from: "ann", to: ["bo"], subject: "Hello", body: "Hi" };

test("a message of a seed is in the mailboxes of its sender and of its recipient", async () => {
  await build("fine", { users, messages: [hello] });

  const rows = await database.sql`
    select mailbox, "labelIds", "from", "to", subject, body, "messageId" from fine.messages order by mailbox
  `;
  const [sent, received] = rows;
  expect([...rows]).toMatchObject([
    { mailbox: "ann@acme.test", labelIds: ["SENT"], from: "Ann <ann@acme.test>", subject: "Hello" },
    {
      ...{ mailbox: "bo@acme.test", labelIds: ["UNREAD", "INBOX", "CATEGORY_PERSONAL"] },
      ...{ to: "Bo <bo@acme.test>", body: "Hi\r\n" },
    },
  ]);
  expect(sent?.["messageId"]).toBe(received?.["messageId"]);
});

test("the same seed gives the same rows", async () => {
  const seed = {
    users,
    messages: [
      { ...hello, key: "a" },
      { ...hello, replyTo: "a" },
    ],
  };
  await build("one", seed);
  await build("other", seed);

  const [one, other] = [
    await database.sql`select * from one.messages order by mailbox, id`,
    await database.sql`select * from other.messages order by mailbox, id`,
  ];
  expect([...one]).toEqual([...other]);
  expect(one).toHaveLength(4);
});

describe("a mistake in a seed is reported with its path", () => {
  test.each([
    ["users", {}],
    ["users[0].email", { users: [{ name: "Ann", email: "ann" }] }],
    ["users[1].email", { users: [users[0], users[0]] }],
    ["labels[0].user", { users, labels: [{ user: "cy", name: "x" }] }],
    ["filters[0]", { users, filters: [{ user: "bo", criteria: { from: "x" }, addLabels: ["x"] }] }],
    [
      "groups[0].members",
      { users, groups: [{ name: "G", email: "g@acme.test", members: ["cy"] }] },
    ],
    ["messages[0].from", { users, messages: [{ ...hello, from: "cy" }] }],
    ["messages[0].replyTo", { users, messages: [{ ...hello, replyTo: "none" }] }],
    ["messages[0].labels.bo", { users, messages: [{ ...hello, labels: { bo: ["none"] } }] }],
    ["messages[0]", { users, messages: [{ ...hello, to: [] }] }],
    ["messages[0].at", { users, messages: [{ ...hello, at: "today" }] }],
  ])("%s", async (path, seed) => {
    await expect(build("wrong", seed)).rejects.toThrow(`${path}: `);
  });
});
