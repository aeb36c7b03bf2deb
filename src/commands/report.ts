import { CommanderError } from "commander";
import { CallFailed, UsageError } from "~/commands/client";
import { CommandError, EXIT_CONFIG, EXIT_UNAVAILABLE, EXIT_USAGE } from "~/commands/failure";
import { ConfigError } from "~/config";
import { errorFields, type Log, notice } from "~/log";
import { PreflightError } from "~/program/check";

/** Prints why a command failed. Returns its exit code. */
export function report(error: unknown, log: Log): number {
  if (error instanceof ConfigError || error instanceof PreflightError) {
    for (const problem of error.problems) notice(problem);
    return error instanceof ConfigError ? EXIT_CONFIG : EXIT_UNAVAILABLE;
  }
  // Commander has already printed the problem or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof UsageError) {
    notice(error.message);
    return EXIT_USAGE;
  }
  if (error instanceof CommandError) {
    notice(error.message);
    return EXIT_UNAVAILABLE;
  }
  if (error instanceof CallFailed) {
    notice(error.message);
    return error.unreachable ? EXIT_UNAVAILABLE : 1;
  }
  log.error("failed", errorFields(error));
  notice(error instanceof Error ? error.message : "failed");
  return 1;
}
