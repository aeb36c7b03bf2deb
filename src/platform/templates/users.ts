/** The users of templates that agents act as. */
import { LRUCache } from "lru-cache";
import type { Pool } from "~/db/connect";
import { openSession, tablesOf } from "~/db/session";
import { ApiError } from "~/errors";
import { known, nearest, quoted } from "~/input/nearest";
import type { Blueprints } from "~/platform/templates/blueprints";
import type { TemplateRow } from "~/platform/templates/store";
import { requireReplica } from "~/replicas/index";
import type { Members } from "~/replicas/members";
import type { Person } from "~/replicas/replica";
import { serviceSession } from "~/replicas/service-session";

const USERS_MAX = 10_000;
/** Users that a rejection chooses from. */
const PEOPLE_MAX = 1_000;
/** Users among whom the mail address of one is found. */
const EVERYONE = 1_000_000;

type By = { readonly id: string } | { readonly email: string };

export function createUsers(replicas: Pool, { blueprint }: Blueprints) {
  /** By template schema and by the id or email that names them. */
  const users = new LRUCache<string, Members>({ max: USERS_MAX });

  async function openTemplate({ schemaName, service: kind, services }: TemplateRow) {
    const { tables } = await blueprint(schemaName);
    const session = openSession(replicas, schemaName, tablesOf(replicas, schemaName, tables));
    return (service: string) => serviceSession({ kind, services }, service, session);
  }

  async function sessionsOf(template: TemplateRow) {
    const sessionOf = await openTemplate(template);
    return template.services.map((service) => ({
      replica: requireReplica(service),
      session: sessionOf(service),
    }));
  }

  async function findAll(template: TemplateRow, by: By): Promise<Members> {
    const members = await sessionsOf(template);
    const found: Record<string, string | null> = {};
    for (const { replica, session } of members)
      found[replica.service] = (await replica.findUser(session, by)) ?? null;
    const having = members.filter(({ replica }) => found[replica.service] !== null);
    const [only, another] = having;
    if (!only) {
      const people: Person[] = [];
      for (const { replica, session } of members)
        people.push(...(await replica.listPeople(session, PEOPLE_MAX)));
      throw new ApiError(
        "impersonate_not_found",
        `The template ${template.name} has no user ${nobody(by, people)}`,
      );
    }
    if ("email" in by || members.length === 1) return found;
    if (another)
      throw new ApiError(
        "invalid_request",
        `impersonateUserId: ${quoted(by.id)} is a user of ${having.map(({ replica }) => replica.service).join(" and of ")}; name the person by impersonateEmail`,
      );
    const id = found[only.replica.service];
    const people = await only.replica.listPeople(only.session, EVERYONE);
    const email = people.find((person) => person.id === id)?.email ?? null;
    for (const { replica, session } of members)
      if (email !== null && found[replica.service] === null)
        found[replica.service] = (await replica.findUser(session, { email })) ?? null;
    return found;
  }

  return {
    /** Returns sessions for reading a template's services. */
    openTemplate,

    /**
     * Returns the ids of the template's user that an agent acts as, in each of its services. Throws
     * `impersonate_not_found`, and `invalid_request` for an id of two people.
     */
    async requireUser(template: TemplateRow, by: By): Promise<Members> {
      const called = JSON.stringify([template.schemaName, by]);
      const cached = users.get(called);
      if (cached !== undefined) return cached;
      const found = await findAll(template, by);
      users.set(called, found);
      return found;
    },
  };
}

/** Who was named, the nearest, and who there is. */
function nobody(by: By, people: readonly Person[]): string {
  if ("email" in by) {
    const emails = new Set(people.flatMap(({ email }) => (email === null ? [] : [email])));
    return quoted(by.email) + known(by.email, [...emails]);
  }
  const near = nearest(
    by.id,
    people.map(({ id }) => id),
  );
  const all = people.map(({ id, name }) => `${id} (${name})`);
  return quoted(by.id) + near + known("", all);
}
