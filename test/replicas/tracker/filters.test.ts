/** Every condition that the schema allows works on every list. */
import { beforeAll, expect, test } from "bun:test";
import {
  buildClientSchema,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isInputObjectType,
} from "graphql";
import { useSharedDatabase } from "../../support/database";
import { useTracker } from "../../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database, "tracker_expanded");
const AT_ONCE = 25;
const LOGICAL = new Set(["and", "or"]);

let schema: GraphQLSchema;
beforeAll(async () => {
  schema = buildClientSchema(await tracker.data(getIntrospectionQuery()));
});

/** The first of these that a comparator has is valid for it, whatever the type of its values. */
const COMPARISONS = { null: true, in: [], contains: "x", length: { eq: 1 }, eq: true };

const comparisonOf = (comparator: GraphQLInputObjectType): object =>
  Object.fromEntries(
    Object.entries(COMPARISONS)
      .filter(([name]) => Object.hasOwn(comparator.getFields(), name))
      .slice(0, 1),
  );

/** One filter for each condition of the type, and of the types that it refers to and that were not seen yet. */
function conditions(root: GraphQLInputObjectType, seen: Set<string>): object[] {
  const found: object[] = [];
  const open = [{ type: root, within: (condition: object) => condition }];
  for (const { type, within } of open)
    for (const field of Object.values(type.getFields())) {
      const inner = getNamedType(field.type);
      const here = (value: unknown) => within({ [field.name]: value });
      if (LOGICAL.has(field.name)) continue;
      if (inner.name === "Boolean") found.push(here(true));
      else if (isInputObjectType(inner) && inner.name.endsWith("Comparator"))
        found.push(here(comparisonOf(inner)));
      else if (isInputObjectType(inner) && !seen.has(inner.name)) {
        seen.add(inner.name);
        open.push({ type: inner, within: here });
      }
    }
  return found;
}

async function refused(list: string, type: string, filters: object[]): Promise<unknown[]> {
  const query = `query($filter: ${type}) { ${list}(filter: $filter, first: 1) { nodes { __typename } } }`;
  const answer = await tracker.ask(query, { filter: { and: filters } });
  if (answer.data || answer.errors?.[0].extensions.code === "FEATURE_NOT_ACCESSIBLE") return [];
  if (filters.length === 1) return [{ list, filter: filters[0], answer }];
  const half = Math.ceil(filters.length / 2);
  const parts = [filters.slice(0, half), filters.slice(half)];
  return (await Promise.all(parts.map((part) => refused(list, type, part)))).flat();
}

test("every condition of every filter is supported", async () => {
  const found: unknown[] = [];
  const seen = new Set<string>();
  let asked = 0;
  const lists = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
    ({ type, args }) =>
      getNamedType(type).name.endsWith("Connection") &&
      args.every(({ name, type }) => name === "filter" || !String(type).endsWith("!")),
  );
  for (const { name, args } of lists) {
    const type = args.find((argument) => argument.name === "filter")?.type;
    if (!isInputObjectType(type)) continue;
    const all = conditions(type, seen);
    asked += all.length;
    for (let at = 0; at < all.length; at += AT_ONCE)
      found.push(...(await refused(name, type.name, all.slice(at, at + AT_ONCE))));
  }
  expect(found).toEqual([]);
  expect(asked).toBeGreaterThan(800);
});
