/** The SDL files of the schema. */
import { type DocumentNode, parse } from "graphql";
import agent from "~/replicas/tracker/api/agent.graphql" with { type: "text" };
import aiConversation from "~/replicas/tracker/api/ai-conversation.graphql" with { type: "text" };
import attachment from "~/replicas/tracker/api/attachment.graphql" with { type: "text" };
import audit from "~/replicas/tracker/api/audit.graphql" with { type: "text" };
import comment from "~/replicas/tracker/api/comment.graphql" with { type: "text" };
import common from "~/replicas/tracker/api/common.graphql" with { type: "text" };
import comparators from "~/replicas/tracker/api/comparators.graphql" with { type: "text" };
import customView from "~/replicas/tracker/api/custom-view.graphql" with { type: "text" };
import customer from "~/replicas/tracker/api/customer.graphql" with { type: "text" };
import cycle from "~/replicas/tracker/api/cycle.graphql" with { type: "text" };
import document from "~/replicas/tracker/api/document.graphql" with { type: "text" };
import draft from "~/replicas/tracker/api/draft.graphql" with { type: "text" };
import emoji from "~/replicas/tracker/api/emoji.graphql" with { type: "text" };
import externalLink from "~/replicas/tracker/api/external-link.graphql" with { type: "text" };
import externalUser from "~/replicas/tracker/api/external-user.graphql" with { type: "text" };
import favorite from "~/replicas/tracker/api/favorite.graphql" with { type: "text" };
import file from "~/replicas/tracker/api/file.graphql" with { type: "text" };
import gitAutomation from "~/replicas/tracker/api/git-automation.graphql" with { type: "text" };
import initiative from "~/replicas/tracker/api/initiative.graphql" with { type: "text" };
import initiativeLabel from "~/replicas/tracker/api/initiative-label.graphql" with { type: "text" };
import initiativeRelation from "~/replicas/tracker/api/initiative-relation.graphql" with {
  type: "text",
};
import initiativeToProject from "~/replicas/tracker/api/initiative-to-project.graphql" with {
  type: "text",
};
import initiativeUpdate from "~/replicas/tracker/api/initiative-update.graphql" with {
  type: "text",
};
import integration from "~/replicas/tracker/api/integration.graphql" with { type: "text" };
import invite from "~/replicas/tracker/api/invite.graphql" with { type: "text" };
import issue from "~/replicas/tracker/api/issue.graphql" with { type: "text" };
import issueHistory from "~/replicas/tracker/api/issue-history.graphql" with { type: "text" };
import issueLabel from "~/replicas/tracker/api/issue-label.graphql" with { type: "text" };
import issueRelation from "~/replicas/tracker/api/issue-relation.graphql" with { type: "text" };
import legacy from "~/replicas/tracker/api/legacy.graphql" with { type: "text" };
import never from "~/replicas/tracker/api/never.graphql" with { type: "text" };
import notification from "~/replicas/tracker/api/notification.graphql" with { type: "text" };
import notificationSubscription from "~/replicas/tracker/api/notification-subscription.graphql" with {
  type: "text",
};
import organization from "~/replicas/tracker/api/organization.graphql" with { type: "text" };
import outOfScope from "~/replicas/tracker/api/out-of-scope.graphql" with { type: "text" };
import project from "~/replicas/tracker/api/project.graphql" with { type: "text" };
import projectLabel from "~/replicas/tracker/api/project-label.graphql" with { type: "text" };
import projectMilestone from "~/replicas/tracker/api/project-milestone.graphql" with {
  type: "text",
};
import projectRelation from "~/replicas/tracker/api/project-relation.graphql" with { type: "text" };
import projectStatus from "~/replicas/tracker/api/project-status.graphql" with { type: "text" };
import projectUpdate from "~/replicas/tracker/api/project-update.graphql" with { type: "text" };
import rateLimit from "~/replicas/tracker/api/rate-limit.graphql" with { type: "text" };
import reaction from "~/replicas/tracker/api/reaction.graphql" with { type: "text" };
import release from "~/replicas/tracker/api/release.graphql" with { type: "text" };
import roadmap from "~/replicas/tracker/api/roadmap.graphql" with { type: "text" };
import search from "~/replicas/tracker/api/search.graphql" with { type: "text" };
import team from "~/replicas/tracker/api/team.graphql" with { type: "text" };
import template from "~/replicas/tracker/api/template.graphql" with { type: "text" };
import triage from "~/replicas/tracker/api/triage.graphql" with { type: "text" };
import user from "~/replicas/tracker/api/user.graphql" with { type: "text" };
import userSettings from "~/replicas/tracker/api/user-settings.graphql" with { type: "text" };
import viewPreferences from "~/replicas/tracker/api/view-preferences.graphql" with { type: "text" };
import webhook from "~/replicas/tracker/api/webhook.graphql" with { type: "text" };
import workflowState from "~/replicas/tracker/api/workflow-state.graphql" with { type: "text" };

/** By file. The operations in `outOfScope` are rejected. */
const SDL_FILES = {
  agent,
  aiConversation,
  attachment,
  audit,
  comment,
  common,
  comparators,
  customView,
  customer,
  cycle,
  document,
  draft,
  emoji,
  externalLink,
  externalUser,
  favorite,
  file,
  gitAutomation,
  initiative,
  initiativeLabel,
  initiativeRelation,
  initiativeToProject,
  initiativeUpdate,
  integration,
  invite,
  issue,
  issueHistory,
  issueLabel,
  issueRelation,
  legacy,
  never,
  notification,
  notificationSubscription,
  organization,
  outOfScope,
  project,
  projectLabel,
  projectMilestone,
  projectRelation,
  projectStatus,
  projectUpdate,
  rateLimit,
  reaction,
  release,
  roadmap,
  search,
  team,
  template,
  triage,
  user,
  userSettings,
  viewPreferences,
  webhook,
  workflowState,
} as const satisfies Record<string, string>;

export type SdlFile = {
  readonly file: keyof typeof SDL_FILES;
  readonly document: DocumentNode;
};

let parsed: readonly SdlFile[] | undefined;

/** The parsed files. Parsed when they are needed first: a start need not wait for it. */
export function sdlFiles(): readonly SdlFile[] {
  parsed ??= Object.entries(SDL_FILES).map(([file, text]) => ({
    file: file as SdlFile["file"],
    document: parse(text, { noLocation: true }),
  }));
  return parsed;
}
