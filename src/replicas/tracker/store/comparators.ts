/** The types of the schema that compare values. */
import type { Fragment } from "~/db/connect";
import { all, COMPARE, type Comparator, type Input } from "~/graphql/compare";
import type { Catalog } from "~/graphql/filter";
import { isUuid, UUID } from "~/graphql/uuid";
import { MODELS } from "~/replicas/tracker/store/models/index";

/** Substring search that ignores case. */
const content: Comparator = (scope, value, { contains, notContains }, property, row) => {
  const input = { containsIgnoreCase: contains, notContainsIgnoreCase: notContains };
  return COMPARE.text(scope, value, input, property, row);
};

/** `value` is an array of texts. */
const texts: Comparator = (scope, value, { every, some, length }, property, row) => {
  const { sql } = scope;
  const fits = (input: unknown) =>
    COMPARE.text(scope, sql`item`, input as Input, property, row) ?? sql`true`;
  return all(scope, [
    some ? sql`exists (select from unnest(${value}) item where ${fits(some)})` : undefined,
    every
      ? sql`not exists (select from unnest(${value}) item where (${fits(every)}) is not true)`
      : undefined,
    length
      ? COMPARE.number(scope, sql`cardinality(${value})`, length as Input, property, row)
      : undefined,
  ]);
};

/** Data that integrations would add to a row: `value` is null, and so are all its fields. */
const sourceMetadata: Comparator = (scope, value, input, property, row) => {
  const { sql } = scope;
  const { null: none, subType, workflowDefinitionId, salesforceMetadata } = input;
  const absent = (compare: Comparator, missing: Fragment, given: unknown) =>
    given ? compare(scope, missing, given as Input, property, row) : undefined;
  return all(scope, [
    COMPARE.text(scope, value, { null: none }, property, row),
    absent(COMPARE.text, sql`null::text`, subType),
    absent(COMPARE.id, sql`null::uuid`, workflowDefinitionId),
    salesforceMetadata ? sql`${value} is not null` : undefined,
  ]);
};

/** An id, or the human-readable identifier of the row: `ENG-12`. */
const identifier: Comparator = (scope, value, input, property, row) => {
  const { sql } = scope;
  const oneOf = (given: unknown) => {
    const values = (Array.isArray(given) ? given : [given]) as readonly string[];
    const ids = values.filter(isUuid);
    const identifiers = values.filter((text) => !UUID.test(text)).map((text) => text.toUpperCase());
    const isId = COMPARE.id(scope, value, { in: ids }, property, row);
    const isNamed = COMPARE.text(scope, row("identifier"), { in: identifiers }, property, row);
    return sql`(${isId as Fragment} or ${isNamed as Fragment})`;
  };
  const conditions = Object.entries(input).map(([key, given]) => {
    if (given === null || given === undefined) return undefined;
    return key === "eq" || key === "in" ? oneOf(given) : sql`not ${oneOf(given)}`;
  });
  return all(scope, conditions);
};

/** Of text, unless they are here. */
const COMPARATORS: Readonly<Record<string, Comparator>> = {
  NumberComparator: COMPARE.number,
  NullableNumberComparator: COMPARE.number,
  EstimateComparator: COMPARE.number,
  BooleanComparator: COMPARE.boolean,
  RelationExistsComparator: COMPARE.boolean,
  DateComparator: COMPARE.moment,
  NullableDateComparator: COMPARE.moment,
  NullableTimelessDateComparator: COMPARE.day,
  NullableDurationComparator: COMPARE.duration,
  IDComparator: COMPARE.id,
  WorkflowDefinitionIdComparator: COMPARE.id,
  ContentComparator: content,
  StringArrayComparator: texts,
  SourceMetadataComparator: sourceMetadata,
  IssueIDComparator: identifier,
  EntityIdentifierIDComparator: identifier,
};

export const CATALOG: Catalog = {
  models: MODELS,
  comparatorOf: (type) =>
    type.endsWith("Comparator") ? (COMPARATORS[type] ?? COMPARE.text) : undefined,
};
