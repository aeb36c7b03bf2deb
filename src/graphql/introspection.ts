/** Lengths of the lists in which a schema describes itself. */
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from "graphql";

export type ListLengths = { readonly [field: string]: number };

/** Lists of all types and of directives; the others, one for each type or field, have an average. */
export function listLengthsOf(schema: GraphQLSchema): ListLengths {
  const types = Object.values(schema.getTypeMap());
  const fields = types.flatMap(fieldsOf);
  const perType = (count: (type: GraphQLNamedType) => number) =>
    types.reduce((sum, type) => sum + count(type), 0) / types.length;
  return {
    types: types.length,
    directives: schema.getDirectives().length,
    fields: fields.length / types.length,
    args: fields.reduce((sum, { args }) => sum + args.length, 0) / fields.length,
    interfaces: perType((type) => (hasFields(type) ? type.getInterfaces().length : 0)),
    possibleTypes: perType((type) =>
      isAbstractType(type) ? schema.getPossibleTypes(type).length : 0,
    ),
    enumValues: perType((type) => (isEnumType(type) ? type.getValues().length : 0)),
    inputFields: perType((type) =>
      isInputObjectType(type) ? Object.keys(type.getFields()).length : 0,
    ),
  };
}

const hasFields = (type: GraphQLNamedType) => isObjectType(type) || isInterfaceType(type);
const fieldsOf = (type: GraphQLNamedType) =>
  hasFields(type) ? Object.values(type.getFields()) : [];
