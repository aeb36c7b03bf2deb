/** Calls that control an environment. Each waits for the environment's calls in progress. */
import { Elysia } from "elysia";
import { failures } from "~/http/errors";
import { EnvironmentPath, IdempotencyHeader } from "~/http/model";
import { principalOf } from "~/http/principal";
import {
  Forks,
  NewForks,
  NewSnapshot,
  Reset,
  ResetEnvironment,
  Snapshot,
  SnapshotList,
} from "~/platform/environments/control-model";
import type { Forking } from "~/platform/environments/forks";
import type { Snapshots } from "~/platform/environments/snapshots";
import type { Idempotency } from "~/platform/keys/idempotency";

const CODES = ["invalid_request", "invalid_environment_path", "environment_not_found"] as const;

export const controlRoutes = (snapshots: Snapshots, forks: Forking, idempotency: Idempotency) =>
  new Elysia({ tags: ["environments"] })
    .post(
      "/env/:envId/reset",
      (context) =>
        idempotency.perform(context, (once) =>
          snapshots.reset(
            principalOf(context.request).userId,
            context.params.envId,
            context.body,
            once,
          ),
        ),
      {
        params: EnvironmentPath,
        headers: IdempotencyHeader,
        body: Reset,
        response: {
          200: ResetEnvironment,
          ...failures(...CODES, "template_not_found", "request_too_large"),
        },
        detail: {
          operationId: "resetEnvironment",
          summary: "Return an environment to its template or to a snapshot",
          description:
            "Id, token and time of expiry stay. An active run is closed as failed. Calls in progress end first, within 5 s; later ones wait.",
        },
      },
    )
    .post(
      "/env/:envId/snapshots",
      (context) =>
        idempotency.perform(context, (once) =>
          snapshots.take(principalOf(context.request), context.params.envId, context.body, once),
        ),
      {
        params: EnvironmentPath,
        headers: IdempotencyHeader,
        body: NewSnapshot,
        response: {
          200: Snapshot,
          ...failures(...CODES, "template_not_found", "request_too_large"),
        },
        detail: {
          operationId: "takeSnapshot",
          summary: "Take a snapshot of an environment",
          description:
            "Stores the difference from the template, at most 20,000 rows and 32 MB. It lives as long as the environment or one of its forks.",
        },
      },
    )
    .post(
      "/env/:envId/fork",
      (context) =>
        idempotency.perform(context, (once) =>
          forks.fork(principalOf(context.request), context.params.envId, context.body, once),
        ),
      {
        params: EnvironmentPath,
        headers: IdempotencyHeader,
        body: NewForks,
        response: {
          200: Forks,
          ...failures(...CODES, "template_not_found", "request_too_large"),
        },
        detail: {
          operationId: "forkEnvironment",
          summary: "Create environments with the state of another",
          description:
            "All or none. Each equals the environment row for row and is independent of it, with its own id, token and time of expiry.",
        },
      },
    )
    .get(
      "/env/:envId/snapshots",
      ({ request, params }) => snapshots.list(principalOf(request).userId, params.envId),
      {
        params: EnvironmentPath,
        response: { 200: SnapshotList, ...failures(...CODES) },
        detail: {
          operationId: "listSnapshots",
          summary: "List the snapshots of an environment and its family",
          description: "A family is an environment with all forks that come from it.",
        },
      },
    );
