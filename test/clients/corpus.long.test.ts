/** Clients that people use, unmodified and at fixed versions: each makes at least thirty calls and checks contents. */
import { describe, expect, test } from "bun:test";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { canReplaceHosts } from "~/commands/intercept/environment";
import { useDatabase } from "../support/database";
import { useIntercept } from "../support/intercept";
import { goModule, lacks, nodePackages, pythonPackages, run } from "../support/packages";
import { useProgram } from "../support/program";
import { ENG, JOHN } from "../support/tracker";

const MINUTES = 60_000;
const ROOT = join(import.meta.dir, "../..");
const SCENARIOS = join(import.meta.dir, "scenarios");
const program = useProgram(useDatabase());

/** Variables that lead a scenario to a new environment. */
async function environment(service: "chat" | "tracker") {
  const { environmentUrl, token } = await program.environment({
    templateService: service,
    templateName: `${service}_default`,
    impersonateUserId: service === "chat" ? "U01AGENTONE" : JOHN,
  });
  return { ...process.env, URL: `${program.url}${environmentUrl}`, TOKEN: token as string };
}
const expectCalls = (output: string) => expect(Number(output)).toBeGreaterThanOrEqual(30);

describe("the chat through", () => {
  test.each(["sync", "async"])(
    "Python's slack_sdk, %s",
    async (kind) => {
      const path = await pythonPackages("slack_sdk==3.47.0", "aiohttp==3.14.5");
      const env = { ...(await environment("chat")), PYTHONPATH: path };
      const script = join(SCENARIOS, "slack_sdk_scenario.py");
      expectCalls(await run(["python3", script, kind], { env }));
    },
    5 * MINUTES,
  );

  test.skipIf(lacks("go"))(
    "slack-go",
    async () => {
      const folder = await goModule("github.com/slack-go/slack", "v0.35.0");
      await copyFile(join(SCENARIOS, "slack_go.go"), join(folder, "main.go"));
      expectCalls(await run(["go", "run", "."], { cwd: folder, env: await environment("chat") }));
    },
    8 * MINUTES,
  );
});

describe("the tracker through", () => {
  test.each(["@linear/sdk", "linear86", "linear70", "linear58"])(
    "%s",
    async (sdk) => {
      // Beside node_modules: a script's imports are looked up from where it is.
      const script = join(SCENARIOS, "linear-sdk.mjs");
      const env = await environment("tracker");
      expectCalls(await run(["node", script, sdk], { cwd: ROOT, env }));
    },
    MINUTES,
  );

  test(
    "Python's gql, which builds the schema from the introspection",
    async () => {
      const path = await pythonPackages("gql[requests]==3.5.3", "graphql-core==3.2.6");
      const env = { ...(await environment("tracker")), PYTHONPATH: path };
      expectCalls(await run(["python3", join(SCENARIOS, "gql_scenario.py")], { env }));
    },
    5 * MINUTES,
  );
});

describe.skipIf(!canReplaceHosts())("a community MCP server whose host is fixed", () => {
  const place = useIntercept();

  test.each([
    ["@modelcontextprotocol/server-slack", "2025.4.25", "dist/index.js", "slack"],
    ["@zencoderai/slack-mcp-server", "0.0.1", "dist/index.js", "slack"],
    ["mcp-server-linear", "1.6.0", "build/index.js", "mcp-server-linear"],
    ["@tacticlaunch/mcp-linear", "1.4.3", "dist/index.js", "mcp-linear"],
  ])(
    "%s",
    async (name, version, entry, scenario) => {
      const folder = await nodePackages(`${name}@${version}`);
      const { code, out, err } = await place.intercept(
        [...place.to, "--via", "hosts"],
        ["node", join(SCENARIOS, "mcp.mjs"), folder, `${name}/${entry}`, scenario],
        {
          ...{ SLACK_BOT_TOKEN: "xoxb-made-up", SLACK_TEAM_ID: "T01ACMECORP" },
          ...{ LINEAR_API_KEY: "lin_api_made_up", LINEAR_API_TOKEN: "lin_api_made_up" },
          // A server that finds itself in a test does not start.
          ...{ LINEAR_ACCESS_TOKEN: "lin_api_made_up", TEAM: ENG, NODE_ENV: "production" },
        },
      );
      expect([code, err]).toEqual([0, ""]);
      expectCalls(out);
    },
    5 * MINUTES,
  );
});
