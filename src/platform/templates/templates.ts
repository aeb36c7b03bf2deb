/** Templates: saved states that environments are cloned from. */
import { LRUCache } from "lru-cache";
import { errorCode, inTransaction, type Pool, type Sql, UNIQUE_VIOLATION } from "~/db/connect";
import type { Builders } from "~/db/origins";
import { type Blueprint, dropSchema, readBlueprint, type Table } from "~/db/schemas";
import { openSession, tablesOf } from "~/db/session";
import { ApiError } from "~/errors";
import type { World } from "~/evaluation/world";
import { plainId } from "~/http/fitting";
import { pageOf, readPage } from "~/http/page";
import { known, nearest, quoted } from "~/nearest";
import { createAliasReader } from "~/platform/templates/aliases";
import { findIds } from "~/platform/templates/ids-store";
import {
  type ImportedTemplate,
  TEMPLATE_NAME,
  type Template,
  type TemplateQuery,
} from "~/platform/templates/model";
import { dataError, exportSeed, importSeed } from "~/platform/templates/seed-store";
import { opensAt, resolveSeed, type Seed } from "~/platform/templates/seeds";
import * as store from "~/platform/templates/store";
import { namesOfCalls, REPLICAS, serviceOf } from "~/replicas/index";
import type { Person, Replica } from "~/replicas/replica";
import { SeedError } from "~/replicas/seed-mistakes";
import { linesOf } from "~/shape";
import { SEEDS } from "../../../seeds/index";

export type Templates = ReturnType<typeof createTemplates>;

const BLUEPRINTS_MAX = 1_000;
const USERS_MAX = 10_000;
/** Users that a rejection chooses from. */
const PEOPLE_MAX = 1_000;
/** How long a template is cached: its content is at most this old. */
const FOUND_MS = 1_000;
const FOUND_MAX = 10_000;

/** Returns the simulated service of that name or alias. Throws `invalid_service`. */
export function requireReplica(name: string): Replica {
  const replica = REPLICAS.get(serviceOf(name));
  if (!replica)
    throw new ApiError(
      "invalid_service",
      `The service must be one of ${[...REPLICAS.keys()].join(", ")}`,
    );
  return replica;
}

const LIST = "templates";
const NAME = new RegExp(TEMPLATE_NAME);

export const nameTaken = () =>
  new ApiError("template_name_exists", "There is a template of that name already");

/** A new template without its schema. */
export type Draft = {
  readonly name: string;
  readonly service: string;
  readonly description?: string | undefined;
  readonly visibility?: "public" | "private" | undefined;
};

/** `replicas` reads templates, `builders` makes them. */
export function createTemplates(pool: Pool, replicas: Pool, builders: Builders) {
  /** Blueprints by template schema, whose content never changes. */
  const blueprints = new LRUCache<string, Promise<Blueprint>>({ max: BLUEPRINTS_MAX });
  /** Users by template schema and by the id or email that names them. */
  const users = new LRUCache<string, string>({ max: USERS_MAX });
  const aliasesOf = createAliasReader(replicas);
  const found = new LRUCache<string, store.TemplateRow>({ max: FOUND_MAX, ttl: FOUND_MS });

  async function requireWhole(userId: string, idOrName: string) {
    const template = await store.findWhole(pool, userId, plainId(idOrName));
    if (!template) throw await notFound(userId, idOrName);
    return template;
  }

  /** The rejection of a name, with the templates of this user and of the server. */
  async function notFound(userId: string, name: string, service?: string): Promise<ApiError> {
    const names = await store.listKnown(pool, userId, service);
    const what = service === undefined ? "template" : `${service} template`;
    return new ApiError(
      "template_not_found",
      `There is no ${what} ${quoted(name)}${known(name, names)}`,
    );
  }

  async function create(
    userId: string,
    draft: Draft,
    seed: object | undefined,
    build: (schema: string) => Promise<void>,
  ) {
    const { name, description = "", visibility = "private" } = draft;
    const { service } = requireReplica(draft.service);
    if (!NAME.test(name))
      throw new ApiError(
        "invalid_template_name",
        "A name has up to 63 lower-case letters, digits and _, and begins with a letter",
      );
    if (await store.nameExists(pool, userId, name)) throw nameTaken();
    const templateId = newId();
    const schemaName = `tpl_${newId()}`;
    // Built first and named afterwards: if this server dies in between, maintenance drops the orphan.
    try {
      await build(schemaName);
      await inTransaction(pool, async (tx) => {
        await store.lockName(tx, name);
        if (await store.nameExists(tx, userId, name)) throw nameTaken();
        const template = {
          ...{ templateId, name, service, description, visibility, userId, schemaName },
          opensAt: seed === undefined ? null : opensAt(seed),
        };
        await store.insert(tx, template, seed);
      });
    } catch (error) {
      await dropSchema(builders.sql, schemaName);
      throw refusal(error);
    }
    return { templateId, name, location: schemaName, service, visibility };
  }

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
    }): Promise<readonly Table[]> {
      const blueprint = await this.blueprint(clone.templateSchema)
        .catch(() => this.blueprint(clone.schemaName))
        .catch(async (error) => {
          const like = (await store.listAll(pool)).find(({ service }) => service === clone.service);
          if (!like) throw error;
          return await this.blueprint(like.schemaName);
        });
      return blueprint.tables;
    },

    /** Returns a template that the user can see. Throws `template_not_found`. */
    async require(userId: string, service: string, name: string): Promise<store.TemplateRow> {
      const called = JSON.stringify([userId, name]);
      const known = found.get(called);
      const template = known ?? (await store.findByName(pool, userId, name));
      if (template && template.service !== service)
        throw new ApiError(
          "template_not_found",
          `There is no ${service} template ${quoted(name)}: it is one of ${template.service}`,
        );
      if (!template) throw await notFound(userId, name, service);
      if (template !== known) found.set(called, template);
      return template;
    },

    /** The day on which a template's story plays; null for one in real time, and for one that is gone. */
    async opensAt(userId: string | null, name: string): Promise<Date | null> {
      return (await store.findByName(pool, userId ?? "", name))?.opensAt ?? null;
    },

    /** Returns the id of the template's user that an agent acts as. Throws `impersonate_not_found`. */
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

    /** Returns the tables and columns that assertions can use in clones of a template. */
    async world(template: { schemaName: string; service: string }): Promise<World> {
      const { service, schemaName } = template;
      const { tables } = await this.blueprint(schemaName);
      const replica = requireReplica(service);
      const aliases = await aliasesOf({ service, schemaName, templateSchema: schemaName }, tables);
      return { tables, derived: replica.derived, calls: namesOfCalls(replica), aliases };
    },

    /** Returns the earlier ids of a clone's rows. */
    aliasesOf,

    /** Returns those of the ids that rows of a template have. */
    async knownIds(
      { schemaName }: store.TemplateRow,
      { tables }: World,
      ids: readonly string[],
    ): Promise<ReadonlySet<string>> {
      return await findIds(replicas, schemaName, tables, ids);
    },

    /** Drops what this server caches of a template that has changed or is gone. */
    forget({ name, schemaName }: { name: string; schemaName: string }): void {
      for (const [called, known] of [...found.entries()])
        if (known.name === name) found.delete(called);
      blueprints.delete(schemaName);
    },

    list: (sql: Sql = pool) => store.listAll(sql),
    notFound,

    async page(userId: string, query: TemplateQuery) {
      const page = readPage(query, LIST, userId);
      const { visibility } = query;
      const service =
        query.service === undefined ? undefined : requireReplica(query.service).service;
      const found = await store.listVisible(pool, userId, { service, visibility }, page);
      const { rows, ...rest } = pageOf(found, page, LIST, userId);
      return { templates: rows.map(view), ...rest };
    },

    async get(userId: string, idOrName: string) {
      const template = await requireWhole(userId, idOrName);
      const { rowCounts } = await this.blueprint(template.schemaName);
      return {
        ...view(template),
        now: template.opensAt?.toISOString() ?? null,
        tables: Object.fromEntries(rowCounts),
      };
    },

    /** Exports the template as a seed, as JSON text. `names`: of the tables whose rows are wanted, or `*`. */
    async seed(userId: string, idOrName: string, names?: string): Promise<string> {
      const template = await requireWhole(userId, idOrName);
      const { name, service, description, schemaName, seed } = template;
      const head = JSON.stringify({ template: name, service, description });
      if (seed !== null && names === undefined)
        return JSON.stringify({ ...JSON.parse(seed), ...JSON.parse(head) });
      const { tables, sequences } = await this.blueprint(schemaName);
      const isWhole = names === undefined || names === "*";
      const wanted = isWhole ? tables : requireTables(tables, names.split(","));
      const rows = await exportSeed(replicas, schemaName, wanted, isWhole ? sequences : []);
      return `${head.slice(0, -1)},${rows}}`;
    },

    async import(userId: string, { seed, ...draft }: ImportedTemplate) {
      const replica = requireReplica(draft.service);
      let notes: readonly string[] = [];
      const created = await create(userId, draft, seed, async (schema) => {
        const whole = resolveSeed(
          { ...seed, template: draft.name, service: replica.service } as Seed,
          SEEDS as readonly Seed[],
        );
        notes = await builders.transaction((tx) => importSeed(tx, replica, schema, whole));
      });
      return { ...created, notes: [...notes] };
    },

    /** Creates a template with `build`, which creates and fills the given schema, all or nothing. */
    create: (userId: string, draft: Draft, build: (schema: string) => Promise<void>) =>
      create(userId, draft, undefined, build),
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

/** Returns the tables of these names. Throws `invalid_request`. */
function requireTables(tables: readonly Table[], names: readonly string[]): readonly Table[] {
  const known = tables.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ApiError(
      "invalid_request",
      `tables: there is no table "${unknown}"${nearest(unknown, known)}`,
    );
  return tables.filter(({ name }) => names.includes(name));
}

const newId = () => crypto.randomUUID().replaceAll("-", "");

export const view = (template: store.TemplateRow): Template => ({
  id: template.templateId,
  name: template.name,
  service: template.service,
  description: template.description,
  location: template.schemaName,
  visibility: template.visibility,
  createdAt: template.createdAt.toISOString(),
});

/** Explains why a template could not be created, if the caller can fix it. */
function refusal(error: unknown): unknown {
  if (
    errorCode(error) === UNIQUE_VIOLATION &&
    (error as { schema_name?: string }).schema_name === "diorama"
  )
    return nameTaken();
  const mistake = error instanceof SeedError ? error : dataError(error, "");
  if (!mistake) return error;
  const lines = mistake.mistakes.map(({ path, problem }) => `seed: ${path}: ${problem}`);
  return new ApiError("invalid_request", linesOf(lines));
}
