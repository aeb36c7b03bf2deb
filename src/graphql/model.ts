/**
 * Describes an entity to the compilers of this folder: where its rows are stored, which SQL expressions belong to a
 * row, and how rows of different entities are related. A relation is declared once; lists, nested lists and filters use
 * it. This folder knows no concrete entity.
 */
import type { Fragment, Identifier, Sql } from "~/db/connect";

/** The inputs of every expression. Each request has one. */
export type Scope = {
  readonly sql: Sql;
  /** The quoted, schema-qualified name of a table. */
  readonly table: (name: string) => Identifier;
  /** The clock of the request. */
  readonly now: Date;
  /** The id of the viewer. */
  readonly actor: string;
  /** Ids whose rows the viewer must not see. Almost always empty. */
  readonly hidden: readonly string[];
  /** A new alias for a row of the statement. */
  readonly alias: () => string;
};

/** The scope of one statement: equal statements get equal aliases, so each is prepared once. */
export function statement(scope: Omit<Scope, "alias">): Scope {
  let count = 0;
  return { ...scope, alias: () => `r${++count}` };
}

export type Value = Fragment | Identifier;
/** A row in a statement: `row("teamId")` is that column of it. */
export type Row = (column: string) => Value;

export type Expression = (row: Row, scope: Scope) => Fragment;
/** Whether `related` belongs to `row`. */
export type Relation = (row: Row, related: Row, scope: Scope) => Fragment;

/** One key of an order. Without `nulls`, null sorts last. */
export type Order = {
  readonly by: Expression;
  readonly descending?: boolean;
  readonly nulls?: "first" | "last";
};

export type SortOptions = {
  readonly order?: "Ascending" | "Descending" | null;
  readonly nulls?: "first" | "last" | null;
  readonly [option: string]: unknown;
};

export type One = {
  readonly to: string;
  readonly key: string;
  /** Every viewer of the row also sees the related one, even if it is hidden otherwise. */
  readonly withRow?: boolean;
};

export type Many = {
  readonly to: string;
  readonly on: Relation;
  /** Selects the ids of the related rows, if they are few: a list reads them first, and Postgres has no other order. */
  readonly ids?: Expression;
};

export type Model = {
  /** The name of the GraphQL type. */
  readonly name: string;
  readonly table: string;
  /** The table holds several entities: `type` names the entity, `data` holds the fields. */
  readonly shared: boolean;
  /** Postgres types by column; of a shared table, the types of the fields in `data` that are not text. */
  readonly columns: ReadonlyMap<string, string>;
  /** A query in place of a table. */
  readonly source?: (scope: Scope) => Fragment;
  /** Related rows by the column, or computed value, that holds their id. */
  readonly one: ReadonlyMap<string, One>;
  readonly many: ReadonlyMap<string, Many>;
  /** Values that are computed on demand. */
  readonly computed: ReadonlyMap<string, Expression>;
  /** Conditions that are not named after a value. */
  readonly filters: ReadonlyMap<string, Expression>;
  /** Orders that are not named after a value. */
  readonly sorts: ReadonlyMap<string, (options: SortOptions) => readonly Order[]>;
  /** Rows that lists omit unless this argument is true. */
  readonly unlisted?: { readonly unless: string; readonly condition: Expression };
  /** Lists, and filters by a relation, omit rows that are not in use unless this argument is true. */
  readonly archive?: { readonly unless: string; readonly inUse: Expression };
  /** Whether the viewer may see the row; undefined when nothing is hidden. */
  readonly visible?: (row: Row, scope: Scope) => Fragment | undefined;
};

export type Models = ReadonlyMap<string, Model>;

export function requireModel(models: Models, name: string): Model {
  const model = models.get(name);
  if (!model) throw new Error(`there is no model ${name}`);
  return model;
}

export function requireMany(model: Model, relation: string) {
  const many = model.many.get(relation);
  if (!many) throw new Error(`${model.name} has no ${relation}`);
  return many;
}

/** The computed values that a selection needs: its fields, and the keys of its relations. */
export function computedOf({ computed, one }: Model, fields: ReadonlySet<string>): string[] {
  if (fields.size === 0) return [];
  const needed = new Set<string>();
  for (const name of fields) {
    const value = one.get(name)?.key ?? name;
    if (computed.has(value)) needed.add(value);
  }
  return [...needed].toSorted();
}

/** Columns of a shared table itself. */
const OWN = new Set(["id", "createdAt", "updatedAt", "archivedAt"]);

/** The rows that a list with these arguments does not omit as archived. */
export function inUse(
  { archive }: Model,
  args: Readonly<Record<string, unknown>>,
  row: Row,
  scope: Scope,
): Fragment | undefined {
  return archive && args[archive.unless] !== true ? archive.inUse(row, scope) : undefined;
}

/** The source of a `from` clause. */
export function source(model: Model, scope: Scope): Value {
  if (model.source) return model.source(scope);
  const { sql, table } = scope;
  return model.shared
    ? sql`(select * from ${table(model.table)} where type = ${model.name})`
    : table(model.table);
}

/** The columns of the row with this alias. */
export function rowOf(model: Model, { sql }: Scope, alias: string): Row {
  return (column) => {
    if (!model.shared || OWN.has(column)) return sql(`${alias}.${column}`);
    const data = sql(`${alias}.data`);
    const value = sql`(${data}->>${column}::text)`;
    switch (model.columns.get(column)) {
      case "uuid":
        return sql`${value}::uuid`;
      case "float8":
        return sql`${value}::float8`;
      case "boolean":
        return sql`${value}::boolean`;
      case "timestamptz":
        return sql`${value}::timestamptz`;
      case "date":
        return sql`${value}::date`;
      case "jsonb":
        return sql`(${data}->${column}::text)`;
      default:
        return value;
    }
  };
}

/** A value of a row by name: computed, or a column. Undefined when there is neither. */
export function expressionOf(
  model: Model,
  row: Row,
  scope: Scope,
  name: string,
): Value | undefined {
  const computed = model.computed.get(name);
  if (computed) return computed(row, scope);
  if (model.shared || model.columns.has(name)) return row(name);
  return undefined;
}

/** The row as the resolvers read it. */
export function flatten(model: Model, row: Record<string, unknown>): Record<string, unknown> {
  if (!model.shared) return row;
  const { data, type: _, ...own } = row;
  return { ...(data as object), ...own };
}
