import { Elysia } from "elysia";
import { failures } from "~/http/errors";
import { EnvironmentPath } from "~/http/model";
import { principalOf } from "~/http/principal";
import { CounterpartList, NewCounterparts } from "~/platform/counterparts/model";
import type { CounterpartControl } from "~/platform/environments/counterparts";

const SHOWN = ["invalid_request", "invalid_environment_path", "environment_not_found"] as const;

export const counterpartRoutes = (counterparts: CounterpartControl) =>
  new Elysia({ tags: ["environments"] })
    .put(
      "/env/:envId/counterparts",
      ({ request, params, body }) =>
        counterparts.put(principalOf(request).userId, params.envId, body.counterparts),
      {
        params: EnvironmentPath,
        body: NewCounterparts,
        response: {
          200: CounterpartList,
          ...failures(...SHOWN, "request_too_large", "invalid_service"),
        },
        detail: {
          operationId: "putCounterparts",
          summary: "Replace the counterparts of an environment",
          description:
            "Before a run. They react to what the agent's calls change after the answer. Calls in progress end first, within 5 s.",
        },
      },
    )
    .get(
      "/env/:envId/counterparts",
      ({ request, params }) => counterparts.show(principalOf(request).userId, params.envId),
      {
        params: EnvironmentPath,
        response: { 200: CounterpartList, ...failures(...SHOWN) },
        detail: {
          operationId: "showCounterparts",
          summary: "Show the counterparts of an environment",
          description: "With how often each has acted, and why its last action was rejected.",
        },
      },
    );
