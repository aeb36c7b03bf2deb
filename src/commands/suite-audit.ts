/** `diorama suites audit`: whether the tests of a suite tell right from almost right. */
import type { TestSuiteAudit } from "~/clients/typescript/schema";
import { CallFailed, type Client } from "~/commands/client";
import { openEnvReport } from "~/commands/export/openenv-report";
import { CommandError } from "~/commands/failure";
import { junitOf } from "~/commands/suite-audit-junit";
import { exitCodeOf, textOf } from "~/commands/suite-audit-report";
import { findSuite, writeReport } from "~/commands/suites";
import { print } from "~/log";

export const AUDIT_FORMATS = ["openenv"] as const;
export type SuiteAudit = {
  readonly runs: boolean;
  readonly json: boolean;
  readonly junit?: string;
  readonly format?: (typeof AUDIT_FORMATS)[number];
};

/** Returns the exit code. */
export async function auditSuite(
  client: Client,
  subject: string,
  { runs, json, junit, format }: SuiteAudit,
): Promise<number> {
  const suite = await findSuite(client, subject);
  const path = `/testSuites/${suite.id}/audit?runs=${runs}`;
  const audit = (await client.call("GET", path).catch((error) => {
    // Not the exit code of survivors.
    throw error instanceof CallFailed ? new CommandError(error.message) : error;
  })) as unknown as TestSuiteAudit;
  if (junit) await writeReport(junit, junitOf(audit));
  if (format === "openenv") print(JSON.stringify(openEnvReport(suite, audit), null, 2));
  else print(json ? JSON.stringify(audit, null, 2) : textOf(audit, runs));
  return exitCodeOf(audit);
}
