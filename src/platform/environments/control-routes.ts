/**
 * Calls that control an environment: its state, its clock and its faults. Those that change something wait for the
 * environment's calls in progress.
 */
import { Elysia } from "elysia";
import { failures } from "~/http/errors";
import { EnvironmentPath, IdempotencyHeader } from "~/http/model";
import { principalOf } from "~/http/principal";
import { ClockView } from "~/platform/environments/clock-model";
import type { Clocks } from "~/platform/environments/clocks";
import {
  ClockMove,
  Forks,
  MovedClock,
  NewForks,
  NewSnapshot,
  Reset,
  ResetEnvironment,
  Snapshot,
  SnapshotList,
} from "~/platform/environments/control-model";
import type { FaultControl } from "~/platform/environments/faults";
import type { Forking } from "~/platform/environments/forks";
import type { Snapshots } from "~/platform/environments/snapshots";
import { FaultList, NewFaults } from "~/platform/faults/model";
import type { Idempotency, Once } from "~/platform/idempotency/idempotency";
import type { Principal } from "~/principal";

const SHOWN = ["invalid_request", "invalid_environment_path", "environment_not_found"] as const;
const CHANGED = [...SHOWN, "request_too_large"] as const;

type Call<Body> = {
  request: Request;
  params: { envId: string };
  body: Body;
  set: { headers: object };
};

export function controlRoutes(parts: {
  snapshots: Snapshots;
  forks: Forking;
  clocks: Clocks;
  faults: FaultControl;
  idempotency: Idempotency;
}) {
  const { snapshots, forks, clocks, faults, idempotency } = parts;

  /** Has its effect once if the call is sent again with the same key. */
  const once =
    <Body extends object, Answer extends object>(
      work: (caller: Principal, envId: string, body: Body, once?: Once) => Promise<Answer>,
    ) =>
    (call: Call<Body>) =>
      idempotency.answerOnce(call, (key) =>
        work(principalOf(call.request), call.params.envId, call.body, key),
      );

  return new Elysia({ tags: ["environments"] })
    .post(
      "/env/:envId/reset",
      once(({ userId }, envId, body: Reset, key) => snapshots.reset(userId, envId, body, key)),
      {
        params: EnvironmentPath,
        headers: IdempotencyHeader,
        body: Reset,
        response: { 200: ResetEnvironment, ...failures(...CHANGED, "template_not_found") },
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
      once((caller, envId, body: NewSnapshot, key) => snapshots.take(caller, envId, body, key)),
      {
        params: EnvironmentPath,
        headers: IdempotencyHeader,
        body: NewSnapshot,
        response: { 200: Snapshot, ...failures(...CHANGED, "template_not_found") },
        detail: {
          operationId: "takeSnapshot",
          summary: "Take a snapshot of an environment",
          description:
            "Stores the difference from the template; a state that differs in more than 20,000 rows or 32 MB is copied whole. It lives as long as the environment or one of its forks.",
        },
      },
    )
    .post(
      "/env/:envId/fork",
      once((caller, envId, body: NewForks, key) => forks.fork(caller, envId, body, key)),
      {
        params: EnvironmentPath,
        headers: IdempotencyHeader,
        body: NewForks,
        response: {
          200: Forks,
          ...failures(...CHANGED, "template_not_found", "capacity_exhausted"),
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
        response: { 200: SnapshotList, ...failures(...SHOWN) },
        detail: {
          operationId: "listSnapshots",
          summary: "List the snapshots of an environment and its family",
          description: "A family is an environment with all forks that come from it.",
        },
      },
    )
    .get(
      "/env/:envId/clock",
      ({ request, params }) => clocks.show(principalOf(request).userId, params.envId),
      {
        params: EnvironmentPath,
        response: { 200: ClockView, ...failures(...SHOWN) },
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
      once(({ userId }, envId, body: ClockMove, key) => clocks.move(userId, envId, body, key)),
      {
        params: EnvironmentPath,
        headers: IdempotencyHeader,
        body: ClockMove,
        response: { 200: MovedClock, ...failures(...CHANGED) },
        detail: {
          operationId: "moveClock",
          summary: "Move the clock of an environment forward",
          description:
            "Does what is due until then, each thing at its own time: all or nothing, and at most 1,000 things. Diffs leave these changes out unless asked. Calls in progress end first, within 5 s; later ones wait. A clock that shows real time runs from there.",
        },
      },
    )
    .put(
      "/env/:envId/faults",
      ({ request, params, body }) =>
        faults.put(principalOf(request).userId, params.envId, body.faults),
      {
        params: EnvironmentPath,
        body: NewFaults,
        response: { 200: FaultList, ...failures(...CHANGED, "invalid_service") },
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
        response: { 200: FaultList, ...failures(...SHOWN) },
        detail: {
          operationId: "showFaults",
          summary: "Show the faults of an environment",
          description: "With the calls that each was for, and those that got it.",
        },
      },
    );
}
