/** Validates every response of the platform in tests against the OpenAPI document. */
import Ajv, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";

type Schema = { [key: string]: any };
type Media = { schema: Schema; example?: unknown };
type Content = Record<string, Media>;
type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Schema;
};
export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: object[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  /** A response without a body has no content. */
  responses: Record<string, { description: string; content?: Content }>;
};
export type Document = {
  openapi: string;
  info: Schema;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Schema>>;
};

/** The document of a server, with inlined parameters and responses. */
export async function readDocument(url: string): Promise<Document> {
  const document = (await (await fetch(`${url}/docs/json`)).json()) as Document;
  const resolve = <T>(part: T & { $ref?: string }): T => {
    const [, , kind = "", name = ""] = part.$ref?.split("/") ?? [];
    return part.$ref ? (document.components[kind]?.[name] as T) : part;
  };
  for (const operation of Object.values(document.paths).flatMap(Object.values<Operation>)) {
    if (operation.parameters) operation.parameters = operation.parameters.map(resolve);
    for (const [status, response] of Object.entries(operation.responses))
      operation.responses[status] = resolve(response);
  }
  return document;
}

/** Every operation of a document with its place. */
export const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      at: `${method.toUpperCase()} ${path}`,
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );

/** A function that compiles schemas of a document, and each of its components once. */
export function compilerOf(
  { components }: Document,
  adapt: (schema: Schema) => Schema = (schema) => schema,
): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  const named = (schema: Schema): Schema => mapped(adapt(schema), withName);
  for (const [name, schema] of Object.entries(components["schemas"] ?? {}))
    ajv.addSchema(named(schema), `${COMPONENTS}${name}`);
  return (schema) => ajv.compile(named(schema));
}

const COMPONENTS = "/components/schemas/";
/** A reference within the document, as one to the schema of that name. */
const withName = (schema: Schema): Schema =>
  typeof schema["$ref"] === "string"
    ? { ...schema, $ref: schema["$ref"].replace("#", "") }
    : schema;

/** The routes of a document and the validators of its answers. */
type Contract = {
  readonly routes: readonly { pattern: RegExp; methods: Record<string, Operation> }[];
  readonly validator: (schema: Schema) => ValidateFunction;
};
const contracts = new WeakMap<Document, Contract>();

function contractOf(document: Document): Contract {
  const known = contracts.get(document);
  if (known) return known;
  const compile = compilerOf(document, (schema) => mapped(schema, closed));
  const compiled = new WeakMap<Schema, ValidateFunction>();
  const contract: Contract = {
    // Paths with fewer parameters are more exact, and a slash at the end names the same path.
    routes: Object.entries(document.paths)
      .sort(([a], [b]) => a.split("{").length - b.split("{").length)
      .map(([path, methods]) => ({
        pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}/?$`),
        methods,
      })),
    validator(schema) {
      const validate = compiled.get(schema) ?? compile(schema);
      compiled.set(schema, validate);
      return validate;
    },
  };
  contracts.set(document, contract);
  return contract;
}

let common: Promise<Document> | undefined;

/**
 * The document of every server with the services of the sources, read from the first of this process: a server takes
 * 0.4 s to build it.
 */
export const commonDocument = (url: string): Promise<Document> => (common ??= readDocument(url));

/** Errors without a route: unknown path or method. */
const OUTSIDE: Record<number, string> = { 404: "not_found", 405: "method_not_allowed" };
/** Responses before routing. */
const BEFORE_ROUTES = new Set([
  "not_authed",
  "invalid_request",
  "invalid_environment_path",
  "service_unavailable",
]);

/** The whole path of an operation of the platform, whose own path is the shorter one. */
export const wholePath = (path: string) =>
  path.startsWith("/openenv/") ? path : `/api/platform${path}`;

/** Throws if the response does not match the document of its server. */
export function checkAnswer(
  document: Document,
  method: string,
  path: string,
  status: number,
  body: unknown,
): void {
  const pathname = wholePath(path).replace(/\?.*$/s, "");
  const at = `${method} ${pathname} answered ${status}`;
  const { routes, validator } = contractOf(document);
  const name = method.toLowerCase();
  const operation = routes.find(({ pattern, methods }) => methods[name] && pattern.test(pathname))
    ?.methods[name];
  if (!operation) {
    const { error } = body as { error?: string };
    const isOutside = error !== undefined && error === OUTSIDE[status];
    if (isOutside || BEFORE_ROUTES.has(error ?? "") || status === 429) return;
    throw new Error(`${at}, which is not documented: ${JSON.stringify(body)}`);
  }
  const schema = operation.responses[status]?.content?.["application/json"]?.schema;
  if (!schema) throw new Error(`${at}, a status that is not documented: ${JSON.stringify(body)}`);
  const validate = validator(schema);
  if (!validate(body))
    throw new Error(
      `${at} differs from the documented shape: ${JSON.stringify(validate.errors)}: ${JSON.stringify(body)?.slice(0, 2_000)}`,
    );
}

/** The schema with each of its parts changed. */
function mapped(schema: Schema, change: (part: Schema) => Schema): Schema {
  const part = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(part);
    return typeof value === "object" && value !== null ? mapped(value, change) : value;
  };
  return change(
    Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, part(value)])),
  );
}

/** A schema without additional fields. */
const closed = (schema: Schema): Schema =>
  schema["type"] === "object" &&
  Object.keys(schema["properties"] ?? {}).length > 0 &&
  !("additionalProperties" in schema)
    ? { ...schema, additionalProperties: false }
    : schema;
