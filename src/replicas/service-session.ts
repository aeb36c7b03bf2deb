/** Sessions on one service of an environment, and what it sends to the others. */
import type { Session } from "~/db/session";
import { REPLICAS } from "~/replicas/index";
import { memberTables, prefixOf, WORLD } from "~/replicas/members";

/** An environment: `world` or its service, and the services that are open in it. */
export type Place = { readonly kind: string; readonly services: readonly string[] };

/**
 * The session of one service of an environment. What the service sends reaches each other open service that takes it,
 * and goes no further: what that one sends because of it reaches nobody.
 */
export function serviceSession(place: Place, service: string, session: Session): Session {
  if (place.kind !== WORLD) return session;
  const takers = place.services.flatMap((other) => {
    const deliver = other === service ? undefined : REPLICAS.get(other)?.deliver;
    return deliver ? [{ other, deliver }] : [];
  });
  return {
    ...memberSession(service, session),
    hasMailboxes: takers.length > 0,
    transaction: (work) =>
      session.transaction((inside) => work(serviceSession(place, service, inside))),
    async send(mail) {
      await session.send(mail);
      for (const { other, deliver } of takers) await deliver(memberSession(other, session), mail);
    },
  };
}

const memberSession = (service: string, session: Session): Session => ({
  ...session,
  t: memberTables(session.t, service),
  prefix: prefixOf(service),
  transaction: (work) => session.transaction((inside) => work(memberSession(service, inside))),
});
