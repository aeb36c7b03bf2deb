/**
 * The parameter types of statements, by their text without the schema.
 *
 * A session has to parse each statement once for every schema. The driver needs the parameters' types before it can send
 * their values, and would ask for them first, which is one more round trip for each statement of a first call. The types
 * are the same in all schemas with the same tables.
 */
import { LRUCache } from "lru-cache";

/** Of the statements on one schema, as the driver asks for them. */
export type Shapes = {
  /** Asked once by each session that uses the statement. */
  readonly typesOf: (statement: string) => readonly number[] | undefined;
  readonly learn: (statement: string, types: readonly number[]) => void;
};

type Tables = readonly { readonly name: string }[];

const CHARACTERS_MAX = 8_000_000;
/** Types from this id on are not built in: each schema has its own. */
const FIRST_OWN_TYPE = 16_384;
/** Stands for the schema. Postgres allows no empty name. */
const ANY = '"".';

export function createShapes() {
  const known = new LRUCache<string, readonly number[]>({
    maxSize: CHARACTERS_MAX,
    sizeCalculation: (_, statement) => statement.length,
  });
  const families = new WeakMap<Tables, string>();

  /** The same for schemas whose tables have the same columns. */
  function familyOf(tables: Tables): string {
    const family = families.get(tables) ?? `${Bun.hash(JSON.stringify(tables)).toString(36)}:`;
    families.set(tables, family);
    return family;
  }

  return (schema: string, tables: Tables): Shapes => {
    const family = familyOf(tables);
    const own = `"${schema}".`;
    const key = (statement: string) => family + statement.replaceAll(own, ANY);
    return {
      typesOf: (statement) => known.get(key(statement)),
      learn(statement, types) {
        if (types.every((type) => type < FIRST_OWN_TYPE)) known.set(key(statement), [...types]);
      },
    };
  };
}

/** The same, and counts what a session prepares. */
export const counted = (shapes: Shapes, statements: { characters: number }): Shapes => ({
  ...shapes,
  typesOf(statement) {
    statements.characters += statement.length;
    return shapes.typesOf(statement);
  },
});
