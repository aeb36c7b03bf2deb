/**
 * The platform's routes, by Elysia. Rejects what does not fit their shapes, with everything that is wrong; every error
 * is thrown.
 */

import { Elysia } from "elysia";
import { readJson, wholeBody } from "~/http/body";
import { createDocument, docs } from "~/http/docs";
import { fitCall, type Parts, type Shapes } from "~/http/fitting";
import { createLongReads } from "~/http/long-reads";
import { answerOf, nativeOf, requestOf } from "~/http/native";
import { setPrincipal } from "~/http/principal";
import { noteIds } from "~/http/request-log";
import { patternsOf, unknownRoute } from "~/http/routes";
import { CONTROL_OPERATION, type PlatformCall } from "~/platform/control-tools";
import { OPENENV } from "~/platform/openenv/trainers";
import type { Platform } from "~/platform/platform";
import type { Principal } from "~/principal";
import { IncomingRequest } from "~/wire/incoming";
import { PLATFORM_BODY_MAX, SEED_BODY_MAX } from "~/wire/limits";
import { HeaderList } from "~/wire/message";
import type { OutgoingAnswer } from "~/wire/outgoing";

export type Router = ReturnType<typeof createRouter>;

const PLATFORM = "/api/platform";
/** The only path that needs no key. */
export const HEALTH = `${PLATFORM}/health`;
/** Bytes of a body, where they differ: a seed may be a whole company. */
const BODY_MAX: ReadonlyMap<string, number> = new Map([
  [`${PLATFORM}/templates/import`, SEED_BODY_MAX],
]);
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

export function createRouter({
  routes,
  openEnvRoutes,
}: Pick<Platform, "routes" | "openEnvRoutes">) {
  const inTurn = createLongReads();

  // By default it takes the first ten characters of a URL as the scheme and the host: `http://api/` is shorter.
  const router = new Elysia({ name: "diorama", handler: { standardHostname: false } })
    .onError(({ code, error, request }) => {
      // Rethrown, so that errors become responses in one place. A returned value would be the response.
      throw code === "NOT_FOUND" ? unknownRoute(patterns, request) : error;
    })
    .parser("strict", async ({ request }) => {
      if (!WITH_BODY.has(request.method)) return undefined;
      const incoming = requestOf(request);
      const body = await readJson(incoming, BODY_MAX.get(incoming.pathname) ?? PLATFORM_BODY_MAX);
      noteIds(incoming, body);
      return body;
    })
    .use(docs())
    .group(PLATFORM, (app) =>
      app
        .use(routes.public)
        .guard({ parse: "strict", transform: fitContext }, (guarded) => guarded.use(routes.keyed)),
    )
    .group(OPENENV, (app) =>
      app.guard({ parse: "strict", transform: fitContext }, (guarded) =>
        guarded.use(openEnvRoutes),
      ),
    );

  const shapes = new Map(
    router.routes.map(({ method, path, hooks }) => [`${method} ${path}`, hooks as Shapes]),
  );

  type Context = Parts & { request: Request; route: string };
  /** Names what it reads: with the context as a whole, Elysia prepares everything and copies each answer. */
  function fitContext(context: Context): void {
    const found = shapes.get(`${context.request.method} ${context.route}`);
    if (!found) return;
    const { params, query, body } = fitCall(found, {
      params: context.params,
      query: context.query,
      body: context.body,
    });
    context.params = params;
    context.query = query;
    context.body = body;
  }

  const patterns = patternsOf(router.routes);
  const document = createDocument(router.routes, HEALTH, [CONTROL_OPERATION]);

  async function answer(request: IncomingRequest): Promise<OutgoingAnswer> {
    if (request.pathname !== HEALTH) document();
    return await inTurn(request, async () => answerOf(await router.fetch(nativeOf(request))));
  }

  return {
    router,
    patterns,
    document,

    /** Answers a request, whose principal is set. Throws what the route throws. */
    answer,

    /** Answers a call that the server makes itself. */
    async answerAs(
      principal: Principal,
      { method, path, body }: PlatformCall,
    ): Promise<OutgoingAnswer> {
      const headers = HeaderList.of({ "Content-Type": "application/json" });
      const request = new IncomingRequest(method, `${PLATFORM}${path}`, headers);
      if (body) request.body = wholeBody(Buffer.from(JSON.stringify(body)));
      setPrincipal(request, principal);
      return await answer(request);
    },
  };
}
