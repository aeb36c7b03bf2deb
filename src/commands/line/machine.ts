/** Commands of the machine that a server runs on. */
import { type Command, Option } from "commander";
import { capture } from "~/commands/capture";
import { health } from "~/commands/health";
import { keys, PLANS } from "~/commands/keys";
import { licenses } from "~/commands/licenses";
import { type Context, positive, upTo } from "~/commands/line/options";
import type { Serving } from "~/commands/serve";
import type { TaskFinish } from "~/commands/task";
import { SETTINGS } from "~/config";
import { ENDINGS } from "~/evaluation/ending";

const EXIT_CODE_MAX = 2 ** 31 - 1;

export function addMachine(line: Command, { env, serve, endWith }: Context): void {
  line
    .command("serve")
    .description("Start the server. This is the default command.")
    .option(
      "--task <test>",
      "Serve one test at /task: its id, or a file of `suites export --format harbor`.",
    )
    .option(
      "--suite <suite>",
      "Play one suite at / in the protocol of OpenEnv, without a key: its name or id, or a file of `suites export --format openenv`.",
    )
    .addHelpText("after", () => `\nSettings, from the environment:\n${settingsHelp()}`)
    .action((options: Serving) => serve(options));
  line
    .command("task")
    .description("The test of a server that was started with serve --task, on this machine.")
    .command("finish")
    .description(
      "End the run, and write result.json into a folder, and reward.json if the run is gradable.",
    )
    .requiredOption("--out <folder>", "For the files.")
    .addOption(
      new Option("--ending <way>", "How the agent ended, if that is known.").choices(
        Object.keys(ENDINGS),
      ),
    )
    .option("--exit-code <code>", "Of the agent's process.", upTo(EXIT_CODE_MAX, 0))
    .action(async (options: TaskFinish) =>
      (await import("~/commands/task")).finishTask(env, options),
    );
  line
    .command("health")
    .description("Check whether the server on this machine can serve, for container health checks.")
    .action(async () => endWith(await health(env)));
  line
    .command("doctor")
    .description("Check settings and database, and suggest fixes.")
    .action(async () => (await import("~/commands/doctor")).doctor(env));

  const ofKeys = line.command("keys").description("API keys, in the database of the settings.");
  ofKeys
    .command("create")
    .description("Create a key and print it. It cannot be shown again.")
    .requiredOption("--user <id>", "The user that the key acts for.")
    .option("--name <text>", "A note.", "")
    .addOption(new Option("--plan <plan>", "Its limits.").choices(PLANS).default("free"))
    .option("--days <number>", "Days until it expires. Without: never.", positive)
    .action(({ user, name, plan, days = null }) =>
      keys(env).create({ userId: user, name, plan, expiresInDays: days }),
    );
  ofKeys
    .command("list")
    .description("List all keys.")
    .action(() => keys(env).list());
  ofKeys
    .command("revoke")
    .description("Revoke a key, effective from the next call.")
    .argument("<key-id>")
    .action((keyId) => keys(env).revoke(keyId));

  const ofCapture = line.command("capture").description("Capture of changes from the log.");
  ofCapture
    .command("status")
    .description("Show the state of capture, and how much log it retains.")
    .action(() => capture(env).status());
  ofCapture
    .command("drop-slot")
    .description("Drop the slot, before you retire the database or lower its wal_level.")
    .option("--force", "Drop it even if runs are active; they fail.", false)
    .action(({ force }) => capture(env).drop(force));

  line
    .command("licenses")
    .description("Print the licenses of everything in this program.")
    .action(licenses);
}

function settingsHelp(): string {
  const names = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `  ${name.padEnd(width)}  ${SETTINGS[name].help}`).join("\n");
}
