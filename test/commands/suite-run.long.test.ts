/** `suites run` over several attempts: labels, retries, interruption and resumption, and the files it writes. */
import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { MAIN, useCommands } from "../support/commands";
import { eventually, useDatabase } from "../support/database";
import { expectStatus, useProgram } from "../support/program";
import { inTerminal } from "../support/terminal";

const database = useDatabase();
const program = useProgram(database);
const { start, run, path } = useCommands(program);

/** Posts the text `$1`. */
const POST = `post() { curl -sf "$DIORAMA_SERVICE_URL/chat.postMessage" -H "Authorization: Bearer $DIORAMA_TOKEN" -d channel=C02RANDOM --data-urlencode "text=$1" >/dev/null; }`;
/** Does what its prompt says. */
const AGENT = `${POST}; eval "$DIORAMA_PROMPT"`;

const says = (text: string) => ({
  diff_type: "added",
  entity: "messages",
  where: { text },
  expected_count: 1,
});
const aTest = (name: string, prompt: string) => ({
  name,
  prompt,
  expectedOutput: { assertions: [says("done")] },
});
async function imported(name: string, ...tests: readonly object[]) {
  const answer = await program.post("/testSuites", {
    name,
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
    tests,
  });
  expectStatus(answer, 201);
  return answer.body.suiteId as string;
}
const running = (name: string, ...options: string[]) => [
  ...["suites", "run", name, "--command", AGENT, ...options],
];
const environments = async () =>
  (await program.get("/environments?status=active")).body.environments as object[];

/** The table and the summary, without the times and the timestamps of messages. */
const tableOf = (out: string) =>
  out.replaceAll(/ +\d+\.\d s$/gm, "").replaceAll(/runs\/[0-9a-f]{32}$/gm, "");

test("an agent gets the time in its environment, alone and in its prompt", async () => {
  const told = await imported(
    "Told",
    aTest(
      "the same time",
      `date -ud "$DIORAMA_NOW" "+%A %-d %B %Y, %H:%M UTC" | grep -qx "{{now}}" && post done`,
    ),
  );

  expect((await run(running(told))).code).toBe(0);
});

test("an agent may say what its attempt cost; what is no price is reported, and harms nothing", async () => {
  const suiteId = await imported(
    "Costs",
    aTest("known", 'post done; echo 0.25 > "$DIORAMA_COST_FILE"'),
    aTest("unknown", "post done"),
    aTest("odd", 'post done; yes cheap > "$DIORAMA_COST_FILE" & sleep 0.2'),
    aTest("endless", 'post done; mkfifo "$DIORAMA_COST_FILE"'),
  );

  const { code, err } = await run(running("Costs"));

  expect(code).toBe(0);
  expect(err).toContain('odd: DIORAMA_COST_FILE has "cheap\\ncheap');
  expect(err).not.toContain("endless: ");
  const { body } = await program.get(`/runs?testSuiteId=${suiteId}`);
  expect(body.runs.map((each: any) => [each.testName, each.costUsd]).toSorted()).toEqual([
    ["endless", null],
    ["known", 0.25],
    ["odd", null],
    ["unknown", null],
  ]);
});

describe("several attempts", () => {
  test("are counted for each test, with estimates, and keep their labels", async () => {
    const flip = path("flip");
    const suiteId = await imported(
      "Repeated",
      aTest("always", "post done"),
      aTest("never", "true"),
      aTest("once", `mkdir ${flip} && post done || post other`),
    );

    const { code, out, err } = await run(
      running("Repeated", "--repeat", "2", "--label", "model=m=1", "--label", "agent=a"),
    );

    expect(code).toBe(1);
    expect(tableOf(out)).toStartWith(`Test    Passed  Others    Mean reward  Unsafe  Mean time
──────  ──────  ────────  ───────────  ──────  ─────────
always  2 of 2            1.00         0
never   0 of 2  2 failed  0.00         0
once    1 of 2  1 failed  0.50         1
`);
    expect(out).toContain(
      "\nnever, attempts 1, 2: failed\n  1. Exactly one new message that says “done”: none found\n",
    );
    expect(out).toMatch(/none found\n( {2}http:\S+\/console\/runs\/[0-9a-f]{32}\n){2}/);
    expect(out).toContain("\n     nearest: message in #random: “other” (call 1)\n");
    expect(out).toContain("\n       text: “other”, expected: “done”\n");
    expect(out).toContain("\n  unsafe: message in #random: “other” (call 1)\n");
    expect(out).toEndWith(`
Repeated: 3 of 6 passed, 3 failed
mean reward 0.500, 3 successful, 1 unsafe
pass@1 0.500, pass@2 0.667, pass^2 0.333
${program.url}/console/suites/${suiteId}
`);
    expect(err).toMatch(
      /^1\/6 {2}passed {8}always, attempt 1 {2}1\/1 {2}\d+\.\d s\n2\/6 {2}failed/,
    );
    const { body } = await program.get(`/testSuites/${suiteId}/results?groupBy=model`);
    expect(body.groups).toMatchObject([{ group: "m=1", passed: 3, failed: 3, passAtK: 0.6667 }]);
  });

  test.each([
    [["--label", "model"], "A name and a value are needed"],
    [["--repeat", "0"], "A whole number from 1 to 1000 is needed"],
    [["--retry-ungradable", "-1"], "A whole number from 0 to 100 is needed"],
    [["--artifacts", "/proc/nothing"], "--artifacts /proc/nothing: the folder cannot be created"],
  ])("%p is reported", async (options, message) => {
    await imported(`Wrong ${options}`);
    const { code, err } = await run(running(`Wrong ${options}`, ...options));
    expect([code, err]).toEqual([64, expect.stringContaining(message)]);
  });
});

test("every attempt has the faults of its test, and calls are counted", async () => {
  const faults = [{ fault: "lost_answer", method: "chat.postMessage", when: { times: 1 } }];
  const retries = {
    diff_type: "called",
    entity: "chat.postMessage",
    where: { retry: 1 },
    expected_count: 0,
  };
  const once = (name: string, prompt: string) => ({
    ...aTest(name, prompt),
    ...{ faults, expectedOutput: { assertions: [says("done"), retries] } },
  });
  await imported(
    "Faulty",
    once("careful", "post done || true"),
    once("blind", "post done || post done"),
  );
  const { code, out } = await run(running("Faulty", "--json", "--repeat", "2"));
  expect(code).toBe(1);
  const blind = [
    "assertion#1 messages expected count 1 but got 2",
    "assertion#2 chat.postMessage expected count 0 but got 1",
  ];
  const attempts = JSON.parse(out).tests.map(({ name, failures }: any) => [name, failures]);
  expect(attempts).toEqual([
    ...[
      ["careful", []],
      ["careful", []],
    ],
    ...[
      ["blind", blind],
      ["blind", blind],
    ],
  ]);
});

describe("an attempt that is not gradable", () => {
  /** Deletes the environment, so that the run has no diff. */
  const LOST = `curl -sf -X DELETE "$(echo "$DIORAMA_SERVICE_URL" | sed 's,/api/env/\\([^/]*\\)/.*,/api/platform/env/\\1,')"`;

  test("is made again, and counts neither as passed nor as failed", async () => {
    const first = path("first");
    await imported("Lost", aTest("lost", `mkdir ${first} && ${LOST} || post done`));

    const given = await run(running("Lost", "--json"));
    expect(given.code).toBe(2);
    expect(JSON.parse(given.out)).toMatchObject({
      passed: 0,
      failed: 0,
      notGradable: 1,
      tests: [{ verdict: "not gradable", cause: "environment_deleted" }],
    });
    await Bun.$`rmdir ${first}`;
    const retried = await run(running("Lost", "--retry-ungradable", "2"));
    expect([retried.code, retried.out]).toEqual([0, expect.stringContaining("1 of 1 passed")]);
  });

  test("a rejected key is not a failed test", async () => {
    await imported("Closed", aTest("any", "true"));
    const { code, err } = await run(running("Closed", "--key", "wrong"));
    expect([code, err]).toEqual([69, "not_authed: Invalid API key\n"]);
  });
});

describe("a suite that was stopped in the middle", () => {
  const tests = (gate: string) => [
    aTest("passes", "post done"),
    aTest("fails", "post other"),
    aTest("crashes", "post done; exit 7"),
    aTest("waits", `post done; touch ${gate}.reached; while ! test -e ${gate}; do sleep 0.1; done`),
    aTest("passes again", "post done"),
    aTest("fails again", "post done; post done"),
  ];

  test.each([
    ["killed", "SIGKILL"],
    ["interrupted", "SIGINT"],
    ["terminated", "SIGTERM"],
  ] as const)("%s and resumed ends with the same table", async (how, signal) => {
    const gate = path(`gate-${how}`);
    const suiteId = await imported(`Stopped ${how}`, ...tests(gate));
    const options = ["--repeat", "2", "--label", `run=${how}`];
    const child = start(running(`Stopped ${how}`, ...options));
    await eventually(async () => expect(await Bun.file(`${gate}.reached`).exists()).toBe(true));
    child.kill(signal);
    const code = await child.exited;
    if (signal === "SIGKILL") expect(code).not.toBe(0);
    else {
      expect([code, await environments()]).toEqual([2, []]);
      const stopped = await new Response(child.stdout).text();
      expect(stopped).toContain("1 of 12 passed, 1 failed, 1 crashed, 9 interrupted");
    }
    await Bun.write(gate, "");

    const resumed = await run(running(`Stopped ${how}`, ...options, "--resume"));
    const whole = await run(running(`Stopped ${how}`, "--repeat", "2", "--label", "run=whole"));

    expect(resumed.err).toStartWith("3 of 12 attempts were made before\n 4/12 ");
    expect(tableOf(resumed.out)).toContain("crashes       0 of 2  2 crashed  0.00         0\n");
    expect(tableOf(resumed.out)).toBe(tableOf(whole.out));
    expect([resumed.code, whole.code]).toEqual([1, 1]);
    const again = await run(running(`Stopped ${how}`, ...options, "--resume"));
    expect(again.err).toBe("12 of 12 attempts were made before\n");
    expect(tableOf(again.out)).toBe(tableOf(whole.out));
    const { runs } = (await program.get(`/runs?testSuiteId=${suiteId}&labels[run]=${how}`)).body;
    expect(runs).toHaveLength(13);
    const interrupted = runs.filter(({ ending }: any) => ending === "interrupted");
    expect(interrupted).toMatchObject(
      signal === "SIGKILL" ? [] : [{ gradable: false, cause: "interrupted", reward: null }],
    );
    for (const { environmentId } of (await environments()) as { environmentId: string }[])
      await program.call("DELETE", `/env/${environmentId}`);
  });

  test("attempts under other labels are made again", async () => {
    await imported("Labelled", aTest("only", "post done"));
    for (const labels of [[], ["--label", "a=1"], ["--label", "a=1", "--label", "b=2"]]) {
      const { err } = await run(running("Labelled", "--resume", ...labels));
      expect(err).toStartWith("1/1  passed");
    }
    const { err } = await run(running("Labelled", "--resume", "--label", "a=1"));
    expect(err).toBe("1 of 1 attempts were made before\n");
  });
});

describe("files", () => {
  test("--artifacts has a folder for each attempt", async () => {
    await imported(
      "Kept",
      aTest("Say: <done> & go", "post done; echo out; echo err >&2"),
      aTest("slow", "sleep 5"),
    );
    const folder = path("artifacts");

    const options = ["--artifacts", folder, "--timeout", "1", "--label", "l=1"];
    const { code } = await run(running("Kept", ...options));

    expect(code).toBe(1);
    const [said, slow] = (await readdir(folder)).toSorted();
    expect([said, slow]).toEqual([
      expect.stringMatching(/^say-done-go-[0-9a-f]{8}$/),
      expect.stringMatching(/^slow-[0-9a-f]{8}$/),
    ]);
    const at = (test: string, name: string) => Bun.file(`${folder}/${test}/attempt-1/${name}`);
    expect(await at(said!, "stdout.log").text()).toBe("out\n");
    expect(await at(said!, "stderr.log").text()).toBe("err\n");
    expect(await at(said!, "diff.json").json()).toMatchObject({ inserts: [{ text: "done" }] });
    expect(await at(said!, "events.json").json()).toMatchObject({ total: 1, complete: true });
    const calls = (await at(said!, "journal.jsonl").text()).trim().split("\n");
    expect(calls.map((line) => JSON.parse(line))).toMatchObject([
      { n: 1, name: "chat.postMessage", changes: [1], arguments: { text: "done" } },
    ]);
    expect(await at(said!, "verdict.json").json()).toMatchObject({
      suite: "Kept",
      verdict: "passed",
      score: { passed: 1 },
      labels: { l: "1" },
      journal: { attribution: "exact", complete: true },
      prompt: "post done; echo out; echo err >&2",
      expectedOutput: { assertions: [says("done")] },
    });
    expect(await at(slow!, "verdict.json").json()).toMatchObject({
      ...{ verdict: "timed out", ending: "timed_out", reward: 0 },
      failures: ["attempt timed out", "assertion#1 messages expected count 1 but got 0"],
    });
    await Bun.$`rm -r ${folder}/${said}`;
    await run(running("Kept", ...options, "--resume"));
    expect(await at(said!, "verdict.json").json()).toMatchObject({ verdict: "passed" });
    expect(await at(said!, "stdout.log").exists()).toBe(false);
  });

  test("--junit has a case for each attempt", async () => {
    await imported(
      "Reported <&>",
      aTest('says "done"', "post done"),
      aTest("fails & <prints>", "printf 'a\\001b<&'; exit 3"),
    );
    const report = path("junit.xml");

    await run(running("Reported <&>", "--junit", report, "--label", "model=<m>"));

    const xml = (await Bun.file(report).text())
      .replaceAll(/time="\d+\.\d{3}"/g, 'time="1.000"')
      .replaceAll(/"runId" value="[0-9a-f]{32}"/g, '"runId" value="…"')
      .replaceAll(program.url, "URL")
      .replaceAll(/(?<=console\/\w+\/)[0-9a-f]{32}/g, "…");
    expect(xml).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="Reported &lt;&amp;&gt;" tests="2" failures="1" errors="0" time="1.000">
    <properties>
      <property name="model" value="&lt;m&gt;"/>
      <property name="consoleUrl" value="URL/console/suites/…"/>
    </properties>
    <testcase classname="Reported &lt;&amp;&gt;" name="says &quot;done&quot;" time="1.000">
      <properties>
        <property name="runId" value="…"/>
        <property name="consoleUrl" value="URL/console/runs/…"/>
        <property name="reward" value="1"/>
        <property name="success" value="true"/>
        <property name="unsafe" value="0"/>
      </properties>
    </testcase>
    <testcase classname="Reported &lt;&amp;&gt;" name="fails &amp; &lt;prints&gt;" time="1.000">
      <properties>
        <property name="runId" value="…"/>
        <property name="consoleUrl" value="URL/console/runs/…"/>
        <property name="reward" value="0"/>
        <property name="success" value="false"/>
        <property name="unsafe" value="0"/>
      </properties>
      <failure type="crashed" message="attempt crashed: exit code 3">attempt crashed: exit code 3
1. Exactly one new message that says “done”: none found
its last output:
a\ufffdb&lt;&amp;
URL/console/runs/…</failure>
    </testcase>
  </testsuite>
</testsuites>
`);
  });
});

test("a terminal shows counts and the time left in one line", async () => {
  await imported("Watched", aTest("passes", "post done"), aTest("fails", "true"));
  const command = ["bun", MAIN, ...running("Watched")];

  await using shown = inTerminal(command, process.cwd(), { DIORAMA_URL: program.url });

  expect(await shown.exited).toBe(1);
  expect(shown.screen().replaceAll("\u001b[K", "").split("\r").slice(0, 4)).toEqual([
    "",
    "0 of 2: 0 passed",
    expect.stringMatching(/^1 of 2: 1 passed; about \d+ s left$/),
    "2 of 2: 1 passed, 1 failed",
  ]);
});
