/** Saves an environment's current state as a template. */
import { readBlueprintIn } from "~/db/blueprint";
import type { Builders } from "~/db/origins";
import { lockAgainstRecycling } from "~/db/schema-locks";
import { buildClone } from "~/db/schemas";
import { ApiError } from "~/errors";
import type { Environments } from "~/platform/environments/environments";
import type { NewTemplate } from "~/platform/templates/model";
import type { Templates } from "~/platform/templates/templates";
import { servicesIn } from "~/replicas/members";
import { requireKind } from "~/replicas/world";

export type Saving = ReturnType<typeof createSaving>;

export function createSaving(deps: {
  builders: Builders;
  templates: Templates;
  environments: Environments;
}) {
  const { builders, templates, environments } = deps;
  return {
    /**
     * Copies one snapshot of the environment while it is written to. Writes nothing to the environment, so a run does
     * not notice it.
     */
    async save(userId: string, { environmentId, ...draft }: NewTemplate) {
      const environment = await environments.require(userId, environmentId);
      const { schemaName, service } = environment;
      if (requireKind(draft.service) !== service)
        throw new ApiError("invalid_service", `This is an environment of the service ${service}`);
      const services = servicesIn(service, await templates.tablesOf(environment));
      return await templates.create(userId, { ...draft, service, services }, (target) =>
        builders.transaction(async (tx) => {
          await lockAgainstRecycling(tx, schemaName);
          // Looked up on another session: this one's snapshot may be older than the environment's end.
          await environments.require(userId, environmentId);
          await buildClone(tx, await readBlueprintIn(tx, schemaName), target);
        }, "isolation level repeatable read"),
      );
    },
  };
}
