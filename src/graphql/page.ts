/**
 * Pages of a list, forwards and backwards. The cursor is a row's id: its position is looked up by the keys of the
 * order, so that a page continues correctly even if the list has changed.
 */
import type { Fragment } from "~/db/connect";
import { InvalidArgument, requireFew } from "~/graphql/errors";
import { PAGE_DEFAULT, PAGE_MAX, SORT_KEYS_MAX } from "~/graphql/limits";
import {
  expressionOf,
  type Model,
  type Order,
  type Row,
  rowOf,
  type Scope,
  type SortOptions,
  source,
  type Value,
} from "~/graphql/model";
import { isUuid } from "~/graphql/uuid";

export type PageArguments = {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
  /** A column to sort by, newest first. */
  readonly orderBy?: string | null;
  readonly filter?: unknown;
  readonly sort?: readonly Readonly<Record<string, SortOptions | null>>[] | null;
  /** Other arguments of the field. */
  readonly [argument: string]: unknown;
};

/** The requested part of a list. */
export type Window = {
  readonly limit: number;
  readonly backwards: boolean;
  readonly cursor: string | undefined;
};

/** Parses the arguments of a page. Throws InvalidArgument. */
export function windowOf({ first, after, last, before }: PageArguments): Window {
  const backwards = last != null || before != null;
  if (backwards && (first != null || after != null))
    throw new InvalidArgument(
      "first",
      first,
      "oneDirection",
      "first and after cannot be combined with last and before",
    );
  const [property, limit] = backwards ? (["last", last] as const) : (["first", first] as const);
  if (limit != null && limit < 1)
    throw new InvalidArgument(property, limit, "min", `${property} must not be less than 1`);
  if (limit != null && limit > PAGE_MAX)
    throw new InvalidArgument(
      property,
      limit,
      "max",
      `${property} must not be greater than ${PAGE_MAX}`,
    );
  const cursor = (backwards ? before : after) ?? undefined;
  if (cursor !== undefined && !isUuid(cursor)) throw unknownCursor(backwards, cursor);
  return { limit: limit ?? PAGE_DEFAULT, backwards, cursor };
}

export function unknownCursor(backwards: boolean, cursor: string): InvalidArgument {
  const property = backwards ? "before" : "after";
  return new InvalidArgument(
    property,
    cursor,
    "isCursor",
    `${property} must be a cursor of this list`,
  );
}

/**
 * The keys of a list's order: newest first by default. `sort` overrides it, `best` comes first, and the id breaks ties.
 */
export function ordersOf(
  model: Model,
  { sort, orderBy }: PageArguments,
  best: readonly Order[] = [],
): readonly Order[] {
  const sorted = (sort ?? []).flatMap((keys) =>
    Object.entries(keys).flatMap(([key, options]) => ordersOfKey(model, key, options ?? {})),
  );
  requireFew("sort", sorted.length, SORT_KEYS_MAX, "keys");
  const time = sorted.length > 0 ? "createdAt" : (orderBy ?? "createdAt");
  return [
    ...best,
    ...sorted,
    { by: column(model, time), descending: true },
    { by: column(model, "id") },
  ];
}

const column =
  (model: Model, name: string): Order["by"] =>
  (row, scope) => {
    const value = expressionOf(model, row, scope, name);
    if (!value) throw new Error(`${model.name} cannot be ordered by ${name}`);
    return scope.sql`${value}`;
  };

function ordersOfKey(model: Model, key: string, options: SortOptions): readonly Order[] {
  const own = model.sorts.get(key)?.(options) ?? [{ by: column(model, key) }];
  const reversed = options.order === "Descending";
  return own.map(({ by, descending = false, nulls }) => ({
    by,
    descending: descending !== reversed,
    nulls: nulls ?? options.nulls ?? "last",
  }));
}

const flip = ({ by, descending = false, nulls = "last" }: Order): Order => ({
  by,
  descending: !descending,
  nulls: nulls === "last" ? "first" : "last",
});

/** The parts of a statement that read one window of a list. */
export type Plan = {
  /** `with place as (…)`, the position of the cursor; empty without a cursor. */
  readonly place: Fragment;
  /** Holds for rows after the cursor. */
  readonly behind: (row: Row) => Fragment | undefined;
  readonly orderBy: (row: Row) => Fragment;
};

export function planPage(
  given: readonly Order[],
  model: Model,
  window: Window,
  scope: Scope,
): Plan {
  const { sql } = scope;
  const orders = window.backwards ? given.map(flip) : given;
  return {
    place: window.cursor === undefined ? sql`` : place(model, orders, window.cursor, scope),
    behind: (row) => (window.cursor === undefined ? undefined : behind(orders, row, scope)),
    orderBy: (row) =>
      list(
        orders.map(({ by, descending = false, nulls = "last" }) => {
          const value = by(row, scope);
          if (descending)
            return nulls === "last" ? sql`${value} desc nulls last` : sql`${value} desc`;
          return nulls === "last" ? sql`${value}` : sql`${value} nulls first`;
        }),
        scope,
      ),
  };
}

/** Values joined by commas. */
export function list([first, ...others]: readonly Value[], { sql }: Scope): Fragment {
  // The driver takes an empty list for a parameter.
  if (others.length === 0) return sql`${first as Value}`;
  return sql`${first as Value} ${others.map((one) => sql`, ${one}`)}`;
}

function place(model: Model, orders: readonly Order[], cursor: string, scope: Scope): Fragment {
  const { sql } = scope;
  const alias = scope.alias();
  const row = rowOf(model, scope, alias);
  const keys = orders.map(({ by }, index) => sql`${by(row, scope)} as ${sql(`k${index}`)}`);
  return sql`with place as (
    select ${list(keys, scope)} from ${source(model, scope)} as ${sql(alias)} where ${row("id")} = ${cursor}::uuid
  )`;
}

/** Later in the order: equal in the first keys, and after in the next. */
function behind(orders: readonly Order[], row: Row, scope: Scope): Fragment {
  const { sql } = scope;
  const steps = orders.map(({ by, descending = false, nulls = "last" }, index) => {
    const value = by(row, scope);
    const mark = sql`(select ${sql(`k${index}`)} from place)`;
    const further = descending ? sql`${value} < ${mark}` : sql`${value} > ${mark}`;
    const acrossNulls =
      nulls === "last"
        ? sql`(${value} is null and ${mark} is not null)`
        : sql`(${value} is not null and ${mark} is null and exists (select from place))`;
    const level = sql`${value} is not distinct from ${mark}`;
    return { level, later: sql`(${further} or ${acrossNulls})` };
  });
  return steps.reduceRight(
    (rest, { level, later }) => sql`(${later} or (${level} and ${rest}))`,
    sql`false`,
  );
}

export type RowObject = { readonly id: string; readonly [field: string]: unknown };

export type Connection = {
  readonly nodes: readonly RowObject[];
  readonly edges: () => readonly { readonly cursor: string; readonly node: RowObject }[];
  readonly pageInfo: {
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
};

/** A connection from the rows read; there is one extra row if there is another page. */
export function connectionOf(read: readonly RowObject[], window: Window): Connection {
  const more = read.length > window.limit;
  const kept = more ? read.slice(0, window.limit) : read;
  const nodes = window.backwards ? kept.toReversed() : kept;
  const beyond = window.cursor !== undefined;
  return {
    nodes,
    edges: () => nodes.map((node) => ({ cursor: node.id, node })),
    pageInfo: {
      startCursor: nodes[0]?.id ?? null,
      endCursor: nodes.at(-1)?.id ?? null,
      hasNextPage: window.backwards ? beyond : more,
      hasPreviousPage: window.backwards ? more : beyond,
    },
  };
}

export const EMPTY: Connection = connectionOf([], {
  limit: 1,
  backwards: false,
  cursor: undefined,
});
