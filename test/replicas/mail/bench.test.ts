/** The mailboxes of mail_bench_default: the company of chat_bench_default, at noon of its launch. */
import { beforeAll, expect, test } from "bun:test";
import { inTransaction } from "~/db/connect";
import { importSeed } from "~/platform/templates/seed-store";
import { resolveSeed } from "~/platform/templates/seeds";
import { modelOf } from "~/replicas/world";
import chatSeed from "../../../seeds/chat_bench_default.yaml";
import mailSeed from "../../../seeds/mail_bench_default.yaml";
import { useDatabase } from "../../support/database";

const [chat, mail]: any[] = [chatSeed, mailSeed].map((seed: any) => resolveSeed(seed, []));
const database = useDatabase({ empty: true });
beforeAll(async () => {
  await inTransaction(database.sql, (tx) =>
    importSeed(tx, modelOf("mail", ["mail"]), "bench", mail),
  );
});

test("its people are those of the chat who work at Harborline, with the same names", () => {
  const named = (people: readonly { name: string; email: string }[]) =>
    people.map(({ name, email }) => `${name} <${email}>`).toSorted();
  const colleagues = chat.users
    .filter(({ email, deleted }: any) => email?.endsWith("@harborline.test") && !deleted)
    .map(({ real_name: name, email }: any) => ({ name, email }));

  expect(named(mail.users)).toEqual(named(colleagues));
});

test("it has as many messages and mailboxes as its description says", async () => {
  const [found] = await database.sql`
    select count(*)::int as messages, count(distinct mailbox)::int as mailboxes from bench.messages
  `;
  const said = [...mail.description.matchAll(/\d+/g)].map(Number);

  expect(said).toEqual([found?.["messages"], found?.["mailboxes"]]);
});

test("no message is later than its clock, and each answer is later than its question", async () => {
  const now = Date.parse(mail.now);
  const [{ later } = { later: -1 }] = await database.sql`
    select count(*)::int as later from bench.messages where "internalDate" >= ${now}
  `;
  const reversed = await database.sql`
    select answer.subject from bench.messages answer
    join bench.messages question on question."messageId" = answer."inReplyTo"
    where question."internalDate" > answer."internalDate"
  `;

  expect(later).toBe(0);
  expect([...reversed]).toEqual([]);
});
