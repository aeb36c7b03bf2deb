/** The person who acts, and what every act tells an app. */
import { createHmac } from "node:crypto";
import type { TObject } from "@sinclair/typebox";
import { ApiError } from "~/errors";
import { quoted } from "~/input/nearest";
import { linesAbout, linesOf } from "~/input/shape";
import type { Act } from "~/replicas/acts";
import type { Choices } from "~/replicas/chat/acts/kinds";
import { rejected } from "~/replicas/chat/acts/rejected";
import type { ChatSession } from "~/replicas/chat/method";
import { type ChannelRow, findChannel } from "~/replicas/chat/store/channels";
import type { TeamRow } from "~/replicas/chat/store/team";
import { findActor, findUser, type UserRow } from "~/replicas/chat/store/users";
import { issueTrigger } from "~/replicas/chat/triggers";
import type { Wire } from "~/replicas/chat/views/wire";
import type { EventApp } from "~/replicas/events";
import { MICROS } from "~/source";

/** How long an app can open a view with the trigger of an act. */
const TRIGGER_MS = 3_000;

export type Person = { readonly user: UserRow; readonly team: TeamRow };

/** Checks the form of an act. Throws `invalid_request` with every mistake in it. */
export function requireForm(shape: TObject, given: Act["given"]): void {
  const lines = linesAbout(shape, given, "");
  if (lines.length === 0) return;
  const named = lines.map((line) => (line.startsWith(":") ? `act${line}` : `act.${line}`));
  throw new ApiError("invalid_request", linesOf(named));
}

export async function requirePerson(session: ChatSession, id: string): Promise<Person> {
  const found = await findActor(session, id);
  if (!found || found.user.deleted) throw rejected("user", `there is no user ${quoted(id)}`);
  if (found.user.is_bot) throw rejected("user", "a bot cannot act as a person does");
  return found;
}

export async function requireSeenChannel(
  session: ChatSession,
  { user }: Person,
  id: string,
): Promise<ChannelRow> {
  const channel = await findChannel(session, user.id, id);
  if (!channel) throw rejected("channel", `the person sees no channel ${quoted(id)}`);
  return channel;
}

export const choicesOf = (session: ChatSession, { user }: Person): Choices => ({
  hasUser: async (id) => (await findUser(session, id))?.deleted === false,
  seesChannel: async (id) => (await findChannel(session, user.id, id)) !== undefined,
});

/** The app that learns of an act: by its id, or because it acts as the user. */
export function requireReceiver(
  apps: readonly EventApp[],
  { id, user }: { readonly id: string | null; readonly user: string | undefined },
  what: string,
): EventApp {
  const found = apps.find((app) => app.id === id) ?? apps.find((app) => app.user === user);
  if (found) return found;
  throw new ApiError(
    "invalid_request",
    `act: ${what} is of ${id === null ? `the user ${user}` : `the app ${id}`}, which receives no events of the environment; PUT /env/{id}/events chooses the apps`,
  );
}

/** The reasons why the other apps learn nothing. */
export const missedBy = (apps: readonly EventApp[], receiver: EventApp) =>
  Object.fromEntries(
    apps.filter(({ id }) => id !== receiver.id).map(({ id }) => [id, "it goes to another app"]),
  );

/** Direct messages and private channels have no name here. */
export function channelName({
  name,
  is_im: isIm,
  is_mpim: isMpim,
  is_private: isPrivate,
}: ChannelRow) {
  if (isIm) return "directmessage";
  return isPrivate && !isMpim ? "privategroup" : (name ?? "");
}

/** The fields of a payload that do not depend on the kind of act. */
export function commonFields({ user, team }: Person, act: Act, receiver: EventApp): Wire {
  const { number, micros, secret } = act;
  const bytes = (count: number) =>
    createHmac("sha256", secret).update(`act ${number}`).digest().subarray(0, count);
  const expiresAt = new Date(Math.floor(micros / MICROS) + TRIGGER_MS);
  return {
    user: { id: user.id, username: user.name, name: user.name, team_id: team.id },
    api_app_id: receiver.id,
    team: { id: team.id, domain: team.domain },
    enterprise: null,
    is_enterprise_install: false,
    trigger_id: issueTrigger(secret, user.id, expiresAt, { micros, bytes }),
  };
}
