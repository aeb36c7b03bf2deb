/** Blueprints of templates, and the tables of their clones. */
import { LRUCache } from "lru-cache";
import { type Blueprint, readBlueprint, type Table } from "~/db/blueprint";
import type { Pool } from "~/db/connect";
import { listAll } from "~/platform/templates/store";
import type { Members } from "~/replicas/members";

export type Blueprints = ReturnType<typeof createBlueprints>;

const BLUEPRINTS_MAX = 1_000;

export function createBlueprints(pool: Pool, replicas: Pool) {
  /** By template schema, whose content never changes. */
  const blueprints = new LRUCache<string, Promise<Blueprint>>({ max: BLUEPRINTS_MAX });

  return {
    blueprint(schema: string): Promise<Blueprint> {
      const known = blueprints.get(schema);
      if (known !== undefined) return known;
      const read = readBlueprint(replicas, schema);
      read.catch(() => blueprints.delete(schema));
      blueprints.set(schema, read);
      return read;
    },

    /**
     * Returns the tables of a clone: those of its template, or its own if the template has been replaced since. If both
     * are gone, those of another template of its service, which are the same.
     */
    async tablesOf(clone: {
      templateSchema: string;
      schemaName: string;
      service: string;
      /** The services that the clone needs; undefined: its own. */
      members?: Members | null;
    }): Promise<readonly Table[]> {
      const blueprint = await this.blueprint(clone.templateSchema)
        .catch(() => this.blueprint(clone.schemaName))
        .catch(async (error) => {
          const needed = Object.keys(clone.members ?? {});
          const like = (await listAll(pool)).find(
            ({ service, services }) =>
              service === clone.service && needed.every((each) => services.includes(each)),
          );
          if (!like) throw error;
          return await this.blueprint(like.schemaName);
        });
      return blueprint.tables;
    },

    /** Drops what this server remembers of a schema that is gone. */
    forget: (schema: string) => blueprints.delete(schema),
  };
}
