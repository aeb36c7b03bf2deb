/** Admits calls to environments: finds their credential, and the environment that it opens. */
import { ApiError, NotAuthed } from "~/errors";
import { authorization, platformKey } from "~/http/auth";
import { readPrefix } from "~/http/body";
import type { Environments } from "~/platform/environments/environments";
import { environmentId, malformed } from "~/platform/environments/id";
import type { EnvironmentRow } from "~/platform/environments/store";
import { actorsIn } from "~/platform/environments/view";
import { credentialKind, hashCredential, withoutStyle } from "~/platform/keys/format";
import type { Keys } from "~/platform/keys/keys";
import { type ToolPath, wrongToken } from "~/platform/tools";
import type { Principal } from "~/principal";
import { REPLICAS, requireReplica } from "~/replicas/index";
import type { Owner } from "~/wire/budget";
import type { IncomingRequest } from "~/wire/incoming";

const plain = (credential: string | undefined) => credential && withoutStyle(credential);

/** An environment, and the principal that opened it: none if a token did. */
export type Opened = {
  readonly environment: Awaited<ReturnType<Environments["find"]>>;
  readonly principal: Principal | undefined;
};

type Parts = { keys: Keys; environments: Environments };

export function createAdmission({ keys, environments }: Parts) {
  /**
   * Returns the platform's credential and the service's own user token. `X-API-Key` is always the credential; in other
   * places only what looks like one of ours. The body is searched only if nothing else has a credential.
   */
  async function credentialOf(
    request: IncomingRequest,
    service: string,
    toolPath: ToolPath | undefined,
  ) {
    const header = plain(authorization(request));
    const key = plain(platformKey(request));
    if (key !== undefined) return { credential: key, userToken: header };
    if (header !== undefined && keys.mayBeOne(header))
      return { credential: header, userToken: undefined };
    if (toolPath) return { credential: undefined, userToken: header };
    const beginning = () => readPrefix(request);
    const argument = plain(await REPLICAS.get(service)?.credential?.({ request, beginning }));
    if (argument !== undefined && keys.mayBeOne(argument))
      return { credential: argument, userToken: header };
    return { credential: undefined, userToken: header };
  }

  /** Returns the environment if the credential, or a secret in the path, opens it. Throws `not_authed`. */
  async function open(
    request: IncomingRequest,
    id: string | undefined,
    credential: string | undefined,
    { carriesSecret }: { carriesSecret: boolean },
  ): Promise<Opened> {
    if (carriesSecret)
      return {
        environment: id === undefined ? undefined : await environments.find(id),
        principal: undefined,
      };
    if (credential !== undefined && credentialKind(credential) === "e") {
      if (id === undefined) throw malformed();
      const environment = await environments.find(id, { tokenHash: hashCredential(credential) });
      if (!environment) throw new NotAuthed("invalid");
      return { environment, principal: undefined };
    }
    const principal = await keys.authenticate(credential, request);
    const environment =
      id === undefined ? undefined : await environments.find(id, { userId: principal.userId });
    return { environment, principal };
  }

  /** Throws unless the caller may open the environment. The bytes of the call are then the caller's. */
  async function admit(
    request: IncomingRequest,
    { envId, service }: { readonly envId: string; readonly service: string },
  ): Promise<void> {
    const { credential } = await credentialOf(request, service, undefined);
    const options = { carriesSecret: false };
    request.owner = ownerOf(await open(request, environmentId(envId), credential, options));
  }

  /** The environment whose token a call has, and its first service of these. Undefined without such a token. */
  async function findByToken(
    request: IncomingRequest,
    services: readonly [string, ...string[]],
  ): Promise<{ envId: string; service: string } | undefined> {
    const { credential } = await credentialOf(request, services[0], undefined);
    if (credential === undefined || credentialKind(credential) !== "e") return undefined;
    const environment = await environments.findByToken(hashCredential(credential));
    if (!environment) throw new NotAuthed("invalid");
    const has = (service: string) => Object.hasOwn(actorsIn(environment), service);
    return { envId: environment.environmentId, service: services.find(has) ?? services[0] };
  }

  return { credentialOf, open, admit, findByToken };
}

export function ownerOf({ environment, principal }: Opened): Owner | undefined {
  const keyId = principal?.keyId ?? environment?.keyId;
  return keyId === undefined ? undefined : { keyId, environmentId: environment?.environmentId };
}

export const otherServices = ({ members, service }: EnvironmentRow) =>
  new ApiError(
    "invalid_service",
    members
      ? `This environment has the services ${Object.keys(members).join(", ")}`
      : `This is an environment of the service ${service}`,
  );

/** Rejects a token of a service itself where there is no credential. */
export function requireToolToken(
  services: readonly string[],
  {
    isAnonymous,
    userToken,
  }: { readonly isAnonymous: boolean; readonly userToken: string | undefined },
): void {
  const isForeign = (service: string) =>
    userToken !== undefined && requireReplica(service).isToken?.(userToken);
  if (isAnonymous && services.some(isForeign)) throw wrongToken();
}
