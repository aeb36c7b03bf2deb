/** Test suites: named groups of tests, each a task for an agent and the expected changes. */
import type { Static } from "elysia";
import { inTransaction, type Pool } from "~/db/connect";
import { ApiError, NotFound, namedId } from "~/errors";
import { pageOf, readPage } from "~/http/page";
import { quoted } from "~/input/nearest";
import { Rejections } from "~/input/rejections";
import { suiteFields, testFields } from "~/platform/suites/agent-diff";
import type { CreatedSuite, NewSuite, NewTest, SuiteQuery } from "~/platform/suites/model";
import { prepareTests, requireTemplate } from "~/platform/suites/preparation";
import { namesTime, promptAt } from "~/platform/suites/prompt";
import { requireFreeName, requireReferred, suiteNotFound } from "~/platform/suites/references";
import * as store from "~/platform/suites/store";
import { type NewSpec, warningsAbout } from "~/platform/suites/warnings";
import type { Templates } from "~/platform/templates/templates";
import { requireKind } from "~/replicas/world";
import type { NewId } from "~/source";

export type Suites = ReturnType<typeof createSuites>;

const LIST = "suites";

export const testNotFound = (testId: string) =>
  new NotFound(
    "test_not_found",
    `There is no test ${namedId(testId)}; a suite has the ids of its tests`,
    testId,
  );

export function createSuites(deps: { pool: Pool; templates: Templates; newId: NewId }) {
  const { pool, templates, newId } = deps;

  async function requireSuite(userId: string, suiteId: string) {
    const suite = await store.findSuite(pool, userId, suiteId);
    if (!suite) throw await suiteNotFound(pool, userId, suiteId);
    return suite;
  }

  return {
    /** Returns a suite that the user can see. Throws `suite_not_found`. */
    require: requireSuite,

    /** Returns a suite that the user can see, by any reference. Throws `suite_not_found` or `invalid_request`. */
    requireNamed: (userId: string, ref: string) => requireReferred(pool, userId, ref),

    /** Stores a suite and its tests, or nothing. */
    async create(userId: string, wanted: NewSuite): Promise<Static<typeof CreatedSuite>> {
      const service = requireKind(wanted.templateService);
      const { name, templateName, impersonateUserId: id, visibility = "private" } = wanted;
      const frame = { service, templateName, visibility, actingUserId: id ?? null };
      await requireFreeName(pool, userId, name);
      const template = await requireTemplate(templates, userId, frame, templateName);
      const rejections = new Rejections();
      if (id !== undefined) await templates.requireUser(template, { id }).catch(rejections.add);
      const specs: NewSpec[] = [];
      const tests = await prepareTests(deps, userId, frame, wanted.tests ?? [], {
        specs,
        rejections,
      });
      const warned = await warningsAbout(templates, specs);
      const suite = {
        ...frame,
        suiteId: newId(),
        name,
        description: wanted.description ?? "",
        userId,
      };
      await inTransaction(pool, async (tx) => {
        await store.insertSuite(tx, suite);
        if (tests.length > 0) await store.insertTests(tx, suite.suiteId, tests);
      });
      return { suiteId: suite.suiteId, name, ...warned };
    },

    /** Adds tests to a suite of this user, all or none. */
    async addTests(userId: string, suiteId: string, tests: readonly NewTest[]) {
      const suite = await requireSuite(userId, suiteId);
      if (suite.userId !== userId)
        throw new ApiError(
          "suite_not_found",
          `You have no suite ${quoted(suite.name)}; only its owner adds tests`,
        );
      const specs: NewSpec[] = [];
      const rows = await prepareTests(deps, userId, suite, tests, { specs });
      const warned = await warningsAbout(templates, specs);
      const testCount = await inTransaction(pool, async (tx) => {
        await store.lockSuite(tx, suiteId);
        await store.insertTests(tx, suiteId, rows);
        return await store.countTests(tx, suiteId);
      });
      return {
        suiteId,
        tests: rows.map(testView),
        testCount,
        ...warned,
      };
    },

    async get(userId: string, ref: string) {
      const { suiteId, name, description, testCount } = await this.requireNamed(userId, ref);
      return { id: suiteId, name, description, testCount };
    },

    async getExpanded(userId: string, ref: string) {
      const suite = await this.requireNamed(userId, ref);
      return { ...expandedView(suite), tests: (await this.tests(suite.suiteId)).map(testView) };
    },

    /** As `getExpanded`, with the names of the SDK agent-diff beside our own. */
    async getForAgentDiff(userId: string, ref: string) {
      const suite = await this.requireNamed(userId, ref);
      const tests = await this.testsWithTime(suite);
      return {
        ...expandedView(suite),
        ...suiteFields(suite),
        tests: tests.map((test) => ({ ...testView(test), ...testFields(suite, test) })),
      };
    },

    async list(userId: string, query: SuiteQuery) {
      const page = readPage(query, LIST, userId);
      const { name, visibility } = query;
      const found = await store.listSuites(pool, userId, { name, visibility }, page);
      const { rows, ...rest } = pageOf(found, page, LIST, userId);
      return { testSuites: rows.map(suiteView), ...rest };
    },

    tests: (suiteId: string) => store.listTests(pool, suiteId),

    /** With the time that a new environment shows in the prompts, for clients that read them before they create it. */
    async testsWithTime(suite: store.SuiteRow): Promise<store.TestRow[]> {
      const tests = await this.tests(suite.suiteId);
      const templateOf = (test: store.TestRow) => test.templateName ?? suite.templateName;
      const names = new Set(tests.filter(({ prompt }) => namesTime(prompt)).map(templateOf));
      const times = new Map<string, Date>();
      for (const name of names)
        times.set(name, (await templates.opensAt(suite.userId, name)) ?? new Date());
      return tests.map((test) => {
        const time = times.get(templateOf(test));
        return time ? { ...test, prompt: promptAt(test.prompt, time) } : test;
      });
    },

    /** Returns a test if the user can see it. */
    findTest: (userId: string, testId: string) => store.findTest(pool, userId, testId),

    /** Returns a test that the user can see. Throws `test_not_found`. */
    async requireTest(userId: string, testId: string): Promise<store.WholeTest> {
      const test = await this.findTest(userId, testId);
      if (!test) throw testNotFound(testId);
      return test;
    },

    async getTest(userId: string, testId: string) {
      const test = await this.requireTest(userId, testId);
      const { prompt, templateName } = test;
      const time = namesTime(prompt) ? await templates.opensAt(userId, templateName) : null;
      return {
        id: test.testId,
        name: test.name,
        prompt,
        renderedPrompt: promptAt(prompt, time ?? new Date()),
        expectedOutput: JSON.parse(test.expectedOutput) as unknown,
        suiteId: test.suiteId,
        templateService: test.service,
        templateName,
        impersonateUserId: test.actingUserId,
        ...(test.surfaces === null ? {} : { surfaces: test.surfaces }),
        ...(test.faults === null ? {} : { faults: test.faults }),
        ...(test.counterparts === null ? {} : { counterparts: test.counterparts }),
        ...(test.events === null ? {} : { events: test.events }),
        ...(test.audit === null ? {} : { audit: test.audit }),
      };
    },
  };
}

export const testView = (test: store.TestRow) => ({
  id: test.testId,
  name: test.name,
  prompt: test.prompt,
  expectedOutput: JSON.parse(test.expectedOutput) as unknown,
  ...(test.templateName === null ? {} : { templateName: test.templateName }),
  ...(test.actingUserId === null ? {} : { impersonateUserId: test.actingUserId }),
  ...(test.surfaces === null ? {} : { surfaces: test.surfaces }),
  ...(test.faults === null ? {} : { faults: test.faults }),
  ...(test.counterparts === null ? {} : { counterparts: test.counterparts }),
  ...(test.events === null ? {} : { events: test.events }),
  ...(test.audit === null ? {} : { audit: test.audit }),
});

const expandedView = (suite: store.SuiteRow) => ({
  id: suite.suiteId,
  name: suite.name,
  description: suite.description,
  templateService: suite.service,
  templateName: suite.templateName,
  impersonateUserId: suite.actingUserId,
});

export const suiteView = (suite: Omit<store.ListedSuite, "place">) => ({
  ...expandedView(suite),
  visibility: suite.visibility,
  testCount: suite.testCount,
  createdAt: suite.createdAt.toISOString(),
});
