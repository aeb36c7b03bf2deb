/** Resolvers are derived from models without changing the schema, and each must fit a field of it. */
import { expect, test } from "bun:test";
import { buildSchema, isObjectType } from "graphql";
import { allResolvers, type ReadContext } from "~/graphql/resolvers";
import { addResolvers, type SchemaOptions } from "~/graphql/schema";
import { MODELS } from "~/replicas/tracker/store/models/index";

const SDL = `
  scalar DateTime
  interface Node { id: ID }
  type Query { teams: [Team!]! }
  type Team implements Node { id: ID name: String organization: Query pullRequests: [Pull!]! issues: [Issue!]! }
  type FoundTeam implements Node { id: ID extra: String }
  type Issue { id: ID team: Team }
  type Pull { id: ID }
`;
const OPTIONS: SchemaOptions<ReadContext> = {
  models: MODELS,
  modelOf: { FoundTeam: "Team" },
  conventions: { organization: () => ({}) },
  resolvers: { Team: { extra: () => "by hand" } },
  scalars: {},
  typeNames: {},
};

test("derives the resolvers of a model's fields and does not change the schema", () => {
  const schema = buildSchema(SDL);
  const resolvers = allResolvers(schema, OPTIONS);

  expect(Object.keys(resolvers["Team"] ?? {}).toSorted()).toEqual([
    "extra",
    "issues",
    "organization",
    "pullRequests",
  ]);
  expect(Object.keys(resolvers["Issue"] ?? {})).toEqual(["team"]);
  expect(resolvers["FoundTeam"]?.["extra"]).toBe(resolvers["Team"]?.["extra"] as never);
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const fields = types
    .filter(({ name }) => !name.startsWith("__"))
    .flatMap((type) => Object.values(type.getFields()));
  expect(fields.filter(({ resolve }) => resolve)).toEqual([]);
});

test.each([
  ["a type", { resolvers: { Nothing: { id: () => 1 } } }, /"Nothing" defined in resolvers/],
  ["a field", { resolvers: { Team: { nam: () => 1 } } }, /Team\.nam defined in resolvers/],
  ["a scalar", { scalars: { Moment: { serialize: () => 1 } } }, /"Moment" defined in resolvers/],
  ["an interface", { typeNames: { Thing: () => "Team" } }, /"Thing" defined in resolvers/],
])("rejects a resolver for %s that the schema does not have", (_what, wrong, message) => {
  const add = () => addResolvers(buildSchema(SDL), { ...OPTIONS, resolvers: {}, ...wrong });

  expect(add).toThrow(message);
});
