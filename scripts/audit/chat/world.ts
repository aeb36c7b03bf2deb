/** The contents of a workspace of chat. */
import { type Call, type JsonObject, type Tables, textOf } from "../model";
import { rows } from "../moves";

export const AGENT = "U01AGENTONE";
/** An owner of the workspace. */
export const OWNER = "U18LHOFFMANN";
/** In the template's time, which begins on 10 March 2026. */
export const TOMORROW = Date.parse("2026-03-12T09:00:00Z") / 1000;

export const call = (name: string, args: JsonObject): Call => ({ name, arguments: args });

export const membersOf = (world: Tables, channel: unknown) =>
  rows(world, "channel_members")
    .filter((row) => row["channel_id"] === channel)
    .map((row) => textOf(row["user_id"]));

/** Named channels that are not archived and that the agent is in, public ones first. */
export const channelsOf = (world: Tables) =>
  rows(world, "channels")
    .filter(
      ({ id, name, is_archived, is_im, is_mpim }) =>
        name !== null && !is_archived && !is_im && !is_mpim && membersOf(world, id).includes(AGENT),
    )
    .toSorted((a, b) => Number(a["is_private"]) - Number(b["is_private"]));

/** People, not apps. */
export const people = (world: Tables) =>
  rows(world, "users").filter(
    ({ id, deleted, is_bot }) => !deleted && !is_bot && id !== AGENT && id !== "USLACKBOT",
  );

export const isMessage = (row: JsonObject) => row["subtype"] === null && row["thread_ts"] === null;
