/** The resolvers of every entity. */
import type { Reads, Resolvers, TypeNames } from "~/graphql/resolvers";
import { activityNames, agents } from "~/replicas/tracker/api/agent";
import { apiKeys } from "~/replicas/tracker/api/api-key";
import { attachments } from "~/replicas/tracker/api/attachment";
import { auditEntries } from "~/replicas/tracker/api/audit";
import { comments } from "~/replicas/tracker/api/comment";
import { customers } from "~/replicas/tracker/api/customer";
import { drafts } from "~/replicas/tracker/api/draft";
import { emojis } from "~/replicas/tracker/api/emoji";
import { oneAtATime } from "~/replicas/tracker/api/entity";
import { favorites } from "~/replicas/tracker/api/favorite";
import { gitAutomations } from "~/replicas/tracker/api/git-automation";
import { organizationInvites } from "~/replicas/tracker/api/invite";
import { issues } from "~/replicas/tracker/api/issue";
import { issueChanges } from "~/replicas/tracker/api/issue-changes";
import { issueHistory } from "~/replicas/tracker/api/issue-history";
import { issueLabels } from "~/replicas/tracker/api/issue-label";
import { issueRelations } from "~/replicas/tracker/api/issue-relation";
import { notificationNames, notifications } from "~/replicas/tracker/api/notification";
import {
  notificationSubscriptions,
  subscriptionNames,
} from "~/replicas/tracker/api/notification-subscription";
import { organizations } from "~/replicas/tracker/api/organization";
import { PLANNING } from "~/replicas/tracker/api/planning";
import { rateLimits } from "~/replicas/tracker/api/rate-limit";
import { reactions } from "~/replicas/tracker/api/reaction";
import { releases } from "~/replicas/tracker/api/release";
import { releasePipelines } from "~/replicas/tracker/api/release-pipeline";
import { searches } from "~/replicas/tracker/api/search";
import { teams } from "~/replicas/tracker/api/team";
import { teamChanges } from "~/replicas/tracker/api/team-changes";
import { teamMembershipChanges } from "~/replicas/tracker/api/team-membership";
import { triage } from "~/replicas/tracker/api/triage";
import { users } from "~/replicas/tracker/api/user";
import { userSettings } from "~/replicas/tracker/api/user-settings";
import { workflowStates } from "~/replicas/tracker/api/workflow-state";
import type { Context } from "~/replicas/tracker/context";

const FAMILIES: readonly Resolvers<Context>[] = [
  ...PLANNING,
  ...oneAtATime([agents, customers, gitAutomations, releasePipelines, releases, triage]),
  apiKeys,
  attachments,
  auditEntries,
  comments,
  drafts,
  emojis,
  favorites,
  issueChanges,
  issueHistory,
  issueLabels,
  issueRelations,
  issues,
  notificationSubscriptions,
  notifications,
  organizationInvites,
  organizations,
  rateLimits,
  reactions,
  searches,
  teamChanges,
  teamMembershipChanges,
  teams,
  userSettings,
  users,
  workflowStates,
];

export const RESOLVERS: Resolvers<Context> = joined(FAMILIES);

/** The columns that frequent fields with a resolver read. */
export const READS: Reads = {
  Issue: {
    boardOrder: ["sortOrder"],
    branchName: ["identifier", "title"],
    priorityLabel: ["priority"],
    url: ["identifier", "title"],
  },
};

export const TYPE_NAMES: TypeNames<Context> = {
  ...activityNames,
  ...notificationNames,
  ...subscriptionNames,
};

/** Throws when two families have a resolver for the same field. */
function joined(families: readonly Resolvers<Context>[]): Resolvers<Context> {
  const types: Record<string, Resolvers<Context>[string]> = {};
  for (const [type, fields] of families.flatMap((family) => Object.entries(family))) {
    const known = types[type] ?? {};
    const twice = Object.keys(fields).find((field) => field in known);
    if (twice) throw new Error(`two families have a resolver for ${type}.${twice}`);
    types[type] = { ...known, ...fields };
  }
  return types;
}
