import { Elysia, t } from "elysia";
import type { Config } from "~/config";
import { platformKey } from "~/http/auth";
import { failures } from "~/http/errors";
import { EnvironmentPath, PathId } from "~/http/model";
import { requestOf } from "~/http/native";
import { publicBase } from "~/http/origin";
import { principalOf } from "~/http/principal";
import type { EnvironmentEvents } from "~/platform/events/events";
import {
  DeliveryPage,
  DeliveryQuery,
  EnvironmentEvent,
  EventApps,
  EventPath,
  ListenQuery,
  NewEvent,
  NewWebhook,
  Repetition,
  RunDeliveryPage,
  Webhook,
} from "~/platform/events/model";
import { NewWait, Waited } from "~/platform/events/waiting-model";
import type { Keys } from "~/platform/keys/keys";
import { NewEventApps } from "~/platform/outbox/model";

const SHOWN = ["invalid_request", "invalid_environment_path", "environment_not_found"] as const;

export const eventRoutes = (
  { apps, listing, kept, raising, waiting, forward }: EnvironmentEvents,
  keys: Keys,
  { TRUST_PROXY }: Pick<Config, "TRUST_PROXY">,
) =>
  new Elysia({ tags: ["environments"] })
    .put(
      "/env/:envId/events",
      ({ request, params, body }) =>
        apps.put(principalOf(request).userId, params.envId, body, publicBase(request, TRUST_PROXY)),
      {
        params: EnvironmentPath,
        body: NewEventApps,
        response: {
          200: EventApps,
          ...failures("invalid_service", "request_too_large", ...SHOWN),
        },
        detail: {
          operationId: "putEventApps",
          summary: "Choose the apps of an environment that receive events",
          description:
            "Changes that are made after the answer cause events. The first apps of an environment come before its run. Calls in progress end first, within 5 s.",
        },
      },
    )
    .get(
      "/env/:envId/events",
      ({ request, params }) => apps.show(principalOf(request).userId, params.envId),
      {
        params: EnvironmentPath,
        response: { 200: EventApps, ...failures(...SHOWN) },
        detail: {
          operationId: "showEventApps",
          summary: "Show the apps of an environment that receive events",
          description: "With the types of events that each subscribes to.",
        },
      },
    )
    .get(
      "/env/:envId/deliveries",
      ({ request, params, query }) =>
        listing.list(principalOf(request).userId, params.envId, query),
      {
        params: EnvironmentPath,
        query: DeliveryQuery,
        response: { 200: DeliveryPage, ...failures(...SHOWN) },
        detail: {
          operationId: "listDeliveries",
          summary: "List the events of an environment and their deliveries",
          description:
            "In order, each with its cause, the attempts to deliver it, and the apps that do not receive it, with the reason. Only environments with apps have events.",
        },
      },
    )
    .get(
      "/runs/:runId/deliveries",
      ({ request, params, query }) => kept.list(principalOf(request).userId, params.runId, query),
      {
        params: t.Object({ runId: PathId }),
        query: DeliveryQuery,
        response: { 200: RunDeliveryPage, ...failures("invalid_request", "run_not_found") },
        detail: {
          tags: ["runs"],
          operationId: "listRunDeliveries",
          summary: "List the events of a run and their deliveries",
          description:
            "As the list of the environment has them, for events that were caused during the run. They are kept with the run, as they were at its end, when the environment is gone.",
        },
      },
    )
    .post(
      "/env/:envId/events",
      ({ request, params, body }) => raising.raise(principalOf(request).userId, params.envId, body),
      {
        params: EnvironmentPath,
        body: NewEvent,
        response: { 200: EnvironmentEvent, ...failures("request_too_large", ...SHOWN) },
        detail: {
          operationId: "raiseEvent",
          summary: "Raise an event by hand",
          description:
            "For what no call of the API causes, such as the opening of an app's home. It comes after the events of everything that happened before, and changes nothing in the environment. Every app that subscribes to its type, and has a scope for it, receives it.",
        },
      },
    )
    .post(
      "/env/:envId/webhooks",
      ({ request, params, body }) => apps.webhook(principalOf(request).userId, params.envId, body),
      {
        params: EnvironmentPath,
        body: NewWebhook,
        response: { 200: Webhook, ...failures("request_too_large", ...SHOWN) },
        detail: {
          operationId: "issueWebhook",
          summary: "Issue an incoming webhook",
          description:
            "The secret address at which an app of the environment posts to one channel, without a token. The same address each time: nothing is stored.",
        },
      },
    )
    .post(
      "/env/:envId/deliveries/:n/repeat",
      ({ request, params, body }) =>
        raising.repeat(principalOf(request).userId, { ...params, n: Number(params.n) }, body),
      {
        params: EventPath,
        body: Repetition,
        response: { 200: EnvironmentEvent, ...failures("request_too_large", ...SHOWN) },
        detail: {
          operationId: "repeatDelivery",
          summary: "Deliver an event again",
          description:
            "With the same id, as one more attempt: to the apps whose delivery has ended, by an acknowledgement or not.",
        },
      },
    )
    .get(
      "/env/:envId/listen",
      ({ request, params, query }) =>
        forward(request, principalOf(request), { envId: params.envId, app: query.app }, () =>
          keys.authenticate(platformKey(request), requestOf(request)),
        ),
      {
        params: EnvironmentPath,
        query: ListenQuery,
        // OpenAPI has no words for WebSockets.
        detail: { hide: true, summary: "Take the requests to an app over a WebSocket" },
      },
    )
    .post(
      "/env/:envId/wait",
      ({ request, params, body }) => waiting.wait(principalOf(request), params.envId, body),
      {
        params: EnvironmentPath,
        body: NewWait,
        response: { 200: Waited, ...failures("request_too_large", ...SHOWN) },
        detail: {
          operationId: "waitForEvents",
          summary: "Wait for an event, or until nothing happens in an environment any more",
          description:
            "Ends when the event has happened; when no event is under way to an app, no app shows that it is at work, and for a while there was neither a call nor an event, on any server; or after a time. What an app does without a call or a sign cannot be seen.",
        },
      },
    );
