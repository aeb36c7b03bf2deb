/**
 * Names for the ids in sentences. A sentence is made again and again: each time it asks for names that were not known
 * before, they are looked up.
 */
import { errorCode, inTransaction, type Pool, type Sql, UNDEFINED_TABLE } from "~/db/connect";
import { findNamed } from "~/db/named-rows";
import { ApiError } from "~/errors";
import type { Words } from "~/evaluation/words/values";
import { findUsed } from "~/platform/environments/details-store";
import type { EnvironmentRow } from "~/platform/environments/store";
import type { Templates } from "~/platform/templates/templates";
import { onOneLine } from "~/replicas/row-words";
import { modelWith } from "~/replicas/world";

/** A message names its author, whose name may be in another table. */
const ROUNDS_MAX = 4;
const NAMES_MAX = 500;
const ID_MAX = 80;
/** One snapshot: a schema is then that of this environment, not of the next one that uses it. */
const SNAPSHOT = "isolation level repeatable read read only";
const KNOWN_MAX = 5_000;

type Row = { readonly [column: string]: unknown };
/** `within`: the other column that names rows, if there is one. */
type Asked = {
  readonly table: string;
  readonly by: string;
  readonly within: string | undefined;
  /** The values that are asked for, by key. */
  readonly values: Map<string, string>;
};

/** Rows by table, column and value. */
type Known = Map<string, Row | null>;
const keyOf = (table: string, by: string, value: string, within = "") =>
  JSON.stringify([table, by, value, within]);

/** A row that the run has made, removed, or changed; those win over what is found. */
export type RunRow = { readonly table: string; readonly row: Row };

export type Where = Pick<EnvironmentRow, "service" | "templateName" | "members"> & {
  /** Undefined: the template only. */
  readonly environmentId?: string;
  readonly templateSchema: string | null;
  readonly schemaName: string;
  readonly userId: string;
};

export function createNaming({ pool, templates }: { pool: Pool; templates: Templates }) {
  /** The schema to look into: the environment's own while it is live, otherwise its template's. */
  async function schemaOf(sql: Sql, where: Where): Promise<string | undefined> {
    const { environmentId, templateSchema, userId, service, templateName } = where;
    const used = environmentId === undefined ? undefined : await findUsed(sql, environmentId);
    if (used) return used.schema;
    if (templateSchema !== null) return templateSchema;
    try {
      return (await templates.require(userId, service, templateName)).schemaName;
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  return {
    /** Runs `make` with words that know the names it asks for. `own`: rows of the run itself. */
    async withNames<T>(
      where: Where,
      own: readonly RunRow[],
      make: (words: Words) => T,
    ): Promise<T> {
      const template = { ...where, templateSchema: where.templateSchema ?? where.schemaName };
      const columns = await templates.tablesOf(template);
      const { words: tables = {} } = modelWith(where.service, columns);
      const known: Known = new Map();
      const attempt = () => {
        const asked = new Map<string, Asked>();
        const words: Words = {
          tables,
          say(table, value, { by, within } = { by: "id" }) {
            const key = keyOf(table, by, value, within?.[1]);
            const row = known.get(key);
            if (row === undefined) {
              const name = JSON.stringify([table, by, within?.[0]]);
              const group = asked.get(name) ?? {
                table,
                by,
                within: within?.[0],
                values: new Map(),
              };
              asked.set(name, group);
              if (group.values.size < NAMES_MAX) group.values.set(key, value);
            }
            return (row && tables[table]?.name?.(row, words.say)) || onOneLine(value, ID_MAX);
          },
        };
        return { made: make(words), asked: [...asked.values()] };
      };
      const first = attempt();
      if (first.asked.length === 0) return first.made;
      try {
        return await inTransaction(
          pool,
          async (tx) => {
            const schema = await schemaOf(tx, where);
            let { made, asked } = first;
            for (let round = 0; round < ROUNDS_MAX && asked.length > 0; round++) {
              for (const each of asked) {
                if (schema !== undefined) await lookUp(tx, schema, each);
                add(
                  each,
                  own.filter(({ table }) => table === each.table).map(({ row }) => row),
                );
              }
              ({ made, asked } = attempt());
            }
            return made;
          },
          SNAPSHOT,
        );
      } catch (error) {
        // The schema is gone.
        if (errorCode(error) !== UNDEFINED_TABLE) throw error;
        return first.made;
      }

      async function lookUp(sql: Sql, schema: string, asked: Asked) {
        const { table, by, within, values } = asked;
        const shape = columns.find(({ name }) => name === table);
        const has = (column: string) => shape?.columns.some(({ name }) => name === column);
        for (const key of values.keys()) if (known.size < KNOWN_MAX) known.set(key, null);
        if (!has(by)) return;
        const named = [by, within ?? by, ...(tables[table]?.named ?? [])];
        const read = [...new Set(named)].filter(has);
        const wanted = [...new Set(values.values())];
        add(asked, await findNamed(sql, schema, { table, by, columns: read }, wanted));
      }

      /** Adds those that are asked for. */
      function add({ table, by, within, values }: Asked, rows: readonly Row[]) {
        for (const row of rows) {
          const key = keyOf(table, by, `${row[by]}`, within && `${row[within]}`);
          if (values.has(key)) known.set(key, { ...known.get(key), ...row });
        }
      }
    },
  };
}
