/**
 * A client of the protocol in a process of its own, which makes the calls that a test wants: a line of JSON on its input
 * for each call, a line on its output for each answer, and before them one with the names of all tools. For an agent, its
 * scripted model reads and writes these lines, so that each call goes through the agent.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Endpoint } from "../../support/mcp";

export type Service = "chat" | "tracker";

export type ToolCall = {
  readonly service: Service;
  readonly name: string;
  readonly arguments: object;
};

/** `isError` is missing where the client does not pass it on. */
export type Result = { readonly text: string; readonly isError?: boolean };

export type Driver = {
  readonly tools: readonly string[];
  readonly call: (call: ToolCall) => Promise<Result>;
};

export type Command = {
  readonly words: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
};

const WHOLE_MS = 120_000;

/** Starts a driver, passes it to `use`, and expects that it then ends without an error. */
export async function withDriver(
  { words: [program = "", ...args], cwd, env }: Command,
  endpoints: Readonly<Record<Service, Endpoint>>,
  use: (driver: Driver) => Promise<unknown>,
): Promise<void> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env, ...variablesOf(endpoints) },
    timeout: WHOLE_MS,
  });
  const ended = once(child, "close");
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  async function read() {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${program} ended: ${errors}`);
      if (value.startsWith("{")) return JSON.parse(value); // others are of loggers
    }
  }
  try {
    const { tools } = await read();
    await use({
      tools,
      call: async (call) => {
        child.stdin.write(`${JSON.stringify(call)}\n`);
        return await read();
      },
    });
    child.stdin.end();
    const [code] = await ended;
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${errors}`);
  } finally {
    child.kill();
  }
}

const variablesOf = (endpoints: Readonly<Record<Service, Endpoint>>) =>
  Object.fromEntries(
    Object.entries(endpoints).flatMap(([service, { url, headers }]) => [
      [`${service.toUpperCase()}_URL`, url],
      [`${service.toUpperCase()}_TOKEN`, headers["Authorization"]?.slice("Bearer ".length)],
    ]),
  );
