/** Names of runs, filters of their lists, and the runs beside one. */
import { beforeAll, describe, expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";

const program = useProgram(useDatabase());

const NAME = "Greetings of 2026";
let suiteId: string;
let tests: { id: string; name: string }[];
/** Of two models at two tests, the second one twice at the first; in the order of their start. */
let runIds: string[];

beforeAll(async () => {
  const created = await program.post("/testSuites", {
    name: NAME,
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
    tests: ["threads: answer", "say hello"].map((name) => ({
      name,
      prompt: "Say hello.",
      expectedOutput: {
        assertions: [{ diff_type: "added", entity: "messages", where: { text: "Hello" } }],
      },
    })),
  });
  expectStatus(created, 201);
  suiteId = created.body.suiteId;
  tests = (await program.get(`/testSuites/${suiteId}?expand=true`)).body.tests;
  const [first, second] = tests.map(({ id }) => id);
  runIds = [
    await attempt(first!, "Hello", { model: "careful" }),
    await attempt(first!, "Bye", { model: "hasty", attempt: "1" }),
    await attempt(first!, "Hello", { model: "hasty", attempt: "2" }),
    await attempt(second!, "Hello", { model: "hasty" }),
  ];
});

async function attempt(testId: string, text: string, labels: object): Promise<string> {
  const environment = await program.environment();
  const { environmentId: envId } = environment;
  const run = { envId, testId, testSuiteId: suiteId, labels };
  const started = await program.post("/startRun", run);
  expectStatus(started, 201);
  const { runId, consoleUrl } = started.body;
  expect(consoleUrl).toBe(`/console/runs/${runId}`);
  await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
  const ended = await program.post("/evaluateRun", { runId });
  expectStatus(ended, 200);
  expect(ended.body.consoleUrl).toBe(consoleUrl);
  return runId;
}

const listed = async (query: string): Promise<string[]> => {
  const answer = await program.get(`/runs?${query}`);
  expectStatus(answer, 200);
  return answer.body.runs.map(({ runId }: { runId: string }) => runId).toReversed();
};
const at = (...places: number[]) => places.map((place) => runIds[place]!);

test("a run has the names of its test, suite and template, in lists and alone", async () => {
  const named = {
    testName: "threads: answer",
    testSuiteName: NAME,
    suiteId,
    service: "chat",
    templateName: "chat_default",
    consoleUrl: `/console/runs/${runIds[0]}`,
  };
  const { runs } = (await program.get(`/runs?testSuiteId=${suiteId}`)).body;
  expect(runs.at(-1)).toMatchObject(named);
  expect((await program.get(`/runs/${runIds[0]}`)).body).toMatchObject(named);
});

describe("a list of runs", () => {
  test.each([
    ["the name of a test", "text=THREADS", [0, 1, 2]],
    ["the name of a suite", "text=of%202026", [0, 1, 2, 3]],
    ["a label", "text=model%3Dcareful", [0]],
    ["nothing, as no key of an answer is searched", "text=testName", []],
    ["a wildcard, which is a text as any other", "text=%25", []],
    ["a verdict", "verdict=failed", [1]],
    ["unsafe changes", "verdict=unsafe", [1]],
    ["a time in the future", "from=2100-01-01T00:00:00Z", []],
    ["a time before it", "to=2100-01-01", [0, 1, 2, 3]],
  ])("is asked for %s", async (_case, query, places) => {
    expect(await listed(`testSuiteId=${suiteId}&${query}`)).toEqual(at(...places));
  });

  test("is asked for the id of a run", async () => {
    expect(await listed(`text=${runIds[2]}`)).toEqual(at(2));
  });

  test("says how many it has, on every page, and of how many", async () => {
    const of = async (query: string) => (await program.get(`/runs?${query}`)).body;
    const all = (await of("limit=1000")).runs.length;
    const query = `testSuiteId=${suiteId}&text=THREADS&count=true&limit=1`;
    const { runs, counts, nextCursor } = await of(query);
    expect([runs.length, counts]).toEqual([1, { matching: 3, all }]);
    const next = await of(`${query}&cursor=${nextCursor}`);
    expect(next.counts).toEqual({ matching: 3, all });
    expect(await of(`testSuiteId=${suiteId}`)).not.toHaveProperty("counts");
  });

  test.each([
    ...["from=yesterday", "to=2026-13-01", "verdict=good", "bookmarked=yes", "count=1"],
    // Postgres reads none of these.
    ...["from=0000-01-01", "from=0001-01-01T00:00:00%2B10:00", "to=9999-12-31T23:00:00-10:00"],
  ])("rejects %s", async (query) => {
    expectRefusal(await program.get(`/runs?${query}`), 400, "invalid_request");
  });

  test("rejects a cursor with a time that no database reads", async () => {
    const { nextCursor } = (await program.get("/runs?limit=1")).body;
    const [scope, , id] = Buffer.from(nextCursor, "base64url").toString().split("|");
    const text = [scope, "0000-01-01 00:00:00+00", id].join("|");

    const answer = await program.get(`/runs?cursor=${Buffer.from(text).toString("base64url")}`);

    expectRefusal(answer, 400, "invalid_request", "cursor: it does not belong to this list");
  });
});

test("the siblings of a run are the attempts with the same labels, and its neighbours", async () => {
  const ofSecond = (await program.get(`/runs/${runIds[1]}/siblings`)).body;
  expect(ofSecond.attempts.map(({ runId }: any) => runId)).toEqual(at(1, 2));
  expect(ofSecond).toMatchObject({ previous: runIds[0], next: runIds[2] });
  const ofFirst = (await program.get(`/runs/${runIds[0]}/siblings`)).body;
  expect(ofFirst.attempts.map(({ runId }: any) => runId)).toEqual(at(0));
  expect(ofFirst).toMatchObject({ previous: null, next: runIds[1] });
  const nobody = await program.get(`/runs/${"0".repeat(32)}/siblings`);
  expectRefusal(nobody, 404, "run_not_found");
});

test("a cost is given at any time, and found with the run", async () => {
  const runId = runIds[0]!;
  const change = async (costUsd: unknown) =>
    await program.call("PATCH", `/runs/${runId}`, { costUsd });
  expect((await change(0.125)).body).toMatchObject({ runId, costUsd: 0.125 });
  expect((await program.get(`/runs/${runId}`)).body).toMatchObject({ costUsd: 0.125 });
  expect((await program.get(`/results/${runId}`)).body).toMatchObject({ costUsd: 0.125 });
  for (const cost of [-1, "1", null, 1e7])
    expectRefusal(await change(cost), 400, "invalid_request");
});

test("a note and a bookmark are kept, found and removed", async () => {
  const runId = runIds[3]!;
  const change = async (body: object) => (await program.call("PATCH", `/runs/${runId}`, body)).body;
  const labels = { model: "hasty" };
  const note = "It answers <b>twice</b>.";
  expect(await change({ note, bookmarked: true })).toEqual({
    ...{ runId, labels, note },
    bookmarked: true,
    costUsd: null,
  });
  expect((await program.get(`/runs/${runId}`)).body).toMatchObject({ note, bookmarked: true });
  expect(await listed(`text=ANSWERS&testSuiteId=${suiteId}`)).toEqual([runId]);
  expect(await listed(`bookmarked=true&testSuiteId=${suiteId}`)).toEqual([runId]);
  expect(await change({ bookmarked: false })).toMatchObject({ note, bookmarked: false });
  expect(await change({ note: "" })).toMatchObject({ note: null, bookmarked: false });
  const long = await program.call("PATCH", `/runs/${runId}`, { note: "x".repeat(4_001) });
  expectRefusal(long, 400, "invalid_request");
});
