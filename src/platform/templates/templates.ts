/** Saved states, and what clones of them look like. */
import type { Pool, Sql } from "~/db/connect";
import { type Blueprint, readBlueprint, type Table } from "~/db/schemas";
import { openSession, tablesOf } from "~/db/session";
import { ApiError } from "~/errors";
import * as store from "~/platform/templates/store";
import { REPLICAS } from "~/replicas/index";
import type { Replica } from "~/replicas/replica";

export type Templates = ReturnType<typeof createTemplates>;

const BLUEPRINTS_MAX = 1_000;
const USERS_MAX = 10_000;
/** A template that was found is not looked up again for this long: at most, its content is a moment old. */
const FOUND_MS = 1_000;
const FOUND_MAX = 10_000;

/** The simulated service of that name. Throws `invalid_service`. */
export function requireReplica(service: string): Replica {
  const replica = REPLICAS.get(service);
  if (!replica)
    throw new ApiError(
      "invalid_service",
      `The service must be one of ${[...REPLICAS.keys()].join(", ")}`,
    );
  return replica;
}

export function createTemplates(pool: Pool, replicas: Pool) {
  /** By template schema, whose content never changes. */
  const blueprints = new Map<string, Promise<Blueprint>>();
  /** By template schema and how the user is called. */
  const users = new Map<string, string>();
  const found = new Map<string, { template: store.TemplateRow; until: number }>();

  return {
    blueprint(schema: string): Promise<Blueprint> {
      const known = blueprints.get(schema);
      if (known !== undefined) return known;
      const read = readBlueprint(replicas, schema);
      read.catch(() => blueprints.delete(schema));
      if (blueprints.size >= BLUEPRINTS_MAX) blueprints.clear();
      blueprints.set(schema, read);
      return read;
    },

    /**
     * The tables of a clone. Read from its template, which is the same for all clones, or from the clone itself when
     * the template has been replaced since.
     */
    async tablesOf(clone: {
      templateSchema: string;
      schemaName: string;
    }): Promise<readonly Table[]> {
      const blueprint = await this.blueprint(clone.templateSchema).catch(() =>
        this.blueprint(clone.schemaName),
      );
      return blueprint.tables;
    },

    /** A template that the user can see. Throws `template_not_found`. */
    async require(userId: string, service: string, name: string): Promise<store.TemplateRow> {
      const called = JSON.stringify([userId, name]);
      const known = found.get(called);
      const template =
        known && known.until > performance.now()
          ? known.template
          : await store.findByName(pool, userId, name);
      if (template?.service !== service)
        throw new ApiError("template_not_found", `There is no ${service} template of that name`);
      if (template !== known?.template) {
        if (found.size >= FOUND_MAX) found.clear();
        found.set(called, { template, until: performance.now() + FOUND_MS });
      }
      return template;
    },

    /** The id of the user of a template that an agent is to act as. Throws `impersonate_not_found`. */
    async requireUser(
      template: store.TemplateRow,
      by: { id: string } | { email: string },
    ): Promise<string> {
      const { schemaName } = template;
      const called = JSON.stringify([schemaName, by]);
      const known = users.get(called);
      if (known !== undefined) return known;
      const { tables } = await this.blueprint(schemaName);
      const session = openSession(replicas, schemaName, tablesOf(replicas, schemaName, tables));
      const user = await requireReplica(template.service).findUser(session, by);
      if (user === undefined)
        throw new ApiError("impersonate_not_found", "The template has no such user to act as");
      if (users.size >= USERS_MAX) users.clear();
      users.set(called, user);
      return user;
    },

    list: (sql: Sql = pool) => store.listAll(sql),
  };
}
