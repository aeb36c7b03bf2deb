/** Actions that wait are not done if the agent has done something meanwhile. */
import { describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

type Environment = { environmentId: string; environmentUrl: string; schemaName: string };

const CHANNEL = "C01GENERAL";
const FROZEN = { clock: { now: "2026-03-11T12:00:00.000Z", mode: "frozen" } };
const IN_THREAD = {
  diff_type: "added",
  entity: "messages",
  where: { thread_ts: { $trigger: "ts" } },
};
/** John asks again, unless the agent has answered in the thread. */
const ASKS_AGAIN = {
  name: "john-asks-again",
  as: "U02JOHNADOE",
  when: { diff_type: "added", entity: "messages", where: { text: { i_contains: "question" } } },
  after: "PT10M",
  unless: IN_THREAD,
  say: { text: "Any news?", thread_ts: { $trigger: "ts" } },
};

const open = (counterparts: object[]): Promise<Environment> =>
  program.environment({ ...FROZEN, counterparts });
const post = async (environment: Environment, text: string, fields: object = {}) => {
  const message = { channel: CHANNEL, text, ...fields };
  const answer = await program.chat(environment, "chat.postMessage", message);
  expect(answer).toMatchObject({ ok: true });
  return answer.ts as string;
};
const show = async ({ environmentId }: Environment) => {
  const answer = await program.get(`/env/${environmentId}/counterparts`);
  expectStatus(answer, 200);
  return answer.body;
};
const move = async ({ environmentId }: Environment, advance: string) => {
  const answer = await program.post(`/env/${environmentId}/clock`, { advance });
  expectStatus(answer, 200);
  return answer.body.effects as { kind: string }[];
};
const textsOf = async (environment: Environment, ts: string) => {
  const args = { channel: CHANNEL, ts };
  const { messages } = await program.chat(environment, "conversations.replies", args);
  return messages.slice(1).map(({ text }: { text: string }) => text) as string[];
};

describe("an action", () => {
  test("is dropped by what the agent does about its own row, and not about another", async () => {
    const environment = await open([{ ...ASKS_AGAIN, times: 2 }]);
    const first = await post(environment, "question 1");
    const second = await post(environment, "question 2");
    await post(environment, "answer", { thread_ts: second });
    expect(await show(environment)).toMatchObject({
      counterparts: [{ fired: 0, dropped: 1 }],
      pending: [{ name: "john-asks-again" }],
    });
    expect(await move(environment, "PT10M")).toHaveLength(1);

    expect(await textsOf(environment, first)).toEqual(["Any news?"]);
    expect(await textsOf(environment, second)).toEqual(["answer"]);
    expect(await show(environment)).toMatchObject({ counterparts: [{ fired: 1, dropped: 1 }] });
  });

  test("that is dropped does not count among the times of its rule", async () => {
    const environment = await open([ASKS_AGAIN]);
    const first = await post(environment, "question 1");
    const ignored = await post(environment, "question 2"); // the first one waits
    await post(environment, "answer", { thread_ts: first });
    const third = await post(environment, "question 3");
    await move(environment, "PT1H");

    expect(await textsOf(environment, first)).toEqual(["answer"]);
    expect(await textsOf(environment, ignored)).toEqual([]);
    expect(await textsOf(environment, third)).toEqual(["Any news?"]);
    expect(await show(environment)).toMatchObject({ counterparts: [{ fired: 1, dropped: 1 }] });
  });

  test("is not dropped by its own cause, by what was before, or by another counterpart", async () => {
    const unless = { diff_type: "added", entity: "messages" };
    const answers = {
      ...{ name: "robin-answers", as: "U03ROBINRAY", when: ASKS_AGAIN.when },
      say: { text: "I do not know.", thread_ts: { $trigger: "ts" } },
    };
    const environment = await open([answers, { ...ASKS_AGAIN, unless }]);
    await post(environment, "a message");
    const ts = await post(environment, "a question");
    await move(environment, "PT10M");
    expect(await textsOf(environment, ts)).toEqual(["I do not know.", "Any news?"]);
  });

  test("is dropped by a change of another table, also one that a server has left that died", async () => {
    const unless = { diff_type: "changed", entity: "channels", expected_changes: { topic: {} } };
    const environment = await open([{ ...ASKS_AGAIN, unless }]);
    await post(environment, "a question");
    await database.sql.unsafe(
      `update ${environment.schemaName}.channels set topic = jsonb_set(topic, '{value}', '"left"') where id = '${CHANNEL}'`,
    );
    expect(await move(environment, "PT10M")).toEqual([]);
    expect(await show(environment)).toMatchObject({
      counterparts: [{ fired: 0, dropped: 1 }],
      pending: [],
    });
  });

  test("is dropped by what follows among the same changes", async () => {
    const environment = await open([ASKS_AGAIN]);
    const insert = (ts: string, text: string, thread: string) =>
      database.sql.unsafe(
        `insert into ${environment.schemaName}.messages (channel_id, ts, user_id, text, thread_ts)
         values ('${CHANNEL}', '${ts}', 'U01AGENTONE', '${text}', ${thread})`,
      );
    // As a server leaves it that dies then.
    await insert("1900000000.000001", "a question", "null");
    await insert("1900000000.000002", "an answer", "'1900000000.000001'");
    expect(await textsOf(environment, "1900000000.000001")).toEqual(["an answer"]);
    expect(await show(environment)).toMatchObject({
      counterparts: [{ fired: 0, dropped: 1 }],
      pending: [],
    });
  });

  test("of a fork is dropped there only", async () => {
    const environment = await open([ASKS_AGAIN]);
    const ts = await post(environment, "a question");
    const made = await program.post(`/env/${environment.environmentId}/fork`, {});
    const [fork] = made.body.environments;
    await post(fork, "answer", { thread_ts: ts });
    for (const each of [environment, fork]) await move(each, "PT10M");
    expect(await textsOf(environment, ts)).toEqual(["Any news?"]);
    expect(await textsOf(fork, ts)).toEqual(["answer"]);
  });

  test("whose row has no value to compare with is done", async () => {
    const where = { text: { $trigger: "metadata" } };
    const environment = await open([{ ...ASKS_AGAIN, unless: { ...IN_THREAD, where } }]);
    const metadata = { event_type: "asked", event_payload: { n: 1 } };
    const ts = await post(environment, "a question", { metadata });
    await post(environment, "another message");
    await move(environment, "PT10M");
    expect(await textsOf(environment, ts)).toEqual(["Any news?"]);
  });
});

test("an object that the agent has written is not read as operators", async () => {
  const where = { text: { $trigger: "metadata.event_payload" } };
  const environment = await open([{ ...ASKS_AGAIN, unless: { ...IN_THREAD, where } }]);
  const metadata = { event_type: "asked", event_payload: { contains: "" } };
  const ts = await post(environment, "a question", { metadata });
  await post(environment, "another message");
  await move(environment, "PT10M");
  expect(await textsOf(environment, ts)).toEqual(["Any news?"]);
});

test.each<[object, string]>([
  [{ after: undefined }, "unless: only an action that waits has it; give after, too"],
  [{ unless: { ...IN_THREAD, entity: "mesages" } }, 'unless.entity: there is no table "mesages"'],
  [{ unless: { ...IN_THREAD, where: { txt: "a" } } }, 'unless.where: messages has no column "txt"'],
  [
    { unless: { ...IN_THREAD, where: { text: { $trigger: "tss" } } } },
    'unless: $trigger: the row has no column "tss"',
  ],
  [
    { unless: { ...IN_THREAD, where: { text: { contains: { $trigger: "ts" } } } } },
    "unless.where.text.contains: the column is text, so its value is text",
  ],
  [
    {
      keep: { ts: { $trigger: "ts" } },
      unless: { ...IN_THREAD, where: { text: { $kept: "ts" } } },
    },
    "unless: $kept: only actions can have it",
  ],
  [
    { unless: { ...IN_THREAD, where: { text: { regex: "a" } } } },
    "unless.where: rules take no regex",
  ],
])("%j is rejected", async (fields, message) => {
  const answer = await program.post("/initEnv", {
    ...{ templateService: "chat", templateName: "chat_default" },
    ...{ impersonateUserId: "U01AGENTONE", counterparts: [{ ...ASKS_AGAIN, ...fields }] },
  });
  expectRefusal(answer, 400, "invalid_request");
  expect(answer.body.detail).toContain(`counterparts[0].${message}`);
});
