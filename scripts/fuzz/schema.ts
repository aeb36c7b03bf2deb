/** A GraphQL schema, read by introspection. */

export type TypeRef = { kind: string; name: string | null; ofType: TypeRef | null };
export type InputField = { name: string; type: TypeRef };
export type Field = { name: string; type: TypeRef; args: InputField[] };
export type Type = {
  kind: string;
  name: string;
  fields: Field[] | null;
  inputFields: InputField[] | null;
  enumValues: { name: string }[] | null;
  possibleTypes: { name: string }[] | null;
};
export type GraphqlSchema = {
  readonly types: ReadonlyMap<string, Type>;
  readonly roots: readonly { readonly operation: "query" | "mutation"; readonly field: Field }[];
};

const REF = "kind name ofType { kind name ofType { kind name ofType { kind name } } }";
export const INTROSPECTION = `{ __schema {
  queryType { name } mutationType { name }
  types { kind name enumValues { name } possibleTypes { name } inputFields { name type { ${REF} } }
    fields { name type { ${REF} } args { name type { ${REF} } } } }
} }`;

type Introspected = {
  queryType: { name: string };
  mutationType: { name: string } | null;
  types: Type[];
};

export function readSchema({ queryType, mutationType, types }: Introspected): GraphqlSchema {
  const named = new Map(types.map((type) => [type.name, type]));
  const fields = (name: string | undefined) => named.get(name ?? "")?.fields ?? [];
  return {
    types: named,
    roots: [
      ...fields(queryType.name).map((field) => ({ operation: "query" as const, field })),
      ...fields(mutationType?.name).map((field) => ({ operation: "mutation" as const, field })),
    ],
  };
}

/** A type in document syntax. */
export const written = (type: TypeRef): string => {
  if (type.kind === "NON_NULL" && type.ofType) return `${written(type.ofType)}!`;
  return type.kind === "LIST" && type.ofType ? `[${written(type.ofType)}]` : (type.name ?? "");
};

/** The named type inside lists. */
export const leaf = ({ ofType, name, kind }: TypeRef): { kind: string; name: string } =>
  ofType ? leaf(ofType) : { kind, name: name ?? "" };

export const required = ({ type }: InputField) => type.kind === "NON_NULL";

/** A value in document syntax, where `type` is expected. Values of other types are written anyway. */
export function literal(schema: GraphqlSchema, type: TypeRef, value: unknown): string {
  if (type.kind === "NON_NULL" && type.ofType) return literal(schema, type.ofType, value);
  if (Array.isArray(value)) {
    const item = type.kind === "LIST" && type.ofType ? type.ofType : type;
    return `[${value.map((one) => literal(schema, item, one)).join(", ")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const fields = schema.types.get(type.name ?? "")?.inputFields ?? [];
    const entries = Object.entries(value).map(([name, inner]) => {
      const known = fields.find((field) => field.name === name);
      return `${name}: ${literal(schema, known?.type ?? type, inner)}`;
    });
    return `{${entries.join(", ")}}`;
  }
  const isEnum = schema.types.get(type.name ?? "")?.kind === "ENUM";
  return isEnum && typeof value === "string" ? value : JSON.stringify(value);
}
