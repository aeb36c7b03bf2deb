/** OpenEnv's messages over a WebSocket: one answer to each, in order. */
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Static } from "elysia";
import { ApiError } from "~/errors";
import { errorAnswer } from "~/http/errors";
import { CODES, type Listener, type Peer } from "~/http/websocket";
import { isObject, parseBounded } from "~/json";
import type { Log } from "~/log";
import { textOf } from "~/message";
import { Action, Reset } from "~/platform/openenv/model";
import type { Player } from "~/platform/openenv/players";

type Code =
  | "INVALID_JSON"
  | "UNKNOWN_TYPE"
  | "VALIDATION_ERROR"
  | "CAPACITY_REACHED"
  | "SESSION_ERROR"
  | "EXECUTION_ERROR";

const errorFrame = (code: Code, message: string) => ({ type: "error", data: { message, code } });

/** Sends an error and ends the socket. */
export async function turnAway(peer: Peer, message: string): Promise<void> {
  await peer.send(JSON.stringify(errorFrame("CAPACITY_REACHED", message)));
  peer.close(CODES.tryAgainLater);
}

export function play(peer: Peer, player: Player, log: Log): Listener {
  async function answer(text: string): Promise<object | undefined> {
    const message = parse(text);
    if (!isObject(message)) return errorFrame("INVALID_JSON", "A message is a JSON object");
    const { type, data = {} } = message;
    switch (type) {
      case "reset":
        return { type: "observation", data: await player.reset(checked(Reset, data)) };
      case "step":
        return { type: "observation", data: await player.step(checked(Action, data)) };
      case "state":
        return { type: "state", data: player.state() };
      case "close":
        peer.close(CODES.normal);
        return undefined;
      default:
        return errorFrame("UNKNOWN_TYPE", "type: one of reset, step, state, close is needed");
    }
  }

  return {
    async message(text) {
      const frame = await answer(text).catch((error) => frameOf(error, log));
      if (frame) await peer.send(JSON.stringify(frame));
    },
    end: player.end,
  };
}

function parse(text: string): unknown {
  try {
    return parseBounded(text);
  } catch {
    return undefined;
  }
}

/** Throws `invalid_request`. */
function checked<Shape extends TSchema>(shape: Shape, value: unknown): Static<Shape> {
  if (Value.Check(shape, value)) return value;
  const [first] = Value.Errors(shape, value);
  const path = first?.path.slice(1).replaceAll("/", ".") || "data";
  throw new ApiError("invalid_request", `${path}: ${first?.message ?? "does not fit"}`);
}

/** Of anything thrown: what is not the agent's fault is no observation, and has no reward. */
async function frameOf(error: unknown, log: Log): Promise<object> {
  const { answer } = errorAnswer(error, log, crypto.randomUUID());
  const { error: code, detail, reason } = JSON.parse(textOf(answer)) as Record<string, string>;
  const message = code === undefined ? `${reason}` : `${code}: ${detail}`;
  if (answer.status === 429) return errorFrame("CAPACITY_REACHED", message);
  if (code === "environment_not_found") return errorFrame("SESSION_ERROR", message);
  return errorFrame(answer.status < 500 ? "VALIDATION_ERROR" : "EXECUTION_ERROR", message);
}
