/** Names in addresses that others choose: how they are resolved. */
import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTargets } from "~/http/egress/targets";

/** A root of its own namespace can have settings of its own for names. */
const UNSHARED = ["unshare", "--user", "--map-root-user", "--mount"];
const isPossible = Bun.which("unshare") && Bun.spawnSync([...UNSHARED, "true"]).exitCode === 0;

test("a name of the table of hosts is resolved", async () => {
  const { check } = createTargets({
    ...{ allowed: new Set(["127.0.0.0/8", "::1/128"]), databaseUrl: "postgres://u@h/x" },
    ownPorts: () => [3000],
  });
  expect(await check("http://localhost:3001/")).toMatchObject({ port: 3001 });
  expect(await check("http://localhost:3000/")).toHaveProperty("blocked");
});

test.skipIf(!isPossible)("name servers that do not answer hold up nothing else", async () => {
  const folder = await mkdtemp(join(tmpdir(), "diorama-names-"));
  try {
    const settings = join(folder, "resolv.conf");
    await writeFile(settings, "nameserver 192.0.2.1\n"); // of documentation: nobody answers
    const script = join(import.meta.dir, "../support/slow-names.ts");
    const command = 'mount --bind "$0" /etc/resolv.conf && exec "$1" "$2"';
    const child = Bun.spawn(
      [...UNSHARED, "sh", "-c", command, settings, process.execPath, script],
      { stdout: "pipe", stderr: "inherit" },
    );
    const printed = await new Response(child.stdout).text();
    expect(Number.parseInt(printed, 10)).toBeLessThan(2_000);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
