import { Elysia } from "elysia";
import { platformKey } from "~/http/auth";
import { failures } from "~/http/errors";
import { requestOf } from "~/http/native";
import { principalOf } from "~/http/principal";
import { EVENT_STREAM, type Feed } from "~/platform/feed/feed";
import { FeedEvent, FeedHeaders, FeedQuery } from "~/platform/feed/model";
import type { Keys } from "~/platform/keys/keys";

export const feedRoutes = (feed: Feed, keys: Keys) =>
  new Elysia({ tags: ["events"] }).get(
    "/events",
    ({ request, query, headers }) =>
      request.method === "HEAD"
        ? new Response(null, { headers: EVENT_STREAM })
        : feed.open(
            principalOf(request).userId,
            { lastEventId: headers["last-event-id"], environmentId: query.environmentId },
            () => keys.authenticate(platformKey(request), requestOf(request)),
          ),
    {
      query: FeedQuery,
      headers: FeedHeaders,
      response: { 200: FeedEvent, ...failures("invalid_request") },
      detail: {
        operationId: "streamEvents",
        summary: "Follow environments, runs, calls and deliveries",
        description:
          "Server-Sent Events of the caller's own, from any server, until the caller disconnects. Open the stream first and load lists after `open`: nothing is missed then.",
      },
    },
  );
