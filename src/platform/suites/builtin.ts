/** The suites of `seeds/suites`: public, stored once per content, with stable ids. */
import { createHash } from "node:crypto";
import { inTransaction, type Pool } from "~/db/connect";
import { linesAbout, linesOf } from "~/input/shape";
import type { Log } from "~/log";
import { builtinHash, putBuiltin } from "~/platform/suites/builtin-store";
import { NewSuite } from "~/platform/suites/model";
import { prepareTests } from "~/platform/suites/preparation";
import type { Templates } from "~/platform/templates/templates";
import { requireKind } from "~/replicas/world";
import { randomId } from "~/source";
import { SUITES } from "../../../seeds/index";

const LOCK = "diorama suites";
/** Owns nothing, and therefore sees only public templates. */
const NOBODY = "";

/** Returns 32 hex digits, the same for the same names on every server. */
const stableId = (...names: readonly string[]) =>
  createHash("sha256").update(names.join("\u0000")).digest("hex").slice(0, 32);

/** Parses a suite file. Throws with the paths of mistakes. */
export function readSuite(content: unknown): NewSuite {
  const lines = linesAbout(NewSuite, content, "the file");
  if (lines.length > 0) throw new Error(linesOf(lines.map((line) => `suite file: ${line}`)));
  const suite = content as NewSuite;
  const names = (suite.tests ?? []).map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`suite ${suite.name}: two tests are named "${twice}"`);
  return suite;
}

/** Stores suites that are missing or have changed, and returns their names. Their templates must exist. */
export async function storeBuiltinSuites(
  pool: Pool,
  templates: Templates,
  log: Log,
  files: readonly unknown[] = SUITES,
): Promise<string[]> {
  const stored: string[] = [];
  for (const file of files) {
    const suite = readSuite(file);
    const suiteId = stableId(suite.name);
    const hash = stableId(JSON.stringify(suite));
    if ((await builtinHash(pool, suiteId)) === hash) continue;
    const frame = {
      service: requireKind(suite.templateService),
      templateName: suite.templateName,
      visibility: "public" as const,
      actingUserId: suite.impersonateUserId ?? null,
    };
    const template = await templates.require(NOBODY, frame.service, frame.templateName);
    const { impersonateUserId: id } = suite;
    if (id !== undefined) await templates.requireUser(template, { id });
    const tests = await prepareTests(
      { templates, newId: randomId },
      NOBODY,
      frame,
      suite.tests ?? [],
    );
    await inTransaction(pool, async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtext(${LOCK}))`;
      await putBuiltin(
        tx,
        {
          ...frame,
          suiteId,
          name: suite.name,
          description: suite.description ?? "",
        },
        tests.map((test) => ({ ...test, testId: stableId(suite.name, test.name) })),
        hash,
      );
    });
    log.info("suite stored", { suite: suite.name, tests: tests.length });
    stored.push(suite.name);
  }
  return stored;
}
