/** Creates and updates issues, with their relations, links and releases. */
import type { RowObject } from "~/graphql/page";
import { identifierOf } from "~/replicas/tracker/ids";
import { savedIssue } from "~/replicas/tracker/mcp/issues";
import { resolve, resolveAll, resolveGiven } from "~/replicas/tracker/mcp/names";
import { type Edit, revise } from "~/replicas/tracker/mcp/patch";
import { act, change } from "~/replicas/tracker/mcp/shape";
import { notThere, Rejected, type Work } from "~/replicas/tracker/mcp/tool";
import { requireRow } from "~/replicas/tracker/require";
import { lockIssues } from "~/replicas/tracker/store/issues/update";
import { having, lookUp } from "~/replicas/tracker/store/lookups";

type Maybe<T> = T | null | undefined;
type Names = readonly string[];

type SaveIssue = {
  readonly id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly patch?: readonly Edit[];
  readonly team?: string;
  readonly cycle?: Maybe<string>;
  readonly milestone?: string;
  readonly priority?: number;
  readonly project?: Maybe<string>;
  readonly state?: string;
  readonly assignee?: Maybe<string>;
  readonly delegate?: Maybe<string>;
  readonly labels?: Names;
  readonly dueDate?: Maybe<string>;
  readonly slaBreachesAt?: Maybe<string>;
  readonly slaType?: Maybe<string>;
  readonly parentId?: Maybe<string>;
  readonly estimate?: Maybe<number>;
  readonly links?: readonly { readonly url: string; readonly title: string }[];
  readonly setReleases?: Names;
  readonly addReleases?: Names;
  readonly removeReleases?: Names;
  readonly blocks?: Names;
  readonly blockedBy?: Names;
  readonly relatedTo?: Names;
  readonly duplicateOf?: Maybe<string>;
  readonly removeBlocks?: Names;
  readonly removeBlockedBy?: Names;
  readonly removeRelatedTo?: Names;
};

export async function saveIssue(args: SaveIssue, work: Work): Promise<object> {
  if (args.setReleases && (args.addReleases || args.removeReleases))
    throw new Rejected("provide either setReleases, or addReleases and removeReleases, not both");
  const before = args.id === undefined ? undefined : await findIssue(work, args.id);
  const input = await inputOf(args, work, before);
  const id = before
    ? await change(work, "issueUpdate", input, before.id)
    : await change(work, "issueCreate", input);
  const steps = new Steps(work);
  await addLinks(args, steps, id);
  await changeRelations(args, steps, id);
  await changeReleases(args, steps, id);
  return await savedIssue(work, id, steps.warnings);
}

async function findIssue({ context }: Work, given: string): Promise<RowObject> {
  const where = lookUp("Issue", given);
  const found = where
    ? await context.read.find("Issue", where)
    : await context.read.one("Issue", given);
  if (found) return found;
  throw new Rejected(
    `Could not find issue "${given}". To create a new issue, omit the "id" parameter. The "id" parameter should only be used to update an existing issue.`,
  );
}

/** The input of issueCreate or issueUpdate. */
async function inputOf(args: SaveIssue, work: Work, before: RowObject | undefined) {
  const issueId = before?.id ?? "";
  const description = await revise(
    work,
    args,
    ["description", args.description],
    async () => (await requireRow(work.context, "Issue", issueId)).description,
    () => lockIssues(work.context.session, [issueId]),
  );
  if (!before && args.title === undefined)
    throw new Rejected("title is required when creating an issue");
  if (!before && args.team === undefined)
    throw new Rejected("team is required when creating an issue");
  const { title, priority, dueDate, slaBreachesAt, slaType, parentId, estimate } = args;
  const given = await resolveGiven(work, "Team", args.team);
  const teamId = given ?? String(before?.["teamId"]);
  const ofTeam = { filter: { team: { id: { eq: teamId } } } };
  const [projectId, stateId, cycleId, assigneeId, delegateId, labelIds] = await Promise.all([
    resolveGiven(work, "Project", args.project),
    resolveGiven(work, "WorkflowState", args.state, ofTeam),
    resolveGiven(work, "Cycle", args.cycle, ofTeam),
    resolveGiven(work, "User", args.assignee),
    resolveGiven(work, "User", args.delegate),
    resolveAll(work, "IssueLabel", args.labels, { teamId }),
  ]);
  const within = projectId ?? before?.["projectId"];
  const milestones =
    within === undefined || within === null ? {} : { where: { projectId: String(within) } };
  return {
    ...(given !== undefined && { teamId: given }),
    title,
    description,
    priority,
    dueDate,
    slaBreachesAt,
    slaType,
    parentId,
    estimate,
    projectId,
    stateId,
    cycleId,
    assigneeId,
    delegateId,
    labelIds,
    projectMilestoneId: await resolveGiven(work, "ProjectMilestone", args.milestone, milestones),
  };
}

const LINK = `mutation($issueId: String!, $url: String!, $title: String!) {
  attachmentLinkURL(issueId: $issueId, url: $url, title: $title) { success }
}`;

/** Collects the problems of steps that may fail while the issue is saved. */
class Steps {
  readonly warnings: string[] = [];
  readonly work: Work;
  constructor(work: Work) {
    this.work = work;
  }
  async attempt(sentence: string, step: () => Promise<unknown>): Promise<void> {
    const problem = await this.work.attempt(step);
    if (problem !== undefined) this.warnings.push(`${sentence}: ${problem}`);
  }
}

async function addLinks({ links = [] }: SaveIssue, steps: Steps, issueId: string): Promise<void> {
  for (const { url, title } of links)
    await steps.attempt(`Could not add ${url} to links`, () =>
      steps.work.ask(LINK, { issueId, url, title }),
    );
}

type Kind = { readonly type: string; readonly isInverse: boolean };
const KINDS = {
  blocks: { type: "blocks", isInverse: false },
  blockedBy: { type: "blocks", isInverse: true },
  relatedTo: { type: "related", isInverse: false },
  duplicateOf: { type: "duplicate", isInverse: false },
} as const satisfies Record<string, Kind>;
type KindName = keyof typeof KINDS;

async function changeRelations(args: SaveIssue, steps: Steps, issueId: string): Promise<void> {
  const { work } = steps;
  const { duplicateOf } = args;
  const added = {
    blocks: args.blocks ?? [],
    blockedBy: args.blockedBy ?? [],
    relatedTo: args.relatedTo ?? [],
    duplicateOf: typeof duplicateOf === "string" ? [duplicateOf] : [],
  };
  const removed = {
    blocks: args.removeBlocks ?? [],
    blockedBy: args.removeBlockedBy ?? [],
    relatedTo: args.removeRelatedTo ?? [],
  };
  if (duplicateOf === null)
    await steps.attempt("Could not remove duplicateOf", () => removeDuplicate(work, issueId));
  for (const [name, others] of Object.entries(removed) as [KindName, Names][])
    for (const other of others)
      await steps.attempt(`Could not remove ${shownName(other)} from ${name}`, () =>
        removeRelation(work, KINDS[name], issueId, other),
      );
  for (const [name, others] of Object.entries(added) as [KindName, Names][])
    for (const other of others)
      await steps.attempt(`Could not add ${shownName(other)} to ${name}`, () =>
        addRelation(work, KINDS[name], issueId, other),
      );
}

const shownName = (issue: string) => identifierOf(issue) ?? issue;

/** The relation of two issues in either direction: a pair has one. */
async function findRelation({ context }: Work, one: string, other: string) {
  const find = (issueId: string, relatedIssueId: string) =>
    context.read.find("IssueRelation", having({ issueId, relatedIssueId }));
  return (await find(one, other)) ?? (await find(other, one));
}

/** The relation of this issue with another one, if there is any, and whether it is of this kind. */
async function compareRelation(work: Work, kind: Kind, issueId: string, other: string) {
  const otherId = (await requireRow(work.context, "Issue", other)).id;
  const { isInverse, type } = kind;
  const ends = {
    type,
    issueId: isInverse ? otherId : issueId,
    relatedIssueId: isInverse ? issueId : otherId,
  };
  const known = await findRelation(work, issueId, otherId);
  const isSame =
    known?.["type"] === type && (type === "related" || known["issueId"] === ends.issueId);
  return { ends, known, isSame };
}

const RELATE = `mutation($input: IssueRelationCreateInput!) {
  issueRelationCreate(input: $input) { success }
}`;

/** Replaces another relation of the pair, also the opposite one. */
async function addRelation(work: Work, kind: Kind, issueId: string, other: string) {
  const { ends, known, isSame } = await compareRelation(work, kind, issueId, other);
  if (isSame) return;
  if (known) await act(work, "issueRelationDelete", known.id);
  await work.ask(RELATE, { input: ends });
}

async function removeRelation(work: Work, kind: Kind, issueId: string, other: string) {
  const { known, isSame } = await compareRelation(work, kind, issueId, other);
  if (!known || !isSame) throw notThere("IssueRelation");
  await act(work, "issueRelationDelete", known.id);
}

async function removeDuplicate(work: Work, issueId: string) {
  const known = await work.context.read.find(
    "IssueRelation",
    having({ issueId, type: "duplicate" }),
  );
  if (known) await act(work, "issueRelationDelete", known.id);
}

const ENTER = `mutation($input: IssueToReleaseCreateInput!) {
  issueToReleaseCreate(input: $input) { success }
}`;
const LEAVE = `mutation($issueId: String!, $releaseId: String!) {
  issueToReleaseDeleteByIssueAndRelease(issueId: $issueId, releaseId: $releaseId) { success }
}`;

async function changeReleases(args: SaveIssue, steps: Steps, issueId: string): Promise<void> {
  const { work } = steps;
  const { setReleases } = args;
  const had = setReleases ? await releasesOf(work, issueId) : [];
  const wanted = (await resolveAll(work, "Release", setReleases)) ?? [];
  for (const release of args.removeReleases ?? had.filter((id) => !wanted.includes(id)))
    await steps.attempt(`Could not remove ${release} from releases`, async () => {
      const releaseId = await resolve(work, "Release", release);
      await work.ask(LEAVE, { issueId, releaseId });
    });
  for (const release of args.addReleases ?? wanted.filter((id) => !had.includes(id)))
    await steps.attempt(`Could not add ${release} to releases`, async () => {
      const releaseId = await resolve(work, "Release", release);
      await work.ask(ENTER, { input: { issueId, releaseId } });
    });
}

async function releasesOf({ ask }: Work, id: string): Promise<string[]> {
  const { issue } = await ask(
    "query($id: String!) { issue(id: $id) { releases(first: 250) { nodes { id } } } }",
    { id },
  );
  return issue.releases.nodes.map((release: { id: string }) => release.id);
}
