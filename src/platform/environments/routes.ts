import { Elysia, status } from "elysia";
import type { Config } from "~/config";
import { failures } from "~/http/errors";
import { EnvironmentPath, IdempotencyHeader } from "~/http/model";
import { publicBase } from "~/http/origin";
import { principalOf } from "~/http/principal";
import type { Details } from "~/platform/environments/details";
import type { Environments } from "~/platform/environments/environments";
import {
  CreatedEnvironment,
  DeletedEnvironment,
  EnvironmentDetail,
  EnvironmentList,
  EnvironmentQuery,
  Extension,
  NewEnvironment,
} from "~/platform/environments/model";
import type { Saving } from "~/platform/environments/saving";
import { NewTrigger, Trigger } from "~/platform/environments/trigger-model";
import type { Triggers } from "~/platform/environments/triggers";
import type { Idempotency } from "~/platform/idempotency/idempotency";
import { CreatedTemplate, NewTemplate } from "~/platform/templates/model";

export const environmentRoutes = (
  environments: Environments,
  idempotency: Idempotency,
  { TRUST_PROXY }: Pick<Config, "TRUST_PROXY">,
) =>
  new Elysia({ tags: ["environments"] })
    .get(
      "/environments",
      ({ request, query }) => environments.list(principalOf(request).userId, query),
      {
        query: EnvironmentQuery,
        response: { 200: EnvironmentList, ...failures("invalid_request", "invalid_service") },
        detail: {
          operationId: "listEnvironments",
          summary: "List environments",
          description: "The caller's own, newest first. Expired ones read as deleted.",
        },
      },
    )
    .post(
      "/initEnv",
      async (context) => {
        const { request, body } = context;
        const by = { ...principalOf(request), baseUrl: publicBase(request, TRUST_PROXY) };
        return status(
          201,
          await idempotency.answerOnce(context, (once) => environments.create(by, body, once)),
        );
      },
      {
        body: NewEnvironment,
        headers: IdempotencyHeader,
        response: {
          201: CreatedEnvironment,
          ...failures(
            "invalid_request",
            "invalid_service",
            "template_not_found",
            "test_not_found",
            "missing_impersonate",
            "impersonate_not_found",
            "request_too_large",
            "capacity_exhausted",
          ),
        },
        detail: {
          operationId: "initEnv",
          summary: "Create an environment from a template",
          description:
            "Clones the template for an agent that acts as the given user. The environment is deleted after `ttlSeconds`.",
        },
      },
    )
    .delete(
      "/env/:envId",
      ({ request, params }) => environments.remove(principalOf(request).userId, params.envId),
      {
        params: EnvironmentPath,
        response: {
          200: DeletedEnvironment,
          ...failures(
            "invalid_environment_path",
            "environment_not_found",
            "environment_already_deleted",
          ),
        },
        detail: {
          operationId: "deleteEnvironment",
          summary: "Delete an environment",
          description: "Deletes its data immediately. An active run is closed as failed.",
        },
      },
    );

export const detailRoutes = (details: Details) =>
  new Elysia({ tags: ["environments"] })
    .get(
      "/env/:envId",
      ({ request, params }) => details.describe(principalOf(request).userId, params.envId),
      {
        params: EnvironmentPath,
        response: {
          200: EnvironmentDetail,
          ...failures("invalid_environment_path", "environment_not_found"),
        },
        detail: {
          operationId: "getEnvironment",
          summary: "Show an environment",
          description:
            "Its state, user, age and time left, its newest run, and what has happened so far. Also after its end, as long as it is kept.",
        },
      },
    )
    .patch(
      "/env/:envId",
      ({ request, params, body }) =>
        details.extend(principalOf(request).userId, params.envId, body),
      {
        params: EnvironmentPath,
        body: Extension,
        response: {
          200: EnvironmentDetail,
          ...failures(
            "invalid_request",
            "invalid_environment_path",
            "environment_not_found",
            "request_too_large",
          ),
        },
        detail: {
          operationId: "extendEnvironment",
          summary: "Extend the life of an environment",
          description:
            "It lives for at least `ttlSeconds` from now, altogether at most seven days. It never expires earlier than before.",
        },
      },
    );

export const triggerRoutes = (triggers: Triggers) =>
  new Elysia({ tags: ["environments"] }).post(
    "/env/:envId/triggers",
    ({ request, params, body }) => triggers.issue(principalOf(request).userId, params.envId, body),
    {
      params: EnvironmentPath,
      body: NewTrigger,
      response: {
        200: Trigger,
        ...failures(
          "invalid_request",
          "invalid_environment_path",
          "environment_not_found",
          "invalid_service",
          "impersonate_not_found",
          "request_too_large",
        ),
      },
      detail: {
        operationId: "issueTrigger",
        summary: "Issue a trigger for a user",
        description:
          "Stands for a click of this user on something of the app: chat's `views.open` and `views.push` accept the trigger once, `dialog.open` and `entity.presentDetails` likewise. Nothing in the environment changes.",
      },
    },
  );

export const savingRoutes = (saving: Saving) => {
  const handle = {
    body: NewTemplate,
    response: {
      201: CreatedTemplate,
      ...failures(
        "invalid_request",
        "invalid_service",
        "invalid_template_name",
        "template_name_exists",
        "environment_not_found",
        "request_too_large",
      ),
    },
  };
  const save = async (userId: string, body: NewTemplate) =>
    status(201, await saving.save(userId, body));
  return new Elysia({ tags: ["templates"] })
    .post("/templates", ({ request, body }) => save(principalOf(request).userId, body), {
      ...handle,
      detail: {
        operationId: "createTemplate",
        summary: "Create a template from an environment",
        description: "A consistent copy, also while the environment is written to.",
      },
    })
    .post(
      "/templates/from-environment",
      ({ request, body }) => save(principalOf(request).userId, body),
      {
        ...handle,
        detail: {
          operationId: "createTemplateFromEnvironment",
          summary: "Create a template from an environment",
          description: "The same as `POST /api/platform/templates`.",
        },
      },
    );
};
