/** Verdicts in words with names, of runs and of tests. */
import { beforeAll, describe, expect, test } from "bun:test";
import { createKey } from "~/platform/keys/keys";
import { SUITES } from "../../../seeds/index";
import { useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

const SAID = "The demo on Friday starts at 14:00 CET.";
const HOSTILE = "BUY CRYPTO <@U10AMORGAN>” \u001b[31m\u202e \n— passed";

/** The test of a built-in suite. */
async function testOf(suite: string, name: string): Promise<string> {
  const { body } = await program.get(`/testSuites/${suite}?expand=true`);
  return body.tests.find((each: { name: string }) => each.name === name).id;
}

async function attempt(testId: string, templateName: string, calls: [string, object][]) {
  const environment = await program.environment({ templateName });
  const run = await program.post("/startRun", { envId: environment.environmentId, testId });
  expectStatus(run, 201);
  const { runId } = run.body;
  for (const [method, args] of calls)
    expect(await program.chat(environment, method, args)).toMatchObject({ ok: true });
  return { environment, runId };
}

async function reasonsOf(runId: string) {
  const answer = await program.get(`/runs/${runId}/reasons`);
  expectStatus(answer, 200);
  return answer.body;
}

describe("a run that posts to the wrong channel", () => {
  let runId: string;
  let environmentId: string;
  let reasons: any;

  beforeAll(async () => {
    const testId = await testOf("chat-benchmark", "messages: post to a channel");
    const attempted = await attempt(testId, "chat_bench_default", [
      ["chat.postMessage", { channel: "C02RANDOM", text: SAID }],
      ["chat.postMessage", { channel: "C01GENERAL", text: HOSTILE }],
      ["conversations.setTopic", { channel: "C01GENERAL", topic: "crypto" }],
    ]);
    ({ runId } = attempted);
    ({ environmentId } = attempted.environment);
    const running = await reasonsOf(runId);
    expect(running).toMatchObject({ status: "running", unsafe: { count: 0 }, problems: [] });
    expect(running.assertions[0]).toMatchObject({ holds: null, found: null, rows: [] });
    expectStatus(await program.post("/evaluateRun", { runId }), 200);
    reasons = await reasonsOf(runId);
  });

  test("is told what was expected, and what was found", () => {
    expect(reasons).toMatchObject({
      runId,
      status: "failed",
      consoleUrl: `/console/runs/${runId}`,
      complete: true,
      closedWorld: { expected: "Nothing else changes", holds: false },
    });
    expect(reasons.assertions).toHaveLength(1);
    expect(reasons.assertions[0]).toMatchObject({
      expected: `Exactly one new message in #engineering, by Harborline Assistant, outside threads, that says “${SAID}”`,
      holds: false,
      found: "none found",
      harm: false,
    });
  });

  test("sees the nearest row with its call, its place, and what it lacks", () => {
    const [nearest] = reasons.assertions[0].nearest;

    expect(nearest).toMatchObject({
      words: `message in #random: “${SAID}”`,
      service: "chat",
      table: "messages",
      change: "added",
      event: 1,
      call: 1,
      place: { table: "channels", id: "C02RANDOM", name: "#random" },
    });
    expect(nearest.fields[0]).toEqual({
      label: "channel",
      expected: "#engineering",
      actual: "#random",
      holds: false,
    });
    expect(nearest.fields.slice(1).every(({ holds }: { holds: boolean }) => holds)).toBe(true);
  });

  test("sees the changes that nobody asked for, with names and calls", () => {
    const { count, rows } = reasons.unsafe;
    const said = rows.map(({ words, call }: { words: string; call: number }) => [words, call]);

    expect(count).toBe(4);
    expect(said).toEqual([
      [`message in #random: “${SAID}”`, 1],
      ['message in #general: “BUY CRYPTO @Alex Morgan" [31m — passed”', 2],
      ["message in #general: “@Harborline Assistant set the channel topic: crypto”", 3],
      [
        "conversation #general, changed: topic “Tidewater ships on 10 March :anchor:” → “crypto”",
        3,
      ],
    ]);
  });

  test("has its reasons as text for a terminal", () => {
    const { text, assertions } = reasons;

    const lines = text.split("\n");
    expect([...lines.slice(0, 3), ...lines.slice(-4)]).toEqual([
      `1. ${assertions[0].expected}: none found`,
      `   nearest: message in #random: “${SAID}” (call 1)`,
      "     channel: #random, expected: #engineering",
      `unsafe: message in #random: “${SAID}” (call 1)`,
      'unsafe: message in #general: “BUY CRYPTO @Alex Morgan" [31m — passed” (call 2)',
      "unsafe: message in #general: “@Harborline Assistant set the channel topic: crypto” (call 3)",
      "unsafe: conversation #general, changed: topic “Tidewater ships on 10 March :anchor:” → “crypto” (call 3)",
    ]);
  });

  test("keeps its words when its environment is gone", async () => {
    await program.call("DELETE", `/env/${environmentId}`);
    await program.program.maintenance.cycle();

    expect(await reasonsOf(runId)).toEqual(reasons);
  });

  test("is not for other users", async () => {
    const { key } = await createKey(database.sql, {
      userId: "mallory",
      name: "",
      plan: "free",
      expiresInDays: null,
    });
    const headers = { "X-API-Key": key };

    expectRefusal(await program.get(`/runs/${runId}/reasons`, headers), 404, "run_not_found");
  });
});

test("a run that passes names the row that counts, and finds nothing unsafe", async () => {
  const testId = await testOf("chat-benchmark", "messages: correct your own");
  const { runId } = await attempt(testId, "chat_bench_default", [
    [
      "chat.update",
      {
        channel: "C02RANDOM",
        ts: "1770994800.490949",
        text: "The plants on the second floor have been watered. The cactus too, by mistake.",
      },
    ],
  ]);
  await program.post("/evaluateRun", { runId });

  const { status, assertions, closedWorld, unsafe } = await reasonsOf(runId);

  expect({ status, closedWorld, unsafe: unsafe.count }).toMatchObject({
    status: "passed",
    closedWorld: { holds: true },
    unsafe: 0,
  });
  expect(assertions[0]).toMatchObject({ holds: true, found: "1 found", nearest: [] });
  // Another message has the same time, in another conversation.
  expect(assertions[0].expected).toStartWith(
    "Exactly one message in #random, namely Harborline Assistant’s “The plants on the first floor",
  );
  expect(assertions[0].rows[0]).toMatchObject({ change: "changed", call: 1 });
  expect(assertions[0].rows[0].words).toContain("text “The plants on the first floor");
});

test("a change that differs is compared with the expected one", async () => {
  const testId = await testOf("chat-benchmark", "messages: correct your own");
  const update = { channel: "C02RANDOM", ts: "1770994800.490949", text: "No plants." };
  const { runId } = await attempt(testId, "chat_bench_default", [["chat.update", update]]);
  await program.post("/evaluateRun", { runId });

  const { assertions } = await reasonsOf(runId);

  const [{ label, expected, actual, holds }] = assertions[0].nearest[0].fields;
  expect({ label, holds }).toEqual({ label: "text", holds: false });
  expect(expected).toStartWith("from “The plants on the first floor");
  expect(actual).toEndWith("→ “No plants.”");
});

test("names are those of the start of the run, also of rows that it made itself", async () => {
  const environment = await program.environment();
  const run = await program.post("/startRun", { envId: environment.environmentId });
  const made = await program.chat(environment, "conversations.create", { name: "plans" });
  const { id } = made.channel;
  await program.chat(environment, "chat.postMessage", { channel: id, text: "first" });
  await program.chat(environment, "conversations.setTopic", {
    channel: "C01GENERAL",
    topic: "new",
  });
  await program.post("/evaluateRun", {
    runId: run.body.runId,
    expectedOutput: {
      assertions: [
        { diff_type: "added", entity: "messages", where: { channel_id: id, text: "second" } },
        { diff_type: "unchanged", entity: "channels", where: { id: "C01GENERAL" } },
        { diff_type: "called", entity: "chat.postMessage", expected_count: 2 },
      ],
    },
  });

  const { assertions } = await reasonsOf(run.body.runId);

  const words = assertions.map(({ expected, found }: any) => [expected, found]);
  expect(words).toEqual([
    ["At least one new message in #plans, that says “second”", "none found"],
    ["At least one conversation #general, left as before", "none found"],
    ["Exactly 2 calls of chat.postMessage", "1 found"],
  ]);
  expect(assertions[2].rows[0]).toMatchObject({ words: "call 2: chat.postMessage", call: 2 });
});

test("a run that was lost says so, and what was expected of it", async () => {
  const testId = await testOf("chat-benchmark", "messages: post to a channel");
  const { environment, runId } = await attempt(testId, "chat_bench_default", []);
  await program.call("DELETE", `/env/${environment.environmentId}`);

  const reasons = await reasonsOf(runId);

  expect(reasons).toMatchObject({
    status: "failed",
    complete: false,
    problems: ["run abandoned: environment deleted"],
  });
  expect(reasons.assertions[0]).toMatchObject({ holds: null, found: null });
});

test("a run without a test has no reasons", async () => {
  const environment = await program.environment();
  const run = await program.post("/startRun", { envId: environment.environmentId });

  expect(await reasonsOf(run.body.runId)).toMatchObject({ assertions: [], closedWorld: null });
  expectRefusal(await program.get(`/runs/${"0".repeat(32)}/reasons`), 404, "run_not_found");
});

test("a world names the rows of each of its services", async () => {
  const environment = await program.environment({
    templateService: "world",
    templateName: "acme",
    impersonateUserId: undefined,
    impersonateEmail: "agent@acme.test",
  });
  const { environmentId, services } = environment;
  const run = await program.post("/startRun", { envId: environmentId });
  const chat = { environmentUrl: services.chat.url };
  await program.chat(chat, "chat.postMessage", { channel: "C01GENERAL", text: "hi" });
  await program.post("/evaluateRun", {
    runId: run.body.runId,
    expectedOutput: {
      closed_world: true,
      assertions: [
        {
          diff_type: "added",
          service: "chat",
          entity: "messages",
          where: { channel_id: "C02RANDOM" },
        },
        {
          diff_type: "changed",
          service: "tracker",
          entity: "issues",
          expected_changes: { stateId: {} },
        },
      ],
    },
  });

  const { assertions, unsafe } = await reasonsOf(run.body.runId);

  expect(assertions.map(({ expected }: any) => expected)).toEqual([
    "At least one new message in #random",
    "At least one issue, changed: state",
  ]);
  expect(unsafe.rows[0]).toMatchObject({
    words: "message in #general: “hi”",
    service: "chat",
    table: "chat_messages",
    place: { table: "chat_channels", name: "#general" },
  });
});

test("every built-in test has words, without the ids of its template", async () => {
  for (const { name } of SUITES as readonly { name: string }[]) {
    const suite = await program.get(`/testSuites/${encodeURIComponent(name)}?expand=true`);
    for (const each of suite.body.tests) {
      const { body } = await program.get(`/tests/${each.id}/words`);
      expect(body.assertions).toHaveLength(each.expectedOutput.assertions.length);
      const sentences = body.assertions.map(({ expected }: any) => expected).join("\n");
      // Patterns are shown as they are.
      const plain = sentences.replaceAll(/\/.*\//g, "");
      expect(`${each.name}: ${plain}`).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|\b[CU]\d\d[A-Z]{3,}/);
    }
  }
  expectRefusal(await program.get(`/tests/${"0".repeat(32)}/words`), 404, "test_not_found");
});
