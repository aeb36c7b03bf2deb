/** Environments as answers show them. */
import { viewClock } from "~/platform/environments/clock";
import type { Timing } from "~/platform/environments/clock-model";
import type { Claimed } from "~/platform/environments/creation-store";
import type { Environment } from "~/platform/environments/model";
import type { EnvironmentState, ListedEnvironment } from "~/platform/environments/store";

const pathOf = (environmentId: string, service: string) =>
  `/api/env/${environmentId}/services/${service}`;

/** The paths of its service's API and of its tools. */
const pathsOf = ({ environmentId, service }: { environmentId: string; service: string }) => ({
  environmentUrl: pathOf(environmentId, service),
  mcpUrl: `${pathOf(environmentId, service)}/mcp`,
});

/** A new environment, with its token. */
export const viewCreated = (
  { service, templateName, timing }: { service: string; templateName: string; timing: Timing },
  {
    environmentId,
    token,
    schemaName,
    expiresAt,
  }: Claimed & { environmentId: string; token: string },
): Environment => ({
  environmentId,
  ...pathsOf({ environmentId, service }),
  schemaName,
  expiresAt: expiresAt.toISOString(),
  templateSchema: templateName,
  service,
  clock: viewClock(timing),
  token,
});

/** An environment as lists show it. */
export const viewListed = (
  environment: EnvironmentState & Pick<ListedEnvironment, "actingUserId" | "run">,
) => ({
  ...view(environment),
  impersonateUserId: environment.actingUserId,
  run: environment.run && {
    ...environment.run,
    startedAt: new Date(environment.run.startedAt).toISOString(),
  },
});

export const view = (environment: EnvironmentState) => ({
  environmentId: environment.environmentId,
  ...pathsOf(environment),
  schemaName: environment.schemaName,
  expiresAt: environment.expiresAt.toISOString(),
  templateSchema: environment.templateName,
  service: environment.service,
  status: environment.state === "live" ? ("active" as const) : ("deleted" as const),
  createdAt: environment.createdAt.toISOString(),
});
