/** Calls of an environment as its agent would make them, each recorded by a run. */
import type {
  CompletedRun,
  Diff,
  EnvironmentDetail,
  StartedRun,
} from "~/clients/typescript/schema";
import { call, get, jsonOf, send } from "~/console/api";
import { pretty } from "~/console/parts/dialog";

/** A request in the form: what is called, and with which JSON. `method`: POST by default. */
type Request = { readonly method?: string; readonly address: string; readonly body?: object };
export type Operation = {
  readonly name: string;
  readonly example: object;
  readonly about?: string;
};

/** One way to call the service. */
export type Form = {
  readonly operations: readonly Operation[];
  /** The name of the one that is chosen at first; by default, the first. */
  readonly first?: string;
  readonly request: (name: string, args: object) => Request;
};

const PROTOCOL = {
  Accept: "application/json, text/event-stream",
  "MCP-Protocol-Version": "2025-06-18",
};
const message = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });

type Schema = {
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
};
type Listing = {
  result?: { tools: { name: string; description: string; inputSchema: Schema }[] };
  error?: { message: string };
};

const BLANKS: Readonly<Record<string, unknown>> = {
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
};

/** The required arguments of a tool, to be filled in. */
const blankOf = ({ required = [], properties = {} }: Schema) =>
  Object.fromEntries(required.map((name) => [name, BLANKS[properties[name]?.type ?? ""] ?? ""]));

/** A form for the tools of any service. */
export async function readTools({ mcpUrl }: EnvironmentDetail): Promise<Form> {
  const body = message("tools/list", {});
  const answer = await jsonOf<Listing>(await send("POST", mcpUrl, { body, headers: PROTOCOL }));
  if (!answer?.result) throw new Error(answer?.error?.message ?? "The tools cannot be listed.");
  return {
    operations: answer.result.tools.map(({ name, description, inputSchema }) => ({
      name,
      example: blankOf(inputSchema),
      about: description,
    })),
    request: (name, args) => ({
      address: mcpUrl,
      body: message("tools/call", { name, arguments: args }),
    }),
  };
}

export type Outcome = {
  readonly status: number;
  readonly ms: number;
  readonly answer: string;
  /** Undefined if the environment's own run records the call. */
  readonly diff: Diff | undefined;
  readonly runId: string;
};

/** Makes a call in a run of its own, or within the run that is active. */
export async function perform(
  { environmentId }: EnvironmentDetail,
  { method = "POST", address, body }: Request,
): Promise<Outcome> {
  const { run } = await get<EnvironmentDetail>(`/env/${environmentId}`);
  const active = run?.status === "running" ? run.runId : undefined;
  const runId =
    active ??
    (
      await call<StartedRun>("POST", "/startRun", {
        body: { envId: environmentId, labels: { from: "playground" } },
      })
    ).runId;
  const began = performance.now();
  try {
    const response = await send(method, address, { body, headers: PROTOCOL });
    const text = await response.text();
    const ms = performance.now() - began;
    const diff = active ? undefined : await end(runId);
    return { status: response.status, ms, answer: pretty(text), diff, runId };
  } catch (error) {
    if (!active) await end(runId).catch(() => undefined);
    throw error;
  }
}

const end = async (runId: string) =>
  (await call<CompletedRun>("POST", "/diffRun", { body: { runId } })).diff;
