/** Releases: their stages, issues and notes. */
import type { GraphQLInputObjectType } from "graphql";
import type { FieldInfo } from "~/graphql/info";
import type { PageArguments, RowObject } from "~/graphql/page";
import { filterTypeOf, type Resolver, type Resolvers } from "~/graphql/resolvers";
import { create, modelOf, mutationsOf, type Rules, update } from "~/replicas/tracker/api/entity";
import { stagesOf } from "~/replicas/tracker/api/release-pipeline";
import { createRow, type Given } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput, notFound, userError } from "~/replicas/tracker/errors";
import { newId, newSlugId } from "~/replicas/tracker/ids";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import type { Values } from "~/replicas/tracker/store/entities";
import { having } from "~/replicas/tracker/store/lookups";
import { deleteRows } from "~/replicas/tracker/store/write";
import { timesOf } from "~/replicas/tracker/times";
import { pageSlug, workspaceUrl } from "~/replicas/tracker/urls";

const release = modelOf("Release");

/** Values in records are not typed. */
type ReleaseTimes = Parameters<typeof timesOf>[2];

/** The stage of a release, with the times it determines. */
async function staged(
  context: Context,
  pipelineId: string,
  stageId: unknown,
  row?: RowObject,
): Promise<Values> {
  const stages = await stagesOf(context, pipelineId);
  const pipeline = await requireRow(context, "ReleasePipeline", pipelineId);
  const first = pipeline["type"] === "scheduled" ? "planned" : "completed";
  const stage =
    stageId == null
      ? (stages.find(({ type }) => type === first) ?? stages[0])
      : stages.find(({ id }) => id === stageId);
  if (!stage) throw invalidInput("The stage does not belong to the release's pipeline");
  return { stageId: stage.id, ...timesOf(String(stage["type"]), context.now, row as ReleaseTimes) };
}

const given = (input: Values, ...names: readonly string[]): Values =>
  Object.fromEntries(names.flatMap((name) => (input[name] == null ? [] : [[name, input[name]]])));

const rules: Rules = {
  operations: ["create", "update", "delete", "archive", "unarchive"],
  create: async (input, context) => ({
    ...(await staged(context, input.pipelineId, input.stageId)),
    ...given(input, "startedAt", "completedAt"),
  }),
  update: async (row, input, context) => ({
    ...(input.stageId != null &&
      input.stageId !== row["stageId"] &&
      (await staged(context, String(row["pipelineId"]), input.stageId, row))),
    ...given(input, "startedAt", "completedAt"),
  }),
};

const issueRules: Rules = {
  operations: ["create", "delete"],
  create: async ({ issueId, releaseId }, { read }) => {
    if (await read.find("IssueToRelease", having({ issueId, releaseId })))
      throw invalidInput("The issue is in this release already");
    return undefined;
  },
};

type NoteInput = {
  readonly pipelineId?: string;
  readonly releaseIds?: readonly string[] | null;
  readonly rangeFromReleaseId?: string | null;
  readonly rangeToReleaseId?: string | null;
};

const noteRules: Rules = {
  operations: ["create", "update", "delete"],
  check: async (input: NoteInput, context, row) => {
    const { releaseIds, rangeFromReleaseId, rangeToReleaseId } = input;
    if (releaseIds != null) {
      for (const id of releaseIds) await requireGiven(context, "Release", "releaseIds", id);
      return { releaseIds };
    }
    if (rangeFromReleaseId == null && rangeToReleaseId == null)
      return row ? undefined : { releaseIds: [] };
    const from = await requireGiven(context, "Release", "rangeFromReleaseId", rangeFromReleaseId);
    const to = await requireGiven(context, "Release", "rangeToReleaseId", rangeToReleaseId);
    const pipelineId = String(input.pipelineId ?? row?.["pipelineId"]);
    const all = await context.read.rows("Release", { args: {}, where: having({ pipelineId }) });
    const time = (one: RowObject) => Number(one["createdAt"]);
    const within = all.filter(
      (one) => (!from || time(one) >= time(from)) && (!to || time(one) <= time(to)),
    );
    return { releaseIds: within.map(({ id }) => id) };
  },
};

type ByPipeline = {
  readonly pipelineId: string;
  readonly version?: string | null;
  readonly commitSha?: string | null;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly stage?: string | null;
  readonly issueReferences?: readonly { readonly identifier: string }[] | null;
  readonly revertedIssueReferences?: readonly { readonly identifier: string }[] | null;
  readonly links?: readonly { readonly label?: string | null; readonly url: string }[] | null;
  readonly documents?: readonly { readonly title: string; readonly content: string }[] | null;
  readonly releaseNotes?: { readonly title?: string | null; readonly content: string } | null;
};

const OPEN = ["started", "planned"];

/** The matching release of a pipeline: by version or commit, otherwise the current one. */
async function findMeant(context: Context, { pipelineId, version, commitSha }: ByPipeline) {
  await requireRow(context, "ReleasePipeline", pipelineId);
  const all = await context.read.rows("Release", { args: {}, where: having({ pipelineId }) });
  if (version != null) return all.find((one) => one["version"] === version);
  const byCommit =
    commitSha == null ? undefined : all.find((one) => one["commitSha"] === commitSha);
  if (byCommit) return byCommit;
  const stages = new Map(
    (await stagesOf(context, pipelineId)).map((stage) => [stage.id, stage["type"]]),
  );
  for (const type of OPEN) {
    const found = all.find((one) => stages.get(String(one["stageId"])) === type);
    if (found) return found;
  }
  return undefined;
}

/** Writes the issues, links and notes that a build reports. */
async function attach(context: Context, row: RowObject, input: ByPipeline): Promise<void> {
  const releaseId = row.id;
  const { id: creatorId } = context.viewer;
  for (const [sortOrder, { label, url }] of (input.links ?? []).entries())
    await createRow(context, "EntityExternalLink", {
      releaseId,
      label: label ?? url,
      url,
      sortOrder,
      creatorId,
    });
  for (const { title, content } of input.documents ?? [])
    await createRow(context, "Document", {
      releaseId,
      title,
      content,
      creatorId,
      ownerId: creatorId,
      documentContentId: newId(context.session),
      slugId: newSlugId(context.session),
    });
  if (input.releaseNotes)
    await createRow(context, "ReleaseNote", {
      ...input.releaseNotes,
      pipelineId: input.pipelineId,
      releaseIds: [releaseId],
      documentContentId: newId(context.session),
      slugId: newSlugId(context.session),
    });
  for (const { identifier } of input.issueReferences ?? []) {
    const issueId = (await requireRow(context, "Issue", identifier)).id;
    if (!(await context.read.find("IssueToRelease", having({ issueId, releaseId }))))
      await createRow(context, "IssueToRelease", { issueId, releaseId });
  }
  for (const { identifier } of input.revertedIssueReferences ?? [])
    await leaveRelease(context, (await requireRow(context, "Issue", identifier)).id, releaseId);
}

async function leaveRelease(context: Context, issueId: string, releaseId: string) {
  const link = await context.read.find("IssueToRelease", having({ issueId, releaseId }));
  if (link) await deleteRows(context.session, "IssueToRelease", [link.id]);
  return link;
}

async function change(
  context: Context,
  row: RowObject,
  input: ByPipeline,
  stageId: unknown,
  info: FieldInfo,
) {
  const changes = {
    ...given(input, "name", "description", "version", "commitSha"),
    ...(stageId != null && { stageId }),
  };
  const changed = await update(release, rules, row, changes, context, info);
  await attach(context, changed, input);
  return { release: changed };
}

/** Creates or updates the release that a build reports. */
const sync: Resolver<Context> = async (_source, { input }: Given<ByPipeline>, context, info) => {
  const known = await findMeant(context, input);
  if (known) return await change(context, known, input, undefined, info);
  const { pipelineId, version, commitSha, description } = input;
  const name = input.name ?? version ?? commitSha?.slice(0, 7);
  const made = await create(
    release,
    rules,
    { pipelineId, version, commitSha, description, name },
    context,
    info,
  );
  await attach(context, made, input);
  return { release: made };
};

/** Moves the current release to a stage, by its name or type. */
const advance =
  (stageOf: (input: ByPipeline) => string | null | undefined): Resolver<Context> =>
  async (_source, { input }: Given<ByPipeline>, context, info) => {
    const known = await findMeant(context, input);
    if (!known) throw userError("The pipeline has no such release");
    const wanted = stageOf(input);
    const stages = await stagesOf(context, input.pipelineId);
    const stage =
      wanted == null
        ? undefined
        : stages.find(
            ({ name, type }) =>
              String(name).toLowerCase() === wanted.toLowerCase() || type === wanted,
          );
    if (wanted != null && !stage) throw invalidInput(`The pipeline has no stage "${wanted}"`);
    const { version: _, ...rest } = input;
    return await change(context, known, rest, stage?.id, info);
  };

type Search = PageArguments & { readonly term?: string | null };

export const releases: Resolvers<Context> = {
  Release: {
    url: ({ name, slugId }: RowObject, _args, context) =>
      workspaceUrl(context, "release", pageSlug(name, slugId)),
  },
  ReleaseNote: {
    releaseCount: ({ releaseIds }: RowObject) => ((releaseIds ?? []) as readonly string[]).length,
    url: ({ title, slugId }: RowObject, _args, context) =>
      workspaceUrl(context, "release-note", pageSlug(title ?? "", slugId)),
  },
  Query: {
    releaseSearch: async (_source, { term, first, ...args }: Search, { read }, info) => {
      const filterType = filterTypeOf(info) as GraphQLInputObjectType;
      const rows = await read.rows("Release", { args, filterType, fields: info.fields });
      const words = (term ?? "").toLowerCase();
      const found = rows.filter(({ name, version }) =>
        `${name} ${version ?? ""}`.toLowerCase().includes(words),
      );
      return found.slice(0, first ?? found.length);
    },
  },
  Mutation: {
    ...mutationsOf("Release", rules),
    ...mutationsOf("IssueToRelease", issueRules),
    ...mutationsOf("ReleaseNote", noteRules),
    issueToReleaseDeleteByIssueAndRelease: async (
      _source,
      args: { issueId: string; releaseId: string },
      context,
    ) => {
      const issue = await requireRow(context, "Issue", args.issueId);
      const link = await leaveRelease(
        context,
        issue.id,
        (await requireRow(context, "Release", args.releaseId)).id,
      );
      if (!link) throw notFound("IssueToRelease");
      return { entityId: link.id };
    },
    releaseComplete: advance(() => "completed"),
    releaseSync: sync,
    releaseUpdateByPipeline: advance(({ stage }) => stage),
  },
};
