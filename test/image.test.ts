/** Checks of the image that need no container engine. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { engines } from "../package.json";

const ROOT = join(import.meta.dir, "..");
const read = (file: string) => Bun.file(join(ROOT, file)).text();
const [builder = "", task = "", suite = "", image = ""] = (await read("Dockerfile"))
  .split(/^(?=FROM )/m)
  .slice(1);

test("it is built with the pinned Bun, from files that exist and are not ignored", async () => {
  expect(builder).toStartWith(`FROM oven/bun:${engines.bun} `);
  const copied = [...(builder + task).matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(
    ([, from = ""]) => from.split(" "),
  );
  const allowed = [...(await read(".dockerignore")).matchAll(/^!(.+)$/gm)].map(([, path]) => path);
  expect(copied.length).toBeGreaterThan(5);
  for (const path of copied) {
    expect(existsSync(join(ROOT, path))).toBe(true);
    expect(allowed).toContain(path.split("/")[0]);
  }
});

test("it contains only the binary, and does not run as root", () => {
  expect([...image.matchAll(/^(?:COPY|ADD|RUN) .*$/gm)].map(([line]) => line)).toEqual([
    "COPY --from=build /app/dist/diorama /usr/local/bin/diorama",
  ]);
  expect(image).toMatch(/^FROM \S+:nonroot$/m);
  expect(image).toMatch(/^HEALTHCHECK .* CMD \["\/usr\/local\/bin\/diorama", "health"\]$/m);
});

test("the target for one test has a Postgres that decodes its log, and trusts nobody outside", async () => {
  expect(task).toStartWith("FROM postgres:17-bookworm AS task\n");
  const entry = await read("scripts/task");
  expect(entry).toContain("-c listen_addresses=127.0.0.1 -c wal_level=logical");
  expect(entry).toContain("exec diorama serve --task");
  expect(task).toContain("ENV ENVIRONMENT=production ");
});

test("the target for a suite has no volume and no root, and serves the suite", async () => {
  expect(suite).toStartWith("FROM scratch AS suite\nCOPY --from=task / /\n");
  expect(suite).not.toContain("VOLUME");
  expect(suite).toMatch(/^USER 65532:65532$/m);
  expect(suite).toMatch(/^EXPOSE 8000$/m);
  for (const setting of ["ENVIRONMENT", "DATABASE_URL", "PGDATA"])
    expect(suite).toContain(new RegExp(`${setting}=\\S+`).exec(task)?.[0] ?? "?");
  expect(await read("scripts/task")).toContain('exec diorama serve --suite "$DIORAMA_SUITE"');
});

test("the compose file has a Postgres that decodes its log", async () => {
  const { services } = YAML.parse(await read("scripts/compose.yaml")) as {
    services: Record<string, { command?: string[]; environment: Record<string, string> }>;
  };
  expect(services["postgres"]?.command).toContain("wal_level=logical");
  expect(services["diorama"]?.environment).toMatchObject({
    ENVIRONMENT: "development",
    HOST: "0.0.0.0",
  });
  const url = new URL(services["diorama"]?.environment["DATABASE_URL"] ?? "");
  const { POSTGRES_DB, POSTGRES_PASSWORD } = services["postgres"]?.environment ?? {};
  expect([url.hostname, url.password, url.pathname]).toEqual([
    "postgres",
    String(POSTGRES_PASSWORD),
    `/${POSTGRES_DB}`,
  ]);
});
