/**
 * The driver under dying backends. Fails without scripts/patches: statements of a dead transaction then run outside of
 * it, queries never settle, the pool stays dead.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, inTransaction, type Pool } from "~/db/connect";
import { fenced, RESULT_TOO_LARGE } from "~/db/driver";
import { eventually, plainPool, useDatabase } from "../support/database";

const database = useDatabase({ empty: true });
let pool: Pool;

beforeAll(async () => {
  await database.sql`create table public.written (run int not null, step int not null)`;
  pool = connect(database.url, { max: 4, name: "driven" });
});
afterAll(() => pool.end({ timeout: 1 }));

const killAll = () => database.sql`
  select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'diorama driven'
`;

describe("a transaction whose backend dies", () => {
  test("runs none of its later statements, and rejects", async () => {
    const settled: string[] = [];

    const outcome = inTransaction(pool, async (tx) => {
      await tx`insert into public.written values (1, 1)`;
      await killAll();
      for (const step of [2, 3, 4])
        await tx`insert into public.written values (1, ${step})`.then(
          () => settled.push("done"),
          () => settled.push("refused"),
        );
    });
    // Another query waits in the pool, so that the driver reconnects immediately.
    const others = Array.from({ length: 8 }, () => eventually(() => pool`select 1`));

    await expect(outcome).rejects.toThrow();
    await Promise.all(others);
    await eventually(() => expect(settled).toEqual(["refused", "refused", "refused"]));
    expect(await database.sql`select step from public.written where run = 1`).toHaveLength(0);
  });

  test("settles the statements that wait in it", async () => {
    const outcomes = await inTransaction(pool, async (tx) => {
      const waiting = [tx`select pg_sleep(5)`, ...Array.from({ length: 20 }, () => tx`select 1`)];
      setTimeout(() => killAll().execute(), 50);
      return await Promise.allSettled(waiting);
    }).catch((error) => error);

    expect(outcomes).toBeInstanceOf(Error);
    await eventually(() => pool`select 1`);
  });

  test("takes no statement after its end", async () => {
    let late: Promise<unknown> = Promise.resolve();

    await inTransaction(pool, async (tx) => {
      await tx`insert into public.written values (2, 1)`;
      late = Bun.sleep(100).then(() => tx`insert into public.written values (2, 2)`);
      late.catch(() => undefined);
    });

    await expect(late).rejects.toThrow("is over");
    expect(await database.sql`select step from public.written where run = 2`).toHaveLength(1);
  });
});

describe("under load, with backends killed at random", () => {
  test("every call settles, no statement escapes its transaction, and the pool recovers within 5 seconds", async () => {
    const STEPS = 4;
    let killing = true;
    const killer = (async () => {
      while (killing) {
        await killAll().catch(() => undefined);
        await Bun.sleep(40);
      }
    })();

    const calls = Array.from({ length: 240 }, async (_, index) => {
      await Bun.sleep(index * 4);
      const run = 1000 + index;
      return await inTransaction(pool, async (tx) => {
        for (let step = 1; step <= STEPS; step++) {
          await tx`insert into public.written values (${run}, ${step})`;
          await Bun.sleep(Math.random() * 5);
        }
        return run;
      });
    });
    const outcomes = await Promise.allSettled(calls);
    killing = false;
    await killer;

    const committed = outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" ? [outcome.value] : [],
    );
    const rows = await database.sql`
      select run, count(*)::int as steps from public.written where run >= 1000 group by run
    `;
    expect(rows.every(({ steps }) => steps === STEPS)).toBe(true);
    for (const run of committed) expect(rows.some((row) => row["run"] === run)).toBe(true);
    expect(committed.length).toBeLessThan(240);
    await eventually(async () => {
      const all = await Promise.all(Array.from({ length: 40 }, () => pool`select 1 as one`));
      expect(all.flat()).toHaveLength(40);
    });
  });
});

describe("a pool with free sessions", () => {
  test("runs a statement in the session that was used last", async () => {
    const wide = connect(database.url, { max: 3, name: "wide" });
    const backend = async () => (await wide`select pg_backend_pid() as pid, pg_sleep(0.05)`)[0];
    const all = await Promise.all([backend(), backend(), backend()]);
    expect(new Set(all.map((each) => each?.["pid"])).size).toBe(3);

    const last = await backend();

    for (let n = 0; n < 3; n++) expect(await backend()).toEqual(last);
    await wide.end();
  });
});

test("statements on tables of several schemas share what a session knows of their columns", async () => {
  await database.sql`create schema beside`;
  await database.sql`create table beside.written (run int not null, step bigint not null)`;
  const sql = connect(database.url, { max: 1, name: "columns", onClose: () => undefined });

  const { columns: here } = await sql`select run, step from public.written`;
  const { columns: beside } = await sql`select run, step from beside.written`;
  await sql.end();

  expect(beside[0]).toBe(here[0] as NonNullable<(typeof here)[0]>);
  expect(beside[1]).toMatchObject({ name: "step", type: 20 });
  expect(here[1]).toMatchObject({ name: "step", type: 23 });
});

test("a session knows arrays of built-in types, and no types of tables", async () => {
  const typed = connect(database.url, { max: 1, name: "typed" });

  const [row] = await typed`select ${["a", "b"]}::text[] as texts, ${[1, 2]}::int[] as numbers`;

  expect(row).toEqual({ texts: ["a", "b"], numbers: [1, 2] });
  const known = Object.keys(typed.options.parsers).map(Number);
  expect(Math.max(...known)).toBeLessThan(16_384);
  await typed.end();
});

describe("deadlines", () => {
  test("a query that finds no free connection is rejected, and the pool keeps working", async () => {
    const narrow = connect(database.url, { max: 1, name: "narrow" });
    const long = inTransaction(narrow, async (tx) => await tx`select pg_sleep(7)`);
    await Bun.sleep(100);

    await expect(narrow`select 1`).rejects.toMatchObject({ code: "QUEUE_DEADLINE" });

    await long;
    expect(await narrow`select 1 as one`).toHaveLength(1);
    await narrow.end();
  });

  test("a query that was read in parts leaves no rows for the next one", async () => {
    const brief = plainPool(database.url, { max: 1, query_deadline: 4 });
    for await (const _part of brief`select generate_series(1, 5)`.cursor(2));

    const others = [await brief`select pg_sleep(2.5)`, await brief`select pg_sleep(2.5)`];

    expect(others).toHaveLength(2);
    await brief.end();
  });
});

describe("a statement that cannot be built", () => {
  let session: Pool;
  beforeAll(async () => {
    session = connect(database.url, { max: 1, name: "built" });
    await session`select 1`;
  });
  afterAll(() => session.end({ timeout: 1 }));
  const nested = (depth: number) => {
    let text = session`1`;
    for (let level = 0; level < depth; level++) text = session`${text} + 1`;
    return text;
  };

  const STATEMENTS: Record<string, () => Promise<unknown>> = {
    "with an undefined value": () => session`select ${undefined as unknown as string}`,
    "with too many values": () =>
      session.unsafe("select 1", Array.from({ length: 70_000 }, String)),
    "with a text that is nested too deep": () => session`select ${nested(100_000)}`,
    "with a value that its type rejects": () =>
      session`select ${new Date(Number.NaN)}::timestamptz`,
    "with a value whose type Postgres names": () =>
      session`select now() + ${{ toString: null } as unknown as string}::interval`,
  };
  test.each(Object.keys(STATEMENTS))("%s is rejected alone", async (name) => {
    const before = session`select 'before' as answer, pg_sleep(0.05)`;
    const broken = STATEMENTS[name]?.(); // each is sent when it is awaited
    const after = ["b", "c", "d"].map((answer) => session`select ${answer} as answer`);

    const outcomes = await Promise.allSettled([before, broken, ...after]);

    expect(outcomes[1]?.status).toBe("rejected");
    const answers = outcomes.map((outcome) =>
      outcome.status === "fulfilled" ? outcome.value : [],
    );
    expect(answers.flat()).toMatchObject(["before", "b", "c", "d"].map((answer) => ({ answer })));
    expect(await session`select 'later' as answer`).toMatchObject([{ answer: "later" }]);
  });

  test("rolls its transaction back", async () => {
    const outcome = inTransaction(session, async (tx) => {
      const first = tx`insert into public.written values (8, 1)`;
      const broken = tx`insert into public.written values (8, ${undefined as unknown as number})`;
      await Promise.all([first, broken, tx`insert into public.written values (8, 3)`]);
    });

    await expect(outcome).rejects.toThrow("Undefined values");
    expect(await session`select from public.written where run = 8`).toHaveLength(0);
  });
});

describe("a result that is too large", () => {
  const MEGABYTES = (count: number) =>
    `select repeat('x', 1024 * 1024) as text from generate_series(1, ${count})`;
  let pinned: Pool;
  beforeAll(() => {
    pinned = connect(database.url, { max: 1, name: "session", onClose: () => undefined });
  });
  afterAll(() => pinned.end({ timeout: 1 }));

  test("is dropped, and the session keeps working", async () => {
    const [large, next] = await Promise.allSettled([
      pinned.unsafe(MEGABYTES(40)),
      pinned`select 1 as one`,
    ]);

    expect(large).toMatchObject({ status: "rejected", reason: { code: RESULT_TOO_LARGE } });
    expect(next).toMatchObject({ value: [{ one: 1 }] });
    expect(await pinned.unsafe(MEGABYTES(20))).toHaveLength(20);
  });

  test("rolls its transaction back", async () => {
    const outcome = inTransaction(pinned, async (tx) => {
      await tx`insert into public.written values (9, 1)`;
      await tx.unsafe(MEGABYTES(40));
    });

    await expect(outcome).rejects.toMatchObject({ code: RESULT_TOO_LARGE });
    expect(await pinned`select from public.written where run = 9`).toHaveLength(0);
  });

  test("is read completely in parts", async () => {
    let rows = 0;
    for await (const part of pinned.unsafe(MEGABYTES(40)).cursor(10)) rows += part.length;

    expect(rows).toBe(40);
  });
});

describe("the mark of a call", () => {
  type Decoded = { xid: string; data: string };
  let session: Pool;
  const marked = (content: string): Pool =>
    fenced(
      session,
      { refusal: () => undefined },
      { prefix: "test", request: "1", content: () => content },
    );

  beforeAll(async () => {
    session = connect(database.url, { max: 1, name: "marked", onClose: () => undefined });
    await database.sql`create table public.marked (call text not null, step int not null unique)`;
    await database.sql`select pg_create_logical_replication_slot('marked', 'test_decoding')`;
  });
  afterAll(async () => {
    await session.end({ timeout: 1 });
    await database.sql`select pg_drop_replication_slot('marked')`;
  });

  /** The marks and changes of each transaction since the last call. */
  async function transactions(): Promise<{ marks: string[]; steps: number[] }[]> {
    const rows = await database.sql<Decoded[]>`
      select xid::text, data from pg_logical_slot_get_changes('marked', null, null)
    `;
    const byXid = Map.groupBy(rows, ({ xid }) => xid);
    const all = [...byXid.values()].map((lines) => ({
      marks: lines.flatMap(({ data }) => /prefix: test, .*content:(.*)/.exec(data)?.[1] ?? []),
      steps: lines.flatMap(
        ({ data }) => Number(/step\[integer\]:(\d+)/.exec(data)?.[1] ?? []) || [],
      ),
    }));
    // Transactions of autovacuum have neither.
    return all.filter(({ marks, steps }) => marks.length + steps.length > 0);
  }

  test("is in each transaction that writes, once, and in no other", async () => {
    const sql = marked("a");
    const insert = (step: number) => sql`insert into public.marked values ('a', ${step})`;

    await insert(1);
    await insert(2); // prepared by now
    await sql`select * from public.marked where step = ${1}`;
    await sql.begin(async (tx) => {
      await tx`select 1`;
      await tx`insert into public.marked values ('a', 3)`;
      await tx`insert into public.marked values ('a', 4)`;
    });
    await sql.begin((tx) => tx`select * from public.marked`);
    const rows = await sql`
      with added as (insert into public.marked values ('a', 5), ('a', 6) returning step) select step from added
    `;
    await marked("b")`update public.marked set call = 'b' where step = 5`;

    expect([rows.count, rows.map((row) => row["step"])]).toEqual([2, [5, 6]]);
    expect(await transactions()).toEqual([
      { marks: ["a"], steps: [1] },
      { marks: ["a"], steps: [2] },
      { marks: ["a"], steps: [3, 4] },
      { marks: ["a"], steps: [5, 6] },
      { marks: ["b"], steps: [5] },
    ]);
  });

  test("is not in a transaction that only locks rows, and is before the first row that is written after that", async () => {
    const lock = (tx: Pick<Pool, "unsafe">, mode: string) =>
      tx.unsafe(`select from public.marked where step = $1 for ${mode}`, [1], { prepare: true });

    for (const mode of ["update", "no key update", "NO KEY\n  UPDATE", "share"])
      await marked("f").begin((tx) => lock(tx, mode));
    expect(await transactions()).toEqual([]);

    await marked("g").begin(async (tx) => {
      await lock(tx, "no key update");
      await tx`update public.marked set call = 'g' where step = 1`;
    });
    await marked("h")`
      with held as (select step from public.marked where step = 1 for update)
      update public.marked set call = 'h' where step in (select step from held)
    `;
    expect(await transactions()).toEqual([
      { marks: ["g"], steps: [1] },
      { marks: ["h"], steps: [1] },
    ]);
  });

  test("is kept or lost with its statement", async () => {
    const calls = Array.from({ length: 40 }, (_, index) => {
      const step = 100 + (index % 30); // the last ten violate the key
      return marked(String(step))`insert into public.marked values (${String(index)}, ${step})`;
    });
    const outcomes = await Promise.allSettled(calls);

    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(10);
    const found = await transactions();
    expect(found).toHaveLength(30);
    for (const { marks, steps } of found) expect(marks).toEqual(steps.map(String));
  });

  test("that meets an aborted transaction does no harm to later ones", async () => {
    await session.end({ timeout: 1 });
    session = connect(database.url, { max: 1, name: "marked", onClose: () => undefined });
    const failed = marked("c").begin(async (tx) => {
      await tx`select 1 / 0`.catch(() => undefined);
      await tx`insert into public.marked values ('c', 200)`.catch(() => undefined);
    });
    await expect(failed).rejects.toThrow("division by zero");

    await marked("d")`insert into public.marked values ('d', 201)`;
    await marked("e")`insert into public.marked values ('e', 202)`;

    expect(await transactions()).toEqual([
      { marks: ["d"], steps: [201] },
      { marks: ["e"], steps: [202] },
    ]);
  });
});
