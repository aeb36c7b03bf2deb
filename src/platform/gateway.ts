/**
 * Calls to an environment's own API: `/api/env/{envId}/services/{service}/…` → the replica.
 *
 * A key is looked up on every call, so that a revoked key is rejected immediately. An environment is cached, which
 * saves a round trip: if it has ended meanwhile, the session pool rejects the call.
 *
 * `…/mcp` is the same environment as tools: see `tools.ts`.
 */
import type { LogMark } from "~/db/driver";
import { EnvironmentEnded } from "~/db/opening";
import type { Session } from "~/db/session";
import type { SessionPool } from "~/db/session-pool";
import { ApiError } from "~/errors";
import { readBody, SERVICE_BODY_MAX } from "~/http/body";
import { rejectPage } from "~/http/mcp/pages";
import { createAdmission, type Opened, ownerOf } from "~/platform/admission";
import type { Environments } from "~/platform/environments/environments";
import { environmentId, notFound, requireId } from "~/platform/environments/id";
import type { Settings } from "~/platform/environments/opening";
import type { Past } from "~/platform/environments/past";
import type { Due, Injection } from "~/platform/faults/injection";
import type { Fault } from "~/platform/faults/model";
import type { PastState } from "~/platform/faults/store";
import type { Journal, JournaledCall } from "~/platform/journal/journal";
import type { Keys } from "~/platform/keys/keys";
import type { Templates } from "~/platform/templates/templates";
import { answerTools, challenged, readToolPath, type ToolPath, wrongToken } from "~/platform/tools";
import type { Problem, Selection } from "~/replicas/faults";
import { REPLICAS, requireReplica, serviceOf } from "~/replicas/index";
import type { CallAccount, Replica, UnleasedCall } from "~/replicas/replica";
import { httpDate } from "~/wire/head";
import type { IncomingRequest } from "~/wire/incoming";
import { type HttpAnswer, httpAnswer } from "~/wire/message";

/** How a call arrived. */
type Arrival = {
  readonly target: GatewayPath;
  readonly toolPath: ToolPath | undefined;
  readonly carriesSecret: boolean;
  /** The caller only views: its calls get no faults. */
  readonly isViewing: boolean;
  readonly isAnonymous: boolean;
  readonly userToken: string | undefined;
  readonly baseUrl: string;
  /** Begins a line of the journal: one for each call of a tool, with its own `traceparent` unless a header has one. */
  readonly note: (trace?: string) => JournaledCall;
  /** The line of any other call. */
  readonly call: JournaledCall | undefined;
};

export type Gateway = ReturnType<typeof createGateway>;

export type GatewayPath = {
  readonly envId: string;
  readonly service: string;
  readonly path: string;
};

/** `1` with an API key: the caller only views, and a run's journal leaves its reads out. */
const VIEW_HEADER = "x-diorama-view";
const PREFIX = "/api/env/";
const SERVICES = "/services/";

/** Parses a path to an environment, unchanged but for an alias of the service; undefined for any other path. */
export function gatewayPath(pathname: string): GatewayPath | undefined {
  if (!pathname.startsWith(PREFIX)) return undefined;
  const afterId = pathname.indexOf("/", PREFIX.length);
  if (afterId < 0 || !pathname.startsWith(SERVICES, afterId)) return undefined;
  const from = afterId + SERVICES.length;
  const slash = pathname.indexOf("/", from);
  const to = slash < 0 ? pathname.length : slash;
  return {
    envId: pathname.slice(PREFIX.length, afterId),
    service: serviceOf(pathname.slice(from, to)),
    path: pathname.slice(to + 1),
  };
}

export function createGateway(deps: {
  sessionPool: SessionPool<Settings>;
  injection: Injection;
  past: Past;
  environments: Environments;
  keys: Keys;
  templates: Templates;
  /** Of pages that may call from a browser. */
  origins: ReadonlySet<string>;
  journal: Journal;
}) {
  const { sessionPool, injection, past, keys, templates, origins, journal } = deps;
  const { credentialOf, open } = createAdmission(deps);

  /** Answers the call of someone who may open the environment, if there is one. */
  async function answer(
    request: IncomingRequest,
    { environment, principal }: Opened,
    { target, toolPath, carriesSecret, isViewing, baseUrl, note, call, ...token }: Arrival,
  ): Promise<HttpAnswer> {
    const { envId, service, path } = target;
    await keys.countRequest(principal ?? environment);
    requireId(envId);
    const replica = requireReplica(service);
    if (environment?.state !== "live") throw notFound();
    if (environment.service !== service)
      throw new ApiError(
        "invalid_service",
        `This is an environment of the service ${environment.service}`,
      );
    const { schemaName, actingUserId, allowImpersonation } = environment;
    const tables = await templates.tablesOf(environment);
    const environmentRef = { environmentId: environment.environmentId, schemaName, tables };
    const { faults, now } = await sessionPool.settings(environmentRef);
    const identity = {
      actor: actingUserId,
      secret: environment.tokenHash,
      baseUrl: `${baseUrl}/api/env/${envId}/services/${service}`,
      aliases: await templates.aliasesOf(environment, tables),
    };
    /** Runs work on the environment's tables, or on an earlier state of them. */
    const use = <T>(
      work: (session: Session) => Promise<T>,
      mark?: LogMark,
      state?: PastState,
    ): Promise<T> =>
      sessionPool.use(
        environmentRef,
        (session) => (state ? past.read(state, session.source, work) : work(session)),
        mark,
      );
    const dueFault = (select: () => Promise<Selection | undefined>) =>
      carriesSecret || isViewing || !faults
        ? undefined
        : faultOf(environment.environmentId, faults, select);
    if (toolPath && token.isAnonymous && token.userToken && replica.isToken?.(token.userToken))
      throw wrongToken();
    if (toolPath) {
      const made = await answerTools(request, replica, toolPath, {
        ...identity,
        note,
        use,
        injection,
        dueFault: (name, { isReading }) =>
          dueFault(async () => ({ by: "tool", names: [name], isReading })),
      });
      return dated(made, now);
    }
    // A secret is verified before the body is read. The body is read before a session is taken.
    const isAwaited =
      !carriesSecret || (await use(async (session) => await replica.awaits?.(session, path)));
    const body = isAwaited ? await readBody(request, SERVICE_BODY_MAX) : new Uint8Array();
    const { account, mark, end } = call ?? note();
    const unleased: UnleasedCall = {
      request,
      path,
      body,
      account,
      ...identity,
      ...token,
      mayImpersonate: principal !== undefined || allowImpersonation,
    };
    const handle = (state?: PastState) =>
      use((session) => replica.handle({ ...unleased, session }), mark, state);
    const due = await dueFault(() => replica.faults.select(unleased));
    const response = due
      ? await injection.inject(account, due, handle, (problem) => report(replica, account, problem))
      : await handle();
    end(response.status);
    return dated(response, now);
  }

  /** The fault that a call gets. `select` reads the call: only environments with faults need that. */
  async function faultOf(
    id: string,
    faults: readonly Fault[],
    select: () => Promise<Selection | undefined>,
  ): Promise<Due | undefined> {
    const selection = await select();
    return selection && (await injection.due(id, faults, selection));
  }

  return {
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
        const rejected = rejectPage(request, baseUrl, origins);
        if (rejected) return rejected;
      }
      const { credential, userToken } = await credentialOf(request, service, toolPath);
      const isAnonymous = credential === undefined && !carriesSecret;
      const opening = open(request, environmentId(envId), credential, { carriesSecret });
      const opened = await (toolPath ? challenged(opening) : opening);
      const { environment, principal } = opened;
      request.owner = ownerOf(opened);
      const isViewing = principal !== undefined && request.headers.get(VIEW_HEADER) === "1";
      const header = request.headers.get("traceparent");
      const [name = ""] = path.split("/", 1); // what follows may be a secret
      let isNoted = false;
      const note = (own?: string) => {
        isNoted = true;
        const trace = header ?? own ?? null;
        return journal.begin(environment, { request: requestId, trace, name, isViewing });
      };
      const call = toolPath ? undefined : note();
      const token = { userToken, isAnonymous };
      const arrived = { target, toolPath, carriesSecret, isViewing, baseUrl, ...token };
      try {
        return await answer(request, opened, { ...arrived, note, call });
      } catch (error) {
        const failure = error instanceof EnvironmentEnded ? notFound() : error;
        if (call || !isNoted) (call ?? note()).fail(failure);
        throw failure;
      }
    },
  };
}

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
