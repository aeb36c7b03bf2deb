/** Releases, their pipelines and notes. */
import {
  filterOf,
  named,
  requireId,
  resolve,
  resolveAll,
  resolveGiven,
} from "~/replicas/tracker/mcp/names";
import { type Edit, revise } from "~/replicas/tracker/mcp/patch";
import {
  change,
  containing,
  getOne,
  type ListArguments,
  listPage,
  related,
  type Shape,
  some,
} from "~/replicas/tracker/mcp/shape";
import { type Node, Rejected, type Tools, type Work } from "~/replicas/tracker/mcp/tool";

const PIPELINE: Shape = {
  id: "id",
  name: "name",
  slugId: "slugId",
  type: "type",
  isProduction: "isProduction",
  createdAt: "createdAt",
  updatedAt: "updatedAt",
};
const STAGES: Shape = {
  stages: [related("stages", "id name type"), (pipeline) => pipeline.stages.nodes],
};
const TEAMS: Shape = {
  teams: [related("teams", "id name key"), (pipeline) => pipeline.teams.nodes],
};

type ListPipelines = ListArguments & {
  readonly query?: string;
  readonly team?: string;
  readonly type?: string;
  readonly isProduction?: boolean;
  readonly includeStages: boolean;
  readonly includeTeams: boolean;
};

const equal = (value: unknown) => (value === undefined ? undefined : { eq: value });

const listPipelines = (args: ListPipelines, work: Work) =>
  listPage(work, args, {
    plural: "releasePipelines",
    field: "releasePipelines",
    type: "ReleasePipeline",
    shape: {
      ...PIPELINE,
      ...(args.includeStages && STAGES),
      ...(args.includeTeams && TEAMS),
    },
    filter: filterOf({
      name: containing(args.query),
      teams: some(named("Team", args.team)),
      type: equal(args.type),
      isProduction: equal(args.isProduction),
    }),
  });

const RELEASE: Shape = {
  id: "id",
  name: "name",
  version: "version",
  slugId: "slugId",
  url: "url",
  description: "description",
  pipeline: "pipeline { id name }",
  stage: "stage { id name type }",
  startDate: "startDate",
  targetDate: "targetDate",
  startedAt: "startedAt",
  completedAt: "completedAt",
  canceledAt: "canceledAt",
  commitSha: "commitSha",
  createdAt: "createdAt",
  updatedAt: "updatedAt",
};
const NOTES: Shape = {
  releaseNotes: [
    "releaseNotes { id title slugId url documentContent { content } }",
    ({ releaseNotes }) =>
      releaseNotes.map(({ documentContent, ...note }: Node) => ({
        ...note,
        content: documentContent?.content ?? "",
      })),
  ],
};
type WithNotes = { readonly includeReleaseNotes: boolean };
const releaseShape = ({ includeReleaseNotes }: WithNotes): Shape => ({
  ...RELEASE,
  ...(includeReleaseNotes && NOTES),
});

type ListReleases = ListArguments &
  WithNotes & {
    readonly query?: string;
    readonly pipeline?: string;
    readonly stage?: string;
    readonly stageType?: string;
    readonly version?: string;
    readonly hasReleaseNotes?: boolean;
  };

/** The filter for a release or a pipeline, which also has a slug. */
async function byReference(work: Work, type: "Release" | "ReleasePipeline", given?: string) {
  return given === undefined ? undefined : { id: { eq: await resolve(work, type, given) } };
}

async function listReleases(args: ListReleases, work: Work): Promise<object> {
  const { query, stage, stageType, version, hasReleaseNotes } = args;
  const stages = [named("ReleaseStage", stage), stageType && { type: { eq: stageType } }];
  const and = stages.filter((filter) => filter !== undefined && filter !== "");
  return await listPage(work, args, {
    plural: "releases",
    field: "releases",
    type: "Release",
    shape: releaseShape(args),
    filter: filterOf({
      name: containing(query),
      pipeline: await byReference(work, "ReleasePipeline", args.pipeline),
      stage: and.length > 0 ? { and } : undefined,
      version: equal(version),
      hasReleaseNotes: equal(hasReleaseNotes),
    }),
  });
}

type SaveRelease = {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly pipeline?: string;
  readonly stage?: string;
  readonly startDate?: string | null;
  readonly targetDate?: string | null;
  readonly createdAt?: string;
  readonly startedAt?: string | null;
  readonly completedAt?: string | null;
  readonly commitSha?: string;
};

async function saveRelease(args: SaveRelease, work: Work): Promise<object> {
  const { id: given, pipeline, stage, createdAt, ...fields } = args;
  const known = given === undefined ? undefined : await requireId(work, "Release", given);
  if (!known && fields.name === undefined)
    throw new Rejected("name is required when creating a release");
  if (!known && pipeline === undefined)
    throw new Rejected("pipeline is required when creating a release");
  if (known && (pipeline !== undefined || createdAt !== undefined))
    throw new Rejected("pipeline and createdAt can only be used when creating a release");
  const pipelineId = known
    ? await pipelineOf(work, "Release", known)
    : await resolve(work, "ReleasePipeline", pipeline ?? "");
  const stageId = await resolveGiven(work, "ReleaseStage", stage, { where: { pipelineId } });
  const id = known
    ? await change(work, "releaseUpdate", { ...fields, stageId }, known)
    : await change(work, "releaseCreate", { ...fields, createdAt, stageId, pipelineId });
  return await getOne(work, "release", id, RELEASE);
}

/** The id of the pipeline of a release or of a release note. */
async function pipelineOf({ context }: Work, type: "Release" | "ReleaseNote", id: string) {
  const row = await context.read.one(type, id);
  return String(row?.["pipelineId"]);
}

const NOTE: Shape = {
  id: "id",
  title: "title",
  slugId: "slugId",
  url: "url",
  pipeline: "pipeline { id name }",
  createdAt: "createdAt",
  updatedAt: "updatedAt",
};
const CONTENT: Shape = {
  content: ["documentContent { content }", (note) => note.documentContent?.content ?? ""],
};
const RELEASES: Shape = { releases: "releases { id name version }" };

type WithReleases = { readonly includeReleases: boolean };
type ListNotes = ListArguments &
  WithReleases & {
    readonly query?: string;
    readonly pipeline?: string;
    readonly release?: string;
    readonly includeContent: boolean;
  };

const listNotes = async (args: ListNotes, work: Work) =>
  await listPage(work, args, {
    plural: "releaseNotes",
    field: "releaseNotes",
    type: "ReleaseNote",
    shape: {
      ...NOTE,
      ...(args.includeContent && CONTENT),
      ...(args.includeReleases && RELEASES),
    },
    filter: filterOf({
      title: containing(args.query),
      pipeline: await byReference(work, "ReleasePipeline", args.pipeline),
      release: await byReference(work, "Release", args.release),
    }),
  });

type SaveNote = {
  readonly id?: string;
  readonly pipeline?: string;
  readonly title?: string;
  readonly content?: string;
  readonly patch?: readonly Edit[];
  readonly releases?: readonly string[];
  readonly rangeFromRelease?: string;
  readonly rangeToRelease?: string;
};

async function saveNote(args: SaveNote, work: Work): Promise<object> {
  const { id: given, pipeline, title, releases, rangeFromRelease, rangeToRelease } = args;
  const known = given === undefined ? undefined : await requireId(work, "ReleaseNote", given);
  const isRange = rangeFromRelease !== undefined || rangeToRelease !== undefined;
  if (!known && pipeline === undefined)
    throw new Rejected("pipeline is required when creating release notes");
  if (known && pipeline !== undefined)
    throw new Rejected("pipeline can only be used when creating release notes");
  if (releases && isRange) throw new Rejected("provide either releases or a range, not both");
  if (!known && !releases && !isRange)
    throw new Rejected("releases or a range is required when creating release notes");
  const content = await revise(work, args, ["content", args.content], async () => {
    return await contentOf(work, known ?? "");
  });
  const pipelineId = known
    ? await pipelineOf(work, "ReleaseNote", known)
    : await resolve(work, "ReleasePipeline", pipeline ?? "");
  const among = { where: { pipelineId } };
  const input = {
    title,
    content,
    releaseIds: await resolveAll(work, "Release", releases, among),
    rangeFromReleaseId: await resolveGiven(work, "Release", rangeFromRelease, among),
    rangeToReleaseId: await resolveGiven(work, "Release", rangeToRelease, among),
  };
  const id = known
    ? await change(work, "releaseNoteUpdate", input, known)
    : await change(work, "releaseNoteCreate", { ...input, pipelineId });
  return await getOne(work, "releaseNote", id, { ...NOTE, ...CONTENT });
}

async function contentOf({ ask }: Work, id: string): Promise<string | undefined> {
  const { releaseNote } = await ask(
    "query($id: String!) { releaseNote(id: $id) { documentContent { content } } }",
    { id },
  );
  return releaseNote.documentContent?.content;
}

export const releaseTools: Tools = {
  list_release_pipelines: listPipelines,
  list_releases: listReleases,
  get_release: async (args: WithNotes & { readonly id: string }, work) =>
    await getOne(work, "release", await requireId(work, "Release", args.id), releaseShape(args)),
  save_release: saveRelease,
  list_release_notes: listNotes,
  get_release_note: async (args: WithReleases & { readonly id: string }, work) =>
    await getOne(work, "releaseNote", await requireId(work, "ReleaseNote", args.id), {
      ...NOTE,
      ...CONTENT,
      ...(args.includeReleases && RELEASES),
    }),
  save_release_note: saveNote,
};
