/**
 * In development, a service is at its own names: `/{service}/…` and `/{alias}/…` lead to an environment of the service's default
 * template, made at the first call. A client needs no more than that address, and any credential will do.
 */
import type { PlatformCall } from "~/platform/control-tools";
import type { GatewayPath } from "~/platform/gateway";
import type { Principal } from "~/principal";
import { REPLICAS, serviceOf } from "~/replicas/index";
import { type HttpAnswer, type HttpRequest, textOf } from "~/wire/message";

/** Of the agent in the templates `{service}_default`. */
const EMAIL = "agent@acme.test";
const TTL_SECONDS = 86_400;

type Made = { readonly envId: string; readonly token: string };

/** `callAs` answers a call of the platform. */
export function createDefaultEnvironments(
  callAs: (principal: Principal, call: PlatformCall) => Promise<HttpAnswer>,
) {
  const made = new Map<string, Promise<Made | HttpAnswer>>();

  async function make(principal: Principal, service: string): Promise<Made | HttpAnswer> {
    const answer = await callAs(principal, {
      method: "POST",
      path: "/initEnv",
      body: {
        ...{ templateService: service, templateName: `${service}_default` },
        ...{ impersonateEmail: EMAIL, ttlSeconds: TTL_SECONDS },
      },
    });
    if (answer.status !== 201) return answer;
    const { environmentId, token } = JSON.parse(textOf(answer));
    return { envId: environmentId, token };
  }

  async function isLive(principal: Principal, { envId }: Made): Promise<boolean> {
    const path = `/env/${envId}`;
    const answer = await callAs(principal, { method: "GET", path });
    return answer.status === 200 && JSON.parse(textOf(answer)).status === "active";
  }

  /** The environment of a service, another one if it has ended. Calls that come together share it. */
  async function environmentOf(principal: Principal, service: string): Promise<Made | HttpAnswer> {
    const known = made.get(service);
    const found = await known;
    if (found && "envId" in found && (await isLive(principal, found))) return found;
    if (made.get(service) !== known) return await environmentOf(principal, service);
    const next = make(principal, service);
    made.set(service, next);
    return await next;
  }

  return {
    /** The call that a path stands for, without its environment; undefined for any other path. */
    pathOf(pathname: string): Omit<GatewayPath, "envId"> | undefined {
      const [, name = "", path] = /^\/([a-z-]+)\/(.*)$/s.exec(pathname) ?? [];
      const service = serviceOf(name);
      return path !== undefined && REPLICAS.has(service) ? { service, path } : undefined;
    },

    /** Gives a call its environment and the token of it. Returns the answer if there can be none. */
    async admit(
      request: HttpRequest,
      principal: Principal,
      path: Omit<GatewayPath, "envId">,
    ): Promise<GatewayPath | HttpAnswer> {
      const found = await environmentOf(principal, path.service);
      if (!("envId" in found)) return found;
      request.headers.delete("x-api-key");
      request.headers.set("authorization", `Bearer ${found.token}`);
      return { ...path, envId: found.envId };
    },
  };
}
