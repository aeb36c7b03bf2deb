/** Issues: computed fields, and lookups. */

import { type Resolvers, rootPage } from "~/graphql/resolvers";
import { PRIORITIES } from "~/replicas/tracker/api/conventions";
import type { Context } from "~/replicas/tracker/context";
import { identifierOf, slugOf } from "~/replicas/tracker/ids";
import { FOR_MEMBERS } from "~/replicas/tracker/issues/issue-change";
import type { Row } from "~/replicas/tracker/store/entities";
import { lookUp, withAttachmentTo } from "~/replicas/tracker/store/lookups";
import { issueUrl } from "~/replicas/tracker/urls";

const BRANCH_FORMAT = "{username}/{issueIdentifier}-{issueTitle}";

/** The branch name for this issue, in the viewer's format. */
function branchName({ identifier, title }: Row<"Issue">, { viewer, workspace }: Context): string {
  const parts: Readonly<Record<string, string>> = {
    username: slugOf(viewer.displayName),
    issueIdentifier: String(identifier).toLowerCase(),
    issueTitle: slugOf(String(title)),
  };
  return (workspace.gitBranchFormat ?? BRANCH_FORMAT)
    .replace(/\{(\w+)\}/g, (whole, name: string) => parts[name] ?? whole)
    .replace(/-+$/, "");
}

/** Maximum number of candidates in a branch name. */
const IDENTIFIERS_MAX = 5;

/** Identifiers in a text, in order. */
const identifiersIn = (text: string): string[] =>
  [...text.matchAll(/(?<![a-z0-9])[a-z][a-z0-9]{0,9}-\d{1,9}(?!\d)/gi)].flatMap(
    ([found]) => identifierOf(found) ?? [],
  );

export const issues: Resolvers<Context> = {
  Issue: {
    boardOrder: ({ sortOrder }: Row<"Issue">) => sortOrder,
    branchName: (issue: Row<"Issue">, _args, context) => branchName(issue, context),
    sharedAccess: ({ sharedWithUserIds, teamId }: Row<"Issue">, _args, { hiddenTeamIds }) => {
      const ids = sharedWithUserIds;
      const only = hiddenTeamIds.includes(teamId);
      return {
        ids,
        isShared: ids.length > 0,
        sharedWithCount: ids.length,
        viewerHasOnlySharedAccess: only,
        disallowedIssueFields: only ? FOR_MEMBERS : [],
      };
    },
    url: (issue: Row<"Issue">, _args, context) => issueUrl(context, issue),
  },
  IssueSharedAccess: {
    sharedWithUsers: ({ ids }: { ids: readonly string[] }, _args, { read }, info) => {
      return ids.map((id) => (info.isOnlyId ? { id } : read.one("User", id, info)));
    },
  },
  Query: {
    issuePriorityValues: () => PRIORITIES.map((label, priority) => ({ label, priority })),
    issueVcsBranchSearch: async (_source, args: { branchName: string }, { read }, info) => {
      for (const identifier of identifiersIn(args.branchName).slice(0, IDENTIFIERS_MAX)) {
        const where = lookUp("Issue", identifier);
        const issue = where && (await read.find("Issue", where, info));
        if (issue) return issue;
      }
      return null;
    },
    issueFigmaFileKeySearch: rootPage("Issue", ({ fileKey }) =>
      withAttachmentTo(fileKey as string),
    ),
  },
};
