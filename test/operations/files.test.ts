/** Files for other programs: every metric they name exists, and Kubernetes accepts every manifest. */
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { readConfig, SETTINGS } from "~/config";
import { createMetrics } from "~/metrics";
import { expectFlawless, mistakesOf } from "../support/manifests";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(ROOT, path)).text();

describe("scripts/observability", async () => {
  const alerts = Bun.YAML.parse(await read("scripts/observability/alerts.yaml")) as any;
  const dashboard = JSON.parse(await read("scripts/observability/dashboard.json"));
  const rules: any[] = alerts.groups.flatMap(({ rules }: any) => rules);
  const panels: any[] = dashboard.panels.filter(({ type }: any) => type !== "row");
  const known = new Map(
    (await createMetrics().registry.getMetricsAsJSON()).map(({ name, type }) => [name, `${type}`]),
  );

  /** The series of a metric in the text format. */
  const exists = (series: string) =>
    known.has(series) ||
    (known.get(series.replace(/_(bucket|sum|count)$/, "")) === "histogram" && !known.has(series));
  /** Counts the syntax errors of an expression in Prometheus' own grammar. */
  const mistakes = (expression: string) => {
    let count = 0;
    parser.parse(expression.replaceAll("$__rate_interval", "5m")).iterate({
      enter: ({ type }) => {
        if (type.isError) count++;
      },
    });
    return count;
  };
  const named = (expression: string) => expression.match(/\b(diorama|process)_[a-z_]+\b/g) ?? [];

  test.each(rules.map((rule) => [rule.alert, rule]))("%s uses existing metrics", (_name, rule) => {
    expect(mistakes(rule.expr)).toBe(0);
    expect(named(rule.expr).length).toBeGreaterThan(0);
    expect(named(rule.expr).filter((series) => !exists(series))).toEqual([]);
    expect(["warn", "page"]).toContain(rule.labels.severity);
    expect(rule.annotations.summary.length).toBeGreaterThan(10);
  });

  test.each(panels.map((panel) => [panel.title, panel]))(
    "the panel %s does, too",
    (_name, panel) => {
      for (const { expr } of panel.targets) {
        expect(mistakes(expr)).toBe(0);
        expect(named(expr).length).toBeGreaterThan(0);
        expect(named(expr).filter((series) => !exists(series))).toEqual([]);
      }
    },
  );

  test("mistakes in an expression are found", () => {
    expect(mistakes("sum(rate(diorama_errors_total[5m])")).toBeGreaterThan(0);
    expect(mistakes("sum by (code) rate(diorama_errors_total[5m])")).toBeGreaterThan(0);
  });

  test("shows every metric", () => {
    const text = JSON.stringify(panels);
    expect([...known.keys()].filter((name) => !text.includes(name))).toEqual([]);
  });

  test("has panels that do not overlap", () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }: any) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

describe("scripts/kubernetes", async () => {
  const FOLDER = "scripts/kubernetes";
  const files = readdirSync(join(ROOT, FOLDER)).filter((file) => file !== "kustomization.yaml");
  const manifests = new Map<string, any>();
  for (const file of files) manifests.set(file, Bun.YAML.parse(await read(`${FOLDER}/${file}`)));
  const deployment = manifests.get("deployment.yaml");
  const [container] = deployment.spec.template.spec.containers;

  test.each(files)(
    "%s fits the schema of its kind, and has no field that the kind has not",
    (file) => expectFlawless(manifests.get(file)),
  );

  test("the schema finds errors", async () => {
    const { spec, ...rest } = deployment;
    const wrong = await mistakesOf({ ...rest, spec: { ...spec, replicas: "two" } });
    expect(wrong.valid).toBe(false);
    const unknown = await mistakesOf({ ...rest, spec: { ...spec, replica: 2 } });
    expect(unknown.unread).toEqual([".spec.replica"]);
  });

  test("consists of these files, apart from the secret", async () => {
    const { resources } = Bun.YAML.parse(await read(`${FOLDER}/kustomization.yaml`)) as any;
    const expected = files.filter((file) => file !== "secret.example.yaml");
    expect(resources.toSorted()).toEqual(expected.toSorted());
  });

  test("names the same pods everywhere, ports by name, and an existing secret", () => {
    const labels = deployment.spec.template.metadata.labels;
    const selectors = [
      deployment.spec.selector.matchLabels,
      manifests.get("service.yaml").spec.selector,
      manifests.get("pod-disruption-budget.yaml").spec.selector.matchLabels,
      manifests.get("network-policy.yaml").spec.podSelector.matchLabels,
    ];
    for (const selector of selectors) expect(selector).toEqual(labels);

    const ports = container.ports.map(({ name }: any) => name);
    expect(ports).toContain(manifests.get("service.yaml").spec.ports[0].targetPort);
    for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"])
      expect(ports).toContain(container[probe].httpGet.port);

    const [{ valueFrom }] = container.env;
    const secret = manifests.get("secret.example.yaml");
    expect(valueFrom.secretKeyRef.name).toBe(secret.metadata.name);
    expect(Object.keys(secret.stringData)).toContain(valueFrom.secretKeyRef.key);
  });

  test("is reached by the ingress and Prometheus only, and reaches DNS and the database only", () => {
    const { spec } = manifests.get("network-policy.yaml");
    expect(spec.policyTypes).toEqual(["Ingress", "Egress"]);
    expect(spec.ingress.map(({ ports }: any) => ports.map(({ port }: any) => port))).toEqual([
      ["http"],
      ["admin"],
    ]);
    for (const { from } of spec.ingress)
      expect(from).toEqual([{ namespaceSelector: { matchLabels: expect.any(Object) } }]);
    const reached = spec.egress.flatMap(({ ports }: any) => ports.map(({ port }: any) => port));
    expect([...new Set(reached)]).toEqual([53, 5432]);
  });

  test("uses existing settings, and leaves time for the shutdown", () => {
    const env = Object.fromEntries(container.env.map(({ name, value }: any) => [name, value]));
    expect(Object.keys(env).filter((name) => !(name in SETTINGS))).toEqual([]);
    const config = readConfig({ ...env, DATABASE_URL: "postgres://u:p@host/db" });
    expect(container.ports.map(({ containerPort }: any) => containerPort)).toEqual([
      config.PORT,
      config.ADMIN_PORT,
    ]);
    const grace = deployment.spec.template.spec.terminationGracePeriodSeconds;
    expect(grace).toBeGreaterThan(config.SHUTDOWN_DELAY + 30);
  });
});
