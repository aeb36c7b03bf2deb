/** A suite as an environment of OpenEnv: a folder with its manifest, its card, its client and its image. */
import { createHash } from "node:crypto";
import type { Client } from "~/commands/client";
import { asYaml } from "~/commands/document";
import {
  type Files,
  fill,
  oneLine,
  ownTemplates,
  pythonName,
  servedFile,
  servicesOf,
} from "~/commands/export/files";
import CLIENT from "~/commands/export/openenv/client.py" with { type: "text" };
import DOCKERFILE from "~/commands/export/openenv/Dockerfile.txt" with { type: "text" };
import INIT from "~/commands/export/openenv/init.py" with { type: "text" };
import PROJECT from "~/commands/export/openenv/pyproject.toml.txt" with { type: "text" };
import README from "~/commands/export/openenv/readme.txt" with { type: "text" };
import { type Suite, slugOf } from "~/commands/suite";

/** Of the folder, not of the suite: that has a hash. */
const VERSION = "0.1.0";
const PORT = 8_000;
/** As the validator needs it: an episode is over after this time. */
const EPISODE_SECONDS = 3_600;
/** Of Postgres, the server and the copies of a few episodes. */
const RESOURCES = { cpu: 2, memory_mb: 4_096, disk_mb: 2_048, episode_timeout_s: EPISODE_SECONDS };
/** The least that the validator accepts between the best reward and that of doing nothing. */
const MARGIN_MIN = 0.1;
const HASH_LENGTH = 12;
/** Lists the tools and does nothing: the reward must be the least. */
const PLAN = {
  plan_schema_version: "1",
  reset: { episode_id: "validation", seed: 0, options: {} },
  actions: [{ type: "list_tools" }, { type: "submit" }],
};

/** Tools and tasks, as the server has them. */
type Offer = { readonly tools: readonly string[]; readonly tasks: { [split: string]: number } };

/** Files by path. Throws CallFailed. */
export async function openEnvironment(suite: Suite, client: Client): Promise<Files> {
  const offer = await offerOf(suite, client);
  const services = await servicesOf(suite, client);
  const served = servedFile(suite, [...(await ownTemplates(suite, client)).values()]);
  const title = oneLine(suite.name) || "A suite";
  const description = oneLine(suite.description) || title;
  const name = pythonName(suite.name);
  const values = {
    TITLE: title.replace(/["\\]/g, " "),
    DESCRIPTION: description,
    DESCRIPTION_TEXT: JSON.stringify(description),
    NAME: name,
    CLASS: classOf(name),
    SLUG: slugOf(suite.name),
    SERVICE: services.join(" and "),
    VERSION,
    URL: client.url,
    COUNT: `${suite.tests.length}`,
    MCP: `${offer.tasks["mcp"]}`,
    API: `${offer.tasks["api"]}`,
    NOTHING: rewardsNothing(suite)
      ? "Doing nothing gets 0, but for the tasks that expect nothing: there it gets 1."
      : "Doing nothing gets 0.",
  };
  return {
    "openenv.yaml": `${asYaml(manifestOf(suite, offer, { description, served, services }))}\n`,
    "README.md": `---\n${asYaml(cardOf(title))}\n---\n\n${fill(README, values)}`,
    "pyproject.toml": fill(PROJECT, values),
    "__init__.py": fill(INIT, values),
    "client.py": fill(CLIENT, values),
    Dockerfile: DOCKERFILE,
    "suite.json": served,
    "validation/runtime.json": `${JSON.stringify(PLAN, null, 2)}\n`,
  };
}

async function offerOf({ id }: Suite, client: Client): Promise<Offer> {
  const root = `/openenv/${id}`;
  const request = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const { result } = await client.call("POST", `${root}/mcp`, request);
  const tasks: Offer["tasks"] = {};
  for (const split of ["mcp", "api"]) {
    const count = await client.call("POST", `${root}/${id}/num_tasks`, { split });
    tasks[split] = count["num_tasks"] as number;
  }
  return { tools: (result as { tools: { name: string }[] }).tools.map(({ name }) => name), tasks };
}

type Expected = { readonly expects?: unknown };
const rewardsNothing = ({ tests }: Suite) =>
  tests.some(({ expectedOutput }) => (expectedOutput as Expected).expects === "nothing");

/** The manifest of OpenEnv, and below `validation` what RFC 008 asks for. */
const manifestOf = (
  suite: Suite,
  { tools, tasks }: Offer,
  {
    description,
    served,
    services,
  }: { description: string; served: string; services: readonly string[] },
) => ({
  spec_version: 1,
  name: slugOf(suite.name),
  version: VERSION,
  description,
  type: "space",
  runtime: "docker",
  port: PORT,
  validation: {
    reward: {
      range: [0, 1],
      oracle_tolerance: 0,
      floor_margin: rewardsNothing(suite) ? MARGIN_MIN : 1,
    },
    resources: RESOURCES,
    network: { mode: "no-network" },
    task_distribution: {
      dataset_version: createHash("sha256").update(served).digest("hex").slice(0, HASH_LENGTH),
    },
    capabilities: {
      verifier: { kind: "reward_channel" },
      task_api: true,
      declared_tools: tools,
      declared_task_count: tasks,
    },
    types: { tags: ["tool-use", ...services.map((service) => `diorama:${service}`)] },
    execution: {
      kind: "openenv_ws",
      probe_path: "validation/runtime.json",
      dockerfile: "Dockerfile",
      context: ".",
      agent_boundary: "api",
    },
  },
});

/** The front matter that the hub reads. */
const cardOf = (title: string) => ({
  title,
  emoji: "🗂️",
  colorFrom: "blue",
  colorTo: "green",
  sdk: "docker",
  app_port: PORT,
  pinned: false,
  tags: ["openenv"],
});

const classOf = (name: string) =>
  `${name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())}Env`;
