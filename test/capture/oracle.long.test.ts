/**
 * The central oracle: whatever transactions do, the captured diff is the difference of two snapshots. Every way of
 * capturing is compared with a second implementation, which knows only the states before and after.
 */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { connect } from "~/db/connect";
import { difference, type Keys, sorted, stateOf } from "../../scripts/oracle";
import { record, startCapture } from "../support/capture";
import { startClusters } from "../support/clusters";
import { createDatabase, dropDatabase } from "../support/database";

const KEYS: Keys = { typed: ["id"], plain: ["a", "b"], large: ["id"] };
const DDL = `
  create table typed (
    id int primary key, big bigint, num numeric, dbl float8, flt real, bool boolean, txt text, js jsonb,
    at timestamptz, day date, raw bytea, list text[], code varchar(10), uid uuid
  );
  create table plain (a text, b int, note text, primary key (a, b));
  create table large (id int primary key, body text, n int not null default 0);
`;
const SEED = `
  insert into typed (id, txt) select i, 'row ' || i from generate_series(1, 4) i;
  insert into plain values ('x', 1, null), ('x', 2, 'n'), ('', 3, '');
  insert into large select i, (select string_agg(md5(i::text || j), '') from generate_series(1, 300) j), 0 from generate_series(1, 3) i;
`;

const id = fc.integer({ min: 1, max: 6 });
const text = fc.oneof(
  fc.constantFrom(
    "",
    "NULL",
    "{}",
    '"value":1,"x":{',
    "\\x00",
    "a'b",
    'q"q',
    "ü\u202e\u{1f600}",
    "\n\t",
  ),
  fc.string({ maxLength: 20 }).filter((value) => !value.includes("\u0000") && value.isWellFormed()),
);
const quote = (value: string | null) =>
  value === null ? "null" : `'${value.replaceAll("'", "''")}'`;
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 4 });

/** One column of `typed` and a value for it, as SQL. */
const assignment = fc.oneof(
  nullable(fc.constantFrom("9007199254740993", "-9223372036854775808", "0")).map(
    (v) => `big = ${v}`,
  ),
  nullable(
    fc.constantFrom("1.50", "1.5", "0.1", "123456789012345678901234567890.12", "-0.0", "1e-20"),
  ).map((v) => `num = ${v}`),
  nullable(fc.constantFrom("0.1", "0.30000000000000004", "1e300", "-1", "123456.789")).map(
    (v) => `dbl = ${v}`,
  ),
  nullable(fc.constantFrom("0.1", "3.4e38", "-1")).map((v) => `flt = ${v}`),
  nullable(fc.boolean()).map((v) => `bool = ${v}`),
  nullable(text).map((v) => `txt = ${quote(v)}`),
  nullable(fc.json({ maxDepth: 2 }).filter((v) => !/\\u0000|\\ud[89a-f]/i.test(v))).map(
    (v) => `js = ${quote(v)}`,
  ),
  nullable(
    fc.constantFrom(
      "2026-01-02 03:04:05.678901+02",
      "infinity",
      "0099-01-01",
      "2026-06-30 12:00:00-07",
    ),
  ).map((v) => `at = ${quote(v)}`),
  nullable(fc.constantFrom("2026-02-28", "1999-12-31")).map((v) => `day = ${quote(v)}`),
  nullable(fc.constantFrom("\\x", "\\x00ff10")).map((v) => `raw = ${quote(v)}`),
  nullable(fc.array(nullable(text), { maxLength: 3 })).map(
    (v) => `list = ${v === null ? "null" : `array[${v.map(quote).join(",")}]::text[]`}`,
  ),
  nullable(fc.constantFrom("", "short", "ten chars.")).map((v) => `code = ${quote(v)}`),
  nullable(fc.constantFrom("00000000-0000-4000-8000-000000000001")).map((v) => `uid = ${quote(v)}`),
);

const operation = fc.oneof(
  fc.tuple(id, assignment).map(([i, set]) => `update typed set ${set} where id = ${i}`),
  fc
    .tuple(id, id)
    .map(
      ([from, to]) =>
        `update typed set id = ${to} where id = ${from} and not exists (select from typed where id = ${to})`,
    ),
  fc
    .tuple(id, nullable(text))
    .map(
      ([i, v]) =>
        `insert into typed (id, txt) values (${i}, ${quote(v)}) on conflict (id) do update set txt = excluded.txt`,
    ),
  id.map((i) => `delete from typed where id = ${i}`),
  id.map((i) => `update typed set txt = txt where id = ${i}`),
  id.map((i) => `delete from large where id = ${i}`),
  fc.tuple(id, id).map(([i, n]) => `update large set n = ${n} where id = ${i}`),
  fc
    .tuple(id, id)
    .map(
      ([i, n]) =>
        `insert into large values (${i}, (select string_agg(md5('${n}' || j), '') from generate_series(1, 300) j), ${n}) on conflict (id) do update set body = excluded.body`,
    ),
  fc
    .tuple(fc.constantFrom("x", "y", ""), id, nullable(text))
    .map(
      ([a, b, v]) =>
        `insert into plain values ('${a}', ${b}, ${quote(v)}) on conflict (a, b) do update set note = excluded.note`,
    ),
  fc
    .tuple(fc.constantFrom("x", "y", ""), id)
    .map(([a, b]) => `delete from plain where a = '${a}' and b = ${b}`),
  fc.constant(
    "update plain set b = b + 10 where b < 10 and not exists (select from plain p where p.b >= 10)",
  ),
  fc.constant("update typed set num = coalesce(num, 0) + 1"),
);

/** A transaction: its statements, and how it ends. A savepoint takes its last statement back. */
const transaction = fc.record({
  statements: fc.array(operation, { minLength: 1, maxLength: 5 }),
  end: fc.constantFrom("commit", "commit", "commit", "rollback"),
  savepoint: fc.boolean(),
  schema: fc.constantFrom(0, 1),
  writer: fc.constantFrom(0, 1, 2),
});

const RUNS = Number(process.env["ORACLE_RUNS"] ?? 60);

const ways = (await startClusters()).flatMap((cluster) =>
  [...cluster.plugins, "snapshot" as const].map((way) => ({
    cluster,
    way,
    name: `${way} on ${cluster.name}`,
  })),
);

describe("the captured diff equals the difference of two snapshots", () => {
  test.each(ways)(
    "with $name",
    async ({ cluster, way }) => {
      const database = await createDatabase(cluster);
      const { pool, capture, stop } = await startCapture(database, way);
      const writers = [0, 1, 2].map(() =>
        connect(database.url, { max: 1, name: "writer", patient: true }),
      );
      const schemas = ["env_one", "env_two"];
      for (const schema of schemas) {
        await database.sql.unsafe(
          `create schema ${schema}; set search_path to ${schema}; ${DDL} ${SEED}; set search_path to ''`,
        );
        for (const table of Object.keys(KEYS))
          await database.sql.unsafe(`alter table ${schema}.${table} replica identity full`);
      }
      try {
        await fc.assert(
          fc.asyncProperty(
            fc.array(transaction, { minLength: 1, maxLength: 12 }),
            async (transactions) => {
              const before = await Promise.all(
                schemas.map((schema) => stateOf(database.sql, schema, KEYS)),
              );
              const runs = await Promise.all(
                schemas.map((schema) => record(pool, capture, schema, KEYS)),
              );

              await Promise.all(
                writers.map(async (writer, index) => {
                  for (const { statements, end, savepoint, schema } of transactions.filter(
                    (each) => each.writer === index,
                  )) {
                    const inner = savepoint
                      ? [
                          ...statements.slice(0, -1),
                          "savepoint s",
                          ...statements.slice(-1),
                          "rollback to s",
                        ]
                      : statements;
                    const body = [
                      "begin",
                      `set local search_path to ${schemas[schema]}`,
                      ...inner,
                      end,
                    ].join("; ");
                    await writer.unsafe(body).catch(async () => await writer.unsafe("rollback"));
                  }
                }),
              );

              const results = await Promise.all(runs.map((run) => run.end()));
              const after = await Promise.all(
                schemas.map((schema) => stateOf(database.sql, schema, KEYS)),
              );
              for (const [index, result] of results.entries()) {
                expect(result.failures).toEqual([]);
                expect(sorted(result.diff)).toBe(
                  sorted(difference(before[index]!, after[index]!, KEYS)),
                );
              }
            },
          ),
          { numRuns: RUNS },
        );
      } finally {
        await Promise.all(writers.map((writer) => writer.end({ timeout: 1 })));
        await stop();
        await dropDatabase(database);
      }
    },
    120_000,
  );
});
