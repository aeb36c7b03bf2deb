import { Elysia } from "elysia";
import type { Config } from "~/config";
import { failures } from "~/http/errors";
import { EnvironmentPath } from "~/http/model";
import { publicBase } from "~/http/origin";
import { principalOf } from "~/http/principal";
import { ActDone, CounterpartList, NewAct, NewCounterparts } from "~/platform/counterparts/model";
import type { CounterpartControl } from "~/platform/environments/counterparts";

const SHOWN = ["invalid_request", "invalid_environment_path", "environment_not_found"] as const;

export const counterpartRoutes = (
  counterparts: CounterpartControl,
  { TRUST_PROXY }: Pick<Config, "TRUST_PROXY">,
) =>
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
            "Before a run. After the answer to this request, they react to what the agent's calls change. Calls in progress end first, within 5 s.",
        },
      },
    )
    .post(
      "/env/:envId/counterparts/act",
      ({ request, params, body }) => {
        const { userId } = principalOf(request);
        return counterparts.act(userId, params.envId, body, publicBase(request, TRUST_PROXY));
      },
      {
        params: EnvironmentPath,
        body: NewAct,
        response: {
          200: ActDone,
          ...failures(...SHOWN, "request_too_large", "invalid_service"),
        },
        detail: {
          operationId: "actAsPerson",
          summary: "Let a person of the environment act",
          description:
            "Once, between two calls, as a counterpart does by its rules: the changes are theirs, not the agent's. For people who are played from outside, by a model or a program.",
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
