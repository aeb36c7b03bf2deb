/** Nothing is forgotten: each table causes events or has a reason not to, and each event is expected by a test. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { events } from "~/replicas/tracker/events/index";
import { MODELS } from "~/replicas/tracker/store/models/index";
import { TABLES } from "~/replicas/tracker/store/tables";

/** Tables whose changes are no events of the service. */
const SILENT: Readonly<Record<string, string>> = {
  organizations: "the service has no resource type for them",
  teams: "the service has no resource type for them",
  workflow_states: "the service has no resource type for them",
  issue_subscribers: "an issue shows them, and follows no event of their own",
  issue_relations: "the service has no resource type for them",
  project_statuses: "the service has no resource type for them",
  project_milestones: "the service has no resource type for them; a project shows its own",
  project_relations: "the service has no resource type for them",
  initiative_to_projects: "the service has no resource type for them; both sides show them",
  initiative_relations: "the service has no resource type for them; both sides show them",
  custom_views: "the service has no resource type for them",
  templates: "the service has no resource type for them",
  favorites: "only their owner sees them",
  entity_external_links: "the service has no resource type for them",
  notification_subscriptions: "only their owner sees them",
  issue_history: "the changes of an issue are its events",
  uploads: "files have no resource type",
};

/** Entities that share the table of others which cause events. */
const SILENT_RECORDS: Readonly<Record<string, string>> = {
  AgentSkill: "the service has no resource type for them",
  ApiKey: "the service has no resource type for them",
  AuditEntry: "the service keeps none here: they are raised by hand",
  CustomerStatus: "the service has no resource type for them",
  CustomerTier: "the service has no resource type for them",
  DocumentContentHistoryType: "earlier states of documents",
  Draft: "only their author sees them",
  Emoji: "the service has no resource type for them",
  ExternalUser: "the service has no resource type for them",
  GitAutomationState: "settings",
  GitAutomationTargetBranch: "settings",
  InitiativeHistory: "the changes of an initiative are its events",
  IssueSuggestion: "the service has no resource type for them",
  IssueToRelease: "both sides show them",
  OrganizationInvite: "the service has no resource type for them",
  ProjectHistory: "the changes of a project are its events",
  ReleaseHistory: "the changes of a release are its events",
  ReleasePipeline: "the service has no resource type for them",
  ReleaseStage: "the service has no resource type for them",
  Roadmap: "replaced by initiatives",
  RoadmapToProject: "replaced by initiatives",
  TimeSchedule: "the service has no resource type for them",
  TriageResponsibility: "the service has no resource type for them",
  UserSettings: "only their owner sees them",
  ViewPreferences: "only their owner sees them",
};

test("every table causes events, or has a reason not to", () => {
  expect([...events.tables, ...Object.keys(SILENT)].sort()).toEqual([...TABLES.keys()].sort());
});

test("every entity of the shared table causes events, or has a reason not to", () => {
  const records = [...MODELS.values()].filter(({ shared }) => shared).map(({ name }) => name);
  const agents = ["AgentActivity", "AgentSession"]; // AgentSessionEvent
  const types = Object.keys(events.types)
    .filter((type) => records.includes(type))
    .concat(agents);
  const silent = Object.keys(SILENT_RECORDS).filter((name) => !types.includes(name));
  expect([...types, ...silent].sort()).toEqual(records.toSorted());
});

/** Nothing in the environment causes them. */
const BY_HAND = ["AuditEntry", "IssueSLA", "OAuthApp", "OAuthAuthorization"];

test("every type is expected by a test", () => {
  const tests = readdirSync(import.meta.dir)
    .filter((file) => file.endsWith(".test.ts") && file !== "tables.test.ts")
    .map((file) => readFileSync(join(import.meta.dir, file), "utf8"))
    .join("\n");
  const types = Object.keys(events.types).filter((type) => !BY_HAND.includes(type));

  expect(types.filter((type) => !tests.includes(`"${type} `))).toEqual([]);
});
