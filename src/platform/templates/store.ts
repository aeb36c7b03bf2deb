import type { Fragment, Sql } from "~/db/connect";

export type TemplateRow = {
  readonly templateId: string;
  readonly name: string;
  readonly service: string;
  readonly description: string;
  readonly visibility: "public" | "private";
  /** Null for built-in templates. */
  readonly userId: string | null;
  readonly schemaName: string;
  readonly contentHash: string;
  readonly createdAt: Date;
};

const columns = (sql: Sql): Fragment => sql`
  template_id, name, service, description, visibility, user_id, schema_name, content_hash, created_at
`;

/** A template the user can see, by name; their own before a public one. */
export async function findByName(
  sql: Sql,
  userId: string,
  name: string,
): Promise<TemplateRow | undefined> {
  const [template] = await sql<TemplateRow[]>`
    select ${columns(sql)} from diorama.templates
    where name = ${name} and (visibility = 'public' or user_id = ${userId})
    order by user_id = ${userId} desc nulls last limit 1
  `;
  return template;
}

export async function findBuiltin(sql: Sql, name: string): Promise<TemplateRow | undefined> {
  const [template] = await sql<TemplateRow[]>`
    select ${columns(sql)} from diorama.templates where name = ${name} and user_id is null
  `;
  return template;
}

export const listAll = async (sql: Sql): Promise<TemplateRow[]> =>
  await sql<
    TemplateRow[]
  >`select ${columns(sql)} from diorama.templates order by name, template_id`;

/**
 * Inserts a built-in template, or points it to its new content. Returns the schema it had before. Runs on either
 * pool: it is part of the transaction that builds the schema.
 */
export async function putBuiltin(
  sql: Sql,
  template: Pick<
    TemplateRow,
    "templateId" | "name" | "service" | "description" | "schemaName" | "contentHash"
  >,
): Promise<string | undefined> {
  const { templateId, name, service, description, schemaName, contentHash } = template;
  const [known] = await sql<{ id: string; schema: string }[]>`
    select template_id as id, schema_name as schema from diorama.templates where name = ${name} and user_id is null
  `;
  if (known)
    await sql`
      update diorama.templates set service = ${service}, description = ${description},
        schema_name = ${schemaName}, content_hash = ${contentHash}
      where template_id = ${known.id}
    `;
  else
    await sql`
      insert into diorama.templates (template_id, name, service, description, visibility, schema_name, content_hash)
      values (${templateId}, ${name}, ${service}, ${description}, 'public', ${schemaName}, ${contentHash})
    `;
  return known?.schema;
}
