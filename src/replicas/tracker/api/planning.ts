/** The families of planning: projects, cycles, initiatives, documents and their settings. */
import type { Resolvers } from "~/graphql/resolvers";
import { customViews } from "~/replicas/tracker/api/custom-view";
import { cycles } from "~/replicas/tracker/api/cycle";
import { documents } from "~/replicas/tracker/api/document";
import { oneAtATime } from "~/replicas/tracker/api/entity";
import { externalLinks } from "~/replicas/tracker/api/external-link";
import { files } from "~/replicas/tracker/api/file";
import { initiatives } from "~/replicas/tracker/api/initiative";
import { integrations } from "~/replicas/tracker/api/integration";
import { projects } from "~/replicas/tracker/api/project";
import { planningLabels } from "~/replicas/tracker/api/project-label";
import { projectMilestones } from "~/replicas/tracker/api/project-milestone";
import { projectRelations } from "~/replicas/tracker/api/project-relation";
import { projectStatuses } from "~/replicas/tracker/api/project-status";
import { reports } from "~/replicas/tracker/api/reports";
import { roadmaps } from "~/replicas/tracker/api/roadmap";
import { templates } from "~/replicas/tracker/api/template";
import { viewPreferences } from "~/replicas/tracker/api/view-preferences";
import { webhooks } from "~/replicas/tracker/api/webhook";
import type { Context } from "~/replicas/tracker/context";

export const PLANNING: readonly Resolvers<Context>[] = oneAtATime([
  customViews,
  cycles,
  documents,
  externalLinks,
  files,
  initiatives,
  integrations,
  planningLabels,
  projectMilestones,
  projectRelations,
  projectStatuses,
  projects,
  reports,
  roadmaps,
  templates,
  viewPreferences,
  webhooks,
]);
