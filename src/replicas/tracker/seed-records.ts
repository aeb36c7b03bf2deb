/** Sections of a tracker seed for entities whose rows share the table `records`. */
import type { Section } from "~/replicas/tracker/seed-types";

export const RECORD_SECTIONS: { readonly [field: string]: Section } = {
  roadmaps: {
    type: "Roadmap",
    name: "name",
    required: ["name", "creator"],
    texts: ["name", "description", "color", "slugId"],
  },
  roadmapProjects: { type: "RoadmapToProject", required: ["roadmap", "project"] },
  emojis: {
    type: "Emoji",
    name: "name",
    required: ["name", "url"],
    texts: ["name", "url", "source"],
  },
  customerStatuses: {
    type: "CustomerStatus",
    name: "name",
    required: ["name"],
    texts: ["name", "displayName", "description", "color"],
  },
  customerTiers: {
    type: "CustomerTier",
    name: "name",
    required: ["name"],
    texts: ["name", "displayName", "description", "color"],
  },
  customers: {
    type: "Customer",
    name: "name",
    required: ["name"],
    texts: ["name", "logoUrl", "mainSourceId", "slackChannelId", "slugId"],
    nested: { needs: { section: "customerNeeds", key: "customerId" } },
  },
  customerNeeds: {
    type: "CustomerNeed",
    required: ["body", "creator"],
    texts: ["body", "bodyData", "url"],
  },
  releasePipelines: {
    type: "ReleasePipeline",
    name: "name",
    required: ["name", "type", "stages"],
    texts: ["name", "slugId", "type"],
    ids: { teams: ["Team", "teamIds"] },
    nested: {
      stages: { section: "releaseStages", key: "pipelineId" },
      releases: { section: "releases", key: "pipelineId" },
    },
  },
  releaseStages: {
    type: "ReleaseStage",
    name: "name",
    scoped: true,
    required: ["name", "type"],
    texts: ["name", "color", "type"],
  },
  releases: {
    type: "Release",
    name: "name",
    required: ["name", "stage"],
    texts: ["name", "description", "version", "commitSha", "slugId"],
    nested: {
      issues: { section: "releaseIssues", key: "releaseId" },
      links: { section: "links", key: "releaseId" },
    },
  },
  releaseIssues: { type: "IssueToRelease", required: ["issue"] },
  releaseNotes: {
    type: "ReleaseNote",
    required: ["title", "pipeline", "content"],
    texts: ["title", "slugId"],
    ids: { releases: ["Release", "releaseIds"] },
  },
  agentSessions: {
    type: "AgentSession",
    required: ["appUser", "issue", "status"],
    texts: ["status", "type", "slugId", "summary", "startedAt", "endedAt"],
    nested: { activities: { section: "agentActivities", key: "agentSessionId" } },
  },
  agentActivities: { type: "AgentActivity", required: ["user", "content"], texts: [] },
  agentSkills: {
    type: "AgentSkill",
    required: ["title", "body", "creator"],
    texts: ["title", "body", "description", "slugId"],
  },
  gitAutomationStates: {
    type: "GitAutomationState",
    required: ["team", "event", "state"],
    texts: ["event"],
  },
};
