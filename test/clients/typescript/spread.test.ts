/** A suite that is run on several servers by the TypeScript client. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Diorama } from "~/clients/typescript/index";
import { useSharedDatabase } from "../../support/database";
import { useProgram } from "../../support/program";

const program = useProgram(useSharedDatabase());

/** Another address of the server, where calls to this path get an error. */
function address(broken: string | undefined) {
  let made = 0;
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const isNew = pathname.endsWith("/initEnv");
      if (isNew) made++;
      if (broken !== undefined && pathname.endsWith(broken))
        return Response.json({ error: "template_not_found", message: "gone" }, { status: 404 });
      return await fetch(`${program.url}${pathname}${search}`, request);
    },
  });
  return { server, made: () => made, url: server.url.href };
}

const whole = address(undefined);
/** It knows the suites, but makes no environment. */
const broken = address("/initEnv");
const wordless = address("/reasons");
afterAll(async () => {
  for (const { server } of [whole, broken, wordless]) await server.stop(true);
});

const suites: string[] = [];
beforeAll(async () => {
  for (const text of ["Hello", "Bye"]) {
    const expectedOutput = {
      assertions: [{ diff_type: "added", entity: "messages", where: { text } }],
    };
    const { body } = await program.post("/testSuites", {
      ...{ name: text, templateService: "chat", templateName: "chat_default" },
      impersonateUserId: "U01AGENTONE",
      tests: ["one", "two"].map((name) => ({ name, prompt: "Say it.", expectedOutput })),
    });
    suites.push(body.suiteId);
  }
});

const suite = (url: string, place = 0) => new Diorama({ url }).suite(suites[place] ?? "");

test("attempts are spread over the servers", async () => {
  const { attempts, passed } = await suite(program.url).run(
    async ({ environment }) =>
      await environment.slack().chat.postMessage({ channel: "C01GENERAL", text: "Hello" }),
    { parallel: 2, repeat: 3, others: [suite(whole.url)] },
  );

  expect([attempts.length, passed]).toEqual([6, 6]);
  expect(whole.made()).toBeWithin(1, 6);
  const there = attempts.filter(({ consoleUrl }) => consoleUrl?.startsWith(whole.url));
  expect(there).toHaveLength(whole.made());
});

test("an attempt that fails for its server is made again on another one", async () => {
  const options = { parallel: 2, others: [suite(broken.url)] };
  const once = await suite(program.url).run(async () => undefined, options);
  expect(once.attempts.map(({ status }) => status).toSorted()).toEqual(["error", "failed"]);

  const again = await suite(program.url).run(async () => undefined, {
    ...options,
    retryUngradable: 1,
  });
  expect(again.attempts.map(({ status }) => status)).toEqual(["failed", "failed"]);
  expect(broken.made()).toBeGreaterThan(1);
});

test("a verdict counts although its reasons cannot be read", async () => {
  const { attempts } = await suite(wordless.url).run(async () => undefined);
  expect(attempts).toMatchObject([{ status: "failed" }, { status: "failed" }]);
  expect(attempts[0]?.reasons).toBeUndefined();
});

test("a suite that differs between servers is rejected", async () => {
  const run = suite(program.url).run(async () => undefined, { others: [suite(whole.url, 1)] });
  await expect(run).rejects.toThrow('The suite "Hello" is not the same on all servers');
});
