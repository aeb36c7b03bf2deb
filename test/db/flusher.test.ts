/** Calls of one environment at the same time share the wait for the disk, and none is answered before it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { LogMark } from "~/db/driver";
import { createFlusher, type Deferral, type Flusher } from "~/db/flusher";
import type { Session } from "~/db/session";
import { createSessionPool } from "~/db/session-pool";
import { REAL } from "~/source";
import { eventually, useDatabase } from "../support/database";

const database = useDatabase();
const MARK: LogMark = { prefix: "test", request: "1", content: () => "" };
const environment = (environmentId: string) => ({
  environmentId,
  schemaName: "flushed",
  tables: [{ name: "notes" }],
});
const opening = async () => ({ source: REAL, settings: null });
let flusher: Flusher;

beforeAll(async () => {
  await database.sql`create schema flushed`;
  await database.sql`create table flushed.notes (n int)`;
  flusher = createFlusher(database.url);
});
afterAll(() => flusher.end());

/** A deferral of a busy environment, once the flusher is connected. */
const deferred = () =>
  eventually(() => {
    const deferral = flusher.begin(() => true);
    expect(deferral.defer()).toBe(true);
    return deferral;
  });

const write = ({ sql, t }: Session) =>
  sql<{ waits: string }[]>`
    insert into ${t["notes"]!} values (1) returning current_setting('synchronous_commit') as waits
  `.then(([row]) => row?.waits);

describe("the commits of calls", () => {
  test("wait for the disk by themselves, unless others of the environment wait for them", async () => {
    const sessions = createSessionPool(database.url, 2, opening, { flusher });
    const call = (id: string) => sessions.use(environment(id), write, MARK);
    await deferred();

    const alone = [await call("a"), await call("a")];
    const together = await Promise.all(Array.from({ length: 6 }, () => call("a")));
    const transactions = await Promise.all(
      Array.from({ length: 6 }, () =>
        sessions.use(environment("a"), (session) => session.transaction(write), MARK),
      ),
    );
    const aloneAgain = await call("a");
    const others = await Promise.all([call("b"), sessions.use(environment("c"), write)]);
    await sessions.end();

    expect([...alone, aloneAgain, ...others]).toEqual(["on", "on", "on", "on", "on"]);
    expect(together).toContain("off");
    expect(transactions).toContain("off");
  });

  test("are on disk before a call is answered, and a failed flush fails the call", async () => {
    const steps: string[] = [];
    let settle: Deferral["settle"] = async () => {
      await Bun.sleep(20);
      steps.push("flushed");
    };
    const slow = { ...flusher, begin: () => ({ defer: () => true, settle: () => settle() }) };
    const sessions = createSessionPool(database.url, 2, opening, { flusher: slow });

    expect(await sessions.use(environment("a"), write, MARK)).toBe("off");
    steps.push("answered");
    settle = () => Promise.reject(new Error("not flushed"));
    await expect(sessions.use(environment("a"), write, MARK)).rejects.toThrow("not flushed");
    await sessions.end();

    expect(steps).toEqual(["flushed", "answered"]);
  });
});

describe("a flush", () => {
  test("has everything that was committed before it began", async () => {
    const calls = await Promise.all(Array.from({ length: 20 }, deferred));
    await database.sql`set synchronous_commit = off`;
    const settled = calls.map(async ({ settle }) => {
      const [at] = await database.sql<{ lsn: string }[]>`
        with written as (insert into flushed.notes values (2) returning n)
        select pg_current_wal_insert_lsn()::text as lsn from written
      `;
      await settle();
      const [row] = await database.sql<{ isFlushed: boolean }[]>`
        select pg_current_wal_flush_lsn() >= ${at?.lsn ?? ""}::pg_lsn as "isFlushed"
      `;
      return row?.isFlushed;
    });

    expect(new Set(await Promise.all(settled))).toEqual(new Set([true]));
  });

  test("proves nothing about commits before its connection was lost", async () => {
    const lose = () => database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'diorama flush' and datname = current_database()
    `;
    const before = await deferred();
    await lose();
    await eventually(() => expect(flusher.begin(() => true).defer()).toBe(false));
    const after = await deferred(); // connected again

    await expect(before.settle()).rejects.toMatchObject({ code: "service_unavailable" });
    await after.settle();
  });

  test("is not made for a call that deferred nothing", async () => {
    const { settle } = flusher.begin(() => false);
    await flusher.begin(() => true).settle();
    await settle();
  });
});
