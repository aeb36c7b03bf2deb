/**
 * What the compilers of this folder know of an entity: where its rows are, what else can be said of a row in SQL, and
 * how rows of different entities belong together. A relation is declared once; lists, nested lists and filters read
 * it. Nothing here or beside it knows a particular entity.
 */
import type { Fragment, Identifier, Sql } from "~/db/connect";

/** What every expression may depend on. One request has one. */
export type Scope = {
  readonly sql: Sql;
  /** The quoted, schema-qualified name of a table. */
  readonly table: (name: string) => Identifier;
  /** The clock of the request. */
  readonly now: Date;
  /** The id of the user who asks. */
  readonly actor: string;
  /** What the asking user must not see, as ids that rows name. Nearly always empty. */
  readonly hidden: readonly string[];
  /** A name for one more row of the statement. */
  readonly alias: () => string;
};

/** The scope of one statement: equal statements get equal names, and so are prepared once. */
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

/** One key of an order. Without `nulls`, rows without a value come last. */
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
  /** Everybody who sees the row sees this one as well, even if it is hidden from them otherwise. */
  readonly withRow?: boolean;
};

export type Model = {
  /** The name of the GraphQL type. */
  readonly name: string;
  readonly table: string;
  /** Rows of a table that holds several entities: `type` says which, `data` holds the fields. */
  readonly shared: boolean;
  /** Postgres types by column; of a shared table the types of what `data` holds, where they are not text. */
  readonly columns: ReadonlyMap<string, string>;
  /** Instead of a table: a query. */
  readonly source?: (scope: Scope) => Fragment;
  /** Related rows by the column, or the computed value, that holds their id. */
  readonly one: ReadonlyMap<string, One>;
  readonly many: ReadonlyMap<string, { readonly to: string; readonly on: Relation }>;
  /** Values that are computed from the row when they are asked for. */
  readonly computed: ReadonlyMap<string, Expression>;
  /** Conditions whose name is not that of a value. */
  readonly filters: ReadonlyMap<string, Expression>;
  /** Orders whose key is not the name of a value. */
  readonly sorts: ReadonlyMap<string, (options: SortOptions) => readonly Order[]>;
  /** Rows that lists leave out unless this argument of theirs is true. */
  readonly unlisted?: { readonly unless: string; readonly condition: Expression };
  /** Whether what the row belongs to is in use: lists leave out what does not as if it were archived itself. */
  readonly inUse?: Expression;
  /** Whether the asking user may see the row; undefined when there is nothing to hide. */
  readonly visible?: (row: Row, scope: Scope) => Fragment | undefined;
};

export type Models = ReadonlyMap<string, Model>;

export function requireModel(models: Models, name: string): Model {
  const model = models.get(name);
  if (!model) throw new Error(`there is no model of ${name}`);
  return model;
}

/** Columns of a shared table itself. */
const OWN = new Set(["id", "createdAt", "updatedAt", "archivedAt"]);

/** Undefined for an entity that has no archive. */
export function notArchived(model: Model, row: Row, scope: Scope): Fragment | undefined {
  if (!model.shared && !model.columns.has("archivedAt")) return undefined;
  const own = scope.sql`${row("archivedAt")} is null`;
  return model.inUse ? scope.sql`${own} and ${model.inUse(row, scope)}` : own;
}

/** What stands after `from`. */
export function source(model: Model, scope: Scope): Value {
  if (model.source) return model.source(scope);
  const { sql, table } = scope;
  return model.shared
    ? sql`(select * from ${table(model.table)} where type = ${model.name})`
    : table(model.table);
}

/** The columns of the row that has this alias. */
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

/** A value of a row by its name: computed, or a column. Undefined when it has neither. */
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
