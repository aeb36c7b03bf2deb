/**
 * Reads rows of any model for one request. Requests of one tick are batched, so the number of statements does not grow
 * with the rows: there is one for each relation and level.
 */
import type { GraphQLInputObjectType } from "graphql";
import type { Fragment } from "~/db/connect";
import type { Budget } from "~/graphql/budget";
import { all } from "~/graphql/compare";
import { compileFilter } from "~/graphql/filter";
import { FETCH_ROWS, LIST_MAX } from "~/graphql/limits";
import { createLoader, identity, type Loader } from "~/graphql/loader";
import {
  computedOf,
  expressionOf,
  flatten,
  type Model,
  type Models,
  notArchived,
  type Order,
  type Relation,
  type Row,
  requireMany,
  requireModel,
  rowOf,
  type Scope,
  source,
  statement,
} from "~/graphql/model";
import {
  type Connection,
  connectionOf,
  list,
  ordersOf,
  type PageArguments,
  planPage,
  type RowObject,
  unknownCursor,
  type Window,
  windowOf,
} from "~/graphql/page";
import { isUuid } from "~/graphql/scalars";

export type Maybe<T> = T | undefined;
export type Reader = ReturnType<typeof createReader>;

export type PageWanted = {
  readonly args: PageArguments;
  /** The type of `args.filter`. */
  readonly filterType?: GraphQLInputObjectType | undefined;
  /** Computed values to read with the rows. */
  readonly fields?: ReadonlySet<string>;
  /** Columns to read; all by default. */
  readonly columns?: ReadonlySet<string> | undefined;
  /** A condition in addition to the filter. */
  readonly where?: (row: Row, scope: Scope) => Maybe<Fragment>;
  /** Keys that come before those of the default order. */
  readonly best?: readonly Order[];
};

/** Related rows to read at one place of a document. */
export type Related = {
  readonly to: string;
  readonly fields: ReadonlySet<string>;
  readonly columns: ReadonlySet<string> | undefined;
  /** Rows that the viewer must not see otherwise, too. */
  readonly evenHidden: boolean;
  /** Ids are lower-case UUIDs, because a column of that type has them. */
  readonly isCanonical: boolean;
};

/** Pages of related rows at one place of a document. */
type ChildPages = {
  readonly parent: Model;
  readonly of: (id: string) => Connection | Promise<Connection>;
};

type Found = { readonly [column: string]: unknown };

const NO_FIELDS: ReadonlySet<string> = new Set();

/** `viewer`: the session and the inputs of expressions. */
export function createReader(models: Models, viewer: Omit<Scope, "alias">, budget: Budget) {
  const loaders = new Map<string, Loader<string, unknown>>();
  const related = new Map<Related, Loader<string, Maybe<RowObject>>>();
  const childPages = new Map<object, ChildPages>();

  /** The rows of a statement that returns up to `most`: fetched in parts, until the budget is used up. */
  async function collect(query: Fragment, most: number): Promise<readonly Found[]> {
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

  function loader<V>(
    key: string,
    fetch: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
    none: V,
  ): Loader<string, V> {
    const known = loaders.get(key) as Loader<string, V> | undefined;
    if (known) return known;
    const made = createLoader(fetch, none);
    loaders.set(key, made as Loader<string, unknown>);
    return made;
  }

  /** The columns, `*` by default, and the computed values among `fields`. */
  function columns(
    model: Model,
    alias: string,
    row: Row,
    scope: Scope,
    { fields = NO_FIELDS, columns: wanted }: Pick<PageWanted, "fields" | "columns">,
  ) {
    const { sql } = scope;
    const own = [...model.columns.keys()].filter((name) => wanted?.has(name));
    const stored = model.shared || !wanted ? ["*"] : own;
    const computed = computedOf(model, fields).map(
      (name) => sql`${expressionOf(model, row, scope, name) as Fragment} as ${sql(name)}`,
    );
    const listed = stored.map((name) => (name === "*" ? sql`${sql(alias)}.*` : row(name)));
    return list([...listed, ...computed], scope);
  }

  async function fetchRows(
    model: Model,
    ids: readonly string[],
    wanted: Pick<PageWanted, "fields" | "columns">,
    evenHidden = false,
  ): Promise<ReadonlyMap<string, Maybe<RowObject>>> {
    const scope = statement(viewer);
    const { sql } = scope;
    const alias = scope.alias();
    const row = rowOf(model, scope, alias);
    const where = all(scope, [
      sql`${row("id")} = any(${ids as string[]}::uuid[])`,
      evenHidden ? undefined : model.visible?.(row, scope),
    ]);
    const query = sql`
      select ${columns(model, alias, row, scope, wanted)}
      from ${source(model, scope)} as ${sql(alias)} where ${where as Fragment}
    `;
    const rows = await collect(query, ids.length);
    return new Map(
      rows.map((found) => [found["id"] as string, flatten(model, found) as RowObject]),
    );
  }

  async function fetchValues(
    model: Model,
    name: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, unknown>> {
    const scope = statement(viewer);
    const { sql } = scope;
    const alias = scope.alias();
    const row = rowOf(model, scope, alias);
    const value = expressionOf(model, row, scope, name);
    if (!value) throw new Error(`${model.name} has no ${name}`);
    const query = sql`
      select ${row("id")} as id, ${value} as value from ${source(model, scope)} as ${sql(alias)}
      where ${row("id")} = any(${ids as string[]}::uuid[])
    `;
    const rows = await collect(query, ids.length);
    return new Map(rows.map((found) => [found["id"] as string, found["value"]]));
  }

  /** The conditions of every list, and those of the request. */
  function conditions(
    model: Model,
    row: Row,
    scope: Scope,
    { args, filterType, where }: PageWanted,
  ) {
    const includeArchived = args.includeArchived === true;
    const filtering = { models, scope, includeArchived, nodes: 0 };
    const { unlisted } = model;
    return [
      unlisted && args[unlisted.unless] !== true
        ? scope.sql`not ${unlisted.condition(row, scope)}`
        : undefined,
      includeArchived ? undefined : notArchived(model, row, scope),
      model.visible?.(row, scope),
      filterType && compileFilter(filtering, filterType, args.filter, model, row),
      where?.(row, scope),
    ];
  }

  async function fetchPage(
    model: Model,
    wanted: PageWanted,
    window: Window,
    isLookup = false,
  ): Promise<RowObject[]> {
    const scope = statement(viewer);
    const { sql } = scope;
    const alias = scope.alias();
    const row = rowOf(model, scope, alias);
    const plan = planPage(ordersOf(model, wanted.args, wanted.best), model, window, scope);
    const where =
      all(scope, [...conditions(model, row, scope, wanted), plan.behind(row)]) ?? sql`true`;
    const listed = sql`${source(model, scope)} as ${sql(alias)} where ${where}`;
    // `offset 0`: the few rows are found first, then sorted. If the table was small when Postgres planned, it would read
    // rows in the order of the list instead, until one meets the condition.
    const from = isLookup
      ? sql`(select ${sql(alias)}.* from ${listed} offset 0) as ${sql(alias)}`
      : listed;
    const query = sql`
      ${plan.place} select ${columns(model, alias, row, scope, wanted)}
      from ${from} order by ${plan.orderBy(row)} limit ${window.limit + 1}
    `;
    const rows = await collect(query, window.limit + 1);
    return rows.map((found) => flatten(model, found) as RowObject);
  }

  /** A page of related rows for each of several parents, in one statement: the subquery runs once for each. */
  async function fetchChildren(
    parent: Model,
    { to, on }: { readonly to: string; readonly on: Relation },
    ids: readonly string[],
    wanted: PageWanted,
    window: Window,
  ): Promise<ReadonlyMap<string, RowObject[]>> {
    const model = requireModel(models, to);
    const scope = statement(viewer);
    const { sql } = scope;
    const [above, alias, page] = [scope.alias(), scope.alias(), scope.alias()];
    let needsRow = false;
    const parentRow: Row = (column) => {
      needsRow ||= column !== "id";
      return rowOf(parent, scope, above)(column);
    };
    const row = rowOf(model, scope, alias);
    const plan = planPage(ordersOf(model, wanted.args, wanted.best), model, window, scope);
    const where = all(scope, [
      on(parentRow, row, scope),
      ...conditions(model, row, scope, wanted),
      plan.behind(row),
    ]) as Fragment;
    const parents = needsRow
      ? sql`(
          select * from ${source(parent, scope)} as ${sql(above)}
          where ${parentRow("id")} = any(${ids as string[]}::uuid[])
        )`
      : sql`(select unnest(${ids as string[]}::uuid[]) as id)`;
    const query = sql`
      ${plan.place} select ${parentRow("id")} as "$parent", ${sql(page)}.*
      from ${parents} as ${sql(above)} cross join lateral (
        select ${columns(model, alias, row, scope, wanted)}
        from ${source(model, scope)} as ${sql(alias)} where ${where}
        order by ${plan.orderBy(row)} limit ${window.limit + 1}
      ) as ${sql(page)}
    `;
    const rows = await collect(query, ids.length * (window.limit + 1));
    const pages = new Map<string, RowObject[]>(ids.map((id) => [id, []]));
    for (const found of rows)
      pages.get(found["$parent"] as string)?.push(flatten(model, found) as RowObject);
    return pages;
  }

  async function requireCursor(model: Model, { cursor, backwards }: Window): Promise<void> {
    if (cursor !== undefined && !(await fetchRows(model, [cursor], {})).has(cursor))
      throw unknownCursor(backwards, cursor);
  }

  /** Throws InvalidArgument. */
  function openChildPages(
    parent: Model,
    relation: string,
    wanted: PageWanted,
    place: object,
  ): ChildPages {
    const many = requireMany(parent, relation);
    const model = requireModel(models, many.to);
    const window = windowOf(wanted.args);
    const key = `page ${parent.name} ${relation} ${identity(place)}`;
    const fetch = (ids: readonly string[]) => fetchChildren(parent, many, ids, wanted, window);
    const pages = loader<RowObject[]>(key, fetch, []);
    const page = (rows: RowObject[]) =>
      rows.length > 0 || window.cursor === undefined
        ? connectionOf(rows, window)
        : requireCursor(model, window).then(() => connectionOf(rows, window));
    return {
      parent,
      of(id) {
        const rows = pages.load(id);
        return rows instanceof Promise ? rows.then(page) : page(rows);
      },
    };
  }

  function loaderOf({ to, fields, columns, evenHidden }: Omit<Related, "isCanonical">) {
    const model = requireModel(models, to);
    const computed = computedOf(model, fields);
    return loader<Maybe<RowObject>>(
      `one ${to} ${computed} ${evenHidden} ${columns && identity(columns)}`,
      (ids) => fetchRows(model, ids, { fields: new Set(computed), columns }, evenHidden),
      undefined,
    );
  }

  return {
    models,

    /** A row by id, with the computed values among `fields`. Undefined when the viewer sees none. */
    one(name: string, id: string, fields: ReadonlySet<string> = NO_FIELDS, evenHidden = false) {
      return rowOfId(loaderOf({ to: name, fields, columns: undefined, evenHidden }), id);
    },

    /** A related row by the key of its row. Undefined when the viewer sees none. */
    related(place: Related, id: string) {
      const rows = related.get(place) ?? loaderOf(place);
      related.set(place, rows);
      return place.isCanonical ? rows.load(id) : rowOfId(rows, id);
    },

    /** The first row that meets a condition, archived or not. Undefined when the viewer sees none. */
    async find(
      name: string,
      where: (row: Row, scope: Scope) => Maybe<Fragment>,
      fields: ReadonlySet<string> = NO_FIELDS,
    ): Promise<Maybe<RowObject>> {
      const wanted = { args: { includeArchived: true }, where, fields };
      const window = { limit: 1, backwards: false, cursor: undefined };
      const [row] = await fetchPage(requireModel(models, name), wanted, window, true);
      return row;
    },

    /** A computed value of the row with this id. */
    value: (model: Model, name: string, id: string) =>
      loader(`value ${model.name} ${name}`, (ids) => fetchValues(model, name, ids), null).load(id),

    /** Rows that meet a condition, in the default order and without pages. */
    async rows(name: string, wanted: PageWanted): Promise<RowObject[]> {
      const everything = { limit: LIST_MAX, backwards: false, cursor: undefined };
      return await fetchPage(requireModel(models, name), wanted, everything);
    },

    /** A page of all rows of a model. Throws InvalidArgument. */
    async page(name: string, wanted: PageWanted): Promise<Connection> {
      const model = requireModel(models, name);
      const window = windowOf(wanted.args);
      const rows = await fetchPage(model, wanted, window);
      if (rows.length === 0) await requireCursor(model, window);
      return connectionOf(rows, window);
    },

    /** The total number of rows on all pages of a list. */
    async count(name: string, wanted: PageWanted): Promise<number> {
      const model = requireModel(models, name);
      const scope = statement(viewer);
      const { sql } = scope;
      const alias = scope.alias();
      const row = rowOf(model, scope, alias);
      const where = all(scope, conditions(model, row, scope, wanted)) ?? sql`true`;
      const [found] = await sql`
        select count(*)::int as count from ${source(model, scope)} as ${sql(alias)} where ${where}
      `;
      return found?.["count"];
    },

    /**
     * A page of the rows related to a parent. `place` identifies the field in the document: parents with the same place
     * have the same relation and arguments, and share a statement. Rejects with InvalidArgument.
     */
    childPage(
      parent: Model,
      id: string,
      place: object,
      describe: () => { readonly relation: string; readonly wanted: PageWanted },
    ): Connection | Promise<Connection> {
      const known = childPages.get(place);
      if (known?.parent === parent) return known.of(id);
      const { relation, wanted } = describe();
      try {
        const pages = openChildPages(parent, relation, wanted, place);
        childPages.set(place, pages);
        return pages.of(id);
      } catch (error) {
        return Promise.reject(error);
      }
    },

    /** All rows related to a parent. */
    children(parent: Model, relation: string, id: string, fields: ReadonlySet<string>) {
      const many = requireMany(parent, relation);
      const wanted = { args: {}, fields };
      const everything = { limit: LIST_MAX, backwards: false, cursor: undefined };
      const rows = loader<RowObject[]>(
        `list ${parent.name} ${relation} ${computedOf(requireModel(models, many.to), fields)}`,
        (ids) => fetchChildren(parent, many, ids, wanted, everything),
        [],
      );
      return rows.load(id);
    },

    /** Clears the cache after a write. */
    clear() {
      loaders.clear();
      related.clear();
      childPages.clear();
    },
  };
}

const rowOfId = (rows: Loader<string, Maybe<RowObject>>, id: string) =>
  isUuid(id) ? rows.load(id.toLowerCase()) : undefined;
