import type { Fragment, Sql } from "~/db/connect";
import type { CursorPosition, Page } from "~/page";

export type TemplateRow = {
  readonly templateId: string;
  readonly name: string;
  /** `world`, if it has several services. */
  readonly service: string;
  readonly services: readonly string[];
  readonly description: string;
  readonly visibility: "public" | "private";
  /** Null for built-in templates. */
  readonly userId: string | null;
  readonly schemaName: string;
  readonly contentHash: string;
  readonly createdAt: Date;
  /** The day on which its story plays; null: real time. */
  readonly opensAt: Date | null;
};

/** All columns but the seed, which may be a megabyte and is needed only for an export. */
const columns = (sql: Sql): Fragment => sql`
  template_id, name, service, coalesce(services, array[service]) as services, description, visibility, user_id,
  schema_name, content_hash, created_at, opens_at
`;

const visible = (sql: Sql, userId: string): Fragment =>
  sql`(visibility = 'public' or user_id = ${userId})`;

/** Finds a template that the user can see, by name; their own before a public one. */
export async function findByName(
  sql: Sql,
  userId: string,
  name: string,
): Promise<TemplateRow | undefined> {
  const [template] = await sql<TemplateRow[]>`
    select ${columns(sql)} from diorama.templates
    where name = ${name} and ${visible(sql, userId)}
    order by user_id = ${userId} desc nulls last limit 1
  `;
  return template;
}

/** Finds a template that the user can see, by id or name, with the seed it was built from as JSON text. */
export async function findWhole(
  sql: Sql,
  userId: string,
  idOrName: string,
): Promise<(TemplateRow & { seed: string | null }) | undefined> {
  const [template] = await sql<(TemplateRow & { seed: string | null })[]>`
    select ${columns(sql)}, seed::text from diorama.templates
    where (template_id = ${idOrName} or name = ${idOrName}) and ${visible(sql, userId)}
    order by template_id = ${idOrName} desc, user_id = ${userId} desc nulls last limit 1
  `;
  return template;
}

export async function listVisible(
  sql: Sql,
  userId: string,
  filter: { service: string | undefined; has: string | undefined; visibility: string | undefined },
  { limit, after }: Page,
): Promise<(TemplateRow & { place: CursorPosition })[]> {
  return await sql<(TemplateRow & { place: CursorPosition })[]>`
    select ${columns(sql)}, json_build_object('at', created_at::text, 'id', template_id) as place
    from diorama.templates
    where ${visible(sql, userId)}
      ${filter.service === undefined ? sql`` : sql`and service = ${filter.service}`}
      ${filter.has === undefined ? sql`` : sql`and ${filter.has} = any(coalesce(services, array[service]))`}
      ${filter.visibility === undefined ? sql`` : sql`and visibility = ${filter.visibility}`}
      ${after ? sql`and (created_at, template_id) < (${after.at}::text::timestamptz, ${after.id})` : sql``}
    order by created_at desc, template_id desc limit ${limit + 1}
  `;
}

/** Lists the names of this user's templates and of the built-in ones: what others publish is not suggested. */
export async function listKnown(sql: Sql, userId: string, service?: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from diorama.templates where (user_id is null or user_id = ${userId})
      ${service === undefined ? sql`` : sql`and service = ${service}`}
    order by user_id is null, name limit ${KNOWN_MAX}
  `;
  return rows.map(({ name }) => name);
}
const KNOWN_MAX = 1_000;

/** Locks a template's name until the caller's transaction ends. */
export const lockName = async (sql: Sql, name: string) =>
  await sql`select pg_advisory_xact_lock(hashtext(${`diorama template ${name}`}))`;

/** Whether the user can see a template of that name. */
export async function nameExists(sql: Sql, userId: string, name: string): Promise<boolean> {
  const rows = await sql`
    select from diorama.templates where name = ${name} and ${visible(sql, userId)}
  `;
  return rows.count > 0;
}

export const insert = async (
  sql: Sql,
  template: Omit<TemplateRow, "contentHash" | "createdAt">,
  seed: unknown,
) =>
  await sql`
    insert into diorama.templates (
      template_id, name, service, services, description, visibility, user_id, schema_name, content_hash, seed,
      opens_at
    )
    values (
      ${template.templateId}, ${template.name}, ${template.service}, ${[...template.services]}, ${template.description},
      ${template.visibility}, ${template.userId}, ${template.schemaName}, '',
      ${seed === undefined ? null : JSON.stringify(seed)}::text::json, ${template.opensAt}
    )
  `;

export const update = async (
  sql: Sql,
  {
    templateId,
    description,
    visibility,
  }: Pick<TemplateRow, "templateId" | "description" | "visibility">,
) =>
  await sql`
    update diorama.templates set description = ${description}, visibility = ${visibility}
    where template_id = ${templateId}
  `;

export const remove = async (sql: Sql, templateId: string) =>
  await sql`delete from diorama.templates where template_id = ${templateId}`;

export async function findBuiltin(sql: Sql, name: string): Promise<TemplateRow | undefined> {
  const [template] = await sql<TemplateRow[]>`
    select ${columns(sql)} from diorama.templates where name = ${name} and user_id is null
  `;
  return template;
}

export const listAll = async (sql: Sql): Promise<TemplateRow[]> =>
  await sql<TemplateRow[]>`
    select ${columns(sql)} from diorama.templates order by name, template_id
  `;

/**
 * Inserts a built-in template, or points it to its new content. Returns its previous schema. Runs on either pool, as
 * part of the transaction that builds the schema.
 */
export async function putBuiltin(
  sql: Sql,
  template: Pick<
    TemplateRow,
    | "templateId"
    | "name"
    | "service"
    | "services"
    | "description"
    | "schemaName"
    | "contentHash"
    | "opensAt"
  >,
  seed: unknown,
): Promise<string | undefined> {
  const { templateId, name, service, description, schemaName, contentHash, opensAt } = template;
  const services = [...template.services];
  const [known] = await sql<{ id: string; schema: string }[]>`
    select template_id as id, schema_name as schema from diorama.templates where name = ${name} and user_id is null
  `;
  if (known)
    await sql`
      update diorama.templates set service = ${service}, services = ${services}, description = ${description},
        schema_name = ${schemaName}, content_hash = ${contentHash},
        seed = ${JSON.stringify(seed)}::text::json, opens_at = ${opensAt}
      where template_id = ${known.id}
    `;
  else
    await sql`
      insert into diorama.templates (
        template_id, name, service, services, description, visibility, schema_name, content_hash, seed,
        opens_at
      )
      values (
        ${templateId}, ${name}, ${service}, ${services}, ${description}, 'public', ${schemaName}, ${contentHash},
        ${JSON.stringify(seed)}::text::json, ${opensAt}
      )
    `;
  return known?.schema;
}

/** Lists the names of all templates, in a database that may not have our tables yet. */
export async function listNames(sql: Sql): Promise<string[]> {
  const [found] = await sql`select to_regclass('diorama.templates') is not null as made`;
  if (found?.["made"] !== true) return [];
  const rows = await sql<{ name: string }[]>`select name from diorama.templates order by name`;
  return rows.map(({ name }) => name);
}
