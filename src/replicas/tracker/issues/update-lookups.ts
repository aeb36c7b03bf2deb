/** The rows that an update of issues depends on. */
import { together } from "~/db/session";
import type { Context } from "~/replicas/tracker/context";
import { notFound } from "~/replicas/tracker/errors";
import type { IssueUpdate } from "~/replicas/tracker/issues/issue-columns";
import { readIssueReferences } from "~/replicas/tracker/issues/references";
import { descriptionOf } from "~/replicas/tracker/issues/values";
import type { Row } from "~/replicas/tracker/store/entities";
import type { IssueLookups } from "~/replicas/tracker/store/issues/issue-lookups";
import { lockIssues } from "~/replicas/tracker/store/issues/update";
import { having } from "~/replicas/tracker/store/lookups";

export type UpdateLookups = IssueLookups & {
  /** Issues that are marked as duplicates, if one is to enter such a state. */
  readonly duplicateIds: readonly string[];
  /** The releases of the issues, if they may change. */
  readonly releases: readonly {
    readonly id: string;
    readonly issueId: string;
    readonly releaseId: string;
  }[];
};

/** Locks the issues. Everything else is sent together with the lock, but a missing issue is reported first. */
export async function readForUpdate(
  context: Context,
  ids: readonly string[],
  input: IssueUpdate,
): Promise<{ readonly issues: readonly Row<"Issue">[]; readonly lookups: UpdateLookups }> {
  const locking = lockIssues(context.session, ids);
  const reading = readLookups(context, ids, input, locking);
  reading.catch(() => undefined);
  const issues = await locking;
  if (issues.length < new Set(ids).size) throw notFound("Issue");
  return { issues, lookups: await reading };
}

async function readLookups(
  context: Context,
  ids: readonly string[],
  input: IssueUpdate,
  locking: Promise<readonly Row<"Issue">[]>,
): Promise<UpdateLookups> {
  const { teamId, subscriberIds, labelIds, addedLabelIds, removedLabelIds } = input;
  const moving = teamId
    ? (await locking).filter((issue) => issue.teamId !== teamId.toLowerCase())
    : [];
  // A move to another team may remove labels and followers.
  const relabels = labelIds ?? addedLabelIds ?? removedLabelIds ?? teamId;
  const [lookups, releases] = await together([
    readIssueReferences(context, [{ ...input, description: descriptionOf(input) }], {
      teamsOf: ids,
      labelledIds: relabels ? ids : [],
      followedIds: subscriberIds ? ids : moving.map(({ id }) => id),
      ownProjectIds: moving.flatMap(({ projectId }) => projectId ?? []),
      placeIds: teamId && moving.length > 0 ? [teamId] : [],
    }),
    listReleases(context, ids, input),
  ]);
  const entered = lookups.states.find(({ id }) => id === input.stateId?.toLowerCase());
  if (entered?.type !== "duplicate") return { ...lookups, releases, duplicateIds: [] };
  const entering = (await locking).filter(({ stateId }) => stateId !== entered.id);
  return { ...lookups, releases, duplicateIds: await listDuplicates(context, entering) };
}

/** The links of issues to releases, if the input changes them. */
async function listReleases({ read }: Context, ids: readonly string[], input: IssueUpdate) {
  const { releaseIds, addedReleaseIds, removedReleaseIds } = input;
  if (!(releaseIds ?? addedReleaseIds ?? removedReleaseIds)) return [];
  const links = await together(
    ids.map((issueId) => read.rows("IssueToRelease", { args: {}, where: having({ issueId }) })),
  );
  return links.flat().map(({ id, issueId, releaseId }) => ({
    id,
    issueId: String(issueId),
    releaseId: String(releaseId),
  }));
}

/** The issues that are marked as duplicates of others. */
async function listDuplicates(
  { read }: Context,
  issues: readonly Row<"Issue">[],
): Promise<readonly string[]> {
  const marks = await together(
    issues.map(({ id }) => read.find("IssueRelation", having({ issueId: id, type: "duplicate" }))),
  );
  return marks.flatMap((mark) => mark?.issueId ?? []);
}
