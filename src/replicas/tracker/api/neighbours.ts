/** The families of neighbouring products: agents, customers, releases, automation. */
import type { Resolvers } from "~/graphql/attach";
import { agents } from "~/replicas/tracker/api/agent";
import { customers } from "~/replicas/tracker/api/customer";
import { oneAtATime } from "~/replicas/tracker/api/entity";
import { gitAutomations } from "~/replicas/tracker/api/git-automation";
import { releases } from "~/replicas/tracker/api/release";
import { releasePipelines } from "~/replicas/tracker/api/release-pipeline";
import { triage } from "~/replicas/tracker/api/triage";
import type { Context } from "~/replicas/tracker/context";

export const NEIGHBOURS: readonly Resolvers<Context>[] = oneAtATime([
  agents,
  customers,
  gitAutomations,
  releasePipelines,
  releases,
  triage,
]);
