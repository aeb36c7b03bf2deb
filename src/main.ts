/** argv → command, and its failure → exit code. */
import { createCommandLine } from "~/commands/command-line";
import { report } from "~/commands/report";
import { interruption } from "~/commands/signals";
import { chooseFormat, createLog, errorFields } from "~/log";
import { noteUnhandled } from "~/metrics";

/** For bugs. `serve` replaces it by one in the format of the settings. */
let log = createLog({ level: "error", format: chooseFormat("auto") });

// An unhandled rejection is a bug to log, not a reason to drop every call.
process.on("unhandledRejection", (error) => {
  noteUnhandled();
  log.error("unhandled rejection", errorFields(error));
});
process.on("uncaughtException", (error) => {
  noteUnhandled();
  log.error("uncaught exception", errorFields(error));
});

const { env } = process;
const words = process.argv.slice(2);
createCommandLine({
  env,
  // Other commands start faster without what a server needs.
  serve: async (options) =>
    (await import("~/commands/serve")).serve(env, options, ({ LOG_FORMAT }) => {
      log = createLog({ level: "error", format: chooseFormat(LOG_FORMAT) });
    }),
  interruption,
  endWith: (code) => {
    process.exitCode = code;
  },
})
  .parseAsync(words.length === 0 ? ["serve"] : words, { from: "user" })
  .catch((error) => process.exit(report(error, log)));
