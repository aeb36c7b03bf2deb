/**
 * The OpenAPI document and its explorer, served from the binary: no page of ours asks another host for anything.
 *
 * The plugin reads the routes; `polish` mends what it leaves wrong and adds the calls of the simulated services,
 * which are not routes. The only file that knows the plugin and the explorer.
 */
import { createHash } from "node:crypto";
import { swagger } from "@elysiajs/swagger";
import explorerCss from "swagger-ui-dist/swagger-ui.css" with { type: "text" };
import explorerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "text" };
import { STATUS } from "~/errors";
import { EXPECTED_OUTPUT, jsonSchema } from "~/evaluation/spec";
import { REPLICAS } from "~/replicas/index";
import { VERSION } from "~/version";

const PAGE = "/docs";
const DOCUMENT = "/docs/json";
const PARTS = "#/components/schemas/";
/** Browsers ask for it wherever they are. */
const FAVICON = "/favicon.ico";

/** Starts the explorer in the plugin's page, which has a place for one script and none for a style sheet. */
const START = `
addEventListener("load", () => {
  const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/docs/explorer.css" });
  const place = document.createElement("main");
  document.head.append(sheet);
  document.body.append(place);
  SwaggerUIBundle({
    url: "${DOCUMENT}", domNode: place, validatorUrl: null, deepLinking: true, tryItOutEnabled: true,
    displayRequestDuration: true, defaultModelsExpandDepth: -1, docExpansion: "list",
  });
});
`;

/** The plugin's page has an element of type script that holds a line break and no script; it is named by its hash. */
const EMPTY_SCRIPT = `'sha256-${createHash("sha256").update("\n    ").digest("base64")}'`;
const CONTENT_SECURITY_POLICY = `default-src 'self'; script-src 'self' ${EMPTY_SCRIPT}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'`;

const asset = (text: string, type: string) =>
  new Response(text, {
    headers: { "Content-Type": `${type}; charset=utf-8`, "Cache-Control": "max-age=3600" },
  });

/** Public paths that are not the plugin's. */
export function explorerAsset(pathname: string): Response | undefined {
  if (pathname === "/docs/explorer.js") return asset(explorerScript + START, "text/javascript");
  if (pathname === "/docs/explorer.css") return asset(explorerCss, "text/css");
  if (pathname === FAVICON) return new Response(null, { status: 204 });
  return undefined;
}

export const isDocs = (pathname: string) =>
  pathname === PAGE || pathname === FAVICON || pathname.startsWith(`${PAGE}/`);

/** To be used by the application before its routes. */
export const docs = () =>
  swagger({
    path: PAGE,
    specPath: DOCUMENT,
    scalarCDN: "/docs/explorer.js",
    scalarConfig: { customCss: "body { margin: 0 }" },
    exclude: [/^\/api\/env\//],
    documentation: {
      info: {
        title: "Diorama",
        version: VERSION,
        description:
          "Disposable replicas of the services that AI agents act on, with an exact account of everything that changed.",
      },
      tags: [
        { name: "environments", description: "Disposable copies of a service" },
        { name: "runs", description: "What changed between two moments" },
        { name: "templates", description: "Saved states that environments are copied from" },
        { name: "suites", description: "What agents are asked, and what must have changed then" },
        { name: "health", description: "Whether the server can serve" },
        ...[...REPLICAS.keys()].map((name) => ({
          name,
          description: `The ${name} service of an environment`,
        })),
      ],
      components: {
        securitySchemes: {
          key: { type: "apiKey", in: "header", name: "X-API-Key" },
          bearer: {
            type: "http",
            scheme: "bearer",
            description: "A key or an environment's token",
          },
        },
      },
    },
  });

type Json = { [key: string]: unknown };
type Operation = Json & {
  responses?: Record<string, Json>;
  security?: unknown;
  requestBody?: Json;
};
type Document = Json & { paths: Record<string, Record<string, Operation>> };

const SUCCESS = { "200": "Success", "201": "Created", "429": "A limit is used up" } as const;
const METHODS = new Set(["get", "post", "put", "patch", "delete"]);

/** What the explorer and client generators need of the plugin's document. */
function polish(document: Document): Document {
  const named = new Map(Object.entries(STATUS).map(([code, status]) => [String(status), code]));
  for (const operations of Object.values(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      if (!METHODS.has(method)) continue;
      operation.security ??= [{ key: [] }];
      for (const [status, response] of Object.entries(operation.responses ?? {})) {
        response["description"] ??=
          SUCCESS[status as keyof typeof SUCCESS] ?? named.get(status) ?? "";
        onlyJson(response);
      }
      if (operation.requestBody) onlyJson(operation.requestBody);
    }
  for (const replica of REPLICAS.values())
    for (const [path, operations] of Object.entries(replica.paths()))
      document.paths[`/api/env/{envId}/services/${replica.service}/${path}`] = operations as Record<
        string,
        Operation
      >;
  const { spec, parts } = jsonSchema(PARTS);
  const { components } = document as { components?: Json };
  const schemas = { ...(components?.["schemas"] as Json), [EXPECTED_OUTPUT]: spec, ...parts };
  return asOpenApi({ ...document, components: { ...components, schemas } }) as Document;
}

/** The plugin lists every type that Elysia could parse. */
function onlyJson(part: Json): void {
  const content = part["content"] as Json | undefined;
  if (content?.["application/json"])
    part["content"] = { "application/json": content["application/json"] };
}

/**
 * JSON Schema as OpenAPI 3.0 knows it: `enum` but not `const`, `nullable` but no type of null, `additionalProperties` but
 * no patterns of names.
 */
function asOpenApi(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asOpenApi);
  if (typeof value !== "object" || value === null) return value;
  const copy: Json = {};
  if ("title" in value && value.title === EXPECTED_OUTPUT) return { $ref: PARTS + EXPECTED_OUTPUT };
  for (const [key, item] of Object.entries(value))
    if (key === "const") copy["enum"] = [item];
    else if (key === "patternProperties")
      copy["additionalProperties"] = asOpenApi(Object.values(item as object)[0]);
    else copy[key] = asOpenApi(item);
  return Array.isArray(copy["anyOf"]) ? joined(copy, copy["anyOf"] as Json[]) : copy;
}

/** A union that is one type and perhaps null, or literals of one type, as that type. */
function joined(union: Json, members: readonly Json[]): Json {
  const { anyOf: _, nullable: __, ...rest } = union;
  const all = members.flatMap((member) => (isUnion(member) ? member["anyOf"] : [member]));
  const hasNull = all.some(({ type, nullable }) => type === "null" || nullable === true);
  const nullable = hasNull ? { nullable: true } : {};
  const some = all.filter(({ type }) => type !== "null");
  const [first, second] = some;
  const isEnum = some.every(({ type, enum: values }) => values && type === first?.["type"]);
  if (first && isEnum) {
    const values = some.flatMap((each) => each["enum"]);
    // A nullable enumeration has to list null as well.
    return { ...first, ...rest, enum: hasNull ? [...values, null] : values, ...nullable };
  }
  if (first && !second) return { ...first, ...rest, ...nullable };
  return { ...rest, anyOf: some.map((each) => ("type" in each ? { ...each, ...nullable } : each)) };
}

const isUnion = (schema: Json): schema is { anyOf: Json[] } =>
  Array.isArray(schema["anyOf"]) && Object.keys(schema).length === 1;

/** Mends the plugin's answers: the document's content and the page's headers. */
export async function finishDocs(pathname: string, response: Response): Promise<Response> {
  if (pathname === DOCUMENT) return Response.json(polish((await response.json()) as Document));
  if (pathname === PAGE) response.headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
  return response;
}
