/** Which rules an environment can have, what sets them off, and what becomes of them. */
import { describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { AGENT, JOHN as TRACKER_JOHN } from "../../support/tracker";

const database = useSharedDatabase();
const program = useProgram(database);

type Environment = { environmentId: string; environmentUrl: string; schemaName: string };

const CHANNEL = "C01GENERAL";
const JOHN = "U02JOHNADOE";
const ANY_MESSAGE = { diff_type: "added", entity: "messages" };
const REPLIES = {
  ...{ name: "john-replies", as: JOHN, when: ANY_MESSAGE },
  say: { text: "Seen.", thread_ts: { $trigger: ["thread_ts", "ts"] } },
};

const open = (counterparts: object[], fields: object = {}): Promise<Environment> =>
  program.environment({ counterparts, ...fields });
const post = async (environment: Environment, text: string) => {
  const answer = await program.chat(environment, "chat.postMessage", { channel: CHANNEL, text });
  expect(answer).toMatchObject({ ok: true });
  return answer;
};
const textsIn = async (environment: Environment) => {
  const { messages } = await program.chat(environment, "conversations.history", {
    channel: CHANNEL,
    limit: 200,
  });
  return messages.map(({ text }: { text: string }) => text) as string[];
};
const repliesTo = async (environment: Environment, ts: string) => {
  const { messages } = await program.chat(environment, "conversations.replies", {
    channel: CHANNEL,
    ts,
  });
  return messages.slice(1).map(({ text }: { text: string }) => text) as string[];
};
const rulesOf = async ({ environmentId }: { environmentId: string }) => {
  const answer = await program.get(`/env/${environmentId}/counterparts`);
  expectStatus(answer, 200);
  return answer.body.counterparts;
};
const firedIn = async (environment: { environmentId: string }) =>
  (await rulesOf(environment)).map(({ fired }: { fired: number }) => fired);
const left = async ({ environmentId }: Environment) =>
  (
    await database.sql`
    select from diorama.counterpart_changes where environment_id = ${environmentId}
  `
  ).length;

describe("what sets a rule off", () => {
  test("each change once, whichever calls are made at the same time", async () => {
    const environment = await open([{ ...REPLIES, times: 1_000 }]);
    const posted = await Promise.all(
      Array.from({ length: 12 }, (_, n) => post(environment, `message ${n}`)),
    );

    for (const { ts } of posted) expect(await repliesTo(environment, ts)).toEqual(["Seen."]);
    expect(await firedIn(environment)).toEqual([12]);
    expect(await left(environment)).toBe(0);
  });

  test("so many times, also of calls that are made at the same time", async () => {
    const environment = await open([{ ...REPLIES, times: 3 }]);
    await Promise.all(Array.from({ length: 8 }, (_, n) => post(environment, `message ${n}`)));
    const [row] = await database.sql.unsafe(
      `select count(*)::int as count from ${environment.schemaName}.messages where text = 'Seen.'`,
    );

    expect(row?.["count"]).toBe(3);
    expect(await firedIn(environment)).toEqual([3]);
  });

  test("a change whose call was never answered, because its server died: ahead of the next call", async () => {
    const environment = await open([REPLIES]);
    const { schemaName } = environment;
    // As such a call leaves it.
    await database.sql.unsafe(
      `insert into ${schemaName}.messages (channel_id, ts, user_id, text)
       values ('${CHANNEL}', '1900000000.000001', 'U01AGENTONE', 'not answered')`,
    );
    expect(await left(environment)).toBe(1);

    expect(await repliesTo(environment, "1900000000.000001")).toEqual(["Seen."]);
    expect(await left(environment)).toBe(0);
  });

  test("not what another rule has done, and not what the clock does", async () => {
    const environment = await open(
      [
        REPLIES,
        { ...REPLIES, name: "robin", as: "U03ROBINRAY", times: 100, say: { text: "Me too." } },
      ],
      { clock: { now: "2026-03-11T12:00:00.000Z", mode: "frozen" } },
    );
    const later = { channel: CHANNEL, text: "later", post_at: 1_773_234_000 };
    await program.chat(environment, "chat.scheduleMessage", later);
    const moved = await program.post(`/env/${environment.environmentId}/clock`, {
      advance: "P1D",
    });
    expect(moved.body.effects).toHaveLength(1);
    await post(environment, "one message");

    expect(await firedIn(environment)).toEqual([1, 1]);
    expect(await textsIn(environment)).toEqual(expect.arrayContaining(["Me too.", "later"]));
  });

  test("the net change of a transaction, with conditions on all columns of the row", async () => {
    const when = {
      ...{ diff_type: "changed", entity: "channels", where: { name: "general" } },
      expected_changes: { purpose: {} },
    };
    const say = { text: "A new purpose", channel: { $trigger: "id" } };
    const environment = await open([
      { name: "purpose", as: JOHN, when, say },
      {
        name: "text",
        as: JOHN,
        when: { ...ANY_MESSAGE, where: { text: 'say "(a,b)\\" now' } },
        say: { text: "Odd" },
      },
    ]);
    await program.chat(environment, "conversations.setTopic", { channel: CHANNEL, topic: "t" });
    expect(await firedIn(environment)).toEqual([0, 0]);
    await program.chat(environment, "conversations.setPurpose", { channel: CHANNEL, purpose: "p" });
    await post(environment, 'say "(a,b)\\" now');

    expect(await firedIn(environment)).toEqual([1, 1]);
    expect(await textsIn(environment)).toEqual(expect.arrayContaining(["A new purpose", "Odd"]));
  });
});

describe("an action", () => {
  test("that the service rejects changes nothing, and is shown", async () => {
    const environment = await open([
      {
        ...{ name: "nowhere", as: JOHN, when: ANY_MESSAGE },
        say: { text: "lost", channel: "C0NOWHERE1" },
      },
      { ...REPLIES, times: 2 },
    ]);
    const envId = environment.environmentId;
    const { body: run } = await program.post("/startRun", { envId });
    const { ts } = await post(environment, "hello");
    const { body } = await program.post("/diffRun", {
      runId: run.runId,
      include: ["counterpart"],
    });

    expect(await rulesOf(environment)).toMatchObject([
      { name: "nowhere", fired: 1, lastError: "channel_not_found" },
      { name: "john-replies", fired: 1, lastError: null },
    ]);
    expect(await repliesTo(environment, ts)).toEqual(["Seen."]);
    const messages = body.diff.inserts.filter(({ __table__ }: any) => __table__ === "messages");
    expect(messages.map(({ text, __actor__ }: any) => [text, __actor__])).toEqual([
      ["hello", undefined],
      ["Seen.", "counterpart"],
    ]);
  });

  test("moves no clock, is no call, and has ids that derive from the seed", async () => {
    const settings = { clock: { now: "2026-03-11T12:00:00.000Z", mode: "step" }, seed: 3 };
    const story = async (counterparts: object[]) => {
      const environment = await open(counterparts, settings);
      const { ts } = await post(environment, "first");
      const second = await post(environment, "second");
      const replies = await program.chat(environment, "conversations.replies", {
        channel: CHANNEL,
        ts,
      });
      return { own: [ts, second.ts], reply: replies.messages[1]?.ts };
    };
    const [bare, one, two] = [await story([]), await story([REPLIES]), await story([REPLIES])];

    expect(one.own).toEqual(bare.own);
    expect(two).toEqual(one);
    expect(one.reply).toStartWith(bare.own[0].split(".")[0]);
  });

  test("is an event like any other, whose cause is a counterpart", async () => {
    const events = { apps: [{ app: "A01AGENTBOT", events: ["message.channels"] }] };
    const environment = await open([REPLIES], { events });
    await post(environment, "hello");
    const { body } = await program.get(`/env/${environment.environmentId}/deliveries`);

    expect(
      body.events.map(({ cause, payload }: any) => [cause.by, payload.text ?? payload.event?.text]),
    ).toEqual([
      ["call", "hello"],
      ["counterpart", "Seen."],
    ]);
  });

  test("is a mutation of the tracker, with values of the row", async () => {
    const fields = {
      templateService: "tracker",
      templateName: "tracker_default",
      impersonateUserId: AGENT,
    };
    const rule = {
      ...{ name: "john-comments", as: "john@acme.test" },
      when: {
        ...{ diff_type: "added", entity: "issues" },
        where: { title: { contains: "urgent" } },
      },
      call: {
        operation: "commentCreate",
        arguments: { input: { issueId: { $trigger: "id" }, body: "I take this." } },
      },
    };
    const environment = await open([rule], fields);
    const ask = async (query: string, variables: object) => {
      const response = await fetch(`${program.url}${environment.environmentUrl}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ query, variables }),
      });
      return ((await response.json()) as any).data;
    };
    const input = { teamId: "c0000000-0000-4000-8000-000000000001", title: "urgent: fix it" };
    const { issueCreate } = await ask(
      "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }",
      { input },
    );
    const { issue } = await ask(
      "query ($id: String!) { issue(id: $id) { comments { nodes { body user { id } } } } }",
      { id: issueCreate.issue.id },
    );

    expect(await rulesOf(environment)).toMatchObject([{ fired: 1, lastError: null }]);
    expect(issue.comments.nodes).toEqual([{ body: "I take this.", user: { id: TRACKER_JOHN } }]);
  });

  test("of a person in one service of a world, set off in another", async () => {
    const made = await program.post("/initEnv", {
      ...{ templateService: "world", templateName: "acme", impersonateEmail: "agent@acme.test" },
      counterparts: [
        {
          ...{ name: "announces", as: JOHN, service: "chat" },
          when: { diff_type: "added", service: "tracker", entity: "issues" },
          say: { text: "A new issue!", channel: CHANNEL },
        },
        {
          ...{ name: "mails", as: "john@acme.test", service: "mail" },
          when: { diff_type: "added", entity: "tracker_issues" },
          call: {
            tool: "create_draft",
            arguments: { to: ["agent@acme.test"], subject: { $trigger: "title" }, body: "…" },
          },
        },
      ],
    });
    expectStatus(made, 201);
    const at = `${program.url}/api/env/${made.body.environmentId}/services`;
    const call = async (path: string, body: object) => {
      const response = await fetch(`${at}/${path}`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${made.body.token}`,
          "Content-Type": "application/json",
        },
        body: JSON.stringify(body),
      });
      return (await response.json()) as any;
    };
    await call("tracker/graphql", {
      query: "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }",
      variables: { input: { teamId: "c0000000-0000-4000-8000-000000000001", title: "one" } },
    });
    const { messages } = await call("chat/conversations.history", { channel: CHANNEL, limit: 1 });

    expect(await rulesOf(made.body)).toMatchObject([
      { fired: 1, lastError: null },
      { fired: 1, lastError: null },
    ]);
    expect(messages).toMatchObject([{ text: "A new issue!", user: JOHN }]);
    await program.call("DELETE", `/env/${made.body.environmentId}`);
  });
});

describe("the rules of an environment", () => {
  test("are replaced between runs, and begin anew after a reset", async () => {
    const environment = await open([]);
    const path = `/env/${environment.environmentId}`;
    const put = (counterparts: object[]) =>
      program.call("PUT", `${path}/counterparts`, { counterparts });
    await post(environment, "nobody listens");
    expectStatus(await put([{ ...REPLIES, times: 2 }]), 200);
    await post(environment, "one");
    expect(await firedIn(environment)).toEqual([1]);
    const { body } = await program.post("/startRun", { envId: environment.environmentId });
    expectRefusal(await put([]), 400, "invalid_request");
    await program.post("/diffRun", { runId: body.runId });
    expectStatus(await program.post(`${path}/reset`, {}), 200);

    expect(await firedIn(environment)).toEqual([0]);
    const { ts } = await post(environment, "again");
    expect(await repliesTo(environment, ts)).toEqual(["Seen."]);
    expectStatus(await put([]), 200);
    const { ts: last } = await post(environment, "nobody listens any more");
    expect(await repliesTo(environment, last)).toEqual([]);
    expect(await left(environment)).toBe(0);
  });

  test("cost nothing, also after a reset, if there are none", async () => {
    const { environmentId } = await open([]);
    expectStatus(await program.post(`/env/${environmentId}/reset`, {}), 200);

    const stored = await database.sql`
      select from diorama.counterparts where environment_id = ${environmentId}
    `;
    expect(stored).toBeEmpty();
  });

  test("are those of its forks, with what they have done", async () => {
    const environment = await open([{ ...REPLIES, times: 2 }]);
    const path = `/env/${environment.environmentId}`;
    await post(environment, "one");
    const { body: snapshot } = await program.post(`${path}/snapshots`, {});
    const [{ body: now }, { body: then }] = [
      await program.post(`${path}/fork`, {}),
      await program.post(`${path}/fork`, { snapshotId: snapshot.snapshotId }),
    ];
    const [fork] = now.environments;
    for (const text of ["two", "three"]) await post(fork, text);

    expect(await firedIn(fork)).toEqual([2]);
    expect(await firedIn(then.environments[0])).toEqual([0]);
    expect(await firedIn(environment)).toEqual([1]);
  });

  test("are not part of a template that is saved from it", async () => {
    const environment = await open([REPLIES]);
    const { ts } = await post(environment, "one");
    const saved = await program.post("/templates", {
      ...{ environmentId: environment.environmentId, service: "chat", name: "saved" },
    });
    expectStatus(saved, 201);
    const copy = await open([], { templateName: "saved" });

    expect(await repliesTo(copy, ts)).toEqual(["Seen."]);
    await post(copy, "two");
    expect(await firedIn(copy)).toEqual([]);
    expect(await left(copy)).toBe(0);
  });

  const rule = (fields: object) => [{ ...REPLIES, ...fields }];
  test.each<[object[], string]>([
    [[REPLIES, REPLIES], 'counterparts[1].name: "john-replies" is given twice'],
    [rule({ as: "U0NOBODY" }), 'counterparts[0].as: chat has no user "U0NOBODY" here'],
    [
      rule({ when: { diff_type: "added", entity: "mesages" } }),
      'counterparts[0].when.entity: there is no table "mesages"; the nearest is "messages"',
    ],
    [
      rule({ when: { ...ANY_MESSAGE, where: { txt: "a" } } }),
      'counterparts[0].when.where: messages has no column "txt"',
    ],
    [
      rule({ when: { ...ANY_MESSAGE, where: { text: { regex: "a+" } } } }),
      "counterparts[0].when.where: rules take no regex",
    ],
    [rule({ say: undefined }), "counterparts[0]: one of say, call, act is needed"],
    [
      rule({ say: { text: "a", thread_ts: { $trigger: "tss" } } }),
      'counterparts[0].say: $trigger: the row has no column "tss"',
    ],
    [
      rule({ when: { diff_type: "added", entity: "users" }, say: { text: "Welcome" } }),
      "counterparts[0].say.channel: needed",
    ],
    [
      rule({ say: undefined, call: { method: "chat.postMesage" } }),
      'counterparts[0].call.method: chat has no method "chat.postMesage"; the nearest is "chat.postMessage"',
    ],
    [
      rule({ say: undefined, call: { operation: "issueCreate" } }),
      "counterparts[0].call.operation: chat has methods instead",
    ],
    [
      rule({
        ...{ say: undefined },
        call: { method: "chat.postMessage", arguments: { $trigger: "metadata" } },
      }),
      "counterparts[0].call.arguments: an object is needed; $trigger and $kept can stand for the values in it",
    ],
    [rule({ say: undefined, call: {} }), "counterparts[0].call: one of method, operation, tool"],
    [
      [1, 2].map((n) => ({ ...REPLIES, name: `rule ${n}`, times: 501 })),
      "counterparts: 1002 actions together; at most 1000 are possible",
    ],
  ])("%j are rejected", async (counterparts, message) => {
    const answer = await program.post("/initEnv", {
      ...{ templateService: "chat", templateName: "chat_default" },
      ...{ impersonateUserId: "U01AGENTONE", counterparts },
    });

    expectRefusal(answer, 400, "invalid_request");
    expect(answer.body.detail).toContain(message);
  });
});
