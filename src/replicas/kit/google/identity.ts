/** Who calls: the environment's own user, or the person whose address is given as a token. */
import type { GoogleError } from "~/replicas/kit/google/errors";
import { OWN_USER_ONLY, type ReplicaCall } from "~/replicas/replica";

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

/** `isKnown`: of an address in lower case. Throws `refuse` for one that is not, and for a caller who may not act as others. */
export async function actingAddress<Name extends string>(
  { actor, userToken, mayImpersonate }: ReplicaCall<Name>,
  isKnown: (address: string) => Promise<boolean>,
  refuse: (message: string) => GoogleError,
): Promise<string> {
  const named = userToken && ADDRESS.test(userToken) ? userToken.toLowerCase() : actor;
  if (named === actor) return actor;
  if (!mayImpersonate) throw refuse(OWN_USER_ONLY);
  if (!(await isKnown(named))) throw refuse(`${named} has no account here.`);
  return named;
}
