import type { Fragment, Sql } from "~/db/connect";
import type { CursorPosition, Page } from "~/page";
import type { Counterpart } from "~/platform/counterparts/model";
import type { Fault } from "~/platform/faults/model";
import type { NewEventApps } from "~/platform/outbox/model";
import type { TestAuditing } from "~/platform/suites/model";

export type SuiteRow = {
  readonly suiteId: string;
  readonly name: string;
  readonly description: string;
  readonly service: string;
  /** Those of its template. */
  readonly services: readonly string[];
  readonly templateName: string;
  readonly actingUserId: string | null;
  readonly visibility: "public" | "private";
  /** Null for built-in suites. */
  readonly userId: string | null;
  readonly createdAt: Date;
};
export type ListedSuite = SuiteRow & { readonly testCount: number; readonly place: CursorPosition };

export type TestRow = {
  readonly testId: string;
  readonly name: string;
  readonly prompt: string;
  /** JSON text: as it was stored. */
  readonly expectedOutput: string;
  readonly templateName: string | null;
  readonly actingUserId: string | null;
  readonly surfaces: ("api" | "mcp")[] | null;
  readonly faults: Fault[] | null;
  readonly counterparts: Counterpart[] | null;
  readonly events: NewEventApps | null;
  readonly audit: TestAuditing | null;
};

const visible = (sql: Sql, userId: string): Fragment =>
  sql`(s.visibility = 'public' or s.user_id = ${userId})`;

const columns = (sql: Sql): Fragment => sql`
  suite_id, name, description, service, template_name, acting_user_id, visibility, user_id, created_at,
  coalesce((
    select t.services from diorama.templates t
    where t.name = s.template_name and t.service = s.service and (t.user_id is null or t.user_id = s.user_id)
    order by t.user_id nulls last limit 1
  ), array[service]) as services,
  (select count(*)::int from diorama.tests t where t.suite_id = s.suite_id) as test_count
`;

export const insertSuite = async (sql: Sql, suite: Omit<SuiteRow, "createdAt" | "services">) =>
  await sql`
    insert into diorama.suites (
      suite_id, name, description, service, template_name, acting_user_id, visibility, user_id
    )
    values (
      ${suite.suiteId}, ${suite.name}, ${suite.description}, ${suite.service}, ${suite.templateName},
      ${suite.actingUserId}, ${suite.visibility}, ${suite.userId}
    )
  `;

/** Inserts tests in one statement: all or none. */
export const insertTests = async (sql: Sql, suiteId: string, tests: readonly TestRow[]) =>
  await sql`
    insert into diorama.tests (
      test_id, suite_id, name, prompt, expected_output, template_name, acting_user_id, surfaces, faults, counterparts, events, audit
    )
    select test_id, ${suiteId}, name, prompt, expected_output, template_name, acting_user_id, surfaces, faults, counterparts, events, audit
    from json_to_recordset(${JSON.stringify(tests.map(asColumns))}::text::json) as t (
      test_id text, name text, prompt text, expected_output json, template_name text, acting_user_id text,
      surfaces text[], faults json, counterparts json, events json, audit json
    )
  `;

const asColumns = (test: TestRow) => ({
  test_id: test.testId,
  name: test.name,
  prompt: test.prompt,
  expected_output: JSON.parse(test.expectedOutput),
  template_name: test.templateName,
  acting_user_id: test.actingUserId,
  surfaces: test.surfaces,
  audit: test.audit,
  faults: test.faults,
  counterparts: test.counterparts,
  events: test.events,
});

/** Finds a suite that the user can see. */
export async function findSuite(
  sql: Sql,
  userId: string,
  suiteId: string,
): Promise<Found | undefined> {
  const [suite] = await sql<Found[]>`
    select ${columns(sql)} from diorama.suites s
    where suite_id = ${suiteId} and ${visible(sql, userId)}
  `;
  return suite;
}

/** As the index `suites_by_slug` has it. */
const slug = (sql: Sql, text: Fragment): Fragment =>
  sql`trim(both '-' from regexp_replace(lower(${text}), '[^a-z0-9]+', '-', 'g'))`;

/** Whether a suite has this name, or a name with this slug. Through the index: equal names have equal slugs. */
const isNamed = (sql: Sql, name: Fragment): Fragment => sql`(
  ${slug(sql, sql`s.name`)} = ${slug(sql, name)} and (s.name = ${name} or ${slug(sql, sql`s.name`)} = ${name})
)`;

type Found = SuiteRow & { readonly testCount: number };

/** Lists what `id` or `name` can mean to this user: the suite with the id, own suites, and built-in ones. */
export async function listMeant(
  sql: Sql,
  userId: string,
  { id, name }: { id: string; name: string },
): Promise<Found[]> {
  return await sql<Found[]>`
    select ${columns(sql)} from diorama.suites s
    where suite_id = ${id} and ${visible(sql, userId)}
      or (user_id = ${userId} or user_id is null) and ${isNamed(sql, sql`${name}::text`)}
    order by suite_id = ${id} desc, user_id is null, created_at, suite_id limit ${OWN_MAX}
  `;
}

/** Lists the names of this user's suites and of the built-in ones: what others publish is not suggested. */
export async function listKnown(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from diorama.suites where user_id is null or user_id = ${userId}
    order by user_id is null, name limit ${KNOWN_MAX}
  `;
  return rows.map(({ name }) => name);
}
const KNOWN_MAX = 1_000;

/** Lists suites that the user can see by their owner and name, of which several pairs may be meant. */
export async function listOwned(
  sql: Sql,
  userId: string,
  pairs: readonly { readonly owner: string; readonly name: string }[],
): Promise<Found[]> {
  return await sql<Found[]>`
    select ${columns(sql)} from diorama.suites s
    where ${visible(sql, userId)} and exists (
      select from json_to_recordset(${JSON.stringify(pairs)}::text::json) as p (owner text, name text)
      where s.user_id = p.owner and ${isNamed(sql, sql`p.name`)}
    )
    order by created_at, suite_id limit ${OWN_MAX}
  `;
}

/** Finds the name of the built-in suite that has this name, or a name with the same slug. */
export async function findReserved(sql: Sql, name: string): Promise<string | undefined> {
  const [row] = await sql<{ name: string }[]>`
    select name from diorama.suites s
    where user_id is null and ${slug(sql, sql`s.name`)} = ${slug(sql, sql`${name}::text`)} limit 1
  `;
  return row?.name;
}

export async function listSuites(
  sql: Sql,
  userId: string,
  filter: { name: string | undefined; visibility: string | undefined },
  { limit, after }: Page,
): Promise<ListedSuite[]> {
  return await sql<ListedSuite[]>`
    select ${columns(sql)},
      json_build_object('at', created_at::text, 'id', suite_id) as place
    from diorama.suites s
    where ${visible(sql, userId)}
      ${filter.name === undefined ? sql`` : sql`and position(lower(${filter.name}) in lower(name)) > 0`}
      ${filter.visibility === undefined ? sql`` : sql`and visibility = ${filter.visibility}`}
      ${after ? sql`and (created_at, suite_id) < (${after.at}::text::timestamptz, ${after.id})` : sql``}
    order by created_at desc, suite_id desc limit ${limit + 1}
  `;
}

export async function listTests(sql: Sql, suiteId: string): Promise<TestRow[]> {
  return await sql<TestRow[]>`
    select test_id, name, prompt, expected_output::text, template_name, acting_user_id, surfaces, faults, counterparts, events, audit
    from diorama.tests where suite_id = ${suiteId} order by position
  `;
}

export async function countTests(sql: Sql, suiteId: string): Promise<number> {
  const [row] = await sql`
    select count(*)::int as count from diorama.tests where suite_id = ${suiteId}
  `;
  return row?.["count"] ?? 0;
}

/** A test with the defaults of its suite. */
export type WholeTest = {
  readonly testId: string;
  readonly suiteId: string;
  readonly name: string;
  readonly prompt: string;
  /** JSON text: as it was stored. */
  readonly expectedOutput: string;
  readonly service: string;
  readonly templateName: string;
  readonly actingUserId: string | null;
  readonly surfaces: ("api" | "mcp")[] | null;
  readonly faults: Fault[] | null;
  readonly counterparts: Counterpart[] | null;
  readonly events: NewEventApps | null;
  readonly audit: TestAuditing | null;
};

/** Finds a test of a suite that the user can see. */
export async function findTest(
  sql: Sql,
  userId: string,
  testId: string,
): Promise<WholeTest | undefined> {
  const [test] = await sql<WholeTest[]>`
    select t.test_id, t.suite_id, t.name, t.prompt, t.expected_output::text, s.service,
      coalesce(t.template_name, s.template_name) as template_name,
      coalesce(t.acting_user_id, s.acting_user_id) as acting_user_id, t.surfaces, t.faults, t.counterparts, t.events, t.audit
    from diorama.tests t join diorama.suites s using (suite_id)
    where t.test_id = ${testId} and ${visible(sql, userId)}
  `;
  return test;
}

export const updateSuite = async (sql: Sql, suite: Omit<SuiteRow, "createdAt" | "services">) =>
  await sql`
    update diorama.suites set name = ${suite.name}, description = ${suite.description},
      service = ${suite.service}, template_name = ${suite.templateName},
      acting_user_id = ${suite.actingUserId}, visibility = ${suite.visibility}
    where suite_id = ${suite.suiteId}
  `;

/** Returns false if the user has no such suite. */
export async function deleteSuite(sql: Sql, userId: string, suiteId: string): Promise<boolean> {
  const deleted = await sql`
    delete from diorama.suites where suite_id = ${suiteId} and user_id = ${userId}
  `;
  return deleted.count > 0;
}

export const updateTest = async (sql: Sql, test: TestRow) =>
  await sql`
    update diorama.tests set name = ${test.name}, prompt = ${test.prompt},
      expected_output = ${test.expectedOutput}::text::json, template_name = ${test.templateName},
      acting_user_id = ${test.actingUserId}, surfaces = ${test.surfaces},
      faults = ${test.faults && JSON.stringify(test.faults)}::text::json,
      counterparts = ${test.counterparts && JSON.stringify(test.counterparts)}::text::json,
      events = ${test.events && JSON.stringify(test.events)}::text::json,
      audit = ${test.audit && JSON.stringify(test.audit)}::text::json
    where test_id = ${test.testId}
  `;

/** Returns false if the user has no such test. */
export async function deleteTest(sql: Sql, userId: string, testId: string): Promise<boolean> {
  const deleted = await sql`
    delete from diorama.tests t using diorama.suites s
    where t.test_id = ${testId} and s.suite_id = t.suite_id and s.user_id = ${userId}
  `;
  return deleted.count > 0;
}

/** Makes these the tests of a suite, in this order. Call it in a transaction. */
export async function replaceTests(
  sql: Sql,
  suiteId: string,
  tests: readonly TestRow[],
): Promise<void> {
  await sql`delete from diorama.tests where suite_id = ${suiteId}`;
  if (tests.length > 0) await insertTests(sql, suiteId, tests);
}

/** Lists the ids of this user's suites of a name. */
export async function listOwn(sql: Sql, userId: string, name: string): Promise<string[]> {
  const rows = await sql<{ suiteId: string }[]>`
    select suite_id from diorama.suites where user_id = ${userId} and name = ${name}
    order by created_at, suite_id limit ${OWN_MAX}
  `;
  return rows.map(({ suiteId }) => suiteId);
}
const OWN_MAX = 10;

/** Locks a name, and the user's suites of that name, until the caller's transaction ends. */
export async function lockSuiteName(sql: Sql, userId: string, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${`diorama suite ${userId} ${name}`}))`;
  await sql`
    select from diorama.suites where user_id = ${userId} and name = ${name}
    order by suite_id for update
  `;
}

/** Serializes changes of a suite. */
export const lockSuite = async (sql: Sql, suiteId: string) =>
  await sql`select from diorama.suites where suite_id = ${suiteId} for update`;
