/**
 * The addresses with which apps answer what a person did: secret, as anyone who has one may post with it. They are
 * signed with the environment's secret; what they are about is in the event that they name.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject } from "~/input/json";

const MAC_LENGTH = 24;
const ADDRESS = /^(?:actions|app|commands)\/T[A-Z0-9]+\/(\d{1,9})\/([A-Za-z0-9_-]{24})$/;

const sign = (secret: Uint8Array, number: number) =>
  createHmac("sha256", secret)
    .update(`response ${number}`)
    .digest("base64url")
    .slice(0, MAC_LENGTH);

/** The path of the address of an event; undefined for one without. `number`: of the event. */
export function responseAddress(
  secret: Uint8Array,
  payload: object,
  number: number,
): string | undefined {
  const { type, channel, team, team_id: id } = payload as { readonly [field: string]: unknown };
  const rest = (team: unknown) => `${team}/${number}/${sign(secret, number)}`;
  if (typeof id === "string") return `commands/${rest(id)}`;
  if (!isObject(channel) || !isObject(team) || type === "block_suggestion") return undefined;
  return `${type === "message_action" ? "app" : "actions"}/${rest(team["id"])}`;
}

/** Where a person acted. */
export type Origin = {
  readonly person: string;
  readonly channel: string;
  /** The message in which the person acted. */
  readonly original?: { readonly ts: string; readonly isEphemeral: boolean };
};

/** Undefined for an act without a place for an answer. */
export function originOf(payload: object): Origin | undefined {
  const { user, channel, container, ...command } = payload as { readonly [field: string]: unknown };
  const { user_id: person, channel_id: place } = command;
  if (person !== undefined) return { person: String(person), channel: String(place) };
  if (!isObject(user) || !isObject(channel)) return undefined;
  const origin = { person: String(user["id"]), channel: String(channel["id"]) };
  if (!isObject(container)) return origin;
  const { message_ts: ts, is_ephemeral: isEphemeral } = container;
  return { ...origin, original: { ts: String(ts), isEphemeral: isEphemeral === true } };
}

export const isResponseAddress = (path: string) => ADDRESS.test(path);

/** The number of the event of an address; undefined if this environment did not issue it. */
export function readResponseAddress(secret: Uint8Array, path: string): number | undefined {
  const [, number, mac] = ADDRESS.exec(path) ?? [];
  if (number === undefined || mac === undefined) return undefined;
  const expected = sign(secret, Number(number));
  return timingSafeEqual(Buffer.from(mac), Buffer.from(expected)) ? Number(number) : undefined;
}
