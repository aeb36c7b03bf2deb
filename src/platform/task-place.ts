/**
 * The addresses of a server that exists for one test: `/task`, `/task/services/{service}/…` and `/task/mcp`. Anyone
 * who reaches them is the agent: they need no credential, and lead to the test's environment only.
 */
import { ApiError } from "~/errors";
import { requireReading } from "~/http/errors";
import type { GatewayPath } from "~/platform/gateway";
import { serviceOf } from "~/replicas/index";
import { WORLD } from "~/replicas/members";
import { type HttpAnswer, type HttpRequest, jsonAnswer } from "~/wire/message";

type PlacedTask = {
  readonly environmentId: string;
  /** `world`, or its service. */
  readonly service: string;
  readonly services: readonly string[];
  readonly token: string;
  readonly prompt: string;
  /** The time in the environment when it began. */
  readonly now: string;
};

const ROOT = "/task";
const SERVICE = /^\/task\/services\/([^/]+)(?:\/(.*))?$/;
const TOOLS = /^\/task\/(mcp(?:\/.*)?)$/;

export function createTaskPlace() {
  let task: PlacedTask | undefined;

  return {
    /** From now on, the addresses lead to this environment. */
    set(placed: PlacedTask): void {
      task = placed;
    },

    /** The call that a path stands for; undefined for any other path, and on a server without a task. */
    callOf(pathname: string): GatewayPath | undefined {
      if (!task || !pathname.startsWith(`${ROOT}/`)) return undefined;
      const { environmentId: envId, service } = task;
      const [, path] = TOOLS.exec(pathname) ?? [];
      if (path !== undefined) return { envId, service, path };
      const [, named, rest = ""] = SERVICE.exec(pathname) ?? [];
      return named === undefined ? undefined : { envId, service: serviceOf(named), path: rest };
    },

    /** Gives the agent's token to a call of these addresses, whatever token its client was made with. */
    admit(request: HttpRequest, pathname: string): void {
      if (!task || !pathname.startsWith(`${ROOT}/`)) return;
      request.headers.delete("x-api-key");
      request.headers.set("authorization", `Bearer ${task.token}`);
    },

    isRoot: (pathname: string) => pathname === ROOT,

    /** The task, for its agent. Throws `not_found` until there is one. */
    describe(request: HttpRequest, base: string): HttpAnswer {
      requireReading(request);
      if (!task) throw new ApiError("not_found", "This server has no task: see serve --task");
      const { prompt, now, service, services } = task;
      const root = `${base}${ROOT}`;
      const urlOf = (each: string) => `${root}/services/${each}`;
      return jsonAnswer({
        prompt,
        now,
        service,
        service_url: service === WORLD ? `${root}/services` : urlOf(service),
        mcp_url: `${root}/mcp`,
        services: Object.fromEntries(
          services.map((each) => [each, { url: urlOf(each), mcp_url: `${urlOf(each)}/mcp` }]),
        ),
      });
    },
  };
}
