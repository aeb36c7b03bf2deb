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

/** A validator of values of a schema of the document. */
export const validatorOf = (schema: Schema, components: Schema): ValidateFunction =>
  ajv.compile({ ...schema, components });

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
const compiled = new WeakMap<object, ValidateFunction>();
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
export async function checkAnswer(
  { paths, components }: Document,
  method: string,
  path: string,
  status: number,
  body: unknown,
): Promise<void> {
  const pathname = wholePath(path).replace(/\?.*$/s, "");
  const at = `${method} ${pathname} answered ${status}`;
  const known = Object.keys(paths)
    .filter((template) => paths[template]?.[method.toLowerCase()])
    .filter((template) => new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(pathname))
    .sort((a, b) => a.split("{").length - b.split("{").length)[0];
  const operation = known === undefined ? undefined : paths[known]?.[method.toLowerCase()];
  if (!operation) {
    const { error } = body as { error?: string };
    if (error === OUTSIDE[status] || BEFORE_ROUTES.has(error ?? "") || status === 429) return;
    throw new Error(`${at}, which is not documented: ${JSON.stringify(body)}`);
  }
  const schema = operation.responses[status]?.content?.["application/json"]?.schema;
  if (!schema) throw new Error(`${at}, a status that is not documented: ${JSON.stringify(body)}`);
  const validate =
    compiled.get(schema) ?? validatorOf(closed(schema) as Schema, closed(components) as Schema);
  compiled.set(schema, validate);
  if (!validate(body))
    throw new Error(
      `${at} differs from the documented shape: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(body)?.slice(0, 2_000)}`,
    );
}

/** The same shape without additional fields. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy: Schema = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  if (copy["type"] === "object" && copy["properties"] && !("additionalProperties" in copy))
    if (Object.keys(copy["properties"] as object).length > 0) copy["additionalProperties"] = false;
  return copy;
}
