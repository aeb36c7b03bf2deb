/** Shapes of the events of an environment: the apps that receive them, and what was delivered. */
import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Count, Digits, EnvironmentPath, Id, ServiceName, Timestamp, UserId } from "~/http/model";
import { numberedQuery } from "~/http/page";
import {
  AppId,
  Domains,
  EventTypes,
  RequestUrl,
  Scopes,
  SigningSecret,
} from "~/platform/outbox/model";

const EventAppView = t.Object(
  {
    app: AppId,
    service: ServiceName,
    userId: t.String({ ...UserId, description: "The user that the app acts as" }),
    connected: t.Boolean({
      description:
        "It has opened a connection for its events. True for up to 5 s after its last connection has gone",
    }),
    events: EventTypes,
    scopes: t.Nullable(Scopes, { description: "Null: all" }),
    domains: Domains,
    tokenPrefix: t.Nullable(t.String({ examples: ["xapp-1-A01AGENTBOT-"] }), {
      description:
        "In front of the environment's token: the token with which the app opens connections for its events. Null if the service has no such token",
    }),
    signingSecret: SigningSecret,
    requestUrl: t.Nullable(RequestUrl, { description: "Null: it opens connections" }),
    problem: t.Nullable(t.String({ examples: ["status 404"] }), {
      description:
        "Why its address has not answered the challenge of the service, so that its events wait. Null: it has, or was not asked yet",
    }),
  },
  { title: "EventApp", description: "An app that receives events" },
);

const EventWebhook = t.Object(
  {
    app: { ...AppId, description: "Its id, by which the list of deliveries has it" },
    service: ServiceName,
    connected: EventAppView.properties.connected,
    events: EventTypes,
    requestUrl: RequestUrl,
    signingSecret: t.String({ description: "Its own", examples: ["0d1f".repeat(8)] }),
  },
  {
    title: "EventWebhook",
    description: "A webhook of the service, which receives events like an app",
  },
);

export const EventApps = t.Object(
  {
    environmentId: Id,
    apps: t.Array(EventAppView, { description: "By id" }),
    webhooks: t.Array(EventWebhook, {
      description: "Those that calls have created, and that were there before. By id",
    }),
  },
  { title: "EventApps", description: "The apps of an environment that receive events" },
);
export type EventApps = Static<typeof EventApps>;

export const ListenQuery = t.Object({ app: AppId });

export const DeliveryQuery = numberedQuery("event");
export type DeliveryQuery = Static<typeof DeliveryQuery>;

const Attempt = t.Object(
  {
    at: { ...Timestamp, description: "When it was sent, in real time" },
    ms: t.Nullable(t.Number({ minimum: 0, examples: [12] }), {
      description: "Until its acknowledgement; null without one",
    }),
    failed: t.Nullable(t.String({ examples: ["no acknowledgement"] }), {
      description: "Why it failed; null if it did not, or not yet",
    }),
    answer: t.Nullable(t.Record(t.String(), t.Unknown()), {
      description: "The answer in its acknowledgement, of an act of a person; null for events",
    }),
  },
  { title: "DeliveryAttempt", description: "One attempt to deliver an event" },
);

export const Delivery = t.Object(
  {
    app: AppId,
    state: t.Union(
      [
        t.Literal("pending"),
        t.Literal("sent"),
        t.Literal("delivered"),
        t.Literal("failed"),
        t.Literal("blocked"),
      ],
      {
        title: "DeliveryState",
        description:
          "`pending`: it waits for a connection of the app, or for its next attempt; `sent`: for an acknowledgement; `delivered`: the app has acknowledged it, which does not mean that it has handled it; `failed`: after the last attempt, because the app asks for no other one, or by a reset; `blocked`: nothing was sent, because the app's address is not allowed",
        examples: ["delivered"],
      },
    ),
    attempts: t.Array(Attempt, { description: "In order" }),
  },
  { title: "Delivery", description: "The delivery of an event to an app" },
);

export const ActedByHand = Type.Integer({
  minimum: 1,
  description:
    "How often people acted, or events were raised, by hand while the run was active: it may not go the same way again. Absent if that never happened",
  examples: [1],
});

export const DeliveryCount = t.Object(
  {
    type: t.String({ description: "As apps subscribe to it", examples: ["message.channels"] }),
    state: t.Union([...Delivery.properties.state.anyOf, t.Literal("missed")], {
      description:
        "As the list of deliveries has it; `missed`: an app that did not receive an event",
      examples: ["delivered"],
    }),
    count: Type.Integer({ ...Count, description: "One for each event and app" }),
  },
  { title: "DeliveryCount", description: "Deliveries of a run with the same type and state" },
);

const Missed = t.Object(
  {
    app: AppId,
    reason: t.String({ examples: ["its bot is not in the channel"] }),
  },
  { title: "MissedEvent", description: "An app that does not receive an event, and why" },
);

const Caused = t.Object(
  {
    by: t.Union(
      [t.Literal("call"), t.Literal("clock"), t.Literal("counterpart"), t.Literal("hand")],
      {
        title: "EventCause",
        description: "`hand`: the owner of the environment has raised it",
        examples: ["call"],
      },
    ),
    request: t.Nullable(t.String({ examples: ["0d9f1c5e-7b1c-4c39-9e0b-6d5f6f0a2f11"] }), {
      description: "`X-Request-Id` of the call, as in the calls of a run; null for other causes",
    }),
    at: { ...Timestamp, description: "By the environment's clock" },
  },
  { title: "Caused", description: "The cause of an event" },
);

export const EnvironmentEvent = t.Object(
  {
    n: Type.Integer({ ...Count, description: "Its number, from 1" }),
    service: ServiceName,
    type: t.String({ description: "As apps subscribe to it", examples: ["message.channels"] }),
    cause: t.Nullable(Caused, { description: "Null if nothing is known of it" }),
    payload: t.Nullable(t.Record(t.String(), t.Unknown()), {
      description:
        "The part that is the same for every app; null if it is too large to be delivered",
    }),
    deliveries: t.Array(Delivery, { description: "To the apps that receive it" }),
    missed: t.Array(Missed, { description: "The others" }),
  },
  { title: "EnvironmentEvent", description: "Something that happened in an environment" },
);

export type EnvironmentEvent = Static<typeof EnvironmentEvent>;

export const DeliveryPage = t.Object(
  {
    environmentId: Id,
    complete: t.Boolean({
      description:
        "False if something is missing: the events of changes after the first 100,000, those of changes that could not be shown, or payloads after the first 256 MiB",
    }),
    events: t.Array(EnvironmentEvent, { description: "In the order of their commits" }),
    next: t.Nullable(Type.Integer({ ...Count }), {
      description: "`after` of the next page; null if this is the last one",
    }),
  },
  { title: "DeliveryPage", description: "Events of an environment, and who received them" },
);
export type DeliveryPage = Static<typeof DeliveryPage>;

export const RunDeliveryPage = t.Object(
  {
    runId: Id,
    complete: t.Boolean({
      description: "False if events are missing; see the list of the environment",
    }),
    events: DeliveryPage.properties.events,
    next: DeliveryPage.properties.next,
  },
  {
    title: "RunDeliveryPage",
    description:
      "Events that were caused during a run, and who received them; after its end, as they were then",
  },
);
export type RunDeliveryPage = Static<typeof RunDeliveryPage>;

export const NewEvent = t.Object(
  {
    type: t.Optional(
      t.String({
        maxLength: 64,
        description: "As apps subscribe to it",
        examples: ["app_home_opened"],
      }),
    ),
    event: t.Optional(
      t.Record(t.String(), t.Unknown(), {
        description:
          "The fields that the service would send. Its `type` follows from the type above, and `event_ts`, or `createdAt`, is the environment's time unless given",
        examples: [{ user: "U02JOHNADOE", channel: "D01AGENTDM", tab: "home" }],
      }),
    ),
    act: t.Optional(
      t.Record(t.String(), t.Unknown(), {
        description:
          "Instead of `type` and `event`: something that a person does, such as the use of a button. It is checked, and reaches the app that is meant, whatever that subscribes to",
      }),
    ),
  },
  {
    title: "NewEvent",
    description: "An event that nothing in the environment causes, or an act of a person",
    examples: [
      {
        type: "app_home_opened",
        event: { user: "U02JOHNADOE", channel: "D01AGENTDM", tab: "home" },
      },
    ],
  },
);
export type NewEvent = Static<typeof NewEvent>;

export const NewWebhook = t.Object(
  {
    app: AppId,
    channel: t.String({
      maxLength: 16,
      description: "The id of the channel to which it posts",
      examples: ["C01GENERAL"],
    }),
  },
  { title: "NewWebhook", description: "An app, and a channel to which it posts" },
);
export type NewWebhook = Static<typeof NewWebhook>;

export const Webhook = t.Object(
  {
    ...NewWebhook.properties,
    path: t.String({
      description: "On this server. It contains a secret: anyone who has it can post",
      examples: ["/api/env/0d9f1c5e7b1c4c399e0b6d5f6f0a2f11/services/…"],
    }),
  },
  { title: "Webhook", description: "The address of an incoming webhook" },
);
export type Webhook = Static<typeof Webhook>;

export const EventPath = t.Object({
  ...EnvironmentPath.properties,
  n: t.String({
    ...Digits,
    documented: Type.Integer({ ...Count, description: "The number of the event" }),
  }),
});

export const Repetition = t.Object(
  { app: t.Optional(AppId) },
  { title: "Repetition", description: "The app that receives the event again; without one, all" },
);
export type Repetition = Static<typeof Repetition>;
