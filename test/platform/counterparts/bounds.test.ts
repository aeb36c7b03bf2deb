/** Changes that may set off rules are looked at in parts of bounded size, and not at all when no rule can act any more. */
import { expect, test } from "bun:test";
import { deleteChanges, listChanges } from "~/platform/counterparts/store";
import { useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";

const database = useDatabase();
const program = useProgram(database);

const MB = 1024 * 1024;
const CHANNEL = "C01GENERAL";
const CORRECTS = {
  ...{ name: "john-corrects", as: "U02JOHNADOE" },
  when: { diff_type: "changed", entity: "channels", expected_changes: { topic: {} } },
  call: {
    method: "conversations.setTopic",
    arguments: { channel: { $trigger: "id" }, topic: "by John" },
  },
};

/** Notes a change of so many bytes, in a transaction with this number. */
const note = (environmentId: string, transaction: number, bytes: number, table = "none") =>
  database.sql`
    insert into diorama.counterpart_changes (environment_id, transaction, table_name, after)
    values (${environmentId}, ${String(transaction)}::text::xid8, ${table}, repeat('x', ${bytes}))
  `;
const count = async (environmentId: string) => {
  const rows = await database.sql`
    select from diorama.counterpart_changes where environment_id = ${environmentId}
  `;
  return rows.length;
};

test("whole transactions are read, as many as fit and one in any case", async () => {
  for (const [transaction, bytes] of [
    [5, 20 * MB],
    [6, 10 * MB],
    [5, 1],
    [7, 10 * MB],
    [6, 1],
    [8, 1],
  ] as const)
    await note("bounded", transaction, bytes);
  const parts: string[][] = [];
  for (let hasMore = true; hasMore; ) {
    const next = await listChanges(database.sql, "bounded", 16 * MB);
    parts.push(next.rows.map(({ transaction }) => transaction));
    const numbers = next.rows.map(({ number }) => number);
    await deleteChanges(database.sql, "bounded", numbers);
    ({ hasMore } = next);
  }
  expect(parts).toEqual([
    ["5", "5"],
    ["6", "6"],
    ["7", "8"],
  ]);
  expect(await count("bounded")).toBe(0);
});

test("what comes after many changes sets off rules before the next call", async () => {
  const environment = await program.environment({ counterparts: [CORRECTS] });
  const { environmentId, schemaName } = environment;
  for (const transaction of [1, 2, 3]) await note(environmentId, transaction, 10 * MB);
  await database.sql.unsafe(
    `update ${schemaName}.channels set topic = jsonb_set(topic, '{value}', '"left"') where id = '${CHANNEL}'`,
  );
  const { channel } = await program.chat(environment, "conversations.info", { channel: CHANNEL });
  expect(channel.topic.value).toBe("by John");
  expect(await count(environmentId)).toBe(0);
});

test("no change is looked at after the last action", async () => {
  const environment = await program.environment({ counterparts: [CORRECTS] });
  const { environmentId } = environment;
  const change = { channel: CHANNEL, topic: "mine" };
  expect(await program.chat(environment, "conversations.setTopic", change)).toMatchObject({
    ok: true,
  });
  await note(environmentId, 1, 10, "channels");
  // A look at the change with this rule fails.
  await database.sql`
    update diorama.counterparts set rules = replace(rules::text, '"channels"', '"gone"')::json
    where environment_id = ${environmentId}
  `;
  const answer = await program.chat(environment, "conversations.info", { channel: CHANNEL });
  expect(answer.channel.topic.value).toBe("by John");
  expect(await count(environmentId)).toBe(0);
  const { runId } = (await program.post("/startRun", { envId: environmentId })).body;
  await note(environmentId, 2, 10, "channels");
  expectStatus(await program.post("/diffRun", { runId }), 200);
});

test.each(["agent", "any"])(
  "more actions than are read together are done by one move, with from %s",
  async (from) => {
    const count = 120;
    const asked = { diff_type: "added", entity: "messages", where: { text: { contains: "ask" } } };
    const answered = { ...asked, from, where: { thread_ts: { $trigger: "ts" } } };
    const answers = {
      ...{ name: "john-answers", as: "U02JOHNADOE", when: { ...asked, from }, after: "PT1M" },
      ...{ say: { text: "yes", thread_ts: { $trigger: "ts" } }, times: count, unless: answered },
    };
    const environment = await program.environment({
      ...{ counterparts: [answers], clock: { mode: "frozen" } },
    });
    const { environmentId, schemaName } = environment;
    await database.sql.unsafe(
      `insert into ${schemaName}.messages (channel_id, ts, user_id, text)
     select '${CHANNEL}', (1900000000 + n) || '.000001', 'U01AGENTONE', 'ask ' || n from generate_series(1, ${count}) n`,
    );
    const { body } = await program.post(`/env/${environmentId}/clock`, { advance: "PT1H" });
    expect(body.effects).toHaveLength(count);
    const shown = (await program.get(`/env/${environmentId}/counterparts`)).body;
    expect(shown).toMatchObject({ counterparts: [{ fired: count, dropped: 0 }], pending: [] });
  },
);
