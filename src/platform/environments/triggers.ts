/** Trigger ids for the apps of an environment: what a click of a user would give them. */
import type { SessionPool } from "~/db/session-pool";
import { ApiError } from "~/errors";
import type { Environments } from "~/platform/environments/environments";
import { asNotFound } from "~/platform/environments/id";
import { type NewTrigger, TRIGGER_SECONDS_DEFAULT } from "~/platform/environments/trigger-model";
import { actorsIn } from "~/platform/environments/view";
import type { Templates } from "~/platform/templates/templates";
import { requireReplica } from "~/replicas/index";
import { NOBODY_HERE } from "~/replicas/members";
import { serviceSession } from "~/replicas/service-session";
import { millisOf } from "~/source";

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
      const environment = await environments.requirePath(owner, envId);
      const actors = actorsIn(environment);
      const replica = Object.keys(actors)
        .map(requireReplica)
        .find(({ issueTrigger }) => issueTrigger);
      if (!replica?.issueTrigger)
        throw new ApiError("invalid_service", `The service ${environment.service} has no triggers`);
      const { service, issueTrigger, findUser } = replica;
      const id = wanted.userId ?? actors[service] ?? NOBODY_HERE;
      const tables = await templates.tablesOf(environment);
      const seconds = wanted.ttlSeconds ?? TRIGGER_SECONDS_DEFAULT;
      const issued = await sessionPool
        .use({ ...environment, tables }, async (whole) => {
          const place = { kind: environment.service, services: Object.keys(actors) };
          const session = serviceSession(place, service, whole);
          const userId = await findUser(session, { id });
          if (userId === undefined) return undefined;
          const expiresAt = new Date(millisOf(session.source) + seconds * 1000);
          const { tokenHash } = environment;
          return {
            triggerId: issueTrigger(tokenHash, userId, expiresAt, session.source),
            userId,
            expiresAt: expiresAt.toISOString(),
          };
        })
        .catch((error) => {
          throw asNotFound(error);
        });
      if (issued) return issued;
      throw new ApiError("impersonate_not_found", `The environment has no user ${id}`);
    },
  };
}
