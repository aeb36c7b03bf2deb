/** Changes of suites and tests: checked against their templates first, then stored as a whole or not at all. */
import { isDeepStrictEqual } from "node:util";
import { inTransaction, type Pool, type Sql, type Tx } from "~/db/connect";
import { ApiError, unavailable } from "~/errors";
import { Rejections } from "~/input/rejections";
import type { ImportedSuite, SuiteImport } from "~/platform/suites/import-model";
import type { NewTest, SuiteChange, TestChange } from "~/platform/suites/model";
import { prepareTests, requireTemplate } from "~/platform/suites/preparation";
import { requireFreeName, suiteNotFound } from "~/platform/suites/references";
import * as store from "~/platform/suites/store";
import { suiteView, testNotFound, testView } from "~/platform/suites/suites";
import { type NewSpec, warningsAbout } from "~/platform/suites/warnings";
import type { Templates } from "~/platform/templates/templates";
import { requireKind } from "~/replicas/world";
import type { NewId } from "~/source";

export type SuiteChanges = ReturnType<typeof createSuiteChanges>;

/** How often a change is prepared again because others changed the suite meanwhile. */
const TRIES_MAX = 5;

type Seen = { readonly suite: store.SuiteRow; readonly tests: readonly store.TestRow[] };
type Prepared<Answer> = { readonly write: (tx: Tx) => Promise<unknown>; readonly answer: Answer };

type Deps = { readonly pool: Pool; readonly templates: Templates; readonly newId: NewId };

export function createSuiteChanges(deps: Deps, { pool, templates, newId } = deps) {
  async function readOwn(sql: Sql, userId: string, suiteId: string): Promise<Seen> {
    const suite = await store.findSuite(sql, userId, suiteId);
    if (!suite) throw await suiteNotFound(sql, userId, suiteId);
    if (suite.userId !== userId) throw new ApiError("suite_not_found", notOwn("suite", suite));
    // A plain list, which can be compared.
    return { suite, tests: [...(await store.listTests(sql, suiteId))] };
  }

  /** Prepares a change of what is stored. Stores it unless others have changed that meanwhile: then it starts again. */
  async function change<Stored, Answer>(
    read: (sql: Sql) => Promise<Stored>,
    lock: (tx: Tx) => Promise<unknown>,
    prepare: (stored: Stored) => Promise<Prepared<Answer>>,
  ): Promise<Answer> {
    for (let tried = 0; tried < TRIES_MAX; tried++) {
      const seen = await read(pool);
      const { write, answer } = await prepare(seen);
      const isStored = await inTransaction(pool, async (tx) => {
        await lock(tx);
        if (!isDeepStrictEqual(await read(tx), seen)) return false;
        await write(tx);
        return true;
      });
      if (isStored) return answer;
    }
    throw unavailable("Others are changing the suite");
  }

  const changeOwn = <Answer>(
    userId: string,
    suiteId: string,
    prepare: (seen: Seen) => Promise<Prepared<Answer>>,
  ) =>
    change(
      (sql) => readOwn(sql, userId, suiteId),
      (tx) => store.lockSuite(tx, suiteId),
      prepare,
    );

  /** Checks a suite and tests of it. `stored`: tests whose specs may be of a kind that is no longer accepted. */
  async function check(
    userId: string,
    suite: Omit<store.SuiteRow, "createdAt" | "services">,
    tests: readonly NewTest[],
    stored: readonly store.TestRow[],
    specs: NewSpec[] = [],
  ): Promise<store.TestRow[]> {
    const template = await requireTemplate(templates, userId, suite, suite.templateName);
    const { actingUserId: id } = suite;
    const rejections = new Rejections();
    if (id !== null) await templates.requireUser(template, { id }).catch(rejections.add);
    const known = new Set(stored.map(({ expectedOutput }) => expectedOutput));
    return await prepareTests(deps, userId, suite, tests, { known, specs, rejections });
  }

  async function requireTestSuite(userId: string, testId: string): Promise<string> {
    const test = await store.findTest(pool, userId, testId);
    if (!test) throw testNotFound(testId);
    const suite = await store.findSuite(pool, userId, test.suiteId);
    if (suite?.userId !== userId) throw new ApiError("test_not_found", notOwn("test", suite));
    return test.suiteId;
  }

  return {
    /** Changes a suite of this user. Throws `suite_not_found`, and the errors of a new suite. */
    update: async (userId: string, suiteId: string, wanted: SuiteChange) =>
      await changeOwn(userId, suiteId, async ({ suite, tests }) => {
        const { impersonateUserId: actingUserId = suite.actingUserId, ...fields } = wanted;
        const changed = { ...suite, ...fields, actingUserId };
        if (changed.name !== suite.name) await requireFreeName(pool, userId, changed.name);
        if (!sameFrame(suite, changed)) await check(userId, changed, tests.map(asNew), tests);
        const listed = { ...changed, testCount: tests.length };
        return { write: (tx) => store.updateSuite(tx, changed), answer: suiteView(listed) };
      }),

    /** Deletes a suite of this user with its tests. Runs of them stay. */
    async remove(userId: string, suiteId: string) {
      await readOwn(pool, userId, suiteId);
      if (!(await store.deleteSuite(pool, userId, suiteId)))
        throw await suiteNotFound(pool, userId, suiteId);
      return { suiteId, status: "deleted" as const };
    },

    /** Changes a test of this user. Throws `test_not_found`, and the errors of a new test. */
    async updateTest(userId: string, testId: string, wanted: TestChange) {
      const suiteId = await requireTestSuite(userId, testId);
      return await changeOwn(userId, suiteId, async ({ suite, tests }) => {
        const old = tests.find((test) => test.testId === testId);
        if (!old) throw testNotFound(testId);
        const changed = withoutNulls({ ...asNew(old), ...wanted }) as NewTest;
        const [row] = await prepareTests(deps, userId, suite, [changed], {
          known: new Set([old.expectedOutput]),
        });
        if (!row) throw new Error("a test that is not prepared");
        const stored = { ...row, testId };
        return { write: (tx) => store.updateTest(tx, stored), answer: testView(stored) };
      });
    },

    /** Deletes a test of this user. Runs of it stay. */
    async removeTest(userId: string, testId: string) {
      await requireTestSuite(userId, testId);
      if (!(await store.deleteTest(pool, userId, testId))) throw testNotFound(testId);
      return { testId, status: "deleted" as const };
    },

    /**
     * Creates a suite, or brings this user's suite of that name into the given state. Tests are matched by their names.
     * Throws `invalid_request` if several suites have the name.
     */
    import: async (userId: string, { prune = false, ...wanted }: SuiteImport) =>
      await change(
        async (sql) => {
          const own = await store.listOwn(sql, userId, wanted.name);
          if (own.length > 1)
            throw new ApiError(
              "invalid_request",
              `name: you have several suites of that name: ${own.join(", ")}`,
            );
          const [suiteId] = own;
          return suiteId === undefined ? undefined : await readOwn(sql, userId, suiteId);
        },
        (tx) => store.lockSuiteName(tx, userId, wanted.name),
        async (seen): Promise<Prepared<ImportedSuite>> => {
          await requireFreeName(pool, userId, wanted.name);
          const suite = {
            suiteId: seen?.suite.suiteId ?? newId(),
            name: wanted.name,
            description: wanted.description ?? "",
            service: requireKind(wanted.templateService),
            templateName: wanted.templateName,
            actingUserId: wanted.impersonateUserId ?? null,
            visibility: wanted.visibility ?? seen?.suite.visibility ?? "private",
            userId,
          };
          const stored = seen?.tests ?? [];
          const specs: NewSpec[] = [];
          const rows = await check(userId, suite, wanted.tests ?? [], stored, specs);
          const { tests, others, outcomes } = match(rows, stored);
          const kept = prune ? [] : others;
          if (kept.length > 0) await check(userId, suite, kept.map(asNew), stored);
          const all = [...tests, ...kept];
          const isSame =
            isDeepStrictEqual(all, stored) && seen !== undefined && sameSuite(seen.suite, suite);
          const outcome = isSame ? ("unchanged" as const) : ("changed" as const);
          return {
            async write(tx) {
              if (!seen) await store.insertSuite(tx, suite);
              else if (!isSame) await store.updateSuite(tx, suite);
              if (!isSame) await store.replaceTests(tx, suite.suiteId, all);
            },
            answer: {
              suiteId: suite.suiteId,
              name: suite.name,
              outcome: seen ? outcome : "created",
              tests: {
                ...outcomes,
                removed: prune ? others.map(({ name }) => name) : [],
                kept: kept.map(({ name }) => name),
              },
              ...(await warningsAbout(templates, specs)),
            },
          };
        },
      ),
  };
}

const notOwn = (what: "suite" | "test", suite: store.SuiteRow | undefined) =>
  suite?.userId === null
    ? `You have no such ${what}; a built-in one cannot be changed`
    : `You have no such ${what}; only its owner changes it`;

const asNew = (row: store.TestRow): NewTest => {
  const { id: _, ...test } = testView(row);
  return test;
};

const withoutNulls = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

type Frame = Pick<store.SuiteRow, "service" | "templateName" | "actingUserId" | "visibility">;
const frameOf = ({ service, templateName, actingUserId, visibility }: Frame): Frame => ({
  service,
  templateName,
  actingUserId,
  visibility,
});
const sameFrame = (a: Frame, b: Frame) => isDeepStrictEqual(frameOf(a), frameOf(b));

const sameSuite = (a: store.SuiteRow, b: Omit<store.SuiteRow, "createdAt" | "services">) =>
  sameFrame(a, b) && a.description === b.description;

/** Gives rows the ids of the stored tests of the same name: of the first one to the first one, and so on. */
function match(rows: readonly store.TestRow[], stored: readonly store.TestRow[]) {
  const byName = Map.groupBy(stored, ({ name }) => name);
  const outcomes = { created: [] as string[], changed: [] as string[], unchanged: [] as string[] };
  const matched = new Set<store.TestRow>();
  const tests = rows.map((row) => {
    const old = byName.get(row.name)?.find((test) => !matched.has(test));
    if (!old) {
      outcomes.created.push(row.name);
      return row;
    }
    matched.add(old);
    const isSame = isDeepStrictEqual(contentOf(row), contentOf(old));
    outcomes[isSame ? "unchanged" : "changed"].push(row.name);
    return isSame ? old : { ...row, testId: old.testId };
  });
  return { tests, outcomes, others: stored.filter((test) => !matched.has(test)) };
}

const contentOf = ({ testId: _, expectedOutput, ...test }: store.TestRow) => ({
  ...test,
  expectedOutput: JSON.parse(expectedOutput) as unknown,
});
