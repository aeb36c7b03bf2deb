/** Manifests and routes of cells. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { createMetrics } from "~/metrics";
import { expectFlawless, expectObjectStore } from "../support/manifests";

const FOLDER = join(import.meta.dir, "../../scripts/cells/kubernetes");
const KUSTOMIZATION = "kustomization.yaml";
const CELLS = ["a1", "a2"];
const read = async (path: string) =>
  Bun.YAML.parse(await Bun.file(join(FOLDER, path)).text()) as any;
const files = [...new Bun.Glob("**/*.yaml").scanSync(FOLDER)].sort();

/** A patch has only the fields that it changes. */
const PATCHES = ["cell/database.yaml", "backup/archive.yaml", "keda/no-autoscaler.yaml"];
const STORE = "backup/object-store.yaml";
const isPart = (path: string) => path.endsWith(KUSTOMIZATION) || PATCHES.includes(path);

test.each(files.filter((path) => !isPart(path) && path !== STORE))(
  "%s fits the schema of its kind",
  async (path) => expectFlawless(await read(path)),
);

describe("the component", () => {
  test.each(["backup", "keda"])("%s consists of its files", async (component) => {
    const { kind, resources, patches } = await read(`${component}/${KUSTOMIZATION}`);

    expect(kind).toBe("Component");
    const named = [...resources, ...patches.map(({ path }: any) => path), KUSTOMIZATION];
    const own = files.filter((path) => path.startsWith(`${component}/`));
    expect(named.map((path) => `${component}/${path}`).toSorted()).toEqual(own);
  });

  test("backup archives the log of the cell's Postgres and copies it, to the store that it makes", async () => {
    const cluster = await read("cell/postgres.yaml");
    const archive = await read("backup/archive.yaml");
    const backup = await read("backup/scheduled-backup.yaml");
    const store = await read(STORE);

    await expectObjectStore(store.spec.configuration);
    expect(archive.metadata.name).toBe(cluster.metadata.name);
    await expectFlawless({ ...cluster, spec: { ...cluster.spec, ...archive.spec } });
    expect(backup.spec.cluster.name).toBe(cluster.metadata.name);
    const [plugin] = archive.spec.plugins;
    expect(plugin.isWALArchiver).toBe(true);
    expect(plugin.parameters.barmanObjectName).toBe(store.metadata.name);
    expect(backup.spec.pluginConfiguration.name).toBe(plugin.name);
  });

  test("keda takes the place of the cell's autoscaler, and reads a metric that exists", async () => {
    const { kind, metadata } = await read("cell/autoscaler.yaml");
    const { $patch, ...removed } = await read("keda/no-autoscaler.yaml");
    const { spec } = await read("keda/scaled-object.yaml");

    expect($patch).toBe("delete");
    expect(removed).toMatchObject({ kind, metadata });
    const { query } = spec.triggers[0].metadata;
    const name = query.match(/diorama_[a-z_]+/)[0];
    expect(createMetrics().registry.getSingleMetric(name)).toBeDefined();
    const mistakes: string[] = [];
    parser.parse(query).iterate({
      enter: ({ type, from }) => void (type.isError && mistakes.push(query.slice(from))),
    });
    expect(mistakes).toEqual([]);
  });
});

describe.each(CELLS)("the cell %s", async (cell) => {
  const { namespace, resources, patches } = await read(`${cell}/${KUSTOMIZATION}`);
  const route = await read(`${cell}/route.yaml`);

  test("has a namespace and a setting of its own", async () => {
    expect(namespace).toBe(`diorama-${cell}`);
    expect((await read(`${cell}/namespace.yaml`)).metadata.name).toBe(namespace);
    expect(Bun.YAML.parse(patches[0].patch)).toMatchObject([
      { value: { name: "CELL", value: cell } },
    ]);
    const isFile = (name: string) => files.includes(join(cell, name));
    expect(resources.filter((name: string) => !isFile(name))).toEqual(["../cell"]);
  });

  test("gets the calls with its header, or with its ids", () => {
    const [header, path] = route.spec.rules[0].matches;
    expect(header.headers).toEqual([{ name: "X-Diorama-Cell", value: cell }]);
    const matches = (given: string) => new RegExp(`^${path.path.value}$`).test(given);
    const id = (first: string) => first + "0".repeat(30);
    for (const given of [`/api/env/${id(cell)}/mcp`, `/api/platform/runs/${id(cell)}`])
      expect(matches(given)).toBe(true);
    for (const given of [`/api/env/${id("b2")}/mcp`, "/api/platform/initEnv"])
      expect(matches(given)).toBe(false);
  });

  test("gets its share of all other calls", async () => {
    const { spec } = await read("any.yaml");
    const backends = spec.rules[0].backendRefs.map(({ namespace }: any) => namespace);
    expect(backends).toContain(namespace);
  });
});
