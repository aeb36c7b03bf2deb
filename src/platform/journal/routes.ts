import { Elysia, t } from "elysia";
import { failures } from "~/http/errors";
import { PathId } from "~/http/model";
import { principalOf } from "~/http/principal";
import type { JournalListing } from "~/platform/journal/listing";
import { CallPage, CallQuery } from "~/platform/journal/model";

export const journalRoutes = (journal: JournalListing) =>
  new Elysia({ tags: ["runs"] }).get(
    "/runs/:runId/calls",
    ({ request, params, query }) => journal.list(principalOf(request).userId, params.runId, query),
    {
      params: t.Object({ runId: PathId }),
      query: CallQuery,
      response: { 200: CallPage, ...failures("invalid_request", "run_not_found") },
      detail: {
        operationId: "listRunCalls",
        summary: "List the calls of a run, in order",
        description:
          "Every call to the environment that was answered during the run, rejected ones included, with the changes that it committed.",
      },
    },
  );
