/**
 * Calls to the services of environments: below an environment's address, in development below a service's name, and on
 * the paths that a service has on the server's own root, where the credential chooses the environment. A batch is a
 * request with several of them.
 */
import { NotAuthed } from "~/errors";
import { readBody, wholeBody } from "~/http/body";
import type { Cells } from "~/http/cells";
import type { createDefaultEnvironments } from "~/platform/default-environments";
import { type GatewayPath, gatewayPath } from "~/platform/gateway";
import type { Platform } from "~/platform/platform";
import { readToolPath } from "~/platform/tools";
import { REPLICAS } from "~/replicas/index";
import { calledOrigin } from "~/replicas/kit/called-origin";
import type { Batches } from "~/replicas/replica";
import { type RootPath, readRootPath } from "~/replicas/services";
import { createBudget } from "~/wire/budget";
import { IncomingRequest } from "~/wire/incoming";
import { LIMITS, SERVICE_BODY_MAX } from "~/wire/limits";
import { HeaderList, type HttpAnswer, type HttpRequest } from "~/wire/message";
import type { OutgoingAnswer } from "~/wire/outgoing";

/** A path to a service. Without an environment, it follows from the credential, or is the default one. */
type ServicePath =
  | { readonly kind: "environment"; readonly path: GatewayPath }
  | { readonly kind: "name"; readonly path: Omit<GatewayPath, "envId"> }
  | { readonly kind: "root"; readonly path: RootPath };

type Way = { readonly baseUrl: string; readonly requestId: string };

export function createServiceCalls(parts: {
  platform: Pick<Platform, "gateway" | "keys" | "taskPlace" | "events">;
  cells: Cells;
  /** In development. */
  defaults: ReturnType<typeof createDefaultEnvironments> | undefined;
  /** The answer to a failed call. */
  explain: (error: unknown, requestId: string) => HttpAnswer;
}) {
  const { platform, cells, defaults, explain } = parts;
  const { gateway, keys, taskPlace, events } = platform;
  /** Of the batches whose last call is not answered yet. */
  const batchAnswers = createBudget(LIMITS.heldBytes);

  async function openDefault(request: IncomingRequest, path: Omit<GatewayPath, "envId">) {
    if (!defaults) throw new NotAuthed("missing");
    const developer = await keys.authenticate(undefined, request);
    return await defaults.admit(request, developer, path);
  }

  /** The environment's path, or the answer if there is no environment. */
  async function targetOf(
    request: IncomingRequest,
    { kind, path }: ServicePath,
  ): Promise<GatewayPath | HttpAnswer> {
    if (kind === "environment") {
      cells.requireOwn(path.envId);
      taskPlace.admit(request, request.pathname);
      return path;
    }
    if (kind === "name") return await openDefault(request, path);
    const { services, path: below } = path;
    const found = await gateway.findByToken(request, services);
    if (found) return { ...found, path: below };
    if (!defaults)
      throw new NotAuthed(request.headers.has("authorization") ? "invalid" : "missing");
    return await openDefault(request, { service: services[0], path: below });
  }

  /** Makes one call. Reports a missing or invalid credential in the words of the service. */
  async function perform(request: IncomingRequest, target: GatewayPath, way: Way) {
    return await inWordsOf(target, () => gateway.handle(request, target, way));
  }

  /** Makes the calls of a batch, with its credential. Each is admitted by itself, counted, and gets its own faults. */
  async function performAll(
    request: IncomingRequest,
    target: GatewayPath,
    { batches, way }: { readonly batches: Batches; readonly way: Way },
  ): Promise<HttpAnswer> {
    await gateway.admit(request, target);
    const body = await readBody(request, SERVICE_BODY_MAX);
    const claim = batchAnswers.claim();
    try {
      return await batches.run(request, body, {
        hasRoom: (bytes) => claim(bytes, request.owner),
        async perform(inner, content) {
          const call = callInside(request, inner, content);
          try {
            return await perform(call, targetInside(target, inner.pathname), way);
          } catch (error) {
            return explain(error, way.requestId);
          }
        },
      });
    } finally {
      claim(0, request.owner);
    }
  }

  return {
    /** The service that a path leads to; undefined for any other path. */
    find(pathname: string): ServicePath | undefined {
      const path = gatewayPath(pathname) ?? taskPlace.callOf(pathname);
      if (path) return { kind: "environment", path };
      const root = readRootPath(pathname);
      if (root) return { kind: "root", path: root };
      const named = defaults?.pathOf(pathname);
      return named && { kind: "name", path: named };
    },

    async answer(request: IncomingRequest, place: ServicePath, way: Way): Promise<OutgoingAnswer> {
      const document = documentAt(request, place, way.baseUrl);
      if (document) return document;
      const [service] = servicesOf(place);
      return await inWordsOf({ service, path: place.path.path }, async () => {
        const target = await targetOf(request, place);
        if (!("envId" in target)) return target;
        if (events.isSocket(target.service, target.path))
          return await events.connect(request, target, way.baseUrl);
        const batches = REPLICAS.get(target.service)?.batches;
        return batches?.paths.includes(target.path)
          ? await performAll(request, target, { batches, way })
          : await perform(request, target, way);
      });
    },
  };
}

const servicesOf = ({ kind, path }: ServicePath): readonly [string, ...string[]] =>
  kind === "root" ? path.services : [path.service];

function documentAt(
  request: IncomingRequest,
  place: ServicePath,
  baseUrl: string,
): HttpAnswer | undefined {
  const { path } = place.path;
  if (path === "") return undefined;
  const origin = calledOrigin(request);
  const rootUrl = origin ? `${origin}/` : baseUrl + request.pathname.slice(0, -path.length);
  for (const service of servicesOf(place)) {
    const document = REPLICAS.get(service)?.documents?.({ request, path, rootUrl });
    if (document) return document;
  }
  return undefined;
}

/** A call of a batch that reaches its environment: the paths of the root and those below a name lead to the same one. */
function targetInside(outer: GatewayPath, pathname: string): GatewayPath {
  const { envId, service } = outer;
  const whole = gatewayPath(pathname);
  if (whole) return whole;
  const root = readRootPath(pathname);
  if (!root) return { envId, service, path: pathname.slice(1) };
  const { services, path } = root;
  return { envId, service: services.includes(service) ? service : services[0], path };
}

/** A call as if it had come alone: what the headers of the batch say holds for it too, but for those of the content. */
function callInside(outer: IncomingRequest, inner: HttpRequest, content: Uint8Array) {
  const headers = new HeaderList();
  for (const [name, value] of inner.headers.entries()) headers.set(name, value);
  for (const [name, value] of outer.headers.entries())
    if (!OF_CONTENT.test(name)) headers.set(name, value);
  const request = new IncomingRequest(inner.method, inner.pathname + inner.url.search, headers);
  request.peer = outer.peer;
  request.body = wholeBody(content);
  return request;
}

const OF_CONTENT = /^(?:content-|transfer-encoding$)/;

async function inWordsOf(
  { service, path }: Pick<GatewayPath, "service" | "path">,
  work: () => Promise<OutgoingAnswer>,
): Promise<OutgoingAnswer> {
  try {
    return await work();
  } catch (error) {
    const own =
      error instanceof NotAuthed && !readToolPath(path)
        ? REPLICAS.get(service)?.denial?.(error.reason)
        : undefined;
    if (!own) throw error;
    return own;
  }
}
