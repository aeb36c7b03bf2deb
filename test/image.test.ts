/** Checks of the image that need no container engine. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { YAML } from "bun";
import { engines } from "../package.json";
import { eventually } from "./support/database";

const ROOT = join(import.meta.dir, "..");
const read = (file: string) => Bun.file(join(ROOT, file)).text();
const [bases = "", builder = "", task = "", suite = "", image = ""] = (
  await read("Dockerfile")
).split(/^(?=FROM )/m);

test("it is built with the pinned Bun, from files that exist and are not ignored", async () => {
  expect(bases).toContain(`ARG BUN_IMAGE=oven/bun:${engines.bun}\n`);
  expect(builder).toMatch(/^FROM \$\{BUN_IMAGE\} /);
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
  expect(bases).toMatch(/^ARG RUNTIME_IMAGE=\S+:nonroot$/m);
  expect(image).toMatch(/^FROM \$\{RUNTIME_IMAGE\}\n/);
  expect(image).toMatch(/^HEALTHCHECK .* CMD \["\/usr\/local\/bin\/diorama", "health"\]$/m);
});

test("the target for one test has a Postgres that decodes its log, and trusts nobody outside", async () => {
  expect(bases).toContain("ARG POSTGRES_IMAGE=postgres:17-bookworm\n");
  expect(task).toMatch(/^FROM \$\{POSTGRES_IMAGE\} AS task\n/);
  const entry = await read("scripts/task");
  expect(entry).toContain("-c listen_addresses=127.0.0.1 -c wal_level=logical");
  expect(entry).toContain("exec $diorama serve --task");
  expect(task).toContain("ENV ENVIRONMENT=production ");
});

test.each([
  ["0", ["docker-entrypoint.sh postgres", "gosu postgres diorama serve --task test-1"]],
  ["65532", ["docker-entrypoint.sh postgres", "diorama serve --task test-1"]],
])(
  "the entry point for one test, run as the user %s, does not serve as root",
  async (user, ran) => {
    const folder = await mkdtemp(join(tmpdir(), "diorama-task-"));
    const calls = join(folder, "calls");
    const stub = async (name: string, body: string) => {
      await writeFile(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    };
    await stub("id", `echo ${user}`);
    for (const name of ["docker-entrypoint.sh", "gosu", "diorama"])
      await stub(name, `echo "${name} $*" >> ${calls}`);
    for (const name of ["rm", "cp"]) await stub(name, "true");

    const child = Bun.spawn(["sh", join(ROOT, "scripts/task")], {
      env: { PATH: `${folder}:${process.env["PATH"]}`, PGDATA: folder, DIORAMA_TASK: "test-1" },
    });

    expect(await child.exited).toBe(0);
    await eventually(async () => {
      const made = (await Bun.file(calls).text()).trim().split("\n");
      expect(made.map((line) => line.replace(/ -c .*/, "")).toSorted()).toEqual(ran.toSorted());
    });
    await rm(folder, { recursive: true });
  },
);

test("the target for a suite has no volume and no root, and serves the suite", async () => {
  expect(suite).toStartWith("FROM scratch AS suite\nCOPY --from=task / /\n");
  expect(suite).not.toContain("VOLUME");
  expect(suite).toMatch(/^USER 65532:65532$/m);
  expect(suite).toMatch(/^EXPOSE 8000$/m);
  for (const setting of ["ENVIRONMENT", "DATABASE_URL", "PGDATA"])
    expect(suite).toContain(new RegExp(`${setting}=\\S+`).exec(task)?.[0] ?? "?");
  expect(await read("scripts/task")).toContain('exec $diorama serve --suite "$DIORAMA_SUITE"');
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
