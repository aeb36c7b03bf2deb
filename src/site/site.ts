/** The pages and files of the server: documents, console, packages of the clients. Public, and the same for everyone. */
import type { Elysia } from "elysia";
import { ApiError } from "~/errors";
import { answerDocs, answerMissing, explorerAsset, isDocs } from "~/http/docs";
import { requireReading } from "~/http/errors";
import { createCache } from "~/site/cached";
import { answerClients, isClients } from "~/site/clients";
import { answerRoot, consoleAsset, consoleFile, isConsole } from "~/site/console";
import type { IncomingRequest } from "~/wire/incoming";

const ROOT = "/";

export const isSite = (pathname: string) =>
  isDocs(pathname) || isConsole(pathname) || isClients(pathname) || pathname === ROOT;

/** `router` has the plugin of the documents; `document` renders the OpenAPI document. */
export function createSite({
  router,
  document,
}: {
  router: Pick<Elysia, "fetch">;
  document: () => void;
}) {
  const cache = createCache();

  return {
    /** `base`: scheme and host that the caller used. */
    async answer(request: IncomingRequest, base: string): Promise<Response> {
      const { pathname } = request;
      requireReading(request);
      if (isDocs(pathname)) {
        document();
        try {
          return await cache.answer(
            request,
            pathname,
            async () =>
              explorerAsset(pathname) ??
              (await answerDocs(new Request(request.url.href), pathname, router)),
          );
        } catch (error) {
          const isMissing = error instanceof ApiError && error.code === "not_found";
          const isForPeople = request.headers.get("accept")?.includes("text/html");
          if (isMissing && isForPeople) return answerMissing(pathname);
          throw error;
        }
      }
      if (isConsole(pathname)) {
        const file = consoleFile(pathname);
        return await cache.answer(request, file, () => consoleAsset(file));
      }
      if (isClients(pathname)) return await answerClients(pathname, base);
      return answerRoot(request);
    },
  };
}
