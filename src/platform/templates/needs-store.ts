import type { Sql } from "~/db/connect";
import type { TemplateRow } from "~/platform/templates/store";

/** A suite, a test or a live environment that uses a template. */
export type TemplateUser = {
  readonly kind: "suite" | "test" | "environment";
  /** Of an environment its id, of a test with the name of its suite. */
  readonly name: string;
  readonly isOwn: boolean;
  readonly isPublic: boolean;
};

const USERS_MAX = 1_000;

/**
 * Lists the users of a template, up to a limit. A name in a suite means the template of the suite's owner before a public
 * one.
 */
export async function listUsers(
  sql: Sql,
  userId: string,
  { templateId, name, service, schemaName, visibility, userId: owner }: TemplateRow,
): Promise<TemplateUser[]> {
  return await sql<TemplateUser[]>`
    with named as (
      select 'suite' as kind, name, user_id, visibility from diorama.suites
      where service = ${service} and template_name = ${name}
      union all
      select 'test', t.name || ' of ' || s.name, s.user_id, s.visibility
      from diorama.tests t join diorama.suites s using (suite_id)
      where s.service = ${service} and t.template_name = ${name}
    ),
    users as (
      select kind, name, user_id, visibility from named
      where (${visibility} = 'public' or user_id = ${owner}) and not exists (
        select from diorama.templates other
        where other.name = ${name} and other.user_id = named.user_id and other.template_id <> ${templateId}
      )
      union all
      select 'environment', environment_id, user_id, 'private'
      from diorama.environments join diorama.schemas using (schema_name)
      where template_schema = ${schemaName} and deleted_at is null and expires_at > now()
    )
    select kind, name, coalesce(user_id = ${userId}, false) as is_own, visibility = 'public' as is_public
    from users order by is_own desc, kind desc, name limit ${USERS_MAX}
  `;
}
