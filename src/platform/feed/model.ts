/** The events of the feed, as they are on the wire: their name, and their data as JSON. */
import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Count, ENVIRONMENT_ID, Id } from "~/http/model";
import { ActingUser, StateProperties } from "~/platform/environments/model";
import { Delivery, EnvironmentEvent } from "~/platform/events/model";
import { Call } from "~/platform/journal/model";
import { ListedRun } from "~/platform/runs/list-model";

export const FeedQuery = t.Object({
  environmentId: t.Optional(
    t.String({
      documented: t.String({
        pattern: ENVIRONMENT_ID,
        description: "Only events of this environment",
        examples: Id["examples"],
      }),
    }),
  ),
});
export type FeedQuery = Static<typeof FeedQuery>;

export const FeedHeaders = t.Object({
  "last-event-id": t.Optional(
    t.String({
      documented: t.String({
        description: "The `id` of the last event that was received: the stream continues after it",
        examples: ["7421:7424:7421,7422"],
      }),
    }),
  ),
});

const event = (name: string, data: ReturnType<typeof t.Object>, description: string) =>
  t.Object(
    { event: t.Literal(name), data },
    { title: `Feed${name[0]?.toUpperCase()}${name.slice(1)}Event`, description },
  );

const Opened = t.Object(
  {
    resumed: t.Boolean({
      description:
        "False if events may be missing before this one: without a Last-Event-ID, or if it is too old. Load lists now",
      examples: [true],
    }),
  },
  { title: "Opened", description: "The beginning of a stream" },
);

export const FeedEnvironment = t.Object(
  {
    ...StateProperties,
    impersonateUserId: ActingUser,
  },
  { title: "FeedEnvironment", description: "An environment as it is now" },
);
export type FeedEnvironment = Static<typeof FeedEnvironment>;

const {
  n: _n,
  arguments: _arguments,
  changes: _changes,
  answer: _answer,
  ...line
} = Call.properties;

export const FeedCall = t.Object(
  {
    runId: Id,
    environmentId: Id,
    id: t.String({
      description: "Identifies the call: it may come twice after a failure of a server",
      examples: ["0b2f4c9e1a"],
    }),
    ...line,
  },
  { title: "FeedCall", description: "A call of a run, without its arguments and its answer" },
);
export type FeedCall = Static<typeof FeedCall>;

const { n, service, type } = EnvironmentEvent.properties;
const { app, state } = Delivery.properties;

export const FeedDelivery = t.Object(
  {
    environmentId: Id,
    n,
    service,
    type,
    app,
    state,
    attempts: Type.Integer({ ...Count, description: "How many were made", examples: [1] }),
    failed: t.Nullable(t.String({ examples: ["no acknowledgement"] }), {
      description: "Why the last attempt failed; null if it did not, or not yet",
    }),
  },
  { title: "FeedDelivery", description: "The delivery of an event to an app, without its payload" },
);
export type FeedDelivery = Static<typeof FeedDelivery>;

export const FeedEvent = Type.Union(
  [
    event("run", ListedRun, "A run that has begun or ended"),
    event("environment", FeedEnvironment, "An environment that was created or has changed"),
    event("call", FeedCall, "A call that the journal of a run has noted"),
    event("delivery", FeedDelivery, "A delivery of an event that has begun, or has another state"),
    event("open", Opened, "The first event of a stream"),
    event(
      "reset",
      t.Object({}, { description: "Empty" }),
      "Too much has happened: events are missing. Load lists again",
    ),
  ],
  {
    title: "FeedEvent",
    mediaType: "text/event-stream",
    description:
      "Server-Sent Events: `event`, and `data` as JSON. Each shows its object as it is when it is read, so several changes in a row may be one event.",
  },
);
