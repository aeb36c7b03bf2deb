/** The commands of README and guide give the printed answers, and their statements are true. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Glob, YAML } from "bun";
import { coverage } from "~/replicas/chat/coverage";
import { coverage as mailCoverage } from "~/replicas/mail/coverage";
import { coverage as trackerCoverage } from "~/replicas/tracker/coverage";
import { SEEDS, SUITES } from "../../seeds/index";
import { startClusters } from "../support/clusters";
import { createDatabase, dropDatabase } from "../support/database";
import { expectStatus, startTestProgram } from "../support/program";

const read = (file: string) => Bun.file(join(import.meta.dir, "../..", file)).text();
const README = await read("README.md");
const guide = (name: string) => read(`src/docs/${name}.md`);

/** The part under a heading of the second level. */
const section = (heading: string) => {
  const [, text = ""] = README.split(`\n## ${heading}\n`);
  return text.split("\n## ")[0] ?? "";
};

/** Values that differ each time; everything else is as printed. */
const MADE_UP =
  /^(now|environmentId|environmentUrl|url|mcpUrl|schemaName|expiresAt|token|runId|consoleUrl|beforeSnapshot|client_msg_id|block_id|ts)$/;

const settled = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (key, inner) => (MADE_UP.test(key) ? `<${key}>` : inner)));

/** Each block of commands with the answer printed below it. */
const storyOf = (text: string) =>
  [...text.matchAll(/```sh\n([^`]+)```\n\n```json\n([^`]+)```/g)].map(
    ([, commands = "", answer = ""]) => ({ commands, answer: JSON.parse(answer) }),
  );

const END_OF_BLOCK = "--- end of block ---";

const FIRST_STEPS = await guide("first-steps");
const COUNTERPARTS = await guide("counterparts");

describe("the story in curl answers as printed", () => {
  test.each([
    ["README", section("The story in curl"), 3],
    ["guide", FIRST_STEPS, 6],
    ["page on counterparts", COUNTERPARTS, 2],
  ])("pasted from the %s into one shell", async (_, text, length) => {
    const story = storyOf(text);
    expect(story).toHaveLength(length);
    const [cluster] = await startClusters();
    if (!cluster) throw new Error("there is no Postgres");
    const database = await createDatabase(cluster);
    const { url, program } = await startTestProgram(database);
    try {
      const script = story.map(({ commands }) => `${commands}\necho "${END_OF_BLOCK}"\n`).join("");
      const shell = Bun.spawn(["sh", "-c", script.replaceAll("http://127.0.0.1:3000", url)]);
      const printed = (await new Response(shell.stdout).text()).split(END_OF_BLOCK);
      const answers = printed.slice(0, -1).map((block) => JSON.parse(block));
      expect(answers.map(settled)).toEqual(story.map(({ answer }) => settled(answer)));
    } finally {
      await program.stop();
      await dropDatabase(database);
    }
  });
});

test("files that the guide shows are accepted", async () => {
  const [cluster] = await startClusters();
  if (!cluster) throw new Error("there is no Postgres");
  const database = await createDatabase(cluster);
  const { get, post, program } = await startTestProgram(database);
  const fileIn = async (name: string) => {
    const [, text = ""] = /```yaml\n([^`]+)```/.exec(await guide(name)) ?? [];
    return YAML.parse(text) as any;
  };
  try {
    const seed = await fileIn("templates");
    const { template: name, service } = seed;
    expectStatus(await post("/templates/import", { name, service, seed }), 201);
    const suite = await fileIn("suites");
    const created = await post("/testSuites", suite);
    expectStatus(created, 201);
    const stored = await get(`/testSuites/${created.body.suiteId}?expand=true`);
    expect(stored.body.tests).toMatchObject(suite.tests);
    expect(stored.body.tests[0].prompt).toBe("Say hello in #general.");
  } finally {
    await program.stop();
    await dropDatabase(database);
  }
});

test("containers of the README reach the Postgres of the README", () => {
  const names = [...README.matchAll(/docker run .*--name (\S+)/g)].map(([, name]) => name);
  const connected = [...README.matchAll(/docker network connect (\S+) (\S+)/g)].map(
    ([, network, name]) => ({ network, name }),
  );
  const [, image = ""] = section("Run it").split("docker build");
  const [, host] = /export DATABASE_URL=\S+@([^:/]+)/.exec(image) ?? [];
  const runs = [...image.matchAll(/^docker run .*$/gm)].map(([line]) => line);

  expect(runs.length).toBe(2);
  expect(names).toContain(host);
  for (const run of runs) {
    const [, network] = /--network (\S+)/.exec(run) ?? [];
    expect(run).toContain("-e DATABASE_URL ");
    expect(connected).toContainEqual({ network, name: host });
  }
});

test("a promise names existing tests", async () => {
  const tests: string[] = [];
  for await (const file of new Glob("**/*.test.ts").scan(join(import.meta.dir, "..")))
    tests.push(await Bun.file(join(import.meta.dir, "..", file)).text());
  const promises = await guide("promises");
  const named = [...promises.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(12);
  for (const name of named) expect(tests.some((text) => text.includes(name))).toBe(true);
});

test("the README is short", () => {
  expect(README.split("\n").length - 1).toBeLessThanOrEqual(250);
  expect(new TextEncoder().encode(README).length).toBeLessThanOrEqual(20 * 1024);
});

test("counts are those of the definitions", async () => {
  const methods = coverage();
  const operations = trackerCoverage();
  const countOf = (states: readonly { state: string }[], state: string) =>
    states.filter((one) => one.state === state).length;
  const counts = section("What is simulated").replaceAll(/\s+/g, " ");
  expect(counts).toContain(
    `**chat**: ${countOf(methods, "full")} methods behave like the service's, ${countOf(methods, "limited")} within documented limits, ${countOf(methods, "refused")} are rejected`,
  );
  expect(counts).toContain(
    `**tracker**: ${countOf(operations, "simulated")} operations behave like the service's, ${countOf(operations, "kept")} store what they receive and return it, ${countOf(operations, "refused")} are rejected`,
  );
  const mail = mailCoverage();
  expect(counts).toContain(
    `**mail**: ${countOf(mail, "full")} methods behave like the service's, ${countOf(mail, "kept")} store what they receive and return it, ${countOf(mail, "refused")} are rejected`,
  );
  const suites = SUITES as { name: string; templateName: string; tests: unknown[] }[];
  const total = suites.reduce((sum, { tests }) => sum + tests.length, 0);
  expect(counts).toContain(`with ${total} tests`);

  const cells = (text: string) =>
    [...text.matchAll(/^\| (.+) \|$/gm)].map(([, row = ""]) =>
      row.split(" | ").map((cell) => cell.trim()),
    );
  const suiteRows = cells(await guide("suites"));
  for (const { name, templateName, tests } of suites) {
    const row = [name, String(tests.length), expect.any(String), `\`${templateName}\``];
    expect(suiteRows).toContainEqual(row);
  }
  const templateRows = cells(await guide("templates"));
  for (const { template, service, description } of SEEDS as Record<string, string>[])
    expect(templateRows).toContainEqual([`\`${template}\``, service!, description!]);
});
