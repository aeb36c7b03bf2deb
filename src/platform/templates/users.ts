/** The users of templates that agents act as. */
import { LRUCache } from "lru-cache";
import type { Pool } from "~/db/connect";
import { openSession, tablesOf } from "~/db/session";
import { ApiError } from "~/errors";
import { known, nearest, quoted } from "~/input/nearest";
import type { Blueprints } from "~/platform/templates/blueprints";
import type { TemplateRow } from "~/platform/templates/store";
import { requireReplica } from "~/replicas/index";
import type { Person } from "~/replicas/replica";

const USERS_MAX = 10_000;
/** Users that a rejection chooses from. */
const PEOPLE_MAX = 1_000;

export function createUsers(replicas: Pool, { blueprint }: Blueprints) {
  /** By template schema and by the id or email that names them. */
  const users = new LRUCache<string, string>({ max: USERS_MAX });

  return {
    /** Returns the id of the template's user that an agent acts as. Throws `impersonate_not_found`. */
    async requireUser(
      template: TemplateRow,
      by: { id: string } | { email: string },
    ): Promise<string> {
      const { schemaName } = template;
      const called = JSON.stringify([schemaName, by]);
      const known = users.get(called);
      if (known !== undefined) return known;
      const { tables } = await blueprint(schemaName);
      const session = openSession(replicas, schemaName, tablesOf(replicas, schemaName, tables));
      const replica = requireReplica(template.service);
      const user = await replica.findUser(session, by);
      if (user !== undefined) {
        users.set(called, user);
        return user;
      }
      const people = await replica.listPeople(session, PEOPLE_MAX);
      throw new ApiError(
        "impersonate_not_found",
        `The template ${template.name} has no user ${nobody(by, people)}`,
      );
    },
  };
}

/** Who was named, the nearest, and who there is. */
function nobody(by: { id: string } | { email: string }, people: readonly Person[]): string {
  if ("email" in by) {
    const emails = people.flatMap(({ email }) => (email === null ? [] : [email]));
    return quoted(by.email) + known(by.email, emails);
  }
  const near = nearest(
    by.id,
    people.map(({ id }) => id),
  );
  const all = people.map(({ id, name }) => `${id} (${name})`);
  return quoted(by.id) + near + known("", all);
}
