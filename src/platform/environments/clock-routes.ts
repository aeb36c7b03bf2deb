/** The clock of an environment. */
import { Elysia } from "elysia";
import { failures } from "~/http/errors";
import { EnvironmentPath, IdempotencyHeader } from "~/http/model";
import { principalOf } from "~/http/principal";
import type { Clocks } from "~/platform/environments/clocks";
import { ClockMove, MovedClock } from "~/platform/environments/control-model";
import { ClockView } from "~/platform/environments/model";
import type { Idempotency } from "~/platform/keys/idempotency";

const CODES = ["invalid_request", "invalid_environment_path", "environment_not_found"] as const;

export const clockRoutes = (clocks: Clocks, idempotency: Idempotency) =>
  new Elysia({ tags: ["environments"] })
    .get(
      "/env/:envId/clock",
      ({ request, params }) => clocks.show(principalOf(request).userId, params.envId),
      {
        params: EnvironmentPath,
        response: { 200: ClockView, ...failures(...CODES) },
        detail: {
          operationId: "showClock",
          summary: "Show the clock of an environment",
          description:
            "The time that its next call sees: one step later if the mode is `step`, and while it runs, what it shows then.",
        },
      },
    )
    .post(
      "/env/:envId/clock",
      (context) =>
        idempotency.perform(context, (once) =>
          clocks.move(
            principalOf(context.request).userId,
            context.params.envId,
            context.body,
            once,
          ),
        ),
      {
        params: EnvironmentPath,
        headers: IdempotencyHeader,
        body: ClockMove,
        response: { 200: MovedClock, ...failures(...CODES, "request_too_large") },
        detail: {
          operationId: "moveClock",
          summary: "Move the clock of an environment forward",
          description:
            "Does what is due until then, each thing at its own time: all or nothing, and at most 1,000 things. Diffs leave these changes out unless asked. Calls in progress end first, within 5 s; later ones wait. A clock that shows real time runs from there.",
        },
      },
    );
