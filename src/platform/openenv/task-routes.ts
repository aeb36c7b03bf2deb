import { Elysia, type Static } from "elysia";
import { ApiError } from "~/errors";
import { failures } from "~/http/errors";
import { principalOf } from "~/http/principal";
import { TaskPath } from "~/platform/openenv/model";
import {
  OfIndex,
  OfRange,
  OfSplit,
  OneTask,
  Splits,
  TaskCount,
  Tasks,
} from "~/platform/openenv/task-model";
import { createTasks, SPLITS, slugOf } from "~/platform/openenv/tasks";
import type { Suites } from "~/platform/suites/suites";

/** The task interface of OpenEnv and of the Open Reward Standard, whose paths name the environment again. */
export const taskRoutes = (suites: Suites) => {
  const tasks = createTasks(suites);
  async function suiteOf(request: Request, { suite, environment }: Static<typeof TaskPath>) {
    const found = await suites.requireNamed(principalOf(request).userId, suite);
    if ([suite, found.suiteId, slugOf(found.name)].includes(environment)) return found;
    throw new ApiError("not_found", `The environment of this address is ${slugOf(found.name)}`);
  }
  const codes = failures("invalid_request", "suite_not_found", "not_found", "request_too_large");
  const withTask = failures(
    ...(["invalid_request", "suite_not_found", "not_found"] as const),
    ...(["test_not_found", "request_too_large"] as const),
  );
  const params = { params: TaskPath };

  return new Elysia({ tags: ["openenv"] })
    .get(
      "/:suite/:environment/splits",
      async ({ request, params }) => {
        await suiteOf(request, params);
        return SPLITS.map((name) => ({ name, type: "test" as const }));
      },
      {
        ...params,
        response: { 200: Splits, ...failures("invalid_request", "suite_not_found", "not_found") },
        detail: {
          operationId: "listSplits",
          summary: "List the splits of a suite",
          description: "One for each way to solve a test.",
        },
      },
    )
    .post(
      "/:suite/:environment/tasks",
      async ({ request, params, body }) => {
        const suite = await suiteOf(request, params);
        return { tasks: await tasks.list(suite, body.split), env_name: slugOf(suite.name) };
      },
      {
        ...params,
        body: OfSplit,
        response: { 200: Tasks, ...codes },
        detail: {
          operationId: "listTasks",
          summary: "List the tasks of a split",
          description: "Each is a set of options for a reset.",
        },
      },
    )
    .post(
      "/:suite/:environment/num_tasks",
      async ({ request, params, body }) => ({
        num_tasks: (await tasks.list(await suiteOf(request, params), body.split)).length,
      }),
      {
        ...params,
        body: OfSplit,
        response: { 200: TaskCount, ...codes },
        detail: {
          operationId: "countTasks",
          summary: "Count the tasks of a split",
          description: "They are numbered from 0.",
        },
      },
    )
    .post(
      "/:suite/:environment/task",
      async ({ request, params, body }) => ({
        task: await tasks.at(await suiteOf(request, params), body.split, body.index),
      }),
      {
        ...params,
        body: OfIndex,
        response: { 200: OneTask, ...withTask },
        detail: {
          operationId: "getTask",
          summary: "Get one task",
          description: "By its place in its split.",
        },
      },
    )
    .post(
      "/:suite/:environment/task_range",
      async ({ request, params, body }) => {
        const suite = await suiteOf(request, params);
        const all = await tasks.list(suite, body.split);
        return { tasks: all.slice(body.start, body.stop), env_name: slugOf(suite.name) };
      },
      {
        ...params,
        body: OfRange,
        response: { 200: Tasks, ...codes },
        detail: {
          operationId: "listTaskRange",
          summary: "List some tasks of a split",
          description: "From `start` to before `stop`.",
        },
      },
    );
};
