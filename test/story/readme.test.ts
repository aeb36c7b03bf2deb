/** The README's commands answer as the README says. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { startClusters } from "../support/clusters";
import { createDatabase, dropDatabase } from "../support/database";
import { startTestProgram } from "../support/program";

const README = await Bun.file(join(import.meta.dir, "../../README.md")).text();

/** Values that are different each time; everything else is as printed. */
const MADE_UP =
  /^(environmentId|environmentUrl|schemaName|expiresAt|token|runId|beforeSnapshot|client_msg_id|ts)$/;

const settled = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (key, inner) => (MADE_UP.test(key) ? `<${key}>` : inner)));

/** Each command of the story with the answer that is printed under it. */
const story = [...README.matchAll(/```sh\n(curl [^`]+)```\n\n```json\n([^`]+)```/g)].map(
  ([, command, answer]) => ({ command: command ?? "", answer: JSON.parse(answer ?? "") }),
);

test("the story in curl answers as printed", async () => {
  const [cluster] = await startClusters();
  if (!cluster) throw new Error("there is no Postgres");
  const database = await createDatabase(cluster);
  const { url, program } = await startTestProgram(database);
  try {
    expect(story.length).toBe(6);
    const env: Record<string, string> = {};
    for (const { command, answer } of story) {
      const shell = Bun.spawn(["sh", "-c", command.replaceAll("http://127.0.0.1:3000", url)], {
        env: { ...process.env, ...env },
      });
      const found = (await new Response(shell.stdout).json()) as Record<string, string>;
      expect(settled(found)).toEqual(settled(answer));
      const { environmentId, token, runId } = found;
      if (environmentId && token)
        Object.assign(env, { ENVIRONMENT_ID: environmentId, TOKEN: token });
      if (runId) env["RUN_ID"] = runId;
    }
  } finally {
    await program.stop();
    await dropDatabase(database);
  }
});

test("containers of the README reach the Postgres of the README", () => {
  const names = [...README.matchAll(/docker run .*--name (\S+)/g)].map(([, name]) => name);
  const connected = [...README.matchAll(/docker network connect (\S+) (\S+)/g)].map(
    ([, network, name]) => ({ network, name }),
  );
  const [, section = ""] = README.split("## Run it in Docker");
  const [, host] = /export DATABASE_URL=\S+@([^:/]+)/.exec(section) ?? [];
  const runs = [...section.split("\n## ")[0]!.matchAll(/^docker run .*$/gm)].map(([line]) => line);

  expect(runs.length).toBe(2);
  expect(names).toContain(host);
  for (const run of runs) {
    const [, network] = /--network (\S+)/.exec(run) ?? [];
    expect(run).toContain("-e DATABASE_URL ");
    expect(connected).toContainEqual({ network, name: host });
  }
});

test("a promise names tests that there are", async () => {
  const tests: string[] = [];
  for await (const file of new Glob("**/*.test.ts").scan(join(import.meta.dir, "..")))
    tests.push(await Bun.file(join(import.meta.dir, "..", file)).text());
  const [, promises = ""] = README.split("## What Diorama promises");
  const [table = ""] = promises.split("\n## ");
  const named = [...table.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(12);
  for (const name of named) expect(tests.some((text) => text.includes(name))).toBe(true);
});
