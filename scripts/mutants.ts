/**
 * Changes one line at a time, in a copy of the working tree, and runs the tests that should notice.
 *
 *   bun run mutants --files GLOB [--files GLOB …] [--count N] [--seed N] [--test PATH …] [--seconds N]
 *
 * The related tests of a file are those that import it, those of its mirrored folder, those of the folders that it works
 * with, and those about everything, the long ones last. `--test` names others instead. `--seconds` is the most that the
 * tests of one mutant take: after it, the mutant is killed, as a loop without end would be. A survivor that the compiler
 * rejects does not count. Exits with 1 if another one survives.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { choose } from "./mutants/choose";
import { type Mutant, mutantsOf } from "./mutants/mutate";
import { relatedTests } from "./mutants/related";
import { openTree } from "./mutants/tree";

const ROOT = join(import.meta.dir, "..");

const { values } = parseArgs({
  options: {
    files: { type: "string", multiple: true },
    count: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    test: { type: "string", multiple: true },
    seconds: { type: "string", default: "600" },
  },
});
if (!values.files?.length)
  throw new Error("--files is needed: a glob such as 'src/evaluation/*.ts'");

const files = values.files.flatMap((glob) => [...new Bun.Glob(glob).scanSync({ cwd: ROOT })]);
const found: Mutant[] = [];
for (const file of [...new Set(files)].toSorted())
  if (/\.tsx?$/.test(file)) found.push(...mutantsOf(file, await Bun.file(join(ROOT, file)).text()));
const chosen = choose(found, Number(values.count), Number(values.seed));
console.log(
  `${chosen.length} of ${found.length} mutants of ${files.length} files, seed ${values.seed}`,
);

const tree = await openTree(ROOT, Number(values.seconds) * 1000);

type Outcome = "killed" | "rejected" | "survived" | "untested";

/** Test files that pass, and those that fail, without a mutant. */
const sound = new Set<string>();
const unsound = new Set<string>();

async function areSound(tests: readonly string[]): Promise<boolean> {
  if (tests.every((test) => sound.has(test))) return true;
  const passes = (await tree.failing(tests)) === undefined;
  if (passes) for (const test of tests) sound.add(test);
  return passes;
}

/** Whether one of these tests fails with the mutant, and passes without it. */
async function isNoticed(mutant: Mutant, tests: readonly string[]): Promise<boolean> {
  const left = tests.filter((test) => !unsound.has(test));
  if (left.length === 0) return false;
  await tree.write(mutant.file, mutant.text);
  const failing = await tree.failing(left);
  await tree.restore(mutant.file);
  if (failing === undefined) return false;
  const suspects = failing === "" ? left : [failing];
  if (await areSound(suspects)) return true;
  const before = unsound.size;
  for (const test of suspects) {
    if (suspects.length > 1 && (await areSound([test]))) continue;
    unsound.add(test);
    console.log(`left out  ${test}, which fails without a mutant`);
  }
  return unsound.size > before && (await isNoticed(mutant, left));
}

/** The likeliest tests first: most mutants do not need the others. */
async function outcomeOf(mutant: Mutant): Promise<Outcome> {
  const { file, text } = mutant;
  const groups = values.test ? [values.test] : await relatedTests(ROOT, file);
  for (const group of groups) if (await isNoticed(mutant, group)) return "killed";
  await tree.write(file, text);
  const compiles = await tree.compiles();
  await tree.restore(file);
  if (!compiles) return "rejected";
  return groups.flat().every((test) => unsound.has(test)) ? "untested" : "survived";
}

const counts: Record<Outcome, number> = { killed: 0, rejected: 0, survived: 0, untested: 0 };
for (const mutant of chosen) {
  const outcome = await outcomeOf(mutant);
  counts[outcome]++;
  console.log(`${outcome.padEnd(8)} ${mutant.file}:${mutant.line}  ${mutant.from} → ${mutant.to}`);
}
await tree.close();

const { killed, rejected, survived, untested } = counts;
const alive = survived + untested;
const without = untested > 0 ? `, ${untested} without tests` : "";
const others = rejected > 0 ? `; the compiler rejects ${rejected} more` : "";
console.log(`\n${killed} of ${killed + alive} killed${without}${others}`);
process.exitCode = alive > 0 ? 1 : 0;
