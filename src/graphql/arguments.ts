/** The arguments of a field, coerced once for each request, or once for all. */
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  getArgumentValues,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isSpecifiedScalarType,
  Kind,
  type ValueNode,
} from "graphql";
import type { Variables } from "~/graphql/collect";

export type Arguments = Readonly<Record<string, unknown>>;

/** The variables of a request, and the arguments that were coerced with them. */
export type Given = { readonly variables: Variables; readonly known: Map<Coercion, Arguments> };

/** Coerces the arguments at one place of a document. Throws GraphQLError. */
type Coercion = (given: Given) => Arguments;

/** Each place of a document has arguments of its own, which identify it in a request. */
export function coercionOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Coercion {
  if (!isConstant(field, node)) return coercionOnce(field, node);
  let constant: Arguments | undefined;
  return () => {
    constant ??= Object.freeze(getArgumentValues(field, node, {}));
    return constant;
  };
}

function coercionOnce(field: GraphQLField<unknown, unknown>, node: FieldNode): Coercion {
  const coerce: Coercion = ({ variables, known }) => {
    const before = known.get(coerce);
    if (before) return before;
    const coerced = Object.freeze(getArgumentValues(field, node, variables));
    known.set(coerce, coerced);
    return coerced;
  };
  return coerce;
}

/** Whether the arguments are the same in each request. */
const isConstant = (
  { args }: GraphQLField<unknown, unknown>,
  { arguments: given = [] }: FieldNode,
): boolean =>
  given.every(({ name, value }) => {
    const argument = args.find((one) => one.name === name.value);
    return argument !== undefined && isConstantValue(value, argument.type);
  });

/** Scalars of our own may read a text differently each time: a duration is relative to now. */
function isConstantValue(node: ValueNode, given: GraphQLInputType): boolean {
  if (node.kind === Kind.NULL) return true;
  const type = getNullableType(given);
  if (isListType(type))
    return node.kind === Kind.LIST
      ? node.values.every((value) => isConstantValue(value, type.ofType))
      : isConstantValue(node, type.ofType);
  if (isInputObjectType(type))
    return (
      node.kind === Kind.OBJECT &&
      node.fields.every(({ name, value }) => {
        const field = type.getFields()[name.value];
        return field !== undefined && isConstantValue(value, field.type);
      })
    );
  return node.kind !== Kind.VARIABLE && (isSpecifiedScalarType(type) || isEnumType(type));
}
