/**
 * The root of a server that exists for one suite: `/reset`, `/ws`, `/health` and the other paths of OpenEnv, as its
 * clients and validators expect them of an image. Anyone who reaches them is the trainer: they need no credential, and
 * lead to that suite only.
 */

import { setPrincipal } from "~/http/principal";
import { SERVER } from "~/platform/keys/keys";
import { IncomingRequest } from "~/wire/incoming";
import type { HttpRequest } from "~/wire/message";

const OPENENV = "/openenv";
const CALLS =
  /^\/(?:ws|reset|step|state|schema|metadata|health|mcp|openapi\.json|list_environments)$/;
const TASKS = /^\/[^/]+\/(?:splits|tasks|num_tasks|task|task_range)$/;

export function createSuitePlace() {
  let suiteId: string | undefined;
  const admitted = new WeakSet<HttpRequest>();

  return {
    /** From now on, the addresses lead to this suite. */
    set(id: string): void {
      suiteId = id;
    },

    /** A request of these addresses, as the call that it stands for; any other as it is. */
    admit(request: IncomingRequest): IncomingRequest {
      const { method, pathname, headers, body, peer } = request;
      if (suiteId === undefined || !(CALLS.test(pathname) || TASKS.test(pathname))) return request;
      const path = `${OPENENV}/${suiteId}${pathname}${request.url.search}`;
      const call = new IncomingRequest(method, path, headers);
      Object.assign(call, { body, peer });
      setPrincipal(call, SERVER);
      request.owner = { keyId: SERVER.keyId };
      admitted.add(call);
      return call;
    },

    isAdmitted: (request: HttpRequest) => admitted.has(request),
  };
}
