/**
 * Tools over JSON-RPC in the manner of OpenEnv: `tools/list` and `tools/call` of a session, which a client creates and
 * closes itself. Its errors are answers as well, with the status 200.
 */
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { isObject } from "~/input/json";
import { linesAbout, linesOf } from "~/input/shape";
import type { Log } from "~/log";
import type { By, Player } from "~/platform/openenv/player";
import type { Sessions } from "~/platform/openenv/sessions";
import { type ListedTool, toolsOf } from "~/platform/openenv/tools";
import { problemOf } from "~/platform/openenv/wire";
import type { SuiteRow } from "~/platform/suites/store";

const CODES = {
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  server: -32_000,
} as const;

const Request = Type.Object(
  {
    jsonrpc: Type.Literal("2.0"),
    method: Type.String(),
    params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    id: Type.Optional(Type.Union([Type.String(), Type.Integer(), Type.Null()])),
  },
  { additionalProperties: false },
);
const Call = Type.Object({
  name: Type.String({ minLength: 1 }),
  arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

/** An error of the protocol. */
class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type Params = Readonly<Record<string, unknown>>;
/** The caller and the suite. `own`: the player of the WebSocket that the request came through. */
export type Asked = {
  readonly userId: string;
  readonly by: By;
  readonly suite: SuiteRow;
  readonly own?: Player;
};

/** Answers one request. Never throws. */
export async function answerRpc(
  sessions: Sessions,
  asked: Asked,
  request: unknown,
  log: Log,
): Promise<object> {
  const id = isObject(request) ? request["id"] : null;
  const head = { jsonrpc: "2.0", id: Value.Check(Request.properties.id, id) ? (id ?? null) : null };
  try {
    if (!Value.Check(Request, request))
      throw new RpcError(CODES.invalidRequest, linesOf(linesAbout(Request, request, "request")));
    return {
      ...head,
      result: await answerMethod(sessions, asked, request.method, request.params ?? {}),
    };
  } catch (error) {
    return { ...head, error: errorOf(error, log) };
  }
}

function errorOf(error: unknown, log: Log) {
  if (error instanceof RpcError) return { code: error.code, message: error.message };
  const { status, message } = problemOf(error, log);
  const isTheirs = status < 500 && status !== 429;
  return { code: isTheirs ? CODES.invalidParams : CODES.server, message };
}

async function answerMethod(
  sessions: Sessions,
  { userId, by, suite, own }: Asked,
  method: string,
  params: Params,
): Promise<object> {
  const { session_id: id } = params;
  function player(): Player | undefined {
    if (own || id === undefined) return own;
    const found = sessions.player(userId, suite, `${id}`);
    if (found) return found;
    throw new RpcError(CODES.invalidParams, "session_id: there is no such session");
  }

  switch (method) {
    case "openenv/session/create":
      return { session_id: sessions.create(userId, by, suite) };
    case "openenv/session/close": {
      const closed = sessions.close(userId, suite, `${id}`);
      if (closed)
        return { session_id: id, closed: closed === "closed", closing: closed === "closing" };
      throw new RpcError(CODES.invalidParams, "session_id: there is no such session");
    }
    case "tools/list":
      return { tools: (player()?.tools() ?? toolsOf(suite)).map(asListed) };
    case "tools/call":
      return await callTool(player(), params);
    default:
      throw new RpcError(CODES.methodNotFound, "Method not found");
  }
}

const asListed = ({ name, description, input_schema: inputSchema }: ListedTool) => ({
  name,
  description,
  inputSchema,
});

/** An episode is the player's: a call without one changes nothing. */
async function callTool(player: Player | undefined, params: Params): Promise<object> {
  if (!player)
    throw new RpcError(
      CODES.invalidParams,
      "session_id: needed; openenv/session/create makes one, and a WebSocket that joins it resets it",
    );
  if (!Value.Check(Call, params))
    throw new RpcError(CODES.invalidParams, "name and arguments: of the tool are needed");
  const { name, arguments: args = {} } = params;
  const { observation, reward, done } = await player.step({
    type: "call_tool",
    tool_name: name,
    arguments: args,
  });
  const { result, error, metadata: _, ...ended } = observation as Observed;
  if (error) throw new RpcError(CODES.invalidParams, error.message);
  if (result) return { content: result.content, isError: result.is_error };
  const verdict = { reward, done, ...ended };
  return {
    content: [{ type: "text", text: JSON.stringify(verdict) }],
    structuredContent: verdict,
    isError: false,
  };
}

type Observed = {
  readonly result?: { readonly content: readonly object[]; readonly is_error: boolean } | null;
  readonly error?: { readonly message: string } | null;
  readonly metadata?: object;
};
