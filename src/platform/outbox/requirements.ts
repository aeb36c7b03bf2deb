/** Which apps an environment can have. */
import type { Session } from "~/db/session";
import { ApiError } from "~/errors";
import { known, quoted } from "~/input/nearest";
import { Rejections } from "~/input/rejections";
import type { NewEventApps } from "~/platform/outbox/model";
import type { StoredApp } from "~/platform/outbox/store";
import { REPLICAS, requireReplica, serviceOf } from "~/replicas/index";
import type { Members } from "~/replicas/members";

/** An environment, or the template of one. */
type Place = {
  /** The agent's user in each service. */
  readonly actors: Members;
  readonly read: <T>(work: (sessionOf: (service: string) => Session) => Promise<T>) => Promise<T>;
};

/** Throws `invalid_request` or `invalid_service`, with all that is wrong. */
export async function requireApps(
  place: Place,
  { apps }: NewEventApps,
  path = "apps",
): Promise<readonly StoredApp[]> {
  const rejections = new Rejections();
  const found: StoredApp[] = [];
  for (const [index, app] of apps.entries())
    try {
      const own = `${path}[${index}]`;
      if (found.some(({ id }) => id === app.app))
        throw new ApiError("invalid_request", `${own}.app: ${quoted(app.app)} is given twice`);
      found.push(await requireApp(place, app, own));
    } catch (error) {
      rejections.add(error);
    }
  rejections.end();
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function requireApp(
  { actors, read }: Place,
  {
    app,
    service: named,
    userId,
    events,
    scopes,
    domains,
    requestUrl,
  }: NewEventApps["apps"][number],
  path: string,
): Promise<StoredApp> {
  const services = Object.keys(actors).filter((each) => REPLICAS.get(each)?.events);
  // Of a world, the id of the app usually names the service.
  const fitting = services.filter((each) => REPLICAS.get(each)?.events?.isAppId(app));
  const [only, another] = fitting.length > 0 ? fitting : services;
  const service = named === undefined ? only : serviceOf(named);
  if (service === undefined || !services.includes(service))
    throw new ApiError(
      "invalid_service",
      `${path}.service: no service of this environment has events under this name${known(named ?? "", services)}`,
    );
  if (named === undefined && another !== undefined)
    throw new ApiError(
      "invalid_request",
      `${path}.service: needed: one of ${services.join(", ")}, which have events`,
    );
  const words = requireReplica(service).events;
  if (!words) throw new Error("a service without events was chosen");
  const unknown = events.find((type) => !Object.hasOwn(words.types, type));
  if (unknown !== undefined)
    throw new ApiError(
      "invalid_request",
      `${path}.events: ${service} has no event ${quoted(unknown)}${known(unknown, Object.keys(words.types))}`,
    );
  if (!words.isAppId(app))
    throw new ApiError(
      "invalid_request",
      `${path}.app: an id of an app of ${service} is needed, such as ${words.appIdExample}`,
    );
  if (domains !== undefined && !words.haveDomains)
    throw new ApiError(
      "invalid_request",
      `${path}.domains: ${service} has no events of links to domains`,
    );
  if (requestUrl !== undefined && !URL.canParse(requestUrl))
    throw new ApiError("invalid_request", `${path}.requestUrl: a URL is needed`);
  const user = await read(async (sessionOf) => {
    const session = sessionOf(service);
    if (userId !== undefined)
      return await requireReplica(service).findUser(session, { id: userId });
    return (await words.findBot(session, app)) ?? actors[service];
  });
  if (!user)
    throw new ApiError(
      "invalid_request",
      `${path}.userId: ${service} has no user ${quoted(userId ?? "")} here`,
    );
  return {
    ...{ id: app, user, service, events: [...new Set(events)] },
    ...{ scopes: scopes ?? null, requestUrl: requestUrl ?? null },
    domains: [...new Set(domains?.map((domain) => domain.toLowerCase()))],
  };
}
