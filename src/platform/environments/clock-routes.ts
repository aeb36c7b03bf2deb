/** The clock of an environment. */
import { Elysia } from "elysia";
import { failures } from "~/http/errors";
import { EnvironmentPath } from "~/http/model";
import { principalOf } from "~/http/principal";
import type { Clocks } from "~/platform/environments/clocks";
import { ClockView } from "~/platform/environments/model";

const CODES = ["invalid_request", "invalid_environment_path", "environment_not_found"] as const;

export const clockRoutes = (clocks: Clocks) =>
  new Elysia({ tags: ["environments"] }).get(
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
  );
