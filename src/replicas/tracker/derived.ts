/**
 * Columns that the service computes. They are part of every diff; strict assertions ignore them. In some tables the
 * service computes every column.
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

/** Tables written as a side effect of other changes. */
const WHOLLY = new Set(["issue_history", "issue_subscribers", "notifications"]);

export const DERIVED: { readonly [table: string]: readonly string[] } = Object.fromEntries(
  [...TABLES].map(([table, columns]) => [
    table,
    WHOLLY.has(table)
      ? [...columns.keys()]
      : [...EVERYWHERE.filter((name) => columns.has(name)), ...(OF_TABLE[table] ?? [])],
  ]),
);
