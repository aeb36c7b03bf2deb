/** `suites run --serve`: agents that stay up, and get each prompt as a message. */
import { expect, test } from "bun:test";
import { useCommands } from "../support/commands";
import { useDatabase } from "../support/database";
import { expectStatus, useProgram } from "../support/program";

const program = useProgram(useDatabase());
const { run, file } = useCommands(program);

/** A bot that answers each mention in its thread. */
const BOT = `
const { DIORAMA_CHAT_URL: base, DIORAMA_APP_TOKEN: appToken, DIORAMA_TOKEN: token } = process.env;
const call = async (method, bearer, body = {}) =>
  await (await fetch(base + "/" + method, {
    method: "POST",
    headers: { Authorization: "Bearer " + bearer, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  })).json();
const { url } = await call("apps.connections.open", appToken);
const socket = new WebSocket(url);
socket.onmessage = async ({ data }) => {
  const { envelope_id, payload } = JSON.parse(data);
  if (!envelope_id) return;
  socket.send(JSON.stringify({ envelope_id }));
  const { type, channel, ts, text } = payload.event;
  if (type !== "app_mention") return;
  const answer = text.includes("order") ? "done" : "what?";
  await call("chat.postMessage", token, { channel, thread_ts: ts, text: answer });
};
`;

/** `of`: in front of the names of tables. */
const aTest = (name: string, prompt: string, of = "") => ({
  name,
  prompt,
  expectedOutput: {
    assertions: [
      { diff_type: "added", entity: `${of}messages`, where: { text: "done" }, expected_count: 1 },
      { diff_type: "delivered", entity: "app_mention", where: { state: "delivered" } },
    ],
    closed_world: true,
    // What follows in the thread's first message is the agent's.
    allow: [{ entity: `${of}messages`, diff_type: "changed" }, { entity: `${of}channel_members` }],
  },
});

const serving = (command: string, ...options: string[]) => [
  ...["suites", "run", "Served", "--serve", "--channel", "C01GENERAL", "--from", "U02JOHNADOE"],
  ...["--quiet", "1", "--timeout", "60", "--command", command, ...options],
];

test("a bot gets its prompt as a mention, and the test ends when it is quiet", async () => {
  const created = await program.post("/testSuites", {
    ...{ name: "Served", templateService: "chat", templateName: "chat_default" },
    impersonateUserId: "U01AGENTONE",
    tests: [aTest("ordered", "Please order lunch."), aTest("not ordered", "Hello there.")],
  });
  expectStatus(created, 201);
  const bot = await file("bot.mjs", BOT);

  const { code, out } = await run(serving(`exec bun ${bot}`, "--json"));

  const { tests } = JSON.parse(out);
  expect(code).toBe(1);
  const [ordered, not] = tests.map((each: any) => each.attempts?.[0] ?? each);
  expect(ordered).toMatchObject({ verdict: "passed", failures: [] });
  expect(not).toMatchObject({ verdict: "failed" });
  expect(not.failures[0]).toContain("assertion#1 messages");
});

test("an app that receives no messages is named: it does not see its prompt", async () => {
  const created = await program.post("/testSuites", {
    ...{ name: "Deaf", templateService: "chat", templateName: "chat_default" },
    impersonateUserId: "U01AGENTONE",
    tests: [
      {
        ...aTest("deaf", "Please order lunch."),
        events: { apps: [{ app: "A01AGENTONE", events: ["reaction_added"] }] },
      },
    ],
  });
  expectStatus(created, 201);
  const bot = await file("deaf.mjs", BOT);

  const { err } = await run([
    ...["suites", "run", created.body.suiteId, "--serve", "--channel", "C01GENERAL"],
    ...["--from", "U02JOHNADOE", "--quiet", "1", "--timeout", "60", "--command", `exec bun ${bot}`],
  ]);

  expect(err).toContain("app A01AGENTONE receives no app_mention and no message");
});

test("in a world, with the apps of the test", async () => {
  const created = await program.post("/testSuites", {
    ...{ name: "Served world", templateService: "world", templateName: "acme" },
    impersonateUserId: "U01AGENTONE",
    tests: [
      {
        ...aTest("ordered in a world", "Please order lunch.", "chat_"),
        events: {
          apps: [
            { app: "9f0c1d52-6d0b-4c29-a37e-0f7a3f0f8b11", events: ["Issue"] },
            { app: "A02OTHERAPP", events: ["app_mention"] },
          ],
        },
      },
    ],
  });
  expectStatus(created, 201);
  const bot = await file("bot.mjs", BOT);
  const [, , , ...options] = serving(`exec bun ${bot}`, "--app", "A02OTHERAPP", "--json");

  const { out } = await run(["suites", "run", created.body.suiteId, ...options]);

  expect(JSON.parse(out).tests).toMatchObject([{ verdict: "passed", failures: [] }]);
});

test("a bot that ends has crashed", async () => {
  const { out } = await run(serving("exit 0", "--json", "--test", "ordered"));
  expect(out).toContain('"crashed"');
});

test("the place of the prompt is needed", async () => {
  const { code, err } = await run(["suites", "run", "Served", "--serve", "--command", "true"]);
  expect(code).toBe(64);
  expect(err).toContain("--serve needs --channel and --from");
});
