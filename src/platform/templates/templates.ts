/** Templates: saved states that environments are cloned from. */
import { LRUCache } from "lru-cache";
import type { Table } from "~/db/blueprint";
import type { Pool, Sql } from "~/db/connect";
import type { Builders } from "~/db/origins";
import { ApiError, NotFound } from "~/errors";
import type { Vocabulary } from "~/evaluation/vocabulary";
import { plainId } from "~/http/fitting";
import { pageOf, readPage } from "~/http/page";
import { known, nearest, quoted } from "~/input/nearest";
import { createAliasReader } from "~/platform/templates/aliases";
import { createBlueprints } from "~/platform/templates/blueprints";
import { createCreation, type Draft, refusal } from "~/platform/templates/creation";
import { findIds } from "~/platform/templates/ids-store";
import type { ImportedTemplate, Template, TemplateQuery } from "~/platform/templates/model";
import { exportSeed, importSeed } from "~/platform/templates/seed-store";
import { resolveSeed, type Seed, seedModel } from "~/platform/templates/seeds";
import * as store from "~/platform/templates/store";
import { createUsers } from "~/platform/templates/users";
import { requireReplica } from "~/replicas/index";
import { WORLD } from "~/replicas/members";
import { type Model, modelWith, requireKind } from "~/replicas/world";
import type { NewId } from "~/source";
import { SEEDS } from "../../../seeds/index";

export type Templates = ReturnType<typeof createTemplates>;

/** How long a template is cached: its content is at most this old. */
const FOUND_MS = 1_000;
const FOUND_MAX = 10_000;

const LIST = "templates";

/** `replicas` reads templates, `builders` makes them. */
export function createTemplates(deps: {
  pool: Pool;
  replicas: Pool;
  builders: Builders;
  newId: NewId;
}) {
  const { pool, replicas, builders, newId } = deps;
  const blueprints = createBlueprints(pool, replicas);
  const { requireUser, openTemplate } = createUsers(replicas, blueprints);
  const { blueprint, tablesOf } = blueprints;
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
    return new NotFound(
      "template_not_found",
      `There is no ${what} ${quoted(name)}${known(name, names)}`,
      name,
    );
  }

  const create = createCreation(pool, builders, newId);

  return {
    blueprint,
    tablesOf,
    requireUser,
    openTemplate,

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

    /** Returns the tables and columns that assertions can use in clones of a template. */
    async vocabulary(template: { schemaName: string; service: string }): Promise<Vocabulary> {
      const { schemaName } = template;
      const { tables } = await blueprint(schemaName);
      const aliases = await aliasesOf({ ...template, templateSchema: schemaName }, tables);
      return { tables, ...wordsOf(modelWith(template.service, tables)), aliases };
    },

    /** Returns the tables and columns that assertions can use in a clone, also if its template has been replaced since. */
    async vocabularyOf(clone: Parameters<typeof tablesOf>[0]) {
      const tables = await blueprints.tablesOf(clone);
      const aliases = await aliasesOf(clone, tables);
      return { tables, ...wordsOf(modelWith(clone.service, tables)), aliases };
    },

    /** Returns the earlier ids of a clone's rows. */
    aliasesOf,

    /** Returns those of the ids that rows of a template have. */
    async knownIds(
      { schemaName }: store.TemplateRow,
      { tables }: Vocabulary,
      ids: readonly string[],
    ): Promise<ReadonlySet<string>> {
      return await findIds(replicas, schemaName, tables, ids);
    },

    /** Drops what this server caches of a template that has changed or is gone. */
    forget({ name, schemaName }: { name: string; schemaName: string }): void {
      for (const [called, known] of [...found.entries()])
        if (known.name === name) found.delete(called);
      blueprints.forget(schemaName);
    },

    list: (sql: Sql = pool) => store.listAll(sql),
    notFound,

    async page(userId: string, query: TemplateQuery) {
      const page = readPage(query, LIST, userId);
      const { visibility } = query;
      const service = query.service === undefined ? undefined : requireKind(query.service);
      const has = query.has === undefined ? undefined : requireReplica(query.has).service;
      const found = await store.listVisible(pool, userId, { service, has, visibility }, page);
      const { rows, ...rest } = pageOf(found, page, LIST, userId);
      return { templates: rows.map(view), ...rest };
    },

    async get(userId: string, idOrName: string) {
      const template = await requireWhole(userId, idOrName);
      const { rowCounts } = await blueprint(template.schemaName);
      return {
        ...view(template),
        now: template.opensAt?.toISOString() ?? null,
        tables: Object.fromEntries(rowCounts),
      };
    },

    /** Exports the template as a seed, as JSON text. `names`: of the tables whose rows are wanted, or `*`. */
    async seed(userId: string, idOrName: string, names?: string): Promise<string> {
      const template = await requireWhole(userId, idOrName);
      const { name, service, services, description, schemaName, seed } = template;
      const isOfRows = seed === null || names !== undefined;
      const parts = service === WORLD && isOfRows ? { services } : {};
      const head = JSON.stringify({ template: name, service, ...parts, description });
      if (seed !== null && names === undefined)
        return JSON.stringify({ ...JSON.parse(seed), ...JSON.parse(head) });
      const { tables, sequences } = await blueprint(schemaName);
      const isWhole = names === undefined || names === "*";
      const wanted = isWhole ? tables : requireTables(tables, names.split(","));
      const rows = await exportSeed(replicas, schemaName, wanted, isWhole ? sequences : []);
      return `${head.slice(0, -1)},${rows}}`;
    },

    async import(userId: string, { seed, ...draft }: ImportedTemplate) {
      const service = requireKind(draft.service);
      const { services } = attemptSeed(() => seedModel({ ...seed, service }));
      let notes: readonly string[] = [];
      const created = await create(
        userId,
        { ...draft, service, services },
        seed,
        async (schema) => {
          const named = { ...seed, template: draft.name, service } as Seed;
          const whole = resolveSeed(named, SEEDS as readonly Seed[]);
          notes = await builders.transaction((tx) =>
            importSeed(tx, seedModel(whole), schema, whole),
          );
        },
      );
      return { ...created, notes: [...notes] };
    },

    /** Creates a template with `build`, which creates and fills the given schema, all or nothing. */
    create: (userId: string, draft: Draft, build: (schema: string) => Promise<void>) =>
      create(userId, draft, undefined, build),
  };
}

/** The names that assertions use, of a model. */
export const wordsOf = ({
  kind,
  services,
  derived,
  derivedRows = {},
  calls,
  events,
  tableAliases,
}: Model) => ({
  derived,
  derivedRows,
  calls,
  events,
  services,
  isWorld: kind === WORLD,
  tableAliases,
});

/** Reads a part of a seed. Throws `invalid_request` with the path of a mistake. */
function attemptSeed<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw refusal(error);
  }
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

export const view = (template: store.TemplateRow): Template => ({
  id: template.templateId,
  name: template.name,
  service: template.service,
  services: [...template.services],
  description: template.description,
  location: template.schemaName,
  visibility: template.visibility,
  createdAt: template.createdAt.toISOString(),
});
