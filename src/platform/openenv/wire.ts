/** OpenEnv's messages over a WebSocket: one answer to each, in order. */
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Static } from "elysia";
import { ApiError } from "~/errors";
import { errorAnswer } from "~/http/errors";
import { isObject, parsedBounded } from "~/input/json";
import { linesAbout, linesOf } from "~/input/shape";
import type { Log } from "~/log";
import { Action, Reset } from "~/platform/openenv/model";
import type { Player } from "~/platform/openenv/player";
import { CODES } from "~/wire/frames";
import { textOf } from "~/wire/message";
import type { Listener, Peer } from "~/wire/websocket";

type Code =
  | "INVALID_JSON"
  | "UNKNOWN_TYPE"
  | "VALIDATION_ERROR"
  | "CAPACITY_REACHED"
  | "SESSION_ERROR"
  | "EXECUTION_ERROR";

const errorFrame = (code: Code, message: string) => ({ type: "error", data: { message, code } });

/** Sends an error and ends the socket. */
export async function turnAway(
  peer: Peer,
  message: string,
  code: "CAPACITY_REACHED" | "SESSION_ERROR" = "CAPACITY_REACHED",
): Promise<void> {
  await peer.send(JSON.stringify(errorFrame(code, message)));
  peer.close(CODES.tryAgainLater);
}

/** A player's side of a socket. */
type Seat = {
  readonly player: Player;
  /** Answers a request of JSON-RPC that comes as a message of the type `mcp`. */
  readonly rpc: (request: unknown) => Promise<object>;
  /** The client has left. */
  readonly end: () => void;
};

export function play(peer: Peer, { player, rpc, end }: Seat, log: Log): Listener {
  async function answer(text: string): Promise<object | undefined> {
    const message = parsedBounded(text);
    if (!isObject(message)) return errorFrame("INVALID_JSON", "A message is a JSON object");
    const { type, data = {} } = message;
    switch (type) {
      case "reset":
        return { type: "observation", data: await player.reset(checked(Reset, data)) };
      case "step":
        return { type: "observation", data: await player.step(checked(Action, data)) };
      case "state":
        return { type: "state", data: player.state() };
      case "mcp":
        return { type: "mcp", data: await rpc(data) };
      case "close":
        peer.close(CODES.normal);
        return undefined;
      default:
        return errorFrame("UNKNOWN_TYPE", "type: one of reset, step, state, mcp, close is needed");
    }
  }

  return {
    async message(text) {
      const frame = await answer(text).catch((error) => frameOf(error, log));
      if (frame) await peer.send(JSON.stringify(frame));
    },
    end,
  };
}

/** Throws `invalid_request`. */
function checked<Shape extends TSchema>(shape: Shape, value: unknown): Static<Shape> {
  if (Value.Check(shape, value)) return value;
  throw new ApiError("invalid_request", linesOf(linesAbout(shape, value, "data")));
}

/** Of anything thrown: what is not the agent's fault is no observation, and has no reward. */
function frameOf(error: unknown, log: Log): object {
  const { status, code, message } = problemOf(error, log);
  if (status === 429) return errorFrame("CAPACITY_REACHED", message);
  if (code === "environment_not_found") return errorFrame("SESSION_ERROR", message);
  return errorFrame(status < 500 ? "VALIDATION_ERROR" : "EXECUTION_ERROR", message);
}

/** Anything thrown, as the platform would answer it. */
export function problemOf(error: unknown, log: Log) {
  const { answer } = errorAnswer(error, log, crypto.randomUUID());
  const { error: code, detail, reason } = JSON.parse(textOf(answer)) as Record<string, string>;
  const message = code === undefined ? `${reason}` : `${code}: ${detail}`;
  return { status: answer.status, code, message };
}
