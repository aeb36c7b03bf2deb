/** Other targets of chat's calls, and how to remove a target. */

import {
  type Call,
  type JsonObject,
  type Preparation,
  type Tables,
  type Test,
  textOf,
} from "../model";
import { isUntouched, rows } from "../moves";
import { AGENT, call, channelsOf, isMessage, membersOf, OWNER } from "./world";

export function elsewhere({ name, arguments: given }: Call, world: Tables, test: Test): Call[] {
  const { thread_ts, reply_broadcast, ...rest } = given;
  const channels = channelsOf(world)
    .map(({ id }) => textOf(id))
    .filter((id) => isUntouched(test, id));
  const moved = (targets: readonly JsonObject[]) =>
    targets.map((target) => call(name, { ...rest, ...target }));
  switch (name) {
    case "chat.update":
    case "chat.delete":
      return moved(
        rows(world, "messages")
          .filter(
            (row) =>
              row["user_id"] === AGENT && row["subtype"] === null && isUntouched(test, row["ts"]),
          )
          .map((row) => ({ channel: row["channel_id"] ?? null, ts: row["ts"] ?? null })),
      );
    case "reactions.add":
      return moved(
        rows(world, "messages")
          .filter((row) => isMessage(row) && channels.includes(textOf(row["channel_id"])))
          .map((row) => ({ channel: row["channel_id"] ?? null, timestamp: row["ts"] ?? null })),
      );
    case "reactions.remove":
      return moved(
        rows(world, "reactions")
          .filter((row) => row["user_id"] === AGENT && isUntouched(test, row["ts"]))
          .map((row) => ({
            channel: row["channel_id"] ?? null,
            timestamp: row["ts"] ?? null,
            name: row["name"] ?? null,
          })),
      );
    case "chat.postMessage":
    case "chat.postEphemeral":
    case "conversations.setTopic":
    case "conversations.setPurpose":
    case "conversations.invite":
    case "conversations.leave":
      return moved(channels.map((channel) => ({ channel })));
    default:
      return [];
  }
}

export function remove({ name, arguments: given }: Call, world: Tables): Preparation | undefined {
  const ts = textOf(given["timestamp"] ?? given["ts"]);
  const { channel = null } = given;
  if (name.startsWith("reactions.") || name === "chat.update" || name === "chat.delete") {
    const author = rows(world, "messages").find(
      (row) => row["channel_id"] === channel && row["ts"] === ts,
    )?.["user_id"];
    return { call: call("chat.delete", { channel, ts }), as: [textOf(author)] };
  }
  const found = rows(world, "channels").find(({ id }) => id === channel);
  if (!found || found["is_im"] || found["is_mpim"] || found["is_general"]) return undefined;
  return {
    call: call("conversations.archive", { channel }),
    as: [OWNER, ...membersOf(world, channel)],
  };
}
