import { ApiError } from "~/errors";
import { type CompiledSpec, compile } from "~/evaluation/compile";
import { SpecError } from "~/evaluation/mistakes";
import type { Vocabulary } from "~/evaluation/vocabulary";
import { Rejections } from "~/input/rejections";
import { linesOf } from "~/input/shape";
import { requireCounterparts } from "~/platform/counterparts/rules";
import { requireFaults } from "~/platform/faults/rules";
import type { NewEventApps } from "~/platform/outbox/model";
import { requireApps } from "~/platform/outbox/requirements";
import type { NewTest } from "~/platform/suites/model";
import type * as store from "~/platform/suites/store";
import { type NewSpec, newSpec } from "~/platform/suites/warnings";
import type { TemplateRow } from "~/platform/templates/store";
import type { Templates } from "~/platform/templates/templates";
import type { NewId } from "~/source";

/**
 * Compiles a spec. Throws `invalid_assertion`. `isNew`: it was not stored before. `name`: the test that it belongs to.
 */
export function requireSpec(
  spec: unknown,
  vocabulary: Vocabulary,
  { isNew, name }: { isNew: boolean; name?: string },
): CompiledSpec {
  try {
    return compile(spec, vocabulary, { isNew });
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    const whose = name === undefined ? "" : `test ${JSON.stringify(name)}: `;
    const lines = error.message.split("\n").map((line) => whose + line);
    throw new ApiError("invalid_assertion", linesOf(lines));
  }
}

/** Settings that the tests of a suite share. */
type SuiteFrame = {
  readonly service: string;
  readonly templateName: string;
  readonly visibility: "public" | "private";
  /** Whom agents act as by default. */
  readonly actingUserId: string | null;
};

/**
 * Converts the body's tests to rows, each checked against its template. `userId`: the user whose templates can be used.
 * `known`: specs that were stored before, as JSON text. `specs`: gets the others, for warnings. Throws what is wrong
 * with all of them together, and what is in `rejections` already.
 */
export async function prepareTests(
  { templates, newId }: { templates: Templates; newId: NewId },
  userId: string,
  suite: SuiteFrame,
  tests: readonly NewTest[],
  {
    known = new Set(),
    specs = [],
    rejections = new Rejections(),
  }: { known?: ReadonlySet<string>; specs?: NewSpec[]; rejections?: Rejections } = {},
): Promise<store.TestRow[]> {
  const named = new Map<string, Promise<TemplateRow>>();
  const find = (name: string) => {
    const found = named.get(name) ?? requireTemplate(templates, userId, suite, name);
    named.set(name, found);
    return found;
  };
  const users = new Map<string, Promise<unknown>>();
  const rows: store.TestRow[] = [];
  for (const test of tests) {
    const template = await find(test.templateName ?? suite.templateName).catch(rejections.add);
    if (!template) continue;
    const { templateName = null, impersonateUserId: id } = test;
    if (id !== undefined) {
      const user = `${template.schemaName} ${id}`;
      const found = users.get(user) ?? templates.requireUser(template, { id });
      users.set(user, found);
      await found.catch(rejections.add);
    }
    const { faults = null, counterparts = null, events = null, audit = null } = test;
    const place = `test ${JSON.stringify(test.name)}: faults`;
    attempt(() => requireFaults(template.services, faults ?? [], place), rejections);
    const vocabulary = await templates.vocabulary(template);
    if (counterparts) {
      const sessionOf = await templates.openTemplate(template);
      const { services } = template;
      const own = `test ${JSON.stringify(test.name)}: counterparts`;
      await requireCounterparts({ services, vocabulary, sessionOf }, counterparts, own).catch(
        rejections.add,
      );
    }
    const actor = id ?? suite.actingUserId;
    // Without a user, initEnv names one and checks the apps.
    if (events && actor !== null)
      await requireTestApps(templates, template, actor, { test: test.name, events }).catch(
        rejections.add,
      );
    const expectedOutput = JSON.stringify(test.expectedOutput);
    const isNew = !known.has(expectedOutput);
    // Compiling patterns takes a while: yield to other calls.
    const spec = attempt(
      () => requireSpec(test.expectedOutput, vocabulary, { isNew, name: test.name }),
      rejections,
    );
    if (!spec) continue;
    if (spec.hasPatterns) await Bun.sleep(0);
    if (isNew) specs.push(newSpec(test.name, template, vocabulary, spec));
    rows.push({
      testId: newId(),
      name: test.name,
      prompt: test.prompt.trim(),
      expectedOutput,
      templateName,
      actingUserId: id ?? null,
      surfaces: test.surfaces ?? null,
      faults,
      counterparts,
      events,
      audit,
    });
  }
  rejections.end();
  return rows;
}

async function requireTestApps(
  templates: Templates,
  template: TemplateRow,
  userId: string,
  { test, events }: { readonly test: string; readonly events: NewEventApps },
): Promise<void> {
  const people = await templates.requireUser(template, { id: userId });
  const actors = Object.fromEntries(template.services.map((each) => [each, people[each] ?? null]));
  const sessionOf = await templates.openTemplate(template);
  await requireApps(
    { actors, read: (work) => work(sessionOf) },
    events,
    `test ${JSON.stringify(test)}: events.apps`,
  );
}

function attempt<Result>(work: () => Result, rejections: Rejections): Result | undefined {
  try {
    return work();
  } catch (error) {
    return rejections.add(error);
  }
}

/** Returns a template that a suite can use. Throws `template_not_found` or `invalid_request`. */
export async function requireTemplate(
  templates: Templates,
  userId: string,
  { service, visibility }: Pick<SuiteFrame, "service" | "visibility">,
  name: string,
): Promise<TemplateRow> {
  const template = await templates.require(userId, service, name);
  if (visibility === "public" && template.visibility === "private")
    throw new ApiError("invalid_request", "templateName: a public suite needs a public template");
  return template;
}
