/** Selections of every field of a type, in parts within the limits. */
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from "graphql";

type Field = GraphQLField<unknown, unknown>;

/** Arguments that a field requires, or should have here. */
export type ArgumentsOf = (type: GraphQLNamedType, field: Field) => string | undefined;

const ROWS = 3;

const argumentsText = (parent: GraphQLNamedType, field: Field, argumentsOf: ArgumentsOf) => {
  const own = argumentsOf(parent, field);
  const page = field.args.some(({ name }) => name === "first") ? `first: ${ROWS}` : undefined;
  const parts = [own, page].filter((part) => part !== undefined);
  return parts.length === 0 ? "" : `(${parts.join(", ")})`;
};

const needsArguments = (field: Field) =>
  field.args.some(
    (argument) => isNonNullType(argument.type) && argument.defaultValue === undefined,
  );

export function selections(schema: GraphQLSchema, argumentsOf: ArgumentsOf) {
  const skipped = (parent: GraphQLNamedType, field: Field) =>
    needsArguments(field) && argumentsOf(parent, field) === undefined;

  /**
   * The selection of a field of this type: the leaves, and `deep` levels of nested objects. `shared`: fields, with
   * their types, that the type has in common with others of the same selection; the rest of its fields get aliases.
   */
  function inside(type: GraphQLNamedType, deep: number, shared?: ReadonlySet<string>): string {
    if (isLeafType(type)) return "";
    if (isUnionType(type) || isInterfaceType(type)) {
      const common = new Set(
        isInterfaceType(type)
          ? Object.values(type.getFields()).map((field) => `${field.name}: ${field.type}`)
          : [],
      );
      const parts = schema
        .getPossibleTypes(type)
        .map((one) => `... on ${one.name} ${inside(one, deep, common)}`);
      return `{ __typename ${parts.join(" ")} }`;
    }
    if (!isObjectType(type)) return "";
    const isPage = /Connection$|SearchPayload$/.test(type.name);
    const parts = Object.values(type.getFields()).flatMap((field) => {
      const named = getNamedType(field.type);
      if (skipped(type, field)) return [];
      if (!isLeafType(named) && deep === 0 && !isPage) return [];
      if (isPage && field.name === "edges") return ["edges { cursor node { __typename } }"];
      const text = fieldText(type, field, isPage ? deep : deep - 1);
      return [
        shared && !shared.has(`${field.name}: ${field.type}`)
          ? `${type.name}_${field.name}: ${text}`
          : text,
      ];
    });
    return `{ __typename ${parts.join(" ")} }`;
  }

  const fieldText = (parent: GraphQLNamedType, field: Field, deep: number) =>
    `${field.name}${argumentsText(parent, field, argumentsOf)} ${inside(getNamedType(field.type), deep)}`;

  return { inside, fieldText, skipped };
}

/** Every object of an answer with `__typename`. */
export function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (Array.isArray(value)) for (const item of value) yield* objectsIn(item);
  else if (typeof value === "object" && value !== null) {
    if ("__typename" in value) yield value as Record<string, unknown>;
    for (const item of Object.values(value)) yield* objectsIn(item);
  }
}

export const fieldsOf = (type: GraphQLObjectType): Field[] => Object.values(type.getFields());
