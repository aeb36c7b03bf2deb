/** Manifests and routes of cells. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { expectFlawless } from "../support/manifests";

const FOLDER = join(import.meta.dir, "../../scripts/cells/kubernetes");
const KUSTOMIZATION = "kustomization.yaml";
const CELLS = ["a1", "a2"];
const read = async (path: string) =>
  Bun.YAML.parse(await Bun.file(join(FOLDER, path)).text()) as any;
const files = [...new Bun.Glob("**/*.yaml").scanSync(FOLDER)].sort();

/** A patch has only the fields that it changes. */
const isPart = (path: string) => path.endsWith(KUSTOMIZATION) || path === "cell/database.yaml";

test.each(files.filter((path) => !isPart(path)))("%s fits the schema of its kind", async (path) =>
  expectFlawless(await read(path)),
);

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
