/** Players that connect at the same moment do not delay the calls of others. */
import { expect, test } from "bun:test";
import { eventually, openTransaction, useDatabase } from "../../support/database";
import { joinOpenEnv } from "../../support/openenv";
import { useProgram } from "../../support/program";

const PLAYERS = 30;

const database = useDatabase();
const program = useProgram(database);

const waiting = async () => {
  const [row] = await database.sql`
    select count(*)::int as count from pg_locks where relation = 'diorama.suites'::regclass and not granted
  `;
  return row?.["count"];
};

test("players of one key take one connection to Postgres, however many connect", async () => {
  const release = await openTransaction(
    database.sql,
    "lock table diorama.suites in access exclusive mode",
  );
  const players = Promise.all(
    Array.from({ length: PLAYERS }, () => joinOpenEnv(program.url, "chat-benchmark")),
  );
  try {
    await eventually(async () => expect(await waiting()).toBeGreaterThan(0));
    // A call that was made after theirs.
    expect((await program.get("/environments")).status).toBe(200);
    expect(await waiting()).toBe(1);
  } finally {
    await release();
  }
  for (const player of await players) player.close();
});
