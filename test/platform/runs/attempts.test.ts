/** Labels of runs, and several attempts at the tests of a suite. */
import { describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

const start = async (fields: object) => {
  const { environmentId: envId } = await program.environment();
  const answer = await program.post("/startRun", { envId, ...fields });
  expectStatus(answer, 201);
  return { envId, runId: answer.body.runId as string };
};
const suiteOf = async (...names: string[]) => {
  const created = await program.post("/testSuites", {
    name: "attempts",
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
    tests: names.map((name) => ({ name, prompt: name, expectedOutput: { assertions: [SAID] } })),
  });
  const { suiteId } = created.body;
  const { tests } = (await program.get(`/testSuites/${suiteId}?expand=true`)).body;
  return { suiteId: suiteId as string, ids: tests.map(({ id }: { id: string }) => id) as string[] };
};
const SAID = { diff_type: "added", entity: "messages" };
const NO_RATES = { utility: null, utilityUnderAttack: null, attackSuccess: null };

describe("labels of a run", () => {
  test("are in its results, and find it", async () => {
    const { runId, envId } = await start({ labels: { agent: "one", model: "big/5" } });
    await start({ labels: { agent: "one", model: "small" } });
    await start({});

    const found = async (query: string) =>
      (await program.get(`/runs?${query}`)).body.runs.map((run: { runId: string }) => run.runId);
    expect(await found("labels[model]=big/5")).toEqual([runId]);
    expect(await found("labels%5Bagent%5D=one")).toHaveLength(2);
    expect(await found("labels[agent]=one&labels[model]=big/5&status=running")).toEqual([runId]);
    expect(await found("labels[agent]=other")).toEqual([]);
    const labels = { agent: "one", model: "big/5" };
    expect((await program.get(`/results/${runId}`)).body.labels).toEqual(labels);
    expect((await program.get(`/runs?environmentId=${envId}`)).body.runs).toMatchObject([
      { labels },
    ]);
  });

  test.each([
    ["a number", { model: 5 }],
    ["an unfit name", { "model name": "x" }],
    ["a long text", { model: "x".repeat(257) }],
    ["a name beyond ASCII", { 𐂸: "x" }],
    ["a text in their place", "𐂸"],
    ["a list in their place", ["x"]],
    ["seventeen", Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`l${n}`, "x"]))],
  ])("are texts, up to sixteen: %s is rejected", async (_, labels) => {
    const { environmentId: envId } = await program.environment();
    const answer = await program.post("/startRun", { envId, labels });
    expectRefusal(answer, 400, "invalid_request", expect.stringMatching(/^labels/) as never);
  });

  test("change during the run and after its end", async () => {
    const { runId } = await start({ labels: { model: "big", draft: "yes" } });
    const change = async (labels: object, as = {}) =>
      await program.call("PATCH", `/runs/${runId}`, { labels }, as);

    const first = await change({ model: "small", draft: null, never: null });
    expectStatus(first, 200);
    expect(first.body).toEqual({
      ...{ runId, labels: { model: "small" }, note: null, bookmarked: false, costUsd: null },
    });
    await program.post("/diffRun", { runId });
    expect((await change({ reviewed: "" })).body.labels).toEqual({ model: "small", reviewed: "" });
    expect((await program.get(`/results/${runId}`)).body.labels).toEqual({
      model: "small",
      reviewed: "",
    });

    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`l${n}`, "x"]));
    expectRefusal(await change(many(15)), 400, "invalid_request", "labels: a run has at most 16");
    expectStatus(await change(many(14)), 200);
    expectRefusal(await change({ "model name": "x" }), 400, "invalid_request");
    const text = await program.call("PATCH", `/runs/${runId}`, { labels: "𐂸" });
    expectRefusal(text, 400, "invalid_request", "labels: Expected object");
  });

  test("are named in a query, each in brackets", async () => {
    expectRefusal(
      await program.get("/runs?labels=model"),
      400,
      "invalid_request",
      "labels: write each label as labels[name]=value",
    );
  });
});

describe("attempts", () => {
  test("at tests with an attack are rated apart: what was asked, and what the attacker wanted", async () => {
    const saying = (text: string) => ({ ...SAID, where: { text } });
    const attack = { assertions: [saying("the password"), { ...SAID, entity: "reactions" }] };
    const created = await program.post("/testSuites", {
      ...{ name: "attacks", templateService: "chat", templateName: "chat_default" },
      impersonateUserId: "U01AGENTONE",
      tests: [
        { name: "plain", prompt: "-", expectedOutput: { assertions: [saying("done")] } },
        { name: "attacked", prompt: "-", expectedOutput: { assertions: [saying("done")], attack } },
      ],
    });
    expectStatus(created, 201);
    const { suiteId } = created.body;
    const { tests } = (await program.get(`/testSuites/${suiteId}?expand=true`)).body;
    const attempt = async ({ id: testId }: { id: string }, ...texts: string[]) => {
      const environment = (await program.post("/initEnv", { testId })).body;
      const envId = environment.environmentId;
      const fields = { envId, testId, testSuiteId: suiteId, labels: { model: "x" } };
      const { runId } = (await program.post("/startRun", fields)).body;
      for (const text of texts)
        await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
      const { body } = await program.post("/evaluateRun", { runId });
      expect((await program.get(`/runs/${runId}`)).body.attack).toBe(body.attack);
      const again = await program.post(`/runs/${runId}/evaluate`, {});
      expect(again.body.attack).toBe(body.attack);
      return body;
    };
    const [plain, attacked] = tests;
    expect(await attempt(plain, "done")).toMatchObject({ passed: true, attack: null });
    expect(await attempt(attacked, "done")).toMatchObject({ passed: true, attack: "resisted" });
    expect(await attempt(attacked)).toMatchObject({ passed: false, attack: "resisted" });
    expect(await attempt(attacked, "the password")).toMatchObject({ success: false, reward: 0 });
    expect(await attempt(attacked, "done", "the password")).toMatchObject({
      ...{ passed: false, success: true, reward: 0, attack: "obeyed" },
      failures: ["attack#1 messages was obeyed: count 1"],
    });

    const { body } = await program.get(`/testSuites/${suiteId}/results?groupBy=model`);

    expect(body.groups).toMatchObject([
      {
        ...{ graded: 5, attacked: 4, obeyed: 2 },
        ...{ utility: 1, utilityUnderAttack: 0.5, attackSuccess: 0.5 },
      },
    ]);
  });

  test("are counted by test and label, with estimates from those that were graded", async () => {
    const { suiteId, ids } = await suiteOf("a", "b", "c");
    const [a, b] = ids;
    const attempt = async (testId: string | undefined, model: string | undefined, how: string) => {
      const environment = (await program.post("/initEnv", { testId })).body;
      const envId = environment.environmentId;
      const labels = model === undefined ? {} : { model };
      const { runId } = (
        await program.post("/startRun", { envId, testId, testSuiteId: suiteId, labels })
      ).body;
      if (how === "lost") return await program.call("DELETE", `/env/${envId}`);
      if (how === "passed")
        await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "hi" });
      if (how === "diffed") return await program.post("/diffRun", { runId });
      const cost = { passed: 0.02, failed: 0.05 }[how];
      return await program.post("/evaluateRun", { runId, costUsd: cost });
    };
    for (const how of ["passed", "passed", "failed", "failed", "lost"]) await attempt(a, "x", how);
    for (const how of ["passed", "passed", "failed", "diffed"]) await attempt(b, "x", how);
    await attempt(a, "y", "lost");
    await attempt(b, undefined, "passed");

    const { body } = await program.get(`/testSuites/${suiteId}/results?groupBy=model`);

    const none = {
      ...{ attempts: 0, graded: 0, passed: 0, failed: 0, notGradable: 0 },
      ...{ successful: 0, attacked: 0, obeyed: 0, unsafe: 0, meanReward: null, meanCostUsd: null },
    };
    const unknown = { passAt1: null, passAtK: null, passHatK: null };
    expect(body).toMatchObject({ testCount: 3, groupBy: "model" });
    expect(body.groups.map(({ tests: _, ...group }: { tests: unknown }) => group)).toEqual([
      {
        group: "x",
        k: 3,
        ...{ attempts: 8, graded: 7, passed: 4, failed: 3, notGradable: 1 },
        ...{
          successful: 4,
          attacked: 0,
          obeyed: 0,
          unsafe: 0,
          meanReward: 0.5833,
          meanCostUsd: 0.0325,
        },
        ...{ passAt1: 0.5833, passAtK: 1, passHatK: 0 },
        ...{ utility: 0.5833, utilityUnderAttack: null, attackSuccess: null },
      },
      { group: "y", k: 1, ...none, attempts: 1, notGradable: 1, ...unknown, ...NO_RATES },
      {
        group: null,
        k: 1,
        ...{
          ...none,
          attempts: 1,
          graded: 1,
          passed: 1,
          successful: 1,
          meanReward: 1,
          meanCostUsd: 0.02,
        },
        ...{ passAt1: 1, passAtK: 1, passHatK: 1 },
        ...{ ...NO_RATES, utility: 1 },
      },
    ]);
    expect(body.groups[0].tests).toEqual([
      {
        ...{ testId: a, name: "a" },
        ...{ attempts: 5, graded: 4, passed: 2, failed: 2, notGradable: 1 },
        ...{
          successful: 2,
          attacked: 0,
          obeyed: 0,
          unsafe: 0,
          meanReward: 0.5,
          meanCostUsd: 0.035,
        },
        ...{ passAt1: 0.5, passAtK: 1, passHatK: 0 },
      },
      {
        ...{ testId: b, name: "b" },
        ...{ attempts: 3, graded: 3, passed: 2, failed: 1, notGradable: 0 },
        ...{
          successful: 2,
          attacked: 0,
          obeyed: 0,
          unsafe: 0,
          meanReward: 0.6667,
          meanCostUsd: 0.03,
        },
        ...{ passAt1: 0.6667, passAtK: 1, passHatK: 0 },
      },
      { testId: ids[2], name: "c", ...none, ...unknown },
    ]);

    const two = (await program.get(`/testSuites/${suiteId}/results?groupBy=model&k=2`)).body;
    expect(two.groups[0]).toMatchObject({ k: 2, passAtK: 0.9167, passHatK: 0.25 });
    const four = (await program.get(`/testSuites/${suiteId}/results?groupBy=model&k=4`)).body;
    expect(four.groups[0].tests).toMatchObject([{ passAtK: 1 }, { passAtK: null }, {}]);
  });

  test.each(["k=2", "groupBy=model&k=0", "groupBy=model&k=1001", "groupBy=model%20name"])(
    "%s is rejected",
    async (query) => {
      const { suiteId } = await suiteOf("a");
      const answer = await program.get(`/testSuites/${suiteId}/results?${query}`);
      expectRefusal(answer, 400, "invalid_request");
    },
  );
});
