/** The statements that read rows of any model. */
import type { GraphQLInputObjectType } from "graphql";
import type { Fragment } from "~/db/connect";
import type { Budget } from "~/graphql/budget";
import { all } from "~/graphql/compare";
import { type Catalog, compileFilter } from "~/graphql/filter";
import { FETCH_ROWS } from "~/graphql/limits";
import {
  computedOf,
  expressionOf,
  flatten,
  inUse,
  type Many,
  type Model,
  type Order,
  type Row,
  requireModel,
  rowOf,
  type Scope,
  source,
  statement,
} from "~/graphql/model";
import {
  list,
  ordersOf,
  type PageArguments,
  planPage,
  type RowObject,
  type Window,
} from "~/graphql/page";

/** The inputs of all statements of a request. */
export type Reading = Catalog & {
  /** The session and the inputs of expressions. */
  readonly viewer: Omit<Scope, "alias">;
  readonly budget: Budget;
};

/** The parts of a row to read. */
export type Parts = {
  /** Computed values to read with the rows. */
  readonly fields?: ReadonlySet<string>;
  /** Columns to read; all by default. */
  readonly columns?: ReadonlySet<string> | undefined;
};

/** `evenHidden`: rows that the viewer must not see otherwise, too. */
export type RowParts = Parts & { readonly evenHidden?: boolean };

export type PageWanted = Parts & {
  readonly args: PageArguments;
  /** The type of `args.filter`. */
  readonly filterType?: GraphQLInputObjectType | undefined;
  /** A condition in addition to the filter. */
  readonly where?: (row: Row, scope: Scope) => Fragment | undefined;
  /** Keys that come before those of the default order. */
  readonly best?: readonly Order[];
  /** Looks up few rows, archived ones too. */
  readonly isLookup?: boolean;
};

type Found = { readonly [column: string]: unknown };
/** One row of a model in a statement. */
type At = {
  readonly model: Model;
  readonly alias: string;
  readonly row: Row;
  readonly scope: Scope;
};

const NO_FIELDS: ReadonlySet<string> = new Set();

function within(scope: Scope, model: Model): At {
  const alias = scope.alias();
  return { model, alias, row: rowOf(model, scope, alias), scope };
}

const fromOf = ({ model, alias, scope }: At) =>
  scope.sql`${source(model, scope)} as ${scope.sql(alias)}`;

/** The rows of a statement that returns up to `most`: fetched in parts, until the budget is used up. */
async function collect(budget: Budget, query: Fragment, most: number): Promise<readonly Found[]> {
  if (budget.isOver()) return await budget.never;
  const rows: Found[] = [];
  if (most <= FETCH_ROWS) {
    rows.push(...(await query));
    budget.read(rows);
  } else
    for await (const some of query.cursor(FETCH_ROWS)) {
      rows.push(...some);
      budget.read(some);
      if (budget.isOver()) break;
    }
  return budget.isOver() ? await budget.never : rows;
}

/** The columns, `*` by default, and the computed values among `fields`. */
function selected({ model, alias, row, scope }: At, { fields = NO_FIELDS, columns }: Parts) {
  const { sql } = scope;
  const own = [...model.columns.keys()].filter((name) => columns?.has(name));
  const stored = model.shared || !columns ? ["*"] : own;
  const computed = computedOf(model, fields).map(
    (name) => sql`${expressionOf(model, row, scope, name) as Fragment} as ${sql(name)}`,
  );
  const listed = stored.map((name) => (name === "*" ? sql`${sql(alias)}.*` : row(name)));
  return list([...listed, ...computed], scope);
}

/** Rows by id. */
export async function fetchRows(
  { viewer, budget }: Reading,
  model: Model,
  ids: readonly string[],
  { evenHidden = false, ...parts }: RowParts = {},
): Promise<ReadonlyMap<string, RowObject>> {
  const scope = statement(viewer);
  const at = within(scope, model);
  const { sql } = scope;
  const where = all(scope, [
    sql`${at.row("id")} = any(${ids as string[]}::uuid[])`,
    evenHidden ? undefined : model.visible?.(at.row, scope),
  ]);
  const query = sql`select ${selected(at, parts)} from ${fromOf(at)} where ${where as Fragment}`;
  const rows = await collect(budget, query, ids.length);
  return new Map(rows.map((found) => [found["id"] as string, flatten(model, found) as RowObject]));
}

/** A computed value of rows, by their ids. */
export async function fetchValues(
  { viewer, budget }: Reading,
  model: Model,
  name: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const scope = statement(viewer);
  const at = within(scope, model);
  const value = expressionOf(model, at.row, scope, name);
  if (!value) throw new Error(`${model.name} has no ${name}`);
  const query = scope.sql`
    select ${at.row("id")} as id, ${value} as value from ${fromOf(at)}
    where ${at.row("id")} = any(${ids as string[]}::uuid[])
  `;
  const rows = await collect(budget, query, ids.length);
  return new Map(rows.map((found) => [found["id"] as string, found["value"]]));
}

/** The conditions of every list, and those of the request. */
function conditions(
  { models, comparatorOf }: Catalog,
  { model, row, scope }: At,
  { args, filterType, where, isLookup = false }: PageWanted,
) {
  const filtering = { models, comparatorOf, scope, args, nodes: 0 };
  const { unlisted } = model;
  return [
    unlisted && args[unlisted.unless] !== true
      ? scope.sql`not ${unlisted.condition(row, scope)}`
      : undefined,
    isLookup ? undefined : inUse(model, args, row, scope),
    model.visible?.(row, scope),
    filterType && compileFilter(filtering, filterType, args.filter, model, row),
    where?.(row, scope),
  ];
}

/** The rows of a page, and one more if there is another page. */
export async function fetchPage(
  reading: Reading,
  model: Model,
  wanted: PageWanted,
  window: Window,
): Promise<RowObject[]> {
  const scope = statement(reading.viewer);
  const { sql } = scope;
  const at = within(scope, model);
  const plan = planPage(ordersOf(model, wanted.args, wanted.best), model, window, scope);
  const where = all(scope, [...conditions(reading, at, wanted), plan.behind(at.row)]) ?? sql`true`;
  const listed = sql`${fromOf(at)} where ${where}`;
  // `offset 0`: the few rows are found first, then sorted. If the table was small when Postgres planned, it would read
  // rows in the order of the list instead, until one meets the condition.
  const from = wanted.isLookup
    ? sql`(select ${sql(at.alias)}.* from ${listed} offset 0) as ${sql(at.alias)}`
    : listed;
  const query = sql`
    ${plan.place} select ${selected(at, wanted)}
    from ${from} order by ${plan.orderBy(at.row)} limit ${window.limit + 1}
  `;
  const rows = await collect(reading.budget, query, window.limit + 1);
  return rows.map((found) => flatten(model, found) as RowObject);
}

/** A page of related rows for each of several parents, in one statement: the subquery runs once for each. */
export async function fetchChildren(
  reading: Reading,
  parent: Model,
  { to, on, ids: related }: Many,
  ids: readonly string[],
  wanted: PageWanted,
  window: Window,
): Promise<ReadonlyMap<string, RowObject[]>> {
  const model = requireModel(reading.models, to);
  const scope = statement(reading.viewer);
  const { sql } = scope;
  const above = within(scope, parent);
  const at = within(scope, model);
  const page = scope.alias();
  let needsRow = false;
  const parentRow: Row = (column) => {
    needsRow ||= column !== "id";
    return above.row(column);
  };
  const plan = planPage(ordersOf(model, wanted.args, wanted.best), model, window, scope);
  const where = all(scope, [
    related
      ? sql`${at.row("id")} = any(array(${related(parentRow, scope)}))`
      : on(parentRow, at.row, scope),
    ...conditions(reading, at, wanted),
    plan.behind(at.row),
  ]) as Fragment;
  const parents = needsRow
    ? sql`(
        select * from ${fromOf(above)}
        where ${parentRow("id")} = any(${ids as string[]}::uuid[])
      )`
    : sql`(select unnest(${ids as string[]}::uuid[]) as id)`;
  const query = sql`
    ${plan.place} select ${parentRow("id")} as "$parent", ${sql(page)}.*
    from ${parents} as ${sql(above.alias)} cross join lateral (
      select ${selected(at, wanted)}
      from ${fromOf(at)} where ${where}
      order by ${plan.orderBy(at.row)} limit ${window.limit + 1}
    ) as ${sql(page)}
  `;
  const rows = await collect(reading.budget, query, ids.length * (window.limit + 1));
  const pages = new Map<string, RowObject[]>(ids.map((id) => [id, []]));
  for (const found of rows)
    pages.get(found["$parent"] as string)?.push(flatten(model, found) as RowObject);
  return pages;
}

/** The total number of rows on all pages of a list. */
export async function countRows(
  reading: Reading,
  model: Model,
  wanted: PageWanted,
): Promise<number> {
  const scope = statement(reading.viewer);
  const { sql } = scope;
  const at = within(scope, model);
  const where = all(scope, conditions(reading, at, wanted)) ?? sql`true`;
  const [found] = await sql`select count(*)::int as count from ${fromOf(at)} where ${where}`;
  return found?.["count"];
}
