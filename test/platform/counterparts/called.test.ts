/** Rules that are set off by calls, and actions that calls end. */
import { describe, expect, test } from "bun:test";
import { YAML } from "bun";
import { useSharedDatabase } from "../../support/database";
import { callTool, endpointOf } from "../../support/mcp";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { CHANNEL, clock, JOHN, NOON, on, ROBIN, says, then } from "./people";

const database = useSharedDatabase();
const program = useProgram(database);
const { move, post, show, put } = on(program);
const open = (counterparts: object[], fields: object = {}): Promise<Environment> =>
  program.environment({ ...clock("frozen"), counterparts, ...fields });

type Environment = {
  environmentId: string;
  environmentUrl: string;
  schemaName: string;
  token: string;
};

const called = (entity: string, fields: object = {}) => ({
  when: { diff_type: "called", entity, ...fields },
});
/** The messages of people, read without a call. */
const texts = async ({ schemaName }: { schemaName: string }, table = "messages") => {
  const rows = await database.sql.unsafe<{ text: string }[]>(
    `select text from ${schemaName}.${table} where user_id in ('${JOHN}', '${ROBIN}') and ts >= '${NOON / 1_000}' order by ts`,
  );
  return rows.map(({ text }) => text);
};
const read = (environment: Environment, channel = CHANNEL) =>
  program.chat(environment, "conversations.info", { channel });
const firedIn = async (environment: { environmentId: string }) =>
  (await show(environment)).counterparts.map(({ fired }: any) => fired);
const left = async ({ environmentId }: Environment) => {
  const rows = await database.sql`
    select from diorama.counterpart_changes where environment_id = ${environmentId}
  `;
  return rows.length;
};
/** Posts what it takes from the call. */
const repeats = (value: unknown, fields: object) => ({
  ...{ name: "john-repeats", as: JOHN, times: 100, ...fields },
  call: { method: "chat.postMessage", arguments: { channel: CHANNEL, text: value } },
});

describe("a rule with a call", () => {
  test("is set off by each such call, before its answer, also if nothing else happens", async () => {
    const environment = await open([
      says("john saw it", { ...called("conversations.info"), times: 2 }),
    ]);
    await Promise.all([read(environment), read(environment), read(environment)]);
    await program.chat(environment, "conversations.list");
    expect(await texts(environment)).toEqual(["john saw it", "john saw it"]);
    expect(await firedIn(environment)).toEqual([2]);
    expect(await left(environment)).toBe(0);
  });

  test("looks at the fields that assertions have, and takes them", async () => {
    const failed = called("conversations.*", { where: { error: { not_null: true } } });
    const environment = await open([repeats({ $trigger: "error" }, failed)]);
    await read(environment);
    await read(environment, "C0NOWHERE");
    expect(await texts(environment)).toEqual(["channel_not_found"]);

    const inRandom = {
      where: { "arguments.channel": "C02RANDOM", via: "rest", status: 200, fault: null },
    };
    expectStatus(
      await put(environment, [repeats({ $trigger: "arguments.channel" }, called("*", inRandom))]),
      200,
    );
    await read(environment);
    await read(environment, "C02RANDOM");
    expect((await texts(environment)).slice(1)).toEqual(["C02RANDOM"]);
  });

  test("lets a person help when a call has failed, as on the page", async () => {
    const page = await Bun.file("src/docs/counterparts.md").text();
    const example = page.split("### Set off by a call")[1]?.split("```")[1]?.replace("yaml", "");
    const environment = await open((YAML.parse(example ?? "") as any).counterparts);
    const random = { channel: "C02RANDOM", text: "the agent" };
    await program.chat(environment, "conversations.leave", random);
    const [first, second] = [
      await program.chat(environment, "chat.postMessage", random),
      await program.chat(environment, "chat.postMessage", random),
    ];
    expect([first.error, second.ok]).toEqual(["not_in_channel", true]);
  });

  test("acts later, is followed, and keeps values of the call", async () => {
    const environment = await open([
      {
        ...says("john waits", { ...called("conversations.info"), after: "PT5M" }),
        keep: { place: { $trigger: "arguments.channel" } },
        ...then("robin"),
      },
      {
        ...{ name: "robin", as: ROBIN },
        call: {
          method: "chat.postMessage",
          arguments: { channel: { $trigger: "arguments.channel" }, text: { $kept: "place" } },
        },
      },
    ]);
    await read(environment);
    expect(await texts(environment)).toEqual([]);
    await move(environment, { to: "next" });
    expect(await texts(environment)).toEqual(["john waits", CHANNEL]);
  });

  test("comes after the rules that the changes of the call set off", async () => {
    const environment = await open([
      says("john hears", called("chat.postMessage")),
      says("robin sees", { when: { diff_type: "added", entity: "messages" } }, ROBIN),
    ]);
    await post(environment, "the agent");
    expect(await texts(environment)).toEqual(["robin sees", "john hears"]);
  });

  test("hears calls of tools by their names", async () => {
    const environment = await open([
      repeats(
        { $trigger: "arguments.channel_id" },
        called("slack_read_channel", { where: { via: "mcp" } }),
      ),
    ]);
    await callTool(endpointOf(program, environment), "slack_read_channel", { channel_id: CHANNEL });
    expect(await texts(environment)).toEqual([CHANNEL]);
  });

  test("hears calls that a fault answers in place of the service, as assertions do", async () => {
    const faults = [
      { fault: "rate_limited", method: "conversations.info", when: { times: 1 } },
      { fault: "lost_answer", method: "conversations.info", when: { times: 1 } },
    ];
    const fails = called("conversations.info", { where: { status: { gte: 429 } } });
    const environment = await open([repeats({ $trigger: "fault" }, fails)], { faults });
    for (let n = 0; n < 3; n++)
      await fetch(
        `${program.url}${environment.environmentUrl}/conversations.info?channel=${CHANNEL}`,
      );
    expect(await texts(environment)).toEqual(["rate_limited", "lost_answer"]);
  });

  test("hears calls of a run that keeps no journal", async () => {
    const environment = await open([says("john saw it", called("conversations.info"))]);
    const run = await program.post("/startRun", {
      envId: environment.environmentId,
      journal: "off",
    });
    expectStatus(run, 201);
    await read(environment);
    expect(await texts(environment)).toEqual(["john saw it"]);
  });

  test("does not hear other people, nor the console", async () => {
    const environment = await open([
      says("john posts", { when: { diff_type: "added", entity: "messages" } }),
      says(
        "robin hears",
        { ...called("*", { where: { arguments: { contains: "john" } } }), times: 9 },
        ROBIN,
      ),
      says("robin saw it", { ...called("conversations.info"), times: 9 }, ROBIN),
    ]);
    await post(environment, "the agent");
    await fetch(
      `${program.url}${environment.environmentUrl}/conversations.info?channel=${CHANNEL}`,
      {
        headers: { "X-Diorama-View": "1" }, // with the development key
      },
    );
    expect(await firedIn(environment)).toEqual([1, 0, 0]);
  });

  test("takes arguments that Postgres does not store", async () => {
    const environment = await open([
      { ...repeats({ $trigger: "arguments.text" }, called("chat.*")), after: "PT1M" },
    ]);
    const text = "\u0000 \\u0000 \ud800";
    const answer = await program.chat(environment, "chat.postMessage", { channel: CHANNEL, text });
    expect(answer.ok).toBe(false);
    await move(environment, { to: "next" });
    expect(await texts(environment)).toEqual(["\ufffd \\u0000 \ufffd"]);
  });

  test("takes arguments as the journal has them: cut", async () => {
    const environment = await open([
      repeats({ $trigger: ["arguments.text", "arguments.characters"] }, called("chat.postMessage")),
    ]);
    await post(environment, "x".repeat(20_000));
    expect(Number((await texts(environment))[0])).toBeGreaterThan(20_000);
  });

  test.each([
    [
      called("conversations.inof"),
      'entity: there is no call "conversations.inof"; the nearest is "conversations.info"',
    ],
    [called("*", { where: { retry: 1 } }), "where.retry: a rule does not know earlier calls"],
    [called("*", { where: { n: 1 } }), 'where: * has no column "n"'],
    [called("*", { from: "any" }), "from: calls are always the agent's"],
  ])("is rejected with %j", async (fields, problem) => {
    const environment = await open([]);
    const answer = await put(environment, [says("john", fields)]);
    expectRefusal(answer, 400, "invalid_request", `counterparts[0].when.${problem}`);
  });
});

describe("in a world, a rule with a call", () => {
  test("hears those of its service, or of the one that is named", async () => {
    const answer = await program.post("/initEnv", {
      ...{ templateService: "world", templateName: "acme", impersonateEmail: "agent@acme.test" },
      ...clock("frozen"),
      counterparts: [
        { ...says("john hears", called("*")), service: "chat" },
        { ...says("robin hears", called("*", { service: "tracker" }), ROBIN), service: "chat" },
      ],
    });
    expectStatus(answer, 201);
    const call = (path: string, body: object) =>
      fetch(`${program.url}/api/env/${answer.body.environmentId}/services/${path}`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${answer.body.token}`,
          "Content-Type": "application/json",
        },
        body: JSON.stringify(body),
      });
    await call("tracker/graphql", { query: "{ viewer { id } }" });
    expect(await texts(answer.body, "chat_messages")).toEqual(["robin hears"]);
    await call("chat/conversations.list", {});
    expect(await texts(answer.body, "chat_messages")).toEqual(["robin hears", "john hears"]);
    await program.call("DELETE", `/env/${answer.body.environmentId}`);
  });
});

describe("an action that waits", () => {
  const asks = {
    ...says("any news?", {
      when: { diff_type: "added", entity: "messages" },
      after: "PT10M",
      times: 9,
    }),
    unless: {
      ...{ diff_type: "called", entity: "*" },
      where: { "arguments.channel": { $trigger: "channel_id" } },
    },
  };
  const state = async (environment: Environment) => {
    const { counterparts, pending } = await show(environment);
    return { dropped: counterparts[0].dropped, pending: pending.length };
  };

  test("is dropped by a later call, and not by the one that set it off", async () => {
    const environment = await open([asks]);
    await post(environment, "the agent");
    await read(environment, "C02RANDOM");
    expect(await state(environment)).toEqual({ dropped: 0, pending: 1 });
    await read(environment);
    expect(await state(environment)).toEqual({ dropped: 1, pending: 0 });
    await post(environment, "the agent again");
    expect(await state(environment)).toEqual({ dropped: 1, pending: 1 });
  });

  test("is dropped by a call that sets off another one", async () => {
    const { when } = called("conversations.info");
    const asksOf = { when, unless: when, after: "PT1M", times: 2 };
    const environment = await open([says("nobody reads", asksOf)]);
    await read(environment);
    await read(environment);
    expect(await state(environment)).toEqual({ dropped: 1, pending: 1 });
  });

  test("is dropped by a call that a fault answers", async () => {
    const unless = { diff_type: "called", entity: "conversations.info" };
    const faults = [{ fault: "rate_limited", method: "conversations.info" }];
    const environment = await open([{ ...asks, unless }], { faults });
    await post(environment, "the agent");
    await read(environment).catch(() => undefined);
    expect(await state(environment)).toEqual({ dropped: 1, pending: 0 });
  });
});
