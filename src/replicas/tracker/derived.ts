/**
 * What the service computes by itself. It is part of every diff; strict assertions ignore it. Of a table that the
 * service keeps for itself, every column is.
 */
import { TABLES } from "~/replicas/tracker/store/tables";

const EVERYWHERE = ["createdAt", "updatedAt", "documentContentId", "slugId"];

const OF_TABLE: { readonly [table: string]: readonly string[] } = {
  organizations: ["previousUrlKeys"],
  users: ["lastSeen"],
  teams: ["highestNumber", "previousKeys"],
  issues: [
    "addedToCycleAt",
    "addedToProjectAt",
    "addedToTeamAt",
    "autoArchivedAt",
    "autoClosedAt",
    "canceledAt",
    "completedAt",
    "identifier",
    "number",
    "previousIdentifiers",
    "prioritySortOrder",
    "slaHighRiskAt",
    "slaMediumRiskAt",
    "sortOrder",
    "startedAt",
    "startedTriageAt",
    "subIssueSortOrder",
    "triagedAt",
  ],
  team_memberships: ["sortOrder"],
  comments: ["bodyData", "editedAt"],
  cycles: ["number", "uncompletedIssueIdsUponClose"],
  projects: [
    "canceledAt",
    "completedAt",
    "identifier",
    "previousIdentifiers",
    "prioritySortOrder",
    "sortOrder",
    "startedAt",
  ],
  project_milestones: ["sortOrder"],
  project_updates: ["bodyData", "editedAt"],
  initiatives: [
    "canceledAt",
    "completedAt",
    "identifier",
    "previousIdentifiers",
    "prioritySortOrder",
    "sortOrder",
    "startedAt",
  ],
  initiative_to_projects: ["sortOrder"],
  initiative_relations: ["sortOrder"],
  initiative_updates: ["bodyData", "editedAt"],
  documents: ["sortOrder", "subDocumentSortOrder", "updatedById"],
  custom_views: ["modelName", "updatedById"],
  templates: ["lastUpdatedById", "sortOrder"],
  favorites: ["sortOrder"],
  entity_external_links: ["sortOrder"],
  webhooks: ["secret"],
};

/** Written beside every change, by rules that no caller sees. */
const WHOLLY = new Set(["issue_history", "issue_subscribers", "notifications"]);

export const DERIVED: { readonly [table: string]: readonly string[] } = Object.fromEntries(
  [...TABLES].map(([table, columns]) => [
    table,
    WHOLLY.has(table)
      ? [...columns.keys()]
      : [...EVERYWHERE.filter((name) => columns.has(name)), ...(OF_TABLE[table] ?? [])],
  ]),
);
