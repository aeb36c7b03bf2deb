/** The commands that call a server, as typed by a user. */
import { describe, expect, test } from "bun:test";
import example from "../platform/suites/example.yaml";
import { useCommands } from "../support/commands";
import { eventually, useDatabase } from "../support/database";
import { expectStatus, useProgram } from "../support/program";

const database = useDatabase();
const program = useProgram(database);
const { start, run, file, path: pathOf } = useCommands(program);

const suite = (name: string, fields = {}) => ({ ...(example as object), name, ...fields });
const imported = async (name: string, fields = {}) => {
  const { code, err } = await run(["suites", "import", await file("s.json", suite(name, fields))]);
  expect([code, err]).toEqual([0, expect.stringContaining(name)]);
};
/** An agent that solves the first test of the example. */
const POST = `curl -sf "$DIORAMA_SERVICE_URL/chat.postMessage" -H "Authorization: Bearer $DIORAMA_TOKEN" -d channel=C02RANDOM --data-urlencode "text=Lunch is served" >/dev/null`;

describe("suites run", () => {
  test("gives the agent its prompt and its token, and prints a table of verdicts", async () => {
    await imported("Table");
    const log = pathOf("agent.log");
    const command = `echo "$DIORAMA_USER_ID $DIORAMA_API_KEY $DIORAMA_PROMPT" >>${log}; ${POST}`;

    const { code, out } = await run(
      ["suites", "run", "Table", "--command", command, "--parallel", "2"],
      { DIORAMA_API_KEY: "" },
    );

    expect(code).toBe(1);
    const lines = out.split("\n");
    expect(lines[0]).toMatch(/^Test +Verdict +Score +Reward +Unsafe +Time$/);
    expect(lines[2]).toMatch(/^Post to a channel +passed +1\/1 +1\.00 +0 +\d+\.\d s$/);
    expect(lines[3]).toMatch(/^Correct a message of one's own +failed +0\/1 /);
    expect(lines[4]).toMatch(/^React to a colleague +failed +1\/2 /);
    expect(out).toContain(`
React to a colleague: failed
  1. Exactly one new reaction in #general, on `);
    expect(out).toMatch(
      /, by Agent Smith: none found\n {2}unsafe: message in #random: “.*” \(call 1\)\n/,
    );
    expect(out).toContain(`)\n  ${program.url}/console/runs/`);
    expect(lines.at(-2)).toStartWith(`${program.url}/console/suites/`);
    expect(lines.slice(-4, -2)).toEqual([
      "Table: 1 of 3 passed, 2 failed",
      "mean reward 0.333, 1 successful, 2 unsafe",
    ]);
    const asked = (await Bun.file(log).text()).trim().split("\n");
    expect(asked.toSorted()).toContainEqual(
      expect.stringMatching(/^U01AGENTONE {2}Post exactly the text/),
    );
    const { body } = await program.get("/environments?status=active&templateName=chat_default");
    expect(body.environments).toEqual([]);
  });

  test("through mcp gives the agent the address of its tools, and leaves out what they cannot solve", async () => {
    const { tests } = example as { tests: object[] };
    await imported("Tools", {
      tests: tests.map((each, index) => ({ ...each, surfaces: index === 0 ? ["mcp"] : ["api"] })),
    });
    const message = { channel_id: "C02RANDOM", message: "Lunch is served" };
    const params = { name: "slack_send_message", arguments: message };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const accept = `-H "Accept: application/json, text/event-stream" -H "Content-Type: application/json"`;
    const command = `test -z "$DIORAMA_SERVICE_URL" && curl -sf "$DIORAMA_MCP_URL" -H "Authorization: Bearer $DIORAMA_TOKEN" ${accept} -d '${body}'`;

    const { code, out, err } = await run([
      ...["suites", "run", "Tools", "--surface", "mcp", "--command", command],
    ]);

    expect(out).toContain("Tools: 1 of 1 passed");
    expect(err).toContain("2 of 3 tests cannot be solved through mcp");
    expect(code).toBe(0);
  });

  test("ends with 0 when every test passed, and can print JSON", async () => {
    await imported("Json");
    const args = [
      "suites",
      "run",
      "Json",
      "--command",
      POST,
      "--test",
      "Post to a channel",
      "--json",
    ];
    const { code, out } = await run(args);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      suite: "Json",
      passed: 1,
      total: 1,
      tests: [
        {
          name: "Post to a channel",
          verdict: "passed",
          score: { passed: 1, total: 1, percent: 100 },
          failures: [],
          exitCode: 0,
          seconds: expect.any(Number),
          runId: expect.any(String),
        },
      ],
    });
    const { id } = (await program.get("/testSuites?name=Json")).body.testSuites[0];
    expect((await program.get(`/testSuites/${id}/results`)).body).toMatchObject({
      passed: 1,
      notRun: 2,
    });
  });

  test("distinguishes a crash and a timeout from a failed verdict", async () => {
    await imported("Endings");
    const one = ["--test", "Post to a channel", "--json"];
    const crashed = await run([
      ...["suites", "run", "Endings", "--command", `${POST}; echo out of luck >&2; exit 3`, ...one],
    ]);
    expect(crashed.code).toBe(1);
    expect(JSON.parse(crashed.out).tests[0]).toMatchObject({
      verdict: "crashed",
      exitCode: 3,
      output: "out of luck\n",
      score: { percent: 100 },
      ...{ ending: "crashed", reward: 0, stateVerdict: { passed: true, reward: 1 } },
    });

    const late = pathOf("late");
    const slow = await run([
      ...["suites", "run", "Endings", "--command", `sleep 3 && touch ${late} & wait`],
      ...["--timeout", "1", ...one],
    ]);
    expect(slow.code).toBe(1);
    const [timedOut] = JSON.parse(slow.out).tests;
    expect(timedOut.verdict).toBe("timed out");
    expect(timedOut.seconds).toBeWithin(1, 3);
    await Bun.sleep(2_500);
    expect(await Bun.file(late).exists()).toBe(false);
  });

  test("cleans up when it is interrupted", async () => {
    await imported("Interrupted");
    const child = start(["suites", "run", "Interrupted", "--command", "sleep 60"]);
    await eventually(async () => {
      const { body } = await program.get("/environments?status=active");
      expect(body.environments.length).toBeGreaterThan(0);
    });
    child.kill("SIGINT");
    expect(await child.exited).toBe(2);
    expect(await new Response(child.stdout).text()).toContain("0 of 3 passed, 3 interrupted");
    expect((await program.get("/environments?status=active")).body.environments).toEqual([]);
  });

  test.each([
    [["suites", "run", "Nothing", "--command", "true"], 64, "there is no suite named Nothing"],
    [["suites", "run", "x"], 64, "required option '--command <command>' not specified"],
    [
      ["suites", "run", "x", "--command", "true", "--parallel", "0"],
      64,
      "'--parallel <number>' argument '0' is invalid. A whole number from 1",
    ],
    [["suites", "run"], 64, "diorama suites run"],
    [["suites", "export", "x", "--format", "inspect"], 64, "the folder to write to"],
    [["suites", "export", "x", "folder"], 64, "--format and the folder"],
    [["suites", "export", "x", "folder", "--format", "tar"], 64, "Allowed choices are inspect"],
    [["suites", "export", "x", "folder", "--format", "inspect", "--json"], 64, "--json"],
    [["suites", "export", "0".repeat(32)], 1, "suite_not_found: There is no suite"],
    [["suites", "import", "/nowhere"], 64, "/nowhere cannot be read"],
    [["suites", "lst", "x"], 64, "unknown command 'lst'\n(Did you mean list?)"],
    [["suites", "export", "x", "--jsn"], 64, "unknown option '--jsn'\n(Did you mean --json?)"],
    [["templates", "export", "nothing"], 1, "template_not_found"],
    [["runs", "export", "x", "--html", "x.html"], 1, "run_not_found"],
    [["runs", "export", "x"], 64, "one of --html and --format is needed"],
    [["templates", "export"], 64, "diorama templates export"],
    [
      ["suites", "export", "x", "--url", "http://127.0.0.1:1"],
      69,
      "nothing answers at http://127.0.0.1:1",
    ],
    [["keys", "list"], 69, "DATABASE_URL: the database cannot be reached: nothing listens at"],
    [["suites", "export", "x", "--key", "wrong"], 1, "not_authed: Invalid API key"],
  ])("%p ends with %i and a reason", async (args, code, message) => {
    const ended = await run(args, { DATABASE_URL: "postgres://u@127.0.0.1:1/x" });
    expect([ended.code, ended.out]).toEqual([code, ""]);
    expect(ended.err).toContain(message);
  });
});

test("help serves nothing and ends with 0", async () => {
  const { code, out, err } = await run(["serve", "--help"]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toStartWith("Usage: diorama serve [options]\n");
});

test("an exported and imported suite is the same", async () => {
  const tests = (example as { tests: object[] }).tests.map((each) => ({
    ...each,
    impersonateUserId: "U02JOHNADOE",
  }));
  await imported("Traveller", { tests, description: 'Quotes ", # and: colons\nlines' });
  const exported = await run(["suites", "export", "Traveller"]);
  expect(exported.code).toBe(0);
  const path = await file("traveller.yaml", exported.out);

  const again = await run([
    "suites",
    "import",
    path,
    "--name",
    "Traveller 2",
    "--visibility",
    "public",
  ]);

  expect(again.code).toBe(0);
  const second = await run(["suites", "export", again.out.trim(), "--json"]);
  const first = await run(["suites", "export", "Traveller", "--json"]);
  expect(JSON.parse(second.out)).toEqual({ ...JSON.parse(first.out), name: "Traveller 2" });
  expect(JSON.parse(first.out).tests).toEqual(tests);
});

test("a suite is found by its name on every page of the list", async () => {
  for (const name of ["Paged", ...Array.from({ length: 100 }, (_, index) => `Paged ${index}`)])
    expectStatus(await program.post("/testSuites", suite(name, { tests: [] })), 201);

  const { out } = await run(["suites", "export", "Paged", "--json"]);

  expect(JSON.parse(out).name).toBe("Paged");
});

test("an imported suite is brought up to date by its name", async () => {
  const test = (name: string, prompt = "Do it.") => ({
    ...{ name, prompt, expectedOutput: { assertions: [{ diff_type: "added", entity: "users" }] } },
  });
  const importing = async (tests: object[], ...options: string[]) => {
    const path = await file("lives.json", suite("Lives", { tests, description: "" }));
    const { code, out, err } = await run(["suites", "import", path, ...options]);
    expect(code).toBe(0);
    return { id: out.trim(), err };
  };

  const first = await importing([test("a"), test("b"), test("c")]);
  expect(first.err).toBe("suite Lives is created; tests: 3 created\nits id:\n");
  const second = await importing([test("a"), test("c", "Differently."), test("d")]);
  expect(second.err).toBe(`+ d
~ c
suite Lives is changed; tests: 1 created, 1 changed, 1 unchanged
1 other test stays that the file does not have; --prune removes them
its id:
`);
  const third = await importing([test("d"), test("a")], "--prune");
  expect(third.err).toBe(
    "- c\n- b\nsuite Lives is changed; tests: 2 unchanged, 2 removed\nits id:\n",
  );
  const last = await importing([test("d"), test("a")], "--prune");
  expect(last.err).toBe("suite Lives is unchanged; tests: 2 unchanged\nits id:\n");
  expect(new Set([first.id, second.id, third.id, last.id]).size).toBe(1);
  const listed = await run(["suites", "list", "--name", "lives"]);
  expect(listed.out.split("\n").slice(2)).toEqual([
    `${first.id}  Lives  2      chat_default  private`,
    "",
  ]);
});

test("templates are listed", async () => {
  const { code, out } = await run(["templates", "list", "--service", "chat"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^Id +Name +Services +Visibility +Description\n/);
  expect(out).toMatch(/^[0-9a-f]{32} {2}chat_default +chat +public +3 users, 2 channels/m);
  expect(out).not.toContain("tracker_base");
  const json = await run(["templates", "list", "--json"]);
  expect(JSON.parse(json.out)).toContainEqual(expect.objectContaining({ name: "tracker_base" }));
});

test("an exported and imported template has the same rows", async () => {
  const environment = await program.environment();
  await program.chat(environment, "chat.postMessage", {
    channel: "C01GENERAL",
    text: "# 1.10: yes",
  });
  const saved = { environmentId: environment.environmentId, service: "chat", name: "moving" };
  await program.post("/templates", saved);
  for (const name of ["moving", "chat_default"]) {
    const exported = await run(["templates", "export", name]);
    expect(exported.code).toBe(0);
    const path = await file(`${name}.yaml`, exported.out);

    const again = await run(["templates", "import", path, "--name", `${name}_2`]);

    expect([again.code, again.err]).toEqual([0, expect.stringContaining(`${name}_2`)]);
    const seed = async (of: string) => (await program.get(`/templates/${of}/seed`)).body;
    expect(await seed(`${name}_2`)).toEqual({ ...(await seed(name)), template: `${name}_2` });
  }
});
