/**
 * Compiles filter input to an SQL condition, for any filter of a schema.
 *
 * The schema defines the kind of each key (a comparator, a filter of one related row, a filter of several), and the
 * model where its value is stored; so no filter needs code. Names come from the schema and values become parameters: a
 * request cannot inject SQL.
 *
 * Nulls: a positive condition never holds for null, a negative one (`neq`, `nin`, `not…`) does. A key that is null, an
 * empty object and an empty `or` have no effect.
 */
import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  getNamedType,
  isInputObjectType,
} from "graphql";
import type { Fragment } from "~/db/connect";
import { all, any, COMPARE, type Comparator, type Input } from "~/graphql/compare";
import { InvalidArgument } from "~/graphql/errors";
import { FILTER_DEPTH_MAX, FILTER_NODES_MAX } from "~/graphql/limits";
import {
  expressionOf,
  inUse,
  type Model,
  type Models,
  type One,
  type Relation,
  type Row,
  requireModel,
  rowOf,
  type Scope,
  source,
  type Value,
} from "~/graphql/model";
import { isObject } from "~/input/json";

/** The entities of a service, and the types that compare values. */
export type Catalog = {
  readonly models: Models;
  /** The comparator that an input type is; undefined for a filter of related rows. */
  readonly comparatorOf: (type: string) => Comparator | undefined;
};

/** The filters of one statement, with the number of conditions so far. */
type Filtering = Catalog & {
  readonly scope: Scope;
  /** Of the list that is filtered. */
  readonly args: Input;
  nodes: number;
};

type Many = { readonly to: string; readonly on: Relation };
type FilterScope = { readonly model: Model; readonly row: Row; readonly depth: number };

/** The condition that rows of `model` must meet; undefined when the filter is empty. */
export function compileFilter(
  filtering: Filtering,
  type: GraphQLInputObjectType,
  input: unknown,
  model: Model,
  row: Row,
): Fragment | undefined {
  return compile(filtering, type, input, { model, row, depth: 1 });
}

function compile(
  at: Filtering,
  type: GraphQLInputObjectType,
  input: unknown,
  place: FilterScope,
): Fragment | undefined {
  if (!isObject(input)) return undefined;
  count(at, place);
  const inside = { ...place, depth: place.depth + 1 };
  const conditions = Object.entries(input).map(([key, value]) => {
    const field = type.getFields()[key];
    if (value === null || value === undefined || !field) return undefined;
    if (key === "and")
      return all(
        at.scope,
        listOf(value).map((item) => compile(at, type, item, inside)),
      );
    if (key === "or")
      return any(
        at.scope,
        listOf(value).map((item) => compile(at, type, item, inside)),
      );
    return compileKey(at, field, value, place);
  });
  return all(at.scope, conditions);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Rejects a filter with too many conditions, after `more` of them. */
function count(at: Filtering, { depth }: FilterScope, more = 1): void {
  if (depth > FILTER_DEPTH_MAX)
    throw new InvalidArgument(
      "filter",
      depth,
      "maxDepth",
      `filter must not be nested deeper than ${FILTER_DEPTH_MAX}`,
    );
  at.nodes += more;
  if (at.nodes > FILTER_NODES_MAX)
    throw new InvalidArgument(
      "filter",
      at.nodes,
      "maxSize",
      `filter must not have more than ${FILTER_NODES_MAX} conditions`,
    );
}

function compileKey(
  at: Filtering,
  field: GraphQLInputField,
  value: unknown,
  place: FilterScope,
): Fragment | undefined {
  const type = getNamedType(field.type);
  const { model, row } = place;
  const { scope } = at;
  const compare = at.comparatorOf(type.name);
  if (isInputObjectType(type) && !compare) {
    const many = model.many.get(field.name);
    if (many) return compileMany(at, type, value as Input, many, place);
    const one = model.one.get(field.name);
    if (one) return compileOne(at, type, value as Input, one, place);
  }
  const { and, or } = value as Input; // which a comparator of numbers can have
  count(at, place, 1 + listOf(and).length + listOf(or).length);
  const filter = model.filters.get(field.name);
  const expression = filter ? filter(row, scope) : expressionOf(model, row, scope, field.name);
  if (!expression) throw new Error(`${model.name} cannot be filtered by ${field.name}`);
  if (!isInputObjectType(type)) return scope.sql`${expression} = ${value as boolean}`;
  if (!compare) throw new Error(`${model.name} has no relation ${field.name} to filter by`);
  return compare(scope, expression, value as Input, field.name, row);
}

/**
 * A related row that matches, or with `null` whether there is one. Each member of `and` and `or` is again such a
 * filter: the alternative to a matching row can be that there is none.
 */
function compileOne(
  at: Filtering,
  type: GraphQLInputObjectType,
  { and, or, null: none, ...input }: Input,
  relation: One,
  place: FilterScope,
): Fragment | undefined {
  const { scope } = at;
  const { to, key: name } = relation;
  const { model, row, depth } = place;
  const { sql } = scope;
  const key = expressionOf(model, row, scope, name);
  if (!key) throw new Error(`${model.name} has no ${name}`);
  const related = requireModel(at.models, to);
  const alias = scope.alias();
  const relatedRow = rowOf(related, scope, alias);
  const inside = { ...place, depth: depth + 1 };
  const nested = (list: unknown) =>
    listOf(list).map((item) => compileOne(at, type, item as Input, relation, inside));
  const condition = compile(at, type, input, { model: related, row: relatedRow, depth: depth + 1 });
  const visible = related.visible?.(relatedRow, scope);
  const exists = (where: Fragment | undefined) =>
    where &&
    sql`exists (
      select from ${source(related, scope)} as ${sql(alias)}
      where ${relatedRow("id")} = ${key} and ${where}
    )`;
  return all(scope, [
    visible ? presence(scope, exists(visible), none) : nullness(scope, key, none),
    condition && exists(all(scope, [visible, condition])),
    all(scope, nested(and)),
    any(scope, nested(or)),
  ]);
}

/** A row that the viewer must not see counts as missing. */
function presence({ sql }: Scope, exists: Fragment | undefined, none: unknown) {
  if (typeof none !== "boolean") return undefined;
  return none ? sql`not ${exists as Fragment}` : exists;
}

function nullness({ sql }: Scope, value: Value, wanted: unknown): Fragment | undefined {
  if (typeof wanted !== "boolean") return undefined;
  return wanted ? sql`${value} is null` : sql`${value} is not null`;
}

/**
 * Keys beside `every`, `some`, `length` and `null` mean that some element matches them all; each member of `and` and
 * `or` is again such a filter. Archived elements count only on request.
 */
function compileMany(
  at: Filtering,
  type: GraphQLInputObjectType,
  input: Input,
  relation: Many,
  place: FilterScope,
): Fragment | undefined {
  count(at, place);
  const { scope } = at;
  const { sql } = scope;
  const { and, or, every, some, length, null: none, ...direct } = input;
  const elementType = (key: string) =>
    getNamedType(type.getFields()[key]?.type) as GraphQLInputObjectType;
  const inside = { ...place, depth: place.depth + 1 };
  const nested = (list: unknown) =>
    listOf(list).map((item) => compileMany(at, type, item as Input, relation, inside));
  return all(scope, [
    exists(at, type, direct, relation, place),
    exists(at, elementType("some"), some, relation, place),
    isObject(every)
      ? sql`not exists (select ${elements(at, relation, place, (element) => {
          const fits = compile(at, elementType("every"), every, element);
          return fits === undefined ? sql`false` : sql`(${fits}) is not true`;
        })})`
      : undefined,
    isObject(length)
      ? COMPARE.number(
          scope,
          sql`(select count(*) ${elements(at, relation, place)})`,
          length,
          "length",
          place.row,
        )
      : undefined,
    typeof none === "boolean"
      ? sql`${none ? sql`not` : sql``} exists (select ${elements(at, relation, place)})`
      : undefined,
    all(scope, nested(and)),
    any(scope, nested(or)),
  ]);
}

function exists(
  at: Filtering,
  type: GraphQLInputObjectType,
  input: unknown,
  relation: Many,
  place: FilterScope,
): Fragment | undefined {
  if (!isObject(input) || Object.keys(input).length === 0) return undefined;
  const { sql } = at.scope;
  return sql`exists (select ${elements(at, relation, place, (element) => compile(at, type, input, element))})`;
}

/** `from … where …`: the related rows that count and meet `condition`. */
function elements(
  at: Filtering,
  { to, on }: Many,
  { row, depth }: FilterScope,
  condition?: (element: FilterScope) => Fragment | undefined,
): Fragment {
  const { scope } = at;
  const model = requireModel(at.models, to);
  const alias = scope.alias();
  const element = { model, row: rowOf(model, scope, alias), depth: depth + 1 };
  const where = all(scope, [
    on(row, element.row, scope),
    inUse(model, at.args, element.row, scope),
    model.visible?.(element.row, scope),
    condition?.(element),
  ]);
  return scope.sql`from ${source(model, scope)} as ${scope.sql(alias)} where ${where as Fragment}`;
}
