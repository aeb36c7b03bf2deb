/** Clients of OpenEnv: a WebSocket here, and the one of its package in Python. */
import { pythonPackages } from "./packages";

/** Its client, without its server, which needs 90 packages more. */
const OPENENV = [
  ...["--no-deps", "openenv==0.10.0", "websockets==15.0.1", "requests==2.32.5"],
  ...["urllib3==2.8.0", "idna==3.20", "certifi==2026.10.18", "charset_normalizer==3.5.2"],
];

/** Begins a program that imports its client: the package itself would import its server. */
export const OPENENV_PRELUDE = `
import os, sys, types
import openenv
core = types.ModuleType("openenv.core")
core.__path__ = [os.path.join(openenv.__path__[0], "core")]
sys.modules["openenv.core"] = core
from openenv.core.generic_client import GenericEnvClient
core.GenericEnvClient = GenericEnvClient
`;

/** Variables for a Python that imports it. */
export const openEnvPython = async () => ({
  ...process.env,
  PYTHONPATH: await pythonPackages(...OPENENV),
});

export type Frame = { readonly type: string; readonly data: any };
export type PlayedSocket = Awaited<ReturnType<typeof joinOpenEnv>>;

/** `url`: of the server. `query`: with its question mark. Throws if the handshake fails. */
export async function joinOpenEnv(
  url: string,
  suite: string,
  headers: Record<string, string> = {},
  query = "",
) {
  const socket = new WebSocket(`${url.replace("http:", "ws:")}/openenv/${suite}/ws${query}`, {
    headers,
  });
  const waiting: ((frame: Frame) => void)[] = [];
  const closed = new Promise<number>((resolve) =>
    socket.addEventListener("close", ({ code }) => resolve(code)),
  );
  socket.addEventListener("message", ({ data }) => waiting.shift()?.(JSON.parse(data)));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("close", () => reject(new Error("the handshake failed")));
  });
  const send = (message: object | string): Promise<Frame> => {
    const frame = new Promise<Frame>((resolve) => waiting.push(resolve));
    socket.send(typeof message === "string" ? message : JSON.stringify(message));
    return frame;
  };
  return {
    closed,
    send,
    reset: (data: object = {}) => send({ type: "reset", data }),
    step: (data: object) => send({ type: "step", data }),
    state: () => send({ type: "state" }),
    close: () => socket.close(),
    terminate: () => socket.terminate(),
  };
}

/** Its whole package, for its command: what it needs as it was on a day. */
const VALIDATOR = ["--exclude-newer=2026-11-15", "openenv==0.10.0"];

/** Runs a program of Python with it. Returns its exit code, and what it printed. */
export async function runOpenEnv(...args: readonly string[]) {
  const env = { ...process.env, PYTHONPATH: await pythonPackages(...VALIDATOR) };
  const child = Bun.spawn(["python3", ...args], { env, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

/** Runs `openenv validate --json`. */
export async function validateOpenEnv(...args: readonly string[]) {
  const { code, out, err } = await runOpenEnv("-m", "openenv.cli", "validate", "--json", ...args);
  if (!out.startsWith("{")) throw new Error(`openenv validate ${args.join(" ")}: ${out}${err}`);
  return { code, report: JSON.parse(out) };
}
