/**
 * The parameter types of statements, by their text without the schema.
 *
 * A session has to parse each statement once for every schema. The driver needs the parameters' types before it can send
 * their values, and would ask for them first, which is one more round trip for each statement of a first call. The types
 * are the same in all schemas with the same tables.
 *
 * So are the statements: those that several sessions have sent are planned ahead in schemas that come next.
 */
import { LRUCache } from "lru-cache";
import type { Tx } from "~/db/connect";

/** Of the statements on one schema, as the driver asks for them. */
export type Shapes = {
  /** Asked once by each session that uses the statement. */
  readonly typesOf: (statement: string) => readonly number[] | undefined;
  readonly learn: (statement: string, types: readonly number[]) => void;
  /** Returns the statements that several sessions have sent, the last used first. */
  readonly common: () => Statement[];
};

export type Statement = {
  readonly text: string;
  /** As the driver infers them from values; 0: unknown. */
  readonly inferred: readonly number[];
  readonly types: readonly number[];
  readonly forget: () => void;
};

type Tables = readonly { readonly name: string }[];
type Known = { readonly types: readonly number[]; uses: number };

const CHARACTERS_MAX = 8_000_000;
/** Types from this id on are not built in: each schema has its own. */
const FIRST_OWN_TYPE = 16_384;
/** Stands for the schema. Postgres allows no empty name. */
const ANY = '"".';
/** Of the statements that are planned ahead in one schema. */
const COMMON_MAX = 64;
const COMMON_CHARACTERS_MAX = 200_000;
/** Longer ones are those of unusual requests. */
const COMMON_LENGTH_MAX = 20_000;

export function createShapes() {
  const known = new LRUCache<string, Known>({
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
      typesOf(statement) {
        const found = known.get(key(statement));
        if (found) found.uses++;
        return found?.types;
      },
      learn(statement, types) {
        if (!types.every((type) => type < FIRST_OWN_TYPE)) return;
        const uses = known.peek(key(statement))?.uses ?? 1;
        known.set(key(statement), { types: [...types], uses });
      },
      common() {
        const found: Statement[] = [];
        let characters = 0;
        for (const [statement, { types, uses }] of known.entries()) {
          if (uses < 2 || statement.length > COMMON_LENGTH_MAX || !statement.startsWith(family))
            continue;
          const [inferred = ""] = /^[\d,]*/.exec(statement.slice(family.length)) ?? [];
          const text = statement.slice(family.length + inferred.length).replaceAll(ANY, own);
          characters += text.length;
          if (found.length === COMMON_MAX || characters > COMMON_CHARACTERS_MAX) break;
          const numbers = inferred === "" ? [] : inferred.split(",").map(Number);
          found.push({ text, inferred: numbers, types, forget: () => known.delete(statement) });
        }
        return found;
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

/**
 * Plans statements one by one, until `goesOn` returns false. Returns whether all are planned. One that fails is
 * forgotten. Nothing runs: binding a statement plans it, and loads its tables with their indexes.
 */
export async function planAll(
  tx: Tx,
  statements: readonly Statement[],
  goesOn: () => boolean,
): Promise<boolean> {
  // Added by scripts/patches, and missing in the types.
  const planning = tx as unknown as { plan(...statement: unknown[]): Promise<unknown> };
  for (const { text, inferred, types, forget } of statements) {
    if (!goesOn()) return false;
    try {
      await planning.plan(text, inferred, types);
    } catch (error) {
      forget(); // it may fail everywhere
      throw error;
    }
  }
  return true;
}
