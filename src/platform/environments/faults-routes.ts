/** The faults of an environment. */
import { Elysia } from "elysia";
import { failures } from "~/http/errors";
import { EnvironmentPath } from "~/http/model";
import { principalOf } from "~/http/principal";
import type { FaultControl } from "~/platform/environments/faults";
import { FaultList, NewFaults } from "~/platform/faults/model";

const CODES = ["invalid_request", "invalid_environment_path", "environment_not_found"] as const;

export const faultRoutes = (faults: FaultControl) =>
  new Elysia({ tags: ["environments"] })
    .put(
      "/env/:envId/faults",
      ({ request, params, body }) =>
        faults.put(principalOf(request).userId, params.envId, body.faults),
      {
        params: EnvironmentPath,
        body: NewFaults,
        response: {
          200: FaultList,
          ...failures(...CODES, "invalid_service", "request_too_large"),
        },
        detail: {
          operationId: "putFaults",
          summary: "Replace the faults of an environment",
          description:
            "Calls that begin after the answer have these faults, counted from zero. Calls in progress end first, within 5 s.",
        },
      },
    )
    .get(
      "/env/:envId/faults",
      ({ request, params }) => faults.show(principalOf(request).userId, params.envId),
      {
        params: EnvironmentPath,
        response: { 200: FaultList, ...failures(...CODES) },
        detail: {
          operationId: "showFaults",
          summary: "Show the faults of an environment",
          description: "With the calls that each was for, and those that got it.",
        },
      },
    );
