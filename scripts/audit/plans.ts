/** The tests under audit, what graders know of their services, and the plan of each class for each test. */
import { SOLUTIONS } from "../../seeds/index";
import { type Class, MOVES } from "./classes";
import { readLists } from "./graders/lists";
import type { Plan, Service, Test } from "./model";
import type { Audited } from "./server";
import { readTables, schemaOf } from "./state";
import { type Environment, surfaceOf } from "./surface";
import { AGENTS, type Known } from "./trial";

export type Planned = { readonly test: Test; readonly className: string; readonly plan: Plan };

/** The built-in tests of chat and the tracker whose names match. */
export async function testsOf({ platform }: Audited, pattern: RegExp): Promise<Test[]> {
  const { testSuites } = await platform("GET", "/testSuites?visibility=public");
  const tests: Test[] = [];
  for (const { id } of testSuites) {
    const suite = await platform("GET", `/testSuites/${id}?expand=true`);
    if (!Object.hasOwn(AGENTS, suite.templateService)) continue;
    for (const test of suite.tests) {
      const solution = SOLUTIONS[test.id]?.calls as Test["solution"] | undefined;
      if (!solution || !pattern.test(test.name)) continue;
      tests.push({
        id: test.id,
        name: test.name,
        service: suite.templateService,
        template: suite.templateName,
        expectedOutput: test.expectedOutput,
        solution,
      });
    }
  }
  return tests.toSorted((a, b) => (a.service + a.name < b.service + b.name ? -1 : 1));
}

export async function known(
  audited: Audited,
  tests: readonly Test[],
): Promise<Map<Service, Known>> {
  const all = new Map<Service, Known>();
  for (const test of tests) {
    if (all.has(test.service)) continue;
    const { platform, sql, url } = audited;
    const environment: Environment = await platform("POST", "/initEnv", {
      testId: test.id,
      allowImpersonation: true,
    });
    const schema = await schemaOf(sql, test.service, environment.schemaName);
    all.set(test.service, {
      schema,
      world: await readTables(sql, schema, environment.schemaName),
      lists: await readLists(surfaceOf(url, test.service, environment), AGENTS[test.service]),
    });
    await platform("DELETE", `/env/${environment.environmentId}`);
  }
  return all;
}

export function planAll(
  tests: readonly Test[],
  classes: readonly Class[],
  worlds: ReadonlyMap<Service, Known>,
) {
  const planned: Planned[] = [];
  const leftOut: Record<string, string[]> = {};
  for (const { name: className, make } of classes)
    for (const [nth, test] of tests.entries()) {
      const world = worlds.get(test.service)?.world ?? new Map();
      const plan = make(test, world, MOVES[test.service], nth);
      if (plan) planned.push({ test, className, plan });
      else leftOut[className] = [...(leftOut[className] ?? []), test.name];
    }
  return { planned, leftOut };
}
