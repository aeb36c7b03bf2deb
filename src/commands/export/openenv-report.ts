/** The audit of a suite in the schema of OpenEnv's validation reports (version 1, of RFC 008). */
import type { TestAudit, TestSuiteAudit } from "~/clients/typescript/schema";
import type { Suite } from "~/commands/suite";

/** Lines of one check. */
const EVIDENCE_MAX = 20;
/** Of OpenEnv: the checks of verifiers. */
const SEMANTIC = 3;

type Check = {
  readonly check_id: string;
  readonly status: "pass" | "fail" | "skip";
  readonly measured: object;
  readonly evidence: readonly string[];
  readonly remediation: string | null;
  readonly duration_s: number;
};

/**
 * One check for the solutions, one for doing nothing, with the ids that OpenEnv has for them, and one for each other
 * class of mutants. The package's own declarations are not part of an audit: `manifest` is null.
 */
export function openEnvReport(suite: Suite, audit: TestSuiteAudit): object {
  const { tests } = audit;
  const classes = [...new Set(tests.flatMap((test) => test.classes.map((each) => each.class)))];
  const others = classes.filter((name) => name !== "empty");
  const results = [
    solutions(tests),
    classCheck(tests, "empty", "semantic.floor_gap"),
    ...others.map((name) => classCheck(tests, name, `suite_audit.${name}`)),
  ];
  const isWrong = results.some(({ status }) => status === "fail") && audit.s1 + wrong(tests) > 0;
  const isWeak = results.some(({ status }) => status !== "pass");
  const weak = isWeak ? "warn" : "pass";
  return {
    report_schema_version: "1",
    target: suite.name,
    source_digest: digestOf(suite),
    signature: "openenv.yaml",
    manifest: null,
    policy_version: "diorama-audit-1",
    lane: "local",
    levels_run: [SEMANTIC],
    results: results.map((each) => ({ ...each, duration_s: audit.seconds / results.length })),
    verdict: isWrong ? "fail" : weak,
  };
}

const wrong = (tests: readonly TestAudit[]) =>
  tests.filter(({ state }) => state === "solution_fails" || state === "invalid").length;

/** Every solution gets the greatest reward. */
function solutions(tests: readonly TestAudit[]): Omit<Check, "duration_s"> {
  const failing = tests.filter(({ failures }) => failures.length > 0);
  const unknown = tests.filter(({ solution }) => solution === null);
  const found = failing.length > 0 ? ("fail" as const) : ("pass" as const);
  return {
    check_id: "semantic.oracle_max",
    status: failing.length === 0 && unknown.length === tests.length ? "skip" : found,
    measured: {
      tests: tests.length,
      solved: tests.length - failing.length - unknown.length,
      unknown: unknown.length,
    },
    evidence: failing
      .flatMap(({ name, failures }) => failures.map((failure) => `${name}: ${failure}`))
      .slice(0, EVIDENCE_MAX),
    remediation: failing.length > 0 ? "bring the assertions and the solution together" : null,
  };
}

function classCheck(
  tests: readonly TestAudit[],
  name: string,
  id: string,
): Omit<Check, "duration_s"> {
  const sum = (of: "mutants" | "killed") =>
    tests
      .flatMap(({ classes }) => classes.filter((each) => each.class === name))
      .reduce((total, each) => total + each[of], 0);
  const survivors = tests.flatMap((test) =>
    test.survivors
      .filter((each) => each.class === name)
      .map((each) => ({ test: test.name, ...each })),
  );
  const [mutants, killed] = [sum("mutants"), sum("killed")];
  const tried = survivors.length > 0 ? ("fail" as const) : ("pass" as const);
  return {
    check_id: id,
    status: mutants === 0 ? "skip" : tried,
    measured: { mutants, killed, survivors: survivors.length },
    evidence:
      mutants === 0
        ? ["no test has such a mutant"]
        : survivors.map((each) => `${each.test}: ${each.change}`).slice(0, EVIDENCE_MAX),
    remediation: survivors[0] ? `${survivors[0].test}: ${survivors[0].proposal}` : null,
  };
}

/** Of the tests, as they were audited. */
const digestOf = ({ tests }: Suite) =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(tests)).digest("hex");
