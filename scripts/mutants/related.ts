/** The tests that should notice a change of a file. */
import { dirname, join } from "node:path";

/** Need a browser, other languages or a broken cluster. */
const APART = /^test\/(faults|hostile|clients|console)\//;
const LONG = /\.long\.test\.ts$/;
/** Folders whose tests are about everything. */
const TOO_WIDE = new Set(["test", "test/replicas", "test/platform"]);
/** Tests of every service, route, document or input. */
const GENERAL = new Set([...TOO_WIDE, "test/http", "test/docs", "test/inputs"]);

/** Of the folders that have most to do with a file: one that everything imports would have all tests. */
const FARTHER_MAX = 40;

/** Those of the tests that are in the nearest folder above the place that mirrors a source file. */
function near(tests: readonly string[], file: string): string[] {
  let folder = dirname(file.replace(/^(src\/)?/, "test/"));
  while (!TOO_WIDE.has(folder)) {
    const found = tests.filter((test) => test.startsWith(`${folder}/`));
    if (found.length > 0) return found;
    folder = dirname(folder);
  }
  return [];
}

const moduleOf = (file: string) => file.replace(/^src\//, "").replace(/\.tsx?$/, "");

/** Those of these files that import a module of the sources, by its path without an extension. */
async function importing(root: string, files: readonly string[], module: string) {
  const texts = await Promise.all(files.map((file) => Bun.file(join(root, file)).text()));
  return files.filter((_, at) => texts[at]?.includes(`"~/${module}"`));
}

/**
 * First the tests of the file: the one that mirrors its path or its folder's, and those that import it. Then the others of
 * the nearest mirrored folder, those of the folders of sources that import it or that it imports, those about everything,
 * and at last the long ones among them all.
 */
export async function relatedTests(root: string, file: string): Promise<string[][]> {
  const bare = moduleOf(file);
  const mirrors = [bare, dirname(bare)].map((path) => `test/${path}.test.ts`);
  const tests = [...new Bun.Glob("test/**/*.test.ts").scanSync({ cwd: root })]
    .filter((test) => !APART.test(test))
    .toSorted();
  const users = new Set(await importing(root, tests, bare));
  const own = tests.filter((test) => mirrors.includes(test) || users.has(test));
  const sources = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync({ cwd: root })].toSorted();
  const text = await Bun.file(join(root, file)).text();
  const beside = [
    ...(await importing(root, sources, bare)),
    ...sources.filter((source) => text.includes(`"~/${moduleOf(source)}"`)),
  ];
  const counts = new Map<string, number>();
  for (const test of beside.flatMap((source) => near(tests, source)))
    counts.set(test, (counts.get(test) ?? 0) + 1);
  const farther = [...counts].toSorted(([, a], [, b]) => b - a).map(([test]) => test);
  const groups: string[][] = [];
  const general = tests.filter((test) => GENERAL.has(dirname(test)));
  for (const group of [own, near(tests, file), farther.slice(0, FARTHER_MAX), general])
    groups.push(group.filter((test) => !groups.flat().includes(test)));
  const isLong = (test: string) => LONG.test(test);
  return [
    ...groups.map((group) => group.filter((test) => !isLong(test))),
    groups.flat().filter(isLong),
  ];
}
