/** `diorama suites`: runs a suite with an agent of one's own, and takes suites from one server to another. */
import { parseArgs } from "node:util";
import {
  type Answer,
  asYaml,
  type Client,
  createClient,
  type Environment,
  readDocument,
  SERVER_OPTIONS,
  UsageError,
} from "~/commands/client";
import { type Outcome, report, runSuite, type Suite } from "~/commands/suite-run";
import { notice, print, progress } from "~/log";

export const SUITES_USAGE = `
  diorama suites run NAME|ID --command COMMAND [--test NAME]… [--parallel N] [--timeout SECONDS] [--json]
      COMMAND is run by the shell once for each test, with DIORAMA_PROMPT, DIORAMA_SERVICE_URL, DIORAMA_TOKEN and
      DIORAMA_USER_ID in its environment. Ends with 1 unless every test passed.
  diorama suites export NAME|ID [--json]
  diorama suites import FILE [--name NAME] [--visibility public|private]`;

const PARALLEL_MAX = 64;
/** The longest life of an environment is seven days. */
const TIMEOUT_SECONDS_MAX = 600_000;

/** Returns the exit code. */
export async function suites(
  args: readonly string[],
  env: Environment,
  signal: AbortSignal,
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...SERVER_OPTIONS,
      command: { type: "string" },
      test: { type: "string", multiple: true },
      parallel: { type: "string", default: "1" },
      timeout: { type: "string", default: "600" },
      json: { type: "boolean", default: false },
      name: { type: "string" },
      visibility: { type: "string" },
    },
  });
  const [command, subject, ...more] = positionals;
  const client = createClient(values, env);
  if (more.length > 0 || subject === undefined) throw new UsageError(SUITES_USAGE);
  switch (command) {
    case "run": {
      if (!values.command) throw new UsageError("--command says how the agent is started");
      const parallel = number("--parallel", values.parallel, PARALLEL_MAX);
      const timeoutSeconds = number("--timeout", values.timeout, TIMEOUT_SECONDS_MAX);
      const suite = only(await findSuite(client, subject), values.test);
      const outcomes = await runSuite({
        ...{ client, suite, command: values.command, env, parallel, timeoutSeconds, signal },
        onProgress: showProgress(suite.tests.length),
      });
      const { text, json, allPassed } = report(suite, outcomes);
      print(values.json ? JSON.stringify(json, null, 2) : text);
      return allPassed ? 0 : 1;
    }
    case "export": {
      const suite = exported(await findSuite(client, subject));
      print(values.json ? JSON.stringify(suite, null, 2) : asYaml(suite));
      return 0;
    }
    case "import": {
      const created = await client.call("POST", "/testSuites", {
        ...(await readDocument(subject)),
        ...(values.name && { name: values.name }),
        ...(values.visibility && { visibility: values.visibility }),
      });
      notice(`suite ${created["name"]} is there, with the id`);
      print(`${created["suiteId"]}`);
      return 0;
    }
    default:
      throw new UsageError(SUITES_USAGE);
  }
}

function number(option: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max)
    throw new UsageError(`${option}: a whole number from 1 to ${max} is needed`);
  return value;
}

const ID = /^[0-9a-f]{32}$/;

/** By id, or by its whole name. */
async function findSuite(client: Client, subject: string): Promise<Suite> {
  const id = ID.test(subject) ? subject : await idOf(client, subject);
  return (await client.call("GET", `/testSuites/${id}?expand=true`)) as Suite;
}

async function idOf(client: Client, name: string): Promise<string> {
  const { testSuites } = await client.call("GET", `/testSuites?name=${encodeURIComponent(name)}`);
  const found = testSuites as { id: string; name: string }[];
  const exact = found.filter((suite) => suite.name === name);
  const [first, second] = exact;
  if (second)
    throw new UsageError(
      `several suites are named ${name}: ${exact.map(({ id }) => id).join(", ")}; name one by its id`,
    );
  if (first) return first.id;
  const near = found.map((suite) => suite.name).join(", ");
  throw new UsageError(`there is no suite named ${name}${near && `; there is ${near}`}`);
}

function only(suite: Suite, names: readonly string[] | undefined): Suite {
  if (names === undefined) return suite;
  const unknown = names.find((name) => !suite.tests.some((test) => test.name === name));
  if (unknown !== undefined)
    throw new UsageError(`the suite ${suite.name} has no test named ${unknown}`);
  return { ...suite, tests: suite.tests.filter(({ name }) => names.includes(name)) };
}

/** As the body of its creation, which is also the shape of a suite file. */
function exported({ id: _, impersonateUserId, tests, ...suite }: Suite): Answer {
  return {
    ...suite,
    ...(impersonateUserId !== null && { impersonateUserId }),
    tests: tests.map(({ id: __, ...test }) => test),
  };
}

function showProgress(total: number) {
  const done: Outcome[] = [];
  return (outcome: Outcome) => {
    done.push(outcome);
    const passed = done.filter(({ verdict }) => verdict === "passed").length;
    progress(
      `${done.length} of ${total}, ${passed} passed; ${outcome.verdict}: ${outcome.name}`,
      done.length === total,
    );
  };
}
