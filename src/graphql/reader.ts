/**
 * Reads rows of any model for one request. Requests of one tick are batched, so the number of statements does not grow
 * with the rows: there is one for each relation and level.
 */
import type { Fragment } from "~/db/connect";
import { LIST_MAX } from "~/graphql/limits";
import { createLoader, type Loader } from "~/graphql/loader";
import {
  computedOf,
  type Model,
  type Row,
  requireMany,
  requireModel,
  type Scope,
} from "~/graphql/model";
import {
  type Connection,
  connectionOf,
  type RowObject,
  unknownCursor,
  type Window,
  windowOf,
} from "~/graphql/page";
import {
  countRows,
  fetchChildren,
  fetchPage,
  fetchRows,
  fetchValues,
  type PageWanted,
  type Parts,
  type Reading,
  type RowParts,
} from "~/graphql/rows";
import { isUuid } from "~/graphql/uuid";

export type Maybe<T> = T | undefined;
export type Reader = ReturnType<typeof createReader>;

/** A relation to one row. */
export type Related = {
  readonly to: string;
  /** Rows that the viewer must not see otherwise, too. */
  readonly evenHidden: boolean;
  /** Ids are lower-case UUIDs, because a column of that type has them. */
  readonly isCanonical: boolean;
};

type Pages = (id: string) => Connection | Promise<Connection>;

const NO_FIELDS: ReadonlySet<string> = new Set();
const FIRST: Window = { limit: 1, backwards: false, cursor: undefined };
const EVERYTHING: Window = { limit: LIST_MAX, backwards: false, cursor: undefined };

export function createReader(reading: Reading) {
  const { models } = reading;
  const loaders = new Map<string, Loader<string, unknown>>();
  /** By the parts that a place of a document needs. */
  const related = new Map<Parts, Loader<string, Maybe<RowObject>>>();
  /** By the arguments of a place of a document. */
  const childPages = new Map<object, Pages>();

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

  function loaderOf(to: string, { fields = NO_FIELDS, columns, evenHidden = false }: RowParts) {
    const model = requireModel(models, to);
    const computed = computedOf(model, fields);
    const parts = { fields: new Set(computed), columns, evenHidden };
    return loader<Maybe<RowObject>>(
      `one ${to} ${computed} ${evenHidden} ${columns && [...columns]}`,
      (ids) => fetchRows(reading, model, ids, parts),
      undefined,
    );
  }

  return {
    models,

    /** A row by id, with the computed values among `fields`. Undefined when the viewer sees none. */
    one(
      name: string,
      id: string,
      { fields = NO_FIELDS, evenHidden = false }: Omit<RowParts, "columns"> = {},
    ) {
      return rowOfId(loaderOf(name, { fields, evenHidden }), id);
    },

    /** A related row by the key of its row. Undefined when the viewer sees none. `parts`: of one place in a document. */
    related({ to, evenHidden, isCanonical }: Related, id: string, parts: Parts) {
      const rows = related.get(parts) ?? loaderOf(to, { ...parts, evenHidden });
      related.set(parts, rows);
      return isCanonical ? rows.load(id) : rowOfId(rows, id);
    },

    /** The first row that meets a condition, archived or not. Undefined when the viewer sees none. */
    async find(
      name: string,
      where: (row: Row, scope: Scope) => Maybe<Fragment>,
      { fields = NO_FIELDS }: Pick<Parts, "fields"> = {},
    ): Promise<Maybe<RowObject>> {
      const wanted = { args: {}, where, fields, isLookup: true };
      const [row] = await fetchPage(reading, requireModel(models, name), wanted, FIRST);
      return row;
    },

    /** A computed value of the row with this id. */
    value: (model: Model, name: string, id: string) =>
      loader(
        `value ${model.name} ${name}`,
        (ids) => fetchValues(reading, model, name, ids),
        null,
      ).load(id),

    /** Rows that meet a condition, in the default order and without pages. */
    rows(name: string, wanted: PageWanted): Promise<RowObject[]> {
      return fetchPage(reading, requireModel(models, name), wanted, EVERYTHING);
    },

    /** A page of all rows of a model. Throws InvalidArgument. */
    async page(name: string, wanted: PageWanted): Promise<Connection> {
      const model = requireModel(models, name);
      const window = windowOf(wanted.args);
      const rows = await fetchPage(reading, model, wanted, window);
      if (rows.length === 0) await requireCursor(reading, model, window);
      return connectionOf(rows, window);
    },

    /** The total number of rows on all pages of a list. */
    count: (name: string, wanted: PageWanted): Promise<number> =>
      countRows(reading, requireModel(models, name), wanted),

    /**
     * A page of the rows related to a parent. `args` identify the field in the document, as they are coerced once for
     * each: parents with the same ones have the same relation, and share a statement. Rejects with InvalidArgument.
     */
    childPage(
      parent: Model,
      id: string,
      args: object,
      describe: () => { readonly relation: string; readonly wanted: PageWanted },
    ): Connection | Promise<Connection> {
      const known = childPages.get(args);
      if (known) return known(id);
      const { relation, wanted } = describe();
      try {
        const pages = openChildPages(reading, parent, relation, wanted);
        childPages.set(args, pages);
        return pages(id);
      } catch (error) {
        return Promise.reject(error);
      }
    },

    /** All rows related to a parent, with the computed values among `fields`. */
    children(parent: Model, relation: string, id: string, { fields = NO_FIELDS }: Parts) {
      const many = requireMany(parent, relation);
      const wanted = { args: {}, fields };
      const rows = loader<RowObject[]>(
        `list ${parent.name} ${relation} ${computedOf(requireModel(models, many.to), fields)}`,
        (ids) => fetchChildren(reading, parent, many, ids, wanted, EVERYTHING),
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

async function requireCursor(
  reading: Reading,
  model: Model,
  { cursor, backwards }: Window,
): Promise<void> {
  if (cursor !== undefined && !(await fetchRows(reading, model, [cursor])).has(cursor))
    throw unknownCursor(backwards, cursor);
}

/** The pages of a relation, by the id of the parent. Throws InvalidArgument. */
function openChildPages(
  reading: Reading,
  parent: Model,
  relation: string,
  wanted: PageWanted,
): Pages {
  const many = requireMany(parent, relation);
  const model = requireModel(reading.models, many.to);
  const window = windowOf(wanted.args);
  const pages = createLoader<string, RowObject[]>(
    (ids) => fetchChildren(reading, parent, many, ids, wanted, window),
    [],
  );
  const page = (rows: RowObject[]) =>
    rows.length > 0 || window.cursor === undefined
      ? connectionOf(rows, window)
      : requireCursor(reading, model, window).then(() => connectionOf(rows, window));
  return (id) => {
    const rows = pages.load(id);
    return rows instanceof Promise ? rows.then(page) : page(rows);
  };
}

const rowOfId = (rows: Loader<string, Maybe<RowObject>>, id: string) =>
  isUuid(id) ? rows.load(id.toLowerCase()) : undefined;
