/** The handle of one environment: its tables by name, and single statements or one transaction on them. */
import { LRUCache } from "lru-cache";
import {
  type Identifier,
  inTransaction,
  type Pool,
  type Sql,
  type Fragment as Statement,
} from "~/db/connect";

/** The schema-qualified, quoted name of each table, for use in a statement: `from ${t.messages}`. */
export type Tables<Name extends string = string> = { readonly [N in Name]: Identifier };

export type Session<Name extends string = string> = {
  /** The pool, or the open transaction. */
  readonly sql: Sql;
  readonly t: Tables<Name>;
  /** The schema's name, for functions that take a sequence's name as a string. */
  readonly schema: string;
  /**
   * Runs `work` in one transaction of this environment, or in the one that is already open; a throw rolls it back.
   *
   * A call of a single statement does not need it: a statement is atomic and saves the round trips of begin and commit.
   */
  transaction<T>(work: (session: Session<Name>) => Promise<T>): Promise<T>;
};

/** A statement sent ahead of each transaction without an extra round trip. */
export type Preface = (sql: Sql) => Statement;

/** Opens an environment's session on a pool: each statement stands alone until `transaction` is called. */
export function openSession(pool: Pool, schema: string, t: Tables, preface?: Preface): Session {
  return {
    sql: pool,
    t,
    schema,
    transaction: (work) =>
      inTransaction(pool, async (sql) => {
        const inside: Session = { sql, t, schema, transaction: (nested) => nested(inside) };
        const sent = preface?.(sql).execute();
        const [result] = await Promise.all([work(inside), sent]);
        return result;
      }),
  };
}

const CACHE_MAX = 20_000;
const cache = new LRUCache<string, Tables>({ max: CACHE_MAX });

/** Caches the quoted names of a schema's tables: a hot call should not quote thirty of them. */
export function tablesOf(sql: Sql, schema: string, list: readonly { name: string }[]): Tables {
  const known = cache.get(schema);
  if (known) return known;
  const tables = Object.fromEntries(list.map(({ name }) => [name, sql(`${schema}.${name}`)]));
  cache.set(schema, tables);
  return tables;
}
