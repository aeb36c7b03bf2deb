/** Environments as answers show them. */
import { viewClock } from "~/platform/environments/clock";
import type { Claimed, Common } from "~/platform/environments/creation-store";
import type { Environment } from "~/platform/environments/model";
import type { EnvironmentState, ListedEnvironment } from "~/platform/environments/store";
import { hashCredential, withoutStyle } from "~/platform/keys/format";
import type { StoredApp } from "~/platform/outbox/store";
import { REPLICAS } from "~/replicas/index";
import { type Members, WORLD } from "~/replicas/members";

const pathOf = (environmentId: string, service: string) =>
  `/api/env/${environmentId}/services/${service}`;

/** The paths of its service's API and of its tools: of a world, of all its services. */
const pathsOf = ({ environmentId, service }: { environmentId: string; service: string }) => {
  const root = `/api/env/${environmentId}`;
  if (service === WORLD) return { environmentUrl: `${root}/services`, mcpUrl: `${root}/mcp` };
  const url = pathOf(environmentId, service);
  return { environmentUrl: url, mcpUrl: `${url}/mcp` };
};

type Whose = Pick<EnvironmentState, "environmentId" | "service" | "actingUserId" | "members">;

/** Each of its services, with its paths and the agent's user. */
const servicesOf = (environment: Whose) =>
  Object.fromEntries(
    Object.entries(actorsIn(environment)).map(([service, userId]) => {
      const url = pathOf(environment.environmentId, service);
      return [service, { url, mcpUrl: `${url}/mcp`, userId }];
    }),
  );

/** The services of an environment, with the agent's user in each. */
export const actorsIn = ({
  service,
  actingUserId,
  members,
}: Omit<Whose, "environmentId">): Members => members ?? { [service]: actingUserId };

function viewApp({ id, service, user }: StoredApp, token: string) {
  const { socket, request } = REPLICAS.get(service)?.events ?? {};
  const plain = withoutStyle(token);
  return {
    app: id,
    service,
    userId: user,
    token: `${socket?.tokenPrefix(id) ?? ""}${plain}`,
    signingSecret: request?.signingSecret?.(hashCredential(plain), id) ?? null,
  };
}

/** A new environment, with its token. */
export const viewCreated = (
  common: Pick<Common, "service" | "templateName" | "timing" | "actingUserId" | "members"> & {
    readonly apps: readonly StoredApp[];
  },
  {
    environmentId,
    token,
    schemaName,
    expiresAt,
  }: Claimed & { environmentId: string; token: string },
): Environment => ({
  environmentId,
  ...pathsOf({ ...common, environmentId }),
  schemaName,
  expiresAt: expiresAt.toISOString(),
  templateSchema: common.templateName,
  service: common.service,
  services: servicesOf({ ...common, environmentId }),
  clock: viewClock(common.timing),
  ...(common.apps.length > 0 && { apps: common.apps.map((app) => viewApp(app, token)) }),
  token,
});

/** An environment as lists show it. */
export const viewListed = (environment: EnvironmentState & Pick<ListedEnvironment, "run">) => ({
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
  services: servicesOf(environment),
  status: environment.state === "live" ? ("active" as const) : ("deleted" as const),
  createdAt: environment.createdAt.toISOString(),
});
