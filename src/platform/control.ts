/** Diorama as tools over MCP, at `/mcp`. */
import type { Config } from "~/config";
import { authorization, platformKey } from "~/http/auth";
import { readBody } from "~/http/body";
import { answerMcp } from "~/http/mcp/endpoint";
import { rejectPage } from "~/http/mcp/pages";
import { controlTools, type PlatformCall } from "~/platform/control-tools";
import type { Keys } from "~/platform/keys/keys";
import { challenged } from "~/platform/tools";
import type { Principal } from "~/principal";
import type { IncomingRequest } from "~/wire/incoming";
import { PLATFORM_BODY_MAX } from "~/wire/limits";
import { type HttpAnswer, isOk, textOf } from "~/wire/message";

type CallAs = (principal: Principal, call: PlatformCall, requestId: string) => Promise<HttpAnswer>;

export function createControl(deps: {
  keys: Keys;
  config: Pick<Config, "CORS_ORIGINS">;
  callAs: CallAs;
}) {
  const { keys, config, callAs } = deps;

  return {
    /** A key is also accepted as a bearer token, as clients of the protocol send it. `base`: scheme and host in use. */
    async answer(request: IncomingRequest, base: string, requestId: string): Promise<HttpAnswer> {
      const rejected = rejectPage(request, base, config.CORS_ORIGINS);
      if (rejected) return rejected;
      const key = platformKey(request) ?? authorization(request);
      const principal = await challenged(keys.authenticate(key, request));
      request.owner = { keyId: principal.keyId };
      await keys.countRequest(principal);
      const tools = controlTools(async (call) => {
        const made = await callAs(principal, call, requestId);
        return { text: textOf(made), ...(isOk(made) ? {} : { isError: true }) };
      });
      return await answerMcp(request, await readBody(request, PLATFORM_BODY_MAX), tools);
    },
  };
}
