/** The tests that should notice a change of a file. */
import { dirname, join } from "node:path";

/** Need a browser, other languages or a broken cluster. */
const APART = /^test\/(faults|hostile|clients|console)\//;
const LONG = /\.long\.test\.ts$/;
/** Folders whose tests are about everything. */
const TOO_WIDE = new Set(["test", "test/replicas", "test/platform"]);

const testsIn = (root: string, folder: string) =>
  [...new Bun.Glob(`${folder}/**/*.test.ts`).scanSync({ cwd: root })]
    .filter((test) => !APART.test(test))
    .toSorted();

/**
 * First the tests of the file: the one that mirrors its path or its folder's, and those that import it. Then the others of
 * the nearest mirrored folder, and at last the long ones among them all.
 */
export async function relatedTests(root: string, file: string): Promise<string[][]> {
  const bare = file.replace(/^src\//, "").replace(/\.tsx?$/, "");
  const mirrors = [bare, dirname(bare)].map((path) => `test/${path}.test.ts`);
  const own: string[] = [];
  for (const test of testsIn(root, "test")) {
    const isMirror = mirrors.includes(test);
    const isUser = async () => (await Bun.file(join(root, test)).text()).includes(`"~/${bare}"`);
    if (isMirror || (await isUser())) own.push(test);
  }
  let folder = dirname(`test/${bare}`);
  while (!TOO_WIDE.has(folder) && testsIn(root, folder).length === 0) folder = dirname(folder);
  const near = TOO_WIDE.has(folder) ? [] : testsIn(root, folder);
  const others = near.filter((test) => !own.includes(test));
  const isLong = (test: string) => LONG.test(test);
  return [
    own.filter((test) => !isLong(test)),
    others.filter((test) => !isLong(test)),
    [...own, ...others].filter(isLong),
  ];
}
