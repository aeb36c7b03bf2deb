/** A suite as tasks of Harbor: a folder for each test, with everything that it needs. */
import { type Answer, CallFailed, type Client } from "~/commands/client";
import { type Files, fill, oneLine, ownTemplates, servedFile } from "~/commands/export/files";
import COMPOSE from "~/commands/export/harbor/compose.txt" with { type: "text" };
import MAIN from "~/commands/export/harbor/Dockerfile.txt" with { type: "text" };
import SIDECAR from "~/commands/export/harbor/sidecar.txt" with { type: "text" };
import SOLVE from "~/commands/export/harbor/solve.py" with { type: "text" };
import SOLUTION from "~/commands/export/harbor/solve.sh.txt" with { type: "text" };
import TASK from "~/commands/export/harbor/task.toml.txt" with { type: "text" };
import VERIFIER from "~/commands/export/harbor/test.sh.txt" with { type: "text" };
import GRADER from "~/commands/export/harbor/verifier.txt" with { type: "text" };
import { type SolvingCall, solutionOf } from "~/commands/export/solution";
import { type Suite, slugOf, type Test } from "~/commands/suite";
import { namesTime, promptAt } from "~/platform/suites/prompt";
import type { About } from "~/replicas/about";
import type { ServiceOperation } from "~/replicas/replica";
import { SERVICES } from "~/replicas/services";

const ID_LENGTH = 8;

/** Files by path, of all tests of the suite. Throws CallFailed. */
export async function harborTasks(suite: Suite, client: Client): Promise<Files> {
  const seeds = await ownTemplates(suite, client);
  const stories = await storiesOf(suite, client);
  const requestOf = await createRequests();
  const files: { [file: string]: string } = {};
  for (const test of suite.tests) {
    const folder = `${slugOf(test.name)}-${test.id.slice(0, ID_LENGTH)}`;
    const solution = await solutionOf(client, test.id);
    const name = test.templateName ?? suite.templateName;
    const { day = null, services = [] } = stories.get(name) ?? {};
    const texts = {
      ...taskFiles(suite, test, { template: seeds.get(name), day, services }),
      ...(solution && solutionFiles(solution.map(requestOf))),
    };
    for (const [file, text] of Object.entries(texts)) files[`${folder}/${file}`] = text;
  }
  return files;
}

/** The day on which a template's story plays, null for real time, and its services. */
type Story = { readonly day: string | null; readonly services: readonly string[] };

/** Of a suite's templates, by their names. */
async function storiesOf(suite: Suite, client: Client): Promise<Map<string, Story>> {
  const names = new Set(suite.tests.map((test) => test.templateName ?? suite.templateName));
  const stories = new Map<string, Story>();
  for (const name of names) {
    const { now, services } = await client.call("GET", `/templates/${name}`);
    stories.set(name, { day: now as string | null, services: services as string[] });
  }
  return stories;
}

/** The prompt, which is written before there is an environment. Throws CallFailed. */
function instruction({ name, prompt }: Test, day: string | null): string {
  if (day === null && namesTime(prompt))
    throw new CallFailed(
      `test ${JSON.stringify(name)}: {{now}} is not known before the task begins: its template runs in real time`,
    );
  return promptAt(prompt, day ?? new Date());
}

const ROOT = "http://diorama:3000/task/services";
const wordsFor = ({ name, path }: About["api"]) => (path ? `${name}, at the path ${path}` : name);
const accessTo = (service: string) => {
  const about = SERVICES.get(service);
  return `${about ? wordsFor(about.api) : "the API of the service"} at ${ROOT}/${service}`;
};

function taskFiles(
  suite: Suite,
  test: Test,
  { template, day, services }: Story & { readonly template: Answer | undefined },
): Files {
  const vendor = SERVICES.get(suite.templateService)?.alias ?? suite.templateService;
  const tools = test.surfaces?.includes("mcp") ?? true;
  const values: { readonly [name: string]: string } = {
    TITLE: oneLine(test.name),
    TITLE_TEXT: JSON.stringify(oneLine(test.name)),
    NAME: `${slugOf(suite.name)}-${slugOf(test.name)}`,
    SUITE_TEXT: JSON.stringify(oneLine(suite.name)),
    SERVICE: suite.templateService,
    TEST_ID: test.id,
    VENDOR: vendor,
  };
  const access = [
    ...(tools ? [`Use the tools of the MCP server "${vendor}".`] : []),
    `${tools ? "You can also call" : "Call"} ${services.map(accessTo).join("; ")}; any token is accepted.`,
  ];
  return {
    "task.toml": fill(TASK, values),
    "instruction.md": `${instruction(test, day).trimEnd()}\n\n${access.join(" ")}\n`,
    "environment/Dockerfile": MAIN,
    "environment/Dockerfile.diorama": fill(SIDECAR, values),
    "environment/docker-compose.yaml": fill(COMPOSE, {
      NOW: day === null ? "" : `    environment:\n      DIORAMA_NOW: "${day}"\n`,
    }),
    "environment/task.json": servedFile({ ...suite, tests: [test] }, template ? [template] : []),
    "tests/Dockerfile": GRADER,
    "tests/test.sh": VERIFIER,
  };
}

/**
 * Adds to a call of a REST API the request that makes it: of its arguments, those in `path` and `query` go there.
 * Replicas are loaded for this alone, and list their operations once.
 */
async function createRequests(): Promise<(call: SolvingCall) => SolvingCall> {
  const { requireReplica } = await import("~/replicas/index");
  const known = new Map<string, readonly ServiceOperation[]>();
  return (call) => {
    if (call.via !== "rest") return call;
    const operations = known.get(call.service) ?? requireReplica(call.service).operations();
    known.set(call.service, operations);
    const { method, path, query } = operations.find(
      ({ name, method: verb }) => name === call.name && verb !== "get",
    ) ?? { method: "post", path: call.name };
    const parameters = Object.keys(query?.properties ?? {});
    return { ...call, ...{ method: method.toUpperCase(), path, query: parameters } };
  };
}

const solutionFiles = (calls: readonly SolvingCall[]) => ({
  "solution/calls.json": `${JSON.stringify(calls, null, 2)}\n`,
  "solution/solve.py": SOLVE,
  "solution/solve.sh": SOLUTION,
});
