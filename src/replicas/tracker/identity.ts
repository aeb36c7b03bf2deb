/** Who calls. */
import { isUuid } from "~/graphql/uuid";
import { NOBODY_HERE } from "~/replicas/members";
import { OWN_USER_ONLY, type ReplicaCall } from "~/replicas/replica";
import { notAuthenticated } from "~/replicas/tracker/errors";

/** Of a key, or of an OAuth application. */
const TOKEN = /^lin_[a-z]+_/;

export const isToken = (text: string) => TOKEN.test(text);

/** A token of the service is ignored beside a credential, and wrong without one. */
export const isWrongToken = ({ isAnonymous, userToken }: ReplicaCall) =>
  isAnonymous && userToken !== undefined && isToken(userToken);

/** A token that is a user's id acts as that user. */
export function actingUser(call: ReplicaCall): string {
  const { actor, userToken, mayImpersonate } = call;
  if (isWrongToken(call)) throw notAuthenticated("This token opens nothing here.");
  const named = isUuid(userToken) ? userToken.toLowerCase() : actor;
  if (named !== actor && !mayImpersonate) throw notAuthenticated(OWN_USER_ONLY);
  if (named === NOBODY_HERE) throw notAuthenticated("This user has no account in the workspace.");
  return named;
}
