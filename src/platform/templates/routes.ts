import { Elysia, status, t } from "elysia";
import { failures } from "~/http/errors";
import { principalOf } from "~/http/principal";
import type { TemplateChanges } from "~/platform/templates/changes";
import {
  DeletedTemplate,
  ImportedTemplate,
  Seed,
  SeedQuery,
  Template,
  TemplateChange,
  TemplateImport,
  TemplateList,
  TemplateQuery,
  WholeTemplate,
} from "~/platform/templates/model";
import type { Templates } from "~/platform/templates/templates";

const ById = t.Object({
  id: t.String({ description: "The template's id or its name", examples: ["chat_default"] }),
});

export const templateRoutes = (templates: Templates, changes: TemplateChanges) =>
  new Elysia({ tags: ["templates"] })
    .get("/templates", ({ request, query }) => templates.page(principalOf(request).userId, query), {
      query: TemplateQuery,
      response: { 200: TemplateList, ...failures("invalid_request", "invalid_service") },
      detail: {
        operationId: "listTemplates",
        summary: "List templates",
        description: "Public ones and the caller's own, newest first.",
      },
    })
    .get(
      "/templates/:id",
      ({ request, params }) => templates.get(principalOf(request).userId, params.id),
      {
        params: ById,
        response: { 200: WholeTemplate, ...failures("template_not_found") },
        detail: {
          operationId: "getTemplate",
          summary: "Get a template",
          description: "With the number of rows it has.",
        },
      },
    )
    .patch(
      "/templates/:id",
      ({ request, params, body }) => changes.update(principalOf(request).userId, params.id, body),
      {
        params: ById,
        body: TemplateChange,
        response: {
          200: Template,
          ...failures(
            "invalid_request",
            "template_not_found",
            "template_name_exists",
            "request_too_large",
          ),
        },
        detail: {
          operationId: "changeTemplate",
          summary: "Change the description or the visibility of a template",
          description:
            "Only the caller's own. It does not become private while a public suite, or a suite or environment of another user, needs it.",
        },
      },
    )
    .delete(
      "/templates/:id",
      ({ request, params }) => changes.remove(principalOf(request).userId, params.id),
      {
        params: ById,
        response: { 200: DeletedTemplate, ...failures("invalid_request", "template_not_found") },
        detail: {
          operationId: "deleteTemplate",
          summary: "Delete a template",
          description:
            "Only the caller's own, and not while a suite, a test, a live environment or the setting of the pool needs it: the error names them.",
        },
      },
    )
    .get(
      "/templates/:id/seed",
      async ({ request, params, query }) =>
        new Response(await templates.seed(principalOf(request).userId, params.id, query.tables), {
          headers: { "Content-Type": "application/json; charset=utf-8" },
        }),
      {
        params: ById,
        query: SeedQuery,
        response: { 200: Seed, ...failures("invalid_request", "template_not_found") },
        detail: {
          operationId: "exportTemplate",
          summary: "Export a template as a seed",
          description:
            "The seed it was built from; for an environment's copy, or with `tables`, its rows.",
        },
      },
    )
    .post(
      "/templates/import",
      async ({ request, body }) =>
        status(201, await templates.import(principalOf(request).userId, body)),
      {
        body: ImportedTemplate,
        response: {
          201: TemplateImport,
          ...failures(
            "invalid_request",
            "invalid_service",
            "invalid_template_name",
            "template_name_exists",
            "request_too_large",
          ),
        },
        detail: {
          operationId: "importTemplate",
          summary: "Create a template from a seed",
          description: "An invalid seed is rejected with the path of its first mistake.",
        },
      },
    );
