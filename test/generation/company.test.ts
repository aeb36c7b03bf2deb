import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { generateCompany } from "~/generation/company";
import { SIZES as SIZES_MAX } from "~/generation/sizes";
import { type CompanySeed, type FactLine, type Task, tasksOf } from "~/generation/tasks";
import { SEED_BODY_MAX } from "~/wire/limits";
import { useCommands } from "../support/commands";
import { useDatabase } from "../support/database";
import { expectStatus, useProgram } from "../support/program";

const program = useProgram(useDatabase());
const WANTED = { seed: 7, people: 12, months: 2 };
const SIZES = { messages: 400, issues: 120, mails: 150, events: 100 };
const none = new Map<string, string>();

describe("a generated company", () => {
  test("is the same for the same seed, and another one for another", () => {
    const text = (seed: number) => JSON.stringify(generateCompany({ ...WANTED, seed }, none));

    expect(text(7)).toBe(text(7));
    expect(text(8)).not.toBe(text(7));
  });

  test("has the sizes that are wanted", () => {
    const { members } = generateCompany({ ...WANTED, ...SIZES }, none).seed as any;

    const posts = members.chat.messages;
    const said = posts.reduce((sum: number, { replies = [] }: any) => sum + 1 + replies.length, 0);
    expect(said).toBe(SIZES.messages);
    expect(members.tracker.issues).toHaveLength(SIZES.issues);
    expect(members.mail.messages).toHaveLength(SIZES.mails);
    expect(members.calendar.events).toHaveLength(SIZES.events);
    expect(members.tracker.users).toHaveLength(WANTED.people + 1);
  });

  test("can be imported, however large it is", () => {
    const largest = { seed: 1, people: 200, months: 12, ...SIZES_MAX };
    const body = { service: "world", name: "company", seed: generateCompany(largest, none).seed };

    expect(JSON.stringify(body).length).toBeLessThan(SEED_BODY_MAX);
  });

  test("states each fact in at least two services, with texts that are in its seed", () => {
    const { seed, facts, prose } = generateCompany(WANTED, none);
    const whole = JSON.stringify(seed);

    expect(facts.length).toBeGreaterThan(40);
    for (const { statements } of facts as any[])
      expect(new Set(statements.map(({ service }: any) => service)).size).toBeGreaterThanOrEqual(2);
    for (const { text } of prose) expect(whole).toContain(JSON.stringify(text).slice(1, -1));
    expect(new Set(prose.map(({ id }) => id)).size).toBe(prose.length);
  });

  test("has the prose that is given, and the same facts", () => {
    const plain = generateCompany(WANTED, none);
    const [first] = plain.prose;
    const { seed, facts } = generateCompany(WANTED, new Map([[`${first?.id}`, "In other words"]]));

    expect(JSON.stringify(seed)).toContain("In other words");
    expect(facts).toEqual(plain.facts);
  });

  test("becomes a world, whose people are the same in each service", async () => {
    const { seed } = generateCompany({ ...WANTED, ...SIZES }, none);
    const name = "generated_company";
    const imported = await program.post("/templates/import", { service: "world", name, seed });
    expectStatus(imported, 201);
    const environment = await program.environment({
      ...{ templateService: "world", templateName: name, impersonateUserId: undefined },
      impersonateEmail: (seed as any).people[0].email,
    });

    const users = Object.values(environment.services).map(({ userId }: any) => userId);
    expect(users).not.toContain(null);
    expect(environment.clock.now).toStartWith("2026-03-31T10:00:0");
  });
});

describe("the tests about its facts", () => {
  const company = generateCompany(WANTED, none);
  const seed = company.seed as CompanySeed;
  const tasks = tasksOf(seed, company.facts as FactLine[]);

  test("are of every kind, and each question is asked once", () => {
    const kinds = new Set(tasks.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual([
      ...["absence", "decision", "incident", "project", "request"],
    ]);
    expect(new Set(tasks.map(({ test: { prompt } }) => prompt)).size).toBe(tasks.length);
    expect(new Set(tasks.map(({ test: { name } }) => name)).size).toBe(tasks.length);
  });

  test("pass for their solutions, and fail if nothing is done", async () => {
    const name = "company_of_tests";
    const imported = await program.post("/templates/import", { service: "world", name, seed });
    expectStatus(imported, 201);
    const chosen = tasks.slice(0, 10);
    const { body: suite } = await program.post("/testSuites", {
      ...{ name: "Generated", templateService: "world", templateName: name },
      impersonateUserId: seed.members.chat.users[0]?.id,
      tests: chosen.map(({ test: one }) => one),
    });
    const { body: whole } = await program.get(`/testSuites/${suite.suiteId}?expand=true`);
    for (const [index, { solution }] of chosen.entries()) {
      const testId = whole.tests[index].id;
      const verdict = async (calls: typeof solution) => {
        const { body: environment } = await program.post("/initEnv", { testId });
        const { environmentId: envId } = environment;
        const { body: run } = await program.post("/startRun", { envId, testId });
        for (const call of calls) await perform(environment, call);
        const { body } = await program.post("/evaluateRun", { runId: run.runId });
        await program.call("DELETE", `/env/${envId}`);
        return [body.status, body.failures.length === 0];
      };
      expect([index, await verdict(solution)]).toEqual([index, ["passed", true]]);
      expect([index, await verdict([])]).toEqual([index, ["failed", false]]);
    }
  });
});

const PATHS: Readonly<Record<string, string>> = {
  "chat.postMessage": "chat/chat.postMessage",
  "messages.send": "mail/gmail/v1/users/me/messages/send",
  commentCreate: "tracker/graphql",
};

async function perform(environment: any, call: Task["solution"][number]) {
  const { userId: _, ...body } = call.arguments as { userId?: string };
  const response = await fetch(`${program.url}${environment.environmentUrl}/${PATHS[call.name]}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${environment.token}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(body),
  });
  expect([call.name, response.status]).toEqual([call.name, 200]);
}

describe("the command", () => {
  const commands = useCommands(program);
  const generate = (...args: string[]) => commands.run(["templates", "generate", ...args]);

  test("writes three files, and takes the prose back", async () => {
    const [plain, written] = [commands.path("plain"), commands.path("written")];
    const args = ["--people", "6", "--months", "1"];
    expect((await generate(plain, ...args)).code).toBe(0);
    const prose = join(plain, "prose.jsonl");
    await Bun.write(
      prose,
      (await Bun.file(prose).text()).replaceAll(/"text":"/g, '"text":"Well. '),
    );

    expect((await generate(written, ...args, "--prose", prose)).code).toBe(0);

    expect((await readdir(written)).toSorted()).toEqual([
      "company.json",
      "facts.jsonl",
      "prose.jsonl",
    ]);
    const factsIn = (at: string) => Bun.file(join(at, "facts.jsonl")).text();
    expect(await factsIn(written)).toBe(await factsIn(plain));
    expect(await Bun.file(join(written, "company.json")).text()).toContain("Well. ");
  });

  test("writes a suite with its solutions, of as many tests as the facts allow", async () => {
    const folder = commands.path("asked");
    await generate(folder, "--people", "6", "--months", "1");
    const ask = (count: string) => commands.run(["suites", "generate", folder, "--count", count]);

    expect((await ask("900")).err).toContain("--count: at most ");
    expect((await ask("5")).code).toBe(0);

    const { tests } = await Bun.file(join(folder, "suite.json")).json();
    const solutions = await Bun.file(join(folder, "solutions.json")).json();
    expect(tests).toHaveLength(5);
    expect(Object.keys(solutions)).toEqual(tests.map(({ name }: any) => name));
  });

  test.each([
    ["company.json", "{}", "company.json is no company of `templates generate`"],
    ["facts.jsonl", "[]\n", "facts.jsonl:1 is not a fact"],
  ])("asks nothing about a wrong %s", async (name, content, problem) => {
    const folder = commands.path(`wrong ${name}`);
    await generate(folder, "--people", "6", "--months", "1");
    await Bun.write(join(folder, name), content);

    const { code, err } = await commands.run(["suites", "generate", folder]);

    expect(code).toBe(64);
    expect(err).toContain(problem);
  });

  test.each([
    [["--people", "4"], "from 5 to 200"],
    [["--months", "13"], "from 1 to 12"],
    [["--messages", "10001"], "from 1 to 10000"],
    [["--messages", "3"], "--messages: at least"],
    [["--prose", "/nowhere"], "there is no such file"],
  ])("rejects %j with the bound", async (args, problem) => {
    const { code, err } = await generate(commands.path("rejected"), ...args);

    expect(code).toBe(64);
    expect(err).toContain(problem);
  });

  test.each([
    ["{}", 'an object with the texts "id" and "text"'],
    ['{"id":"fact-999/mail","text":"x"}', "no text has the id"],
    ["no JSON", 'an object with the texts "id" and "text"'],
  ])("rejects the prose %j", async (line, problem) => {
    const file = await commands.file("prose.jsonl", `${line}\n`);

    const { code, err } = await generate(commands.path("rejected"), "--prose", file);

    expect(code).toBe(64);
    expect(err).toContain(`${file}:1: `);
    expect(err).toContain(problem);
  });
});
