/** Trigger ids for the apps of an environment: what a click of a user would give them. */
import { EnvironmentEnded, type SessionPool } from "~/db/session-pool";
import { ApiError } from "~/errors";
import {
  type Environments,
  environmentId,
  malformed,
  notFound,
} from "~/platform/environments/environments";
import { type NewTrigger, TRIGGER_SECONDS_DEFAULT } from "~/platform/environments/model";
import { requireReplica, type Templates } from "~/platform/templates/templates";

export type Triggers = ReturnType<typeof createTriggers>;

export function createTriggers(deps: {
  sessionPool: SessionPool;
  environments: Environments;
  templates: Templates;
}) {
  const { sessionPool, environments, templates } = deps;

  return {
    /** Issues a trigger for a user of this owner's environment. Writes nothing. */
    async issue(owner: string, envId: string, wanted: NewTrigger) {
      if (environmentId(envId) === undefined) throw malformed();
      const environment = await environments.require(owner, envId);
      const { issueTrigger, findUser } = requireReplica(environment.service);
      if (!issueTrigger)
        throw new ApiError("invalid_service", `The service ${environment.service} has no triggers`);
      const userId = wanted.userId ?? environment.actingUserId;
      const tables = await templates.tablesOf(environment);
      const found = await sessionPool
        .use({ ...environment, tables }, (session) => findUser(session, { id: userId }))
        .catch((error) => {
          throw error instanceof EnvironmentEnded ? notFound() : error;
        });
      if (found === undefined)
        throw new ApiError("impersonate_not_found", `The environment has no user ${userId}`);
      const seconds = wanted.ttlSeconds ?? TRIGGER_SECONDS_DEFAULT;
      const expiresAt = new Date(Date.now() + seconds * 1000);
      return {
        triggerId: issueTrigger(environment.tokenHash, userId, expiresAt),
        userId,
        expiresAt: expiresAt.toISOString(),
      };
    },
  };
}
