/** A suite as a task of Inspect AI: its Python, and its tests as a dataset. */
import TASK from "~/commands/export/inspect.py" with { type: "text" };
import { SURFACES, type Suite } from "~/commands/suite";

/** How an agent is told to call a service's own API. */
const APIS: { readonly [service: string]: { readonly api: string; readonly path: string } } = {
  chat: { api: "the Web API of Slack", path: "/chat.postMessage" },
  tracker: { api: "the GraphQL API of Linear", path: "/graphql" },
};

/** Files by name. `url`: of the server. */
export function inspectTask(suite: Suite, url: string): { readonly [file: string]: string } {
  const { api = "the API of the service", path = "/" } = APIS[suite.templateService] ?? {};
  const values: { readonly [name: string]: string } = {
    SUITE: oneLine(suite.name),
    SUITE_ID: suite.id,
    NAME: nameOf(suite.name),
    SERVICE: suite.templateService,
    API: api,
    PATH: path,
    URL: url,
  };
  return {
    "task.py": TASK.replace(/@([A-Z_]+)@/g, (whole, name: string) => values[name] ?? whole),
    "dataset.json": `${JSON.stringify(samplesOf(suite), null, 2)}\n`,
  };
}

/** A sample has the name of its test as its id, unless two tests share a name. */
function samplesOf({ tests }: Suite) {
  const isUnique = new Set(tests.map(({ name }) => name)).size === tests.length;
  return tests.map(({ id, name, prompt, surfaces = SURFACES }) => ({
    id: isUnique ? name : id,
    input: prompt,
    metadata: { test_id: id, name, surfaces },
  }));
}

/** Text for a Python docstring. */
const oneLine = (text: string) =>
  text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]|["\\@]/gu, " ").trim() || "A suite";

/** The name of a task: `chat_benchmark` for "Chat benchmark". */
const nameOf = (text: string) =>
  text
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.join("_") ?? "suite";
