/** A server in a terminal. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { useDatabase } from "../support/database";
import { clientOf } from "../support/program";
import { inTerminal, type Settings } from "../support/terminal";

const ROOT = join(import.meta.dir, "../..");
const database = useDatabase();

const serve = (settings: Settings) =>
  inTerminal(["bun", "src/main.ts"], ROOT, {
    DATABASE_URL: database.url,
    PORT: "0",
    ENVIRONMENT_POOL_TARGETS: "chat_default:2",
    ...settings,
  });

test("logs text in colors to a terminal, from its threads as well", async () => {
  await using server = serve({ LOG_LEVEL: "debug" });
  await server.shows("A first environment");
  const [, url = ""] = /listens on (\S+)/.exec(server.screen()) ?? [];
  const client = clientOf(url);
  const { environmentId } = await client.environment();
  await client.post("/startRun", { envId: environmentId });

  await server.shows("streaming");
  const lines = Bun.stripANSI(server.screen()).split("\r\n");

  expect(server.screen()).not.toContain('{"ts"');
  expect(lines).toContainEqual(expect.stringMatching(/^\S+Z INFO {2}started url=/));
  expect(lines).toContainEqual(expect.stringMatching(/^\S+Z DEBUG capture state state=streaming/));
  expect(server.screen()).toContain("\u001b[32mINFO");
  await server.interrupt();
});

test.each([
  ["colors", { NO_COLOR: "1" }, (screen: string) => !screen.includes("\u001b[")],
  ["text", { LOG_FORMAT: "json" }, (screen: string) => screen.includes('"msg":"started"')],
])("logs without %s if that is disabled", async (_case, settings, holds) => {
  await using server = serve(settings);
  await server.shows("A first environment");

  expect(holds(server.screen())).toBe(true);
  await server.interrupt();
});
