/**
 * The OpenAPI document, its explorer, guide and reference, served from the binary: no page loads anything from another
 * host.
 *
 * The only file that knows the plugin and the explorer.
 */
import { swagger } from "@elysiajs/swagger";
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Elysia } from "elysia";
import explorerCss from "swagger-ui-dist/swagger-ui.css" with { type: "text" };
import explorerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "text" };
import colours from "~/docs/explorer.css" with { type: "text" };
import start from "~/docs/explorer.js" with { type: "text" };
import { missingPage, siteFile, sitePage } from "~/docs/site";
import { Condition, WhereSchema } from "~/evaluation/spec";
import { failures } from "~/http/errors";
import { everyToolOperation, toolOperations } from "~/http/mcp/operations";
import { Envelope, EnvironmentPath } from "~/http/model";
import { OPENAPI, type Operation, openapi } from "~/http/openapi";
import { REPLICAS } from "~/replicas/index";
import type { ServiceOperation } from "~/replicas/replica";
import { VERSION } from "~/version";

const PAGE = "/docs";
const DOCUMENT = "/docs/json";
/** Where tools look for the document. */
const WELL_KNOWN = "/openapi.json";
/** Browsers request it on every page. */
const FAVICON = "/favicon.ico";

const asset = (text: string, type: string) =>
  new Response(text, {
    headers: { "Content-Type": `${type}; charset=utf-8`, "Cache-Control": "max-age=3600" },
  });

/** Public paths that are not the plugin's. */
export function explorerAsset(pathname: string): Response | undefined {
  const file = siteFile(pathname);
  if (file) return asset(file[1], file[0]);
  if (pathname === "/docs/explorer.js")
    return asset(`${explorerScript}\n${start}`, "text/javascript");
  if (pathname === "/docs/explorer.css") return asset(`${explorerCss}\n${colours}`, "text/css");
  if (pathname === FAVICON) return new Response(null, { status: 204 });
  return undefined;
}

const INFO = {
  title: "Diorama",
  version: VERSION,
  description:
    "Disposable replicas of the services that AI agents act on, with an exact account of everything that changed.",
  license: { name: "MIT", identifier: "MIT" },
  contact: { name: "The maintainers of Diorama" },
} as const;

const ABOUT = {
  info: {
    ...INFO,
    description: `${INFO.description} See also the [guide](/docs/guide) and the [reference](/docs/reference).`,
  },
  servers: [{ url: "/", description: "The server of this document" }],
  tags: [
    { name: "environments", description: "Disposable copies of a service" },
    { name: "runs", description: "Recordings of everything that changes" },
    { name: "events", description: "Environments, runs and calls as they change" },
    { name: "templates", description: "Saved states that environments are copied from" },
    { name: "suites", description: "Tasks for agents, and the changes that they must make" },
    { name: "health", description: "Whether the server can serve" },
    { name: "openenv", description: "Suites as environments of OpenEnv, for trainers" },
    { name: "mcp", description: "The platform as tools over the Model Context Protocol" },
    ...[...REPLICAS.keys()].map((name) => ({
      name,
      description: `The ${name} service of an environment`,
    })),
  ],
  components: {
    securitySchemes: {
      key: {
        type: "apiKey",
        in: "header",
        name: "X-API-Key",
        description: "A key; calls of a service also take an environment's token",
      },
      bearer: {
        type: "http",
        scheme: "bearer",
        description: "A key or an environment's token",
      },
    },
  },
};
/** Components that other shapes refer to by name. */
const SHAPES = [Envelope, WhereSchema, Condition];

export const isDocs = (pathname: string) =>
  [PAGE, FAVICON, WELL_KNOWN].includes(pathname) || pathname.startsWith(`${PAGE}/`);

/** The application must use it before its routes. Only the page of the plugin is in use. */
export const docs = () =>
  swagger({
    path: PAGE,
    specPath: DOCUMENT,
    scalarCDN: "/docs/explorer.js",
    scalarConfig: { customCss: "body { margin: 0 }" },
    documentation: { info: INFO },
  });

/** The parts of an Elysia route that the document shows. */
type DocumentedRoute = {
  readonly method: string;
  readonly path: string;
  readonly hooks: {
    readonly detail?: Pick<Operation, "operationId" | "summary" | "tags"> & { hide?: boolean };
    readonly params?: TObject;
    readonly query?: TObject;
    readonly headers?: TObject;
    readonly body?: TSchema;
    readonly response: Record<string, TSchema>;
  };
};

const routeOperations = (routes: readonly DocumentedRoute[]): Operation[] =>
  routes.flatMap(({ method, path, hooks }) => {
    const { detail, params, query, headers, body, response } = hooks;
    if (!detail || detail.hide) return [];
    return {
      security: [{ key: [] }],
      ...detail,
      path: path.replace(/:(\w+)/g, "{$1}"),
      method: method.toLowerCase(),
      params,
      query,
      headers,
      body: body && { "application/json": body },
      isClosed: true,
      answers: response,
    };
  });

/** Responses of the platform to a call of a service. */
const REFUSALS = failures(
  "invalid_environment_path",
  "invalid_service",
  "environment_not_found",
  "request_too_large",
);

/** The calls of the simulated services, which are not routes, and their tools. */
const serviceOperations = (): Operation[] => {
  const operations: readonly (ServiceOperation & { readonly service: string })[] = [
    ...[...REPLICAS.values()].flatMap(({ service, operations }) =>
      operations().map((operation) => ({ service, ...operation })),
    ),
    ...toolOperations(),
  ];
  const access = { security: [{ key: [] }, { bearer: [] }] };
  const { answers: own, ...every } = everyToolOperation();
  const whole = {
    ...every,
    ...access,
    tags: ["mcp"],
    params: EnvironmentPath,
    answers: withPlatform(own, REFUSALS),
  };
  const ofServices = operations.map(({ service, name: _, params, answers, ...operation }) => ({
    ...operation,
    path: `/api/env/{envId}/services/${service}/${operation.path}`,
    tags: [service],
    ...access,
    params: Type.Object({ ...EnvironmentPath.properties, ...params?.properties }),
    answers: withPlatform(answers, REFUSALS),
  }));
  return [...ofServices, whole];
};

/** The responses of an operation that is not a route, and those of the platform to it. */
export const withPlatform = (own: Answers, platform: Answers): Answers => ({
  ...own,
  ...platform,
  ...eitherOf(own, platform),
});

/** Responses by status, for statuses that both a service and the platform use. */
function eitherOf(own: Answers, platform: Answers): Answers {
  const both = Object.entries(own).flatMap(([status, shape]) => {
    const other = platform[status];
    if (!other) return [];
    const description = `${shape.description}, or an error of the platform`;
    return [[status, Type.Union([shape, other], { description })] as const];
  });
  return Object.fromEntries(both);
}
type Answers = Operation["answers"];

let text = "";

/**
 * Returns a function that renders the document as JSON, once per process. Call it before any call of a route: the router
 * modifies the shapes of a route at its first call, and the document must not depend on earlier calls. Only the route
 * `early` may be called before. `others`: the platform's operations that are no routes.
 */
export function createDocument(
  routes: Elysia["routes"],
  early: string,
  others: readonly Operation[],
): () => void {
  const documented = (routes as readonly DocumentedRoute[]).map((route) => {
    const { path, hooks } = route;
    if (path !== early) return route;
    return { ...route, hooks: { ...hooks, response: structuredClone(hooks.response) } };
  });
  return () => {
    text ||= JSON.stringify(
      openapi([...routeOperations(documented), ...serviceOperations(), ...others], ABOUT, SHAPES),
    );
  };
}

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g;
type Parts = Record<string, Record<string, object>>;

type Below = { readonly paths: object; readonly components: object };
const below = new Map<string, Below>();

/**
 * The operations below a path as a document of their own: with paths from there, without its parameters, and with the
 * components that they need. `about`: what the document says of itself.
 */
export function documentBelow(prefix: string, about: object): object {
  const found = below.get(prefix) ?? selectBelow(prefix);
  below.set(prefix, found);
  return { openapi: OPENAPI, ...about, ...found };
}

function selectBelow(prefix: string): Below {
  const { paths: all, components } = JSON.parse(text) as {
    paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
    components: Parts;
  };
  const given = new Set([...prefix.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  const isLeft = (parameter: Parameter) => !given.has(parameter.name ?? nameOf(parameter.$ref));
  const paths: Record<string, object> = {};
  for (const [path, operations] of Object.entries(all))
    if (path.startsWith(`${prefix}/`))
      paths[path.slice(prefix.length)] = Object.fromEntries(
        Object.entries(operations).map(([method, { parameters = [], ...operation }]) => {
          const left = parameters.filter(isLeft);
          return [method, { ...operation, ...(left.length > 0 && { parameters: left }) }];
        }),
      );
  const { securitySchemes = {} } = components;
  return { paths, components: { ...neededBy(paths, components), securitySchemes } };
}
type Parameter = { readonly name?: string; readonly $ref?: string };
const nameOf = (reference = "") => reference.slice(reference.lastIndexOf("/") + 1);

/** The components that a part of a document refers to, and those that they refer to. */
function neededBy(part: object, components: Parts): Parts {
  const needed: Parts = {};
  const queue: object[] = [part];
  for (const each of queue)
    for (const [, kind = "", name = ""] of JSON.stringify(each).matchAll(REFERENCE)) {
      const component = components[kind]?.[name];
      if (!component || needed[kind]?.[name]) continue;
      needed[kind] = { ...needed[kind], [name]: component };
      queue.push(component);
    }
  return needed;
}

/** A browser's answer for a path that does not exist. */
export const answerMissing = (pathname: string): Response =>
  new Response(missingPage(pathname), {
    status: 404,
    headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" },
  });

/** Serves the document, a page of the guide or reference, or the plugin's page. */
export async function answerDocs(
  request: Request,
  pathname: string,
  router: Pick<Elysia, "fetch">,
): Promise<Response> {
  if (pathname === DOCUMENT || pathname === WELL_KNOWN)
    return new Response(text, {
      headers: { "Content-Type": "application/json; charset=utf-8" },
    });
  const html = sitePage(pathname);
  if (html !== undefined)
    return new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
  return await router.fetch(request);
}
