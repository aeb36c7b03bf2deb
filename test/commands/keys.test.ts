/** `diorama keys`, as typed by a user. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { useDatabase } from "../support/database";

const MAIN = join(import.meta.dir, "../../src/main.ts");
const database = useDatabase();

async function keys(...args: string[]): Promise<string> {
  const child = Bun.spawn(["bun", MAIN, "keys", ...args], {
    env: { ...process.env, DATABASE_URL: database.url },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, err]).toEqual([0, expect.any(String)]);
  return out;
}

test("list has a header and aligned columns, with the expiry and the state of each key", async () => {
  await keys("create", "--user", "alice", "--name", "laptop of Alice", "--days", "1.5");
  await keys("create", "--user", "a-user-with-a-long-name", "--plan", "enterprise");
  await keys("create", "--user", "gone");
  await keys("create", "--user", "over", "--days", "1");
  await database.sql`update diorama.api_keys set expires_at = created_at where user_id = 'over'`;
  const ids = await database.sql`select key_id, user_id, expires_at from diorama.api_keys`;
  const of = (user: string) => ids.find((row) => row["user_id"] === user) ?? {};
  await keys("revoke", of("gone")["key_id"]);

  const [head = "", , ...rows] = (await keys("list")).trimEnd().split("\n");

  const columns = ["Key id", "User", "Plan", "Created", "Expires", "State", "Name"];
  const starts = columns.map((column) => head.indexOf(column));
  const cells = rows.map((row) =>
    starts.map((start, column) => row.slice(start, starts[column + 1]).trim()),
  );
  const created = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(cells).toEqual([
    [
      of("alice")["key_id"],
      "alice",
      "free",
      created,
      of("alice")["expires_at"].toISOString(),
      "usable",
      "laptop of Alice",
    ],
    [
      of("a-user-with-a-long-name")["key_id"],
      "a-user-with-a-long-name",
      "enterprise",
      created,
      "never",
      "usable",
      "",
    ],
    [of("gone")["key_id"], "gone", "free", created, "never", "revoked", ""],
    [of("over")["key_id"], "over", "free", created, created, "expired", ""],
  ]);
});
