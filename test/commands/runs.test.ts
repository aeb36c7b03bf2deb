/** `diorama runs` and `diorama suites results`, against a server. */
import { beforeAll, expect, test } from "bun:test";
import example from "../platform/suites/example.yaml";
import { useCommands } from "../support/commands";
import { useDatabase } from "../support/database";
import { useProgram } from "../support/program";

const program = useProgram(useDatabase());
const { run, file, path } = useCommands(program);
let suiteId = "";
const runs: string[] = [];

/** An attempt at the first test, which asks for a message with this text. */
async function attempt(text: string, model: string): Promise<string> {
  const { tests } = (await program.get(`/testSuites/${suiteId}?expand=true`)).body;
  const environment = (await program.post("/initEnv", { testId: tests[0].id })).body;
  const { runId } = (
    await program.post("/startRun", {
      envId: environment.environmentId,
      testId: tests[0].id,
      testSuiteId: suiteId,
      labels: { model },
    })
  ).body;
  await program.chat(environment, "chat.postMessage", { channel: "C02RANDOM", text });
  await program.post("/evaluateRun", { runId });
  return runId;
}

beforeAll(async () => {
  suiteId = (await program.post("/testSuites/import", example)).body.suiteId;
  runs.push(await attempt("Lunch is late", "hasty"), await attempt("Lunch is served", "careful"));
});

test("lists runs with their verdicts, newest first", async () => {
  const { code, out } = await run(["runs", "list", "--suite", "Example"]);

  expect(code).toBe(0);
  const [heads, , newest, oldest] = out.split("\n");
  expect(heads).toMatch(/^Run +Verdict +Test +Suite +Score +Reward +Unsafe +Started +Labels$/);
  expect(newest).toMatch(new RegExp(`^${runs[1]} +passed .* 1/1 +1\\.00 +0 .* model=careful$`));
  expect(oldest).toMatch(new RegExp(`^${runs[0]} +failed .* Example .* 0/1 .* model=hasty$`));
  expect(out).toEndWith(`\nthe page of the newest: ${program.url}/console/runs/${runs[1]}\n`);
  const one = await run(["runs", "list", "--label", "model=hasty", "--status", "failed", "--json"]);
  expect(JSON.parse(one.out).map(({ runId }: { runId: string }) => runId)).toEqual([runs[0]]);
  expect((await run(["runs", "list", "--limit", "1"])).err).toContain("--limit shows more");
  expect((await run(["runs", "list", "--suite", "nothing"])).code).toBe(64);
});

test("shows a run with its changes, its calls and its address", async () => {
  const { code, out } = await run(["runs", "show", `${runs[0]}`]);

  expect(code).toBe(0);
  expect(out).toStartWith(`failed, Example, `);
  expect(out).toContain("\n1. Exactly one new message in #random, ");
  expect(out).toMatch(/\n {3}nearest: message in #random: “Lunch is late” \(call 1\)\n {5}text: /);
  expect(out).toMatch(/changes:\n {2}inserts:\n(?:.*\n)*? +text: Lunch is late\n/);
  expect(out).toContain(
    '  1. chat.postMessage {"channel":"C02RANDOM","text":"Lunch is late"} → 200',
  );
  expect(out).toEndWith(`${program.url}/console/runs/${runs[0]}\n`);
  const { calls, diff } = JSON.parse((await run(["runs", "show", `${runs[0]}`, "--json"])).out);
  expect([calls.length, diff.inserts.length]).toEqual([1, 1]);
  expect(await run(["runs", "show", "0".repeat(32)])).toMatchObject({
    code: 1,
    err: expect.stringContaining("run_not_found"),
  });
});

test("opens the page of a run, and prints its address where nothing can", async () => {
  const address = `${program.url}/console/runs/${runs[0]}`;
  const seen = path("seen");
  const browser = await file("browser", `#!/bin/sh\necho "$1" >${seen}\n`);
  await Bun.spawn(["chmod", "+x", browser]).exited;

  const opened = await run(["runs", "open", `${runs[0]}`], { BROWSER: browser });
  const failed = await run(["runs", "open", `${runs[0]}`], { BROWSER: path("nothing") });

  expect(opened).toEqual({ code: 0, out: `${address}\n`, err: "" });
  expect(await Bun.file(seen).text()).toBe(`${address}\n`);
  expect([failed.code, failed.out]).toEqual([1, `${address}\n`]);
  expect(failed.err).toContain("cannot open the page");
});

test("shows the latest run of each test of a suite, and all attempts by a label", async () => {
  const { code, out } = await run([
    ...["suites", "results", "Example", "--group-by", "model", "--k", "1"],
  ]);

  expect(code).toBe(0);
  expect(out).toMatch(
    new RegExp(`^Post to a channel +passed +1/1 .* http.*/console/runs/${runs[1]}$`, "m"),
  );
  expect(out).toMatch(/^React to a colleague +not run$/m);
  expect(out).toMatch(/^careful +1 +1 +1 +0 +1\.000 +1\.000 +1 +1\.000 +1\.000$/m);
  expect(out).toMatch(/^hasty +1 +1 +0 /m);
  expect(out).toEndWith(
    `Example: 1 of 3 passed, 0 failed, 0 running, 2 not run\n${program.url}/console/suites/${suiteId}\n`,
  );
  const json = JSON.parse((await run(["suites", "results", "Example", "--json"])).out);
  expect(json).toMatchObject({ suiteId, passed: 1 });
});

test("has colours on a terminal only, and none with NO_COLOR", async () => {
  const command = `bun ${import.meta.dir}/../../src/main.ts runs list --url ${program.url}`;
  const onTerminal = async (env: Record<string, string>) => {
    // CI counts as a terminal without colours.
    const { NO_COLOR: _, FORCE_COLOR: __, CI: ___, ...rest } = process.env;
    const child = Bun.spawn(["script", "-qec", command, "/dev/null"], {
      env: { ...rest, TERM: "xterm", ...env },
      stdin: "ignore",
      stdout: "pipe",
    });
    return await new Response(child.stdout).text();
  };

  expect(await onTerminal({})).toContain("\u001b[32mpassed\u001b[39m");
  expect(await onTerminal({ NO_COLOR: "1" })).not.toContain("\u001b[");
  expect((await run(["runs", "list"])).out).not.toContain("\u001b[");
});
