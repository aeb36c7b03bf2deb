/** Channels for notifications, which apps of the environment receive: see `notifications.ts`. */
import { type TProperties, Type } from "@sinclair/typebox";
import { requirePlace, write } from "~/replicas/calendar/access";
import { RULES } from "~/replicas/calendar/api/acl";
import { ENTRIES } from "~/replicas/calendar/api/calendar-list";
import { LISTING } from "~/replicas/calendar/api/events";
import { PAGES } from "~/replicas/calendar/api/settings";
import {
  CalendarError,
  invalid,
  notFound,
  quotaExceeded,
  required,
} from "~/replicas/calendar/errors";
import {
  answersOf,
  type CalendarCall,
  calendarId,
  flag,
  NO_CONTENT,
  operation,
  optional,
  text,
} from "~/replicas/calendar/operation";
import { bodyOf } from "~/replicas/calendar/shapes/calendar";
import { countChannels, deleteChannel, hasChannel } from "~/replicas/calendar/store/channels";
import { insert } from "~/replicas/calendar/store/write";
import { millisOf } from "~/source";

const API = "https://www.googleapis.com/calendar/v3";
const TYPES = new Set(["web_hook", "webhook"]);
const TTL_SECONDS = 7 * 24 * 3_600;
const TTL_SECONDS_MAX = 30 * 24 * 3_600;
const ID = /^[A-Za-z0-9\-_+/=]{1,64}$/;
const TOKEN_MAX = 256;
const ADDRESS_MAX = 2_048;
/** Of an environment: each change of a resource has a message for each of its channels. */
const CHANNELS_MAX = 200;

const resourceId = text("Of the watched resource", "o3hgv1538sdjfh");
const CHANNEL = {
  id: text("Chosen by the client", "01234567-89ab-cdef-0123456789ab"),
  type: text("`web_hook` or `webhook`", "web_hook"),
  address: text(
    "The receiver, which apps of the environment stand for",
    "https://example.org/notifications",
  ),
  token: text("Sent with each notification", "target=tests"),
  payload: flag("Whether a notification has a body"),
  params: optional(
    Type.Object(
      { ttl: text("Seconds until it expires", "604800") },
      { description: "More settings", additionalProperties: true },
    ),
  ),
};

const Channel = Type.Object(
  {
    kind: text("Always the same", "api#channel"),
    ...{ ...CHANNEL, resourceId },
    resourceUri: text("The watched resource", `${API}/calendars/primary/events?alt=json`),
    expiration: text("Milliseconds since 1970", "1767916800000"),
  },
  { title: "CalendarChannel", description: "A channel for notifications" },
);
const ChannelBody = bodyOf({
  ...CHANNEL,
  expiration: Type.Union([Type.String(), Type.Integer()], {
    description: "When it is to expire, in milliseconds since 1970",
    examples: ["1767916800000"],
  }),
});

type ChannelResource = {
  readonly id?: string | null;
  readonly type?: string | null;
  readonly address?: string | null;
  readonly token?: string | null;
  readonly payload?: boolean | null;
  readonly expiration?: string | number | null;
  readonly params?: Readonly<Record<string, unknown>> | null;
  readonly resourceId?: string | null;
};

function requireChannel({ id, type, address, token }: ChannelResource) {
  if (!id || !type || !address) throw required();
  if (!ID.test(id)) throw invalid("Invalid channel id.");
  if (!TYPES.has(type))
    throw new CalendarError("push.channelTypeNotSupported", "Unsupported channel type.");
  if (!address.startsWith("https://"))
    throw new CalendarError(
      "push.webhookUrlNotHttps",
      `WebHook callback must be HTTPS: ${address.slice(0, ADDRESS_MAX)}`,
    );
  if (address.length > ADDRESS_MAX || (token ?? "").length > TOKEN_MAX)
    throw invalid("Invalid channel.");
  return { id, type, address, token: token ?? null };
}

/** In milliseconds since 1970: when the client asks for it, 30 days from now at most. */
function expirationOf({ expiration, params }: ChannelResource, now: number): number {
  const ttl = params?.["ttl"] ?? TTL_SECONDS;
  if (!/^\d{1,9}$/.test(`${ttl}`) || Number(ttl) === 0) throw invalid("Invalid ttl.");
  const wanted = expiration ?? now + 1_000 * Number(ttl);
  if (!/^\d{1,15}$/.test(`${wanted}`) || Number(wanted) <= now)
    throw invalid("Invalid expiration.");
  return Math.min(Number(wanted), now + 1_000 * TTL_SECONDS_MAX);
}

/** The same for each watch of a resource by a user. */
const resourceIdOf = (userId: string, uri: string) =>
  new Bun.CryptoHasher("sha1").update(`${userId} ${uri}`).digest("base64url");

/** `resource`: its path, and the parameters that limit what is watched. */
async function watch(call: CalendarCall, resource: string, body: ChannelResource) {
  const channel = requireChannel(body);
  return await write(call, async ({ session, userId }) => {
    if (await hasChannel(session, channel.id))
      throw new CalendarError("channelIdNotUnique", `Channel id ${channel.id} not unique`);
    const now = millisOf(session.source);
    const expiration = expirationOf(body, now);
    if ((await countChannels(session, now)) >= CHANNELS_MAX) throw quotaExceeded();
    const resourceUri = `${API}/${resource}alt=json`;
    const stored = {
      ...{ ...channel, resourceUri, resourceId: resourceIdOf(userId, resourceUri), userId },
      ...{ params: body.params ?? null, payload: body.payload ?? false },
      expiration,
    };
    await insert(session, "channels", [stored]);
    return {
      ...{ kind: "api#channel", id: stored.id, resourceId: stored.resourceId, resourceUri },
      ...(stored.token !== null && { token: stored.token }),
      expiration: `${expiration}`,
    };
  });
}

const OF_CALENDAR = {
  events: { words: "the events of a calendar", query: LISTING },
  acl: { words: "the rules of a calendar", query: RULES },
};
const OF_USER = {
  calendarList: { words: "the list of calendars", query: ENTRIES },
  settings: { words: "the settings of the user", query: PAGES },
};
const DESCRIPTION =
  "Apps of the environment that act as this user receive its notifications; nothing is sent to its address. Of its parameters, only the types of events limit what is watched.";

const ofCalendar = (name: keyof typeof OF_CALENDAR) =>
  operation(`${name}.watch`, "POST", `calendars/{calendarId}/${name}/watch`, {
    summary: `Watch ${OF_CALENDAR[name].words}`,
    description: DESCRIPTION,
    path: { calendarId },
    query: OF_CALENDAR[name].query as TProperties,
    body: ChannelBody,
    answers: answersOf(Channel),
    async handle({ path, query, body }, call) {
      await requirePlace(call, path.calendarId);
      const { eventTypes = [] } = query as { readonly eventTypes?: readonly string[] };
      const types = [...new Set(eventTypes)].map((type) => `eventTypes=${type}&`).join("");
      const resource = `calendars/${encodeURIComponent(path.calendarId)}/${name}?${types}`;
      return await watch(call, resource, body as ChannelResource);
    },
  });

const ofUser = (name: keyof typeof OF_USER) =>
  operation(`${name}.watch`, "POST", `users/me/${name}/watch`, {
    summary: `Watch ${OF_USER[name].words}`,
    description: DESCRIPTION,
    query: OF_USER[name].query as TProperties,
    body: ChannelBody,
    answers: answersOf(Channel),
    handle: async ({ body }, call) =>
      await watch(call, `users/me/${name}?`, body as ChannelResource),
  });

export const channels = [
  ofCalendar("events"),
  ofCalendar("acl"),
  ofUser("calendarList"),
  ofUser("settings"),
  operation("channels.stop", "POST", "channels/stop", {
    summary: "Stop a channel",
    description: "Of this user.",
    body: bodyOf({ ...CHANNEL, resourceId }),
    answers: NO_CONTENT,
    async handle({ body }, call) {
      const { id, resourceId } = body as ChannelResource;
      if (!id || !resourceId) throw required();
      await write(call, async ({ session, userId }) => {
        if (!(await deleteChannel(session, { id, resourceId, userId }))) throw notFound();
      });
    },
  }),
];
