/**
 * The OpenAPI document, version 3.1, derived from operations: the routes of the platform and the calls of the services.
 *
 * A shape is its own JSON Schema. The document changes it as follows: shapes with a `title` become components,
 * `documented` replaces a shape that the domain checks, `codes` narrows an error, `mediaType` is that of an answer that
 * is not JSON, and `examples` of parts add up to an example of each body.
 */
import type { TObject, TSchema } from "@sinclair/typebox";
import { type ErrorCode, MEANING } from "~/errors";
import type { ServiceOperation } from "~/replicas/replica";

export type Json = { [key: string]: unknown };
export type Document = Json & { paths: Record<string, Record<string, Json>> };

/** The version of the format. */
export const OPENAPI = "3.1.0";

export type Operation = ServiceOperation & {
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly headers?: TObject | undefined;
  /** Its body may have no fields but those that are described. */
  readonly isClosed?: boolean;
};

const SCHEMAS = "#/components/schemas/";
const JSON_TYPE = "application/json";

/** Replaces a shape by its `documented` shape, and keeps the shape's own texts. */
function shown(shape: Json): Json {
  const { documented, description, examples } = shape;
  if (documented === undefined) return shape;
  return {
    ...(documented as Json),
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
  };
}

/** An example of a shape: its own, or one composed of the examples of its parts; undefined without any. */
function exampleOf(given: Json): unknown {
  const shape = shown(given);
  const { examples, const: only, default: fallback, enum: choices, anyOf, type, items } = shape;
  if (Array.isArray(examples)) return examples[0];
  if (only !== undefined) return only;
  if (fallback !== undefined) return fallback;
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(anyOf)) return anyOf.map(exampleOf).find((example) => example !== undefined);
  if (type === "boolean") return true;
  if (type === "array") {
    const item = exampleOf(items as Json);
    return item === undefined ? [] : [item];
  }
  if (type !== "object") return undefined;
  const parts = Object.entries((shape["properties"] ?? {}) as Record<string, Json>);
  return Object.fromEntries(
    parts.map(([name, part]) => [name, exampleOf(part)]).filter(([, value]) => value !== undefined),
  );
}

const isNull = ({ type }: Json) => type === "null";

/** A union in the form that client generators handle best: literals as an enumeration, null as a second type. */
function joined(members: readonly Json[], rest: Json): Json {
  const some = members.filter((member) => !isNull(member));
  const hasNull = some.length < members.length;
  const [first] = some;
  const isEnum = some.every((each) => "const" in each && each["type"] === first?.["type"]);
  if (first && (isEnum || some.length === 1) && "type" in first) {
    const { const: _, type, ...one } = first;
    const values = isEnum ? some.map((each) => each["const"]) : (one["enum"] as unknown[]);
    return {
      type: hasNull ? [type, "null"] : type,
      ...one,
      ...(values && { enum: hasNull ? [...values, null] : values }),
      ...rest,
    };
  }
  return { anyOf: members, ...rest };
}

/** Converts shapes to schemas and collects components. */
function createSchemas() {
  const components: Record<string, Json> = {};
  const sources = new Map<string, string>();
  const closed = new Set<Json>();

  /** The texts of a shape may differ from place to place. */
  function named(name: string, shape: Json): Json {
    const { description, examples: _, ...source } = shape;
    const text = JSON.stringify(source);
    if ((sources.get(name) ?? text) !== text) throw new Error(`two shapes are titled ${name}`);
    if (!sources.has(name)) {
      sources.set(name, text);
      components[name] = plain(shape);
    }
    const isSame = components[name]?.["description"] === description;
    return { $ref: SCHEMAS + name, ...(!isSame && { description }) };
  }

  function convert(given: unknown): Json {
    const { title, $id, codes, mediaType: _, ...shape } = shown(given as Json);
    if (codes) return { $ref: `${SCHEMAS}Error`, properties: { error: { enum: codes } } };
    const name = title ?? $id;
    return typeof name === "string" ? named(name, shape) : plain(shape);
  }

  const each = (shapes: unknown): Record<string, Json> =>
    Object.fromEntries(
      Object.entries(shapes as object).map(([key, shape]) => [key, convert(shape)]),
    );

  /** Describes a default in words: type generators treat a property with a default as always present, even in requests. */
  function properties(shapes: unknown): Record<string, Json> {
    const schemas = each(shapes);
    for (const schema of Object.values(schemas)) {
      const { default: fallback, description } = schema;
      if (fallback === undefined) continue;
      schema["description"] = `${description}. Default: ${fallback}`;
      delete schema["default"];
    }
    return schemas;
  }

  function plain(shape: Json): Json {
    const { anyOf, nullable: _, ...rest } = shape;
    const copy: Json = {};
    for (const [key, value] of Object.entries(rest))
      if (key === "$ref") copy[key] = `${SCHEMAS}${value}`;
      else if (key === "properties") copy[key] = properties(value);
      else if (key === "items") copy[key] = convert(value);
      else if (key === "additionalProperties" && typeof value === "object")
        copy[key] = convert(value);
      // A record: any property name.
      else if (key === "patternProperties")
        copy["additionalProperties"] = Object.values(each(value))[0];
      // Examples of an object are shown as the example of a body.
      else if (key !== "examples" || rest["type"] !== "object") copy[key] = value;
    if (!Array.isArray(anyOf)) return copy;
    const members = anyOf.map(convert).flatMap((member) => {
      const isBare = Object.keys(member).length === 1 && Array.isArray(member["anyOf"]);
      return isBare ? (member["anyOf"] as Json[]) : [member];
    });
    return joined(members, copy);
  }

  /** Says of a schema, and of those that it is made of, that an object has no other fields. */
  function close(schema: unknown): void {
    if (typeof schema !== "object" || schema === null) return;
    const { $ref, properties: fields, additionalProperties } = schema as Json;
    const component = components[`${$ref}`.slice(SCHEMAS.length)];
    if (component && !closed.has(component)) {
      closed.add(component);
      close(component);
    }
    for (const part of Object.values(schema)) close(part);
    if (fields && additionalProperties === undefined)
      (schema as Json)["additionalProperties"] = false;
  }

  return { components, convert, close };
}

const pascal = (code: string) =>
  code.replace(/(^|_)(\w)/g, (_, __, letter) => letter.toUpperCase());

const RETRY_AFTER = {
  description: "Seconds after which the call may succeed",
  schema: { type: "integer", minimum: 0 },
};
const RETRY_STATUSES = new Set(["429", "503"]);
const DONE: Readonly<Record<string, string>> = { "200": "Success", "201": "Created" };

/** `shapes`: components that no operation refers to directly. */
export function openapi(
  operations: readonly Operation[],
  about: Json,
  shapes: readonly TSchema[],
): Document {
  const { components, convert, close } = createSchemas();
  const parts = { responses: {} as Record<string, Json>, parameters: {} as Record<string, Json> };

  /** Moves a part that many operations share into the components. Returns `part` if its name is taken by another one. */
  function shared(kind: keyof typeof parts, name: string | undefined, part: Json): Json {
    if (name === undefined) return part;
    parts[kind][name] ??= part;
    return Bun.deepEquals(parts[kind][name], part)
      ? { $ref: `#/components/${kind}/${name}` }
      : part;
  }

  function media(shape: TSchema): Json {
    const example = exampleOf(shape);
    return { schema: convert(shape), ...(example !== undefined && { example }) };
  }

  function response(status: string, shape: TSchema): Json {
    if (shape["type"] === "void") return { description: shape.description };
    const codes = shape["codes"] as readonly ErrorCode[] | undefined;
    const [code] = codes ?? [];
    const description =
      codes?.map((each) => `\`${each}\`: ${MEANING[each]}.`).join("\n") ??
      shape.description ??
      DONE[status] ??
      "";
    const content = media(shape);
    if (code) content["example"] = { ok: false, error: code, detail: MEANING[code] };
    const whole = {
      description,
      ...(RETRY_STATUSES.has(status) && { headers: { "Retry-After": RETRY_AFTER } }),
      content: { [String(shape["mediaType"] ?? JSON_TYPE)]: content },
    };
    return shared("responses", codes?.map(pascal).join("Or") ?? shape.title, whole);
  }

  const parameters = (place: string, shape: TObject | undefined) =>
    Object.entries(shape?.properties ?? {}).map(([name, property]) => {
      const { description } = shown(property);
      const { description: _, ...schema } = convert(property);
      const whole = {
        name,
        in: place,
        // An object in a query: `labels[model]=gpt-5`.
        ...(schema["type"] === "object" && { style: "deepObject", explode: true }),
        required: place === "path" || (shape?.required?.includes(name) ?? false),
        ...(description !== undefined && { description }),
        schema,
      };
      return place === "path" ? shared("parameters", name, whole) : whole;
    });

  for (const shape of shapes) convert(shape);
  const paths: Document["paths"] = {};
  for (const operation of operations) {
    const { path, method, params, query, headers, body, answers, isClosed, ...rest } = operation;
    const contents = Object.entries(body ?? {}).map(
      ([type, shape]) => [type, media(shape)] as const,
    );
    if (isClosed) for (const [, { schema }] of contents) close(schema);
    const all = [
      ...parameters("path", params),
      ...parameters("query", query),
      ...parameters("header", headers),
    ];
    paths[path] = {
      ...paths[path],
      [method]: {
        ...rest,
        ...(all.length > 0 && { parameters: all }),
        ...(body && {
          requestBody: {
            required: true,
            content: Object.fromEntries(contents),
          },
        }),
        responses: Object.fromEntries(
          Object.entries(answers).map(([status, shape]) => [status, response(status, shape)]),
        ),
      },
    };
  }
  return {
    openapi: OPENAPI,
    ...about,
    paths,
    components: { ...(about["components"] as Json), ...parts, schemas: components },
  };
}
