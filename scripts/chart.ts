/**
 * A Helm chart, made from the manifests of scripts/kubernetes, with values in place of what differs between clusters.
 *
 *   bun scripts/chart.ts [FOLDER]     dist/chart by default
 *   helm install diorama dist/chart --set image.repository=…
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { VERSION } from "~/version";

const ROOT = join(import.meta.dir, "..");
const SOURCE = join(ROOT, "scripts/kubernetes");

type Setting = { readonly name: string; readonly value: string };
type Container = { image: string; env: unknown[]; resources: unknown };
type Deployment = {
  readonly kind: "Deployment";
  readonly spec: {
    replicas: unknown;
    readonly template: { readonly spec: { readonly containers: readonly Container[] } };
  };
};
type Rule = {
  readonly from: readonly { readonly namespaceSelector: { matchLabels: Record<string, string> } }[];
};
type NetworkPolicy = {
  readonly kind: "NetworkPolicy";
  readonly spec: { readonly ingress: readonly Rule[] };
};
type Manifest = Deployment | NetworkPolicy | { readonly kind: "Service" };

const VALUES = `image:
  repository: ghcr.io/OWNER/diorama
  tag: "" # the chart's version
replicas: 2
# The secret with the address of the database, which you create.
database: { secret: diorama, key: database-url }
# Settings of the server, by name.
settings: SETTINGS
resources: RESOURCES
# Namespaces whose pods reach the main port and the metrics.
namespaces: { ingress: INGRESS, metrics: METRICS }
`;

const EACH_SETTING = `{{- range $name, $value := .Values.settings }}
            - { name: {{ $name }}, value: {{ $value | quote }} }
            {{- end }}`;

/** Stands for a template's expression in a manifest, which is written as YAML afterwards. */
const value = (expression: string) => `@@${expression}@@`;
const SETTINGS = value("settings");
const rendered = (text: string) =>
  text
    .replace(`- "${SETTINGS}"`, EACH_SETTING)
    .replaceAll(/"@@(.+)@@"/g, (_, expression) => `{{ ${expression.replaceAll('\\"', '"')} }}`);

/** Puts a value in place of the namespace that a rule names, and returns that. */
function namespaceOf(rule: Rule | undefined, name: string): string {
  const label = "kubernetes.io/metadata.name";
  const labels = rule?.from[0]?.namespaceSelector.matchLabels ?? {};
  const { [label]: namespace = "" } = labels;
  labels[label] = value(name);
  return namespace;
}

/** Puts values into a manifest, and returns what they are by default. */
function parametrize(manifest: Manifest): Record<string, string> {
  if (manifest.kind === "NetworkPolicy") {
    const [main, metrics] = manifest.spec.ingress;
    return {
      INGRESS: namespaceOf(main, ".Values.namespaces.ingress"),
      METRICS: namespaceOf(metrics, ".Values.namespaces.metrics"),
    };
  }
  if (manifest.kind !== "Deployment") return {};
  const [container] = manifest.spec.template.spec.containers;
  if (!container) throw new Error("the deployment has no container");
  const [database, ...settings] = container.env as [{ name: string }, ...Setting[]];
  const defaults = {
    RESOURCES: JSON.stringify(container.resources),
    SETTINGS: JSON.stringify(Object.fromEntries(settings.map(({ name, value }) => [name, value]))),
  };
  manifest.spec.replicas = value(".Values.replicas");
  container.image = value(
    'printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote',
  );
  container.resources = value("toJson .Values.resources");
  const secret = { name: value(".Values.database.secret"), key: value(".Values.database.key") };
  container.env = [{ name: database.name, valueFrom: { secretKeyRef: secret } }, SETTINGS];
  return defaults;
}

/** Writes the chart into a folder, in place of what is there. */
export async function writeChart(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const { resources } = Bun.YAML.parse(
    await Bun.file(join(SOURCE, "kustomization.yaml")).text(),
  ) as { resources: string[] };
  let values = VALUES;
  for (const file of resources) {
    const manifest = Bun.YAML.parse(await Bun.file(join(SOURCE, file)).text()) as Manifest;
    for (const [name, found] of Object.entries(parametrize(manifest)))
      values = values.replace(name, () => found);
    const text = rendered(Bun.YAML.stringify(manifest, null, 2));
    await Bun.write(join(folder, "templates", file), text);
  }
  await Bun.write(join(folder, "values.yaml"), values);
  const chart = { apiVersion: "v2", name: "diorama", version: VERSION, appVersion: VERSION };
  await Bun.write(join(folder, "Chart.yaml"), Bun.YAML.stringify(chart, null, 2));
}

if (import.meta.main) await writeChart(process.argv[2] ?? join(ROOT, "dist/chart"));
