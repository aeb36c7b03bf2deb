/** Release pipelines and their stages. */

import type { RowObject } from "~/graphql/page";
import type { Resolvers } from "~/graphql/resolvers";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import { createRow } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput, userError } from "~/replicas/tracker/errors";
import { newSlugId } from "~/replicas/tracker/ids";
import { requireGiven } from "~/replicas/tracker/require";
import { having } from "~/replicas/tracker/store/lookups";
import { pageSlug, workspaceUrl } from "~/replicas/tracker/urls";

/** Default stages of a new pipeline. */
const STAGES = [
  { name: "Planned", type: "planned", color: "#bec2c8" },
  { name: "In progress", type: "started", color: "#f2c94c" },
  { name: "Released", type: "completed", color: "#5e6ad2" },
  { name: "Canceled", type: "canceled", color: "#95a2b3" },
] as const;

export const stagesOf = async (
  { read }: Context,
  pipelineId: string,
): Promise<readonly RowObject[]> =>
  (await read.rows("ReleaseStage", { args: {}, where: having({ pipelineId }) })).toSorted(
    (a, b) => Number(a["position"]) - Number(b["position"]),
  );

const pipelineRules: Rules = {
  operations: ["create", "update", "delete", "archive", "unarchive"],
  check: async ({ teamIds, slugId }, context, row) => {
    for (const id of teamIds ?? []) await requireGiven(context, "Team", "teamIds", id);
    const taken =
      slugId == null ? undefined : await context.read.find("ReleasePipeline", having({ slugId }));
    if (taken && taken.id !== row?.id)
      throw invalidInput(`Another pipeline has the slug "${slugId}"`);
    return undefined;
  },
  create: (input, { session }) => ({
    slugId: input.slugId ?? newSlugId(session),
    type: input.type ?? "continuous",
    isProduction: input.isProduction ?? true,
    includePathPatterns: input.includePathPatterns ?? [],
    teamIds: input.teamIds ?? [],
    autoGenerateReleaseNotesOnCompletion: input.autoGenerateReleaseNotesOnCompletion ?? false,
    rolloverIssuesOnCompletion: input.rolloverIssuesOnCompletion ?? false,
  }),
  written: async (pipeline, _input, context, before) => {
    if (before) return;
    for (const [position, stage] of STAGES.entries())
      await createRow(context, "ReleaseStage", {
        ...stage,
        position,
        frozen: false,
        pipelineId: pipeline.id,
      });
  },
};

const stageRules: Rules = {
  operations: ["create", "update", "archive", "unarchive"],
  check: async ({ name, pipelineId }, context, row) => {
    const stages = await stagesOf(context, pipelineId ?? row?.["pipelineId"]);
    const isTaken = (other: RowObject) =>
      other.id !== row?.id && String(other["name"]).toLowerCase() === name?.toLowerCase();
    if (name != null && stages.some(isTaken))
      throw invalidInput(`The pipeline already has a stage named "${name}"`);
    return undefined;
  },
  create: ({ frozen }) => ({ frozen: frozen ?? false }),
  leaves: async (stage, { read }) => {
    if (await read.find("Release", having({ stageId: stage.id })))
      throw userError("A stage that releases are in cannot be archived");
  },
};

export const releasePipelines: Resolvers<Context> = {
  ReleasePipeline: {
    url: ({ name, slugId }: RowObject, _args, context) =>
      workspaceUrl(context, "releases", pageSlug(name, slugId)),
  },
  Mutation: {
    ...mutationsOf("ReleasePipeline", pipelineRules),
    ...mutationsOf("ReleaseStage", stageRules),
  },
};
