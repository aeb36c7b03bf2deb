/** Prompts, and the time in them. */
import { describe, expect, test } from "bun:test";
import { namesTime, promptAt } from "~/platform/suites/prompt";
import { SUITES } from "../../../seeds/index";
import { useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";

const program = useProgram(useDatabase());

type Prompted = { readonly name: string; readonly prompt: string };
const BUILTIN = (SUITES as { readonly tests: readonly Prompted[] }[]).flatMap(({ tests }) => tests);

const AT = "2026-03-10T09:05:59Z";
const PROMPT = "It is {{now}}. Say hello in #general.";
const TOLD = "It is Tuesday 10 March 2026, 09:05 UTC. Say hello in #general.";

const suite = (prompt: string, templateName = "chat_default") => ({
  ...{ name: `Suite ${crypto.randomUUID()}`, templateService: "chat", templateName },
  impersonateUserId: "U01AGENTONE",
  tests: [{ name: "Hello", prompt, expectedOutput: { expects: "nothing", assertions: [] } }],
});

async function create(prompt: string, templateName?: string) {
  const created = await program.post("/testSuites", suite(prompt, templateName));
  expectStatus(created, 201);
  const { suiteId } = created.body;
  const { body } = await program.get(`/testSuites/${suiteId}?expand=true`);
  return { suiteId, test: body.tests[0] };
}

test.each([
  ["{{now}}", "Tuesday 10 March 2026, 09:05 UTC"],
  [
    "{{ now }} and {{now}}",
    "Tuesday 10 March 2026, 09:05 UTC and Tuesday 10 March 2026, 09:05 UTC",
  ],
  ["{now}, {{later}} and $&", "{now}, {{later}} and $&"],
])("%p becomes %p", (prompt, told) => {
  expect(promptAt(prompt, AT)).toBe(told);
});

test.each(BUILTIN)(
  "the prompt of the built-in test $name is one line that names the time",
  ({ prompt }) => {
    expect(prompt).toBe(prompt.trim());
    expect(prompt).not.toMatch(/\n| {2}/);
    expect(namesTime(prompt)).toBe(true);
  },
);

describe("an environment of a test", () => {
  test("has its prompt, with the time on its own clock", async () => {
    const { test } = await create(PROMPT);
    const clock = { now: AT, mode: "frozen" };

    expect((await program.environment({ testId: test.id, clock })).prompt).toBe(TOLD);
    const several = await program.environment({ testId: test.id, clock, count: 2 });
    expect(several.prompt).toBe(TOLD);
    expect(several.environments).toHaveLength(2);
  });

  test("gives its runs the prompt that the agent got, whatever the clock has become", async () => {
    const { test } = await create(PROMPT);
    const clock = { now: AT, mode: "frozen" };
    const { environmentId: envId } = await program.environment({ testId: test.id, clock });
    const later = await program.post(`/env/${envId}/clock`, { advance: "P3D" });
    expectStatus(later, 200);
    const { runId } = (await program.post("/startRun", { envId, testId: test.id })).body;

    expect((await program.get(`/runs/${runId}/reasons`)).body.prompt).toBe(TOLD);
    const alone = (await program.post("/diffRun", { runId })).status;
    expect(alone).toBe(200);
    const other = await program.post("/startRun", { envId });
    const { body } = await program.get(`/runs/${other.body.runId}/reasons`);
    expect(body.prompt).toBeNull();
  });

  test("of a template with a day has that day", async () => {
    const { test } = await create(PROMPT, "chat_bench_default");
    const { now } = (await program.get("/templates/chat_bench_default")).body;

    expect((await program.environment({ testId: test.id })).prompt).toBe(promptAt(PROMPT, now));
    expect((await program.get("/templates/chat_default")).body.now).toBeNull();
  });

  test("without a test there is no prompt", async () => {
    expect(await program.environment()).not.toHaveProperty("prompt");
  });
});

describe("a prompt", () => {
  test("is stored as it is written, but for space around it", async () => {
    const { test } = await create(`${PROMPT}\n`);

    expect(test.prompt).toBe(PROMPT);
    expect((await program.get(`/tests/${test.id}`)).body.prompt).toBe(PROMPT);
  });

  test("has the time of a new environment for clients that read it before there is one", async () => {
    const { now } = (await program.get("/templates/chat_bench_default")).body;
    const { suiteId, test } = await create(PROMPT, "chat_bench_default");
    const told = promptAt(PROMPT, now);
    expect((await program.get(`/tests/${test.id}`)).body.renderedPrompt).toBe(told);

    const url = `${program.url}/api/platform/testSuites/${suiteId}?expand=tests`;
    expect(await (await fetch(url)).json()).toMatchObject({ tests: [{ prompt: told }] });
    const tasks = await fetch(`${program.url}/openenv/${suiteId}/${suiteId}/tasks`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ split: "mcp" }),
    });
    expect(await tasks.json()).toMatchObject({ tasks: [{ name: "Hello", prompt: told }] });
  });
});
