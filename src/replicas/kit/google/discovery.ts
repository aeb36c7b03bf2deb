/**
 * The discovery document of a Google API (format `discovery#restDescription`), from which clients are built at run time.
 * It is made of the operations of the router, so that it says the same.
 */
import type { TObject, TSchema } from "@sinclair/typebox";
import { tokensOf } from "~/replicas/kit/google/accounts";
import type { Operation, Router } from "~/replicas/kit/router";
import type { Documents } from "~/replicas/replica";
import { httpAnswer, JSON_HEADERS } from "~/wire/message";

type Json = { [key: string]: unknown };

export type Api = {
  /** `gmail`, `v1`. */
  readonly name: string;
  readonly version: string;
  readonly title: string;
  /** Begins the titles of shapes, and not their names in the document. */
  readonly prefix: string;
  /** A resource that all operations are below: `users`. */
  readonly below?: string;
  readonly scopes: readonly string[];
  /** The types of an uploaded body, and its bytes. */
  readonly media?: { readonly accept: readonly string[]; readonly maxSize: number };
};

/** Serves the document to everyone, at `$discovery/rest?version=v1` and where Google's directory has it; and tokens. */
export function documentsOf<Context>(api: Api, router: Router<Context>): Documents {
  let document: Json | undefined;
  const { name, version } = api;
  const listed = `discovery/v1/apis/${name}/${version}/rest`;
  const tokens = tokensOf(api.scopes);
  return (call) => {
    const { request, path, rootUrl } = call;
    const token = tokens(call);
    if (token) return token;
    if (path !== "$discovery/rest" && path !== listed) return undefined;
    const wanted = request.hasQuery ? request.url.searchParams.get("version") : null;
    if (path !== listed && (wanted ?? version) !== version) return undefined;
    document ??= describe(api, router);
    const body = { ...document, rootUrl, baseUrl: rootUrl };
    return httpAnswer(200, JSON_HEADERS, JSON.stringify(body, null, 2));
  };
}

type Resource = { methods?: Record<string, Json>; resources?: Record<string, Resource> };

function describe<Context>(api: Api, { operations, common }: Router<Context>): Json {
  const { name, version, title, below, scopes } = api;
  const { schemas, convert, register } = createSchemas(api.prefix);
  const all: Resource = {};
  for (const operation of operations) {
    const names = [...(below === undefined ? [] : [below]), ...operation.name.split(".")];
    const method = names.pop() ?? "";
    let place = all;
    for (const each of names) {
      place.resources ??= {};
      place.resources[each] ??= {};
      place = place.resources[each];
    }
    place.methods ??= {};
    place.methods[method] = {
      id: [name, ...names, method].join("."),
      ...methodOf(api, operation, { convert, register }),
    };
  }
  return {
    kind: "discovery#restDescription",
    discoveryVersion: "v1",
    id: `${name}:${version}`,
    ...{ name, version, title, description: `A replica of the ${title}` },
    ...{ protocol: "rest", servicePath: "", basePath: "", batchPath: "batch" },
    ...{ ownerDomain: "google.com", ownerName: "Google" },
    auth: { oauth2: { scopes: Object.fromEntries(scopes.map((scope) => [scope, {}])) } },
    parameters: parametersOf(common, "query"),
    schemas,
    ...all,
  };
}

function methodOf<Context>(
  { scopes, media, prefix }: Api,
  operation: Operation<Context>,
  { convert, register }: Omit<ReturnType<typeof createSchemas>, "schemas">,
): Json {
  const { template, verb, summary, description, path, query, body, answers } = operation;
  const answer = answers["200"];
  const words = operation.name.replace(/(?:^|\.)(\w)/g, (_, letter) => letter.toUpperCase());
  const uploads = operation.media.length > 0 && media;
  return {
    ...{ path: template, flatPath: template, httpMethod: verb },
    description: description === undefined ? summary : `${summary}. ${description}`,
    parameters: { ...parametersOf(path, "path"), ...parametersOf(query, "query") },
    parameterOrder: Object.keys(path.properties),
    ...(body && { request: register({ ...body, title: `${prefix}${words}Request` }) }),
    ...(answer && answer["type"] !== "void" && { response: convert(answer) }),
    scopes,
    ...(uploads && {
      supportsMediaUpload: true,
      mediaUpload: {
        accept: uploads.accept,
        maxSize: `${uploads.maxSize}`,
        protocols: {
          simple: { multipart: true, path: `/upload/${template}` },
          resumable: { multipart: true, path: `/resumable/upload/${template}` },
        },
      },
    }),
  };
}

function parametersOf({ properties, required = [] }: TObject, location: "path" | "query"): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, shape]) => {
      const isRepeated = shape["type"] === "array";
      const { default: fallback, minimum, maximum } = shape;
      return [
        name,
        {
          ...scalarOf(isRepeated ? (shape["items"] as TSchema) : shape),
          location,
          ...(shape.description !== undefined && { description: shape.description }),
          ...(required.includes(name) && { required: true }),
          ...(isRepeated && { repeated: true }),
          ...(fallback !== undefined && { default: `${fallback}` }),
          ...(minimum !== undefined && { minimum: `${minimum}` }),
          ...(maximum !== undefined && { maximum: `${maximum}` }),
        },
      ];
    }),
  );
}

/** A number, a text, one of some texts, or anything. */
function scalarOf({ type, anyOf, const: only }: TSchema): Json {
  const values = Array.isArray(anyOf) ? anyOf.map((each) => each.const) : [only];
  if (values.every((value) => typeof value === "string")) return { type: "string", enum: values };
  if (type === "integer") return { type, format: "int32" };
  if (type === "number") return { type, format: "double" };
  return { type: type === "string" || type === "boolean" ? type : "any" };
}

/** Converts shapes to schemas, and collects those that have a name. */
function createSchemas(prefix: string) {
  const schemas: Record<string, Json> = {};
  const nameOf = (title: string) => (title.startsWith(prefix) ? title.slice(prefix.length) : title);

  function register(shape: TSchema): Json {
    const name = nameOf(shape.title ?? `${shape.$id}`);
    if (!schemas[name]) {
      schemas[name] = {};
      schemas[name] = { id: name, ...plain(shape) };
    }
    return { $ref: name };
  }

  function convert(shape: TSchema): Json {
    if (shape.title !== undefined || shape.$id !== undefined) return register(shape);
    return plain(shape);
  }

  function plain(shape: TSchema): Json {
    const { type, description, properties, items, $ref } = shape;
    const text = description !== undefined && { description };
    if ($ref !== undefined) return { $ref: nameOf($ref) };
    if (type === "array") return { type, ...text, items: convert(items) };
    if (type !== "object") return { ...scalarOf(shape), ...text };
    const fields = Object.entries((properties ?? {}) as Record<string, TSchema>);
    if (fields.length === 0) return { type, ...text, additionalProperties: { type: "any" } };
    return {
      ...{ type, ...text },
      properties: Object.fromEntries(fields.map(([name, field]) => [name, convert(field)])),
    };
  }

  return { schemas, convert, register };
}
