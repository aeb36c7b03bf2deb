/** The audit of a suite as OpenEnv's own package reads it. */
import { expect, test } from "bun:test";
import { useCommands } from "../support/commands";
import { useDatabase } from "../support/database";
import { runOpenEnv } from "../support/openenv";
import { useProgram } from "../support/program";

const program = useProgram(useDatabase());
const { run, path } = useCommands(program);

const READ = `
import sys
from pathlib import Path
from openenv.validation.report import ValidationReport
report = ValidationReport.model_validate_json(Path(sys.argv[1]).read_text())
print(report.verdict.value, len(report.results), {check.status.value for check in report.results})
`;
const MINUTES = 5 * 60_000;

test(
  "is a validation report",
  async () => {
    const { out, code } = await run(["suites", "audit", "chat-benchmark", "--format", "openenv"]);
    await Bun.write(path("report.json"), out);

    const read = await runOpenEnv("-c", READ, path("report.json"));

    expect(read.err).toBe("");
    expect([code, read.out.trim()]).toEqual([0, "pass 16 {'pass'}"]);
  },
  MINUTES,
);
