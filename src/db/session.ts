/** The handle of one environment: its tables by name, and single statements or one transaction on them. */
import { LRUCache } from "lru-cache";
import { type Identifier, inTransaction, type Pool, type Sql } from "~/db/connect";
import type { OutgoingMail } from "~/outgoing";
import { REAL, type Source } from "~/source";

/** The schema-qualified, quoted name of each table, for use in a statement: `from ${t.messages}`. */
export type Tables<Name extends string = string> = { readonly [N in Name]: Identifier };

export type Session<Name extends string = string> = {
  /** The pool, or the open transaction. */
  readonly sql: Sql;
  readonly t: Tables<Name>;
  /** The schema's name, for functions that take a sequence's name as a string. */
  readonly schema: string;
  /** In front of the names of sequences: of a service that shares its schema with others. */
  readonly prefix: string;
  /** The time and the random bytes of the call. */
  readonly source: Source;
  /**
   * Runs `work` in one transaction of this environment, or in the one that is already open; a throw rolls it back.
   *
   * A call of a single statement does not need it: a statement is atomic and saves the round trips of begin and commit.
   */
  transaction<T>(work: (session: Session<Name>) => Promise<T>): Promise<T>;
  /**
   * Gives a mail to the other services of the environment that take mail, as a part of the open transaction. An
   * environment of one service has none, and the mail leaves no trace. Throws outside of a transaction.
   */
  send(mail: OutgoingMail): Promise<void>;
  /** Another service of the environment takes mail. */
  readonly hasMailboxes: boolean;
};

/** Opens an environment's session on a pool: each statement stands alone until `transaction` is called. */
export function openSession(pool: Pool, schema: string, t: Tables, source: Source = REAL): Session {
  return {
    sql: pool,
    t,
    schema,
    prefix: "",
    source,
    transaction: (work) => inTransaction(pool, (tx) => work(sessionWithin(tx, schema, t, source))),
    hasMailboxes: false,
    send: () => Promise.reject(new Error("a mail is sent in the transaction of what it tells of")),
  };
}

/** The session of an open transaction. */
export function sessionWithin(tx: Sql, schema: string, t: Tables, source: Source): Session {
  const inside: Session = {
    sql: tx,
    t,
    schema,
    prefix: "",
    source,
    transaction: (nested) => nested(inside),
    hasMailboxes: false,
    send: async () => undefined,
  };
  return inside;
}

/**
 * Awaits statements that were sent together in a transaction. Throws the first error in their order: the statements
 * after it only report that the transaction is aborted.
 */
export async function together<T extends readonly unknown[]>(
  sent: readonly [...T],
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(sent);
  // Each has settled, so the first error is the first in order.
  const results: unknown[] = [];
  for (const one of sent) results.push(await one);
  return results as { -readonly [I in keyof T]: Awaited<T[I]> };
}

/** About as many schemas as the sessions lease. The names of fifty tables take 18 kB. */
const CACHE_MAX = 1_000;
const cache = new LRUCache<string, Tables>({ max: CACHE_MAX });

/** Caches the quoted names of a schema's tables: a hot call should not quote thirty of them. */
export function tablesOf(sql: Sql, schema: string, list: readonly { name: string }[]): Tables {
  const known = cache.get(schema);
  if (known) return known;
  const tables = Object.fromEntries(list.map(({ name }) => [name, sql(`${schema}.${name}`)]));
  cache.set(schema, tables);
  return tables;
}
