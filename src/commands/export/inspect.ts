/** A suite as a task of Inspect AI: its Python, and its tests as a dataset. */
import { type Files, fill, oneLine, pythonName } from "~/commands/export/files";
import TASK from "~/commands/export/inspect.py" with { type: "text" };
import { SURFACES, type Suite } from "~/commands/suite";
import { WORLD } from "~/replicas/members";
import { SERVICES } from "~/replicas/services";

/** Files by name. `url`: of the server. `services`: of the suite's template. */
export function inspectTask(suite: Suite, url: string, services: readonly string[]): Files {
  const isWorld = suite.templateService === WORLD;
  const apis = services.map((service) => {
    const { name, example } = SERVICES.get(service)?.api ?? {
      name: `the ${service} API`,
      example: "",
    };
    return isWorld
      ? { name: `${name} below /${service}`, example: `/${service}${example}` }
      : { name, example };
  });
  const values: { readonly [name: string]: string } = {
    SUITE: docLine(suite.name),
    SUITE_ID: suite.id,
    NAME: pythonName(suite.name),
    SERVICE: suite.templateService,
    API: apis.map(({ name }) => name).join(", and "),
    PATH: apis.map(({ example }) => example).join("` or `"),
    URL: url,
  };
  return {
    "task.py": fill(TASK, values),
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
const docLine = (text: string) => oneLine(text.replace(/["\\@]/g, " ")) || "A suite";
