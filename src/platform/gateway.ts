/**
 * Calls to an environment's own API: `/api/env/{envId}/services/{service}/…` → the replica.
 *
 * A key is looked up on every call, so that a revoked key is rejected immediately. An environment is cached, which
 * saves a round trip: if it has ended meanwhile, the session pool rejects the call.
 *
 * `…/mcp` is the same environment as tools: see `tools.ts`.
 */
import type { LogMark } from "~/db/driver";
import type { Session } from "~/db/session";
import type { SessionPool } from "~/db/session-pool";
import { readBody } from "~/http/body";
import { rejectPage } from "~/http/mcp/pages";
import {
  createAdmission,
  type Opened,
  otherServices,
  ownerOf,
  requireToolToken,
} from "~/platform/admission";
import type { Acting } from "~/platform/environments/acting";
import { type CallListener, heardBy } from "~/platform/environments/call-listener";
import type { DueCalls } from "~/platform/environments/due-calls";
import type { Environments } from "~/platform/environments/environments";
import { asNotFound, environmentId, notFound, requireId } from "~/platform/environments/id";
import type { Settings } from "~/platform/environments/opening";
import type { Past } from "~/platform/environments/past";
import { actorsIn } from "~/platform/environments/view";
import type { EnvironmentEvents } from "~/platform/events/events";
import type { Injection } from "~/platform/faults/injection";
import type { PastState } from "~/platform/faults/store";
import type { Journal, JournaledCall } from "~/platform/journal/journal";
import type { Keys } from "~/platform/keys/keys";
import type { Templates } from "~/platform/templates/templates";
import { toolServices, toolsOfService, toolsOfWorld } from "~/platform/tool-sets";
import { answerTools, challenged, readToolPath, type ToolPath, wrongToken } from "~/platform/tools";
import type { createUploads } from "~/platform/uploads/uploads";
import type { Problem, Selection } from "~/replicas/faults";
import { REPLICAS, requireReplica, serviceOf } from "~/replicas/index";
import { calledAddress } from "~/replicas/kit/called-origin";
import { NOBODY_HERE, WORLD } from "~/replicas/members";
import type { CallAccount, Replica, UnleasedCall } from "~/replicas/replica";
import { serviceSession } from "~/replicas/service-session";
import type { Delivery } from "~/replicas/uploads";
import { httpDate } from "~/wire/head";
import type { IncomingRequest } from "~/wire/incoming";
import { SERVICE_BODY_MAX } from "~/wire/limits";
import { type HttpAnswer, httpAnswer } from "~/wire/message";

/** How a call arrived. */
type Arrival = {
  readonly target: GatewayPath;
  readonly toolPath: ToolPath | undefined;
  readonly carriesSecret: boolean;
  /** The caller only views: its calls get no faults. */
  readonly isViewing: boolean;
  readonly token: { readonly isAnonymous: boolean; readonly userToken: string | undefined };
  readonly baseUrl: string;
  /** Begins a line of the journal: one for each call of a tool, with its own `traceparent` unless a header has one. */
  readonly note: (trace?: string, service?: string) => JournaledCall;
  /** The line of any other call. */
  readonly call: JournaledCall | undefined;
  readonly listener: CallListener;
};

export type Gateway = ReturnType<typeof createGateway>;

export type GatewayPath = {
  readonly envId: string;
  readonly service: string;
  readonly path: string;
  /** It names no service: all that the environment has. */
  readonly isWhole?: boolean;
};

/** `1` with an API key: the caller only views, and a run's journal leaves its reads out. */
const VIEW_HEADER = "x-diorama-view";
const PREFIX = "/api/env/";
const SERVICES = "/services/";
const TOOLS = "/mcp";

/** Parses a path to an environment, unchanged but for an alias of the service; undefined for any other path. */
export function gatewayPath(pathname: string): GatewayPath | undefined {
  if (!pathname.startsWith(PREFIX)) return undefined;
  const afterId = pathname.indexOf("/", PREFIX.length);
  if (afterId < 0) return undefined;
  const envId = pathname.slice(PREFIX.length, afterId);
  if (pathname.startsWith(TOOLS, afterId)) {
    const path = pathname.slice(afterId + 1);
    return readToolPath(path) && { envId, service: WORLD, path, isWhole: true };
  }
  if (!pathname.startsWith(SERVICES, afterId)) return undefined;
  const from = afterId + SERVICES.length;
  const slash = pathname.indexOf("/", from);
  const to = slash < 0 ? pathname.length : slash;
  return {
    envId,
    service: serviceOf(pathname.slice(from, to)),
    path: pathname.slice(to + 1),
  };
}

export function createGateway(deps: {
  uploadCalls: ReturnType<typeof createUploads>;
  sessionPool: SessionPool<Settings>;
  dueCalls: DueCalls;
  injection: Injection;
  past: Past;
  environments: Environments;
  keys: Keys;
  templates: Templates;
  /** Of pages that may call from a browser. */
  origins: ReadonlySet<string>;
  journal: Journal;
  events: Pick<EnvironmentEvents, "appsOf" | "activity" | "apps">;
  acting: Acting;
}) {
  const { uploadCalls, sessionPool, injection, past, keys, templates, journal, acting } = deps;
  const { appsOf, activity } = deps.events;
  const { credentialOf, open, admit, findByToken } = createAdmission(deps);

  /** Answers the call of someone who may open the environment, if there is one. */
  async function answer(
    request: IncomingRequest,
    { environment, principal }: Opened,
    { target, toolPath, carriesSecret, isViewing, baseUrl, note, call, listener, token }: Arrival,
  ): Promise<HttpAnswer> {
    const { envId, service, path } = target;
    await keys.countRequest(principal ?? environment);
    requireId(envId);
    if (!toolPath || service !== WORLD) requireReplica(service);
    if (environment?.state !== "live") throw notFound();
    const actors = actorsIn(environment);
    const services = toolPath ? toolServices(target, environment.service, actors) : [service];
    if (!services.every((each) => Object.hasOwn(actors, each))) throw otherServices(environment);
    const { allowImpersonation, service: kind } = environment;
    const place = { kind, services: Object.keys(actors) };
    const tables = await templates.tablesOf(environment);
    const environmentRef = { ...environment, tables };
    const { faults, hasCounterparts, now, ...named } = await sessionPool.settings(environmentRef);
    if (!isViewing) acting.listen(listener, environment, { ...named, baseUrl });
    const actorOf = (service: string) => actors[service] ?? NOBODY_HERE;
    const callerIn = async (service: string) => ({
      actor: actorOf(service),
      secret: environment.tokenHash,
      baseUrl: `${baseUrl}/api/env/${envId}/services/${service}`,
      aliases: await templates.aliasesOf(
        kind === WORLD ? { ...environment, only: service } : environment,
        tables,
      ),
    });
    /** Runs work on a service's tables, or on an earlier state of them. */
    const useIn = <T>(
      service: string,
      work: (session: Session) => Promise<T>,
      mark?: LogMark,
      state?: PastState,
    ): Promise<T> => {
      const serviceIn = (session: Session) => serviceSession(place, service, session);
      const within = (session: Session) => work(serviceIn(session));
      const read = (session: Session) =>
        state ? past.read(state, session.source, within) : within(session);
      const use = () => deps.dueCalls.use(environmentRef, serviceIn, heardBy(listener, read), mark);
      const call = () =>
        hasCounterparts ? acting.around(environment, { baseUrl, isViewing, listener }, use) : use();
      return isViewing ? call() : activity.during(environmentRef.environmentId, call);
    };
    const dueFault = (service: string, select: () => Promise<Selection | undefined>) =>
      carriesSecret || isViewing || !faults
        ? undefined
        : injection.due({ id: environment.environmentId, faults, service }, select);
    if (toolPath) {
      requireToolToken(services, token);
      const isWhole = kind === service && kind === WORLD;
      if (!isWhole && services.some((each) => actorOf(each) === NOBODY_HERE)) throw wrongToken();
      const set = (isWhole ? toolsOfWorld : toolsOfService)(services, toolPath.profile);
      const made = await answerTools(request, set, {
        ...{ callerIn, actorOf, injection, use: useIn },
        note: (service, trace) => note(trace, service),
        dueFault: (service, selection) => dueFault(service, async () => selection),
      });
      return dated(made, now);
    }
    const replica = requireReplica(service);
    const identity = await callerIn(service);
    // A secret is verified before the body is read. The body is read before a session is taken.
    const isAwaited =
      !carriesSecret ||
      (await useIn(
        service,
        async (session) => await replica.awaits?.(session, path, identity.secret),
      ));
    const { uploads } = replica;
    const body = isAwaited ? await readBody(request, SERVICE_BODY_MAX) : new Uint8Array();
    const { account, mark, end } = call ?? note();
    const perform = async (whole: Delivery): Promise<HttpAnswer> => {
      const mayImpersonate = principal !== undefined || allowImpersonation;
      const unleased: UnleasedCall = {
        ...{ ...whole, account, ...identity, ...token, mayImpersonate },
        ...appsOf(environment.environmentId),
      };
      const handle = (state?: PastState) =>
        useIn(service, (session) => replica.handle({ ...unleased, session }), mark, state);
      const due = await dueFault(service, () => replica.faults.select(unleased));
      return due
        ? await injection.inject(account, due, handle, (found) => report(replica, account, found))
        : await handle();
    };
    const delivery = { request, path, body };
    const response = uploads?.matches(request, path)
      ? await uploadCalls.answer(
          uploads,
          { ...delivery, address: calledAddress(request, path) ?? baseUrl + request.pathname },
          { environmentId: environment.environmentId, owner: request.owner },
          perform,
        )
      : await perform(delivery);
    await deps.events.apps.noteWebhooks(environment, service, account);
    await end(response.status);
    return dated(response, now);
  }

  return {
    admit,
    findByToken,

    /** Answers one call. `baseUrl`: scheme and host that the caller used. */
    async handle(
      request: IncomingRequest,
      target: GatewayPath,
      { baseUrl, requestId }: { baseUrl: string; requestId: string },
    ): Promise<HttpAnswer> {
      const { envId, service, path } = target;
      const carriesSecret = REPLICAS.get(service)?.carriesSecret?.(path) ?? false;
      const toolPath = readToolPath(path);
      if (toolPath) {
        const rejected = rejectPage(request, baseUrl, deps.origins);
        if (rejected) return rejected;
      }
      const { credential, userToken } = await credentialOf(request, service, toolPath);
      const isAnonymous = credential === undefined && !carriesSecret;
      const opening = open(request, environmentId(envId), credential, { carriesSecret });
      const opened = await (toolPath ? challenged(opening) : opening);
      const { environment, principal } = opened;
      request.owner = ownerOf(opened);
      const isViewing = principal !== undefined && request.headers.get(VIEW_HEADER) === "1";
      const [name = ""] = path.split("/", 1); // what follows may be a secret
      const listener: CallListener = {};
      let isNoted = false;
      const note = (own?: string, called = target.isWhole ? undefined : service) => {
        isNoted = true;
        const trace = request.headers.get("traceparent") ?? own ?? null;
        const about = { request: requestId, trace, name, isViewing, listener };
        return journal.begin(environment && calledIn(environment, called), about);
      };
      const call = toolPath ? undefined : note();
      const token = { userToken, isAnonymous };
      const arrived = { target, toolPath, carriesSecret, isViewing, baseUrl, listener, token };
      try {
        return await answer(request, opened, { ...arrived, note, call });
      } catch (error) {
        const failure = asNotFound(error);
        if (call || !isNoted) await (call ?? note()).fail(failure);
        throw failure;
      }
    },
  };
}

/** The environment as the journal has it: of a world, the service that is called. */
const calledIn = (environment: NonNullable<Opened["environment"]>, service: string | undefined) =>
  environment.members && service ? { ...environment, service } : environment;

/** The answer with the time in the environment as its date. */
function dated(answer: HttpAnswer, now: Settings["now"]): HttpAnswer {
  if (now) answer.headers.set("date", httpDate(now()));
  return answer;
}

/** The answer that reports a problem in the service's words. */
function report({ faults }: Replica, account: CallAccount, problem: Problem): HttpAnswer {
  const { status, headers, body, error } = faults.answer(problem);
  account.error = error;
  account.answer = body.startsWith("{") ? body : JSON.stringify(body);
  return httpAnswer(status, headers, body);
}
