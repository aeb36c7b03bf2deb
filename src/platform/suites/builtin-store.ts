import type { Sql } from "~/db/connect";
import { replaceTests, type SuiteRow, type TestRow } from "~/platform/suites/store";

/** Returns the stored content hash of a built-in suite; undefined if it is not stored. */
export async function builtinHash(sql: Sql, suiteId: string): Promise<string | undefined> {
  const [row] = await sql<{ hash: string }[]>`
    select content_hash as hash from diorama.suites where suite_id = ${suiteId} and user_id is null
  `;
  return row?.hash;
}

/** Replaces a built-in suite and its tests. Call it in a transaction. */
export async function putBuiltin(
  sql: Sql,
  suite: Omit<SuiteRow, "createdAt" | "services" | "userId" | "visibility">,
  tests: readonly TestRow[],
  hash: string,
): Promise<void> {
  await sql`
    insert into diorama.suites (
      suite_id, name, description, service, template_name, acting_user_id, visibility, content_hash
    )
    values (
      ${suite.suiteId}, ${suite.name}, ${suite.description}, ${suite.service}, ${suite.templateName},
      ${suite.actingUserId}, 'public', ${hash}
    )
    on conflict (suite_id) do update set name = excluded.name, description = excluded.description,
      service = excluded.service, template_name = excluded.template_name,
      acting_user_id = excluded.acting_user_id, content_hash = excluded.content_hash
  `;
  await replaceTests(sql, suite.suiteId, tests);
}
