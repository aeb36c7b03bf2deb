/** The clients of the protocol that play the scenario, at fixed versions. */
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { devDependencies } from "../../../package.json";
import { goModule, javaPackages, pythonPackages, run, rustProgram } from "../../support/packages";
import type { Command } from "./driver";

export const STATELESS = "2026-07-28";
/** The last revision that begins with `initialize`. */
const INITIALIZED = "2025-11-25";

export type McpClient = {
  readonly name: string;
  readonly version: string;
  /** Those that it speaks, of the two newest. */
  readonly revisions: readonly string[];
  /** Programs that build and run it. */
  readonly needs: readonly string[];
  readonly command: () => Promise<Command>;
};

const DRIVERS = join(import.meta.dir, "../scenarios/drivers");
const driver = (name: string) => join(DRIVERS, name);

const typescript = (name: keyof typeof devDependencies, version: string) => ({
  ...{ name, version: devDependencies[name], needs: ["node"] },
  command: async () => ({ words: ["node", driver("typescript.mjs"), version] }),
});

/** `more`: other packages than that of the client's name. */
const python = (name: string, version: string, script: string, ...more: readonly string[]) => ({
  ...{ name, version, needs: ["python3"] },
  command: async () => ({
    words: ["python3", driver(script)],
    env: {
      PYTHONPATH: await pythonPackages(`${name}==${version}`, ...more),
      MCP_USE_ANONYMIZED_TELEMETRY: "false",
    },
  }),
});

const GO = "github.com/modelcontextprotocol/go-sdk";
const JAVA = "io.modelcontextprotocol.sdk:mcp";

export const CLIENTS: readonly McpClient[] = [
  {
    ...typescript("@modelcontextprotocol/client", "2"),
    revisions: [STATELESS, INITIALIZED],
  },
  { ...typescript("@modelcontextprotocol/sdk", "1"), revisions: [INITIALIZED] },
  { ...python("mcp", "2.3.0", "python_sdk.py"), revisions: [STATELESS, INITIALIZED] },
  { ...python("fastmcp", "4.2.3", "fastmcp_client.py"), revisions: [STATELESS, INITIALIZED] },
  {
    ...python("langchain-mcp-adapters", "0.3.2", "langchain_tools.py", "mcp==1.30.0"),
    revisions: [INITIALIZED],
  },
  { ...python("mcp-use", "1.7.1", "mcp_use_client.py"), revisions: [INITIALIZED] },
  {
    ...python("pydantic-ai-slim[mcp]", "2.68.0", "pydantic_agent.py"),
    revisions: [STATELESS],
  },
  {
    ...python("openai-agents", "0.24.0", "openai_agent.py", "mcp==2.3.0"),
    revisions: [STATELESS],
  },
  {
    ...{ name: GO, version: "1.8.0", needs: ["go"], revisions: [STATELESS, INITIALIZED] },
    async command() {
      const cwd = await goModule(`${GO}/mcp`, "v1.8.0");
      await copyFile(driver("sdk.go"), join(cwd, "main.go"));
      await run(["go", "build", "-o", "driver", "."], { cwd });
      return { words: [join(cwd, "driver")] };
    },
  },
  {
    ...{ name: JAVA, version: "2.1.0", needs: ["java", "mvn"], revisions: [INITIALIZED] },
    async command() {
      const archives = join(await javaPackages(`${JAVA}:2.1.0`), "*");
      return { words: ["java", "--class-path", archives, driver("Sdk.java")] };
    },
  },
  {
    ...{ name: "rmcp", version: "3.11.0", needs: ["cargo"], revisions: [STATELESS, INITIALIZED] },
    async command() {
      // Without the features for servers and for TLS, which take longer to compile than the rest.
      const dependencies = `rmcp = { version = "=3.11.0", default-features = false, features = ["client", "transport-streamable-http-client-reqwest"] }
tokio = { version = "1", features = ["rt", "macros"] }
serde_json = "1"`;
      return { words: [await rustProgram(await Bun.file(driver("sdk.rs")).text(), dependencies)] };
    },
  },
];
